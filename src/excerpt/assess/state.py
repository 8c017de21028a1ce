"""What an assessor's events on one document come to: a pure fold, with undo and redo of any depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from excerpt.assess.events import Event
from excerpt.assess.refusals import Unfit
from excerpt.assess.work import Grade, Labelled, Work

if TYPE_CHECKING:
    from excerpt.assess.rules import Rules


@dataclass(frozen=True)
class State:
    """What an assessor says of a document, at one version; see `to_json`."""

    version: int = 0
    highlights: Sequence[tuple[int, int]] = ()
    bep: int | None = None
    grades: dict[str, Grade] = field(default_factory=dict)
    done: bool = False
    labels: Sequence[Labelled] = ()
    note: str = ""
    withdrawn: Sequence[str] = ()
    #: Elements that are still to be graded, in the order of the document.
    owed: Sequence[str] = ()
    #: What follows from the grades that were given.
    inferred: dict[str, Grade] = field(default_factory=dict)
    undo: bool = False
    redo: bool = False
    #: Text of suggestions that the assessor confirmed, what of it was not highlighted before, and suggestions
    #: that were rejected.
    confirmed: Sequence[tuple[int, int]] = ()
    added: Sequence[tuple[int, int]] = ()
    rejected: Sequence[int] = ()
    #: Why the document cannot be finished; none if it can.
    problems: Sequence[str] = ()

    @property
    def characters(self) -> int:
        """How many characters are highlighted."""
        return sum(end - start for start, end in self.highlights)

    @property
    def relevant(self) -> bool:
        """Whether anything is highlighted or graded as relevant."""
        return bool(self.highlights) or any(_is_relevant(grade) for grade in self.grades.values())

    def to_json(self) -> dict[str, Any]:
        """The state as plain data."""
        return {
            "version": self.version,
            "highlights": [list(span) for span in self.highlights],
            "bep": self.bep,
            "grades": dict(self.grades),
            "done": self.done,
            "labels": [list(label) for label in self.labels],
            "note": self.note,
            "withdrawn": list(self.withdrawn),
            "owed": list(self.owed),
            "inferred": dict(self.inferred),
            "undo": self.undo,
            "redo": self.redo,
            "confirmed": [list(span) for span in self.confirmed],
            "added": [list(span) for span in self.added],
            "rejected": list(self.rejected),
            "problems": list(self.problems),
        }

    @classmethod
    def from_json(cls, given: dict[str, Any]) -> State:
        """The state that `to_json` gave."""
        given = {"added": given["confirmed"], **given}  # they were not told apart at first
        pairs = {
            name: [tuple(span) for span in given[name]]
            for name in ("highlights", "labels", "confirmed", "added")
        }
        return cls(**{**given, **pairs})


def _is_relevant(grade: Grade) -> bool:
    return bool((grade[0] if isinstance(grade, list) else grade) != 0)


class History:
    """The events of one assessor on one document: those in force, those undone, and what they come to."""

    __slots__ = ("_done", "_rules", "_undone", "_work", "finished_once", "version")

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._done: list[Event] = []
        self._undone: list[Event] = []
        self._work = Work()
        self.version = 0
        #: Whether the document was ever finished, though that may have been undone.
        self.finished_once = False

    @classmethod
    def of(cls, events: Iterable[Event], rules: Rules) -> History:
        """What events that were accepted once come to."""
        history = cls(rules)
        done: list[Event] = []
        undone: list[Event] = []
        last = ""
        for event in events:
            _move(event, done, undone)
            history.version += 1
            history.finished_once |= event.kind == "done"
            last = event.kind
        history._done, history._undone = done, undone
        history._fold(last)
        return history

    def apply(self, event: Event) -> History:
        """The history with one event more; a refusal where it does not fit."""
        self._rules.check(self, event)
        after = History(self._rules)
        after.version = self.version + 1
        after.finished_once = self.finished_once or event.kind == "done"
        done, undone = [*self._done], [*self._undone]
        _move(event, done, undone)
        after._done, after._undone = done, undone
        if event.kind in {"undo", "redo"}:
            after._fold(event.kind)
        else:
            after._work = self._work.copy()
            after._work.change(event, self._rules)
        return after

    def _fold(self, last: str) -> None:
        self._work = Work()
        for event in self._done:
            self._work.change(event, self._rules)
        if last == "undo":  # what the event before took away is not news
            self._work.withdrawn = []

    @property
    def work(self) -> Work:
        """What is marked now; not to be changed."""
        return self._work

    @property
    def state(self) -> State:
        """What all that comes to."""
        work, rules = self._work, self._rules
        return State(
            version=self.version,
            highlights=list(work.highlights),
            bep=work.bep,
            grades=rules.sorted(work.grades),
            done=work.done,
            labels=list(work.labels),
            note=work.note,
            withdrawn=list(work.withdrawn),
            owed=rules.owed(work),
            inferred=rules.inferred(work),
            undo=bool(self._done),
            redo=bool(self._undone),
            confirmed=list(work.confirmed),
            added=list(work.added),
            rejected=list(work.rejected),
            problems=rules.problems(work),
        )


def _move(event: Event, done: list[Event], undone: list[Event]) -> None:
    """Where an event goes: undo and redo move others, any other ends what could be done again."""
    source, target = (done, undone) if event.kind == "undo" else (undone, done)
    if event.kind not in {"undo", "redo"}:
        done.append(event)
        undone.clear()
    elif source:
        target.append(source.pop())
    else:
        raise Unfit(f"found nothing to {event.kind}, expected an event before it")
