"""Recorder of events: the only writer of the log, and queries over log and states."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from excerpt.assess.events import Basis, Event, History, State, length_of
from excerpt.assess.folder import DATABASE, JOURNAL, InvalidEvent, Stale, WriteLock, stamp
from excerpt.assess.journal import Journal
from excerpt.assess.rules import Rules
from excerpt.assess.store import STATE, Row, StateKey, Store
from excerpt.errors import short

#: Number of cached histories.
_KEPT = 256


def dumps(value: object) -> str:
    """Return plain data as stored JSON: the same string for the same value."""
    return json.dumps(value, separators=(",", ":"))


def event_of(row: Row) -> Event:
    """Return the event of a row."""
    return Event(
        row["id"], row["topic"], row["document"], row["base"], row["kind"], body=json.loads(row["body"])
    )


def state_row(key: StateKey, state: State) -> Row:
    """Return a derived state as a row: a summary for lists of documents, and the whole state.

    Whether there are steps to undo is stored, as in all versions; how many there are is in the log.
    """
    counts = (len(state.highlights), length_of(state.highlights), len(state.owed), len(state.problems))
    body = dumps(replace(state, undo=state.undo > 0, redo=state.redo > 0).to_json())
    summary = (state.version, int(state.done), int(state.relevant), *counts, body)
    return dict(zip(STATE, (*key, *summary), strict=True))


def meaning_of(row: Row) -> Row:
    """Return the row of a state for comparison: versions word problems differently, so they are counted."""
    state = State.from_json(json.loads(row["body"])).to_json()
    return {**row, "body": {**state, "problems": len(state["problems"])}}


class Recorder:
    """Writer of store and journal, safe for several threads and processes."""

    def __init__(
        self,
        folder: Path,
        *,
        clock: Callable[[], float],
        rules: Callable[[StateKey], Rules],
        before: Callable[[Store], object] | None = None,
        read_only: bool = False,
    ) -> None:
        self._folder = folder
        #: True if the store is read as it was at one moment.
        self.is_snapshot = False
        self.store = Store(folder / DATABASE, before=before, read_only=read_only)
        self.journal = Journal(folder / JOURNAL, self.store)
        try:
            if not read_only:
                self.journal.reject_newer_end()
            self._lock = WriteLock(folder)
        except BaseException:
            self.store.close()
            raise
        self._turn = threading.RLock()
        self._clock = clock
        self._rules = rules
        self._histories: OrderedDict[StateKey, History] = OrderedDict()
        #: Summaries of the derived states, with the number of the last event.
        self._summaries: tuple[int, dict[StateKey, Row]] = (-1, {})

    def close(self) -> None:
        with self._turn:
            self.store.close()
            self._lock.close()

    def snapshot(self, rules: Callable[[StateKey], Rules] | None = None) -> Recorder:
        """Return a read-only recorder of the current data, which does not block writers; close it."""
        recorder = Recorder(self._folder, clock=self._clock, rules=rules or self._rules, read_only=True)
        recorder.store.begin_snapshot()
        recorder.is_snapshot = True
        return recorder

    @contextlib.contextmanager
    def reading(self) -> Iterator[Store]:
        """The store, locked against other threads."""
        with self._turn:
            yield self.store

    @contextlib.contextmanager
    def writing(self) -> Iterator[Store]:
        """The store in a transaction, which is then copied to the journal."""
        with self._turn, self._lock.locked():
            with self.store.writing():
                yield self.store
            self.journal.catch_up()

    def check_journal(self, keep: Path) -> str:
        """Compare the journal with the database and repair it; return a sentence on the repair, or ""."""
        with self._turn, self._lock.locked():
            return self.journal.check(keep)

    def record(
        self,
        assessor: str,
        event: Event,
        check: Callable[[Event], Event],
        basis: Callable[[], Basis] | None = None,
    ) -> tuple[State, bool]:
        """Store an event, verified by `check`; return the new state, and False if the event was known.

        Events of an adjudicator are stored with the judgments that they decide on (`basis`).
        """
        with self._turn, self._lock.locked():
            stored = self.store.event(event.id)
            if stored is not None:
                _require_same(stored, assessor, check(event))
                self.journal.catch_up()
                return self.history_at(key_of(stored), stored["version"]).state, False
            with self.store.writing():
                after = self._enter(assessor, event, check, basis=basis)
                state = after.state
                key = (event.topic, event.document, assessor)
                row = state_row(key, state)
                self.store.put_state(row)
            self._cache(key, after)
            before, summaries = self._summaries
            # Add it without reading all of them again.
            if before >= 0 and self.store.count_events(before) == 1:
                short_row = {name: value for name, value in row.items() if name != "body"}
                self._summaries = (self.store.last_of("event"), {**summaries, key: short_row})
            self.journal.catch_up()
            return state, True

    def enter_all(self, assessor: str, events: list[Event], check: Callable[[Event], Event]) -> None:
        """Store many events, such as imported judgments, in one transaction."""
        with self.writing():
            latest: dict[StateKey, History] = {}
            for event in events:
                key = (event.topic, event.document, assessor)
                latest[key] = self._enter(assessor, event, check, latest.get(key))
            for key, history in latest.items():
                self.store.put_state(state_row(key, history.state))

    def summaries(self) -> dict[StateKey, Row]:
        """Return the summary of every state; read-only."""
        with self._turn:
            last = self.store.last_of("event")
            if last != self._summaries[0]:
                self._summaries = (last, {key_of(row): row for row in self.store.states()})
            return self._summaries[1]

    def _enter(
        self,
        assessor: str,
        event: Event,
        check: Callable[[Event], Event],
        before: History | None = None,
        basis: Callable[[], Basis] | None = None,
    ) -> History:
        key = (event.topic, event.document, assessor)
        history = before or self.history(key)
        if basis is not None:
            history = history.rebased(basis())
        if event.base != history.version:
            raise Stale(event.base, history.state.to_json())
        event = check(event)
        if history.basis is not None:
            event = replace(event, body={**event.body, "basis": dict(history.basis)})
        after = history.apply(event)
        row = {"number": self.store.last_number() + 1, "assessor": assessor, "version": after.version}
        row |= {name: getattr(event, name) for name in ("id", "topic", "document", "base", "kind")}
        self.store.add("event", [{**row, "body": dumps(dict(event.body)), "at": stamp(self._clock())}])
        return after

    def history(self, key: StateKey) -> History:
        """Return the history of a document, from the cache if it is up to date."""
        with self._turn:
            history, version = self._histories.get(key), self.store.version(key)
            if history is None or history.version != version:
                history = self.history_at(key, version)
                self._cache(key, history)
            return history

    def history_at(self, key: StateKey, version: int) -> History:
        """Return the history up to a version; the caller holds the store."""
        return History.of(map(event_of, self.store.events(key, version)), self._rules(key))

    def finished_before(self, key: StateKey, number: int) -> State | None:
        """Return the last finished state before a row of the log; the caller holds the store."""
        rows = self.store.events(key)
        finished = [row["version"] for row in rows if row["kind"] == "done" and row["number"] < number]
        return self.history_at(key, finished[-1]).state if finished else None

    def _cache(self, key: StateKey, history: History) -> None:
        self._histories[key] = history
        self._histories.move_to_end(key)
        while len(self._histories) > _KEPT:
            self._histories.popitem(last=False)

    def trace(
        self, keys: Sequence[StateKey], kind: str, body: Mapping[str, Any], seconds: float = 0.0
    ) -> None:
        """Log what was shown, opened or worked on, for one or several documents."""
        at = stamp(self._clock())
        fields = {"kind": kind, "seconds": float(seconds), "body": dumps(dict(body)), "at": at}
        with self.writing() as store:
            names = ("number", "topic", "document", "assessor")
            numbered = ((number, *key) for number, key in enumerate(keys, store.last_number() + 1))
            store.add("trace", ({**dict(zip(names, row, strict=True)), **fields} for row in numbered))

    def log(self, table: str, rows: Sequence[Row]) -> None:
        """Log changes of the organiser, all or none: assessors, assignments, further pools."""
        at = stamp(self._clock())
        with self.writing() as store:
            numbered = enumerate(rows, store.last_number() + 1)
            store.add(table, [{**row, "number": number, "at": at} for number, row in numbered])


def key_of(row: Row) -> StateKey:
    """Return topic, document and assessor of a row."""
    return row["topic"], row["document"], row["assessor"]


def _require_same(stored: Row, assessor: str, event: Event) -> None:
    """Raise an error if an id is used again for another event."""
    sent = (event.topic, event.document, assessor, event.base, event.kind, dumps(dict(event.body)))
    body = {name: value for name, value in json.loads(stored["body"]).items() if name != "basis"}
    if sent != (*key_of(stored), stored["base"], stored["kind"], dumps(body)):
        hint = "give every event its own id"
        raise InvalidEvent(f"the id {short(event.id)} belongs to another event", hint=hint)


#: Kind of a trace that logs that suggestions were shown.
SUGGESTIONS = "suggestions"


class JudgedState(NamedTuple):
    """The state of a document for an assessor.

    `before` is the last finished state before suggestions were shown; None if none were shown.
    """

    topic: str
    document: str
    assessor: str
    state: State
    before: State | None = None


class Action(NamedTuple):
    """An event or a trace of an assessor, with its time in seconds."""

    assessor: str
    topic: str
    document: str
    at: float
    kind: str
