"""Ceilings against every ranked list of the units of small worlds."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import Corpus, Judgments, Notices, Policy, Run
from excerpt.placing.chunks import Chunks

TEXTS = {"A": "abcdefghijkl", "B": "mnopqrst"}
CORPUS = Corpus(TEXTS)
#: Lists may return to a document, which MAgP takes as one.
ANY_ORDER = Policy(interleaved="regroup")
Spans = list[tuple[str, int, int]]
OVERLAPPING: tuple[str, ...] = (
    "charF",
    "charF(beta=2)",
    "nDCG",
    "nDCG@2",
    "recall",
    "recall@2",
    "recall(budget=5)",
)
OVERLAPPING += ("recall(budget=9)", "found(budget=6)", "allfound(budget=7)", "found", "found(share=0.5)")
APART = ("MAgP", "AgP(beta=0.25)", "MAiP", "iP[0.30]", "iP[1.00]", "iP[0.00]")


@st.composite
def spans(draw: st.DrawFn, most: int) -> Spans:
    """Some spans of both documents."""
    found = set()
    for _ in range(draw(st.integers(1, most))):
        document = draw(st.sampled_from(sorted(TEXTS)))
        start = draw(st.integers(0, len(TEXTS[document]) - 1))
        end = draw(st.integers(start + 1, len(TEXTS[document])))
        found.add((document, start, end))
    return sorted(found)


def overlap(one: tuple[str, int, int], two: tuple[str, int, int]) -> bool:
    """Whether two spans share a character."""
    return one[0] == two[0] and one[1] < two[2] and two[1] < one[2]


def chunks_of(units: Spans) -> Chunks:
    """Chunks at these spans; every character of the texts occurs once."""
    return CORPUS.place([{"document": name, "text": TEXTS[name][low:high]} for name, low, high in units])


def best_scores(gold: Judgments, units: Spans, names: tuple[str, ...], *, apart: bool) -> dict[str, float]:
    """The best score of all ranked lists, one after the other."""
    runs: list[Run] = []
    for size in range(1, len(units) + 1):
        for order in itertools.permutations(units, size):
            if apart and any(overlap(*pair) for pair in itertools.combinations(order, 2)):
                continue
            runs.append(Run.of(f"r{len(runs)}", [("1", *unit) for unit in order]))
    means = excerpt.evaluate(gold, runs, names, corpus=CORPUS, policy=ANY_ORDER, notices=Notices()).means()
    return dict(zip(names, means.max(axis=0).tolist(), strict=True))


def check(gold: Judgments, units: Spans, names: tuple[str, ...], *, apart: bool, exact: set[str]) -> None:
    """A ceiling is the best score, or the best score is between its bounds; its list has its score."""
    best = best_scores(gold, units, names, apart=apart)
    table = excerpt.ceiling(
        gold, [], names, unit=chunks_of(units), corpus=CORPUS, policy=ANY_ORDER, notices=Notices()
    )
    upper = table.gaps[table.runs[0]].get("upper", {})
    for name in names:
        attained = table.mean(table.runs[0], name)
        assert attained <= best[name] + 1e-12, name
        if name in upper:
            assert name not in exact
            assert best[name] <= upper[name] + 1e-9, name
        else:
            assert attained == pytest.approx(best[name], abs=1e-12), name


def apart_of(units: Spans) -> Spans:
    """Spans, without those that overlap one before them."""
    kept: Spans = []
    for unit in units:
        if not any(overlap(unit, other) for other in kept):
            kept.append(unit)
    return kept


@settings(max_examples=60, deadline=None)
@given(spans(3), spans(6))
def test_disjoint_units(passages: Spans, units: Spans) -> None:
    """charF, MAgP, iP, nDCG and budgets are exact."""
    gold, own = Judgments.of([("1", *passage) for passage in passages]), apart_of(units)[:5]
    if not any(unit[0] == passage[0] for unit in own for passage in passages):
        return
    exact = {"charF", "charF(beta=2)", "nDCG", "nDCG@2", "recall", "recall@2", "recall(budget=5)"}
    check(gold, own, OVERLAPPING, apart=False, exact={*exact, "recall(budget=9)"})
    check(gold, own, APART, apart=True, exact={*APART} - {"MAiP"})


@settings(max_examples=60, deadline=None)
@given(spans(3), spans(5))
def test_overlapping_units(passages: Spans, units: Spans) -> None:
    """charF is exact whatever overlaps; others are within their bounds."""
    gold = Judgments.of([("1", *passage) for passage in passages])
    if any(unit[0] == passage[0] for unit in units[:4] for passage in passages):
        check(gold, units[:4], OVERLAPPING, apart=False, exact={"charF", "charF(beta=2)", "recall"})
