"""Tables for papers: scores with significance markers, comparisons, conclusions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import plural
from excerpt.experiments.comparison import compare
from excerpt.notices import Notices
from excerpt.render import latex
from excerpt.render import layout as escape
from excerpt.render.tables import PLAIN, Cell, Look, Table, in_digits, number_cell, render, show
from excerpt.scores.score_table import is_share
from excerpt.scores.score_views import Estimate, ScoreView
from excerpt.stats import FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.experiments.comparison import Comparison, TopicDifferences
    from excerpt.experiments.conclusions import Decision
    from excerpt.experiments.outcome import Outcome
    from excerpt.scores.score_table import ScoreTable

_LETTERED = 12  # most runs with letters as significance markers
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
BETTER, WORSE = r"\dag", r"\ddag"
_LESS = {"cut"}  # measures where less is better
_MORE = ("sides", "hedges_g", "glass_delta", "effect_residual")  # columns of csv and json only
_MARK = "*"
_BETTER = "Better than: ranks of the runs that are significantly worse"
_LEGEND = "Signs: > the run is significantly better than that of the column, < worse, . neither"
#: Columns of experiments in print; csv and json have all.
_PRINTED = {
    "anova": "measure source sum_of_squares degrees mean_square f p eta2 omega2",
    "power": "measure run other difference deviation topics power needed visible",
    "correlate": "first second runs tau_b tau_b_p tau_ap spearman pearson rbo",
    "testerror": "measure test splits pairs rejected errors error_rate agreement",
    "stability depth": "measure group depth passages share tau_b",
    "stability unpooled": "measure depth run score unpooled_score change rank unpooled_rank",
    "stability effort": "budget strategy measure topics depth cost tau tau_ap error_rate standard_error",
    "stability sampled": "measure rate score bias deviation error_design bias_share coverage",
    "stability errors": "measure group level samples error_rate ties comparisons",
    "stability pool": "measure group level samples mean standard_error",
    "stability topics": "measure group level samples mean standard_error",
}
#: Columns that a note replaces if all rows have the same value.
_CONSTANT = {"measure", "other", "topics", "runs", "splits", "pairs", "depth", "samples", "comparisons"}
_SHOWN = {"recall": "Recall", "f1": "F1"}
_DIGITS = 2  # decimals of recall and F1
_WIDE = 90  # most characters of a line of the matrix in LaTeX with names of measures as headings
_QUANTISATION = re.compile(r"quantisation=(\w+)(?:,\s*)?|,\s*quantisation=(\w+)")


def scores_latex(result: ScoreTable | ScoreView, look: Look) -> str:
    """LaTeX table of scores with best values and significance markers, explained below."""
    view = result if isinstance(result, ScoreView) else ScoreView(result)
    columns, rows = view.listed()
    first = len(columns) - len(view.table.measures)
    bold = best_places(columns, rows, first, look.digits)
    marks, notes, remarks = _marks(view, look.marks or latex.Marks())
    last = {row[0]: place for place, row in enumerate(rows)}  # the last row of each run is its mean
    cells: Any = rows
    lettered = any(found[0] in _LETTERS for found in marks.values())
    if lettered:
        letters = dict(zip(view.table.runs, _LETTERS, strict=False))
        columns, cells = ("", *columns), [(letters[str(row[0])], *row) for row in rows]
    if bold:
        notes.append("Bold: best value.")
    remarks += [f"{name} is {full}" for name, full in view.table.aliases.items()]
    table = Table(
        columns,
        tuple(map(tuple, cells)),
        bold={(row, column + lettered) for row, column in bold},
        marks={(last[run], first + place + lettered): found for (run, place), found in marks.items()},
    )
    return latex.document([latex.tabular(table, look)], look.latex, notes, remarks)


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
            shown = latex.number(best, digits)
            cells |= {(at, column) for at, value in scores.items() if latex.number(value, digits) == shown}
    return cells


def _marks(view: ScoreView, asked: latex.Marks) -> tuple[dict[tuple[str, int], str], list[str], list[str]]:
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
    symbols: dict[tuple[str, int], str] = {}
    worse: dict[tuple[str, int], list[int]] = {}
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
        tests[latex.in_words(compared.summary())] = None
        for row in outcome.rows:
            if not row["significant"]:
                continue
            better = compared.prefers(row["run"], row["other"]) != (measure in _LESS)
            if asked.baseline is not None:
                symbols[row["run"], place] = BETTER if better else WORSE
            else:
                run, other = (row["run"], row["other"]) if better else (row["other"], row["run"])
                worse.setdefault((run, place), []).append(table.runs.index(other))
    symbols |= {key: latex.ranges(places, _LETTERS) for key, places in worse.items()}
    used = set(symbols.values())
    note = f"{_explained(used, outcome.rows[0]['other'], asked)} ({escape.latex('; '.join(tests))})."
    return symbols, [note], []


def _explained(used: set[str], baseline: str, asked: latex.Marks) -> str:
    if asked.baseline is None:
        better = "Letters: significantly better than the run with that letter"
        return better if used else "No two runs differ significantly"
    words = {BETTER: "better", WORSE: "worse"}
    parts = [f"\\textsuperscript{{{mark}}}: significantly {words[mark]}" for mark in sorted(used)]
    return f"{', '.join(parts) or 'No run is significantly better or worse'} than {escape.latex(baseline)}"


def comparison_matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """Matrix of significant differences per measure, and the number of pairs that differ."""
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    if "topics" in outcome.details:
        parts = [_by_topic(pair, look) for pair in outcome.details["topics"]]
        parts += [f"{latex.wrapped(summary(one), look)}\n" for one in comparisons]
    else:
        parts = [f"{_shown(one, look)}\n{latex.wrapped(summary(one), look)}\n" for one in comparisons]
    signs = () if "topics" in outcome.details or comparisons[0].baselines else (_LEGEND,)
    notes = (outcome.verdict, *signs, *_families(comparisons), *outcome.notes())
    return "\n".join([*parts, *(f"{latex.wrapped(note, look)}\n" for note in notes)])


def comparison_markdown(outcome: Outcome, look: Look = PLAIN) -> str:
    """Rows of all pairs, and below them the tests in words."""
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    said = [f"{one.measure}: {summary(one)}" for one in comparisons]
    notes = (outcome.verdict, *said, *_families(comparisons), *outcome.notes())
    rows = replace(outcome, record=replace(outcome.record, experiment=""), details={"notes": notes})
    return show(rows, "markdown", look)


def _families(comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Note that each measure is a family of tests of its own."""
    several = len(comparisons) > 1
    return (f"Each of the {len(comparisons)} measures is a family of tests of its own.",) if several else ()


