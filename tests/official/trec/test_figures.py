"""Figures that count, against their definitions."""

from __future__ import annotations

import math
from fractions import Fraction
from math import log2

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ranked_documents import GRADES, ranking

from excerpt.official.trec import figures
from excerpt.official.trec.names import ask
from excerpt.official.trec.ranked_run import TrecEvalOptions, rank_run, read_qrels


@given(GRADES, GRADES, st.integers(0, 3))
@settings(max_examples=60)
def test_definitions(grades: list[int], unseen: list[int], level: int) -> None:
    """Sums over relevant documents, in exact arithmetic, one document after the other."""
    ranked = ranking(grades, unseen, level)
    judged = [grade for grade in [*grades, *unseen] if grade >= 0]
    total = sum(grade >= level for grade in judged)
    few = min(total, len(judged) - total)
    average = bpref = inferred = Fraction(0)
    found = irrelevant = waiting = 0
    epsilon = Fraction(1, 100_000)
    for place, grade in enumerate(grades):
        if grade >= level:
            found += 1
            average += Fraction(found, place + 1)
            bpref += 1 - (Fraction(min(irrelevant, total), few) if irrelevant else 0)
            above = found - 1 + irrelevant
            rate = (found - 1 + epsilon) / (above + 2 * epsilon)
            inferred += Fraction(1, place + 1) + (Fraction(above + waiting, place + 1) * rate if place else 0)
        irrelevant += 0 <= grade < level
        waiting += grade == -2
    expected = [float(value / max(total, 1)) for value in (average, bpref, inferred)]
    computed = [ranked.average_precision(), ranked.bpref(), figures.inferred_precision(ranked)]
    assert np.concatenate(computed) == pytest.approx(expected, abs=1e-12)


@given(GRADES, GRADES, st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]))
@settings(max_examples=60)
def test_interpolated_precision(grades: list[int], unseen: list[int], recall: float) -> None:
    """The best precision from the rank on at which so many relevant documents are found."""
    ranked = ranking(grades, unseen)
    hits = np.array([grade > 0 for grade in grades], np.bool_)
    wanted = math.floor(recall * int(ranked.total[0]) + 0.5)
    precisions = [
        hits[:rank].sum() / rank for rank in range(1, len(grades) + 1) if hits[:rank].sum() >= max(wanted, 1)
    ]
    expected = max(precisions, default=0.0) if len(grades) or wanted else math.nan
    assert figures.Interpolated(ranked).at(recall)[0] == pytest.approx(expected, nan_ok=True)


@given(
    st.dictionaries(
        st.sampled_from("123"),
        st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1),
        min_size=1,
    ),
    st.dictionaries(
        st.sampled_from("1234"),
        st.dictionaries(
            st.sampled_from("abcdefghijkl"),
            st.sampled_from([0.5, 1.0, 1.0 + 2**-30, 1.0 + 2**-22, 1e39, 16777217.0, 16777216.0]),
            min_size=1,
        ),
        min_size=1,
    ),
    st.integers(1, 2),
)
@settings(max_examples=40)
def test_against_pytrec_eval(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], level: int
) -> None:
    """The values behind the lines, for all measures that it has and that release 10 did not change."""
    if not qrels.keys() & run.keys():
        return
    changed = {"iprec_at_recall", "11pt_avg", "Rprec_mult"}
    names = set(pytrec_eval.supported_measures) - changed - {"runid", "num_q", "relstring"}
    found = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=level).evaluate(run)
    judged = "".join(
        f"{topic} 0 {name} {grade}\n" for topic, of in qrels.items() for name, grade in of.items()
    )
    lines = "".join(
        f"{topic} Q0 {name} 1 {score} r\n" for topic, of in run.items() for name, score in of.items()
    )
    ranked = rank_run(lines.encode(), read_qrels(judged.encode()), TrecEvalOptions(level=level))
    assert set(found) == set(ranked.topics)
    for asked in ask(sorted(names)):
        for name, values in asked.values(ranked):
            expected = [found[topic][name] for topic in ranked.topics]
            assert list(values) == pytest.approx(expected, abs=1e-12, nan_ok=True), name


