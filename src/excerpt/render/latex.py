"""LaTeX tables: booktabs, significance markers, siunitx."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from excerpt.errors import ExcerptError, plural
from excerpt.experiments.ranking_verdict import say_test
from excerpt.render import layout as escape
from excerpt.render.tables import is_p_value
from excerpt.scores.score_views import Estimate, PlusMinus

if TYPE_CHECKING:
    from excerpt.render.tables import Cell, Look, Table

_LABEL = re.compile(r"[\w:.+/-]+", re.ASCII)
_DASH = "--"
LONGEST = 40  # most rows of a `tabular`; longer tables are a `longtable`, which continues on the next page
#: Points: width of a column of `article` in two columns, mean width of a character, room between columns.
_COLUMN, _LETTER, _ROOM = 229.0, 5.2, 12.0
#: Most characters of a text that is not broken into lines, and width of such a column.
_TEXT, _LINES = 40, r"p{0.4\linewidth}"
_MATHEMATICS = re.compile(r"(?<!\\)\$(?=\S)((?:[^$\\{}%#]|\\.|\{[^{}$]*\})+)(?<=\S)\$(?!\d)")
#: Shrink a box that is wider than the column.
_FIT = r"\noindent\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
#: Pages of two columns are left for a `longtable`, which LaTeX does not allow there, and resumed after it.
_ONE_COLUMN = (
    r"\csname if@twocolumn\endcsname\onecolumn\let\excerptcolumns\twocolumn"
    r"\else\let\excerptcolumns\relax\fi"
)
#: Headings of columns of experiments in LaTeX; others are their names, with spaces for underscores.
HEADS = {
    "p": "$p$",
    "adjusted": "adjusted $p$",
    "effect": "Cohen's $d$",
    "degrees": "df",
    "f": "$F$",
    "eta2": r"$\eta^2$",
    "omega2": r"$\omega^2$",
    "tau_b": r"$\tau_b$",
    "tau_b_p": "$p$",
    "tau_ap": r"$\tau_{\mathrm{AP}}$",
    "spearman": r"$\rho$",
    "pearson": "$r$",
    "rbo": "RBO",
    "level": r"sample (\%)",
    "mean": r"mean $\tau_b$",
    "rejected": "significant pairs",
    "share": "proportion of passages",
    "other": "compared with",
}


@dataclass(frozen=True)
class Latex:
    """Options of LaTeX tables: a caption, a label or `wide` makes a `table` environment."""

    caption: str | None = None
    label: str | None = None
    siunitx: bool = False  # whether columns of numbers use the package siunitx
    wide: bool = False  # whether the table spans both columns of a page (`table*`)

    def __post_init__(self) -> None:
        if self.label is not None and not _LABEL.fullmatch(self.label):
            raise ExcerptError(
                f"found {self.label!r} as label, expected only letters, digits and : . _ + / -",
                hint="such as tab:scores",
            )

    def part(self, name: str, place: int) -> Latex:
        """Options of one of several tables, whose captions and labels differ."""
        caption, label = self.caption and f"{self.caption} ({name})", self.label and f"{self.label}-{place}"
        return replace(self, caption=caption, label=label)

    @property
    def heading(self) -> list[str]:
        """Commands of caption and label."""
        lead = [] if self.caption is None else [f"\\caption{{{with_mathematics(self.caption)}}}"]
        return lead + ([] if self.label is None else [f"\\label{{{self.label}}}"])


@dataclass(frozen=True)
class Marks:
    """Options of significance markers: baseline, test, correction and alpha of `excerpt compare`."""

    baseline: str | None = None  # a run by its name or file; None compares all pairs of runs
    test: str = "bootstrap"
    correction: str | None = None
    alpha: float = 0.05
    marks: bool = True


class Tabular(NamedTuple):
    """A table in LaTeX: column types, heading, rows, and an estimate of its width in points."""

    layout: str
    heading: str
    rows: tuple[str, ...]
    width: float

    @property
    def long(self) -> bool:
        """Return whether the table needs several pages."""
        return len(self.rows) > LONGEST

    def __str__(self) -> str:
        lines = [r"\toprule", self.heading, r"\midrule", *self.rows, r"\bottomrule"]
        body = "\n".join([f"\\begin{{tabular}}{{{self.layout}}}", *lines, "\\end{tabular}"])
        return f"{_FIT}\n{body}}}\n" if self.width > _COLUMN else f"{body}\n"

    def pages(self, caption: Sequence[str]) -> str:
        """The table as a `longtable`, which repeats its heading on every page."""
        head = [r"\toprule", self.heading, r"\midrule"]
        begin = [_ONE_COLUMN, "{\\footnotesize", f"\\begin{{longtable}}{{{self.layout}}}"]
        begin += [f"{''.join(caption)} \\\\"] if caption else []
        begin += [*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endlastfoot"]
        return "\n".join([*begin, *self.rows, "\\end{longtable}}\n"])


def with_mathematics(text: str) -> str:
    r"""Text escaped for LaTeX, except formulas between dollar signs.

    >>> print(with_mathematics("50% with $\\tau_b > 0.9$"), with_mathematics("$5 or $6"))
    50\% with $\tau_b > 0.9$ \$5 or \$6
    """
    parts = _MATHEMATICS.split(text)
    return "".join(f"${part}$" if place % 2 else escape.latex(part) for place, part in enumerate(parts))


def width_of(cell: str) -> float:
    r"""Estimate of the width of a cell in points.

    >>> width_of(r"\textbf{0.25}\textsuperscript{a}"), width_of(r"\parbox[b]{36pt}{sum of squares}")
    (26.0, 36.0)
    """
    box = re.search(r"parbox\[b\]\{(\d+)pt\}", cell)
    shown = re.sub(r"\\d?dag", "x", re.sub(r"\\rlap\{.*?\}\}", "", cell))
    return float(box[1]) if box else _LETTER * len(re.sub(r"\\[a-z]+|[\\{}$]", "", shown))


def document(
    tabulars: Sequence[Tabular], latex: Latex | None, notes: Sequence[str] = (), remarks: Iterable[str] = ()
) -> str:
    """Join tables and notes (in LaTeX), in a `table` with caption or label; remarks become comments."""
    own = latex or Latex()
    long = any(one.long for one in tabulars)
    packages = ["booktabs"] + ["siunitx"] * any("S[" in one.layout for one in tabulars)
    packages += ["longtable"] * long
    body = "\\par\\medskip\n".join(one.pages(own.heading) if one.long else str(one) for one in tabulars)
    packages += ["graphicx"] * (_FIT in body)
    if notes:
        body += f"\\par\\smallskip\\noindent{{\\footnotesize\\raggedright {' '.join(notes)}\\par}}\n"
    if long:
        body += "\\excerptcolumns\n"
    elif own.heading or own.wide:
        name = "table*" if own.wide else "table"
        body = "\n".join([f"\\begin{{{name}}}", r"\centering", *own.heading, f"{body}\\end{{{name}}}\n"])
    last = [f"needs \\usepackage{{{','.join(packages)}}}", *map(escape.plain, remarks)]
    return body + "".join(f"% {remark}\n" for remark in last)


def head_of(column: str) -> str:
    """Heading of a column of an experiment in LaTeX."""
    return HEADS.get(column) or escape.latex(column.replace("_", " "))


def tabular(table: Table, look: Look, heads: Sequence[str] | None = None) -> Tabular:
    """A table in LaTeX; `heads` are its headings in LaTeX, if not the names of the columns."""
    layout, heading = [], []
    columns: list[list[str]] = []
    for place, head in enumerate(map(escape.latex, table.columns) if heads is None else heads):
        column = _Column(table, place, look)
        layout.append(column.layout)
        columns.append([column.cell(row, cells[place]) for row, cells in enumerate(table.rows)])
        wide = max(map(width_of, columns[-1]), default=0.0)
        heading.append(column.heading(head, wide))
    rows = tuple(" & ".join(cells) + r" \\" for cells in zip(*columns, strict=True))
    widths = (max(map(width_of, (head, *cells))) for head, cells in zip(heading, columns, strict=True))
    width = sum(widths) + _ROOM * len(layout)
    return Tabular("".join(layout), " & ".join(heading) + r" \\", rows, width)


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

    def __init__(self, table: Table, place: int, look: Look) -> None:
        self.table, self.place, self.digits = table, place, look.digits
        filled = [row[place] for row in table.rows if row[place] is not None]
        self.numeric = bool(table.rows) and not any(isinstance(cell, str) for cell in filled)
        plain = all(isinstance(cell, float | int) for cell in filled)
        self.aligned = bool(look.latex and look.latex.siunitx) and self.numeric and plain and bool(filled)
        own = [mark for (_, column), mark in table.marks.items() if column == place]
        #: The widest symbols of the column, whose room numbers without symbols have as well.
        self.widest = max(own, key=width_of, default="")
        self.layout = self._siunitx(filled) if self.aligned else "r" if self.numeric else "l"
        if any(isinstance(cell, str) and len(cell) > _TEXT for cell in filled):
            self.layout = _LINES

    def _siunitx(self, cells: Sequence[Cell]) -> str:
        """Column specification of siunitx, with room for the markers."""
        shown = [_digits(cell, self.digits) for cell in cells if isinstance(cell, float | int)]
        numbers = [text for text in shown if text != _DASH] or ["0"]
        whole = max(len(text.lstrip("-").partition(".")[0]) for text in numbers)
        after = max(len(text.partition(".")[2]) for text in numbers)
        sign = "-" if any(text.startswith("-") for text in numbers) else ""
        room = f"{{\\textsuperscript{{m{self.widest}}}}}" if self.widest else ""
        options = [f"table-format={sign}{whole}" + (f".{after}" if after else "") + room]
        if any(column == self.place for _, column in self.table.bold):
            options.append("text-series-to-math")
        if room:
            options.append("table-align-text-after=false")
        return f"S[{','.join(options)}]"

    def heading(self, head: str, width: float) -> str:
        """Heading in LaTeX, in several lines if it is wider than the cells."""
        if self.numeric and " " in head and width_of(head) > width:
            most = max(width, 1.1 * max(map(width_of, head.split())))
            head = f"\\parbox[b]{{{most:.0f}pt}}{{\\raggedleft {head}}}"
        return f"{{{head}}}" if self.aligned else head

    def cell(self, row: int, cell: Cell) -> str:
        """A cell with its emphasis."""
        if isinstance(cell, str):
            return escape.latex(cell)
        if cell is None or (isinstance(cell, float) and math.isnan(cell)):
            return f"{{{_DASH}}}" if self.aligned else _DASH + self._marks("")
        zero = isinstance(cell, float) and not float(_digits(cell, self.digits))
        if zero and is_p_value(self.table.columns[self.place]):  # never printed as 0
            least = f"$<${10**-self.digits:.{self.digits}f}"
            return f"{{{least}}}" if self.aligned else least
        bold = (row, self.place) in self.table.bold
        marks = self._marks(self.table.marks.get((row, self.place), ""))
        if self.aligned and isinstance(cell, float | int):
            return ("\\bfseries " if bold else "") + _digits(cell, self.digits) + marks
        shown = number(cell.value if isinstance(cell, Estimate) else cell, self.digits)
        if isinstance(cell, PlusMinus):
            shown += "" if math.isnan(cell.low) else f" $\\pm$ {number(cell.low, self.digits)}"
        elif isinstance(cell, Estimate):
            shown += f" [{', '.join(number(limit, self.digits) for limit in cell.limits)}]"
        return (f"\\textbf{{{shown}}}" if bold else shown) + marks

    def _marks(self, mark: str) -> str:
        """Symbols after a number, and the room of the widest of the column, so that numbers stay aligned."""
        shown, widest = (f"\\textsuperscript{{{each}}}" if each else "" for each in (mark, self.widest))
        if self.aligned or width_of(shown) == width_of(widest):
            return shown
        return (f"\\rlap{{{shown}}}" if mark else "") + f"\\phantom{{{widest}}}"


def in_words(procedure: Mapping[str, Any]) -> str:
    """Description of a test: name, comparisons and their correction, alpha, topics.

    >>> in_words({"test": "t", "sides": 2, "tests": 6, "correction": "holm", "alpha": 0.05, "topics": 18})
    'two-sided t test, 6 comparisons corrected by Holm, alpha 0.05, 18 topics'
    >>> in_words({"test": "tukey", "sides": 2, "tests": 6, "correction": "none", "alpha": 0.05, "topics": 18})
    'two-sided randomised Tukey HSD, alpha 0.05, 18 topics'
    """
    return f"{say_test(procedure)}, {plural(procedure['topics'], 'topic')}"


def ranges(places: Iterable[int], names: Sequence[str]) -> str:
    """Names at some places, with ranges of three or more.

    >>> ranges([0, 2, 3, 4, 6], "abcdefg")
    'a,c\N{EN DASH}e,g'
    >>> ranges([1, 2], "abc")
    'bc'
    """
    numbers = count()
    parts = [list(some) for _, some in groupby(sorted(places), lambda place: place - next(numbers))]
    long = any(len(part) > 2 for part in parts)
    comma = "," if long or any(len(name) > 1 for name in names) else ""
    return comma.join(
        f"{names[part[0]]}\N{EN DASH}{names[part[-1]]}"
        if len(part) > 2
        else comma.join(names[at] for at in part)
        for part in parts
    )


def wrapped(text: str, look: Look) -> str:
    """Note below a table, wrapped to the terminal."""
    return text if look.width is None else textwrap.fill(text, look.width)
