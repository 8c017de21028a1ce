"""Samples of judgments under measures of elements: each against judgments that have the sample alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import ElementTopic
from support.element_strategies import QUANTISATIONS, TREE, ElementCase, element_cases
from support.oracle import Asked

import excerpt
from excerpt import ExcerptError, Judgments, Notices, OffsetIndex, Policy, Result, Run, Span, evaluate
from excerpt.engine import Engine
from excerpt.experiments.pool_depth import depth, unpooled
from excerpt.experiments.stability import pool
from excerpt.experiments.study import Study, draw_passages
from excerpt.indexing.builder import build_index
from excerpt.model import samples
from excerpt.model.elements import GradedElement

#: Measures that the oracle has, with any quantisation.
ASKED = (
    *(Asked("nxCG", "3"), Asked("nxCG", "5", (("ideal", "focused"),)), Asked("MAnxCG", "4"), Asked("MAep")),
    *(Asked("ep", "0.50"), Asked("iMAep"), Asked("Q"), Asked("R"), Asked("inex_eval")),
)
NG = (Asked("inex_eval_ng"), Asked("inex_eval_ng", "0.25", (("quantisation", "strict"),)))


def _agree(found: float, exact: Fraction | None) -> bool:
    return found == 0 if not exact else math.isclose(found, exact, rel_tol=1e-12)


# --- graded assessments ---------------------------------------------------------------------------------


def _is_relevant(scale: str, row: GradedElement) -> bool:
    return row.relevant > 0 if scale in {"highlights", "exhaustivity 0-2"} else row.exhaustivity > 0


def _check_graded(case: ElementCase, asked: Sequence[Asked], extra: Sequence[str], seed: int) -> None:
    """Scores of samples are those of judgments with the sampled elements only, and those of the oracle."""
    names = [*map(str, asked), *extra]
    study = Study.of(case.judgments(), case.run(), names, notices=Notices())
    assert study.unit == "element"
    relevant = [number for number, row in enumerate(case.elements) if _is_relevant(case.scale, row)]
    rng = np.random.default_rng(seed)
    masks = rng.random((4, len(relevant))) < np.array([[1.1], [0.7], [0.3], [0.0]])
    _, scores = study.scores(masks)
    full = evaluate(case.judgments(), case.run(), names, notices=Notices())
    for mask, found in zip(masks, scores[:, 0], strict=True):
        left = {number for number, keep in zip(relevant, mask, strict=True) if not keep}
        kept = tuple(row for number, row in enumerate(case.elements) if number not in left)
        small = replace(case, elements=kept)
        # A run without a judged topic or document is an error of `evaluate`; in a sample it scores 0.
        common = all(
            not case.results
            or {getattr(row, one) for row in kept} & {getattr(row, one) for row in case.results}
            for one in ("topic", "document")
        )
        table = None
        if kept and common:
            table = evaluate(small.judgments(), case.run(), names, notices=Notices())
        for place, topic in enumerate(study.judgments.topics):
            for column, name in enumerate(names):
                score = float(found[place, column])
                if math.isnan(full["run", topic, name]):
                    assert math.isnan(score)
                    continue
                known = topic in small.topics
                expected = table["run", topic, name] if table is not None and topic in table.topics else 0.0
                assert score == np.nan_to_num(expected), (topic, name)
                if column < len(asked):
                    exact = small.score(topic, asked[column]) if known else None
                    assert _agree(score, exact), (topic, name, score, exact)


@settings(max_examples=60)
@given(element_cases(), st.data(), st.integers(0, 99))
def test_samples_of_graded_elements(case: ElementCase, data: st.DataObject, seed: int) -> None:
    """Every scale and quantisation, every measure of elements."""
    own = data.draw(QUANTISATIONS[case.scale])
    asked = [Asked(one.name, one.cutoff, (*one.parameters, *own)) for one in ASKED]
    sizes = all(row.size for row in case.elements)
    _check_graded(case, asked, ["nxCG(alpha=0.5)[5]"] if sizes else [], seed)


@settings(max_examples=30)
@given(element_cases(("relevance and coverage",), spans=True), st.integers(0, 99))
def test_samples_of_inex_2002(case: ElementCase, seed: int) -> None:
    """A document has the relevance of its best sampled element if its root is left out."""
    _check_graded(case, NG, ["inex_eval_ng(overlap=false)"], seed)


# --- highlighted text and an index ----------------------------------------------------------------------


def _document() -> str:
    """The tree of the strategies, as XML whose text has its offsets."""
    opens: dict[int, list[str]] = {}
    closes: dict[int, list[str]] = {}
    paths = sorted(TREE, key=lambda path: (TREE[path][0], -TREE[path][1], len(path)))
    for path in paths:
        name, (start, end) = path.rpartition("/")[2].partition("[")[0], TREE[path]
        if start == end:
            opens.setdefault(start, []).append(f"<{name}/>")
        else:
            opens.setdefault(start, []).append(f"<{name}>")
            closes.setdefault(end, []).insert(0, f"</{name}>")
    text = []
    for place in range(31):
        empty = [tag for tag in opens.get(place, ()) if tag.endswith("/>")]
        filled = [tag for tag in opens.get(place, ()) if not tag.endswith("/>")]
        text += [*empty, *closes.get(place, ()), *filled, "x" if place < 30 else ""]
    return "".join(text)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> OffsetIndex:
    """Two documents with the same elements."""
    folder = tmp_path_factory.mktemp("elements")
    for name in "ab":
        (folder / f"{name}.xml").write_text(_document())
    build_index(folder, folder / "index")
    return OffsetIndex.open(folder / "index")


def _paths(index: OffsetIndex) -> dict[str, tuple[int, int]]:
    _, rows = index.elements_of(np.array([0]))
    start, end = index.spans(rows)
    return dict(zip(index.path(rows), zip(start.tolist(), end.tolist(), strict=True), strict=True))


def _elements(index: OffsetIndex, topic: str, marked: Sequence[Span]) -> list[GradedElement]:
    """All elements with highlighted characters, counted one by one."""
    found = []
    for document in "ab":
        text = {
            place for span in marked if span.document == document for place in range(span.start, span.end)
        }
        for path, (start, end) in _paths(index).items():
            inside = len(text & set(range(start, end)))
            if inside:
                found.append(GradedElement(topic, document, path, 2, size=end - start, relevant=inside))
    return found


_SPANS = st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, 29), st.integers(1, 9))
_RESULTS = st.tuples(st.sampled_from("12"), st.sampled_from("ab"), st.integers(0, len(TREE) - 1))
TEXT = ("MAiP", "iP[0.10]", "charF")


@settings(max_examples=60)
@given(
    marked=st.lists(_SPANS, min_size=1, max_size=12),
    rows=st.lists(_RESULTS, min_size=1, max_size=16),
    seed=st.integers(0, 99),
    strict=st.booleans(),
)
def test_samples_of_passages(
    marked: list[tuple[str, str, int, int]],
    rows: list[tuple[str, str, int]],
    seed: int,
    *,
    strict: bool,
    index: OffsetIndex,
) -> None:
    """The elements of a sample are those that contain its passages, with their relevant text alone."""
    spans = [(topic, Span(name, low, min(low + length, 30))) for topic, name, low, length in marked]
    irrelevant = [(topic, name) for topic in "12" for name in "ab"]
    judgments = Judgments.of(spans, irrelevant=irrelevant, sizes={"a": 30, "b": 30})
    paths = list(_paths(index).items())
    returned = [(topic, name, *paths[number]) for topic, name, number in rows]
    results = [Result(topic, name, *span, path=path) for topic, name, path, span in returned]
    run = Run.of("run", results)
    own = (("quantisation", "strict"),) if strict else ()
    asked = [Asked(one.name, one.cutoff, (*one.parameters, *own)) for one in ASKED]
    names = [*map(str, asked), "nxCG(alpha=0.5)[5]", *TEXT]
    how: Any = {"index": index, "policy": Policy(overlap="first"), "notices": Notices()}
    study = Study.of(judgments, run, names, **how)
    assert study.unit == "passage"
    rng = np.random.default_rng(seed)
    masks = rng.random((4, len(judgments.spans))) < np.array([[1.1], [0.7], [0.3], [0.0]])
    _, scores = study.scores(masks)
    text = Study.of(judgments, run, TEXT, policy=how["policy"], notices=Notices())
    np.testing.assert_array_equal(scores[..., -len(TEXT) :], text.scores(masks)[1])
    full = evaluate(judgments, run, names, **how)
    passages = [(topic, span) for topic in judgments.topics for span in judgments.highlights(topic)]
    for mask, found in zip(masks, scores[:, 0], strict=True):
        kept = [passage for passage, keep in zip(passages, mask, strict=True) if keep]
        small = Judgments.of(kept, irrelevant=irrelevant, sizes={"a": 30, "b": 30})
        table = evaluate(small, run, names, **how) if kept else None
        for place, topic in enumerate(judgments.topics):
            sampled = _elements(index, topic, [span for of, span in kept if of == topic])
            for column, name in enumerate(names):
                score = float(found[place, column])
                if column < len(names) - len(TEXT) and math.isnan(full["run", topic, name]):
                    assert math.isnan(score)
                    continue
                expected = table["run", topic, name] if table is not None else 0.0
                assert score == np.nan_to_num(expected), (topic, name)
                if column < len(asked):
                    exact = ElementTopic.of(topic, "highlights", sampled, results).score(asked[column])
                    assert _agree(score, exact), (topic, name, score, exact)


@pytest.fixture(scope="module")
def cuad(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Any]]:
    """The index of the embedded contracts, and some runs."""
    place = tmp_path_factory.mktemp("cuad") / "index"
    build_index(excerpt.collection.corpus(), place)
    names = {"p-bm25", "sec-bm25", "thorough-bm25", "random-p"}
    return place, [run.path for run in excerpt.collection.runs() if run.name in names]


def test_the_same_passages_whatever_the_measure(cuad: tuple[Path, list[Any]]) -> None:
    """Samples depend on the judgments and the seed only."""
    index, runs = cuad
    names = ("MAiP", "MAep", ("nxCG[10]", "MAiP"))
    studies = [Study.of(excerpt.collection.qrels(), runs, name, index=index) for name in names]
    first, *others = [draw_passages(study.judgments, 60, (7, 3), study.unit) for study in studies]
    assert 0 < first.sum() < len(first)
    for other in others:
        np.testing.assert_array_equal(other, first)


def test_memory_and_workers_change_nothing(
    cuad: tuple[Path, list[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samples that are made again for every run, or in other processes, have the same scores."""
    index, runs = cuad
    study = Study.of(excerpt.collection.qrels(), runs, ["nxCG[10]", "MAep"], index=index)
    masks = np.random.default_rng(5).random((3, len(study.judgments.spans))) < 0.5
    expected = study.scores(masks)[1]
    assert np.nanmax(expected) > 0
    np.testing.assert_array_equal(replace(study, engine=Engine(2)).scores(masks)[1], expected)
    monkeypatch.setattr(samples, "_KEPT", 0)
    np.testing.assert_array_equal(study.scores(masks)[1], expected)


