"""How well the conclusions by one measure predict those by another: matrices as text and in LaTeX.

Tables 3 and 4 of P. Ogilvie, M. Lalmas: "Investigating the Exhaustivity Dimension in Content-Oriented XML
Element Retrieval Evaluation", CIKM 2006: the row predicts the column, precision is recall read the other way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from excerpt.errors import plural
from excerpt.render import escape
from excerpt.render.latex import document, environment, number, uses_siunitx
from excerpt.render.procedure import in_words, wrapped
from excerpt.render.tables import PLAIN, Look, Table, render

if TYPE_CHECKING:
    from excerpt.experiments.conclusions import Decision
    from excerpt.experiments.outcome import Outcome

_SHOWN = {"recall": "Recall", "f1": "F1"}
#: As the paper has them.
_DIGITS = 2
#: Names of measures that are longer together stand at the rows only, with numbers; of columns of LaTeX.
_WIDE = 60
_QUANTISATION = re.compile(r"quantisation=(\w+)(?:,\s*)?|,\s*quantisation=(\w+)")


@dataclass(frozen=True)
class Matrix:
    """The measures of one matrix: what they share, what tells them apart, and what is known of them."""

    shared: str
    labels: tuple[str, ...]
    decisions: tuple[Decision, ...]

    def cells(self, outcome: Outcome, column: str) -> list[list[float | None]]:
        """How well each measure (a row) predicts each (a column); itself it predicts fully."""
        known = {(row["measure"], row["other"]): row[column] for row in outcome.rows}
        names = [decision.measure for decision in self.decisions]
        return [
            [known.get((name, other), 1.0 if self.decisions[place].significant else None) for other in names]
            for place, name in enumerate(names)
        ]

    def share(self, place: int) -> float:
        """How many of the pairs of runs differ significantly by a measure, in per cent."""
        decision = self.decisions[place]
        return 100 * decision.significant / decision.pairs


def matrices_of(outcome: Outcome) -> list[Matrix]:
    """One matrix per measure in several quantisations, as table 4 has; else one of all measures."""
    found: dict[str, list[Decision]] = {}
    for decision in outcome.details["decisions"]:
        found.setdefault(_without_quantisation(decision.measure), []).append(decision)
    whole = tuple(outcome.details["decisions"])
    if len(found) == len(whole) or any(len(group) < 2 for group in found.values()):
        return [Matrix("", tuple(decision.measure for decision in whole), whole)]
    return [Matrix(shared, _labels(group), tuple(group)) for shared, group in found.items()]


def _labels(group: Sequence[Decision]) -> tuple[str, ...]:
    """The quantisations, where every measure has one."""
    found = [_QUANTISATION.search(decision.measure) for decision in group]
    names = tuple(match[1] or match[2] for match in found if match)
    return names if len(names) == len(group) else tuple(decision.measure for decision in group)


def _without_quantisation(measure: str) -> str:
    """What is left of a measure's name.

    >>> _without_quantisation("nxCG(quantisation=strict)[25]")
    'nxCG[25]'
    >>> _without_quantisation("nxCG(ideal=full, quantisation=sog)[25]")
    'nxCG(ideal=full)[25]'
    """
    return _QUANTISATION.sub("", measure).replace("()", "")


def matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """Recall, then F1, with what they mean below them."""
    parts = []
    for matrix in matrices_of(outcome):
        heading, leads = _numbered(matrix) if _long(matrix, look) else _named(matrix)
        for column, title in _SHOWN.items():
            lines = zip(leads, matrix.cells(outcome, column), strict=True)
            name = f"{title} of {matrix.shared}" if matrix.shared else title
            table = Table(heading, tuple((*lead, *cells) for lead, cells in lines), name)
            parts.append(render(table, "table", look._replace(digits=_DIGITS)))
    notes = [_explained(outcome)]
    if len(matrices_of(outcome)) > 1:
        notes.append("Predictions from one matrix to another are among the rows, in csv and json.")
    return "\n".join([*parts, *(wrapped(note, look) + "\n" for note in notes)])


def _named(matrix: Matrix) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    rows: list[tuple[str, ...]] = [
        (name, f"{matrix.share(place):.0f} %") for place, name in enumerate(matrix.labels)
    ]
    return ("measure", "differ", *matrix.labels), rows


def _numbered(matrix: Matrix) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    heading, rows = _named(matrix)
    places = [str(place) for place in range(1, len(rows) + 1)]
    return ("", *heading[:2], *places), [(place, *row) for place, row in zip(places, rows, strict=True)]


def _long(matrix: Matrix, look: Look) -> bool:
    """Whether names are too long to stand above the columns."""
    names = sum(len(name) + 2 for name in matrix.labels)
    return names + max(map(len, matrix.labels)) + 10 > (look.width or 100)


def _explained(outcome: Outcome) -> str:
    """What the numbers say, and by which procedure."""
    decisions: tuple[Decision, ...] = outcome.details["decisions"]
    pairs = decisions[0].pairs
    said = dict.fromkeys(
        in_words({**outcome.details["procedure"], "tests": 2 * pairs, "topics": decision.topics})
        for decision in decisions
    )
    return (
        "The pairs of runs that differ significantly by the measure of the row predict those of the column; "
        "the precision of a prediction is the recall in the cell across the diagonal. "
        f"Differ: the share of {plural(pairs, 'pair')} that differ significantly ({'; '.join(said)})."
    )


def latex(outcome: Outcome, look: Look) -> str:
    """One `tabular` per matrix, recall above F1."""
    found = [_tabular(matrix, outcome, siunitx=uses_siunitx(look)) for matrix in matrices_of(outcome)]
    return document(found, look.latex, [escape.latex(_explained(outcome))])


def _tabular(matrix: Matrix, outcome: Outcome, *, siunitx: bool) -> str:
    size = len(matrix.labels)
    long = sum(map(len, matrix.labels)) > _WIDE
    names = [escape.latex(name) for name in matrix.labels]
    columns = [str(place) for place in range(1, size + 1)] if long else names
    text = "{{{}}}" if siunitx else "{}"
    heading = [escape.latex(matrix.shared), "differ", *map(text.format, columns)]
    lines = [" & ".join(heading) + r" \\"]
    for column, title in _SHOWN.items():
        lines += [r"\midrule", f"\\multicolumn{{{size + 2}}}{{l}}{{\\textit{{{title}}}}} \\\\"]
        for place, line in enumerate(matrix.cells(outcome, column)):
            cells = [text.format("--") if cell is None else number(cell, _DIGITS) for cell in line]
            name = f"{place + 1} {names[place]}" if long else names[place]
            lines.append(" & ".join([name, f"{matrix.share(place):.0f}\\,\\%", *cells]) + r" \\")
    return environment("lr" + ("S[table-format=1.2]" if siunitx else "r") * size, lines)