def _shown(comparison: Comparison, look: Look) -> str:
    """Matrix of all pairs, or a row per run compared with each baseline."""
    if not comparison.baselines:
        return render(matrix(comparison), "table", look)
    if comparison.baseline is None:
        return "\n".join(_shown(one, look) for one in comparison.beside_each())
    rows = comparison.rows()
    columns = tuple(name for name in rows[0] if name not in _MORE)
    cells = tuple(tuple(number_cell(row[name]) for name in columns) for row in rows)
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
    return f"{render(table, 'table', look)}\n{latex.wrapped(line, look)}\n"


def matrix(comparison: Comparison) -> Table:
    """Runs sorted by mean with a sign per other run: `>` significantly better, `<` worse, `.` neither."""
    places = [str(place) for place in range(1, len(comparison.runs) + 1)]
    signs = map("".join, _signs(comparison))
    rows = zip(places, comparison.runs, comparison.means.tolist(), signs, strict=True)
    heading = "".join(place[-1] for place in places)
    return Table(("rank", "run", comparison.measure, heading), tuple(rows))


def _signs(comparison: Comparison) -> list[list[str]]:
    rejected = comparison.corrected.rejected
    signs = np.where(rejected, ">", np.where(rejected.T, "<", "."))
    np.fill_diagonal(signs, "-")
    signed: list[list[str]] = signs.tolist()
    return signed