# --- pools of the runs ----------------------------------------------------------------------------------


def _means(judgments: Judgments, runs: Sequence[Run], how: dict[str, Any]) -> list[float]:
    """Means over both topics; one without anything relevant scores 0."""
    table = evaluate(judgments, runs, ["MAep"], policy=Policy(include_empty=True), **how)
    return [float(np.nansum(table.values[run, :, 0])) / 2 for run in range(len(runs))]


def test_pools_of_passages(index: OffsetIndex) -> None:
    """Depth and unpooled score against judgments that have only the passages in the pool."""
    spans = [
        ("1", Span("a", 0, 4)),
        ("1", Span("a", 14, 21)),
        ("1", Span("b", 5, 12)),
        ("2", Span("b", 0, 3)),
    ]
    judgments = Judgments.of(spans)
    sec = "/article[1]/bdy[1]/sec[1]"
    runs = [
        Run.of("x", [Result("1", "a", -1, -1, path=f"{sec}/p[1]"), Result("2", "b", -1, -1, path=sec)]),
        Run.of("y", [Result("1", "b", -1, -1, path=f"{sec}/p[1]"), Result("1", "b", -1, -1, path=sec)]),
    ]
    runs = [replace(run, kind="elements") for run in runs]
    how: dict[str, Any] = {"index": index, "notices": Notices()}
    pooled = {1: [0, 3], 2: [0, 2, 3]}
    outcome = depth(judgments, runs, ["MAep"], depths=(1, 2), unit="passage", **how)
    assert [row["passages"] for row in outcome.rows] == [2, 3]
    for number, kept in enumerate(pooled.values(), 1):
        small = Judgments.of([spans[place] for place in kept])
        assert outcome.details["means"][number, :, 0].tolist() == _means(small, runs, how)
    rows = unpooled(judgments, runs, ["MAep"], depth=2, unit="passage", **how).rows
    assert [row["score"] for row in rows] == _means(Judgments.of([spans[0], *spans[2:]]), runs, how)
    without = [[spans[2]], [spans[0], spans[3]]]
    expected = [_means(Judgments.of(kept), runs, how)[place] for place, kept in enumerate(without)]
    assert [row["unpooled_score"] for row in rows] == expected
    documents = depth(judgments, runs, ["MAep"], depths=(1,), **how)
    assert documents.rows[0]["passages"] == 4


