"""What an assessor gets to see: the documents to judge, and one document with its state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from excerpt.assess.assigning import Pair
from excerpt.assess.looking_back import SUGGESTIONS
from excerpt.assess.refusals import NoRoom, NotAllowed, NotFound, Unfit
from excerpt.assess.store import Row
from excerpt.errors import short
from excerpt.pooling import PoolItem

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

RUNS, OPENED = "runs", "opened"
_NOTHING: Row = {
    "version": 0,
    "done": 0,
    "relevant": 0,
    "passages": 0,
    "characters": 0,
    "owed": 0,
    "problems": 0,
}


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
            rows = [
                _listed(
                    campaign,
                    (topic.id, document),
                    summaries.get((topic.id, document, name)),
                    seconds,
                    finished,
                )
                for document in documents
            ]
            texts = {"title": topic.title, "text": topic.text, "narrative": topic.narrative}
            topics.append({"id": topic.id, **texts, "documents": rows})
    settings = campaign.settings
    head = {"assessor": name, "title": settings.title, "procedure": settings.procedure}
    head["campaign"] = settings.identity
    asks = campaign.procedure.to_json()
    return {**head, "labels": list(settings.labels), "asks": asks, "topics": topics}


def _listed(
    campaign: Campaign,
    pair: Pair,
    summary: Row | None,
    seconds: Mapping[Pair, float],
    finished: Mapping[Pair, int],
) -> dict[str, Any]:
    row = summary or _NOTHING
    state = "done" if row["done"] else "open" if row["version"] else "todo"
    counts = {name: row[name] for name in ("version", "passages", "characters", "owed", "problems")}
    return {
        "id": pair[1],
        "state": state,
        **counts,
        "relevant": bool(row["relevant"]),
        "title": campaign.contents.known[pair[1]].title,
        "seconds": round(seconds.get(pair, 0.0), 1),
        "second": pair in finished and bool(campaign.contents.shown(pair)),
    }


def document_for(campaign: Campaign, name: str, pair: Pair, show: Sequence[str]) -> dict[str, Any]:
    """A document with what an assessor has made of it, and what was asked to be shown beside."""
    for asked in show:
        if asked not in {RUNS, SUGGESTIONS}:
            raise Unfit(f"found {short(str(asked))!r} to show, expected {RUNS} or {SUGGESTIONS}")
    topic, document = pair
    material = campaign.material(document)
    history = campaign.recorder.history((topic, document, name))
    suggestions = campaign.contents.shown(pair) if history.finished_once else ()
    if SUGGESTIONS in show and not suggestions:
        raise NotAllowed("found no suggestions to show: they come after the document was finished, if at all")
    with contextlib.suppress(NoRoom):  # it may be read all the same
        campaign.recorder.trace((topic, document, name), OPENED, {})
    for asked in show:
        campaign.recorder.trace((topic, document, name), asked, {})
    with campaign.recorder.reading() as store:
        seconds = store.seconds_on((topic, document, name))
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
    runs = [_joined(passages, length) for passages in item.passages]
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


def _joined(passages: Iterable[tuple[int, int, int]], length: int) -> list[tuple[int, int]]:
    """The text of one run's results, each character once."""
    from excerpt.assess.spans import Spans

    inside = ((start, min(end, length)) for _, start, end in passages if start >= 0)
    return list(Spans((start, end) for start, end in inside if start < end))
