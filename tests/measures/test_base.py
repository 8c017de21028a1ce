"""Required parts of every measure, and measures as values in Python."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.strategies import Case

from excerpt import ExcerptError, Judgments, Result, Run, Span, evaluate, measures, parse_measure
from excerpt.errors import UnknownName
from excerpt.measures import base, definition, parameters, registry
from excerpt.measures.base import show_decimal

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


def test_measures_are_values_of_the_module() -> None:
    """Every name of the registry is a measure in Python, and what it prints is what it is called."""
    for name, kind in registry().items():
        measure = getattr(measures, name)
        assert type(measure) is kind
        assert str(measure) == repr(measure) == kind.name
        assert name in dir(measures)


@pytest.mark.parametrize(
    "text",
    ["iP[0.01]", "AgP(beta=0.25)", "charR[5]", "gP(score=BEP)[5]", "EPRUM(L=6000, at=rank)[10]", "charF"],
)
def test_measures_written_in_python_are_those_of_their_names(text: str) -> None:
    """`Name(key=value) @ cut-off` makes the measure whose name it prints."""
    from excerpt.measures import EPRUM, AgP, charF, charR, gP, iP

    written = {
        iP @ 0.01,
        AgP(beta=0.25),
        charR @ 5,
        gP(score="BEP") @ 5,
        EPRUM(at="rank", L=6000) @ "10",
        charF(beta=1),
    }
    (found,) = (measure for measure in written if str(measure) == text)
    assert found == parse_measure(text)
    assert parse_measure(repr(found)) == found


def test_measures_as_values_are_evaluated() -> None:
    """evaluate takes measures made in Python as well as names, also those of means."""
    from excerpt.measures import AgP, MAiP, charR, iP

    judgments = Judgments.of([("1", Span("a", 2, 7)), ("1", Span("b", 0, 3))], sizes={"a": 9, "b": 9})
    run = Run.of("run", [Result("1", "b", 1, 9), Result("1", "a", 0, 6)])
    table = evaluate(judgments, [run], [iP @ 0.1, AgP(beta=0.25), charR @ 1, MAiP])
    assert table.measures == ("iP[0.10]", "AgP(beta=0.25)", "charR[1]", "AiP")
    assert table.values.tolist() == evaluate(judgments, [run], table.measures).values.tolist()
    with pytest.raises(ExcerptError, match="iP needs a cut-off"):
        evaluate(judgments, [run], [iP])


def test_wrong_parameters_in_python_are_refused() -> None:
    """Unknown parameters suggest the nearest, cut-offs are no keywords, and some measures have none."""
    with pytest.raises(UnknownName, match="did you mean 'beta'"):
        measures.AgP(bta=1)
    with pytest.raises(UnknownName, match="unknown parameter of iP 'at'"):
        measures.iP(at=0.1)
    with pytest.raises(ExcerptError, match="found cut-off '3', but AgP has none; try AgP"):
        measures.AgP @ 3
    with pytest.raises(AttributeError, match="no attribute 'infAP'"):
        _ = measures.infAP


@pytest.mark.parametrize("name", sorted(registry()))
def test_every_registered_measure_is_documented(name: str) -> None:
    """Definition, worked example, reference with a year, and kinds of all parameters."""
    kind = registry()[name]
    assert ">>> " in definition(kind)
    assert any(char.isdigit() for char in kind.reference)
    assert all(parameter.values for _, parameter in parameters(kind))


@settings(max_examples=150)
@given(st.fractions(-100, 100, max_denominator=10**6), st.integers(0, 5))
def test_fractions_print_exactly(value: Fraction, places: int) -> None:
    """A printed fraction is the fraction, with at least the places asked for if it is a decimal number."""
    shown = show_decimal(value, places)
    assert Fraction(shown) == value
    assert "/" in shown or len(shown.partition(".")[2]) >= places


def test_families_are_the_modules_with_measures() -> None:
    """Helpers of families are not taken for families, and every family has a measure."""
    measures = base.registry().values()
    assert set(base._families()) == {
        kind.__module__ for kind in measures if kind.__module__.startswith("excerpt.measures.")
    }


def test_the_table_of_families_is_right() -> None:
    """Its measures are in these modules, and are listed in its order; others come after them."""
    listed = base.registry()
    assert [*listed][: len(base.FAMILIES)] == [*base.FAMILIES]
    for name, module in base.FAMILIES.items():
        assert listed[name].__module__ == f"excerpt.measures.{module}"


def test_no_module_has_the_name_of_a_measure() -> None:
    """Else `excerpt.measures.NAME` would be the module: a module has the name of its family."""
    modules = {name.rpartition(".")[2] for name in base._families()}
    assert modules.isdisjoint(base.registry())


def test_a_name_is_found_with_as_few_imports_as_possible() -> None:
    """Looking up iP does not load the measures of elements."""
    code = (
        "import sys, excerpt.measures\n"
        "excerpt.measures.parse('iP[0.1]')\n"
        "sys.exit('excerpt.measures.xcg' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_not_found() -> None:
    """All families are asked before the answer is no."""
    assert base.find("nothing") is None