def summary(comparison: Comparison) -> str:
    """Number of pairs that differ significantly, and the test, in one line."""
    counts = comparison.summary()
    return (
        f"{counts['significant']} of {plural(counts['pairs'], 'pair')} ({100 * counts['share']:.1f} %) "
        f"differ significantly: {latex.in_words(counts)}"
    )


def comparison_latex(outcome: Outcome, look: Look) -> str:
    """LaTeX table per measure: the matrix of signs, or each run compared with the baseline."""
    if "topics" in outcome.details:
        return rows_latex(outcome, look)
    comparisons: tuple[Comparison, ...] = outcome.details["comparisons"]
    first = comparisons[0]
    tests = "; ".join(dict.fromkeys(latex.in_words(one.summary()) for one in comparisons))
    if first.baseline is None and first.baselines:
        return rows_latex(outcome, look)
    if first.baseline is None:
        tables = [_printed_matrix(one, look) for one in comparisons]
        note = f"{escape.latex(_LEGEND)}" if len(first.runs) <= latex.LONGEST else _BETTER
    else:
        tables = [_beside_baseline(one, look) for one in comparisons]
        level = 100 * (1 - first.procedure["alpha"])
        scope = "for all pairs jointly" if first.procedure["test"] in FAMILIES_IN_WORDS else "for each pair"
        note = f"Differences from {escape.latex(first.baseline)}, with {level:g}\\,\\% intervals {scope}. "
        note += f"W/T/L: topics won, tied, lost. \\textsuperscript{{{_MARK}}}: significant"
    notes = [f"{note} ({escape.latex(tests)}).", *_families(comparisons)]
    own = look.latex or latex.Latex()
    parts = [own.part(one.measure, place) for place, one in enumerate(comparisons, start=1)]
    several = zip(tables, parts if len(parts) > 1 else [own], strict=True)
    return "\n".join(latex.document([table], part, notes) for table, part in several)


def _printed_matrix(comparison: Comparison, look: Look) -> latex.Tabular:
    """Runs by mean with a sign for each other run; if there are many, the ranks of the worse runs."""
    signs, places = _signs(comparison), [str(place) for place in range(1, len(comparison.runs) + 1)]
    leads = zip(places, comparison.runs, comparison.means.tolist(), strict=True)
    first = ("", "run", comparison.measure)
    if len(places) > latex.LONGEST:
        better = [latex.ranges([at for at, sign in enumerate(line) if sign == ">"], places) for line in signs]
        cells = tuple((*lead, worse) for lead, worse in zip(leads, better, strict=True))
        return latex.tabular(Table((*first, "better than"), cells), look)
    cells = tuple((*lead, *line) for lead, line in zip(leads, signs, strict=True))
    printed = latex.tabular(Table((*first, *places), cells), look)
    close = f"*{{{len(places)}}}{{@{{\\hspace{{4pt}}}}c}}"
    layout = printed.layout[: -len(places)] + close
    return printed._replace(layout=layout, width=printed.width - 5.0 * len(places))


def _beside_baseline(comparison: Comparison, look: Look) -> latex.Tabular:
    """A row per other run: mean, difference with interval and marker, effect, topics won and lost, p."""
    rows, means = comparison.rows(), dict(zip(comparison.runs, comparison.means.tolist(), strict=True))
    p = "p" if comparison.procedure["correction"] == "none" else "adjusted"
    columns = ("run", comparison.measure, "difference", "effect", "W/T/L", p)
    cells = tuple(
        (
            *(row["run"], means[row["run"]], Estimate(row["difference"], row["low"], row["high"])),
            *(row["effect"], f"{row['wins']}/{row['ties']}/{row['losses']}", row[p]),
        )
        for row in rows
    )
    marks = {(place, 2): _MARK for place, row in enumerate(rows) if row["significant"]}
    heads = [escape.latex(name) if name == comparison.measure else latex.head_of(name) for name in columns]
    return latex.tabular(Table(columns, cells, marks=marks), look, heads)


