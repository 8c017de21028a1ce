"""Rules of a procedure for one document: which events fit, what is owed, what keeps it unfinished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.assess.events import Event, Grade, Work
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import Procedure
from excerpt.errors import plural, short, short_list
from excerpt.formats.judgments._inex_xml import paths_of
from excerpt.model.elements import canonical

if TYPE_CHECKING:
    from excerpt.assess.events import History
    from excerpt.corpus import Element

_ALWAYS = frozenset({"note", "reject", "done", "reopen", "undo", "redo"})
#: Kinds of events by what of a procedure asks for them.
_KINDS = {
    "marks": {"highlight", "unhighlight"},
    "entry": {"bep", "no-bep"},
    "labels": {"label"},
    "scale": {"grade"},
}


class Node(NamedTuple):
    """An element: its path, its text, the rows of its parent (-1: none) and of the first element after it."""

    path: str
    start: int
    end: int
    tag: str
    parent: int
    after: int


class Structure:
    """The elements of a document in preorder, parents before children; none for plain text."""

    def __init__(self, elements: Sequence[Element] | None) -> None:
        self.parts = _nodes(list(elements or ()))

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each path."""
        return {part.path: row for row, part in enumerate(self.parts)}

    @cached_property
    def children(self) -> list[list[int]]:
        """The rows of the children of each element."""
        found: list[list[int]] = [[] for _ in self.parts]
        for row, part in enumerate(self.parts):
            if part.parent >= 0:
                found[part.parent].append(row)
        return found

    def ancestors(self, row: int) -> Iterator[int]:
        """The rows of all that contain an element, the nearest first."""
        while (row := self.parts[row].parent) >= 0:
            yield row

    def inside(self, row: int) -> range:
        """The rows of an element and of all that it contains."""
        return range(row, self.parts[row].after)

    def parents(self, rows: Iterable[int]) -> set[int]:
        """The rows of all parents."""
        return {self.parts[row].parent for row in rows} - {-1}

    def children_of(self, rows: Iterable[int]) -> set[int]:
        """The rows of all children."""
        return {child for row in rows for child in self.children[row]}


#: Elements that stand in some relation to given ones.
RELATIONS: dict[str, Callable[[Structure, list[int]], set[int]]] = {
    "parent": Structure.parents,
    "children": Structure.children_of,
    "siblings": lambda structure, rows: structure.children_of(structure.parents(rows)),
    "ancestors": lambda structure, rows: {outer for row in rows for outer in structure.ancestors(row)},
    "descendants": lambda structure, rows: {inner for row in rows for inner in structure.inside(row)},
}


def _nodes(elements: Sequence[Element]) -> list[Node]:
    after = [len(elements)] * len(elements)
    parents, open_ = [], [-1]
    for row, element in enumerate(elements):
        for closed in open_[element.depth + 1 :]:
            after[closed] = row
        del open_[element.depth + 1 :]
        parents.append(open_[-1])
        open_.append(row)
    placed = zip(elements, paths_of(elements), parents, after, strict=True)
    return [Node(path, one.start, one.end, one.tag, parent, end) for one, path, parent, end in placed]


