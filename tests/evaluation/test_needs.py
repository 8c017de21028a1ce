"""Runs and judgments that lack what a measure needs, or have nothing in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from excerpt import (
    Corpus,
    ExcerptError,
    Judgments,
    Notices,
    OffsetIndex,
    Policy,
    Result,
    Run,
    Span,
    build_index,
    evaluate,
    parse_measure,
)
from excerpt.errors import MissingData, UnknownName
from excerpt.evaluation.lengths import Checks
from excerpt.evaluation.needs import NEEDS
from excerpt.evaluation.reading import Reading
from excerpt.evaluation.scoring import Scoring
from excerpt.experiments.curves import curve
from excerpt.experiments.study import Study
from excerpt.measures import registry
from excerpt.model.elements import GradedElement

JUDGMENTS = Judgments.of([("1", Span(name, 0, 9)) for name in ("12", "13", "14", "15")])
MISSING = "judged topics have no results in a run and score 0 there"


def of(*documents: str, topic: str = "1") -> Run:
    """A run that returns these documents."""
    return Run.of("r", [Result(topic, name, 0, 9) for name in documents])


def test_one_judged_document_is_enough() -> None:
    """Unjudged documents are normal."""
    notices = Notices()
    assert evaluate(JUDGMENTS, of("x", "12"), "charP", notices=notices).means().tolist() == [[0.5]]
    assert list(notices) == []


def test_an_index_that_knows_the_documents(tmp_path: Path) -> None:
    """Unjudged documents of the collection give a warning; unknown documents are still an error."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "77.xml").write_text("<a>some text</a>")
    build_index(tmp_path / "docs", tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    notices = Notices()
    assert evaluate(JUDGMENTS, of("77"), "charP", index=index, notices=notices).means().tolist() == [[0.0]]
    assert "1 run has no judged documents (r)" in list(notices)
    with pytest.raises(ExcerptError, match=r"none of the run's documents \(such as 78\) is in the index"):
        evaluate(JUDGMENTS, of("78"), "charP", index=index)


TWO = Judgments.of(
    [("1", Span("12", 0, 9)), ("2", Span("12", 0, 9)), ("3", Span("12", 0, 9))], irrelevant=[("4", "12")]
)


def test_topics_that_are_missing() -> None:
    """Topics that the run does not have score 0, and a warning says how many; not those that do not count."""
    said = f"2 {MISSING} (first: topic 2 of r)"
    notices = Notices()
    assert said in evaluate(TWO, of("12"), notices=notices).warnings
    assert said in notices
    assert said in curve(TWO, of("12"), "charP", notices=Notices()).warnings
    study = Study.of(TWO, of("12"))
    study.scores(TWO.spans.length[None] > 0)
    assert said in study.notices
    assert said in evaluate(TWO, of("12"), notices=Notices()).to_dict()["warnings"]


@pytest.mark.parametrize(
    ("policy", "times"), [(Policy(only_run_topics=True), 0), (Policy(include_empty=True), 3)]
)
def test_which_topics_are_missing(policy: Policy, times: int) -> None:
    """Topics that are left out on demand are not missing; one without relevant text is if it counts."""
    found = [
        text for text in evaluate(TWO, of("12"), policy=policy, notices=Notices()).warnings if MISSING in text
    ]
    assert found == [f"{times} {MISSING} (first: topic 2 of r)"][: len(found)]
    assert bool(found) == bool(times)


@pytest.mark.parametrize(
    ("judgments", "policy", "why"),
    [
        (Judgments.of([]), Policy(), "the judgments have no topics"),
        (Judgments.of([], irrelevant=[("1", "12")]), Policy(), "no topic has relevant text"),
        (
            Judgments.of([("2", Span("12", 0, 9))], irrelevant=[("1", "12")]),
            Policy(only_run_topics=True),
            "no topic that counts has results",
        ),
    ],
)
def test_an_undefined_mean_says_why(judgments: Judgments, policy: Policy, why: str) -> None:
    """A warning gives the reason for an undefined mean, for all measures together."""
    table = evaluate(judgments, of("12"), ["MAiP", "articleAP"], policy=policy, notices=Notices())
    assert f"1 run has no mean of MAiP, articleAP, since {why} (r)" in table.warnings
    found = curve(judgments, of("12"), "charP", policy=policy, notices=Notices())
    assert f"1 run has no mean of charP[1], charP[2], charP[3] and 47 more, since {why} (r)" in found.warnings


SMALL = Judgments.of([("1", Span("a", 0, 9))])
ELEMENTS = Run.of("r", [Result("1", "a", -1, -1, None, "/a[1]")], kind="elements")
POINTS = Run.of("r", [Result("1", "a", 3, 3)], kind="entry points")
SPANS = Run.of("r", [Result("1", "a", 0, 9)])


def test_every_need_is_in_the_table() -> None:
    """Whatever a measure may ask for, the table knows; and nothing else is in it."""
    examples = ["gP(score=T2I)[1]", "gP(score=BEP)[1]", "nxCG(alpha=0.5)[1]", "EPRUM(L=1)", "inex_eval_ng"]
    examples += ["AP(rel=2)", "inex_eval_ng(extrapolate=true)"]
    asked = {need for name in examples for need in parse_measure(name).needs}
    for name in registry():
        for text in (name, f"{name}[1]"):
            try:
                asked |= parse_measure(text).needs
            except Exception:  # noqa: BLE001 - with or without a cut-off: one of the two is refused
                continue
    assert asked == NEEDS.keys()


@pytest.mark.parametrize(
    ("run", "measure", "message"),
    [
        (ELEMENTS, "MAiP", "r: MAiP needs spans, but the run has none; give index=OffsetIndex.open(…) for"),
        (
            POINTS,
            "MAiP",
            "r: MAiP needs spans, but the run has none; entry points are scored by MAgP(score=BEP)",
        ),
        (ELEMENTS, "MAgP(score=BEP)", "r: MAgP(score=BEP) needs entry points, but the run has none; give"),
        (
            SPANS,
            "MAgP(score=T2I)",
            "MAgP(score=T2I) needs document lengths, but the judgments lack some of them; giv",
        ),
        (
            SPANS,
            "gP(score=BEP)[1]",
            "gP(score=BEP)[1] needs judged entry points, but the judgments have none",
        ),
        (ELEMENTS, "nxCG[5]", "nxCG[5] needs graded elements, but the judgments have none; give assessments"),
    ],
)
def test_what_is_missing_and_how_to_supply_it(run: Run, measure: str, message: str) -> None:
    """The error names the measure, what it needs, who lacks it and the remedy."""
    with pytest.raises(MissingData) as caught:
        evaluate(SMALL, run, measure)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "judgments",
    [
        Judgments.of([], irrelevant=[("1", "12")]),
        Judgments.graded([GradedElement("1", "12", "/a[1]", 0, 0)], scale="relevance and coverage"),
        Judgments.graded([GradedElement("1", "12", "/a[1]", 2, -1, 9, 0)], scale="highlights"),
    ],
)
def test_nothing_relevant_is_said(judgments: Judgments) -> None:
    """An index could not supply what nobody found relevant."""
    run = Run.of("r", [Result("1", "12", 0, 9, path="/a[1]")])
    measure = "MAep(too_small=3)" if judgments.elements is None else "MAiP"
    with pytest.raises(MissingData, match="but the judgments have nothing relevant; are these the right"):
        evaluate(judgments, run, measure, notices=Notices())