GRADED = [
    GradedElement("1", "d", "/a[1]", 1, 1),
    GradedElement("1", "d", "/a[1]/p[1]", 3, 3),
    GradedElement("1", "d", "/a[1]/p[2]", 0, 0),
    GradedElement("1", "e", "/a[1]", 3, 2),
    GradedElement("2", "e", "/a[1]", 2, 3),
]
PATHS = {
    "x": [("1", "d", "/a[1]/p[1]"), ("1", "d", "/a[1]/p[2]"), ("2", "e", "/a[1]")],
    "y": [("1", "d", "/a[1]/p[2]"), ("1", "d", "/a[1]"), ("1", "e", "/a[1]")],
}
GRADED_RUNS = [
    Run.of(
        name, [Result(topic, document, -1, -1, path=path) for topic, document, path in rows], kind="elements"
    )
    for name, rows in PATHS.items()
]
SCALE: Any = "exhaustivity and specificity"


@pytest.mark.parametrize(
    ("unit", "pooled", "alone"),
    [
        ("passage", {1: [1, 4], 2: [0, 1, 4], 3: [0, 1, 3, 4]}, ([0, 3], [1, 4])),
        ("document", {1: [0, 1, 4], 2: [0, 1, 4], 3: [0, 1, 3, 4]}, ([0, 1, 3], [0, 1, 4])),
    ],
)
def test_pools_of_graded_elements(
    unit: Any, pooled: dict[int, list[int]], alone: tuple[list[int], list[int]]
) -> None:
    """Results contribute the element that they return, or all of its document; irrelevant ones stay."""
    judgments, how = Judgments.graded(GRADED, scale=SCALE), {"notices": Notices()}
    outcome = depth(judgments, GRADED_RUNS, ["MAep"], depths=tuple(pooled), unit=unit, notices=Notices())
    assert [row["elements"] for row in outcome.rows] == [len(kept) for kept in pooled.values()]

    def means(kept: list[int]) -> list[float]:
        return _means(
            Judgments.graded([GRADED[place] for place in (*kept, 2)], scale=SCALE), GRADED_RUNS, how
        )

    for number, kept in enumerate(pooled.values(), 1):
        assert outcome.details["means"][number, :, 0].tolist() == means(kept)
    rows = unpooled(judgments, GRADED_RUNS, ["MAep"], depth=3, unit=unit, notices=Notices()).rows
    assert [row["score"] for row in rows] == means([0, 1, 3, 4])
    assert [row["unpooled_score"] for row in rows] == [means(alone[0])[0], means(alone[1])[1]]


