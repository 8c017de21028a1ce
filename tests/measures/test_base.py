"""Names of measures: parsing, printing, suggestions, and what every registered measure must have."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, recall_levels, weights

from excerpt import ExcerptError, Judgments, Measure, Result, Run, Span, evaluate, parse_measure
from excerpt.errors import UnknownName
from excerpt.measures import definition, parameters, registry
from excerpt.measures.base import COUNT, RANK, RECALL_LEVEL, TRUTH, WEIGHT, Parameter, show_decimal

#: The measures of the interface that this file knows; others register more.
EXPECTED = {
    "iP",
    "AiP",
    "MAiP",
    "gP",
    "gR",
    "AgP",
    "MAgP",
    "charP",
    "charR",
    "charF",
    "IoU",
    "articleP",
    "articleR",
    "articleF",
    "articleAP",
}


def texts(kind: Parameter) -> st.SearchStrategy[str]:
    """Values of a parameter as a user may write them."""
    if kind in {RANK, COUNT}:
        return st.integers(1, 10**6).map(str)
    if kind is RECALL_LEVEL:
        return st.one_of(recall_levels(), st.sampled_from(("0", "1", "1.0", ".5", "1/3", "1e-2", "+0.5")))
    if kind is WEIGHT:
        return weights()
    if kind is TRUTH:
        return st.sampled_from(("true", "false", "True", "FALSE"))
    return st.sampled_from(kind.values.split(" or "))


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """A measure of the interface with generated parameters."""
    kind = registry()[draw(st.sampled_from(sorted(EXPECTED)))]
    given_: dict[str, str] = {}
    for field, parameter in parameters(kind):
        needed = parameter.cutoff and (field.default is dataclasses.MISSING or kind.name in {"gP", "gR"})
        if needed or draw(st.booleans()):
            given_[field.name] = draw(texts(parameter))
    # Each document score has a parameter of its own; the others must stay as they are.
    for score, own in {"F": "beta", "T2I": "irrelevant", "BEP": "n"}.items():
        if kind.name in {"gP", "gR", "AgP"} and given_.get("score", "F") != score:
            given_.pop(own, None)
    if given_.get("overlap", "exact") == "exact":  # only the published form of HiXEval has a weight
        given_.pop("alpha", None)
    elif "alpha" in given_:
        given_["alpha"] = draw(st.sampled_from(("0", "0.5", "1", "1/3")))
    return kind(**given_)


@settings(max_examples=500)
@given(measures())
def test_parsing_and_printing_are_inverse(measure: Measure) -> None:
    """parse(str(m)) is m, and printing it again gives the same text."""
    assert parse_measure(str(measure)) == measure
    assert str(parse_measure(str(measure))) == str(measure)
    assert hash(parse_measure(str(measure))) == hash(measure)


@settings(max_examples=150)
@given(measures())
def test_both_spellings_of_a_cutoff_agree(measure: Measure) -> None:
    """`@x` and `[x]` mean the same, with or without spaces around the parts."""
    text = str(measure)
    assert parse_measure(text.replace("[", "@").replace("]", "")) == measure
    assert parse_measure(f" {text.replace('(', ' ( ').replace(')', ' ) ').replace(',', ' , ')} ") == measure


@pytest.mark.parametrize(
    ("given_", "printed"),
    [
        ("iP@0.01", "iP[0.01]"),
        ("iP[0.1]", "iP[0.10]"),
        ("iP[1]", "iP[1.00]"),
        ("iP[.5]", "iP[0.50]"),
        ("iP[1/3]", "iP[1/3]"),
        ("iP[0.125]", "iP[0.125]"),
        ("MAiP", "AiP"),
        ("MAgP(beta=0.25)", "AgP(beta=0.25)"),
        ("AgP(score=F, beta=1.00)", "AgP"),
        ("AgP(score=t2i)", "AgP(score=T2I)"),
        ("gP(score=BEP,n=1000)@10", "gP(score=BEP, n=1000)[10]"),
        ("gP(legacy=True)[5]", "gP(legacy=true)[5]"),
        ("charF(beta=2)[5]", "charF(beta=2)[5]"),
        ("charP", "charP"),
    ],
)
def test_printed_name(given_: str, printed: str) -> None:
    """Names print in INEX's spelling, without parameters that have their default."""
    assert str(parse_measure(given_)) == printed


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("AiPP", "AiP"),
        ("MAIP", "MAiP"),
        ("aip", "AiP"),
        ("ip[0.01]", "iP"),
        ("Agp", "AgP"),
        ("charp", "charP"),
        ("iou", "IoU"),
        ("articleap", "articleAP"),
        ("artcleP", "articleP"),
        ("AgP(bta=1)", "beta"),
        ("AgP(scor=F)", "score"),
        ("gP(Legacy=true)[3]", "legacy"),
        ("AgP(irelevant=3)", "irrelevant"),
    ],
)
def test_unknown_names_suggest_the_nearest(wrong: str, right: str) -> None:
    """An unknown measure or parameter is an error that suggests the nearest one and lists the known ones."""
    with pytest.raises(UnknownName, match=f"did you mean '{right}'\\? known: "):
        parse_measure(wrong)


