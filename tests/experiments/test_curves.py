"""A curve has the scores of its measure at each cut-off, and draws the same figure every time."""

from __future__ import annotations

import csv
import io
import itertools
import json
from fractions import Fraction

import numpy as np
import pytest

from excerpt import measures
from excerpt.errors import ExcerptError, UnknownName
from excerpt.evaluation import evaluate
from excerpt.experiments.curves import MeasureFamily, curve
from excerpt.measures import parameters, registry
from excerpt.model import GradedElement, Judgments, Policy, Result, Run, Span
from excerpt.notices import Notices

JUDGMENTS = Judgments.of(
    [
        ("1", Span("A", 10, 50)),
        ("1", Span("A", 100, 120)),
        ("1", Span("B", 0, 40)),
        ("2", Span("D", 400, 500)),
    ],
    irrelevant=[("3", "D")],
    sizes={"A": 200, "B": 100, "D": 1000},
    entries={("1", "A"): 10, ("1", "B"): 0, ("2", "D"): 400},
)
FIRST = Run.of(
    "first",
    [
        Result("1", "A", 0, 50),
        Result("1", "A", 100, 150),
        Result("1", "C", 0, 30),
        Result("1", "B", 20, 60),
        Result("2", "E", 0, 100),
        Result("2", "D", 350, 450),
    ],
)
SECOND = Run.of("second", [Result("1", "B", 0, 40), Result("2", "D", 400, 500)])


@pytest.mark.parametrize(
    ("name", "cutoffs"),
    [
        ("iP", [f"{k / 100:.2f}" for k in range(101)]),
        *((name, list(range(1, 51))) for name in ("gP", "gP(beta=0.25, legacy=true)", "gP(score=T2I)", "gR")),
        *((name, list(range(1, 51))) for name in ("charP", "charR", "charF", "charF(beta=2)", "IoU")),
    ],
)
def test_values_are_those_of_the_measure_at_each_cutoff(name: str, cutoffs: list[object]) -> None:
    """Means and single topics are what evaluate gives for the measures one by one, bit by bit."""
    found = curve(JUDGMENTS, [FIRST, SECOND], name)
    table = evaluate(JUDGMENTS, [FIRST, SECOND], [f"{name}[{cutoff}]" for cutoff in cutoffs])
    assert found.values.tolist() == table.means().tolist()
    assert found.x.tolist() == [float(str(cutoff)) for cutoff in cutoffs]
    assert (found.measure, found.runs) == (name, ("first", "second"))
    one = curve(JUDGMENTS, [FIRST, SECOND], name, topic="2")
    assert one.values.tolist() == table.values[:, 1, :].tolist()
    assert (one.topic, one.y_label) == ("2", f"{name}, topic 2")


GAINS = {3: 2, 2: 1, 1: -1}  # exhaustivity (? is -1) that generalised_lifted makes to a gain
ELEMENTS = Judgments.graded(
    [
        GradedElement("1", "d", f"/a[1]/p[{n}]", GAINS[gain], size=4, relevant=4)
        for n, gain in enumerate((3, 3, 3, 2, 2, 2, 1, 1, 1, 1), start=1)
    ],
    scale="exhaustivity 0-2",
)
RANKED = Run.of(
    "ranked",
    [Result("1", "d", -1, -1, None, f"/a[1]/p[{n}]") for n in (1, 4, 2, 91, 92, 7, 5, 6, 3, 93)],
    kind="elements",
)


def test_gain_curves_of_the_classical_vectors() -> None:
    """nxCG by rank and ep by gain-recall for the vectors of Järvelin and Kekäläinen; parameters are kept."""
    lifted = "(quantisation=generalised_lifted)"
    by_rank = curve(ELEMENTS, RANKED, f"nxCG{lifted}", points="10")
    expected = (1, 5 / 6, 8 / 9, 8 / 11, 8 / 13, 3 / 5, 11 / 16, 13 / 17, 8 / 9, 16 / 19)
    assert by_rank.values[0] == pytest.approx(expected, rel=1e-15)
    assert (by_rank.measure, by_rank.x_label) == (f"nxCG{lifted}", "rank")
    by_gain = curve(ELEMENTS, RANKED, f"ep{lifted}", points="0.1:1:0.1")
    assert by_gain.values[0] == pytest.approx((1, 1, 2 / 3, 1, 4 / 7, 5 / 8, 2 / 3, 7 / 9, 0, 0), rel=1e-15)
    assert curve(ELEMENTS, RANKED, f"ep{lifted}").x.tolist() == [k / 100 for k in range(1, 101)]


