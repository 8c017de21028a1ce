"""Which runs are better than which, as tables: a matrix of signs on a terminal, marked rows in LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.errors import plural
from excerpt.model.score_views import Estimate
from excerpt.render import escape
from excerpt.render.latex import Emphasis, chances_among, document, plain_table, tabular
from excerpt.render.procedure import in_words, wrapped
from excerpt.render.tables import PLAIN, Cell, Look, Table, render
from excerpt.stats import FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.experiments.comparison import Comparison, TopicDifferences
    from excerpt.experiments.outcome import Outcome

#: The columns in LaTeX; the interval stands with the difference, and csv and json have all.
_COLUMNS = ("measure", "run", "other", "difference", "effect", "wins", "ties", "losses", "p", "adjusted")
#: What only csv and json have.
_MORE = ("hedges_g", "glass_delta", "effect_residual")
_MARK = "*"


def matrices(outcome: Outcome, look: Look = PLAIN) -> str:
    """For each measure, who is better than whom, and in one line how many pairs differ."""
    found: tuple[Comparison, ...] = outcome.details["comparisons"]
    if "topics" in outcome.details:
        parts = [_by_topic(pair, look) for pair in outcome.details["topics"]]
        return "\n".join([*parts, *(f"{wrapped(summary(one), look)}\n" for one in found)])
    return "\n".join(f"{_shown(one, look)}\n{wrapped(summary(one), look)}\n" for one in found)


def _shown(comparison: Comparison, look: Look) -> str:
    """A matrix of all pairs, or a row per run beside the baseline."""
    if comparison.baseline is None:
        return render(matrix(comparison), "table", look)
    rows = comparison.rows()
    columns = tuple(name for name in rows[0] if name not in _MORE)
    cells = tuple(tuple(_cell(row[name]) for name in columns) for row in rows)
    return render(Table(columns, cells), "table", look)


def _by_topic(pair: TopicDifferences, look: Look) -> str:
    """A row per topic, then the wins, and what the comparison says of the pair."""
    row = pair.pair
    titles = ("title",) if any(topic["title"] for topic in pair.topics) else ()
    columns = ("topic", *titles, "score", "other_score", "difference", "outcome")
    cells = tuple(tuple(topic[name] for name in columns) for topic in pair.topics)
    table = Table(columns, cells, f"{row['measure']}: {row['run']} beside {row['other']}")
    said = f"{pair.in_words}; mean difference {row['difference']:.4f} [{row['low']:.4f}, {row['high']:.4f}]"
    said += f", adjusted p {row['adjusted']:.4f}" if row["adjusted"] >= 0.00005 else ", adjusted p < 0.0001"
    return f"{render(table, 'table', look)}\n{wrapped(said, look)}\n"


def _cell(value: Any) -> Cell:
    return ("yes" if value else "no") if isinstance(value, bool) else value


def matrix(comparison: Comparison) -> Table:
    """Runs by their means with a sign for each other: `>` significantly better, `<` worse, `.` neither."""
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
    return Table(("place", "run", comparison.measure, heading), tuple(rows))


def summary(comparison: Comparison) -> str:
    """How many pairs differ significantly, and by which procedure, in one line."""
    found = comparison.summary()
    return (
        f"{found['significant']} of {plural(found['pairs'], 'pair')} ({100 * found['share']:.1f} %) "
        f"differ significantly: {in_words(found)}"
    )


def latex(outcome: Outcome, look: Look) -> str:
    """A row per pair: the difference with its interval and a mark where it is significant, effect, p."""
    rows = outcome.rows
    if "topics" in outcome.details:
        cells = tuple(tuple(row.values()) for row in rows)
        return plain_table(Table(outcome.columns, cells), look)
    several = len({row["measure"] for row in rows}) > 1
    columns = tuple(name for name in _COLUMNS[0 if several else 1 :] if name in outcome.columns)
    cells = tuple(tuple(_paper_cell(name, row) for name in columns) for row in rows)
    place = columns.index("difference")
    marks = {(number, place): [_MARK] for number, row in enumerate(rows) if row["significant"]}
    found: tuple[Comparison, ...] = outcome.details["comparisons"]
    said = dict.fromkeys(in_words(one.summary()) for one in found)
    level = 100 * (1 - found[0].procedure["alpha"])
    family = found[0].procedure["test"] in FAMILIES_IN_WORDS
    together = "all pairs together" if family else "each pair by itself"
    notes = [] if several else [f"Differences in {escape.latex(rows[0]['measure'])}."]
    notes += [
        f"\\textsuperscript{{{_MARK}}}: significant ({escape.latex('; '.join(said))}).",
        escape.latex(f"In brackets: intervals of {level:g} %, {together}."),
    ]
    emphasis = Emphasis(marks=marks, chances=chances_among(columns))
    return document([tabular(Table(columns, cells), look, emphasis)], look.latex, notes)


def _paper_cell(name: str, row: dict[str, Any]) -> Cell:
    if name == "difference":
        return Estimate(row["difference"], row["low"], row["high"])
    return _cell(row[name])
