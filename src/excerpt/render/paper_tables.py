"""Tables for papers: scores with significance markers, comparisons, conclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import plural
from excerpt.experiments.comparison import compare
from excerpt.model.score_views import Estimate, ScoreView
from excerpt.model.scores import is_share
from excerpt.notices import Notices
from excerpt.render import layout as escape
from excerpt.render.latex import (
    Emphasis,
    Marks,
    document,
    environment,
    in_words,
    number,
    p_value_columns,
    plain_table,
    tabular,
    uses_siunitx,
    wrapped,
)
from excerpt.render.tables import PLAIN, Cell, Look, Table, in_digits, render
from excerpt.stats import FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.experiments.comparison import Comparison, TopicDifferences
    from excerpt.experiments.conclusions import Decision
    from excerpt.experiments.outcome import Outcome
    from excerpt.model.scores import ScoreTable


#: Most runs with letters as significance markers.
_LETTERED = 12
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
BETTER, WORSE = r"\dag", r"\ddag"
#: Measures where less is better.
_LESS = {"cut"}


def scores_latex(result: ScoreTable | ScoreView, look: Look) -> str:
    """LaTeX table of scores with best values and significance markers, explained below."""
    view = result if isinstance(result, ScoreView) else ScoreView(result)
    columns, rows = view.listed()
    first = len(columns) - len(view.table.measures)
    bold = best_places(columns, rows, first, look.digits)
    marks, notes, remarks = _marks(view, look.marks or Marks())
    last = {row[0]: place for place, row in enumerate(rows)}  # the last row of each run is its mean
    cells: Any = rows
    lettered = any(symbol in _LETTERS for found in marks.values() for symbol in found)
    if lettered:
        letters = dict(zip(view.table.runs, _LETTERS, strict=False))
        columns, cells = ("", *columns), [(letters[str(row[0])], *row) for row in rows]
    emphasis = Emphasis(
        frozenset((row, column + lettered) for row, column in bold),
        {(last[run], first + place + lettered): found for (run, place), found in marks.items()},
    )
    if bold:
        notes.append("Bold: best value.")
    notes += [f"{escape.latex(name)} is {escape.latex(full)}." for name, full in view.table.aliases.items()]
    table = Table(columns, tuple(map(tuple, cells)))
    return document([tabular(table, look, emphasis)], look.latex, notes, remarks)


def best_places(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], first: int, digits: int
) -> set[tuple[int, int]]:
    """Best cells among rows that differ only in their run; values printed equally are ties."""
    groups: dict[tuple[Cell, ...], list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(tuple(row[1:first]), []).append(place)
    cells = set()
    for places in groups.values():
        for column in range(first, len(columns)):
            cells_of = {place: rows[place][column] for place in places}
            values = {place: getattr(cell, "value", cell) for place, cell in cells_of.items()}
            scores = {p: v for p, v in values.items() if isinstance(v, float | int) and not np.isnan(v)}
            if len(places) < 2 or len(scores) < 2 or not is_share(columns[column]):
                continue
            best = (min if columns[column] in _LESS else max)(scores.values())
            shown = number(best, digits)
            cells |= {(place, column) for place, value in scores.items() if number(value, digits) == shown}
    return cells


def _marks(view: ScoreView, asked: Marks) -> tuple[dict[tuple[str, int], list[str]], list[str], list[str]]:
    """Symbols by run and index of the measure, notes that explain them, and remarks."""
    table = view.table
    # Without a baseline, a test needs two runs with scores on two topics.
    complete = (~np.isnan(table.values)).all(axis=0).sum(axis=0) >= 2
    testable = (complete & (len(table.runs) >= 2)) | (asked.baseline is not None)
    tested = [place for place, measure in enumerate(table.measures) if testable[place] and is_share(measure)]
    if not asked.marks or not tested:
        return {}, [], []
    if asked.baseline is None and len(table.runs) > _LETTERED:
        many = f"{plural(len(table.runs), 'run')} need a baseline (at most {_LETTERED} without one)"
        return {}, [], [f"no significance markers: {many}"]
    letters = dict(zip(table.runs, _LETTERS, strict=False))
    symbols: dict[tuple[str, int], list[str]] = {}
    tests: dict[str, None] = {}
    for place in tested:
        measure = table.measures[place]
        outcome = compare(
            table.select([measure]),
            baseline=asked.baseline,
            test=asked.test,
            correction=asked.correction,
            alpha=asked.alpha,
            samples=view.samples,
            seed=view.seed,
            notices=Notices(),
        )
        (compared,) = outcome.details["comparisons"]
        tests[in_words(compared.summary())] = None
        for row in outcome.rows:
            if not row["significant"]:
                continue
            better = compared.prefers(row["run"], row["other"]) != (measure in _LESS)
            if asked.baseline is not None:
                symbols[row["run"], place] = [BETTER if better else WORSE]
            else:
                run, other = (row["run"], row["other"]) if better else (row["other"], row["run"])
                symbols.setdefault((run, place), []).append(letters[other])
    used = {symbol for own in symbols.values() for symbol in own}
    note = f"{_explained(used, outcome.rows[0]['other'], asked)} ({escape.latex('; '.join(tests))})."
    return {key: sorted(own) for key, own in symbols.items()}, [note], []


def _explained(used: set[str], baseline: str, asked: Marks) -> str:
    if asked.baseline is None:
        better = "Letters: significantly better than the run with that letter"
        return better if used else "No two runs differ significantly"
    words = {BETTER: "better", WORSE: "worse"}
    parts = [f"\\textsuperscript{{{mark}}}: significantly {words[mark]}" for mark in sorted(used)]
    return f"{', '.join(parts) or 'No run is significantly better or worse'} than {escape.latex(baseline)}"


#: Columns in LaTeX, where the interval is part of the difference.
_COLUMNS = ("measure", "run", "other", "difference", "effect", "wins", "ties", "losses", "p", "adjusted")
#: Columns of csv and json only.
_MORE = ("sides", "hedges_g", "glass_delta", "effect_residual")
_MARK = "*"


def comparison_matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """Matrix of significant differences per measure, and the number of pairs that differ."""
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    if "topics" in outcome.details:
        parts = [_by_topic(pair, look) for pair in outcome.details["topics"]]
        parts += [f"{wrapped(summary(one), look)}\n" for one in comparisons]
    else:
        parts = [f"{_shown(one, look)}\n{wrapped(summary(one), look)}\n" for one in comparisons]
    notes = (*_families(comparisons), *outcome.notes())
    return "\n".join([*parts, *(f"{wrapped(note, look)}\n" for note in notes)])


def _families(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Note that each measure is a family of tests of its own."""
    several = len(comparisons) > 1
    return (f"Each of the {len(comparisons)} measures is a family of tests of its own.",) if several else ()