@pytest.mark.parametrize(
    "name", ["nxCG", "nxCG(ideal=focused)", "MAnxCG", "ep", "inex_eval", "inex_eval(nonrel=fractional)"]
)
def test_element_measures_along_their_cutoffs(name: str) -> None:
    """Curves of element measures are what evaluate gives for the measures one by one; averages agree."""
    found = curve(ELEMENTS, RANKED, name)
    table = evaluate(ELEMENTS, RANKED, [f"{name}[{x}]" for x in found.x.tolist()])
    assert found.values.tolist() == table.means().tolist()
    average = {"ep": "iMAep", "inex_eval": "inex_eval"}.get(name)
    if average:
        mean = evaluate(ELEMENTS, RANKED, average).means()[0, 0]
        assert found.values.mean() == pytest.approx(mean, rel=1e-12)


def test_entry_points_along_recall() -> None:
    """EPRUM has levels above 0 only, and its steps lie at multiples of 1/T."""
    marked = [("1", Span(name, 0, 9)) for name in "abc"]
    judgments = Judgments.of(marked, entries={("1", name): 0 for name in "abc"})
    starts = (("a", 0), ("z", 0), ("b", 100), ("c", 300))
    run = Run.of("r", [Result("1", name, start, start + 1) for name, start in starts])
    found = curve(judgments, run, "EPRUM(L=1000)")
    levels = dict(zip(found.x.tolist(), found.values[0].tolist(), strict=True))
    assert list(levels) == [k / 100 for k in range(1, 101)]
    steps = [levels[x] for x in (0.01, 0.33, 0.34, 0.66, 0.67, 1.0)]
    assert steps == pytest.approx([1, 1, 19 / 48, 19 / 48, 3 / 32, 3 / 32], rel=1e-12)


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ("3", [1, 2, 3]),
        ("3,1,3", [1, 3]),
        ("1:3,10", [1, 2, 3, 10]),
        ("1:7:3", [1, 4, 7]),
        ([3], [3]),
        (range(1, 3), [1, 2]),
        (["2:4"], [2, 3, 4]),
    ],
)
def test_points(points: str, expected: list[int]) -> None:
    """Points are numbers or ranges, sorted, each once; only as text a single rank means all up to it."""
    assert curve(JUDGMENTS, [FIRST], "charP", points=points).x.tolist() == expected


def test_levels_are_exact() -> None:
    """A level is the fraction that was written, not the nearest double."""
    judgments = Judgments.of([("1", Span("A", 0, 100))])
    run = Run.of("r", [Result("1", "A", 0, 29)])
    assert curve(judgments, [run], "iP", points="0.28:0.3:0.01").values.tolist() == [[1.0, 1.0, 0.0]]
    assert curve(judgments, [run], "iP", points=[0.29, "1/3"]).x.tolist() == [0.29, 1 / 3]
    assert MeasureFamily.of("iP").cutoffs(None)[29] == Fraction(29, 100)


