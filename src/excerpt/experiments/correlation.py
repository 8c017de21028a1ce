"""Correlation of the rankings of runs by two measures, or by two sets of judgments.

N. Gövert et al.: "Evaluating the effectiveness of content-oriented XML retrieval methods", Information
Retrieval 9(6), 2006, figures 2 to 4; M. Lalmas et al.: "INEX 2006 Evaluation Measures", tables 1 and 2.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import PurePath
from typing import Any, TypeAlias, Unpack, cast

import numpy as np

from excerpt.errors import ExcerptError, listed, plural
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs, read_options
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import CorrelateOptions
from excerpt.experiments.permutation import permutation_p
from excerpt.experiments.study import (
    OfScores,
    generator,
    list_measures,
    of_ranks,
    report_warnings,
    table_of,
    warn_tied_runs,
)
from excerpt.files import keep_content
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.correlation import COEFFICIENTS, average_ranks, rbo

#: A label, and the mean score of every run by one measure and one set of judgments; NaN if undefined.
Ranking: TypeAlias = tuple[str, FloatArray]


@dataclass(frozen=True, eq=False)
class RankingPair:
    """The mean scores of the same runs by two rankings, for a scatter plot."""

    first: str
    second: str
    runs: tuple[str, ...]
    x: FloatArray
    y: FloatArray
    ranks: bool = False  # if true, the line is fitted to ranks, and figures show ranks instead of scores

    @classmethod
    def of(cls, runs: Sequence[str], one: Ranking, two: Ranking, *, ranks: bool = False) -> RankingPair:
        """Pair two rankings on the runs that have a mean in both."""
        both = ~(np.isnan(one[1]) | np.isnan(two[1]))
        names = tuple(name for name, kept in zip(runs, both.tolist(), strict=True) if kept)
        return cls(one[0], two[0], names, one[1][both], two[1][both], ranks)

    @property
    def drawn(self) -> tuple[FloatArray, FloatArray]:
        """Coordinates of each run in a figure: scores, or ranks (1 is best; equal runs share the mean)."""
        return (average_ranks(-self.x).rank, average_ranks(-self.y).rank) if self.ranks else (self.x, self.y)

    def line(self) -> tuple[float, float] | None:
        """Slope and intercept of the least-squares line of y on x; None if x is constant."""
        x, y = self.drawn
        centred = x - x.mean()
        if (x == x[0]).all():
            return None
        slope = float((centred * (y - y.mean())).sum() / (centred * centred).sum())
        return slope, float(y.mean()) - slope * float(x.mean())

    def row(self, seed: int = 1) -> dict[str, Any]:
        """Coefficients with their p-values, None if a ranking is constant, and the fitted line."""
        found: dict[str, float] = {}
        p_values = permutation_p(self.x, self.y, generator(seed))
        for name, coefficient in COEFFICIENTS.items():
            found |= {name: coefficient(self.x, self.y), f"{name}_p": p_values[name]}
        found["rbo"] = rbo(self.x, self.y)
        numbers = {name: None if math.isnan(value) else value for name, value in found.items()}
        slope, intercept = self.line() or (None, None)
        line = {"slope": slope, "intercept": intercept}
        return {"first": self.first, "second": self.second, "runs": len(self.runs), **numbers, **line}


def correlate(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    qrels2: ScoreTable | Judged | None = None,
    drop_tags2: Iterable[str] | None = None,
    pair: Iterable[tuple[str, str]] | None = None,
    common_topics: bool = False,
    by_rank: bool = False,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Correlate the rankings of the runs by each pair of measures, one row per pair.

    `pair` names the pairs of measures, instead of all pairs of `measures`. After each coefficient comes its
    two-sided p-value by permutation, such as `tau_b_p`: exact up to 10 runs, else from 10,000 random orders.
    `rbo` is the extrapolated rank-biased overlap with p = 0.9.

    `scores` is a table of scores, or judgments with which `runs` are evaluated. With `qrels2` (a table of the
    same runs, or other judgments) or `drop_tags2` (elements to leave out) each measure is correlated with
    itself under two sets of judgments. Runs are ranked by mean score; `tau_ap` is the mean of tau-AP in both
    directions, since neither ranking is the reference. `slope` and `intercept` are of the least-squares line
    of the second means on the first, or with `by_rank` of the ranks. The means are in `details["pairs"]`.
    With `common_topics` they are over the topics that have scores of every run by every measure, and under
    both sets of judgments; else each is over the topics with a score by its measure.
    `ranks` chooses runs, as in other experiments; `ranks=True` is `by_rank=True`.

    >>> lists = {"A": (3.0, 2.0, 1.0), "B": (4.0, 9.0, 2.0)}
    >>> scores = {(f"r{i}", "1", m): score for m, row in lists.items() for i, score in enumerate(row)}
    >>> row = correlate(ScoreTable.from_scores(scores)).rows[0]
    >>> row["first"], row["second"], row["runs"], round(row["tau_b"], 4)
    ('A', 'B', 3, 0.3333)
    """
    ranks = how.pop("ranks", None)
    bands = None if isinstance(ranks, bool) else ranks
    run_list = [] if runs in ((), []) else list_runs(runs)
    names = None if measures is None else list_measures(measures)
    notices = Notices()
    chosen = CorrelateOptions.of({"pair": None if pair is None else tuple(pair)}).pair
    if chosen:
        if qrels2 is not None or drop_tags2 is not None:
            raise ExcerptError("pairs of measures and second judgments cannot be combined")
        names = list(dict.fromkeys([*(names or ()), *(name for two in chosen for name in two)]))
    second = qrels2 is not None or drop_tags2 is not None
    dropped = None if drop_tags2 is None else listed(drop_tags2, str, "drop_tags2", "names of elements")
    if second:
        given = keep_content(scores), [keep_content(run) for run in run_list], names  # each is read twice
        tables = _under_both(given, cast("OfScores", read_options(how)), bands, qrels2, dropped)
    else:
        _require_two(names)
        tables = [of_ranks(table_of(scores, run_list, names, how), bands)]
        _require_two(tables[0].measures)
    if common_topics:
        tables = _on_common_topics(tables, notices)
    table, other = tables[0], tables[-1]
    rankings = _rankings(table)
    if second:
        label = _label(qrels2, dropped)
        others = [(f"{name} ({label})", means) for name, means in _rankings(other)]
        ranked = list(zip(rankings, others, strict=True))
    else:
        places = [tuple(table.place("measure", name) for name in two) for two in chosen or ()]
        ranked = [(rankings[i], rankings[j]) for i, j in places] or list(combinations(rankings, 2))
    pairs = tuple(RankingPair.of(table.runs, *two, ranks=by_rank or ranks is True) for two in ranked)
    for label, means in dict(chain.from_iterable(ranked)).items():
        warn_tied_runs(table.runs, means, label, notices)
    for topic in sorted(set(table.topics) ^ set(other.topics)):
        one, many = "topic is in one set of judgments only", "topics are in one set of judgments only"
        notices.add(one, many, where=f"topic {topic}")
    lack = "a score by one of two measures and"
    without = sum(len(table.runs) - len(pair.runs) for pair in pairs)
    notices.add(f"run lacks {lack} is left out", f"runs lack {lack} are left out", without)
    warnings = (*dict.fromkeys(table.warnings + other.warnings), *report_warnings(notices, how))
    rows = tuple(pair.row(seed) for pair in pairs)
    return Outcome(rows, record or Record("correlate", seed), warnings, {"pairs": pairs})