def test_a_pool_file_and_graded_elements() -> None:
    """A pool contributes the elements of its documents; by element it cannot, since they have no offsets."""
    judgments = Judgments.graded(GRADED, scale=SCALE)
    made = excerpt.pool(GRADED_RUNS, depth=3)
    expected = depth(judgments, GRADED_RUNS, ["MAep"], depths=(1, 3), notices=Notices()).rows
    given: Any = (judgments, GRADED_RUNS, ["MAep"])
    assert depth(*given, depths=(1, 3), pool=made, notices=Notices()).rows == expected
    with pytest.raises(ExcerptError, match="a pool file cannot be combined with unit=passage and graded"):
        depth(*given, pool=made, unit="passage")


# --- what is left out, and mistakes ---------------------------------------------------------------------


def test_grades_without_passages() -> None:
    """Measures of text have nothing to sample there; a smaller `least` would not help."""
    with pytest.raises(ExcerptError, match="the judgments have no relevant passages"):
        pool(Judgments.graded(GRADED, scale=SCALE), GRADED_RUNS, ["MAiP"])


def test_topics_without_gain_are_left_out() -> None:
    """A topic without a gain by the full judgments counts in no mean, as in an evaluation, with a warning."""
    judgments = Judgments.graded(GRADED, scale=SCALE)
    strict, notices = "nxCG(quantisation=strict)[3]", Notices()
    rows = unpooled(judgments, GRADED_RUNS, [strict], notices=notices).rows
    means = evaluate(judgments, GRADED_RUNS, [strict], notices=Notices()).means()[:, 0]
    assert [row["score"] for row in rows] == means.tolist() == [1.0, 0.0]
    left_out = f"topic has no element with a gain under {strict} and is left out of its mean"
    assert any(left_out in text for text in notices)