def _shown(comparison: Comparison, look: Look) -> str:
    """Matrix of all pairs, or a row per run compared with the baseline."""
    if comparison.baseline is None:
        return render(matrix(comparison), "table", look)
    rows = comparison.rows()
    columns = tuple(name for name in rows[0] if name not in _MORE)
    cells = tuple(tuple(_cell(row[name]) for name in columns) for row in rows)
    return render(Table(columns, cells), "table", look)


def _by_topic(pair: TopicDifferences, look: Look) -> str:
    """A row per topic, then wins, mean difference and p of the pair."""
    row = pair.pair
    titles = ("title",) if any(topic["title"] for topic in pair.topics) else ()
    columns = ("topic", *titles, "score", "other_score", "difference", "outcome")
    cells = tuple(tuple(topic[name] for name in columns) for topic in pair.topics)
    table = Table(columns, cells, f"{row['measure']}: {row['run']} compared with {row['other']}")
    line = f"{pair.in_words}; mean difference {row['difference']:.4f} [{row['low']:.4f}, {row['high']:.4f}]"
    line += f", adjusted p {in_digits(row['adjusted']).replace('<', '< ')}"
    return f"{render(table, 'table', look)}\n{wrapped(line, look)}\n"


def _cell(value: Any) -> Cell:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def matrix(comparison: Comparison) -> Table:
    """Runs sorted by mean with a sign per other run: `>` significantly better, `<` worse, `.` neither."""
    rejected = comparison.corrected.rejected
    signs = np.where(rejected, ">", np.where(rejected.T, "<", "."))
    np.fill_diagonal(signs, "-")
    rows = [
        (str(place), name, float(mean), "".join(line))
        for place, (name, mean, line) in enumerate(
            zip(comparison.runs, comparison.means, signs.tolist(), strict=True), start=1
        )
    ]
    heading = "".join(str(place % 10) for place in range(1, len(rows) + 1))
    return Table(("rank", "run", comparison.measure, heading), tuple(rows))


