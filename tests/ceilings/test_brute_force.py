"""Ceilings against every ranked list of the units of small worlds."""

from __future__ import annotations

import itertools
from fractions import Fraction

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
OVERLAPPING = ["charF", "charF(beta=2)", "nDCG", "nDCG@2", "recall", "recall@2", "found", "found(share=0.5)"]
BUDGETS = ["recall(budget=5)", "recall(budget=9)", "found(budget=6)", "found(share=0.5, budget=4)"]
BUDGETS += ["found(budget=9)", "found(share=0.7, budget=7)", "allfound(budget=7)", "allfound(budget=12)"]
APART = ["MAgP", "AgP(beta=0.25)", "MAiP", "iP[0.30]", "iP[1.00]", "iP[0.00]"]


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


def best_scores(gold: Judgments, units: Spans, names: list[str], *, apart: bool) -> dict[str, float]:
    """The best score of all ranked lists, one after the other."""
    runs: list[Run] = []
    for size in range(1, len(units) + 1):
        for order in itertools.permutations(units, size):
            if apart and any(overlap(*pair) for pair in itertools.combinations(order, 2)):
                continue
            runs.append(Run.of(f"r{len(runs)}", [("1", *unit) for unit in order]))
    means = excerpt.evaluate(gold, runs, names, corpus=CORPUS, policy=ANY_ORDER, notices=Notices()).means()
    return dict(zip(names, means.max(axis=0).tolist(), strict=True))


def check(gold: Judgments, units: Spans, names: list[str], *, apart: bool, exact: set[str]) -> None:
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


@settings(max_examples=30, deadline=None)
@given(spans(3), spans(6))
def test_disjoint_units(passages: Spans, units: Spans) -> None:
    """charF, MAgP, iP, nDCG and budgets are exact."""
    gold, own = Judgments.of([("1", *passage) for passage in passages]), apart_of(units)[:4]
    if not any(unit[0] == passage[0] for unit in own for passage in passages):
        return
    exact = {"charF", "charF(beta=2)", "nDCG", "nDCG@2", "recall", "recall@2", "found", "found(share=0.5)"}
    check(gold, own, OVERLAPPING + BUDGETS, apart=False, exact={*exact, *BUDGETS})
    check(gold, own, APART, apart=True, exact={*APART} - {"MAiP"})


def nested_of(units: Spans) -> Spans:
    """Spans, without those that cross one before them."""
    kept: Spans = []
    for unit in units:
        if all(
            not overlap(unit, other)
            or (unit[1] <= other[1] and other[2] <= unit[2])
            or (other[1] <= unit[1] and unit[2] <= other[2])
            for other in kept
        ):
            kept.append(unit)
    return kept


def read_within(units: tuple[tuple[str, int, int], ...], budget: int) -> set[tuple[str, int]]:
    """The characters that are shown when reading stops after so many, repeated ones included."""
    shown = set[tuple[str, int]]()
    for document, start, end in units:
        read = min(end - start, budget)
        shown |= {(document, at) for at in range(start, start + read)}
        budget -= read
    return shown


def passages_of(gold: Spans) -> list[set[tuple[str, int]]]:
    """Relevant passages as sets of characters; those that touch are one."""
    judged = Judgments.of([("1", *passage) for passage in gold])
    return [{(one.document, at) for at in range(one.start, one.end)} for one in judged.highlights("1")]


@settings(max_examples=150, deadline=None)
@given(spans(4), spans(8), st.integers(1, 16), st.sampled_from((Fraction(1), Fraction(1, 2), Fraction(2, 3))))
def test_budgets_over_nested_units(gold: Spans, units: Spans, budget: int, share: Fraction) -> None:
    """Against every list by sets of characters: the order matters for the last result only."""
    own = nested_of(units)[:6]
    if not any(overlap(unit, passage) for unit in own for passage in gold):
        return
    passages = passages_of(gold)
    relevant = set.union(*passages)
    recall, found = Fraction(0), 0
    for size in range(1, len(own) + 1):
        for some in itertools.combinations(own, size):
            for last in some:
                order = (*(unit for unit in some if unit != last), last)
                if sum(high - low for _, low, high in order[:-1]) > budget:
                    continue
                shown = read_within(order, budget)
                recall = max(recall, Fraction(len(shown & relevant), len(relevant)))
                enough = (len(one & shown) >= share * len(one) for one in passages)
                found = max(found, sum(enough))
    of_found = f"share={share.numerator}/{share.denominator}" if share < 1 else "share=1"
    names = (
        f"recall(budget={budget})",
        *(f"{n}({of_found}, budget={budget})" for n in ("found", "allfound")),
    )
    judged = Judgments.of([("1", *passage) for passage in gold])
    table = excerpt.ceiling(judged, [], names, unit=chunks_of(own), corpus=CORPUS, notices=Notices())
    assert "upper" not in table.gaps[table.runs[0]]
    expected = [float(recall), found / len(passages), float(found == len(passages))]
    assert [table.mean(table.runs[0], name) for name in names] == pytest.approx(expected, abs=1e-12)


@settings(max_examples=30, deadline=None)
@given(spans(3), spans(5))
def test_overlapping_units(passages: Spans, units: Spans) -> None:
    """charF is exact whatever overlaps; others are within their bounds."""
    gold = Judgments.of([("1", *passage) for passage in passages])
    if any(unit[0] == passage[0] for unit in units[:4] for passage in passages):
        check(gold, units[:4], OVERLAPPING + BUDGETS, apart=False, exact={"charF", "charF(beta=2)", "recall"})
