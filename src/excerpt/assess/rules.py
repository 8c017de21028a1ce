"""The rules of a procedure for one document: what may be done, what is owed, and what keeps it unfinished."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from excerpt.assess.events import Event
from excerpt.assess.refusals import Unfit
from excerpt.assess.structure import Structure
from excerpt.assess.work import Grade, Work
from excerpt.errors import plural, short, short_list

if TYPE_CHECKING:
    from excerpt.assess.state import History

_ALWAYS = frozenset({"note", "reject", "done", "reopen", "undo", "redo"})
HIGHLIGHTING = _ALWAYS | {"highlight", "unhighlight"}
GRADING = _ALWAYS | {"grade"}


class Rules:
    """What holds in every procedure; each adds its own."""

    name: ClassVar[str]
    #: In words, for those who set up a campaign.
    description: ClassVar[str]
    kinds: ClassVar[frozenset[str]]
    #: Whether elements are graded, so that documents must have some.
    needs_elements: ClassVar[bool] = False

    def __init__(
        self,
        structure: Structure,
        *,
        labels: Sequence[str] = (),
        suggestions: Mapping[int, tuple[int, int]] | None = None,
    ) -> None:
        self.structure = structure
        self.labels = tuple(labels)
        #: The suggestions that may be shown for this document, by number.
        self.suggestions = dict(suggestions or {})

    def check(self, history: History, event: Event) -> None:
        """A refusal where an event does not fit what there is."""
        if event.kind not in self.kinds:
            raise Unfit(
                f"found the kind {event.kind}, expected one of {', '.join(sorted(self.kinds))}",
                hint=f"the procedure is {self.name}",
            )
        if "suggestion" in event.body:
            self._check_suggestion(history, event)
        if event.kind == "grade":
            self.check_grade(history.work, event.body)
        if event.kind == "label" or (event.kind == "highlight" and {"label", "note"} & event.body.keys()):
            self.check_label(history.work, event)
        if event.kind == "done" and (problems := self.problems(history.work)):
            raise Unfit(f"found a document that cannot be finished: {'; '.join(problems)}")

    def _check_suggestion(self, history: History, event: Event) -> None:
        number = event.body["suggestion"]
        if number not in self.suggestions or not history.finished_once:
            raise Unfit(f"found suggestion {number}, expected one that was shown with this document")
        start, end = self.suggestions[number]
        if event.kind == "highlight" and not (event.body["start"] < end and start < event.body["end"]):
            raise Unfit(f"found text outside of suggestion {number}, expected some of [{start}, {end})")

    def check_grade(self, work: Work, body: Mapping[str, Any]) -> None:
        """A refusal where a grade does not fit."""

    def check_label(self, work: Work, event: Event) -> None:  # noqa: ARG002 - for those with labels
        """A refusal where a label does not fit, as it never does but where evidence is labelled."""
        raise Unfit("found a label or its note, expected none", hint=f"the procedure is {self.name}")

    def lost(self, work: Work, start: int, end: int) -> list[str]:  # noqa: ARG002 - for those with grades
        """Graded elements that have lost all of their highlighted text, a part of it in this span."""
        return []

    def given(self, work: Work, body: Mapping[str, Any]) -> Iterator[tuple[str, Grade]]:
        """The elements that an event grades, with their grades; None takes one away."""
        raise NotImplementedError

    def sorted(self, grades: Mapping[str, Grade]) -> dict[str, Grade]:
        """Grades in the order of the document."""
        rows = self.structure.rows
        return {path: grades[path] for path in sorted(grades, key=rows.__getitem__)}

    def owed(self, work: Work) -> list[str]:  # noqa: ARG002
        """Elements that are still to be graded, in the order of the document."""
        return []

    def inferred(self, work: Work) -> dict[str, Grade]:  # noqa: ARG002
        """What follows from the grades that were given, for elements without one."""
        return {}

    def problems(self, work: Work) -> list[str]:
        """Why the document cannot be finished, a sentence each."""
        owed = len(self.owed(work))
        return [f"{plural(owed, 'element')} still to be graded"] if owed else []

    def row_of(self, body: Mapping[str, Any]) -> int:
        """The row of the element that an event names."""
        from excerpt.model.elements import canonical

        path = body["path"]
        row = self.structure.rows.get(canonical(path))
        if row is None:
            raise Unfit(f"found the path {short(path)!r}, expected that of an element of the document")
        return row


class Highlighting(Rules):
    """Highlight, and nothing else."""

    name = "inex2006"
    description = "highlight what is relevant"
    kinds = HIGHLIGHTING


class EntryPoints(Rules):
    """Highlight, and one best entry point for every document with highlighted text."""

    name = "inex2007"
    description = "highlight what is relevant, and set one best entry point"
    kinds = HIGHLIGHTING | {"bep", "no-bep"}

    def problems(self, work: Work) -> list[str]:
        """The entry point: exactly where something is highlighted."""
        if work.highlights and work.bep is None:
            return ["no best entry point, though text is highlighted"]
        if not work.highlights and work.bep is not None:
            return ["a best entry point, though nothing is highlighted"]
        return []


class Evidence(Rules):
    """Highlight, and say by a label what the text does: supports, contradicts, …"""

    name = "evidence"
    description = "highlight evidence and label it"
    kinds = HIGHLIGHTING | {"label"}

    def check_label(self, work: Work, event: Event) -> None:
        """A known label, on text that is highlighted or becomes so."""
        body = event.body
        label = body.get("label")
        if label is not None and label not in self.labels:
            raise Unfit(f"found the label {short(label)!r}, expected one of {short_list(self.labels)}")
        if label is None and body.get("note"):
            raise Unfit("found the note of a label without the label, expected both")
        if event.kind == "label" and not work.highlights.covers(body["start"], body["end"]):
            raise Unfit(f"found a label for [{body['start']}, {body['end']}), expected highlighted text")

    def problems(self, work: Work) -> list[str]:
        """Highlighted text without a label."""
        rest = work.highlights.copy()
        for start, end, *_ in work.labels:
            rest.remove(start, end)
        return [f"{plural(len(rest), 'passage')} without a label"] if len(rest) else []