def rows_latex(outcome: Outcome, look: Look) -> str:
    """LaTeX of the rows of an experiment: the columns for print, with words as headings."""
    chosen = _PRINTED.get(outcome.record.experiment, " ".join(outcome.columns)).split()
    printed = [name for name in chosen if not isinstance(outcome.rows[0].get(name, ()), list | tuple)]
    values = {name: [number_cell(row[name]) for row in outcome.rows] for name in printed}
    same = [name for name in values if name in _CONSTANT and len(set(values[name])) == 1]
    columns = tuple(name for name in values if name not in same and set(values[name]) != {""})
    rows = tuple(zip(*(values[name] for name in columns), strict=True))
    table = latex.tabular(Table(columns, rows), look, heads=[latex.head_of(name) for name in columns])
    measures = [str(measure) for measure in values.get("measure", ())]
    if "measure" in columns:
        above = (one != before for one, before in zip(measures, [measures[0], *measures], strict=False))
        lines = zip(above, table.rows, strict=True)
        table = table._replace(rows=tuple(f"\\addlinespace\n{row}" if new else row for new, row in lines))
    notes = ["; ".join(f"{latex.head_of(name)}: {escape.latex(str(values[name][0]))}" for name in same)]
    notes += [escape.latex(note) for note in outcome.notes()]
    named = tuple(f"{escape.latex(measure)}:" for measure in measures)
    capitals = [note if note.startswith(named) else note[:1].upper() + note[1:] for note in notes]
    return latex.document([table], look.latex, [f"{note}." for note in capitals if note])


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
    return "\n".join([*parts, *(latex.wrapped(note, look) + "\n" for note in notes)])


def _leads(matrix: Matrix, look: Look) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and first cells of the rows; columns are numbered if the names are too long."""
    shares = (100 * one.significant / one.pairs for one in matrix.decisions)
    rows = [(name, f"{share:.0f} %") for name, share in zip(matrix.labels, shares, strict=True)]
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
    same = {**outcome.details["procedure"], "sides": 1, "tests": 2 * pairs}
    tests = dict.fromkeys(latex.in_words({**same, "topics": decision.topics}) for decision in decisions)
    least = outcome.details["procedure"].get("min_difference")
    tests |= {f"only differences of at least {least:g} count": None} if least else {}
    return (
        "The pairs of runs that differ significantly by the measure of a row predict the pairs that differ "
        "by the measure of a column. The precision of a prediction is the recall across the diagonal. "
        f"Differ: the proportion of {plural(pairs, 'pair')} that differ significantly ({'; '.join(tests)})."
    )


def conclusion_latex(outcome: Outcome, look: Look) -> str:
    """One LaTeX `tabular` per matrix, recall above F1."""
    tabulars = [_tabular(matrix, outcome, look) for matrix in matrices_of(outcome)]
    return latex.document(tabulars, look.latex, [escape.latex(_conclusions_explained(outcome))])


def _tabular(matrix: Matrix, outcome: Outcome, look: Look) -> latex.Tabular:
    """Matrix in LaTeX; columns are numbered if the names are too long."""
    heading, leads = _leads(matrix, look._replace(width=_WIDE))
    parts = []
    for column in _SHOWN:
        lines = zip(leads, matrix.cells(outcome, column), strict=True)
        heads = tuple(matrix.shared if name == "measure" else name for name in heading)
        table = Table(heads, tuple((*lead, *cells) for lead, cells in lines))
        parts.append(latex.tabular(table, look._replace(digits=_DIGITS)))
    titles = [
        f"\\multicolumn{{{len(heading)}}}{{l}}{{\\textit{{{title}}}}} \\\\" for title in _SHOWN.values()
    ]
    rows = (titles[0], *parts[0].rows, r"\midrule", titles[1], *parts[1].rows)
    lead = len(leads[0]) - 1
    return parts[0]._replace(layout="l" * lead + "r" + parts[0].layout[lead + 1 :], rows=rows)
