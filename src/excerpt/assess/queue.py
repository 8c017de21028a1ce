"""Queues: the documents of an assessor and their order."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from excerpt.assess.contents import Contents, Suggestion
from excerpt.assess.events import Spans, depths
from excerpt.assess.folder import InvalidEvent, NoRoom, NotAllowed
from excerpt.assess.people import AssignedPair, rank_of
from excerpt.assess.recorder import SUGGESTIONS, Recorder
from excerpt.assess.settings import Settings
from excerpt.assess.store import Row, StateKey
from excerpt.errors import short
from excerpt.pooling import PoolItem
from excerpt.pooling.adaptive import next_order

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

RUNS, OPENED = "runs", "opened"
#: What a page shows that reads a document before it is opened: nothing, so nothing is logged.
AHEAD = "ahead"
_COUNTS = ("version", "passages", "characters", "owed", "problems")
#: The summary of a document that nobody has begun.
NOTHING: Row = dict.fromkeys((*_COUNTS, "done", "relevant"), 0)


def pool_for(campaign: Campaign, name: str, only: str | None = None) -> dict[str, Any]:
    """Return all topics of an assessor, or one, with documents in the order of judging."""
    if only is not None:
        campaign.contents.check_topic(only)
    pairs = [pair for pair in campaign.contents.pairs if only in {None, pair[0]}]
    mine = set(campaign.permissions.to_judge(pairs, name))
    seconds, finished = campaign.work_of(name)
    summaries = campaign.recorder.summaries()
    orders = campaign.orders.documents(name, mine, finished)
    rows: dict[str, list[dict[str, Any]]] = {}
    for pair in ((topic, document) for topic, documents in orders.items() for document in documents):
        summary = summaries.get((*pair, name), NOTHING)
        state = "done" if summary["done"] else "open" if summary["version"] else "todo"
        row = document_row(campaign, pair[1], state, summary, seconds.get(pair, 0.0))
        row["second"] = pair in finished and bool(campaign.contents.shown(pair))
        rows.setdefault(pair[0], []).append(row)
    return {**campaign_head(campaign, name), "topics": topic_rows(campaign, rows)}


def document_row(
    campaign: Campaign, document: str, state: str, summary: Row, seconds: float
) -> dict[str, Any]:
    """Return a document for a list, with the summary of what somebody judged in it."""
    return {
        "id": document,
        "state": state,
        **{count: summary[count] for count in _COUNTS},
        "relevant": bool(summary["relevant"]),
        "title": campaign.contents.records[document].title,
        "seconds": round(seconds, 1),
    }


def topic_rows(campaign: Campaign, documents: Mapping[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Return the topics that have documents, with their texts."""
    names = ("id", "title", "text", "narrative")
    return [
        {**{name: getattr(topic, name) for name in names}, "documents": documents[topic.id]}
        for topic in campaign.topics
        if topic.id in documents
    ]


def campaign_head(campaign: Campaign, name: str) -> dict[str, Any]:
    """Return what a page has to know of a campaign."""
    settings = campaign.settings
    head = {"assessor": name, "title": settings.title, "procedure": campaign.procedure.name}
    head |= {"campaign": settings.identity, "guidelines": settings.guidelines_sha256}
    return {**head, "labels": list(settings.labels), "asks": campaign.procedure.to_json()}


def document_for(campaign: Campaign, name: str, pair: AssignedPair, show: Sequence[str]) -> dict[str, Any]:
    """Return a document with an assessor's judgments, and the data named in `show`."""
    ahead, show = check_shown(show, RUNS, SUGGESTIONS)
    document, key = pair[1], (*pair, name)
    history = campaign.recorder.history(key)
    suggestions = campaign.contents.shown(pair) if history.finished_once else ()
    if SUGGESTIONS in show and not suggestions:
        raise NotAllowed("suggestions cannot be shown: there are none, or the document is not finished")
    if not ahead:
        with contextlib.suppress(NoRoom):  # the document can be read nevertheless
            campaign.recorder.trace([key], OPENED, {})
    for kind in show:
        campaign.recorder.trace([key], kind, {})
    with campaign.recorder.reading() as store:
        seconds = store.seconds_on(key)
    data: dict[str, Any] = {
        **document_text(campaign, document),
        "state": history.state.to_json(),
        "seconds": round(seconds, 1),
        "second": {"count": len(suggestions)} if suggestions else None,
    }
    if RUNS in show:
        data["retrieved"] = retrieved(campaign.contents.item(pair), campaign.lengths[document])
    if SUGGESTIONS in show:
        data[SUGGESTIONS] = [_shown(one) for one in suggestions]
    return data


def check_shown(show: Sequence[str], *known: str) -> tuple[bool, list[str]]:
    """Return whether a document is read ahead, and what to show with it; raise an error for anything else."""
    kinds = [kind for kind in show if kind != AHEAD]
    for kind in kinds:
        if kind not in known:
            raise InvalidEvent(f"found {short(str(kind))!r} to show, expected {' or '.join(known)}")
    return AHEAD in show, kinds


