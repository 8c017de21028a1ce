"""How far a campaign is: by topic and assessor, how long it takes, what is owed, and what looks odd."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from excerpt.assess.folder import stamp
from excerpt.assess.kappa import Comparing, shared_by_two
from excerpt.assess.opinions import Opinions, Pair, opinion_of
from excerpt.assess.queue import ORDER
from excerpt.errors import plural, short
from excerpt.model.display import Showable

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.recorder import Action, Judged

#: A pause beyond this many seconds is no work on a document.
IDLE = 120.0
_DAY = 86_400.0
#: Faster than this, nobody has read a document; so many of them, and such a share, are told.
_FAST, _SOME_FAST, _FAST_SHARE = 10.0, 5, 0.1
#: More than this share of suggestions accepted, out of so many decisions, is told.
_ACCEPTED, _DECISIONS = 0.98, 20
_TODO, _OPEN, _DONE = "todo", "open", "done"


def status(campaign: Campaign, *, now: float | None = None) -> dict[str, Any]:
    """Progress as plain data; without any judgment. `now` is the moment, in seconds of the system."""
    with campaign.at_one_moment() as still:
        return _Look(still, time.time() if now is None else now).status()


@dataclass(frozen=True)
class Progress(Showable):
    """The progress of a campaign, to print."""

    found: Mapping[str, Any]
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
        return dict(self.found)

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Topics and assessors in one table, for spreadsheets."""
        columns = ("kind", "name", "total", "done", "open", "todo", "owed", "seconds_per_document", "last")
        rows = [{"kind": "topic", "name": row["id"], **row} for row in self.found["topics"]]
        rows += [{"kind": "assessor", **row} for row in self.found["assessors"]]
        return columns, [tuple(row.get(column) for column in columns) for row in rows]

    def page(self, format_: str) -> str | None:
        """What shows the progress to people."""
        return "render.summaries:status_text" if format_ == "table" else None


@dataclass
class _Person:
    """What one assessor has to do and has done."""

    name: str
    pairs: Sequence[Pair]
    judged: dict[Pair, Judged] = field(default_factory=dict)
    seconds: dict[Pair, float] = field(default_factory=dict)
    last: float | None = None

    @cached_property
    def states(self) -> dict[Pair, str]:
        """Whether a pair is finished, begun or neither."""
        found = dict.fromkeys(self.pairs, _TODO)
        found |= {pair: _DONE if item.state.done else _OPEN for pair, item in self.judged.items()}
        return found

    @property
    def times(self) -> list[float]:
        """Seconds of work on every finished pair of which they are known."""
        done = (pair for pair in self.judged if self.states[pair] == _DONE)
        return [self.seconds[pair] for pair in done if pair in self.seconds]

    @cached_property
    def owed(self) -> list[Pair]:
        """Documents that are begun and lack something."""
        return [
            pair for pair, state in self.states.items() if state == _OPEN and self.judged[pair].state.problems
        ]


