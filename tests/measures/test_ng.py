"""inex_eval_ng against the worked example and its definition."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import ElementTopic, assert_agrees
from support.element_strategies import LEVELS, TREE, ElementCase, element_cases
from support.oracle import Asked

from excerpt import ExcerptError, Judgments, OffsetIndex, Result, Run, Span, build_index, evaluate
from excerpt.errors import MissingData
from excerpt.model.elements import GradedElement

S, L, E = 1, 2, 3
_E2 = (
    GradedElement("1", "d1", "/a[1]/s[1]/p[1]", 1, S, 10),
    GradedElement("1", "d1", "/a[1]/s[1]", 3, E, 40),
    GradedElement("1", "d1", "/a[1]", 3, L, 100),
    GradedElement("1", "d2", "/a[1]", 1, L, 50),
)
_E2_RESULTS = tuple(
    Result("1", row.document, 0, row.size, 1.0 - rank / 4, row.path) for rank, row in enumerate(_E2)
)
#: recall and precision after each rank.
_E2_CURVES = {
    "overlap=false, quantisation=generalised": ("1/4 1 7/4 2", "0 4/5 3/5 23/40"),
    "overlap=true, quantisation=generalised": ("1/4 13/16 101/80 121/80", "0 3/4 3/5 17/30"),
    "overlap=false, quantisation=strict": ("0 1 2 2", "0 4/5 4/15 1/5"),
    "overlap=true, quantisation=strict": ("0 3/4 27/20 27/20", "0 3/4 3/10 1/5"),
}


@pytest.mark.parametrize("options", _E2_CURVES)
@pytest.mark.parametrize("length", [1, 2, 3, 4])
@pytest.mark.parametrize("sizes", [True, False])
def test_worked_example_e2(options: str, length: int, sizes: bool) -> None:
    """The interpolated curve of every beginning of the run, from the recalls and precisions of E2."""
    recall, precision = ([Fraction(text) for text in column.split()] for column in _E2_CURVES[options])
    curve = list(zip(recall, precision, strict=True))[:length]
    judgments = Judgments.graded(
        _E2 if sizes else [row._replace(size=0) for row in _E2], scale="relevance and coverage"
    )
    run = Run.of("r", _E2_RESULTS[:length])
    at = {Fraction(k, 100) for k in range(1, 101)} | {r for r in recall if 0 < r <= 1}
    names = {f"inex_eval_ng({options})[{x}]": x for x in sorted(at)}
    whole = f"inex_eval_ng({options})"
    table = evaluate(judgments, [run], [*names, whole])
    total = Fraction(0)
    for name, x in names.items():
        right = max((p for r, p in curve if r >= x), default=Fraction(0))
        total += right if (100 * x).denominator == 1 else 0
        assert table.mean("r", name) == pytest.approx(float(right), rel=1e-15, abs=0), name
    assert table.mean("r", whole) == pytest.approx(float(total / 100), rel=1e-14, abs=0)


def test_worked_example_e2_interpolated() -> None:
    judgments = Judgments.graded(_E2, scale="relevance and coverage")
    names = ["inex_eval_ng[0.25]", "inex_eval_ng[0.9]", "inex_eval_ng[1.0]"]
    table = evaluate(judgments, [Run.of("r", _E2_RESULTS)], names)
    assert table.means().tolist() == [[0.75, 0.6, 0.6]]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", ("3/4", "3/4", "0")),
        ("extrapolate=true, collection_size=300", ("3/4", "3/4", "1/4")),
        ("extrapolate=true, collection_size=150", ("3/4", "3/4", "1/2")),
        ("extrapolate=true, collection_size=300, overlap=false", ("4/5", "4/5", "4/5")),
        ("extrapolate=true, collection_size=300, quantisation=strict", ("3/4", "1/10", "1/10")),
    ],
)
def test_the_rest_of_the_collection_on_e2(options: str, expected: tuple[str, ...]) -> None:
    """After two results 30 of 40 words are covered; all documents cover 75 of 150."""
    judgments = Judgments.graded(_E2, scale="relevance and coverage")
    names = [f"inex_eval_ng({options})[{recall}]" for recall in ("0.75", "0.81", "1.00")]
    found = evaluate(judgments, [Run.of("r", _E2_RESULTS[:2])], names).means()[0].tolist()
    assert found == [float(Fraction(value)) for value in expected]
    nothing = evaluate(judgments, [Run.of("r", [])], names).means()[0].tolist()
    strict, size = "strict" in options, re.search(r"size=(\d+)", options)
    assert nothing == [0 if strict or not size else 75 / int(size[1])] * 3


def test_the_rest_of_the_collection_in_the_mean() -> None:
    """81 levels are reached by the run, 19 by the rest: (81 · 3/4 + 19 · 1/4) / 100."""
    judgments = Judgments.graded(_E2, scale="relevance and coverage")
    names = ["inex_eval_ng", "inex_eval_ng(extrapolate=true, collection_size=300)"]
    found = evaluate(judgments, [Run.of("r", _E2_RESULTS[:2])], names).means()[0]
    assert found.tolist() == pytest.approx([0.6075, 0.655], rel=1e-14)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("inex_eval_ng(extrapolate=true)", "needs collection size, but it is unknown; give index="),
        ("inex_eval_ng(collection_size=9)", "collection_size of inex_eval_ng needs extrapolate=true"),
        ("inex_eval_ng(extrapolate=true, collection_size=149)", "expected at least 150, the size of"),
    ],
)
def test_a_collection_must_have_a_size_that_fits(name: str, message: str) -> None:
    """Extrapolating needs the size of a collection that contains the assessed documents."""
    judgments = Judgments.graded(_E2, scale="relevance and coverage")
    with pytest.raises(ExcerptError, match=message):
        evaluate(judgments, [Run.of("r", _E2_RESULTS)], [name])


def test_extrapolating_needs_the_sizes_of_documents() -> None:
    """Assessments with some sizes, but not that of a covered document, are rejected."""
    rows = [row._replace(size=0) if row.document == "d2" else row for row in _E2]
    judgments = Judgments.graded(rows, scale="relevance and coverage")
    with pytest.raises(MissingData, match="needs the sizes of the documents assessed for topic 1"):
        evaluate(
            judgments, [Run.of("r", _E2_RESULTS)], ["inex_eval_ng(extrapolate=true, collection_size=999)"]
        )


def test_the_oracle_on_e2() -> None:
    topic = ElementTopic.of("1", "relevance and coverage", _E2, _E2_RESULTS)
    assert topic.score(Asked("inex_eval_ng", "0.9")) == Fraction(3, 5)


@st.composite
def _ng(draw: st.DrawFn) -> tuple[ElementCase, list[Asked]]:
    case = draw(element_cases(spans=True))
    case = replace(case, elements=tuple(map(_sized, case.elements)))
    level = draw(LEVELS)
    rest = (("extrapolate", "true"), ("collection_size", str(draw(st.integers(60, 300)))))
    small = (("too_small", str(draw(st.integers(1, 25)))),)
    asked = []
    for overlap in ("true", "false"):
        for name in ("generalised", "strict"):
            options = (("overlap", overlap), ("quantisation", name))
            for more in ((), rest, small, (*small, *rest)):
                asked += [Asked("inex_eval_ng", x, (*options, *more)) for x in (None, level, "1.00")]
    return case, [*asked, Asked("inex_eval_ng"), Asked("inex_eval_ng", level)]


def _sized(row: GradedElement) -> GradedElement:
    """The element with the size of its span; its relevant part is all of it as before, or part of it."""
    size = TREE[row.path][1] - TREE[row.path][0]
    relevant = size if row.relevant == row.size else row.relevant % (size + 1)
    return row._replace(size=size, relevant=relevant if row.specificity < 0 else 0)


def _once(case: ElementCase) -> ElementCase:
    """The case without repeated results: what a repetition is worth under overlap=false, 3.2 does not say."""
    first = {
        (row.topic, *key): row
        for row in reversed(case.results)
        for key in ElementTopic.of(row.topic, case.scale, (), [row]).keys
        if key
    }
    kept = {id(row) for row in first.values()}
    rows = tuple(row for row in case.results if id(row) in kept)
    return ElementCase(case.scale, case.elements, rows, case.kind)


@settings(max_examples=150)
@given(_ng())
def test_agrees_with_the_definition(drawn: tuple[ElementCase, list[Asked]]) -> None:
    case, asked = drawn
    if len(case.results) % 2:
        case = _once(case)
    else:
        asked = [one for one in asked if ("overlap", "false") not in one.parameters]
    assert_agrees(case.judgments(), case.run(), asked, case.score)


def test_a_document_without_its_root_has_its_best_element(tmp_path: Path) -> None:
    """Also if the last of its topmost elements is too small."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d.xml").write_text("<r><a>0123456789</a><b>x</b></r>")
    build_index(tmp_path / "docs", tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    run = Run.of("r", [Result("1", "d", 0, 10, path="/r[1]/a[1]")])
    name = "inex_eval_ng(too_small=5)"
    judgments = Judgments.of([("1", Span("d", 5, 11))])
    assert evaluate(judgments, run, name, index=index, drop_tags=["r"])["r"] == {name: 0.5}


def test_highlights_by_equation_1() -> None:
    """Recall is the proportion of the topic's 50 highlighted characters: crumbs have none."""
    rows = [
        GradedElement("1", "a", "/a[1]", 2, -1, 100, 30),
        GradedElement("1", "a", "/a[1]/p[1]", 2, -1, 10, 10),
        GradedElement("1", "a", "/a[1]/p[2]", 2, -1, 40, 20),
        GradedElement("1", "b", "/a[1]", 2, -1, 50, 20),
        GradedElement("2", "b", "/a[1]", 2, -1, 50, 20),
        GradedElement("2", "b", "/a[1]/p[1]", 2, -1, 20, 20),
    ]
    judgments = Judgments.graded(rows, scale="highlights")
    results = [
        Result("1", "a", 0, 10, path="/a[1]/p[1]"),
        Result("1", "a", 10, 50, path="/a[1]/p[2]"),
        Result("1", "b", 0, 50, path="/a[1]"),
        Result("2", "b", 0, 20, path="/a[1]/p[1]"),
    ]
    levels = {"0.20": 1.0, "0.21": 0.6, "0.60": 0.6, "0.61": 0.5, "1.00": 0.5}
    names = [f"inex_eval_ng[{level}]" for level in levels]
    strict = "inex_eval_ng(quantisation=strict)"
    table = evaluate(judgments, [Run.of("r", results)], [*names, "inex_eval_ng", strict])
    assert table.values[0, 0, :5].tolist() == [*levels.values()]
    assert table["r", "1", "inex_eval_ng"] == pytest.approx((20 + 40 * 0.6 + 40 * 0.5) / 100, rel=1e-14)
    # No element has all highlighted text of topic 1; the paragraph of topic 2 has it, and nothing else.
    np.testing.assert_array_equal(table.values[0, :, -1], [np.nan, 1.0])


def test_an_undefined_topic() -> None:
    rows = [
        GradedElement("1", "a", "/article[1]", 2, E, 30),
        GradedElement("2", "a", "/article[1]", 0, 0, 30),
        GradedElement("2", "a", "/article[1]/bdy[1]", 3, E, 30),
        GradedElement("3", "a", "/article[1]/bdy[1]", 3, E, 30),
    ]
    results = [Result(row.topic, "a", *TREE[row.path], 1.0, row.path) for row in rows if row.exhaustivity]
    names = [f"inex_eval_ng(quantisation={name})" for name in ("strict", "generalised")]
    table = evaluate(Judgments.graded(rows, scale="relevance and coverage"), [Run.of("r", results)], names)
    # The root of topic 2 is assessed, as irrelevant; that of topic 3 is not, and its best part stands for it.
    np.testing.assert_array_equal(table.values[0], [[np.nan, 1.0], [np.nan, np.nan], [1.0, 1.0]])
