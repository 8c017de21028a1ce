"""Tables for papers: layout, escapes, columns of siunitx, captions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.latex_checks import tabulars

from excerpt.errors import ExcerptError
from excerpt.render.latex import Latex, Tabular, document, in_words, tabular, wrapped
from excerpt.render.tables import Look, Table, latex
from excerpt.scores.score_views import Estimate

TABLE = Table(("run", "x", "n"), (("a_1", 0.5, 3), ("50%", -0.25, 12), ("c", None, 7)))


def test_a_table() -> None:
    """Rules of booktabs, numbers at the right with a real minus, a dash for what is undefined."""
    assert latex(TABLE, Look(digits=2)) == (
        "\\begin{tabular}{lrr}\n\\toprule\nrun & x & n \\\\\n\\midrule\n"
        "a\\_1 & 0.50 & 3 \\\\\n50\\% & $-$0.25 & 12 \\\\\nc & -- & 7 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n% needs \\usepackage{booktabs}\n"
    )


def test_siunitx() -> None:
    """As many digits as the numbers have, a sign if one has it; other cells are in braces."""
    text = latex(TABLE, Look(digits=2, latex=Latex(siunitx=True)))
    assert r"\usepackage{booktabs,siunitx}" in text
    assert r"\begin{tabular}{lS[table-format=-1.2]S[table-format=2]}" in text
    assert tabulars(text) == [
        [["run", "{x}", "{n}"], [r"a\_1", "0.50", "3"], [r"50\%", "-0.25", "12"], ["c", "{--}", "7"]]
    ]


def test_marks_keep_numbers_in_line() -> None:
    """Every cell has the room of the widest symbols of its column; bold is the number, not the mark."""
    table = TABLE._replace(bold={(0, 1)}, marks={(0, 1): "bc", (1, 1): "c"})
    plain = tabulars(str(tabular(table, Look(digits=2))))[0]
    assert [row[1] for row in plain[1:]] == [
        r"\textbf{0.50}\textsuperscript{bc}",
        r"$-$0.25\rlap{\textsuperscript{c}}\phantom{\textsuperscript{bc}}",
        r"--\phantom{\textsuperscript{bc}}",
    ]
    aligned = str(tabular(table, Look(digits=2, latex=Latex(siunitx=True))))
    assert [row[1] for row in tabulars(aligned)[0][1:]] == [
        r"\bfseries 0.50\textsuperscript{bc}",
        r"-0.25\textsuperscript{c}",
        "{--}",
    ]
    assert r"table-format=-1.2{\textsuperscript{mbc}}," in aligned


def test_notes_and_packages() -> None:
    """Notes are text, escaped; siunitx is asked for only where a column is one of its own."""
    text = latex(Table(("a", "p"), (("x", 0.0),)), Look(), ["50 % of it"])
    assert r"\raggedright 50 \% of it.\par" in text
    assert "x & $<$0.0001" in text
    assert "siunitx" not in latex(Table(("a",), (("x",),)), Look(latex=Latex(siunitx=True)))


def test_small_chances() -> None:
    """A probability is never printed as 0."""
    table = Table(("p",), ((0.00004,), (0.2,), (0.0,)))
    shown = tabulars(str(tabular(table, Look())))[0]
    assert [row[0] for row in shown[1:]] == ["$<$0.0001", "0.2000", "$<$0.0001"]


def test_estimates() -> None:
    """An interval follows its value, in a column of its own kind."""
    table = Table(("x",), ((Estimate(0.5, -0.25, 0.75),),))
    text = latex(table, Look(digits=2, latex=Latex(siunitx=True)))
    assert tabulars(text) == [[["x"], ["0.50 [$-$0.25, 0.75]"]]]


@pytest.mark.parametrize(
    ("caption", "label"), [("50% of $x_1$", "tab:my_scores"), ("only", None), (None, "t")]
)
def test_captions_and_labels(caption: str | None, label: str | None) -> None:
    """Either makes a `table`; a caption is text with formulas, a label is written unchanged."""
    text = latex(TABLE, Look(latex=Latex(caption, label)))
    assert tabulars(text)
    assert text.splitlines()[:2] == [r"\begin{table}", r"\centering"]
    assert text.endswith("\\end{tabular}\n\\end{table}\n% needs \\usepackage{booktabs}\n")
    assert (r"\caption{50\% of $x_1$}" in text) == (caption == "50% of $x_1$")
    assert (r"\label{tab:my_scores}" in text) == (label == "tab:my_scores")


@pytest.mark.parametrize("label", ["", "a b", "a}", "\\x", "ä"])
def test_labels_that_tex_cannot_take(label: str) -> None:
    """They are refused, for an escaped label is another label."""
    with pytest.raises(ExcerptError, match="as label, expected only letters"):
        Latex(label=label)


def test_notes_and_remarks() -> None:
    """Notes are below the table inside its environment, remarks are visible to authors only."""
    table = Tabular("l", r"a \\", (r"b \\",), 20.0)
    text = document([table], Latex("c"), ["One.", "Two."], ["some\nremark"])
    assert text == (
        "\\begin{table}\n\\centering\n\\caption{c}\n"
        "\\begin{tabular}{l}\n\\toprule\na \\\\\n\\midrule\nb \\\\\n\\bottomrule\n\\end{tabular}\n"
        "\\par\\smallskip\\noindent{\\footnotesize\\raggedright One. Two.\\par}\n\\end{table}\n"
        "% needs \\usepackage{booktabs}\n% some\\nremark\n"
    )


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        (r"with $\tau_b$", r"with $\tau_b$"),
        ("$5 and $6", r"\$5 and \$6"),
        ("a $ b $ c", r"a \$ b \$ c"),
        ("$a{b$ }", r"\$a\{b\$ \}"),
        ("$x%$", r"\$x\%\$"),
        (r"$x^{2}$, \today", r"$x^{2}$, \textbackslash{}today"),
    ],
)
def test_mathematics_in_captions(caption: str, expected: str) -> None:
    """Whole formulas only: prices, open groups and comments are text."""
    assert rf"\caption{{{expected}}}" in latex(TABLE, Look(latex=Latex(caption)))


def test_wide_tables_and_wide_cells() -> None:
    """`wide` alone makes a `table*`; what may be wider than a column shrinks to it; long text has lines."""
    assert latex(TABLE, Look(latex=Latex(wide=True))).startswith("\\begin{table*}\n\\centering\n")
    text = latex(Table(("a", "b"), (("x" * 30, "y" * 41),)), Look())
    assert text.startswith(
        "\\noindent\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
    )
    assert r"\begin{tabular}{lp{0.4\linewidth}}" in text
    assert text.endswith("% needs \\usepackage{booktabs,graphicx}\n")


CELLS = st.one_of(st.text(max_size=6), st.none(), st.floats(-99, 99), st.just(math.nan), st.integers(0, 99))


@settings(max_examples=60)
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=4), st.booleans(), st.text(max_size=9))
def test_whatever_names_are(rows: list[list[str | float | None]], siunitx: bool, caption: str) -> None:
    """Groups are closed, and every row has as many cells as columns."""
    table = Table(("a", "b&", "c_"), tuple(map(tuple, rows)))
    (found,) = tabulars(latex(table, Look(latex=Latex(caption, siunitx=siunitx))))
    assert len(found) == len(rows) + 1


def test_every_part_is_said() -> None:
    """Test, comparisons, correction, alpha, topics."""
    found = in_words(
        {"test": "sign", "sides": 1, "tests": 2, "correction": "none", "alpha": 0.01, "topics": 1}
    )
    assert found == "one-sided sign test, 2 comparisons not corrected, alpha 0.01, 1 topic"


def test_notes_fit_the_terminal() -> None:
    """Lines are as wide as it is; files have one line."""
    assert wrapped("one two three", Look(width=8)) == "one two\nthree"
    assert wrapped("one two three", Look()) == "one two three"
