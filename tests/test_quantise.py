"""Quantisations: every entry of the published tables, and tables of the user's own."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.element_oracle import DEFAULTS, SHARES, TABLES, names, quantise
from support.element_strategies import SCALES

from excerpt import Judgments, Result, Run, evaluate
from excerpt import quantise as quantising
from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.elements import GradedElement
from excerpt.model.judgments import Scale

GRADED: tuple[Scale, ...] = SCALES[:2]
CONTINUOUS: tuple[Scale, ...] = SCALES[2:]


def _values(
    scale: Scale, name: str, rows: list[GradedElement], own: tuple[quantising.Quantisation, ...] = ()
) -> list[Fraction]:
    elements = Judgments.graded(rows, scale=scale).elements
    assert elements is not None
    found = quantising.gains(quantising.find(name, scale, own), elements)
    return [Fraction(a, b) for a, b in zip(found.numerator.tolist(), found.denominator.tolist(), strict=True)]


@pytest.mark.parametrize(("scale", "name"), TABLES)
def test_every_pair_of_grades(scale: Scale, name: str) -> None:
    rows = [GradedElement("1", "A", f"/a[{e}]/b[{s}]", e, s) for e, s in product(range(4), range(4))]
    assert _values(scale, name, rows) == [quantise(scale, name, row) for row in rows]


#: Tables 1 and 2 of Ogilvie & Lalmas (2006) and the table of Gövert & Kazai (2002), written once more.
_PRINTED = {
    (
        "exhaustivity and specificity",
        "generalised",
    ): "33=1 23=.75 32=.75 31=.75 13=.5 22=.5 21=.5 12=.25 11=.25",
    ("exhaustivity and specificity", "sog"): "33=1 23=.9 13=.75 32=.75 22=.5 12=.25 31=.25 21=.1 11=.1",
    ("exhaustivity and specificity", "strict"): "33=1",
    ("exhaustivity and specificity", "any_relevant"): "33=1 23=1 32=1 31=1 13=1 22=1 21=1 12=1 11=1",
    ("relevance and coverage", "strict"): "3E=1",
    ("relevance and coverage", "generalised"): "3E=1 2E=.75 3L=.75 1E=.5 2L=.5 2S=.5 1S=.25 1L=.25",
}


@pytest.mark.parametrize(("scale", "name"), _PRINTED)
def test_printed_tables(scale: Scale, name: str) -> None:
    printed = dict(entry.split("=") for entry in _PRINTED[scale, name].split())
    letters = "NSLE" if scale == "relevance and coverage" else "0123"
    rows = [GradedElement("1", "A", f"/a[{e}]/b[{s}]", e, s) for e, s in product(range(4), range(4))]
    right = [Fraction(printed.get(f"{row.exhaustivity}{letters[row.specificity]}", "0")) for row in rows]
    assert _values(scale, name, rows) == right


@pytest.mark.parametrize(
    ("name", "full", "part"),
    [  # for e = 0, 1, 2, ? with all text highlighted, and with a third of it
        ("strict", (0, 0, 1, 0), (0, 0, 0, 0)),
        ("fully_specific", (1, 1, 1, 1), (0, 0, 0, 0)),
        ("generalised", (0, 1, 2, 0), (0, 1, 2, 0)),
        ("generalised_lifted", (0, 2, 3, 1), (0, 2, 3, 1)),
        ("binary_exhaustivity", (0, 1, 1, 1), (0, 1, 1, 1)),
        ("binary_exhaustivity_zero", (0, 1, 1, 0), (0, 1, 1, 0)),
    ],
)
def test_printed_table_of_2005(name: str, full: tuple[int, ...], part: tuple[int, ...]) -> None:
    for relevant, thirds in ((9, [3 * value for value in full]), (3, list(part)), (0, [0] * 4)):
        rows = [GradedElement("1", "A", f"/a[{e + 2}]", e, -1, 9, relevant) for e in (0, 1, 2, -1)]
        assert _values("exhaustivity 0-2", name, rows) == [Fraction(value, 3) for value in thirds]


_SIZES = st.one_of(st.integers(1, 60), st.integers(1, 10**12))


@settings(max_examples=500)
@given(st.lists(st.tuples(st.sampled_from((-1, 0, 1, 2)), _SIZES, st.integers(0, 10**12)), max_size=6))
def test_shares_are_exact(drawn: list[tuple[int, int, int]]) -> None:
    rows = [
        GradedElement("1", "A", f"/a[{place}]", e, -1, size, relevant % (size + 1))
        for place, (e, size, relevant) in enumerate(drawn, 1)
    ]
    for scale, name in SHARES:
        if rows:
            assert _values(scale, name, rows) == [quantise(scale, name, row) for row in rows]  # type: ignore[arg-type]


def test_an_element_without_text_is_worth_nothing() -> None:
    for name in names("highlights"):
        assert _values("highlights", name, [GradedElement("1", "A", "/a[1]", 2, -1, 0, 0)]) == [0]


@pytest.mark.parametrize("scale", SCALES)
def test_defaults(scale: Scale) -> None:
    assert quantising.default(scale) == DEFAULTS[scale]
    assert quantising.find(None, scale).name == DEFAULTS[scale]
    assert sorted(known.name for known in quantising.quantisations() if known.scale == scale) == sorted(
        names(scale)
    )


@pytest.mark.parametrize("scale", SCALES)
def test_an_unknown_name_lists_the_names_of_the_scale(scale: Scale) -> None:
    others = {name for of in SCALES for name in names(of)} - set(names(scale))
    with pytest.raises(UnknownName) as caught:
        quantising.find("nonsense", scale)
    message = str(caught.value)
    assert scale in message
    assert message.partition("known: ")[2].split(", ") == sorted(names(scale))
    for other in others:
        with pytest.raises(UnknownName):
            quantising.find(other, scale)


def test_an_unknown_name_in_a_measure() -> None:
    judgments = Judgments.graded(
        [GradedElement("1", "A", "/a[1]", 3, 3)], scale="exhaustivity and specificity"
    )
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]")], kind="elements")
    with pytest.raises(ExcerptError, match=r"fully_specific.*any_relevant, e3_s32"):
        evaluate(judgments, [run], ["nxCG(quantisation=fully_specific)[1]"])


_TOML = """
[mine]
scale = "exhaustivity and specificity"
values = {"33" = 1, "32" = 0.1, "11" = 0.1, "23" = "1/3", "13" = 0}