@pytest.mark.parametrize(
    ("name", "points", "message"),
    [
        ("ip2", None, "unknown measure 'ip2'; did you mean 'iP'?"),
        ("", None, "unknown measure ''"),
        ("(x)", None, "unknown measure '(x)'"),
        ("MAiP", None, "found MAiP, which has no cut-off, expected a measure that has one; try one of "),
        (
            "iP[0.01]",
            None,
            "found 'iP[0.01]', expected a measure without its cut-off; try iP with points=…",
        ),
        (
            "iP@0.01",
            None,
            "found 'iP@0.01', expected a measure without its cut-off; try iP with points=…",
        ),
        ("gP(betta=2)", None, "unknown parameter of gP 'betta'; did you mean 'beta'?"),
        ("iP", "0,2", "found '2' as cut-off of iP, expected a number from 0.00 to 1.00"),
        ("charP", "0", "found '0' as cut-off of charP, expected a rank"),
        ("charP", "-1", "found '-1' as points"),
        ("charP", "1e99999999", "found '1e99999999' as points"),
        ("charP", "9" * 5000, "found '999"),
        ("iP", ".5:1/3.5", "found '.5:1/3.5' as points"),
        ("charP", [0], "found '0' as cut-off of charP, expected a rank"),
        ("charP", "1.5", "found '3/2' as cut-off of charP, expected a rank"),
        ("charP", "x", "found 'x' as points, expected numbers or ranges such as 1,2,5 or 1:100 or 0:1:0.1"),
        ("charP", "1:2:0", "found '1:2:0' as points"),
        ("charP", "5:1", "found '5:1' as points"),
        ("charP", "1:2:3:4", "found '1:2:3:4' as points"),
        ("charP", "1/0", "found '1/0' as points"),
        ("charP", "nan", "found 'nan' as points"),
        ("charP", "1:1000000000", "found more than 10000 points"),
        ("charP", "", "found '' as points"),
        ("charP", [], "no points given"),
    ],
)
def test_mistakes(name: str, points: str | list[int] | None, message: str) -> None:
    """Unknown measures, measures without a cut-off and bad points are named."""
    with pytest.raises(ExcerptError) as caught:
        curve(JUDGMENTS, [FIRST], name, points=points)
    assert str(caught.value).startswith(message)


def test_unknown_topic() -> None:
    """A topic that was not judged is an error that lists those that were."""
    with pytest.raises(UnknownName, match="unknown topic '9'; known: 1, 2, 3"):
        curve(JUDGMENTS, [FIRST], "iP", topic="9")


def test_policy_and_warnings_are_those_of_evaluate() -> None:
    """Options reach the evaluation and its warnings come back."""
    run = Run.of("r", [Result("1", "A", 0, 50), Result("1", "A", 0, 50)])
    with pytest.raises(ExcerptError, match="overlapping"):
        curve(JUDGMENTS, [run], "iP")
    found = curve(JUDGMENTS, [run], "iP", policy=Policy(overlap="first", only_run_topics=True), points="0,1")
    assert found.values.tolist() == [[0.8, 0.0]]
    assert any("no relevant text" in warning for warning in found.warnings)


def test_csv_and_json_read_back() -> None:
    """CSV and JSON keep every digit; names are quoted and undefined scores are empty."""
    odd = Run.of('a,"b"\r', [Result("1", "A", 0, 7)])
    found = curve(JUDGMENTS, [FIRST, odd], "charF", points="3")
    rows = list(csv.reader(io.StringIO(found.to_csv(), newline="")))
    assert rows[0] == ["x", "first", 'a,"b"\r']
    assert (
        np.array([[float(cell) for cell in row[1:]] for row in rows[1:]]).T.tolist() == found.values.tolist()
    )
    assert [row[0] for row in rows[1:]] == ["1", "2", "3"]
    read = json.loads(json.dumps(found.to_dict()))
    assert [run["values"] for run in read["runs"]] == found.values.tolist()
    empty = curve(JUDGMENTS, [FIRST], "charF", points="1", topic="3")
    assert empty.to_csv() == "x,first\n1,\n"
    assert empty.to_dict()["runs"][0]["values"] == [None]


def test_intervals() -> None:
    """Every mean has the limits that a table of scores gives it, in all outputs; one topic has none."""
    found = curve(JUDGMENTS, [FIRST, SECOND], "charF", points="2", interval=0.9, samples=200, seed=3)
    table = evaluate(JUDGMENTS, [FIRST, SECOND], ["charF@1", "charF@2"])
    limits = table.intervals(0.9, 200, 3)
    assert found.limits is not None
    assert found.limits.tolist() == [
        [list(limits[run][name] or ()) for name in table.measures] for run in table.runs
    ]
    rows = list(csv.reader(io.StringIO(found.to_csv())))
    assert rows[0] == ["x", *(f"{run}{end}" for run in ("first", "second") for end in ("", " low", " high"))]
    assert [float(cell) for cell in rows[2][2:4]] == found.limits[0, 1].tolist()
    told = found.to_dict()
    assert told["interval"] == {"level": 0.9, "samples": 200, "seed": 3}
    assert told["runs"][1]["limits"] == found.limits[1].tolist()
    assert "[" in str(found)
    with pytest.raises(ExcerptError, match="a single topic has no interval, only means have one"):
        curve(JUDGMENTS, [FIRST], "charF", interval=0.9, topic="1")
    with pytest.raises(ExcerptError, match="found 95 as confidence"):
        curve(JUDGMENTS, [FIRST], "charF", interval=95)


