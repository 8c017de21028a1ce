"""LaTeX tables: booktabs, significance markers, siunitx."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from excerpt.errors import ExcerptError, plural
from excerpt.model.score_views import Estimate
from excerpt.render import layout as escape
from excerpt.render.tables import is_p_value
from excerpt.stats import CORRECTIONS_IN_WORDS, FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.render.tables import Cell, Look, Table


_LABEL = re.compile(r"[\w:.+/-]+", re.ASCII)
_DASH = "--"


@dataclass(frozen=True)
class Latex:
    """Options of LaTeX tables: a caption or a label makes a `table` environment."""

    caption: str | None = None
    label: str | None = None
    #: Whether columns of numbers use the package siunitx.
    siunitx: bool = False

    def __post_init__(self) -> None:
        if self.label is not None and not _LABEL.fullmatch(self.label):
            raise ExcerptError(
                f"found {self.label!r} as label, expected only letters, digits and : . _ + / -",
                hint="such as tab:scores",
            )


@dataclass(frozen=True)
class Marks:
    """Options of significance markers: baseline, test, correction and alpha of `excerpt compare`."""

    #: A run by its name or file; None compares all pairs of runs.
    baseline: str | None = None
    test: str = "bootstrap"
    correction: str | None = None
    alpha: float = 0.05
    #: Whether there are markers.
    marks: bool = True


@dataclass(frozen=True)
class Emphasis:
    """Emphasised cells by row and column: best values in bold, and symbols after numbers."""

    bold: frozenset[tuple[int, int]] = frozenset()
    #: Symbols in LaTeX, in their order.
    marks: Mapping[tuple[int, int], Sequence[str]] = field(default_factory=dict)
    #: Columns of p-values: values that round to 0 are printed as less than the smallest number.
    p_values: frozenset[int] = frozenset()


NO_EMPHASIS = Emphasis()


def uses_siunitx(look: Look) -> bool:
    """Return whether columns of numbers use the package siunitx."""
    return look.latex is not None and look.latex.siunitx


def document(
    tabulars: Sequence[str], latex: Latex | None, notes: Iterable[str] = (), remarks: Iterable[str] = ()
) -> str:
    """Join tabulars and notes (in LaTeX), in a `table` if there is a caption or a label.

    Remarks become comments at the end of the file.
    """
    aligned = any("S[" in one.partition("\n")[0] for one in tabulars)
    packages = "booktabs,siunitx" if aligned else "booktabs"
    body = "\\par\\medskip\n".join(tabulars)
    if notes:
        body += f"\\par\\smallskip\\noindent{{\\footnotesize\\raggedright {' '.join(notes)}\\par}}\n"
    if latex is not None and (latex.caption, latex.label) != (None, None):
        lead = [] if latex.caption is None else [f"\\caption{{{escape.latex(latex.caption)}}}"]
        lead += [] if latex.label is None else [f"\\label{{{latex.label}}}"]
        body = "\n".join([r"\begin{table}", r"\centering", *lead, f"{body}\\end{{table}}\n"])
    last = [f"needs \\usepackage{{{packages}}}", *map(escape.plain, remarks)]
    return body + "".join(f"% {remark}\n" for remark in last)


def plain_table(table: Table, look: Look, notes: Iterable[str] = ()) -> str:
    """LaTeX of a table without emphasised cells, except small p-values; notes are text."""
    emphasis = Emphasis(p_values=p_value_columns(table.columns))
    below = [f"{escape.latex(note)}." for note in notes]
    return document([tabular(table, look, emphasis)], look.latex, below)


def p_value_columns(columns: Sequence[str]) -> frozenset[int]:
    """Indices of columns of p-values."""
    return frozenset(place for place, name in enumerate(columns) if is_p_value(name))


def tabular(table: Table, look: Look, emphasis: Emphasis = NO_EMPHASIS) -> str:
    """One `tabular` environment."""
    layout, heading = [], []
    columns: list[list[str]] = []
    for place, name in enumerate(table.columns):
        cells = [row[place] for row in table.rows]
        column = _Column(place, cells, emphasis, look)
        layout.append(column.layout)
        heading.append(column.heading(name))
        columns.append([column.cell(row, cell) for row, cell in enumerate(cells)])
    rows = [" & ".join(cells) + r" \\" for cells in zip(*columns, strict=True)]
    lines = [" & ".join(heading) + r" \\", r"\midrule", *rows]
    return environment("".join(layout), lines)


def environment(layout: str, lines: Iterable[str]) -> str:
    """A `tabular` of complete rows, with its rules."""
    body = "\n".join([r"\toprule", *lines, r"\bottomrule"])
    return f"\\begin{{tabular}}{{{layout}}}\n{body}\n\\end{{tabular}}\n"


def number(value: float, digits: int) -> str:
    """Number in LaTeX text, with a minus sign.

    >>> number(-0.25, 2), number(3, 2), number(float("nan"), 2)
    ('$-$0.25', '3', '--')
    """
    shown = _digits(value, digits)
    return f"$-${shown[1:]}" if shown.startswith("-") and shown != _DASH else shown


def _digits(value: float, digits: int) -> str:
    if isinstance(value, int):
        return str(value)
    return _DASH if math.isnan(value) else f"{value:.{digits}f}"


class _Column:
    """Cells of one column, all formatted in the same way."""

    def __init__(self, place: int, cells: Sequence[Cell], emphasis: Emphasis, look: Look) -> None:
        self.place, self.emphasis, self.digits = place, emphasis, look.digits
        filled = [cell for cell in cells if cell is not None]
        self.numeric = bool(cells) and not any(isinstance(cell, str) for cell in filled)
        plain = all(isinstance(cell, float | int) for cell in filled)
        self.aligned = uses_siunitx(look) and self.numeric and plain and bool(filled)
        own = [marks for (_, column), marks in emphasis.marks.items() if column == place]
        #: All symbols of the column, in their order.
        self.symbols = list(dict.fromkeys(symbol for marks in own for symbol in marks))
        self.most = max(map(len, own), default=0)
        self.layout = self._siunitx(cells) if self.aligned else "r" if self.numeric else "l"

    def _siunitx(self, cells: Sequence[Cell]) -> str:
        """Column specification of siunitx, with room for the markers."""
        shown = [_digits(cell, self.digits) for cell in cells if isinstance(cell, float | int)]
        numbers = [text for text in shown if text != _DASH] or ["0"]
        whole = max(len(text.lstrip("-").partition(".")[0]) for text in numbers)
        after = max(len(text.partition(".")[2]) for text in numbers)
        sign = "-" if any(text.startswith("-") for text in numbers) else ""
        widest = "".join(self.symbols[: self.most])
        room = f"{{\\textsuperscript{{{widest}}}}}" if widest else ""
        options = [f"table-format={sign}{whole}" + (f".{after}" if after else "") + room]
        if any(column == self.place for _, column in self.emphasis.bold):
            options.append("text-series-to-math")
        if room:
            options.append("table-align-text-after=false")
        return f"S[{','.join(options)}]"

    def heading(self, name: str) -> str:
        return f"{{{escape.latex(name)}}}" if self.aligned else escape.latex(name)

    def cell(self, row: int, cell: Cell) -> str:
        """A cell with its emphasis."""
        if isinstance(cell, str):
            return escape.latex(cell)
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return f"{{{_DASH}}}" if self.aligned else _DASH + self._marks(())
        zero = isinstance(cell, float) and not float(_digits(cell, self.digits))
        if zero and self.place in self.emphasis.p_values:
            least = f"$<${10**-self.digits:.{self.digits}f}"
            return f"{{{least}}}" if self.aligned else least
        bold = (row, self.place) in self.emphasis.bold
        marks = self._marks(self.emphasis.marks.get((row, self.place), ()))
        if self.aligned and isinstance(cell, float | int):
            return ("\\bfseries " if bold else "") + _digits(cell, self.digits) + marks
        shown = number(cell.value if isinstance(cell, Estimate) else cell, self.digits)
        if isinstance(cell, Estimate):
            shown += f" [{', '.join(number(limit, self.digits) for limit in cell.limits)}]"
        return (f"\\textbf{{{shown}}}" if bold else shown) + marks

    def _marks(self, marks: Sequence[str]) -> str:
        """Symbols after a number, and room for those of other rows, so that numbers stay aligned."""
        shown = f"\\textsuperscript{{{''.join(marks)}}}" if marks else ""
        if self.aligned:
            return shown
        # If cells have at most one symbol, any symbol fills the room.
        lacking = [symbol for symbol in self.symbols if symbol not in marks]
        room = "".join(lacking if self.most > 1 else lacking[: 1 - len(marks)])
        return shown + (f"\\phantom{{\\textsuperscript{{{room}}}}}" if room else "")


def in_words(procedure: Mapping[str, Any]) -> str:
    """Description of a test: name, comparisons and their correction, alpha, topics.

    >>> in_words({"test": "t", "sides": 2, "tests": 6, "correction": "holm", "alpha": 0.05, "topics": 18})
    'two-sided t test, 6 comparisons corrected by Holm, alpha 0.05, 18 topics'
    >>> in_words({"test": "tukey", "sides": 2, "tests": 6, "correction": "none", "alpha": 0.05, "topics": 18})
    'two-sided randomised Tukey HSD, alpha 0.05, 18 topics'
    """
    test, tests, correction = (procedure[name] for name in ("test", "tests", "correction"))
    alone = f"{test} test, {plural(tests, 'comparison')} {CORRECTIONS_IN_WORDS[correction]}"
    return (
        f"{'one' if procedure['sides'] == 1 else 'two'}-sided {FAMILIES_IN_WORDS.get(test, alone)}, "
        f"alpha {procedure['alpha']}, {plural(procedure['topics'], 'topic')}"
    )


def wrapped(text: str, look: Look) -> str:
    """Note below a table, wrapped to the terminal."""
    return text if look.width is None else textwrap.fill(text, look.width)
