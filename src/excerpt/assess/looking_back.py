"""What came of a campaign so far: states, and everything that was done, in the order of the log."""

from __future__ import annotations

import contextlib
import copy
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from excerpt.assess.assigning import Pair
from excerpt.assess.recording import Recorder
from excerpt.assess.state import State
from excerpt.assess.store import Key
from excerpt.assess.times import seconds_of

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

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


@contextlib.contextmanager
def at_one_moment(campaign: Campaign) -> Iterator[Campaign]:
    """A campaign as it is now, read through a connection of its own; one that stands still is itself."""
    if campaign.recorder.stands_still:
        yield campaign
        return
    still = copy.copy(campaign)
    with contextlib.closing(campaign.recorder.at_one_moment()) as still.recorder:
        still.rights = campaign.rights.read_from(still.recorder)
        yield still


def judged_of(campaign: Campaign) -> list[Judged]:
    """Every (topic, document, assessor) with an event, by assessor, topic and document."""
    with campaign.at_one_moment() as still, still.recorder.reading() as store:
        shown = store.first_shown(SUGGESTIONS)
        found = []
        for row in store.states(body=True):
            key = (row["topic"], row["document"], row["assessor"])
            before = _before(still.recorder, key, shown[key]) if key in shown else None
            found.append(Judged(*key, State.from_json(json.loads(row["body"])), before))
        return found


def _before(recorder: Recorder, key: Key, number: int) -> State | None:
    """The last finished state before a row of the log."""
    rows = recorder.store.events(key)
    finished = [row["version"] for row in rows if row["kind"] == "done" and row["number"] < number]
    return recorder.history_at(key, finished[-1]).state if finished else None


def actions_of(campaign: Campaign, assessor: str | None) -> list[Action]:
    """Events and traces, of one assessor or of all."""
    with campaign.at_one_moment() as still, still.recorder.reading() as store:
        return [
            Action(name, topic, document, seconds_of(at), kind)
            for name, topic, document, at, kind in store.actions()
            if assessor in {None, name}
        ]


def shown_of(campaign: Campaign) -> set[Pair]:
    """The pairs whose suggestions somebody has seen."""
    with campaign.at_one_moment() as still, still.recorder.reading() as store:
        return {key[:2] for key in store.first_shown(SUGGESTIONS)}