class _Look:
    """A campaign as it is at one moment."""

    def __init__(self, campaign: Campaign, now: float) -> None:
        self.campaign = campaign
        self.now = now
        self.pairs = [Pair(*pair) for pair in campaign.contents.pairs]
        self.judged = campaign.judged()
        # A list that was fetched is no work on the document that comes next in it.
        self.actions = [action for action in campaign.actions() if action.kind != ORDER]
        self._actions_by: dict[str, list[Action]] = {}
        for action in self.actions:
            self._actions_by.setdefault(action.assessor, []).append(action)
        self._assigned = campaign.rights.by_assessor(campaign.contents.pairs)
        self._added = {person.name: person.removed is None for person in campaign.people()}
        here = (name for name, stays in self._added.items() if stays)
        # Those who take part, and those who did something before they left.
        names = dict.fromkeys([*here, *(item.assessor for item in self.judged)])
        self.people = [self._person(name) for name in names]
        self.opinions = Opinions.collect(self.pairs, map(opinion_of, self.judged))

    def _person(self, name: str) -> _Person:
        own = {Pair(item.topic, item.document): item for item in self.judged if item.assessor == name}
        assigned = set(self._assigned.get(name, ()))
        pairs = [pair for pair in self.pairs if pair in assigned or pair in own]
        actions = self._actions_by.get(name, [])
        if name not in self._added:  # judgments that were imported took nobody's time
            return _Person(name, pairs, own)
        reported, _ = self.campaign.work_of(name)
        seconds = worked(actions) | {Pair(*pair): total for pair, total in reported.items() if total > 0}
        return _Person(name, pairs, own, seconds, max((action.at for action in actions), default=None))

    def status(self) -> dict[str, Any]:
        """Everything."""
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
            "procedure": self.campaign.settings.procedure,
            "documents": {**_count(states), "stale": self._stale()},
            "seconds_per_document": median(times) if times else None,
            "finish": self._finish(len(states) - states.count(_DONE)),
            "topics": topics,
            "assessors": assessors,
            "cells": self._cells(),
            "agreement": self._agreement(),
            "cautions": [caution for person in assessors for caution in person["cautions"]],
            "export": {
                "done": len(self.opinions.finished),
                "open": len(self.opinions.begun),
                "todo": self.opinions.unjudged,
                "several": len(self.opinions.several),
            },
        }

    @cached_property
    def _states(self) -> dict[str, list[str]]:
        """The states of what there is to do, by topic.

        Where pairs are shared out it is each pair of each assessor; else each pair once, however far it is.
        """
        found: dict[Pair, list[str]] = {pair: [] for pair in self.pairs}
        for person in self.people:
            for pair, state in person.states.items():
                found[pair].append(state)
        by_topic: dict[str, list[str]] = {topic.id: [] for topic in self.campaign.topics}
        for pair, states in found.items():
            furthest = next((state for state in (_DONE, _OPEN) if state in states), _TODO)
            shared_out = self.campaign.settings.double is not None
            by_topic[pair.topic] += (states or [_TODO]) if shared_out else [furthest]
        return by_topic

    def _stale(self) -> int:
        """Documents that have been open for over a day."""
        latest: dict[tuple[str, Pair], float] = {}
        for action in self.actions:
            latest[action.assessor, Pair(action.topic, action.document)] = action.at
        return sum(
            person.states[pair] == _OPEN and self.now - latest.get((person.name, pair), self.now) > _DAY
            for person in self.people
            for pair in person.pairs
        )

    def _finish(self, left: int) -> str | None:
        """The day on which all is done at the pace so far; None without one. Imports say nothing of it."""
        at_work = [person for person in self.people if person.last is not None]
        done = [pair for person in at_work for pair in person.judged if person.states[pair] == _DONE]
        if not done or not left:
            return None
        begun = min(action.at for person in at_work for action in self._actions_by[person.name])
        count = len(set(done) if self.campaign.settings.double is None else done)
        pace = count / max(self.now - begun, _DAY)
        try:
            return datetime.fromtimestamp(self.now + left / pace, UTC).date().isoformat()
        except (OverflowError, ValueError):  # beyond all calendars
            return None

    def _assessor(self, person: _Person) -> dict[str, Any]:
        times = person.times
        return {
            "name": person.name,
            **_count(list(person.states.values())),
            "seconds_per_document": median(times) if times else None,
            "last": None if person.last is None else stamp(person.last),
            "owed": len(person.owed),
            "cautions": list(self._cautions(person)),
        }

    def _cells(self) -> dict[str, dict[str, str]]:
        """How far each assessor is with each topic that they have documents of."""
        cells: dict[str, dict[str, str]] = {topic.id: {} for topic in self.campaign.topics}
        for person in self.people:
            by_topic: dict[str, set[str]] = {}
            for pair, state in person.states.items():
                by_topic.setdefault(pair.topic, set()).add(state)
            for topic, states in by_topic.items():
                cells[topic][person.name] = states.pop() if len(states) == 1 else _OPEN
        return cells

    def _agreement(self) -> dict[str, Any] | None:
        """Kappa on documents and Jaccard on characters, of all that two have finished."""
        both = [pair for two in shared_by_two(self.opinions) for pair in two.opinions]
        if not both:
            return None
        lengths = {name: length for name, (_, length) in self.campaign.documents.items()}
        levels = Comparing(self.campaign.procedure, lengths, samples=1).levels(both)
        kappa = levels["document"].kappa.value
        jaccard = levels["character"].jaccard.value if "character" in levels else None
        return {
            "documents": None if kappa is None else float(kappa),
            "characters": None if jaccard is None else float(jaccard),
            "pairs": len(self.opinions.several),
        }

    def _cautions(self, person: _Person) -> Iterator[str]:
        fast = sum(seconds < _FAST for seconds in person.times)
        if fast >= _SOME_FAST and fast >= _FAST_SHARE * len(person.times):
            yield f"{short(person.name)} finished {plural(fast, 'document')} in under {_FAST:g} seconds each"
        accepted, rejected = self._decisions(person.judged.values())
        if accepted + rejected >= _DECISIONS and accepted > _ACCEPTED * (accepted + rejected):
            share = f"{accepted} of {accepted + rejected}"
            yield f"{short(person.name)} accepted {share} suggestions: are they read?"

    def _decisions(self, judged: Iterable[Judged]) -> tuple[int, int]:
        """How many suggestions were confirmed, in whole or in part, and how many rejected."""
        accepted = rejected = 0
        for found in judged:
            refused = set(found.state.rejected)
            rejected += len(refused)
            for given in self.campaign.contents.suggested.get((found.topic, found.document), ()):
                taken = any(first < given.end and given.start < last for first, last in found.state.confirmed)
                accepted += taken and given.number not in refused
        return accepted, rejected


def _count(states: Sequence[str]) -> dict[str, int]:
    return {"total": len(states), **{name: states.count(name) for name in (_DONE, _OPEN, _TODO)}}


def worked(actions: Sequence[Action]) -> dict[Pair, float]:
    """Seconds of work on each pair, from the times of what one assessor did; pauses are no work.

    The time from one action to the next counts for the document of the next one, if that is the same.
    """
    found: dict[Pair, float] = {}
    for before, after in pairwise(actions):
        pair = Pair(after.topic, after.document)
        gap = after.at - before.at
        if (before.topic, before.document) == pair and 0 <= gap <= IDLE:
            found[pair] = found.get(pair, 0.0) + gap
    return found