def summary(comparison: Comparison) -> str:
    """Number of pairs that differ significantly, and the test, in one line."""
    counts = comparison.summary()
    return (
        f"{counts['significant']} of {plural(counts['pairs'], 'pair')} ({100 * counts['share']:.1f} %) "
        f"differ significantly: {in_words(counts)}"
    )


def comparison_latex(outcome: Outcome, look: Look) -> str:
    """LaTeX table with a row per pair: difference with interval and significance marker, effect, p."""
    rows = outcome.rows
    if "topics" in outcome.details:
        cells = tuple(tuple(row.values()) for row in rows)
        return plain_table(Table(outcome.columns, cells), look)
    several = len({row["measure"] for row in rows}) > 1
    columns = tuple(name for name in _COLUMNS[0 if several else 1 :] if name in outcome.columns)
    estimates = [Estimate(row["difference"], row["low"], row["high"]) for row in rows]
    cells = tuple(
        tuple(estimate if name == "difference" else _cell(row[name]) for name in columns)
        for row, estimate in zip(rows, estimates, strict=True)
    )
    place = columns.index("difference")
    marks = {(number, place): [_MARK] for number, row in enumerate(rows) if row["significant"]}
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    tests = dict.fromkeys(in_words(one.summary()) for one in comparisons)
    level = 100 * (1 - comparisons[0].procedure["alpha"])
    family = comparisons[0].procedure["test"] in FAMILIES_IN_WORDS
    scope = "for all pairs jointly" if family else "for each pair separately"
    notes = [] if several else [f"Differences in {escape.latex(rows[0]['measure'])}."]
    notes += [
        f"\\textsuperscript{{{_MARK}}}: significant ({escape.latex('; '.join(tests))}).",
        escape.latex(f"In brackets: {level:g} % intervals, {scope}."),
        *_families(comparisons),
    ]
    emphasis = Emphasis(marks=marks, p_values=p_value_columns(columns))
    return document([tabular(Table(columns, cells), look, emphasis)], look.latex, notes)


_SHOWN = {"recall": "Recall", "f1": "F1"}
#: Decimals of recall and F1.
_DIGITS = 2
#: Most characters of all names of measures as LaTeX headings; otherwise columns are numbered.
_WIDE = 60
_QUANTISATION = re.compile(r"quantisation=(\w+)(?:,\s*)?|,\s*quantisation=(\w+)")


@dataclass(frozen=True)
class Matrix:
    """Measures of one matrix: the shared part of their names, their labels and decisions."""

    shared: str
    labels: tuple[str, ...]
    decisions: tuple[Decision, ...]

    def cells(self, outcome: Outcome, column: str) -> list[list[float | None]]:
        """Recall or F1 of the predictions of each measure (row) for each measure (column); 1 for itself."""
        values = {(row["measure"], row["other"]): row[column] for row in outcome.rows}
        names = [decision.measure for decision in self.decisions]
        return [
            [values.get((name, other), 1.0 if self.decisions[place].significant else None) for other in names]
            for place, name in enumerate(names)
        ]

    def share(self, place: int) -> float:
        """Percentage of pairs of runs that differ significantly by a measure."""
        decision = self.decisions[place]
        return 100 * decision.significant / decision.pairs


