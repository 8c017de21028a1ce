"""Assessors beside the machine: with and without having seen what it suggested."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from excerpt.assess.comparing import Both, Comparing, right_reasons
from excerpt.assess.merging import Opinion, Pair, covered
from excerpt.assess.opinions import opinion_of
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.assess.looking_back import Judged

#: Which judgments are compared, in the order of the rows.
SEEN = {
    "control": "suggestions that nobody gets to see",
    "not shown": "suggestions that the assessor did not ask for",
    "before": "as finished before the suggestions were shown, of documents that are finished now",
    "after": "the same documents as finished afterwards",
    "all": "all finished documents of topics with suggestions, those without any as if none were relevant",
}


def compare_with_machine(
    campaign: Campaign, comparing: Comparing, notices: Notices | None = None
) -> list[dict[str, Any]]:
    """Rows for every assessor and model: by whether the suggestions had been seen, at every level."""
    spans: dict[str, dict[Pair, list[tuple[int, int]]]] = {}
    for given in campaign.suggestions:
        pair = Pair(given.topic, given.document)
        spans.setdefault(given.model, {}).setdefault(pair, []).append((given.start, given.end))
    judged = campaign.judged() if spans else []
    if notices is not None:
        opened = sum(item.before is not None and not item.state.done for item in judged)
        notices.add("document was opened again after its suggestions were shown and was left out", opened)
    names = sorted({item.assessor for item in judged})
    return [
        row
        for name in names
        for model in sorted(spans)
        for row in _rows(
            campaign, comparing, model, spans[model], [item for item in judged if item.assessor == name]
        )
    ]


def _rows(
    campaign: Campaign,
    comparing: Comparing,
    model: str,
    spans: dict[Pair, list[tuple[int, int]]],
    judged: list[Judged],
) -> Iterator[dict[str, Any]]:
    machine = {
        pair: Opinion(pair, (model,), highlights=covered([[span] for span in found], 1))
        for pair, found in spans.items()
    }
    groups: dict[str, list[Both]] = {seen: [] for seen in SEEN}
    topics = {pair.topic for pair in machine}
    for item in judged:
        pair = Pair(item.topic, item.document)
        if pair.topic in topics and item.state.done:
            groups["all"].append((opinion_of(item), machine.get(pair, Opinion(pair, (model,)))))
        if pair in machine:
            _sort_in(groups, campaign, item, machine[pair])
    name = judged[0].assessor if judged else ""
    for seen, both in groups.items():
        if both:
            agreed, same = right_reasons(both)
            for row in comparing.rows(name, both):
                if row["level"].startswith("element") or row["level"] == "label":
                    continue  # a machine grades none
                del row["assessors"], row["topic"]
                head = {"assessor": name, "model": model, "seen": seen}
                yield {**head, **row, "agreed": agreed, "overlapping": same}


def _sort_in(groups: dict[str, list[Both]], campaign: Campaign, item: Judged, machine: Opinion) -> None:
    """Where a document belongs by whether its suggestions were seen."""
    if not item.state.done:  # before and after are of the same documents
        return
    if item.before is not None:
        groups["before"].append((opinion_of(item, item.before), machine))
        groups["after"].append((opinion_of(item), machine))
    else:
        seen = "control" if campaign.in_control(item.topic, item.document) else "not shown"
        groups[seen].append((opinion_of(item), machine))