["also mine"]
scale = "relevance and coverage"
values = {"3E" = 1, "2L" = 0.35}
"""


def test_tables_of_the_user() -> None:
    """Tables of the user apply only to the evaluation that they were given for."""
    made = quantising.read_quantisations(_TOML.encode())
    assert [one.name for one in made] == ["mine", "also mine"]
    pairs = {(3, 3): "1", (3, 2): "1/10", (1, 1): "1/10", (2, 3): "1/3"}
    rows = [GradedElement("1", "A", f"/a[{e}]/b[{s}]", e, s) for e, s in product(range(4), range(4))]
    assert _values("exhaustivity and specificity", "mine", rows, made) == [
        Fraction(pairs.get((row.exhaustivity, row.specificity), "0")) for row in rows
    ]
    both = {(3, 3): "1", (2, 2): "0.35"}
    assert _values("relevance and coverage", "also mine", rows, made) == [
        Fraction(both.get((row.exhaustivity, row.specificity), "0")) for row in rows
    ]
    judgments = Judgments.graded(
        [GradedElement("1", "A", "/a[1]", 3, 2)], scale="exhaustivity and specificity"
    )
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]")], kind="elements")
    asked = ["Q(quantisation=mine)"]
    for own in (made, _TOML.encode()):
        assert evaluate(judgments, [run], asked, quantisations=own).means().tolist() == [[1.0]]
    with pytest.raises(UnknownName, match=r"unknown quantisation .* 'mine'"):
        evaluate(judgments, [run], asked)
    assert "mine" not in {known.name for known in quantising.quantisations()}


_HIGHLIGHTED = """
[lifted]
scale = "exhaustivity 0-2"
values = {"2" = 1, "1" = "2/3", "?" = 0.25}