def test_strings_of_grades() -> None:
    """One sign per document."""
    ranked = ranking([0, 12, -1, -2, 3, 1], [])
    assert figures.relevance_string(ranked, 5) == ["0>-.3"]
    assert figures.relevance_string(ranked, -1) == [""]


@given(GRADES, GRADES, st.sampled_from([(), (("1", 3.0), ("2", 0.0)), (("3", 9.0), ("p", 0.5), ("-1", 2.0))]))
@settings(max_examples=60)
def test_gains_definitions(grades: list[int], unseen: list[int], given_: figures.GradeGains) -> None:
    """Sums of gains, each by its logarithm; the best order has the highest gains first."""
    ranked = ranking(grades, unseen)
    other = {int(name): gain for name, gain in given_ if name != "p"}
    gain = [other.get(grade, max(grade, 0)) for grade in grades]
    judged = sorted((other.get(grade, grade) for grade in [*grades, *unseen] if grade >= 0), reverse=True)
    ideal = [value for value in judged if value > 0]
    got = sum(value / log2(place + 2) for place, value in enumerate(gain))
    best = sum(value / log2(place + 2) for place, value in enumerate(ideal))
    found = figures.Gained(ranked, given_)
    assert found.discounted[0] == pytest.approx(got)
    assert found.best_discounted[0] == pytest.approx(best)
    assert found.normalised()[0] == pytest.approx(got / best if best else 0)
    steps = [place for place in range(1, len(ideal)) if ideal[place] != ideal[place - 1]] + [len(ideal)]
    parts = [
        sum(value / log2(place + 2) for place, value in enumerate(gain[:step]))
        / sum(value / log2(place + 2) for place, value in enumerate(ideal[:step]))
        for step in (steps if ideal else [])
    ]
    if len(ideal) + 1 < len(gain) and ideal:
        parts.append(got / best)
    expected = sum(parts) / len(parts) if parts else np.nan
    assert found.at_levels()[0] == pytest.approx(expected if ranked.total[0] else 0, nan_ok=True)


def test_ndcg_cut_by_hand() -> None:
    """Grades 1, 0, 3 were returned; 2 is missing."""
    ranked = ranking([1, 0, 3], [2])
    best = 3 + 2 / log2(3) + 1 / 2
    assert ranked.normalised_gain(5)[0] == pytest.approx((1 + 3 / 2) / best)
    assert ranked.normalised_gain(1)[0] == pytest.approx(1 / 3)


def test_gains_of_less_than_one_difference_are_the_same_to_the_tool() -> None:
    """Its ideal order then is that in which they are given, so that 0 may come out on top."""
    ranked = ranking([1, 2], [0])
    assert figures.Gained(ranked, (("1", 0.5), ("2", 0.9))).best_discounted[0] == 0
    assert figures.Gained(ranked, (("1", 2.0), ("2", 4.0))).normalised()[0] == pytest.approx(
        (2 + 4 / log2(3)) / (4 + 2 / log2(3))
    )


def test_grades_beyond_all_grades() -> None:
    """They cost no more than others."""
    ranked = ranking([1_000_000, 1], [])
    assert figures.Gained(ranked, ()).normalised()[0] == 1
    assert figures.Gained(ranked, (("1", 2.0),)).normalised()[0] == 1


def test_rank_biased_precision() -> None:
    """Gains above 1 are scaled; the residual is what unjudged documents could add."""
    ranked = ranking([2, -1, 1], [])
    assert figures.Gained(ranked, ()).biased(0.5)[0] == pytest.approx(0.5 * (1 + 0.25 * 0.5))
    assert figures.biased_residual(ranked, 0.5)[0] == pytest.approx(0.125 + 0.5 * 0.5)
    assert figures.biased_residual(ranking([1], []), 0.5)[0] == 0
