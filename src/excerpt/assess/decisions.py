"""What adjudicators get: the documents to decide, and a document with the judgments side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt.assess.adjudication import (
    DECIDED,
    OPEN,
    STALE,
    ListedDocument,
    adjudication,
    basis_of,
    decisions_of,
    disputed,
    letters_of,
    opinions_on,
)
from excerpt.assess.events import digest_of
from excerpt.assess.folder import InvalidEvent, NoRoom, NotAllowed, NotFound
from excerpt.assess.opinions import JudgedPair, Opinion, opinion_of
from excerpt.assess.people import ADJUDICATOR, AssignedPair
from excerpt.assess.queue import AHEAD, COUNTS, OPENED, RUNS, campaign_head, document_text, retrieved
from excerpt.errors import short

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

_STATES = {DECIDED: "done", STALE: "open", OPEN: "open"}


def pool_to_decide(campaign: Campaign, name: str, only: str | None = None) -> dict[str, Any]:
    """Return the documents that an adjudicator has to decide, by topic and weight, then the decided ones."""
    if only is not None and not campaign.contents.has_topic(only):
        raise NotFound(f"the campaign has no topic {short(only)!r}")
    seconds, _ = campaign.work_of(name)
    by_topic: dict[str, list[dict[str, Any]]] = {}
    for listed in adjudication(campaign, every=True).documents:
        if listed.adjudicator in {"", name} or listed.adjudicator not in _active(campaign):
            row = _row(campaign, name, listed, seconds.get(listed.pair, 0.0))
            by_topic.setdefault(listed.pair.topic, []).append(row)
    topics = [
        {
            "id": topic.id,
            "title": topic.title,
            "text": topic.text,
            "narrative": topic.narrative,
            "documents": by_topic[topic.id],
        }
        for topic in campaign.topics
        if topic.id in by_topic and only in {None, topic.id}
    ]
    head = campaign_head(campaign, name)
    head["asks"] |= {"phases": False}
    return {**head, "role": ADJUDICATOR, "topics": topics}


def _active(campaign: Campaign) -> list[str]:
    return campaign.permissions.people().names(ADJUDICATOR)


def _row(campaign: Campaign, name: str, listed: ListedDocument, seconds: float) -> dict[str, Any]:
    row = campaign.recorder.summaries().get((*listed.pair, name), {})
    return {
        "id": listed.pair.document,
        "state": _STATES.get(listed.state, "todo"),
        **{count: row.get(count, 0) for count in COUNTS},
        "relevant": bool(row.get("relevant", 0)),
        "title": campaign.contents.records[listed.pair.document].title,
        "seconds": round(seconds, 1),
        "second": False,
        "stale": listed.state == STALE,
        "weight": listed.difference.weight,
        "assessors": len(listed.assessors),
    }


def document_to_decide(
    campaign: Campaign, name: str, pair: AssignedPair, show: Sequence[str]
) -> dict[str, Any]:
    """Return a document with the judgments of its assessors, who are letters until it is decided."""
    ahead, show = AHEAD in show, [kind for kind in show if kind != AHEAD]
    if any(kind != RUNS for kind in show):
        raise InvalidEvent(f"found {short(str(next(iter(show))))!r} to show, expected {RUNS}")
    key = (*pair, name)
    basis = basis_of(campaign, pair, least=0)
    history = campaign.recorder.history(key)
    if len(basis) < 2 and not history.version:
        raise NotAllowed(f"document {short(pair[1])} has not been finished by two assessors")
    if len(basis) < 2:  # one of them has opened it again: it is shown as it was decided
        basis = dict(history.basis or {})
    is_stale = history.version > 0 and digest_of(basis) != digest_of(history.basis or {})
    is_stale |= len(basis_of(campaign, pair, least=0)) < 2
    state = history.rebased(basis).state
    opinions = opinions_on(campaign, pair, basis)
    order = letters_of(campaign, pair, basis)
    opinions.sort(key=lambda opinion: order.index(opinion.assessors[0]))
    with contextlib.suppress(NoRoom):  # the document can be read nevertheless
        for kind in (*(() if ahead else (OPENED,)), *show):
            campaign.recorder.trace([key], kind, {})
    with campaign.recorder.reading() as store:
        seconds = store.seconds_on(key)
    data = {
        **document_text(campaign, pair[1]),
        "state": state.to_json(),
        "seconds": round(seconds, 1),
        "second": None,
        "stale": is_stale,
        "opinions": [
            _opinion(opinion, opinion.assessors[0] if state.done else chr(ord("A") + number % 26))
            for number, opinion in enumerate(opinions)
        ],
        "disputed": [[start, end, who] for start, end, who in disputed(opinions)],
    }
    if RUNS in show:
        data["retrieved"] = retrieved(campaign.contents.item(pair), campaign.lengths[pair[1]])
    return data


def judgments_side_by_side(campaign: Campaign, pair: AssignedPair) -> dict[str, Any]:
    """Return a document with the judgments of those who finished it, by name, and with the decision."""
    opinions = opinions_on(campaign, pair, basis_of(campaign, pair, least=0))
    decision = decisions_of(campaign).get(JudgedPair(*pair))
    found = {
        **document_text(campaign, pair[1]),
        "topic": pair[0],
        "opinions": [_opinion(opinion, opinion.assessors[0]) for opinion in opinions],
        "disputed": [[start, end, who] for start, end, who in disputed(opinions)],
        "decision": None,
    }
    if decision is not None:
        own = _opinion(opinion_of(decision.judged), decision.judged.assessor)
        found["decision"] = {**own, "state": decision.standing}
    return found


def _opinion(opinion: Opinion, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "highlights": [list(span) for span in opinion.highlights],
        "bep": opinion.bep,
        "grades": {
            path: list(grade) if isinstance(grade, tuple) else grade for path, grade in opinion.grades.items()
        },
        "labels": [[label.start, label.end, label.label, label.note] for label in opinion.labels],
    }
