"""The recorder, the one writer of events; queries over the log and the states."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.assess.events import Event, History, State
from excerpt.assess.folder import DATABASE, JOURNAL, InvalidEvent, Stale, WriteLock, stamp
from excerpt.assess.journal import Journal
from excerpt.assess.rules import Rules
from excerpt.assess.store import STATE, Key, Row, Store
from excerpt.errors import short

#: Histories that are kept for the next event.
_KEPT = 256


def dumps(value: object) -> str:
    """Plain data as it is kept: the same bytes for the same value."""
    return json.dumps(value, separators=(",", ":"))


def event_of(row: Row) -> Event:
    """An event as it was accepted."""
    return Event(
        row["id"], row["topic"], row["document"], row["base"], row["kind"], body=json.loads(row["body"])
    )


def state_row(key: Key, state: State) -> Row:
    """A derived state as a row: what lists of documents show, and all of it."""
    counts = (len(state.highlights), state.characters, len(state.owed), len(state.problems))
    summary = (state.version, int(state.done), int(state.relevant), *counts, dumps(state.to_json()))
    return dict(zip(STATE, (*key, *summary), strict=True))


class Recorder:
    """Store and journal together, for several threads and processes."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float],
        rules: Callable[[Key], Rules],
        before: Callable[[Store], None] | None = None,
        read_only: bool = False,
    ) -> None:
        self._folder = folder
        #: Whether all is seen as it was at one moment.
        self.stands_still = False
        self.store = Store(folder / DATABASE, before=before, read_only=read_only)
        self.journal = Journal(folder / JOURNAL, self.store)
        try:
            if not read_only:
                self.journal.refuse_newer_end()
            self._lock = WriteLock(folder)
        except BaseException:
            self.store.close()
            raise
        self._turn = threading.RLock()
        self._clock = clock
        self._rules = rules
        self._histories: OrderedDict[Key, History] = OrderedDict()
        #: Derived states in short, as they were after an event.
        self._summaries: tuple[int, dict[Key, Row]] = (-1, {})

    def close(self) -> None:
        """Wait for what is being written, and end."""
        with self._turn:
            self.store.close()
            self._lock.close()

    def at_one_moment(self) -> Recorder:
        """Another one that only reads, all as it is now: whoever writes does not wait for it. Close it."""
        found = Recorder(self._folder, clock=self._clock, rules=self._rules, read_only=True)
        found.store.stand_still()
        found.stands_still = True
        return found

    @contextlib.contextmanager
    def reading(self) -> Iterator[Store]:
        """The store while no other thread uses it."""
        with self._turn:
            yield self.store

    @contextlib.contextmanager
    def writing(self) -> Iterator[Store]:
        """The store in a transaction; afterwards everything is in the journal, too."""
        with self._turn, self._lock.held():
            with self.store.writing():
                yield self.store
            self.journal.catch_up()

    def check_journal(self, keep: Path) -> str:
        """Compare the whole journal with the database and put it right; what was done, in words."""
        with self._turn, self._lock.held():
            return self.journal.check(keep)

    def record(self, assessor: str, event: Event, check: Callable[[Event], Event]) -> tuple[State, bool]:
        """The state after an event, and whether it is a new one; `check` compares it with the text."""
        with self._turn, self._lock.held():
            known = self.store.event(event.id)
            if known is not None:
                _need_same(known, assessor, check(event))
                self.journal.catch_up()
                return self.history_at(key_of(known), known["version"]).state, False
            with self.store.writing():
                after = self._enter(assessor, event, check)
                state = after.state
                key = (event.topic, event.document, assessor)
                row = state_row(key, state)
                self.store.put_state(row)
            self._keep(key, after)
            self._note(key, row)
            self.journal.catch_up()
            return state, True

    def enter_all(self, assessor: str, events: list[Event], check: Callable[[Event], Event]) -> None:
        """Many events in one transaction, as of judgments that were made elsewhere."""
        with self.writing():
            latest: dict[Key, History] = {}
            for event in events:
                key = (event.topic, event.document, assessor)
                latest[key] = self._enter(assessor, event, check, latest.get(key))
            for key, history in latest.items():
                self.store.put_state(state_row(key, history.state))

    def summaries(self) -> dict[Key, Row]:
        """What every assessor has made of every document, in short; not to be changed."""
        with self._turn:
            last = self.store.last_of("event")
            if last != self._summaries[0]:
                self._summaries = (last, {key_of(row): row for row in self.store.states()})
            return self._summaries[1]

    def _note(self, key: Key, row: Row) -> None:
        """Know of one new state without reading all of them again."""
        last = self.store.last_of("event")
        before, known = self._summaries
        if before >= 0 and self.store.count_events(before) == 1:
            short_row = {name: value for name, value in row.items() if name != "body"}
            self._summaries = (last, {**known, key: short_row})

    def _enter(
        self, assessor: str, event: Event, check: Callable[[Event], Event], before: History | None = None
    ) -> History:
        key = (event.topic, event.document, assessor)
        history = before or self.history(key)
        if event.base != history.version:
            raise Stale(event.base, history.state.to_json())
        event = check(event)
        after = history.apply(event)
        row = {"number": self.store.last_number() + 1, "assessor": assessor, "version": after.version}
        row |= {name: getattr(event, name) for name in ("id", "topic", "document", "base", "kind")}
        self.store.add("event", [{**row, "body": dumps(dict(event.body)), "at": stamp(self._clock())}])
        return after

    def history(self, key: Key) -> History:
        """The events of an assessor on a document; those of a moment ago need not be read again."""
        with self._turn:
            known, version = self._histories.get(key), self.store.version(key)
            if known is None or known.version != version:
                known = self.history_at(key, version)
                self._keep(key, known)
            return known

    def history_at(self, key: Key, version: int) -> History:
        """What was up to a version; whoever asks has the store."""
        return History.of(map(event_of, self.store.events(key, version)), self._rules(key))

    def finished_before(self, key: Key, number: int) -> State | None:
        """The last finished state before a row of the log; whoever asks has the store."""
        rows = self.store.events(key)
        finished = [row["version"] for row in rows if row["kind"] == "done" and row["number"] < number]
        return self.history_at(key, finished[-1]).state if finished else None

    def _keep(self, key: Key, history: History) -> None:
        self._histories[key] = history
        self._histories.move_to_end(key)
        while len(self._histories) > _KEPT:
            self._histories.popitem(last=False)

    def trace(self, keys: Sequence[Key], kind: str, body: Mapping[str, Any], seconds: float = 0.0) -> None:
        """Note what was shown, opened or worked on; the same of several documents at once."""
        given = {
            "kind": kind,
            "seconds": float(seconds),
            "body": dumps(dict(body)),
            "at": stamp(self._clock()),
        }
        with self.writing() as store:
            names = ("number", "topic", "document", "assessor")
            numbered = ((number, *key) for number, key in enumerate(keys, store.last_number() + 1))
            store.add("trace", ({**dict(zip(names, row, strict=True)), **given} for row in numbered))

    def person(self, name: str, change: str, token: str) -> None:
        """Note that somebody came or went."""
        with self.writing() as store:
            row = {"number": store.last_number() + 1, "name": name, "change": change, "token": token}
            store.add("person", [{**row, "at": stamp(self._clock())}])


def key_of(row: Row) -> Key:
    """Whose row it is, and of which document."""
    return row["topic"], row["document"], row["assessor"]


def _need_same(known: Row, assessor: str, event: Event) -> None:
    """A refusal where an id comes again with something else."""
    given = (event.topic, event.document, assessor, event.base, event.kind, dumps(dict(event.body)))
    if given != (*key_of(known), known["base"], known["kind"], known["body"]):
        raise InvalidEvent(
            f"found another event under the id {short(event.id)}, which is taken",
            hint="give it an id of its own",
        )


#: The kind of a trace that says that suggestions were shown.
SUGGESTIONS = "suggestions"


class Judged(NamedTuple):
    """What an assessor has made of a document.

    `before` is the last finished state before suggestions were shown; None where none ever were.
    """

    topic: str
    document: str
    assessor: str
    state: State
    before: State | None = None


class Action(NamedTuple):
    """Something that an assessor did or saw, at a moment in seconds."""

    assessor: str
    topic: str
    document: str
    at: float
    kind: str