def _under_both(
    given: tuple[Any, list[Any], list[str] | None],
    how: OfScores,
    bands: str | None,
    qrels2: ScoreTable | Judged | None,
    dropped: Sequence[str] | None,
) -> list[ScoreTable]:
    """Scores of the same runs under two sets of judgments, or with and without some elements."""
    scores, runs, names = given
    table = of_ranks(table_of(scores, runs, names, how), bands)
    if isinstance(qrels2, ScoreTable):
        other = qrels2.select(table.measures)
    else:
        how2 = how if dropped is None else how | OfScores(drop_tags=dropped)
        other = table_of(scores if qrels2 is None else qrels2, runs, names, how2)
    if bands is not None:
        other = other.of_runs([other.place("run", run) for run in table.runs])
    if table.runs != other.runs:
        raise ExcerptError("found other runs in the second table of scores, expected the same runs")
    return [table, other]


def _on_common_topics(tables: Sequence[ScoreTable], notices: Notices) -> list[ScoreTable]:
    """Reduce tables to the topics that have scores of every run by every measure in all of them."""
    complete = [~np.isnan(table.values).any(axis=(0, 2)) for table in tables]
    having = [
        {table.topics[place] for place in np.flatnonzero(mask).tolist()}
        for table, mask in zip(tables, complete, strict=True)
    ]
    common = set.intersection(*having)
    if not common:
        raise ExcerptError("no topic has scores of every run by every measure")
    lack = "not scored for every run by every measure and"
    for topic in dict.fromkeys(chain.from_iterable(table.topics for table in tables)):
        one, many = f"topic is {lack} is left out", f"topics are {lack} are left out"
        notices.add(one, many, int(topic not in common), where=f"topic {topic}")
    return [table.of_topics(np.flatnonzero([topic in common for topic in table.topics])) for table in tables]


def _require_two(measures: Sequence[str] | None) -> None:
    if measures is not None and len(set(measures)) < 2:
        raise ExcerptError(
            f"found {plural(len(set(measures)), 'measure')}, expected at least 2 to correlate",
            hint="to correlate a measure with itself, give other judgments: ⟨qrels2=…⟩",
        )


def _label(qrels2: ScoreTable | Judged | None, dropped: Sequence[str] | None) -> str:
    """Label of the second set of judgments."""
    if qrels2 is not None and not isinstance(qrels2, str | os.PathLike):
        return "second judgments"
    label = [PurePath(qrels2).name] if qrels2 is not None else []
    label += [f"without {', '.join(dropped)}"] if dropped else []
    return " ".join(label) or "all elements"


def _rankings(table: ScoreTable) -> list[Ranking]:
    return list(zip(table.measures, table.means().T, strict=True))
