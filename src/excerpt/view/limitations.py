"""Limitations of an evaluation: unjudged results, ties, left-out topics, overlap."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from excerpt.errors import plural
from excerpt.evaluation.scoring import Scoring
from excerpt.experiments.ranking_verdict import whole
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.spans import IntArray
from excerpt.notices import Notices
from excerpt.placing.duplicate_evidence import SHORTEST
from excerpt.scores.score_table import ScoreTable
from excerpt.view.run_columns import RunColumns

Limitation = dict[str, str]

_LOW = 0.01
_NAMED = 8


def list_limitations(
    table: ScoreTable,
    judgments: Judgments,
    kept: Sequence[RunColumns],
    policy: Policy,
    comparison: dict[str, Any] | None,
    elsewhere: IntArray | str | None,
) -> list[Limitation]:
    """All limitations, the number of topics first; nothing that is fine."""
    scores = table.values[:, :, 0]
    return [
        _topics(table, scores, comparison),
        *_left_out(judgments, scores),
        *_low(judgments, scores),
        *_unjudged(kept),
        *_ties(table, scores),
        *_elsewhere(judgments, elsewhere),
        *_overlap(kept, policy),
    ]


def _limitation(figure: str | int, text: str) -> Limitation:
    return {"figure": figure if isinstance(figure, str) else whole(figure), "text": text}


def _topics(table: ScoreTable, scores: Any, comparison: dict[str, Any] | None) -> Limitation:
    """Number of topics, and the largest difference that is not significant."""
    count = int((~np.isnan(scores)).all(axis=0).sum()) if len(scores) else 0
    topics = "topic" if count == 1 else "topics"
    if comparison is None:
        return _limitation(count, f"{topics} with a score. No difference was tested.")
    pairs = comparison["pairs"]
    differences = pairs["difference"]
    undecided = [pair for pair, significant in enumerate(pairs["significant"]) if not significant]
    pair = max(undecided, key=differences.__getitem__) if undecided else int(np.argmin(differences))
    runs = " and ".join(table.runs[pairs[side][pair]] for side in ("first", "second"))
    if not undecided:
        remark = f"The smallest difference, {differences[pair]:.4f} ({runs}), is significant on these topics"
        remark += "; other topics may differ."
    elif differences[pair] == 0:
        remark = "Runs that are not significantly different have the same mean."
    else:
        remark = f"The largest difference that is not significant is {differences[pair]:.4f} ({runs})."
    return _limitation(count, f"{topics}. {remark}")


def _left_out(judgments: Judgments, scores: Any) -> list[Limitation]:
    """Topics without a score of any run, with the reason."""
    gone = np.isnan(scores).all(axis=0)
    empty = gone & ~judgments.has_relevant
    limitations = []
    for mask, why in ((empty, "no relevant text"), (gone & ~empty, "no score for the first measure")):
        if mask.any():
            names = [judgments.topics[topic] for topic in np.flatnonzero(mask)]
            left = f"{'topic' if len(names) == 1 else 'topics'} left out of the means"
            limitations.append(_limitation(len(names), f"{left}: {why} ({_ranges(names)})."))
    return limitations


def _low(judgments: Judgments, scores: Any) -> list[Limitation]:
    """Topics where every run scores almost 0."""
    defined = ~np.isnan(scores)
    low = defined.any(axis=0) & (np.where(defined, scores, 0) < _LOW).all(axis=0)
    names = [judgments.topics[topic] for topic in np.flatnonzero(low)]
    if not names:
        return []
    topics, they_do = ("topic", "it does") if len(names) == 1 else ("topics", "they do")
    where = f"{topics} where every run scores below {_LOW} ({_ranges(names)})"
    return [_limitation(len(names), f"{where}; {they_do} not help to rank runs.")]


def _unjudged(kept: Sequence[RunColumns]) -> list[Limitation]:
    """Proportion of unjudged results, if there are any."""
    results, unjudged = sum(run.results for run in kept), sum(run.unjudged for run in kept)
    if not unjudged:
        return []
    share = 100 * unjudged / results
    shown = "<1" if share < 1 else ">99" if 99 < share < 100 else f"{share:.0f}"
    return [
        _limitation(
            f"{shown}\u202f%",
            f"of the results ({whole(unjudged)} of {whole(results)}) are unjudged: their documents were not "
            "judged for the topic. They count as not relevant, but nobody has checked.",
        )
    ]


def _ties(table: ScoreTable, scores: Any) -> list[Limitation]:
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
    tie = "the same score on every topic" if same else "the same mean"
    more = "" if len(equal) == 1 else f"; other pairs with the same mean: {len(equal) - 1}"
    pairs = "pair of runs is tied" if len(equal) == 1 else "pairs of runs are tied"
    pairs += f": {table.runs[first]} and {table.runs[second]} have {tie}{more}."
    return [_limitation(len(equal), pairs)]


def _elsewhere(judgments: Judgments, elsewhere: IntArray | str | None) -> list[Limitation]:
    """Number of passages that also appear, unmarked, elsewhere."""
    if isinstance(elsewhere, str):
        return [_limitation("?", elsewhere)]
    long = int((judgments.spans.length >= SHORTEST).sum())
    if elsewhere is None or not long:
        return []
    count = int((elsewhere > 0).sum())
    if not count:
        return []
    also = f"{'also appears' if count == 1 else 'also appear'}, unmarked, elsewhere"
    return [_limitation(count, f"of {whole(long)} passages of {SHORTEST} or more characters {also}.")]


_POLICIES = {
    "first": "each character counts once",
    "penalise": "repeated text counts as read, but not as relevant",
    "allow": "text counts every time it is returned",
}


def _overlap(kept: Sequence[RunColumns], policy: Policy) -> list[Limitation]:
    """Number of results that repeat text, if any, and how the policy counts them."""
    repeats = sum(run.again.total for run in kept)
    runs = sum(run.again.total > 0 for run in kept)
    if not repeats:
        return []
    repeat = "result repeats" if repeats == 1 else "results repeat"
    if policy.overlap == "error":
        counted = "these measures allow overlap"
    else:
        counted = f"policy {policy.overlap}: {_POLICIES[policy.overlap]}"
    return [_limitation(repeats, f"{repeat} text of the same run, in {plural(runs, 'run')}; {counted}.")]


def _ranges(names: Iterable[str]) -> str:
    """Names in a list; consecutive numbers become a range.

    >>> _ranges(["CU25", "CU28", "CU29", "CU30", "X"])
    'CU25, CU28\u2013CU30, X'
    """
    groups: list[list[str]] = []
    for name in names:
        if groups and _follows(groups[-1][-1], name):
            groups[-1].append(name)
        else:
            groups.append([name])
    parts = [", ".join(group) if len(group) < 3 else f"{group[0]}\u2013{group[-1]}" for group in groups]
    return ", ".join(parts) if len(parts) <= _NAMED else f"{', '.join(parts[:_NAMED])}, …"


def _follows(one: str, other: str) -> bool:
    """Return whether `other` is `one` with its number increased by one."""
    head = one.rstrip("0123456789")
    digits = one[len(head) :]
    same = bool(digits) and len(one) == len(other) and other.startswith(head)
    return same and other == f"{head}{int(digits) + 1:0{len(digits)}}"


def warn_byte_offsets(scoring: Scoring, notices: Notices) -> None:
    """Warn if offsets count bytes but texts are shown by characters."""
    index, corpus = scoring.reading.index, scoring.reading.corpus
    if corpus is not None and "byte" in {scoring.judgments.unit, index.unit if index else "char"}:
        notices.add("offsets count bytes: marks are shifted in texts with non-ASCII characters")