[whole]
scale = "exhaustivity 0-2"
fully_specific = true
values = {"2" = 3, "0" = 0.5}
"""


@pytest.mark.parametrize(
    ("e", "lifted", "whole"), [(2, "1", 3), (1, "2/3", 0), (0, "0", "1/2"), (-1, "1/4", 0)]
)
def test_weights_of_exhaustivity(e: int, lifted: str, whole: str | int) -> None:
    """For the scale of 2005: times the highlighted proportion, or for whole elements only."""
    made = quantising.read_quantisations(_HIGHLIGHTED.encode())
    rows = [GradedElement("1", "A", f"/a[{n}]", e, -1, 12, n) for n in (0, 5, 12)]
    scale: Scale = "exhaustivity 0-2"
    assert _values(scale, "lifted", rows, made) == [Fraction(lifted) * Fraction(n, 12) for n in (0, 5, 12)]
    assert _values(scale, "whole", rows, made) == [0, 0, Fraction(whole)]


_GOOD = 'scale = "exhaustivity and specificity"\n'
_2005 = 'scale = "exhaustivity 0-2"\n'


@pytest.mark.parametrize(
    "text",
    [
        "[mine",
        "mine = 1",
        "[mine]",
        "[mine]\nvalues = {}",
        '[mine]\nscale = "highlights"\nvalues = {"33" = 1}',
        '[mine]\nscale = 3\nvalues = {"33" = 1}',
        '[mine]\nscale = ["a list"]\nvalues = {"33" = 1}',
        '[mine]\nscale = {a = "table"}\nvalues = {"33" = 1}',
        f"[mine]\n{_GOOD}values = 3",
        f'[mine]\n{_GOOD}values = {{"3" = 1}}',
        f'[mine]\n{_GOOD}values = {{"333" = 1}}',
        f'[mine]\n{_GOOD}values = {{"" = 1}}',
        f'[mine]\n{_GOOD}values = {{"3X" = 1}}',
        f'[mine]\n{_GOOD}values = {{"3E" = 1}}',
        f'[mine]\n{_GOOD}values = {{"34" = 1}}',
        '[mine]\nscale = "relevance and coverage"\nvalues = {"33" = 1}',
        f'[mine]\n{_GOOD}values = {{"33" = "much"}}',
        f'[mine]\n{_GOOD}values = {{"33" = "1/0"}}',
        f'[mine]\n{_GOOD}values = {{"33" = true}}',
        f'[mine]\n{_GOOD}values = {{"33" = nan}}',
        f'[mine]\n{_GOOD}values = {{"33" = inf}}',
        f'[mine]\n{_GOOD}values = {{"33" = -1}}',
        f'[mine]\n{_GOOD}values = {{"33" = [1]}}',
        f'[mine]\n{_2005}values = {{"3" = 1}}',
        f'[mine]\n{_2005}values = {{"22" = 1}}',
        f'[mine]\n{_2005}values = {{"2" = -1}}',
        f'[mine]\n{_2005}fully_specific = 1\nvalues = {{"2" = 1}}',
        f'[mine]\n{_2005}fully_specifc = true\nvalues = {{"2" = 1}}',
        f'[mine]\n{_GOOD}fully_specific = true\nvalues = {{"33" = 1}}',
    ],
)
def test_bad_tables(text: str, tmp_path: Path) -> None:
    """One line that names the file."""
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(ExcerptError, match=r"own\.toml: "):
        quantising.read_quantisations(tmp_path / "own.toml")


def test_tables_do_not_replace_what_all_know() -> None:
    """A table may not be called as a quantisation of its scale."""
    table = f'[strict]\n{_GOOD}values = {{"33" = 1}}'.encode()
    with pytest.raises(ExcerptError, match=r"found \[strict\], expected a name that is not in use"):
        quantising.read_quantisations(table)


def test_a_value_with_many_digits_is_an_error_or_right() -> None:
    """A denominator beyond 64 bits must not end in a traceback."""
    judgments = Judgments.graded(
        [GradedElement("1", "A", "/a[1]", 3, 3)], scale="exhaustivity and specificity"
    )
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]")], kind="elements")
    try:
        own = quantising.read_quantisations(f'[mine]\n{_GOOD}values = {{"33" = 1e-30}}'.encode())
        scores = evaluate(judgments, [run], ["nxCG(quantisation=mine)[1]"], quantisations=own).means()
    except ExcerptError:
        return
    np.testing.assert_array_equal(scores, [[1.0]])


def test_a_quantisation_that_is_registered_again_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gains of judgments in memory are those of the newest function, as in a notebook run again."""
    monkeypatch.setattr(quantising, "_registry", dict(quantising._registry))
    rows = [GradedElement("1", "A", "/a[1]/b[1]", 3, 3), GradedElement("1", "A", "/a[1]/b[2]", 1, 1)]
    judgments = Judgments.graded(rows, scale="exhaustivity and specificity")
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]/b[2]")], kind="elements")
    gains = {3: Fraction(1)}
    found = []
    for gains[1] in (Fraction(1), Fraction(1, 2)):
        quantising.register("mine", "exhaustivity and specificity", "")(lambda e, _: gains[e])
        found += evaluate(judgments, [run], ["nxCG(quantisation=mine)[1]"]).means().ravel().tolist()
    assert found == [1.0, 0.5]