def test_a_need_that_nobody_knows() -> None:
    """A measure of another package that needs something unknown is an error that names it."""

    @dataclass(frozen=True)
    class Odd(type(parse_measure("charP"))):  # type: ignore[misc]
        """It needs what no table has."""

        @property
        def needs(self) -> frozenset[str]:
            return frozenset({"spnas"})

    with pytest.raises(UnknownName, match="'spnas'; did you mean 'spans'"):
        evaluate(SMALL, SPANS, Odd())


def test_topics_that_are_missing_and_left_out() -> None:
    """That a topic scores 0 is not said where a measure leaves it out."""
    for measures in ("judged@5", ["judged@5", "charP"]):
        said = evaluate(TWO, of("12"), measures, notices=Notices()).warnings
        assert f"2 {MISSING.removesuffix(' and score 0 there')} (first: topic 2 of r)" in said


TREC = b"1 0 A 1\n1 0 B 0\n"
PASSAGES = b"1 Q0 A 1 2 r 0 50\n1 Q0 B 2 1 r 0 50\n"


def test_passages_beside_judgments_of_documents() -> None:
    """Measures of text refuse them, measures of documents take them and do not speak of lengths."""
    with pytest.raises(MissingData, match="charR needs judgments of text, but these are of whole documents"):
        evaluate(TREC, PASSAGES, "charR")
    notices = Notices()
    assert evaluate(TREC, PASSAGES, "articleAP", notices=notices).means().tolist() == [[1.0]]
    assert list(notices) == []
    assert evaluate(TREC, b"1 Q0 A 1 2 r\n1 Q0 B 2 1 r\n", "charP").means().tolist() == [[0.5]]


