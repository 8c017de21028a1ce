"""Queues: which documents an assessor sees, and in which order."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from excerpt.assess.contents import Contents
from excerpt.assess.events import Spans
from excerpt.assess.folder import InvalidEvent, NoRoom, NotAllowed, NotFound
from excerpt.assess.people import Pair, rank_of
from excerpt.assess.recorder import SUGGESTIONS, Recorder
from excerpt.assess.settings import Settings
from excerpt.assess.store import Key, Row
from excerpt.errors import short
from excerpt.pooling import PoolItem
from excerpt.pooling.adaptive import next_order

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign


RUNS, OPENED = "runs", "opened"
_COUNTS = ("version", "passages", "characters", "owed", "problems")
_NOTHING: Row = dict.fromkeys((*_COUNTS, "done", "relevant"), 0)


def pool_for(campaign: Campaign, name: str, only: str | None = None) -> dict[str, Any]:
    """The topics of an assessor, or one, with its documents in the order in which they should be judged."""
    if only is not None and not campaign.contents.has_topic(only):
        raise NotFound(f"found no topic {short(only)!r} in the campaign")
    pairs = [pair for pair in campaign.contents.pairs if only in {None, pair[0]}]
    mine = set(campaign.rights.assigned(pairs, name))
    seconds, finished = campaign.work_of(name)
    summaries = campaign.recorder.summaries()
    orders = campaign.orders.documents(name, mine, finished)
    topics = []
    for topic in campaign.topics:
        if documents := orders[topic.id]:
            rows = []
            for document in documents:
                pair, row = (topic.id, document), summaries.get((topic.id, document, name), _NOTHING)
                rows.append(
                    {
                        "id": document,
                        "state": "done" if row["done"] else "open" if row["version"] else "todo",
                        **{count: row[count] for count in _COUNTS},
                        "relevant": bool(row["relevant"]),
                        "title": campaign.contents.known[document].title,
                        "seconds": round(seconds.get(pair, 0.0), 1),
                        "second": pair in finished and bool(campaign.contents.shown(pair)),
                    }
                )
            texts = {"title": topic.title, "text": topic.text, "narrative": topic.narrative}
            topics.append({"id": topic.id, **texts, "documents": rows})
    settings = campaign.settings
    head = {"assessor": name, "title": settings.title, "procedure": settings.procedure}
    head["campaign"] = settings.identity
    asks = campaign.procedure.to_json()
    return {**head, "labels": list(settings.labels), "asks": asks, "topics": topics}


def document_for(campaign: Campaign, name: str, pair: Pair, show: Sequence[str]) -> dict[str, Any]:
    """A document with what an assessor has made of it, and what was asked to be shown beside."""
    for asked in show:
        if asked not in {RUNS, SUGGESTIONS}:
            raise InvalidEvent(f"found {short(str(asked))!r} to show, expected {RUNS} or {SUGGESTIONS}")
    topic, document = pair
    material = campaign.material(document)
    history = campaign.recorder.history((topic, document, name))
    suggestions = campaign.contents.shown(pair) if history.finished_once else ()
    if SUGGESTIONS in show and not suggestions:
        raise NotAllowed("found no suggestions to show: they come after the document was finished, if at all")
    key = (topic, document, name)
    with contextlib.suppress(NoRoom):  # it may be read all the same
        campaign.recorder.trace([key], OPENED, {})
    for asked in show:
        campaign.recorder.trace([key], asked, {})
    with campaign.recorder.reading() as store:
        seconds = store.seconds_on(key)
    found: dict[str, Any] = {
        "id": document,
        "title": material.known.title,
        "kind": material.known.kind,
        "text": material.text,
        "sha256": material.known.sha256,
        "length": material.known.length,
        "units": material.units._asdict(),
        "elements": [[part.path, part.start, part.end, part.tag] for part in material.structure.parts],
        "state": history.state.to_json(),
        "seconds": round(seconds, 1),
        "second": {"count": len(suggestions)} if suggestions else None,
    }
    if RUNS in show:
        found["retrieved"] = retrieved(campaign.contents.item(pair), material.known.length)
    if SUGGESTIONS in show:
        found[SUGGESTIONS] = [[given.number, given.start, given.end, given.label] for given in suggestions]
    return found


def retrieved(item: PoolItem, length: int) -> list[list[int]]:
    """What runs returned of a document: pieces with the number of runs, not with their names.

    >>> item = PoolItem("7", "a", 1, "depth", None, ("r", "s"), (((1, 0, 9), (2, 5, 9)), ((1, 6, 12),)))
    >>> retrieved(item, 10)
    [[0, 6, 1], [6, 9, 2], [9, 10, 1]]
    """
    runs = [  # each character of a run's results once
        Spans((start, min(end, length)) for _, start, end in passages if 0 <= start < min(end, length))
        for passages in item.passages
    ]
    cuts = sorted({at for spans in runs for span in spans for at in span})
    changes = dict.fromkeys(cuts, 0)
    for start, end in (span for spans in runs for span in spans):
        changes[start] += 1
        changes[end] -= 1
    found: list[list[int]] = []
    count = 0
    for start, end in pairwise(cuts):
        count += changes[start]
        if count and found and found[-1][1:] == [start, count]:
            found[-1][1] = end
        elif count:
            found.append([start, end, count])
    return found


#: The kind of a trace that says what comes next.
ORDER = "order"


class Orders:
    """The orders of a campaign; those that follow what was judged are kept until that changes."""

    def __init__(self, recorder: Recorder, contents: Contents, settings: Settings) -> None:
        self._recorder = recorder
        self._contents = contents
        self._settings = settings
        #: By topic: what was judged, and the others in the order that follows from it.
        self._known: dict[str, tuple[dict[str, bool], list[str]]] = {}
        #: What came next for an assessor in a topic, when it was last asked for.
        self._next: dict[Pair, str] = {}

    def documents(
        self, name: str, mine: Collection[Pair], finished: Mapping[Pair, int]
    ) -> dict[str, list[str]]:
        """An assessor's documents of every topic; `finished` has the number of the event for each pair."""
        pool = {topic.id: self._contents.documents(topic.id) for topic in self._contents.topics}
        own = {topic: [each for each in pool[topic] if (topic, each) in mine] for topic in pool}
        if self._settings.order == "pool":
            return own
        if self._settings.order == "random":
            return {topic: self._shuffled(name, topic, documents) for topic, documents in own.items()}
        judged = _judged(self._recorder.summaries())
        done: dict[str, list[str]] = {topic: [] for topic in own}
        for topic, document in sorted(set(finished).intersection(mine), key=finished.__getitem__):
            done[topic].append(document)
        left = {
            topic: self._left(topic, set(documents).difference(done[topic]), judged.get(topic, {}))
            for topic, documents in own.items()
        }
        self._tell({(name, topic): documents[0] for topic, documents in left.items() if documents})
        return {topic: [*done[topic], *left[topic]] for topic in own}

    def _left(self, topic: str, wanted: set[str], judged: dict[str, bool]) -> list[str]:
        """Those of the documents that nobody has finished in the order of now, then those of others."""
        if not wanted:
            return []
        coming = self._coming(topic, judged)
        rest = (document for document in self._contents.documents(topic) if document in judged)
        return [document for document in (*coming, *rest) if document in wanted]

    def _shuffled(self, name: str, topic: str, documents: list[str]) -> list[str]:
        seed = self._settings.seed
        return sorted(documents, key=lambda document: rank_of(seed, ORDER, name, topic, document))

    def _coming(self, topic: str, judged: dict[str, bool]) -> list[str]:
        """The documents that nobody has finished, in the order of now."""
        if topic not in self._known or self._known[topic][0] != judged:
            items = self._contents.items(topic)
            order = next_order(self._settings.order, items, judged, self._settings.seed)
            self._known[topic] = (judged, order)
        return self._known[topic][1]

    def _tell(self, following: Mapping[Pair, str]) -> None:
        """Note in the log, in one go, where something else comes next than was to come."""
        new = {pair: document for pair, document in following.items() if self._next.get(pair) != document}
        if new:
            self._next |= new
            keys = [(topic, document, name) for (name, topic), document in new.items()]
            with contextlib.suppress(NoRoom):  # the order itself follows from the log
                self._recorder.trace(keys, ORDER, {"order": self._settings.order})


def _judged(summaries: Mapping[Key, Row]) -> dict[str, dict[str, bool]]:
    """By topic, the documents that somebody has finished, and whether anybody found them relevant."""
    found: dict[str, dict[str, bool]] = {}
    for (topic, document, _), row in summaries.items():
        if row["done"]:
            known = found.setdefault(topic, {})
            known[document] = known.get(document, False) or bool(row["relevant"])
    return found