MALFORMED = """
    ||  |iP|gP|gR|MAnothing|AiP[0.1]|MAiP@0.1|AgP[3]|articleP[3]|articleAP@5|iP[]|iP@|iP[ ]|iP[1.01]
    |iP[-0.01]|iP[2]|iP[nan]|iP[inf]|iP[x]|iP[0,5]|iP[1/0]|iP[0.1.2]|iP[1e400]|iP[--1]|iP[.]|iP[e5]
    |iP[1/]|iP[/2]|iP[0x1]|iP[50%]|iP[0.1|iP0.1]|iP[0.1]]|iP[[0.1]]|iP[0.1]@0.1|iP[0.1][0.1]
    |iP@0.1@0.2|iP[0.1]x|iP(0.1)|iP(at=0.1)|iP(at=0.1)[0.1]|iP(beta=1)[0.1]|gP[0]|gP[-1]|gP[1.5]
    |gP[x]|gP[]|gP[1e3]|gP[+-1]|gP[10 20]|gP[inf]|gR[0]|gR[0.5]|gR(gamma=1)[3]|gP(top=3)|charP[0]
    |charR[-5]|charF[2.0]|IoU[nan]|charP(beta=1)|charF(beta=-1)|charF(beta=x)|charF(beta=)
    |charF(beta=nan)|charF(beta=inf)|charF(beta)|charF(=1)|charF(beta=1=2)|charF(beta=1, beta=2)
    |charF(beta=1 2)|charF((beta=1))|charF(beta=1|charF beta=1)|charF(beta=1))|charF[2](beta=1)
    |charF(beta==1)|charF(beta=1;)|charF(beta=True)|AgP(score=G)|AgP(score=)|AgP(score=F,T2I)
    |AgP(score=T2I, beta=2)|AgP(score=BEP, irrelevant=5)|AgP(n=5)|AgP(irrelevant=5)
    |AgP(score=T2I, irrelevant=0)|AgP(score=T2I, irrelevant=-3)|AgP(score=T2I, irrelevant=1.5)
    |AgP(score=BEP, n=0)|AgP(score=BEP, n=x)|AgP(legacy=true)|gP(legacy=1)[3]|gP(legacy=maybe)[3]
    |gP(legacy=)[3]|Ai P|AiP AiP|AiP,gP[3]|AiP;|AiP!|(beta=1)|[3]|@3|@|()|[]|-|A-iP|AiP\\0|AiP(\\n)x
    |*|Ai*|../AiP|None|1|0.5
"""


@pytest.mark.parametrize(
    "text", [part for line in MALFORMED.strip("\n").splitlines() for part in line.strip().split("|")]
)
def test_malformed_names_are_refused(text: str) -> None:
    """What is not a measure is an ExcerptError of one line, never another exception."""
    with pytest.raises(ExcerptError) as caught:
        parse_measure(text)
    assert str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=150)
