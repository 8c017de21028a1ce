"""Limitations of an evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from excerpt.errors import plural
from excerpt.evaluation.scoring import Scoring
from excerpt.model.duplicate_evidence import SHORTEST
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import IntArray
from excerpt.notices import Notices
from excerpt.view.run_columns import Kept
from excerpt.view.verdicts import whole

Doubt = dict[str, str]

_LOW = 0.01
_NAMED = 8


def list_doubts(
    table: ScoreTable,
    judgments: Judgments,
    kept: Sequence[Kept],
    policy: Policy,
    comparison: dict[str, Any] | None,
    elsewhere: IntArray | str | None,
) -> list[Doubt]:
    """All doubts, the number of topics first."""
    scores = table.values[:, :, 0]
    return [
        _topics(table, scores, comparison),
        *_left_out(judgments, scores),
        *_low(judgments, scores),
        _unjudged(kept),
        *_ties(table, scores),
        *_elsewhere(judgments, elsewhere),
        _overlap(kept, policy),
    ]


def _doubt(figure: str | int, text: str) -> Doubt:
    return {"figure": figure if isinstance(figure, str) else whole(figure), "text": text}


def _topics(table: ScoreTable, scores: Any, comparison: dict[str, Any] | None) -> Doubt:
    """How many topics there are, and the largest difference that they could not confirm."""
    known = int((~np.isnan(scores)).all(axis=0).sum()) if len(scores) else 0
    topics = "topic" if known == 1 else "topics"
    if comparison is None:
        return _doubt(known, f"{topics} with a score. No difference was tested.")
    pairs = comparison["pairs"]
    differences = pairs["difference"]
    open_ = [place for place, found in enumerate(pairs["significant"]) if not found]
    place = max(open_, key=differences.__getitem__) if open_ else int(np.argmin(differences))
    runs = " to ".join(table.runs[pairs[side][place]] for side in ("first", "second"))
    if not open_:
        said = f"The smallest difference, {differences[place]:.4f} ({runs}), was confirmed for these topics; "
        said += "others may tell otherwise."
    elif differences[place] == 0:
        said = "Runs that were not told apart have the same mean."
    else:
        said = f"A difference of {differences[place]:.4f} ({runs}) could not be confirmed."
    return _doubt(known, f"{topics}. {said}")


def _left_out(judgments: Judgments, scores: Any) -> list[Doubt]:
    """Topics that no run has a score for, and why."""
    gone = np.isnan(scores).all(axis=0)
    empty = gone & ~judgments.has_relevant
    found = []
    for mask, why in ((empty, "no relevant text"), (gone & ~empty, "no score by the first measure")):
        if mask.any():
            names = [judgments.topics[topic] for topic in np.flatnonzero(mask)]
            left = "topic left out of the means" if len(names) == 1 else "topics left out of the means"
            found.append(_doubt(len(names), f"{left}: {why} ({_ranges(names)})."))
    return found


def _low(judgments: Judgments, scores: Any) -> list[Doubt]:
    """Topics on which every run is almost 0."""
    known = ~np.isnan(scores)
    low = known.any(axis=0) & (np.where(known, scores, 0) < _LOW).all(axis=0)
    names = [judgments.topics[topic] for topic in np.flatnonzero(low)]
    if not names:
        return []
    topics, they = ("topic", "it says") if len(names) == 1 else ("topics", "they say")
    where = f"{topics} on which every run is under {_LOW} ({_ranges(names)})"
    return [_doubt(len(names), f"{where}: {they} nothing about the order.")]


def _unjudged(kept: Sequence[Kept]) -> Doubt:
    """The share of results that nobody judged."""
    results, unjudged = sum(run.results for run in kept), sum(run.unjudged for run in kept)
    if not unjudged:
        return _doubt(
            "0\u202f%", "of the results are unjudged: every document returned was judged for its topic."
        )
    share = 100 * unjudged / results
    shown = "<1" if share < 1 else ">99" if 99 < share < 100 else f"{share:.0f}"
    return _doubt(
        f"{shown}\u202f%",
        f"of the results ({whole(unjudged)} of {whole(results)}) lie in documents "
        "that nobody judged for the topic. They count as not relevant, which nobody knows.",
    )


def _ties(table: ScoreTable, scores: Any) -> list[Doubt]:
    """Pairs of runs with the same mean, or the same score on every topic."""
    means = table.means()[:, 0]
    equal = [
        (first, second)
        for first, second in combinations(np.argsort(means, kind="stable").tolist(), 2)
        if means[first] == means[second]
    ]
    if not equal:
        return []
    first, second = sorted(equal[0])
    same = bool(np.array_equal(scores[first], scores[second], equal_nan=True))
    what = "the same score on every topic" if same else "the same mean"
    more = "" if len(equal) == 1 else f", and {plural(len(equal) - 1, 'other pair')} a mean in common"
    pairs = "pair of runs is tied" if len(equal) == 1 else "pairs of runs are tied"
    return [_doubt(len(equal), f"{pairs}: {table.runs[first]} and {table.runs[second]} have {what}{more}.")]


def _elsewhere(judgments: Judgments, found: IntArray | str | None) -> list[Doubt]:
    """How much evidence stands at a second place that nobody marked."""
    if isinstance(found, str):
        return [_doubt("?", found)]
    long = int((judgments.spans.length >= SHORTEST).sum())
    if found is None or not long:
        return []
    count = int((found > 0).sum())
    where = f"{'stands' if count == 1 else 'stand'}, word for word, at a second place that nobody marked"
    return [_doubt(count, f"of {whole(long)} longer passages {where}.")]


_POLICIES = {
    "first": "each character counted once",
    "penalise": "text shown again counted as read, but not as relevant",
    "allow": "text counted every time it was shown",
}


def _overlap(kept: Sequence[Kept], policy: Policy) -> Doubt:
    """How many results repeat text, and what the policy does about it."""
    repeats = sum(run.again.total for run in kept)
    runs = sum(run.again.total > 0 for run in kept)
    if not repeats:
        return _doubt(0, f"results overlap; policy {policy.overlap}, so nothing was changed.")
    shows = "result shows" if repeats == 1 else "results show"
    if policy.overlap == "error":
        did = "no measure here minds"
    else:
        did = f"policy {policy.overlap}: {_POLICIES[policy.overlap]}"
    return _doubt(repeats, f"{shows} text a second time, in {plural(runs, 'run')}; {did}.")


def _ranges(names: Iterable[str]) -> str:
    """Names, neighbours that differ by one at the end as a range.

    >>> _ranges(["CU25", "CU28", "CU29", "CU30", "X"])
    'CU25, CU28\u2013CU30, X'
    """
    groups: list[list[str]] = []
    for name in names:
        if groups and _follows(groups[-1][-1], name):
            groups[-1].append(name)
        else:
            groups.append([name])
    said = [", ".join(group) if len(group) < 3 else f"{group[0]}\u2013{group[-1]}" for group in groups]
    return ", ".join(said) if len(said) <= _NAMED else f"{', '.join(said[:_NAMED])}, …"


def _follows(one: str, other: str) -> bool:
    """Whether a name is the next number after another."""
    head = one.rstrip("0123456789")
    first, second = one[len(head) :], other[len(head) :]
    return (
        other.startswith(head)
        and len(first) == len(second)
        and first.isascii()
        and second.isdecimal()
        and second.isascii()
        and bool(first)
        and int(second) == int(first) + 1
    )


def notice_bytes(scoring: Scoring, notices: Notices) -> None:
    """Say where offsets of bytes meet text of characters."""
    index, corpus = scoring.reading.index, scoring.reading.corpus
    if corpus is not None and "byte" in {scoring.judgments.unit, index.unit if index else "char"}:
        notices.add("offsets count bytes: what is marked in a text stands too late where it is not ASCII")