def document_text(campaign: Campaign, document: str) -> dict[str, Any]:
    """Return the text of a document with its units and elements."""
    material = campaign.material(document)
    return {
        "id": document,
        "title": material.record.title,
        "kind": material.record.kind,
        "text": material.text,
        "sha256": material.record.sha256,
        "length": material.record.length,
        "units": material.units._asdict(),
        "elements": [[node.path, node.start, node.end, node.tag] for node in material.structure.nodes],
    }


def _shown(suggestion: Suggestion) -> list[Any]:
    """Return number, start, end and label of a passage; of a whole document the grade as well.

    >>> _shown(Suggestion(0, "1", "A", 5, 9, "x", "m", "p"))
    [0, 5, 9, 'x']
    >>> _shown(Suggestion(1, "1", "A", 0, 0, "2", "m", "p"))
    [1, 0, 0, None, 2]
    """
    number, _, _, start, end, label, *_ = suggestion
    grade = suggestion.grade
    return [number, start, end, label] if grade is None else [number, start, end, None, grade]


def retrieved(item: PoolItem, length: int) -> list[list[int]]:
    """Return the retrieved spans of a document with the number of runs, without their names.

    >>> item = PoolItem("7", "a", 1, "depth", None, ("r", "s"), (((1, 0, 9), (2, 5, 9)), ((1, 6, 12),)))
    >>> retrieved(item, 10)
    [[0, 6, 1], [6, 9, 2], [9, 10, 1]]
    """
    runs = [  # overlapping results of a run count once
        Spans((start, min(end, length)) for _, start, end in passages if 0 <= start < min(end, length))
        for passages in item.passages
    ]
    counted: list[list[int]] = []
    for start, end, count in depths(runs):
        if count and counted and counted[-1][1:] == [start, count]:
            counted[-1][1] = end
        elif count:
            counted.append([start, end, count])
    return counted


#: Kind of a trace that logs the next document of an assessor.
ORDER = "order"


class Orders:
    """Orders of documents; adaptive orders are cached until a judgment changes."""

    def __init__(self, recorder: Recorder, contents: Contents, settings: Settings) -> None:
        self._recorder = recorder
        self._contents = contents
        self._settings = settings
        #: By topic: the judged documents, and the order of the others that follows from them.
        self._orders: dict[str, tuple[dict[str, bool], list[str]]] = {}
        #: The next document of an assessor in a topic, as last logged.
        self._next: dict[AssignedPair, str] = {}

    def documents(
        self, name: str, mine: Collection[AssignedPair], finished: Mapping[AssignedPair, int]
    ) -> dict[str, list[str]]:
        """Return an assessor's documents per topic; `finished` has the number of the event per pair."""
        pool = {topic.id: self._contents.documents(topic.id) for topic in self._contents.topics}
        own = {topic: [each for each in pool[topic] if (topic, each) in mine] for topic in pool}
        if self._settings.order == "pool":
            return own
        if self._settings.order == "random":
            rank = partial(rank_of, self._settings.seed, ORDER, name)
            return {topic: sorted(own[topic], key=partial(rank, topic)) for topic in own}
        judged = _judged(self._recorder.summaries())
        done: dict[str, list[str]] = {topic: [] for topic in own}
        for topic, document in sorted(set(finished).intersection(mine), key=finished.__getitem__):
            done[topic].append(document)
        left = {
            topic: self._left(topic, set(documents).difference(done[topic]), judged.get(topic, {}))
            for topic, documents in own.items()
        }
        self._log_next({(name, topic): documents[0] for topic, documents in left.items() if documents})
        return {topic: [*done[topic], *left[topic]] for topic in own}

    def _left(self, topic: str, documents: set[str], judged: dict[str, bool]) -> list[str]:
        """Return unjudged documents in the current order, then those that other assessors finished."""
        if not documents:
            return []
        if topic not in self._orders or self._orders[topic][0] != judged:
            items = self._contents.items(topic)
            order = next_order(self._settings.order, items, judged, self._settings.seed)
            self._orders[topic] = (judged, order)
        unjudged = self._orders[topic][1]
        rest = (document for document in self._contents.documents(topic) if document in judged)
        return [document for document in (*unjudged, *rest) if document in documents]

    def _log_next(self, following: Mapping[AssignedPair, str]) -> None:
        """Log the next documents that differ from those logged before, in one transaction."""
        new = {pair: document for pair, document in following.items() if self._next.get(pair) != document}
        if new:
            self._next |= new
            keys = [(topic, document, name) for (name, topic), document in new.items()]
            with contextlib.suppress(NoRoom):  # the order can be derived from the log
                self._recorder.trace(keys, ORDER, {"order": self._settings.order})


def _judged(summaries: Mapping[StateKey, Row]) -> dict[str, dict[str, bool]]:
    """Return the finished documents by topic, with True if any assessor judged them relevant."""
    by_topic: dict[str, dict[str, bool]] = {}
    for (topic, document, _), row in summaries.items():
        if row["done"]:
            judged = by_topic.setdefault(topic, {})
            judged[document] = judged.get(document, False) or bool(row["relevant"])
    return by_topic