@given(st.one_of(st.text(max_size=20), st.text("iPgR AMc[]()@=.,/+-0123eE_b", max_size=14)))
def test_any_text_is_a_measure_or_an_error(text: str) -> None:
    """Whatever is typed, the answer is a measure that prints and parses, or an ExcerptError."""
    try:
        measure = parse_measure(text)
    except ExcerptError:
        return
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize("rank", [0, -1, 1.5, "x", True, float("nan"), [3]])
def test_python_values_are_checked_like_text(rank: object) -> None:
    """A measure made in Python refuses the same values as a measure that was typed."""
    with pytest.raises(ExcerptError):
        registry()["charP"](rank)  # type: ignore[call-arg]


def test_python_values_are_read_like_text() -> None:
    """Numbers given in Python become the exact numbers they print as."""
    assert registry()["iP"](at=0.29) == parse_measure("iP[0.29]")  # type: ignore[call-arg]
    assert registry()["charF"](beta=0.1) == parse_measure("charF(beta=0.1)")  # type: ignore[call-arg]
    assert registry()["AgP"](beta=Fraction(1, 3)) == parse_measure("AgP(beta=1/3)")  # type: ignore[call-arg]


@settings(max_examples=150)
@given(st.fractions(-100, 100, max_denominator=10**6), st.integers(0, 5))
def test_fractions_print_exactly(value: Fraction, places: int) -> None:
    """A printed fraction is the fraction, with at least the places asked for if it is a decimal number."""
    shown = show_decimal(value, places)
    assert Fraction(shown) == value
    assert "/" in shown or len(shown.partition(".")[2]) >= places


def test_the_measures_of_the_interface_are_registered() -> None:
    """Every measure of this part of the interface is known by its name, and by its mean's name."""
    assert set(registry()) >= EXPECTED
    assert registry()["MAiP"] is registry()["AiP"]
    assert registry()["MAgP"] is registry()["AgP"]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_every_measure_is_documented(name: str) -> None:
    """A measure has a definition with a worked example, and a reference with a year."""
    text = definition(registry()[name])
    assert ">>> " in text
    assert text.splitlines()[0].endswith((".", ";", ":"))
    assert any(char.isdigit() for char in registry()[name].reference)


def example(name: str) -> str:
    """A complete name: with a cut-off where one is needed."""
    cutoffs = {"iP": "[0.10]", "gP": "[1]", "gR": "[5]"}
    return name + cutoffs.get(name, "")


WORLD = Case(
    highlights=(("1", "a", 5, 9), ("1", "a", 20, 30), ("1", "b", 0, 12), ("2", "c", 3, 4), ("2", "a", 0, 40)),
    irrelevant=(("1", "c"),),
    sizes={"a": 40, "b": 50, "c": 60},
    entries={("1", "a"): 5, ("1", "b"): 0, ("2", "c"): 3, ("2", "a"): 0},
    results=(),
)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_empty_run_scores_zero(name: str) -> None:
    """A run without results scores 0 on every topic with relevant text."""
    table = evaluate(WORLD.judgments(), [Run.of("run", [])], [example(name)])
    assert table.values.tolist() == [[[0.0], [0.0]]]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_perfect_ranking_scores_one(name: str) -> None:
    """Exactly the highlights, grouped by document, score 1."""
    judgments = WORLD.judgments()
    rows = [Result(topic, *span) for topic in ("1", "2") for span in judgments.highlights(topic)]
    table = evaluate(judgments, [Run.of("run", rows)], [example(name)])
    assert table.values.tolist() == [[[1.0], [1.0]]]


@pytest.mark.parametrize(
    "name", ["AiP", "AgP", "AgP(beta=0.25)", "charF(beta=3)", "IoU", "articleAP", "gP[1]"]
)
def test_same_number_whatever_else_is_asked(name: str) -> None:
    """A score does not depend on which measures were computed before it."""
    judgments = Judgments.of([("1", Span("a", 2, 7)), ("1", Span("b", 0, 3))], sizes={"a": 9, "b": 9})
    run = Run.of("run", [Result("1", "b", 1, 9), Result("1", "a", 0, 6)])
    alone = evaluate(judgments, [run], [name]).mean("run", name)
    others = ["gP(score=T2I)[2]", "iP[0.5]", "charR", "gR[1]", "articleP"]
    assert evaluate(judgments, [run], [*others, name]).mean("run", name) == alone
    assert evaluate(judgments, [run], [name, *others]).mean("run", name) == alone