def test_intervals_by_student() -> None:
    """The method is used and recorded; settings of intervals without an interval are an error."""
    found = curve(JUDGMENTS, [FIRST, SECOND], "charF", points="2", interval=0.9, interval_method="t")
    limits = evaluate(JUDGMENTS, [FIRST, SECOND], ["charF@2"]).intervals(0.9, method="t")
    assert found.limits is not None
    assert found.limits[0, 1].tolist() == list(limits["first"]["charF@2"] or ())
    assert found.to_dict()["interval"] == {"level": 0.9, "method": "t"}
    for alone in ({"interval_method": "t"}, {"samples": 100}, {"seed": 2}):
        with pytest.raises(ExcerptError, match="the settings of intervals need an interval"):
            curve(JUDGMENTS, [FIRST], "charF", **alone)
    with pytest.raises(ExcerptError, match="unknown method of intervals"):
        curve(JUDGMENTS, [FIRST], "charF", interval=0.9, interval_method="z")


def test_measures_as_values_and_several() -> None:
    """A measure is as good as its name, and several give one curve each, as on the command line."""
    named = curve(JUDGMENTS, [FIRST], "iP")
    assert curve(JUDGMENTS, [FIRST], measures.iP).to_dict() == named.to_dict()
    several = curve(JUDGMENTS, [FIRST], ["iP", "charP"], notices=Notices())
    assert several.curves[0].to_dict() == named.to_dict()
    assert several.curves[1].measure == "charP"
    assert curve(JUDGMENTS, [FIRST], "charP", points=3).x.tolist() == [1, 2, 3]
    with pytest.raises(ExcerptError, match="found 3 as measure, expected a measure or the name of one"):
        curve(JUDGMENTS, [FIRST], 3)  # type: ignore[call-overload]
    with pytest.raises(ExcerptError, match="found None as points, expected numbers"):
        curve(JUDGMENTS, [FIRST], "iP", points=[None])
    with pytest.raises(ExcerptError, match="no measure given"):
        curve(JUDGMENTS, [FIRST], [])


def test_several_measures_of_what_can_be_read_once() -> None:
    """Every measure of a curve has the elements, points and files that the first one has."""
    elements = [GradedElement("1", "d", f"/x[1]/{name}[1]", 2, size=4, relevant=4) for name in "abp"]
    judgments = Judgments.graded(elements, scale="exhaustivity 0-2")
    run = Run.of("r", [Result("1", "d", -1, -1, path=f"/x[1]/{name}[1]") for name in "pab"], kind="elements")
    names = ["nxCG", "MAnxCG"]
    listed = curve(judgments, run, names, drop_tags=["a"], points=[1, 2, 3]).to_dict()
    assert curve(judgments, run, names, drop_tags=iter(["a"]), points=iter([1, 2, 3])).to_dict() == listed
    assert curve(judgments, run, names, points=[1, 2, 3]).to_dict() != listed
    qrels, content = b"1 Q0 A 10 40 0 0:10\n", b"1 Q0 A 1 2 r 0 20\n"
    once = curve(io.BytesIO(qrels), io.BytesIO(content), ["charP", "charR"])
    for one, other in zip(once.curves, curve(qrels, content, ["charP", "charR"]).curves, strict=True):
        assert one.values.tolist() == other.values.tolist()
        assert one.files == ("<stream>",)


def test_an_everyday_name_says_what_it_stands_for() -> None:
    """The meaning depends on the judgments, as in a table of scores."""
    documents = curve(b"1 0 A 1\n1 0 B 0\n", b"1 Q0 A 1 3 r\n", ["recall", "AP"], points=[1, 2])
    assert documents.notes() == ()
    assert [one["aliases"] for one in documents.to_dict()["curves"]] == [
        {"recall": "articleR"},
        {"AP": "articleAP"},
    ]
    both = curve(b"1 Q0 A 10 40 0 0:10\n", b"1 Q0 A 1 2 r 0 20\n", ["recall", "precision"], points=[1])
    assert both.notes() == ("recall = charR, precision = charP",)
    text = curve(b"1 Q0 A 10 40 0 0:10\n", b"1 Q0 A 1 2 r 0 20\n", "Recall", points=[1])
    assert text.to_dict()["aliases"] == {"Recall": "charR"}
    assert str(text).endswith("\nRecall = charR")
    assert "aliases" not in curve(b"1 Q0 A 10 40 0 0:10\n", b"1 Q0 A 1 2 r 0 20\n", "charR").to_dict()


