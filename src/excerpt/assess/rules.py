"""Rules of a procedure for one document: valid events, missing grades, obstacles to finishing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.assess.events import PHASES, Basis, Event, RawGrade, WorkingState
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import Procedure
from excerpt.documents.front_matter import front_matter
from excerpt.errors import plural, short, short_list
from excerpt.inex.assessed_elements import paths_of
from excerpt.model.elements import canonical

if TYPE_CHECKING:
    from excerpt.assess.events import History
    from excerpt.corpus import Element

_ALWAYS = frozenset({"note", "reject", "done", "reopen", "undo", "redo"})
#: Kinds of events by the field of a procedure that enables them.
_KINDS = {
    "marks": {"highlight", "unhighlight"},
    "entry": {"bep", "no-bep"},
    "labels": {"label"},
    "phases": set(PHASES),
    "scale": {"grade"},
}


class Node(NamedTuple):
    """An element: path, span, tag, row of its parent (-1: none), row of the first element after it."""

    path: str
    start: int
    end: int
    tag: str
    parent: int
    after: int


class ElementTree:
    """The elements of a document in document order; none for plain text."""

    def __init__(self, elements: Sequence[Element] | None) -> None:
        listed = list(elements or ())
        self.nodes = _nodes(listed)
        #: Rows of the front matter, such as the ids of a journal.
        self.front = front_matter(listed).rows

    @cached_property
    def rows(self) -> dict[str, int]:
        return {part.path: row for row, part in enumerate(self.nodes)}

    @cached_property
    def children(self) -> list[list[int]]:
        children: list[list[int]] = [[] for _ in self.nodes]
        for row, node in enumerate(self.nodes):
            if node.parent >= 0:
                children[node.parent].append(row)
        return children

    def ancestors(self, row: int) -> Iterator[int]:
        """Yield the rows of the ancestors of an element, the nearest first."""
        while (row := self.nodes[row].parent) >= 0:
            yield row

    def inside(self, row: int) -> range:
        """Return the rows of an element and its descendants."""
        return range(row, self.nodes[row].after)

    def around(self, start: int, end: int) -> int:
        """Return the row of the smallest element that contains a span; of equal ones the outermost."""
        best, row, last = 0, 0, len(self.nodes)
        while row < last:
            node, outer = self.nodes[row], self.nodes[best]
            if node.start <= start and end <= node.end:
                best = row if node.end - node.start < outer.end - outer.start else best
                row, last = row + 1, node.after
            else:
                row = node.after
        return best

    def parents(self, rows: Iterable[int]) -> set[int]:
        return {self.nodes[row].parent for row in rows} - {-1}

    def children_of(self, rows: Iterable[int]) -> set[int]:
        return {child for row in rows for child in self.children[row]}


#: Functions from the rows of elements to the rows of related elements.
RELATIONS: dict[str, Callable[[ElementTree, list[int]], set[int]]] = {
    "parent": ElementTree.parents,
    "children": ElementTree.children_of,
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
    rows = zip(elements, paths_of(elements), parents, after, strict=True)
    return [Node(path, one.start, one.end, one.tag, parent, end) for one, path, parent, end in rows]


def _first(grade: RawGrade) -> int | str:
    """Return a single grade, or the first of two."""
    first: int | str = grade[0] if isinstance(grade, list) else grade
    return first


class Rules:
    """The rules of a procedure for a document."""

    def __init__(
        self,
        procedure: Procedure,
        structure: ElementTree,
        *,
        labels: Sequence[str] = (),
        suggestions: Mapping[int, tuple[int, int]] | None = None,
        pooled: Iterable[tuple[int, int]] = (),
    ) -> None:
        self.procedure = procedure
        self.structure = structure
        self.labels = tuple(labels)
        #: The suggestions that may be shown for this document, by number.
        self.suggestions = dict(suggestions or {})
        #: Rows of the elements of the pool, which must be graded: of pooled passages, or else the root.
        self._pooled: set[int] = set()
        if procedure.pooled and structure.nodes:
            self._pooled = {structure.around(start, end) for start, end in pooled if start < end} or {0}
        #: The kinds of events that the procedure allows.
        self.kinds = _ALWAYS.union(*(kinds for name, kinds in _KINDS.items() if getattr(procedure, name)))

    def opening(self, basis: Basis | None) -> WorkingState:  # noqa: ARG002 - of adjudicators
        """Return the state before the first event."""
        return WorkingState()

    def check(self, history: History, event: Event) -> None:
        """Raise an error if an event is not allowed in the current state."""
        work, body = history.work, event.body
        if event.kind not in self.kinds:
            message = f"found the kind {event.kind}, expected one of {', '.join(sorted(self.kinds))}"
            raise InvalidEvent(message, hint=f"the procedure is {self.procedure.name}")
        if "suggestion" in body:
            self._check_suggestion(history, event)
        if self.procedure.phases:
            self._check_phase(work, event)
        if event.kind == "grade":
            self._check_grade(work, body)
        if event.kind == "label" or (event.kind == "highlight" and {"label", "note"} & body.keys()):
            self._check_label(work, event)
        if event.kind == "done" and (problems := self.problems(work)):
            raise InvalidEvent(f"the document cannot be finished: {'; '.join(problems)}")

    @staticmethod
    def _check_phase(work: WorkingState, event: Event) -> None:
        """Raise an error unless text is highlighted before, and elements are graded after, closing."""
        if work.closed and event.kind in {"highlight", "unhighlight"}:
            raise InvalidEvent("highlighting is closed", hint="re-open it (reopen-phase); grades are kept")
        if event.kind == "grade" and not work.closed:
            raise InvalidEvent("elements are graded after highlighting is closed", hint="send close-phase")
        if PHASES.get(event.kind) == work.closed:
            raise InvalidEvent(f"highlighting is {'closed' if work.closed else 'open'} already")

    def _check_suggestion(self, history: History, event: Event) -> None:
        number = event.body["suggestion"]
        if number not in self.suggestions or not history.finished_once:
            raise InvalidEvent(f"found suggestion {number}, expected one shown with this document")
        start, end = self.suggestions[number]
        if event.kind == "highlight" and not (event.body["start"] < end and start < event.body["end"]):
            message = f"found text outside suggestion {number}, expected text that overlaps [{start}, {end})"
            raise InvalidEvent(message)

    def _check_label(self, work: WorkingState, event: Event) -> None:
        """Raise an error unless the label exists and its text is, or becomes, highlighted."""
        body, label = event.body, event.body.get("label")
        if not self.procedure.labels:
            raise InvalidEvent(f"procedure {self.procedure.name} has no labels")
        if label is not None and label not in self.labels:
            raise InvalidEvent(f"found the label {short(label)!r}, expected one of {short_list(self.labels)}")
        if label is None and body.get("note"):
            raise InvalidEvent("the note of a label needs the label")
        if event.kind == "label" and not work.highlights.covers(body["start"], body["end"]):
            message = f"found a label for [{body['start']}, {body['end']}), expected highlighted text"
            raise InvalidEvent(message)

    def _check_grade(self, work: WorkingState, body: Mapping[str, Any]) -> None:
        """Raise an error unless the grade is on the scale and valid for the element and those around it."""
        row = self._row_of(body)
        if body.get("rest"):
            self._check_rest(work, body, row)
            return
        node, value = self.structure.nodes[row], body.get("grade", "nothing")
        grade = self._read(value)
        if grade is None and value is not None:
            raise InvalidEvent(f"found the grade {short(repr(value))}, expected {self.procedure.expected}")
        if self.procedure.marks and not work.highlights.meets(node.start, node.end):
            message = f"found a grade for {short(node.path)}, expected an element with highlighted text"
            raise InvalidEvent(message)
        self._check_around(work, row, grade)
        rest, size = self.procedure.rest, node.end - node.start
        if rest and rest.each and grade == rest.grade and size >= rest.least and not body.get("sure"):
            raise InvalidEvent(f"{short(node.path)} has {size} characters: confirm that it is {rest.word}")

    def _check_rest(self, work: WorkingState, body: Mapping[str, Any], row: int) -> None:
        rest = self.procedure.rest
        if rest is None:
            raise InvalidEvent(f"procedure {self.procedure.name} grades one element at a time")
        if body.get("grade", rest.grade) != rest.grade:
            message = f"found {short(repr(body['grade']))} for all ungraded elements, expected {rest.grade}"
            raise InvalidEvent(message)
        ungraded = self._ungraded(work, self.structure.inside(row))
        if not ungraded:
            raise InvalidEvent("the element contains no ungraded elements with highlighted text")
        for inner in ungraded:
            self._check_around(work, inner, rest.grade)
        nodes = [self.structure.nodes[inner] for inner in ungraded]
        large = sum(node.end - node.start >= rest.least for node in nodes)
        if large and not body.get("sure"):
            found = f"{large} of the {len(nodes)} ungraded elements {'has' if large == 1 else 'have'}"
            message = f"{found} {rest.least} characters or more: confirm that they are {rest.word}"
            raise InvalidEvent(message)

    def _read(self, value: Any) -> RawGrade:
        """Parse a grade; return None if it is invalid, or if its dimensions contradict each other."""
        scale, never = self.procedure.scale, self.procedure.never
        if len(scale) == 1:
            return scale[0].read(value)
        if isinstance(value, str):  # both in one text, such as 2E
            value = [*value]
        if not isinstance(value, list) or len(value) != len(scale):
            return None
        grade = [dimension.read(part) for dimension, part in zip(scale, value, strict=True)]
        same = len({part == none for part, none in zip(grade, self._irrelevant, strict=True)}) == 1
        return grade if None not in grade and same and tuple(grade) not in never else None

    @property
    def _irrelevant(self) -> list[int | str]:
        return [dimension.values[0][0] for dimension in self.procedure.scale]

    def _level(self, grade: RawGrade) -> int:
        """Least first grade of every element that contains an element with this grade; too small is 0."""
        first = _first(grade)
        return min(first, self.procedure.carried) if isinstance(first, int) else 0

    def _check_around(self, work: WorkingState, row: int, grade: RawGrade) -> None:
        if grade is None:
            return
        nodes, level = self.structure.nodes, self._level(grade)
        found = f"found {self.procedure.scale[0].name.lower()} {_first(grade)} for {short(nodes[row].path)}"
        for inner in self.structure.inside(row)[1:]:
            other = work.grades.get(nodes[inner].path)
            if other is not None and self._level(other) > level:
                reason = f"since {short(nodes[inner].path)} inside it has {_first(other)}"
                raise InvalidEvent(f"{found}, expected at least {self._level(other)}, {reason}")
        for outer in self.structure.ancestors(row):
            other = work.grades.get(nodes[outer].path)
            if other is not None and self._level(other) < level:
                container = short(nodes[outer].path)
                reason = f"since {container}, which contains it, has {_first(other)}"
                message = f"{found}, expected at most {self._level(other)}, {reason}"
                raise InvalidEvent(message, hint=f"grade {container} first")

    def grades_given(self, work: WorkingState, body: Mapping[str, Any]) -> Iterator[tuple[str, RawGrade]]:
        """Yield the elements that an event grades, with their grades; None removes a grade."""
        row = self._row_of(body)
        if self.procedure.rest and body.get("rest"):
            for inner in self._ungraded(work, self.structure.inside(row)):
                yield self.structure.nodes[inner].path, self.procedure.rest.grade
        else:
            yield self.structure.nodes[row].path, self._read(body["grade"])

    def grades_lost(self, work: WorkingState, start: int, end: int) -> list[str]:
        """Return graded elements that overlap the span and have no highlighted text any more."""
        rows = sorted(self.structure.rows[path] for path in work.grades)
        nodes = (self.structure.nodes[row] for row in rows)
        touched = (node for node in nodes if node.start < end and start < node.end)
        return [node.path for node in touched if not work.highlights.meets(node.start, node.end)]

    def sorted(self, grades: Mapping[str, RawGrade]) -> dict[str, RawGrade]:
        rows = self.structure.rows
        return {path: grades[path] for path in sorted(grades, key=rows.__getitem__)}

    def _ungraded(self, work: WorkingState, rows: Iterable[int]) -> list[int]:
        """Return the elements with highlighted text and without a grade."""
        nodes, meets = self.structure.nodes, work.highlights.meets
        rows = (row for row in rows if nodes[row].path not in work.grades)
        return [row for row in rows if meets(nodes[row].start, nodes[row].end)]

    def _relevant(self, work: WorkingState) -> list[int]:
        rows = self.structure.rows
        return sorted(rows[path] for path, grade in work.grades.items() if grade[0] > 0)

    def _required(self, work: WorkingState) -> list[int]:
        """Return the ungraded elements with text, of the pool or around relevant ones.

        They are to be graded, or their grades are inferred.
        """
        relevant, nodes = self._relevant(work), self.structure.nodes
        around = (RELATIONS[name](self.structure, relevant) for name in self.procedure.around)
        rows = (row for row in sorted(self._pooled.union(*around)) if nodes[row].path not in work.grades)
        return [row for row in rows if nodes[row].end > nodes[row].start]

    def _is_in_irrelevant(self, work: WorkingState, row: int) -> bool:
        """Return True if an element is inside one that is graded as not relevant."""
        nodes = self.structure.nodes
        around = (work.grades.get(nodes[outer].path) for outer in self.structure.ancestors(row))
        return any(grade is not None and grade[0] == 0 for grade in around)

    def missing_grades(self, work: WorkingState) -> list[str]:
        """Return the elements whose grades are missing, in the order of the document."""
        nodes = self.structure.nodes
        if not self.procedure.marks:
            spared = self.structure.front - self._pooled if self.procedure.spares_front else set[int]()
            required = (row for row in self._required(work) if row not in spared)
            rows = [row for row in required if not self._is_in_irrelevant(work, row)]
        else:
            asked = self.procedure.scale and work.highlights and not self._is_highlighting(work)
            rows = self._ungraded(work, range(len(nodes))) if asked else []
        return [nodes[row].path for row in rows]

    def _is_highlighting(self, work: WorkingState) -> bool:
        """Return True if grades are to follow when highlighting is closed."""
        return self.procedure.phases and len(work.highlights) > 0 and not work.closed

    def inferred(self, work: WorkingState) -> dict[str, RawGrade]:
        """Return the grades that follow: inside elements that are not relevant, and around relevant ones."""
        if self.procedure.marks:
            return {}
        inferred: dict[int, RawGrade] = {
            row: self._irrelevant for row in self._required(work) if self._is_in_irrelevant(work, row)
        }
        nodes = self.structure.nodes
        for row in self._relevant(work):
            level = self._level(work.grades[nodes[row].path])
            for outer in self.structure.ancestors(row):
                if nodes[outer].path not in work.grades:
                    inferred[outer] = [max(level, inferred.get(outer, [0])[0]), None]
        return {nodes[row].path: inferred[row] for row in sorted(inferred)}

    def problems(self, work: WorkingState) -> list[str]:
        """Return the reasons why the document cannot be finished."""
        problems = []
        if self._is_highlighting(work):
            problems.append("highlighting is not closed")
        if missing := len(self.missing_grades(work)):
            problems.append(f"{plural(missing, 'grade')} missing")
        if self.procedure.entry and work.highlights and work.bep is None:
            problems.append("best entry point missing")
        if self.procedure.entry and not work.highlights and work.bep is not None:
            problems.append("best entry point set, but no text highlighted")
        if self.procedure.labels:
            unlabelled = work.highlights.copy()
            for start, end, *_ in work.labels:
                unlabelled.remove(start, end)
            problems += [f"{plural(len(unlabelled), 'label')} missing"] if len(unlabelled) else []
        return problems

    def _row_of(self, body: Mapping[str, Any]) -> int:
        path = body["path"]
        row = self.structure.rows.get(canonical(path))
        if row is None:
            raise InvalidEvent(f"found the path {short(path)!r}, expected an element of the document")
        return row
