"""What is marked in a document while one event after the other changes it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from excerpt.assess.events import Event
from excerpt.assess.spans import Spans

if TYPE_CHECKING:
    from excerpt.assess.rules import Rules

#: A grade: a number, `?`, or two of them.
Grade = Any
#: A labelled stretch: start, end, label, note.
Labelled = tuple[int, int, str, str]


@dataclass
class Work:
    """What is marked in a document; changed by one event after the other."""

    highlights: Spans = field(default_factory=Spans)
    #: Suggestions that were confirmed, and what of them was not highlighted before.
    confirmed: Spans = field(default_factory=Spans)
    added: Spans = field(default_factory=Spans)
    bep: int | None = None
    grades: dict[str, Grade] = field(default_factory=dict)
    labels: list[Labelled] = field(default_factory=list)
    rejected: list[int] = field(default_factory=list)
    note: str = ""
    done: bool = False
    #: Grades that the last event took away: their elements have lost all of their text.
    withdrawn: list[str] = field(default_factory=list)

    def copy(self) -> Work:
        """The same, to be changed apart from this."""
        return Work(
            self.highlights.copy(),
            self.confirmed.copy(),
            self.added.copy(),
            self.bep,
            dict(self.grades),
            self.labels[:],
            self.rejected[:],
            self.note,
            self.done,
        )

    def change(self, event: Event, rules: Rules) -> None:
        """Do what an event says; whether it may was asked before."""
        self.withdrawn = []
        if event.kind not in {"note", "reject"}:  # these change nothing of what is judged
            self.done = event.kind == "done"
        _CHANGES[event.kind](self, event.body, rules)

    def _highlight(self, body: Any, rules: Rules) -> None:
        if "suggestion" in body:
            self._confirm(body, rules)
        self.highlights.add(body["start"], body["end"])
        if "label" in body:
            self._label(body, rules)

    def _confirm(self, body: Any, rules: Rules) -> None:
        start, end = rules.suggestions[body["suggestion"]]
        start, end = max(start, body["start"]), min(end, body["end"])
        self.confirmed.add(start, end)
        self.added.put_missing(start, end, self.highlights)
        self.rejected = [number for number in self.rejected if number != body["suggestion"]]

    def _unhighlight(self, body: Any, rules: Rules) -> None:
        start, end = body["start"], body["end"]
        self.highlights.remove(start, end)
        self.confirmed.remove(start, end)
        self.added.remove(start, end)
        _cut(self.labels, start, end)
        self.withdrawn = rules.lost(self, start, end)
        for path in self.withdrawn:
            del self.grades[path]

    def _enter(self, body: Any, _rules: Rules) -> None:
        self.bep = body.get("start")

    def _grade(self, body: Any, rules: Rules) -> None:
        for path, grade in rules.given(self, body):
            if grade is None:
                self.grades.pop(path, None)
            else:
                self.grades[path] = grade

    def _label(self, body: Any, _rules: Rules) -> None:
        start, end = body["start"], body["end"]
        _cut(self.labels, start, end)
        if body["label"] is not None:
            _put(self.labels, (start, end, body["label"], body.get("note", "")))

    def _note(self, body: Any, _rules: Rules) -> None:
        self.note = body["note"]

    def _reject(self, body: Any, _rules: Rules) -> None:
        self.rejected = sorted({*self.rejected, body["suggestion"]})

    def _nothing(self, _body: Any, _rules: Rules) -> None:
        """Finishing and opening again are done by `change`."""


_CHANGES = {
    "highlight": Work._highlight,  # noqa: SLF001 - the table of its own methods
    "unhighlight": Work._unhighlight,  # noqa: SLF001
    "bep": Work._enter,  # noqa: SLF001
    "no-bep": Work._enter,  # noqa: SLF001
    "grade": Work._grade,  # noqa: SLF001
    "label": Work._label,  # noqa: SLF001
    "note": Work._note,  # noqa: SLF001
    "reject": Work._reject,  # noqa: SLF001
    "done": Work._nothing,  # noqa: SLF001
    "reopen": Work._nothing,  # noqa: SLF001
}


def _cut(labels: list[Labelled], start: int, end: int) -> None:
    """Take a stretch out of labelled ones, which are sorted and disjoint."""
    first = bisect_left(labels, (start,))
    first -= first > 0 and labels[first - 1][1] > start
    last = bisect_left(labels, (end,))
    kept = [(left, min(right, start), *rest) for left, right, *rest in labels[first:last] if left < start]
    kept += [(max(left, end), right, *rest) for left, right, *rest in labels[first:last] if right > end]
    labels[first:last] = kept  # type: ignore[assignment] # the rest is label and note


def _put(labels: list[Labelled], new: Labelled) -> None:
    """Add a labelled stretch where there is none; neighbours with the same label and note become one."""
    start, end, *rest = new
    place = bisect_left(labels, new)
    first = place - (place > 0 and labels[place - 1][1] == start and [*labels[place - 1][2:]] == rest)
    last = place + (place < len(labels) and labels[place][0] == end and [*labels[place][2:]] == rest)
    touched = labels[first:last]
    joined = min([start, *(piece[0] for piece in touched)]), max([end, *(piece[1] for piece in touched)])
    labels[first:last] = [(*joined, *new[2:])]