@pytest.mark.parametrize("offset", ["X", "-1"])
def test_no_result_is_placed(offset: str) -> None:
    """A file without any offset is refused where a measure is of text."""
    run = f"1 Q0 12 1 2 r {offset} 0\n1 Q0 13 2 1 r {offset} 0\n".encode()
    with pytest.raises(MissingData, match="found offset X or -1 in every result, but charR needs text; Lang"):
        evaluate(JUDGMENTS, run, "charR")
    assert evaluate(JUDGMENTS, run, "articleP").means().tolist() == [[1.0]]


def test_no_path_is_in_the_index(tmp_path: Path) -> None:
    """Paths that the index does not have are refused if there are no others."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "12.xml").write_text("<a>some text</a>")
    build_index(tmp_path / "docs", tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    with pytest.raises(MissingData, match=r"none of the run's paths \(such as /b\[1\]\) is in the index"):
        evaluate(JUDGMENTS, b"1 Q0 12 1 2 r /b[1]\n", "charR", index=index)


def test_unknown_length_beside_an_index(tmp_path: Path) -> None:
    """The length of documents that neither index nor judgments know is that of the policy."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "12.xml").write_text("<a>some text</a>")
    build_index(tmp_path / "docs", tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    run = b"1 Q0 12 1 2 r\n1 Q0 other 2 1 r\n"
    with pytest.raises(ExcerptError, match="found 1 whole document of unknown length"):
        evaluate(JUDGMENTS, run, "charP", index=index)
    policy = Policy(unknown_length=27)
    assert evaluate(JUDGMENTS, run, "charP", policy=policy, index=index).means().tolist() == [[9 / 36]]
    assert evaluate(JUDGMENTS, run, "articleP", index=index).means().tolist() == [[0.5]]


def test_tags_to_drop() -> None:
    """Names that no element has give a warning; without a measure of elements there is nothing to drop."""
    graded = Judgments.graded([GradedElement("1", "12", "/a[1]/b[1]", 2, 1)], scale="exhaustivity 0-2")
    notices = Notices()
    run = Run.of("r", [Result("1", "12", -1, -1, 1.0, "/a[1]/b[1]")], kind="elements")
    evaluate(graded, run, "nxCG@1", drop_tags=("nosuch", "b"), notices=notices)
    assert "no element is named nosuch, so none is dropped" in list(notices)
    with pytest.raises(
        ExcerptError,
        match=r"drop_tags needs an element measure such as .*; add one",
    ):
        evaluate(JUDGMENTS, of("12"), "charP", drop_tags="b")


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder of three documents, each of which has several names."""
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text("Some text of ten words or less, all in all.")
    return tmp_path


@pytest.mark.parametrize("checks", ["all", "ids"])
def test_a_corpus_that_knows_the_documents(docs: Path, checks: Checks) -> None:
    """Unjudged documents give a warning, whether lengths are read or not."""
    judgments, notices = Judgments.of([("1", Span("a", 0, 9))]), Notices()
    reading = Reading(corpus=Corpus.read(docs), corpus_checks=checks)
    Scoring.of(judgments, "charP", reading=reading, notices=notices).join(of("c"), notices)
    assert list(notices) == ["1 run has no judged documents (r)"]
