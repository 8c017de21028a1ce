"""charP, charR and charF with HiXEval's published weights, against worked examples and the definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from element_oracle import assert_agrees, hixeval
from element_strategies import RANKS
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import Asked
from strategies import Case, cases, disjoint

from excerpt import ExcerptError, Judgments, Policy, Result, Run, Span, evaluate

_SECTION, _PARAGRAPH = Result("1", "A", 0, 100), Result("1", "A", 0, 40)


def _check(judgments: Judgments, run: Run, expected: dict[str, str]) -> None:
    table = evaluate(judgments, [run], expected)
    for name, value in expected.items():
        assert table.mean("r", name) == pytest.approx(float(Fraction(value)), rel=1e-15, abs=0), name


def _judgments() -> Judgments:
    return Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])


def test_worked_example_e9a() -> None:
    judgments = Judgments.of([("1", Span("A", 0, 40)), ("1", Span("C", 0, 60))])
    run = Run.of("r", [Result("1", "A", 0, 50), Result("1", "B", 0, 30), Result("1", "C", 40, 80)])
    exact = {
        "charP{}[1]": "4/5",
        "charP{}[2]": "1/2",
        "charP{}[3]": "1/2",
        "charR{}[3]": "3/5",
        "charF{}[3]": "6/11",
    }
    for options in ("", "(overlap=lambda)", "(overlap=lambda, alpha=0)", "(overlap=exact)"):
        _check(judgments, run, {name.format(options): value for name, value in exact.items()})


def test_worked_example_e9b() -> None:
    expected = {
        "charP(overlap=lambda)[2]": "3/7",
        "charR(overlap=lambda)[2]": "3/4",
        "charP(overlap=lambda, alpha=1)": "3/7",
        "charP(overlap=lambda, alpha=0)[2]": "5/7",
        "charR(overlap=lambda, alpha=0)[2]": "5/4",
        "charP": "3/7",
        "charR": "3/4",
    }
    _check(_judgments(), Run.of("r", [_SECTION, _PARAGRAPH]), expected)


def test_worked_example_e9c() -> None:
    expected = {
        "charP(overlap=lambda)[2]": "19/35",
        "charR(overlap=lambda)[2]": "19/20",
        "charP(overlap=lambda, alpha=1/2)[2]": "22/35",
        "charR(overlap=lambda, alpha=0.5)[2]": "11/10",
        "charP(overlap=exact)[2]": "3/7",
        "charR(overlap=exact)[2]": "3/4",
    }
    _check(_judgments(), Run.of("r", [_PARAGRAPH, _SECTION]), expected)


def test_alpha_is_a_share() -> None:
    for alpha in ("2", "-1", "x"):
        with pytest.raises(ExcerptError, match="alpha"):
            evaluate(_judgments(), [Run.of("r", [_SECTION])], [f"charP(overlap=lambda, alpha={alpha})"])


#: Spans that touch, overlap, nest, repeat or are empty; -1 starts nowhere. Document z was not judged.
_SPAN = st.tuples(st.sampled_from("aabz"), st.integers(-1, 20), st.integers(0, 12))
_WEIGHTS = st.tuples(
    st.sampled_from(("0.5", "1/3", "0.9", "1/7")), st.sampled_from(("0", "0.25", "0.5", "2", "1/3", "3.17"))
)


def _asked(weights: tuple[str, str], rank: str) -> list[Asked]:
    asked = []
    for alpha in ("1", "0", weights[0]):
        options = (("overlap", "lambda"), ("alpha", alpha))
        for cutoff in (None, rank):
            asked += [Asked(name, cutoff, options) for name in ("charP", "charR", "charF")]
        asked.append(Asked("charF", rank, (*options, ("beta", weights[1]))))
    return asked


@settings(max_examples=300)
@given(
    st.lists(_SPAN, max_size=5),
    st.lists(_SPAN, max_size=10),
    st.builds(_asked, _WEIGHTS, RANKS),
    st.sampled_from((Policy(), Policy(overlap="allow"))),
)
def test_agrees_with_the_definition(
    highlights: list[tuple[str, int, int]],
    returned: list[tuple[str, int, int]],
    asked: list[Asked],
    policy: Policy,
) -> None:
    """Topic 1 is drawn, topic 2 has other relevant text, topic 3 none."""
    passages: dict[str, dict[str, list[tuple[int, int]]]] = {"1": {}, "2": {"b": [(3, 10)]}, "3": {}}
    for document, start, length in highlights:
        if start >= 0:
            passages["1"].setdefault(document, []).append((start, start + length))
    rows = [(document, start, start + length if start >= 0 else -1) for document, start, length in returned]
    judgments = Judgments.of(
        [
            (topic, Span(document, *span))
            for topic, documents in passages.items()
            for document, spans in documents.items()
            for span in spans
        ],
        irrelevant=[("1", "a"), ("3", "a")],
    )
    run = Run.of("run", [Result(topic, *row) for topic in "123" for row in rows])
    assert_agrees(judgments, run, asked, lambda topic, one: hixeval(rows, passages[topic], one), policy)


@settings(max_examples=100)
@given(cases())
def test_without_overlap_the_two_forms_are_one(case: Case) -> None:
    run = Run.of("run", [Result(*row) for row in disjoint(case.results)])
    for name in ("charP", "charR", "charF", "charP[3]"):
        at = name.partition("[")
        published = f"{at[0]}(overlap=lambda){at[1]}{at[2]}"
        table = evaluate(case.judgments(), [run], [name, published])
        assert [repr(value) for value in table.values[..., 0].ravel()] == [
            repr(value) for value in table.values[..., 1].ravel()
        ]