class Rules:
    """The rules of a procedure in a document of some structure."""

    def __init__(
        self,
        procedure: Procedure,
        structure: Structure,
        *,
        labels: Sequence[str] = (),
        suggestions: Mapping[int, tuple[int, int]] | None = None,
    ) -> None:
        self.procedure = procedure
        self.structure = structure
        self.labels = tuple(labels)
        #: The suggestions that may be shown for this document, by number.
        self.suggestions = dict(suggestions or {})
        #: The kinds of events that there are.
        self.kinds = _ALWAYS.union(*(kinds for name, kinds in _KINDS.items() if getattr(procedure, name)))

    def check(self, history: History, event: Event) -> None:
        """A refusal where an event does not fit what there is."""
        work, body = history.work, event.body
        if event.kind not in self.kinds:
            raise InvalidEvent(
                f"found the kind {event.kind}, expected one of {', '.join(sorted(self.kinds))}",
                hint=f"the procedure is {self.procedure.name}",
            )
        if "suggestion" in body:
            self._check_suggestion(history, event)
        if event.kind == "grade":
            self._check_grade(work, body)
        if event.kind == "label" or (event.kind == "highlight" and {"label", "note"} & body.keys()):
            self._check_label(work, event)
        if event.kind == "done" and (problems := self.problems(work)):
            raise InvalidEvent(f"found a document that cannot be finished: {'; '.join(problems)}")

    def _check_suggestion(self, history: History, event: Event) -> None:
        number = event.body["suggestion"]
        if number not in self.suggestions or not history.finished_once:
            raise InvalidEvent(f"found suggestion {number}, expected one that was shown with this document")
        start, end = self.suggestions[number]
        if event.kind == "highlight" and not (event.body["start"] < end and start < event.body["end"]):
            raise InvalidEvent(
                f"found text outside of suggestion {number}, expected some of [{start}, {end})"
            )

    def _check_label(self, work: Work, event: Event) -> None:
        """A known label, on text that is highlighted or becomes so; none where nothing is labelled."""
        body, label = event.body, event.body.get("label")
        if not self.procedure.labels:
            hint = f"the procedure is {self.procedure.name}"
            raise InvalidEvent("found a label or its note, expected none", hint=hint)
        if label is not None and label not in self.labels:
            raise InvalidEvent(f"found the label {short(label)!r}, expected one of {short_list(self.labels)}")
        if label is None and body.get("note"):
            raise InvalidEvent("found the note of a label without the label, expected both")
        if event.kind == "label" and not work.highlights.covers(body["start"], body["end"]):
            raise InvalidEvent(
                f"found a label for [{body['start']}, {body['end']}), expected highlighted text"
            )

    def _check_grade(self, work: Work, body: Mapping[str, Any]) -> None:
        """A grade of the scale: for an element with highlighted text, or fit for the elements around."""
        row = self._row_of(body)
        if body.get("rest"):
            self._check_rest(work, body, row)
            return
        part, given = self.structure.parts[row], body.get("grade", "nothing")
        grade = self._read(given)
        if grade is None and given is not None:
            raise InvalidEvent(f"found the grade {short(repr(given))}, expected {self.procedure.expected}")
        if not self.procedure.marks:
            self._check_around(work, row, grade)
        elif not work.highlights.meets(part.start, part.end):
            raise InvalidEvent(
                f"found a grade for {short(part.path)}, expected an element with highlighted text"
            )

    def _check_rest(self, work: Work, body: Mapping[str, Any], row: int) -> None:
        rest = self.procedure.rest
        if rest is None:
            name = self.procedure.name
            raise InvalidEvent(f"found all that is left, expected one element: {name} has no such thing")
        if body.get("grade", rest.grade) != rest.grade:
            raise InvalidEvent(
                f"found {short(repr(body['grade']))} for all that is left, expected {rest.grade}"
            )
        owed = [self.structure.parts[owing] for owing in self._bare(work, self.structure.inside(row))]
        if not owed:
            raise InvalidEvent("found nothing left to grade there, expected elements without a grade")
        large = sum(part.end - part.start > rest.most for part in owed)
        if large and not body.get("sure"):
            raise InvalidEvent(
                f"found {plural(large, 'element')} of more than {rest.most} characters among the "
                f"{len(owed)} left, expected to be asked again whether they are {rest.word}"
            )

    def _read(self, given: Any) -> Grade:
        """A grade in its one form; None if it is none, or if its parts do not go together."""
        scale, never = self.procedure.scale, self.procedure.never
        if len(scale) == 1:
            return scale[0].read(given)
        if not isinstance(given, list) or len(given) != len(scale):
            return None
        grade = [part.read(value) for part, value in zip(scale, given, strict=True)]
        alike = len({value == none for value, none in zip(grade, self._nothing, strict=True)}) == 1
        return grade if None not in grade and alike and tuple(grade) not in never else None

    @property
    def _nothing(self) -> list[int | str]:
        """The grade of an irrelevant element."""
        return [part.values[0][0] for part in self.procedure.scale]

    def _level(self, grade: Grade) -> int:
        """What no element may have less of than those inside it."""
        return min(int(grade[0]), self.procedure.carried)

    def _check_around(self, work: Work, row: int, grade: Grade) -> None:
        if grade is None:
            return
        parts, level = self.structure.parts, self._level(grade)
        what = (
            f"found {self.procedure.scale[0].name.lower()} {grade[0]} for {short(parts[row].path)}, expected"
        )
        for inner in self.structure.inside(row)[1:]:
            other = work.grades.get(parts[inner].path)
            if other and self._level(other) > level:
                since = f"since {short(parts[inner].path)} inside it has {other[0]}"
                raise InvalidEvent(f"{what} at least {self._level(other)}, {since}")
        for outer in self.structure.ancestors(row):
            other = work.grades.get(parts[outer].path)
            if other and self._level(other) < level:
                around = f"that of {short(parts[outer].path)} around it"
                raise InvalidEvent(f"{what} at most {other[0]}, {around}", hint="grade that one first")

    def given(self, work: Work, body: Mapping[str, Any]) -> Iterator[tuple[str, Grade]]:
        """The elements that an event grades, with their grades; None takes one away."""
        row = self._row_of(body)
        if self.procedure.rest and body.get("rest"):
            for owing in self._bare(work, self.structure.inside(row)):
                yield self.structure.parts[owing].path, self.procedure.rest.grade
        else:
            yield self.structure.parts[row].path, self._read(body["grade"])

    def lost(self, work: Work, start: int, end: int) -> list[str]:
        """Graded elements that have lost all of their highlighted text, a part of it in this span."""
        rows = sorted(self.structure.rows[path] for path in work.grades)
        parts = (self.structure.parts[row] for row in rows)
        touched = (part for part in parts if part.start < end and start < part.end)
        return [part.path for part in touched if not work.highlights.meets(part.start, part.end)]

    def sorted(self, grades: Mapping[str, Grade]) -> dict[str, Grade]:
        """Grades in the order of the document."""
        rows = self.structure.rows
        return {path: grades[path] for path in sorted(grades, key=rows.__getitem__)}

    def _bare(self, work: Work, rows: Iterable[int]) -> list[int]:
        """Elements with highlighted text and without a grade."""
        parts, meets = self.structure.parts, work.highlights.meets
        return [
            row
            for row in rows
            if parts[row].path not in work.grades and meets(parts[row].start, parts[row].end)
        ]

    def _relevant(self, work: Work) -> list[int]:
        """Elements that were graded as relevant."""
        rows = self.structure.rows
        return sorted(rows[path] for path, grade in work.grades.items() if grade[0] > 0)

    def _asked(self, work: Work) -> list[int]:
        """Elements with text and without a grade that are to be graded, or whose grade follows."""
        relevant, parts = self._relevant(work), self.structure.parts
        rows = set().union(*(RELATIONS[name](self.structure, relevant) for name in self.procedure.around))
        return [
            row
            for row in sorted(rows)
            if parts[row].path not in work.grades and parts[row].end > parts[row].start
        ]

    def _is_nothing(self, work: Work, row: int) -> bool:
        """Whether an element is inside one that was graded as irrelevant."""
        parts = self.structure.parts
        around = (work.grades.get(parts[outer].path) for outer in self.structure.ancestors(row))
        return any(grade is not None and grade[0] == 0 for grade in around)

    def owed(self, work: Work) -> list[str]:
        """Elements that are still to be graded, in the order of the document."""
        parts = self.structure.parts
        if not self.procedure.marks:
            rows = [row for row in self._asked(work) if not self._is_nothing(work, row)]
        else:
            rows = self._bare(work, range(len(parts))) if self.procedure.scale and work.highlights else []
        return [parts[row].path for row in rows]

    def inferred(self, work: Work) -> dict[str, Grade]:
        """Grades that follow: none inside irrelevant elements; around others at least theirs."""
        if self.procedure.marks:
            return {}
        found: dict[int, Grade] = {
            row: self._nothing for row in self._asked(work) if self._is_nothing(work, row)
        }
        parts = self.structure.parts
        for row in self._relevant(work):
            level = self._level(work.grades[parts[row].path])
            for outer in self.structure.ancestors(row):
                if parts[outer].path not in work.grades:
                    found[outer] = [max(level, found.get(outer, [0])[0]), None]
        return {parts[row].path: found[row] for row in sorted(found)}

    def problems(self, work: Work) -> list[str]:
        """Why the document cannot be finished, a sentence each."""
        found = []
        if owed := len(self.owed(work)):
            found.append(f"{plural(owed, 'element')} still to be graded")
        if self.procedure.entry and work.highlights and work.bep is None:
            found.append("no best entry point, though text is highlighted")
        if self.procedure.entry and not work.highlights and work.bep is not None:
            found.append("a best entry point, though nothing is highlighted")
        if self.procedure.labels:
            rest = work.highlights.copy()
            for start, end, *_ in work.labels:
                rest.remove(start, end)
            found += [f"{plural(len(rest), 'passage')} without a label"] if len(rest) else []
        return found

    def _row_of(self, body: Mapping[str, Any]) -> int:
        """The row of the element that an event names."""
        path = body["path"]
        row = self.structure.rows.get(canonical(path))
        if row is None:
            raise InvalidEvent(f"found the path {short(path)!r}, expected that of an element of the document")
        return row
