"""What adjudicators get: the documents to decide, and a document with the judgments side by side."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from excerpt.assess.adjudication import (
    DECIDED,
    OPEN,
    STALE,
    adjudication,
    basis_of,
    decisions_of,
    disputed,
    letters_of,
    opinions_on,
)
from excerpt.assess.events import digest_of
from excerpt.assess.folder import NoRoom, NotAllowed
from excerpt.assess.opinions import JudgedPair, Opinion, opinion_of
from excerpt.assess.people import ADJUDICATOR, AssignedPair
from excerpt.assess.queue import (
    NOTHING,
    OPENED,
    RUNS,
    campaign_head,
    check_shown,
    document_row,
    document_text,
    retrieved,
    topic_rows,
)
from excerpt.errors import short

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

_STATES = {DECIDED: "done", STALE: "open", OPEN: "open"}


def pool_to_decide(campaign: Campaign, name: str, only: str | None = None) -> dict[str, Any]:
    """Return the documents that an adjudicator has to decide, by topic and weight, then the decided ones."""
    if only is not None:
        campaign.contents.check_topic(only)
    seconds, _ = campaign.work_of(name)
    others = set(campaign.permissions.people().names(ADJUDICATOR)) - {name}
    summaries = campaign.recorder.summaries()
    rows: dict[str, list[dict[str, Any]]] = {}
    for listed in adjudication(campaign, every=True).documents:
        pair = listed.pair
        if listed.adjudicator not in others and only in {None, pair.topic}:
            state, summary = _STATES.get(listed.state, "todo"), summaries.get((*pair, name), NOTHING)
            row = document_row(campaign, pair.document, state, summary, seconds.get(pair, 0.0))
            row |= {"second": False, "stale": listed.state == STALE, "weight": listed.difference.weight}
            rows.setdefault(pair.topic, []).append({**row, "assessors": len(listed.assessors)})
    head = campaign_head(campaign, name)
    head["asks"] |= {"phases": False}
    return {**head, "role": ADJUDICATOR, "topics": topic_rows(campaign, rows)}


def document_to_decide(
    campaign: Campaign, name: str, pair: AssignedPair, show: Sequence[str]
) -> dict[str, Any]:
    """Return a document with the judgments of its assessors, who are letters until it is decided."""
    ahead, show = check_shown(show, RUNS)
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
        **_side_by_side(opinions, named=state.done),
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
        **_side_by_side(opinions, named=True),
        "decision": None,
    }
    if decision is not None:
        own = _opinion(opinion_of(decision.judged), decision.judged.assessor)
        found["decision"] = {**own, "state": decision.standing}
    return found


def _side_by_side(opinions: Sequence[Opinion], *, named: bool) -> dict[str, Any]:
    """Return opinions, by letters unless they are named, and the text on which they differ."""
    return {
        "opinions": [
            _opinion(opinion, opinion.assessors[0] if named else chr(ord("A") + number % 26))
            for number, opinion in enumerate(opinions)
        ],
        "disputed": [list(part) for part in disputed(opinions)],
    }


def _opinion(opinion: Opinion, name: str) -> dict[str, Any]:
    grades = opinion.grades.items()
    return {
        "name": name,
        "highlights": [list(span) for span in opinion.highlights],
        "bep": opinion.bep,
        "grades": {path: list(grade) if isinstance(grade, tuple) else grade for path, grade in grades},
        "labels": [list(label[:4]) for label in opinion.labels],
    }
