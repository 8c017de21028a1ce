"""Estimates and their errors, on every sample of a small topic and against definitions with fractions."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import sample_oracle as oracle

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Run
from excerpt.estimates.estimation import design_of
from excerpt.render.tables import show

LINEAR = ["relevant", "recallbase", "charP", "charP@2", "charP@4"]


def scores(judgments: Judgments, measures: list[str], key: str = "estimate") -> dict[str, float]:
    """Estimates, or errors, of the small run."""
    table = excerpt.evaluate(judgments, [oracle.run_of()], measures, notices=Notices())
    return dict(table.gaps["r"][key])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_totals_and_precision_are_unbiased_over_all_samples(size: int) -> None:
    """The mean of the estimates over every sample is the score by all judgments."""
    exact = excerpt.evaluate(oracle.full(), [oracle.run_of()], LINEAR)["r"]
    found = [scores(judgments, LINEAR) for judgments in oracle.every_sample(size)]
    for name in LINEAR:
        assert math.isclose(sum(one[name] for one in found) / len(found), exact[name], rel_tol=1e-12)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_design_errors_are_unbiased_over_all_samples(size: int) -> None:
    """The mean of the estimated variances is the variance of the estimates."""
    samples = list(oracle.every_sample(size))
    estimates = [scores(judgments, LINEAR) for judgments in samples]
    errors = [scores(judgments, LINEAR, "error_design") for judgments in samples]
    for name in LINEAR:
        variance = float(np.var([one[name] for one in estimates]))
        assert math.isclose(sum(one[name] ** 2 for one in errors) / len(errors), variance, rel_tol=1e-9)


def test_the_sum_over_relevant_documents_of_agp_is_unbiased_over_all_samples() -> None:
    """Pairs of documents count by the probability that both are drawn."""
    run = oracle.run_of(results=[("C", 0, 30), ("A", 20, 60), ("G", 0, 9), ("F", 0, 40), ("E", 0, 50)])
    exact = excerpt.evaluate(oracle.full(), [run], ["AgP", "recallbase"])["r"]
    summed = []
    for judgments in oracle.every_sample(3):
        own = excerpt.evaluate(judgments, [run], ["AgP", "recallbase"])["r"]
        summed.append(own["AgP"] * own["recallbase"])
    assert math.isclose(sum(summed) / len(summed), exact["AgP"] * exact["recallbase"], rel_tol=1e-12)


def test_agp_is_as_defined() -> None:
    """A generalised precision at each sampled relevant document, given that it was drawn."""
    run = oracle.run_of(results=[("C", 0, 30), ("A", 20, 60), ("F", 0, 40), ("E", 0, 50)])
    judgments = oracle.judged(
        {"A": Fraction(1), "C": Fraction(1, 2), "F": Fraction(1, 2), "G": Fraction(1, 2)}
    )
    own = [Fraction(2 * 10, 30 + 10), Fraction(2 * 20, 40 + 40), Fraction(2 * 10, 40 + 30), Fraction(0)]
    strata = [(6, 3), (1, 1), (6, 3), None]
    summed = oracle.agp_numerator(own, [True, True, True, False], strata)
    found = excerpt.evaluate(judgments, [run], ["AgP"])["r"]["AgP"]
    assert math.isclose(found, float(summed / (1 + 2 + 2)), rel_tol=1e-12)


ALL = ["MAiP", "iP@0.01", "iP@0.5", "charP@3", "charR", "charR@2", "AgP", "relevant", "recallbase"]


def test_judging_everything_is_an_evaluation() -> None:
    """With probability 1 for every document estimates are the scores, and design errors are 0."""
    exact = excerpt.evaluate(oracle.full(), [oracle.run_of(results=oracle.RESULTS[:4])], ALL)
    known = oracle.judged(dict.fromkeys(oracle.SPANS, Fraction(1)))
    table = excerpt.evaluate(known, [oracle.run_of(results=oracle.RESULTS[:4])], ALL)
    for name in ALL:
        assert math.isclose(table["r"][name], exact["r"][name], rel_tol=1e-12)
        assert table.gaps["r"]["error_design"][name] == 0


def test_maxima_are_as_defined() -> None:
    """Without the halves: precision at a drawn document, given that it was drawn; recall by the weights."""
    judgments = oracle.judged(
        {"A": Fraction(1), "C": Fraction(1, 2), "F": Fraction(1, 2), "G": Fraction(1, 2)}
    )
    from excerpt.estimates.weighted_scores import TopicRun, score_of
    from excerpt.evaluation.scoring import Scoring
    from excerpt.measures import parse

    measure, notices = parse("iP[0.50]"), Notices()
    joined = Scoring.of(judgments, [measure], notices=notices).join(
        oracle.run_of(results=[("C", 0, 30), ("A", 20, 60), ("F", 0, 40)]), notices
    )
    design, score = design_of(judgments), score_of(measure)
    assert score is not None
    values = score(TopicRun(joined, design.documents(every=False)[0]), design.weightings(measure)[0])
    # Found: 2·10, 40, 60 of 120. At F, C counts (6-1)/(3-1) and F itself once: (2.5·10 + 20 + 10) / 110.
    assert math.isclose(values[0], (2.5 * 10 + 20 + 10) / 110, rel_tol=1e-12)


@given(
    st.permutations("ABCDEFGH"),
    st.dictionaries(
        st.sampled_from("ABCDEFGHIJ"),
        st.tuples(st.integers(-1, 2), st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 3)])),
        min_size=1,
    ),
)
def test_stat_ap_is_as_defined(ranking: list[str], drawn: dict[str, tuple[int, Fraction]]) -> None:
    """On generated rankings and prels."""
    drawn = {"A": (0, Fraction(1)), **drawn}  # one document that both know
    prels = "".join(f"1 {name} {grade} 1 {chance}\n" for name, (grade, chance) in drawn.items())
    run = Run.of("r", {"1": {name: -place for place, name in enumerate(ranking)}})
    found = excerpt.evaluate(prels.encode(), [run], "statAP", notices=Notices()).mean("r", "statAP")
    expected = oracle.stat_ap(ranking, drawn)
    assert math.isnan(found) if expected is None else math.isclose(found, expected, rel_tol=1e-12)


@given(
    st.permutations("ABCDEFGH"),
    st.dictionaries(
        st.sampled_from("ABCDEFGHIJ"),
        st.tuples(st.sampled_from(["1", "2"]), st.integers(-1, 2)),
        min_size=1,
    ),
)
def test_xinf_ap_is_as_defined(ranking: list[str], strata: dict[str, tuple[str, int]]) -> None:
    """On generated rankings and strata."""
    strata = {"A": ("1", 0), **strata}  # one document that both know
    lines = "".join(f"1 0 {name} {stratum} {grade}\n" for name, (stratum, grade) in strata.items())
    run = Run.of("r", {"1": {name: -place for place, name in enumerate(ranking)}})
    found = excerpt.evaluate(lines.encode(), [run], "xinfAP", notices=Notices()).mean("r", "xinfAP")
    expected = oracle.xinf_ap(ranking, strata)
    assert math.isnan(found) if expected is None else math.isclose(found, expected, rel_tol=1e-9)


def test_one_draw_has_no_design_error() -> None:
    """JSON has null, and a warning names the topic."""
    judgments = oracle.judged({"A": Fraction(1), "C": Fraction(1, 5)})
    table = excerpt.evaluate(judgments, [oracle.run_of()], "charP", notices=Notices())
    (run,) = json.loads(json.dumps(table.to_dict()))["runs"]
    assert run["error_design"] == {"charP": None}
    assert "topic has a stratum of which one document was drawn" in table.warnings[0]
    assert "±" not in str(table).splitlines()[2]


def test_estimates_are_printed_with_their_error() -> None:
    """In text after ±, in CSV as columns, in JSON by measure."""
    judgments = oracle.judged(
        {"A": Fraction(1), "C": Fraction(1, 2), "F": Fraction(1, 2), "G": Fraction(1, 2)}
    )
    table = excerpt.evaluate(judgments, [oracle.run_of()], ["charP@4", "judged@4"])
    error = table.gaps["r"]["error_design"]["charP@4"]
    assert f"{table['r']['charP@4']:.4f} ± {error:.4f}" in str(table)
    assert "judged@4 1.0000" in str(table)
    csv = show(table, "csv").splitlines()
    assert csv[0] == "run,charP@4,charP@4 error_design,charP@4 error_topics,judged@4"
    assert rf"{table['r']['charP@4']:.4f} $\pm$ {error:.4f}" in show(table, "latex")
    (run,) = table.to_dict()["runs"]
    assert run["estimate"] == {"charP@4": run["scores"]["charP@4"]}
    assert run["error_topics"] == {"charP@4": None}


def test_measures_without_an_estimate_are_named() -> None:
    """They count the judged documents alone, with a warning."""
    table = excerpt.evaluate(
        oracle.judged({"A": Fraction(1)}), [oracle.run_of()], ["charF"], notices=Notices()
    )
    assert "no estimate from sampled judgments by charF" in table.warnings[0]
    assert table.gaps["r"]["estimate"] == {}


def test_xinfap_needs_all_documents_of_the_strata() -> None:
    """Lists of drawn documents alone do not tell how many there are above a rank."""
    run = Run.of("r", {"1": {"A": 1}})
    with pytest.raises(ExcerptError, match="needs all documents of the strata"):
        excerpt.evaluate(b"1 A 1 1 0.5\n1 B 1 1 0.5\n", [run], "xinfAP")
    with pytest.raises(ExcerptError, match="statAP needs probabilities, but the judgments have none"):
        excerpt.evaluate(b"1 0 A 1\n", [run], "statAP")


def test_comparison_uses_both_errors() -> None:
    """A difference within the error of the sample is not significant, however equal the topics are."""
    rows = []
    for topic in "12345678":
        rows += [{"topic": topic, "document": "A", "spans": [[0, 40]], "probability": 1}]
        rows += [{"topic": topic, "document": name, "spans": [[0, 10]], "probability": 0.1} for name in "BC"]
        rows += [{"topic": topic, "document": name, "spans": [], "probability": 0.1} for name in "DE"]
    one = Run.of("one", [(topic, name, 0, 20) for topic in "12345678" for name in "ABC"])
    two = Run.of("two", [(topic, name, 0, 20) for topic in "12345678" for name in "AXY"])
    outcome = excerpt.compare(excerpt.Judgments.of(rows), [one, two], ["charP"], test="t")
    (row,) = outcome.rows
    from statistics import NormalDist

    assert row["error_topics"] == pytest.approx(0, abs=1e-12)
    assert row["p"] == pytest.approx(2 * NormalDist().cdf(-row["difference"] / row["error_design"]))
    assert row["low"] <= row["difference"] - 1.95 * row["error_design"]
