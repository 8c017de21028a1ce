"""inex_eval (precall) against worked examples, its definition and what must always hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import assert_agrees
from support.element_strategies import LEVELS, ElementCase, element_cases, quantised
from support.oracle import Asked

from excerpt import ExcerptError, Judgments, Result, Run, evaluate
from excerpt.model.elements import GradedElement


def _judgments(**grades: str) -> Judgments:
    """Assessments of 2004 from path=es."""
    rows = [GradedElement("1", "A", f"/{path}[1]", int(es[0]), int(es[1])) for path, es in grades.items()]
    return Judgments.graded(rows, scale="exhaustivity and specificity")


def _run(*ranks: str) -> Run:
    """A run from ranks; elements of one rank have one score."""
    rows = [
        Result("1", "A", -1, -1, 1.0 - place / 8, f"/{path}[1]")
        for place, rank in enumerate(ranks)
        for path in rank
    ]
    return Run.of("r", rows, kind="elements")


def _check(judgments: Judgments, run: Run, expected: dict[str, str]) -> None:
    table = evaluate(judgments, [run], expected)
    for name, value in expected.items():
        assert table.mean("r", name) == pytest.approx(float(Fraction(value)), rel=1e-15, abs=0), name


def test_worked_example_e1() -> None:
    judgments = _judgments(a="33", c="33", d="33", g="33", b="00", e="31")
    default = {"1/4": "2/3", "1/2": "6/11", "3/4": "9/16", "1": "0"}
    printed = {"1/4": "1/2", "1/2": "1/2", "3/4": "1/2", "1": "0"}
    ten = default | {"1": "8/17"}
    strict = "quantisation=strict"
    expected = {f"inex_eval({strict})[{x}]": p for x, p in default.items()}
    expected |= {f"inex_eval({strict}, denominator=as_printed)[{x}]": p for x, p in printed.items()}
    expected |= {f"inex_eval({strict}, collection_size=10)[{x}]": p for x, p in ten.items()}
    expected |= {
        f"inex_eval({strict})": "0.4375519022259129",
        f"inex_eval({strict}, collection_size=10)": "0.5583039418768455",
    }
    _check(judgments, _run("ab", "cdef"), expected)


def test_worked_example_e1_graded() -> None:
    """f = 1, 0, 1/2, 1/4 without ties; n = 2, so that 1/4 is missing."""
    judgments = _judgments(a="33", c="22", d="11", g="11")
    expected = {
        "inex_eval[1/2]": "1",
        "inex_eval[3/4]": "3/5",
        "inex_eval[7/8]": "7/11",
        "inex_eval[1]": "0",
        "inex_eval(nonrel=fractional)[1/2]": "1",
        "inex_eval(nonrel=fractional)[3/4]": "9/16",
        "inex_eval(nonrel=fractional)[7/8]": "35/68",
        "inex_eval(nonrel=fractional)[1]": "0",
    }
    _check(judgments, _run("a", "b", "c", "d"), expected)


@st.composite
def _precalls(draw: st.DrawFn) -> tuple[ElementCase, list[Asked]]:
    case = draw(element_cases())
    chosen = draw(quantised(case))
    options: list[tuple[tuple[str, str], ...]] = [(), (("denominator", "as_printed"),)]
    options.append((("collection_size", str(draw(st.integers(24, 60)))),))
    options.append((("nonrel", "fractional"),))
    options.append((*options[2], ("nonrel", "fractional"), options[1][0]))
    level = draw(LEVELS)
    asked = [Asked("inex_eval", x, (*chosen, *option)) for option in options for x in (level, "1.00")]
    asked += [Asked("inex_eval", None, (*chosen, *option)) for option in options[:3:2]]
    return case, asked


@settings(max_examples=200)
@given(_precalls())
def test_agrees_with_the_definition(drawn: tuple[ElementCase, list[Asked]]) -> None:
    case, asked = drawn
    if any(None in topic.keys for topic in case.topics.values()):
        # What a repeated element leaves of the collection, the definition does not say.
        asked = [one for one in asked if "collection_size" not in dict(one.parameters)]
    assert_agrees(case.judgments(), case.run(), asked, case.score)


@settings(max_examples=100)
@given(element_cases())
def test_the_order_of_tied_results_plays_no_role(case: ElementCase) -> None:
    """The order of results with equal scores is chance and must not change the score."""
    once = {(row.topic, row.document, row.path): row for row in reversed(case.results)}
    rows = sorted(once.values(), key=lambda row: -(row.score or 0))
    turned = sorted(rows, key=lambda row: row.score or 0)[::-1]
    if any(row.score is None for row in rows):
        turned = rows
    runs = [Run.of(name, some, kind="elements") for name, some in (("a", rows), ("b", turned))]
    names = ["inex_eval", "inex_eval[0.5]", "inex_eval(collection_size=30)[1]"]
    values = evaluate(case.judgments(), runs, names).values
    # Gains of equal score are added up in another order, which may change the last bit.
    np.testing.assert_allclose(values[0], values[1], rtol=1e-14)


def test_a_recall_that_is_reached_in_exact_arithmetic_only() -> None:
    """0.1 + 0.1 + 0.1 of 0.3·1: the third result completes the recall, whatever the doubles say."""
    judgments = _judgments(a="11", b="11", c="11")
    run = _run("a", "x", "b", "c", "y")
    expected = {
        "inex_eval(quantisation=sog)[1]": Fraction(3, 10) / (Fraction(3, 10) + 1),
        "inex_eval(quantisation=sog)[1/3]": Fraction(1),
        "inex_eval(quantisation=sog)[2/3]": Fraction(2, 10) / (Fraction(2, 10) + 1),
    }
    _check(judgments, run, {name: str(value) for name, value in expected.items()})


def test_equal_scores_tie_also_at_infinity() -> None:
    judgments = _judgments(a="33", b="33")
    scores = {}
    for score in (3.0, float("inf")):
        rows = [Result("1", "A", -1, -1, score, f"/{path}[1]") for path in "ax"]
        scores[score] = evaluate(judgments, [Run.of("r", rows, kind="elements")], ["inex_eval[1/2]"]).means()
    assert len({float(mean[0, 0]) for mean in scores.values()}) == 1


def test_recall_zero_is_refused() -> None:
    """t = 0 says nothing (3.1, point 6)."""
    with pytest.raises(ExcerptError, match="inex_eval"):
        evaluate(_judgments(a="33"), [_run("a")], ["inex_eval[0]"])


def test_gains_above_one_in_the_rest_of_the_collection() -> None:
    """Of 10 elements one gains 2, one 1/2: 8 and a half are non-relevant, not 7 and a half."""
    rows = [
        GradedElement("1", "A", "/a[1]", 2, -1, 10, 10),
        GradedElement("1", "A", "/b[1]", 1, -1, 10, 5),
    ]
    judgments = Judgments.graded(rows, scale="exhaustivity 0-2")
    # t = s = R = 5/2 in one rank with 17/2 non-relevant elements.
    expected = Fraction(5, 2) / (Fraction(5, 2) + Fraction(5, 2) * Fraction(17, 2) / Fraction(7, 2))
    _check(
        judgments,
        Run.of("r", [], kind="elements"),
        {"inex_eval(nonrel=fractional, collection_size=10)[1]": str(expected)},
    )
