"""Progress of a campaign by topic and assessor: time, missing input, cautions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from excerpt.assess.folder import stamp
from excerpt.assess.kappa import AgreementSettings, assessor_pairs
from excerpt.assess.opinions import JudgedPair, Opinions, opinion_of
from excerpt.assess.queue import ORDER
from excerpt.assess.together import Together
from excerpt.errors import plural, short
from excerpt.model.display import Showable

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recorder import Action, JudgedState

#: Longer pauses, in seconds, do not count as work on a document.
IDLE = 120.0
_DAY = 86_400.0
#: Seconds below which a document was not read; number and proportion of such documents for a caution.
_FAST, _SOME_FAST, _FAST_PROPORTION = 10.0, 5, 0.1
#: Proportion of accepted suggestions, and least number of decisions, for a caution.
_ACCEPTED, _DECISIONS = 0.98, 20
_TODO, _OPEN, _DONE = "todo", "open", "done"


def status(campaign: Campaign, *, now: float | None = None) -> dict[str, Any]:
    """Return the progress as plain data, without judgments; `now` is the time in seconds."""
    with campaign.snapshot() as snapshot:
        return _Report(snapshot, time.time() if now is None else now).status()


def working_times(folder: str) -> dict[str, list[Fraction]]:
    """Return the seconds of work on each finished document of a campaign, under the name of its procedure."""
    from excerpt.assess.campaign import Campaign

    with Campaign.open(folder) as campaign, campaign.snapshot() as snapshot:
        report = _Report(snapshot, time.time())
        times = [Fraction(seconds) for person in report.people for seconds in person.times]
        return {campaign.procedure.name: times}


@dataclass(frozen=True)
class CampaignProgress(Showable):
    """The progress of a campaign."""

    found: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        return dict(self.found)

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        columns = ("kind", "name", "total", "done", "open", "todo", "owed", "seconds_per_document", "last")
        rows = [{"kind": "topic", "name": row["id"], **row} for row in self.found["topics"]]
        rows += [{"kind": "assessor", **row} for row in self.found["assessors"]]
        return columns, [tuple(row.get(column) for column in columns) for row in rows]


@dataclass
class _Person:
    """The documents of one assessor, with states and working time."""

    name: str
    pairs: Sequence[JudgedPair]
    judged: dict[JudgedPair, JudgedState] = field(default_factory=dict)
    seconds: dict[JudgedPair, float] = field(default_factory=dict)
    last: float | None = None

    @cached_property
    def states(self) -> dict[JudgedPair, str]:
        """State of every pair: finished, in progress or to do."""
        judged = {pair: _DONE if item.state.done else _OPEN for pair, item in self.judged.items()}
        return dict.fromkeys(self.pairs, _TODO) | judged

    @property
    def times(self) -> list[float]:
        """Seconds of work on the finished pairs, if known."""
        done = (pair for pair in self.judged if self.states[pair] == _DONE)
        return [self.seconds[pair] for pair in done if pair in self.seconds]

    @cached_property
    def owed(self) -> list[JudgedPair]:
        """Documents in progress with missing input."""
        return [
            pair for pair, state in self.states.items() if state == _OPEN and self.judged[pair].state.problems
        ]


class _Report:
    def __init__(self, campaign: Campaign, now: float) -> None:
        self.campaign = campaign
        self.now = now
        self.pairs = [JudgedPair(*pair) for pair in campaign.contents.pairs]
        self.judged = campaign.judged()
        # Fetching the list of documents is not work on the first of them.
        self.actions = [action for action in campaign.actions() if action.kind != ORDER]
        self._actions_by: dict[str, list[Action]] = {}
        for action in self.actions:
            self._actions_by.setdefault(action.assessor, []).append(action)
        self._assigned = campaign.permissions.by_assessor(campaign.contents.pairs)
        people = campaign.permissions.people().assessors()
        self._is_active = {person.name: person.removed is None for person in people}
        active = (name for name, is_active in self._is_active.items() if is_active)
        # Active assessors, and removed ones with judgments.
        names = dict.fromkeys([*active, *(item.assessor for item in self.judged)])
        self.people = [self._person(name) for name in names]
        self.opinions = Opinions.collect(self.pairs, map(opinion_of, self.judged))

    def _person(self, name: str) -> _Person:
        own = {JudgedPair(item.topic, item.document): item for item in self.judged if item.assessor == name}
        assigned = set(self._assigned.get(name, ()))
        pairs = [pair for pair in self.pairs if pair in assigned or pair in own]
        actions = self._actions_by.get(name, [])
        if name not in self._is_active:  # imported judgments have no working time
            return _Person(name, pairs, own)
        reported, _ = self.campaign.work_of(name)
        seconds = seconds_worked(actions) | {
            JudgedPair(*pair): total for pair, total in reported.items() if total > 0
        }
        return _Person(name, pairs, own, seconds, max((action.at for action in actions), default=None))

    def status(self) -> dict[str, Any]:
        times = [seconds for person in self.people for seconds in person.times]
        assessors = [self._assessor(person) for person in self.people]
        states = [state for each in self._states.values() for state in each]
        owed = Counter(pair.topic for person in self.people for pair in person.owed)
        topics = []
        for topic in self.campaign.topics:
            head = {"id": topic.id, "title": topic.title or short(topic.text)}
            topics.append({**head, **_count(self._states[topic.id]), "owed": owed[topic.id]})
        return {
            "title": self.campaign.settings.title,
            "procedure": self.campaign.procedure.name,
            "documents": {**_count(states), "stale": self._stale()},
            "seconds_per_document": median(times) if times else None,
            "finish": self._finish(len(states) - states.count(_DONE)),
            "topics": topics,
            "assessors": assessors,
            "people": [
                {"name": person.name, "role": person.role, "active": person.removed is None}
                for person in self.campaign.people()
            ],
            "cells": self._cells(),
            "assignment": self._assignment(),
            "agreement": self._agreement(),
            "cautions": [caution for person in assessors for caution in person["cautions"]],
            "export": {
                "done": len(self.opinions.finished),
                "open": len(self.opinions.in_progress),
                "todo": self.opinions.unjudged,
                "several": len(self.opinions.several),
            },
        }

    @cached_property
    def _states(self) -> dict[str, list[str]]:
        """States by topic.

        If pairs are assigned to assessors, one state per pair and assessor; else the furthest one per pair.
        """
        by_pair: dict[JudgedPair, list[str]] = {pair: [] for pair in self.pairs}
        for person in self.people:
            for pair, state in person.states.items():
                by_pair[pair].append(state)
        by_topic: dict[str, list[str]] = {topic.id: [] for topic in self.campaign.topics}
        is_open = self.campaign.permissions.is_open
        for pair, states in by_pair.items():
            furthest = next((state for state in (_DONE, _OPEN) if state in states), _TODO)
            by_topic[pair.topic] += [furthest] if is_open else (states or [_TODO])
        return by_topic

    def _stale(self) -> int:
        """Number of documents in progress without an action for over a day."""
        latest: dict[tuple[str, JudgedPair], float] = {}
        for action in self.actions:
            latest[action.assessor, JudgedPair(action.topic, action.document)] = action.at
        return sum(
            person.states[pair] == _OPEN and self.now - latest.get((person.name, pair), self.now) > _DAY
            for person in self.people
            for pair in person.pairs
        )

    def _finish(self, left: int) -> str | None:
        """Estimated date of completion at the pace of a day or more, without imports; None if unknown."""
        active = [person for person in self.people if person.last is not None]
        done = [pair for person in active for pair in person.judged if person.states[pair] == _DONE]
        if not done or not left:
            return None
        begun = min(action.at for person in active for action in self._actions_by[person.name])
        if self.now - begun < _DAY:
            return None
        count = len(set(done) if self.campaign.permissions.is_open else done)
        pace = count / (self.now - begun)
        try:
            return datetime.fromtimestamp(self.now + left / pace, UTC).date().isoformat()
        except (OverflowError, ValueError):  # beyond the year 9999
            return None

    def _assessor(self, person: _Person) -> dict[str, Any]:
        times = person.times
        return {
            "name": person.name,
            "active": self._is_active.get(person.name, False),
            **_count(list(person.states.values())),
            "seconds_per_document": median(times) if times else None,
            "last": None if person.last is None else stamp(person.last),
            "owed": len(person.owed),
            "cautions": list(self._cautions(person)),
        }

    def _cells(self) -> dict[str, dict[str, str]]:
        """State of each topic per assessor who has documents of it."""
        cells: dict[str, dict[str, str]] = {topic.id: {} for topic in self.campaign.topics}
        for person in self.people:
            by_topic: dict[str, set[str]] = {}
            for pair, state in person.states.items():
                by_topic.setdefault(pair.topic, set()).add(state)
            for topic, states in by_topic.items():
                cells[topic][person.name] = states.pop() if len(states) == 1 else _OPEN
        return cells

    def _assignment(self) -> dict[str, Any] | None:
        """Assessors of each topic, and the number of its documents with others; None without a table."""
        table = self.campaign.permissions.table()
        if table is None:
            return None
        rows = {topic.id: table.get(topic.id, {}) for topic in self.campaign.topics}
        return {
            topic: {"assessors": row.get("", []), "documents": len(row.keys() - {""})}
            for topic, row in rows.items()
        }

    def _agreement(self) -> dict[str, Any] | None:
        """Alpha on documents and Jaccard on characters, over documents that two assessors finished."""
        both = [pair for two in assessor_pairs(self.opinions) for pair in two.opinions]
        if not both:
            return None
        levels = AgreementSettings(self.campaign.procedure, self.campaign.lengths, samples=1).levels(both)
        alpha = Together.of(both, self.campaign.lengths, 1, 1).alpha("document")["alpha"]
        jaccard = levels["character"].jaccard.value if "character" in levels else None
        return {
            "documents": alpha,
            "characters": None if jaccard is None else float(jaccard),
            "pairs": len(self.opinions.several),
        }

    def _cautions(self, person: _Person) -> Iterator[str]:
        fast = sum(seconds < _FAST for seconds in person.times)
        if fast >= _SOME_FAST and fast >= _FAST_PROPORTION * len(person.times):
            yield f"{short(person.name)} finished {plural(fast, 'document')} in under {_FAST:g} seconds each"
        accepted, rejected = self._decisions(person.judged.values())
        if accepted + rejected >= _DECISIONS and accepted > _ACCEPTED * (accepted + rejected):
            count = f"{accepted} of {accepted + rejected}"
            yield f"{short(person.name)} accepted {count} suggestions, perhaps without reading them"

    def _decisions(self, judged: Iterable[JudgedState]) -> tuple[int, int]:
        """Count the suggestions that were confirmed, entirely or partly, and those rejected."""
        accepted = rejected = 0
        for item in judged:
            numbers, spans = set(item.state.rejected), item.state.confirmed
            rejected += len(numbers)
            for one in self.campaign.contents.suggested.get((item.topic, item.document), ()):
                is_confirmed = any(first < one.end and one.start < last for first, last in spans)
                accepted += is_confirmed and one.number not in numbers
        return accepted, rejected


def _count(states: Sequence[str]) -> dict[str, int]:
    return {"total": len(states), **{name: states.count(name) for name in (_DONE, _OPEN, _TODO)}}


def seconds_worked(actions: Sequence[Action]) -> dict[JudgedPair, float]:
    """Seconds of work on each pair, from the times of one assessor's actions; pauses do not count.

    The time between two consecutive actions counts if both are on the same document.
    """
    seconds: dict[JudgedPair, float] = {}
    for before, after in pairwise(actions):
        pair = JudgedPair(after.topic, after.document)
        gap = after.at - before.at
        if (before.topic, before.document) == pair and 0 <= gap <= IDLE:
            seconds[pair] = seconds.get(pair, 0.0) + gap
    return seconds