def test_the_least_number_of_elements() -> None:
    """Topics with fewer relevant elements are left out, as with passages."""
    judgments = Judgments.graded(GRADED, scale=SCALE)
    outcome = pool(judgments, GRADED_RUNS, ["MAep"], least=3, levels=(100, 40), samples=2, notices=Notices())
    assert outcome.warnings[0] == "1 topic has fewer than 3 relevant elements and is left out (topic 2)"
    assert outcome.rows[0]["values"] == [1.0, 1.0]
    with pytest.raises(ExcerptError, match="no topic has 10 relevant elements"):
        pool(judgments, GRADED_RUNS, ["MAep"])


def test_mistakes(index: OffsetIndex) -> None:
    """Highlights without an index, two units of sampling, a quantisation of another scale."""
    highlighted = Judgments.of([("1", Span("a", 0, 10))])
    run = Run.of("r", [Result("1", "a", 0, 30, path="/article[1]")])
    with pytest.raises(ExcerptError, match="MAep needs graded elements, but the judgments have none"):
        pool(highlighted, [run, run], ["MAep"], least=1)
    with pytest.raises(ExcerptError, match="MAiP and measures of graded elements cannot be combined"):
        pool(Judgments.graded(GRADED, scale=SCALE), GRADED_RUNS, ["MAiP", "MAep"])
    with pytest.raises(ExcerptError, match="unknown quantisation for judgments of highlights 'sog'"):
        pool(highlighted, [run, run], ["MAep(quantisation=sog)"], least=1, index=index)