def matrices_of(outcome: Outcome) -> list[Matrix]:
    """One matrix per measure with several quantisations, or one of all measures."""
    groups: dict[str, list[Decision]] = {}
    for decision in outcome.details["decisions"]:
        groups.setdefault(_without_quantisation(decision.measure), []).append(decision)
    decisions = tuple(outcome.details["decisions"])
    if len(groups) == len(decisions) or any(len(group) < 2 for group in groups.values()):
        return [Matrix("", tuple(decision.measure for decision in decisions), decisions)]
    return [Matrix(shared, _labels(group), tuple(group)) for shared, group in groups.items()]


def _labels(group: Sequence[Decision]) -> tuple[str, ...]:
    """Quantisations if every measure has one, otherwise the measures."""
    matches = [_QUANTISATION.search(decision.measure) for decision in group]
    names = tuple(match[1] or match[2] for match in matches if match)
    return names if len(names) == len(group) else tuple(decision.measure for decision in group)


def _without_quantisation(measure: str) -> str:
    """Name of a measure without its quantisation.

    >>> _without_quantisation("nxCG(quantisation=strict)[25]")
    'nxCG[25]'
    >>> _without_quantisation("nxCG(ideal=full, quantisation=sog)[25]")
    'nxCG(ideal=full)[25]'
    """
    return _QUANTISATION.sub("", measure).replace("()", "")


def conclusion_matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """Matrices of recall and F1, explained below."""
    parts = []
    for matrix in matrices_of(outcome):
        heading, leads = _leads(matrix, look)
        for column, title in _SHOWN.items():
            lines = zip(leads, matrix.cells(outcome, column), strict=True)
            name = f"{title} of {matrix.shared}" if matrix.shared else title
            table = Table(heading, tuple((*lead, *cells) for lead, cells in lines), name)
            parts.append(render(table, "table", look._replace(digits=_DIGITS)))
    notes = [_conclusions_explained(outcome)]
    if len(matrices_of(outcome)) > 1:
        notes.append("Predictions between measures of different matrices are in csv and json.")
    return "\n".join([*parts, *(wrapped(note, look) + "\n" for note in notes)])


def _leads(matrix: Matrix, look: Look) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and first cells of the rows; columns are numbered if the names are too long."""
    rows = [(name, f"{matrix.share(place):.0f} %") for place, name in enumerate(matrix.labels)]
    names = sum(len(name) + 2 for name in matrix.labels)
    if names + max(map(len, matrix.labels)) + 10 <= (look.width or 100):
        return ("measure", "differ", *matrix.labels), [*rows]
    places = [str(place) for place in range(1, len(rows) + 1)]
    numbered = [(place, *row) for place, row in zip(places, rows, strict=True)]
    return ("", "measure", "differ", *places), [*numbered]


def _conclusions_explained(outcome: Outcome) -> str:
    """Explanation of the matrices, with the test."""
    decisions: tuple[Decision, ...] = outcome.details["decisions"]
    pairs = decisions[0].pairs
    tests = dict.fromkeys(
        in_words({**outcome.details["procedure"], "sides": 1, "tests": 2 * pairs, "topics": decision.topics})
        for decision in decisions
    )
    least = outcome.details["procedure"].get("min_difference")
    tests |= {f"only differences of at least {least:g} count": None} if least else {}
    return (
        "The pairs of runs that differ significantly by the measure of a row predict the pairs that differ "
        "by the measure of a column. The precision of a prediction is the recall across the diagonal. "
        f"Differ: the proportion of {plural(pairs, 'pair')} that differ significantly ({'; '.join(tests)})."
    )


def conclusion_latex(outcome: Outcome, look: Look) -> str:
    """One LaTeX `tabular` per matrix, recall above F1."""
    tabulars = [_tabular(matrix, outcome, siunitx=uses_siunitx(look)) for matrix in matrices_of(outcome)]
    return document(tabulars, look.latex, [escape.latex(_conclusions_explained(outcome))])


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