BY_LEVEL = {"iP", "ep", "EPRUM", "inex_eval", "inex_eval_ng"}


def test_every_measure_with_a_cutoff_has_default_points() -> None:
    """Ranks run from 1 to 50, shares to 1.00 from 0.00 or, where 0 is refused, from 0.01."""
    families = [
        measure for measure in registry().values() if any(kind.cutoff for _, kind in parameters(measure))
    ]
    assert families
    for measure in families:
        family = MeasureFamily.of(measure.name)
        assert family.by_rank == (measure.name not in BY_LEVEL)
        points = family.cutoffs(None)
        if family.by_rank:
            assert points == list(range(1, 51))
        else:
            assert points[0] in {0, Fraction(1, 100)}
            assert points[-1] == 1
            assert {b - a for a, b in itertools.pairwise(points)} == {Fraction(1, 100)}


def test_parameters_decide_what_a_cutoff_is() -> None:
    """EPRUM has recall levels, but ranks where a parameter says so."""
    assert not MeasureFamily.of("EPRUM(A=1, L=100)").by_rank
    assert MeasureFamily.of("EPRUM(at=rank, A=1, L=100)").cutoffs(None) == list(range(1, 51))


def _shares() -> tuple[Judgments, list[Run]]:
    """Three elements that gain 1, 1 and 1/2 for topic 1, one that gains 1 for topic 2, and two runs."""
    rows = [("1", 1, 4), ("1", 2, 4), ("1", 3, 2), ("2", 1, 4)]
    graded = [GradedElement(topic, "d", f"/a[1]/p[{n}]", 2, -1, 4, part) for topic, n, part in rows]
    found = {"mine": [("1", 3), ("1", 1)], "ideal": [("1", 1), ("1", 2), ("2", 1)]}
    runs = [
        Run.of(name, [Result(topic, "d", -1, -1, path=f"/a[1]/p[{n}]") for topic, n in rows], kind="elements")
        for name, rows in found.items()
    ]
    return Judgments.graded(graded, scale="highlights"), runs


def test_the_ideal_run_of_cumulated_gain() -> None:
    """Figure 1 of INEX 2006: the gains of runs, and of the ideal run, which has a name of its own."""
    judgments, runs = _shares()
    found = curve(judgments, runs, "xCG", points="4", ideal=True)
    assert found.runs == ("mine", "ideal", "ideal #2")
    assert found.values.tolist() == [[0.25, 0.75, 0.75, 0.75], [1, 1.5, 1.5, 1.5], [1, 1.5, 1.75, 1.75]]
    assert found.values[2].tolist() == curve(judgments, runs, "xCI", points="4").values[0].tolist()
    one = curve(judgments, runs[:1], "xCG", points="3", ideal=True, topic="1")
    assert one.values.tolist() == [[0.5, 1.5, 1.5], [1, 2, 2.5]]
    only = curve(judgments, runs[:1], "xCG", points="3", ideal=True, policy=Policy(only_run_topics=True))
    assert only.values[1].tolist() == [1, 2, 2.5]
    both = curve(judgments, runs, ["xCG", "xCG(ideal=focused)"], points="2", ideal=True, interval=0.9)
    assert [each.runs for each in both.curves] == [found.runs] * 2
    for name in ("nxCG", "xCI", "charP"):
        with pytest.raises(ExcerptError, match=f"found {name}, expected xCG, which has an ideal run"):
            curve(judgments, runs, ["xCG", name], ideal=True)


@pytest.mark.parametrize(
    ("name", "label"), [("ep", "gain-recall"), ("nxCG", "rank"), ("inex_eval", "recall")]
)
def test_the_axis_names_its_cutoffs(name: str, label: str) -> None:
    judgments, runs = _shares()
    assert curve(judgments, runs, name, points="1").x_label == label
