"""What an experiment is given: a table of scores, or judgments and runs that are read and scored for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.evaluation import DEFAULT_MEASURES, ReadingOptions, evaluate
from excerpt.evaluation.scoring import Progress
from excerpt.files import Input
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices

Judged: TypeAlias = Judgments | Input
Runs: TypeAlias = Iterable[Run | Input] | Run | Input
Measures: TypeAlias = Iterable[Measure | str] | Measure | str


class Evaluating(ReadingOptions, total=False):
    """How runs are read and scored, as `evaluate` takes it."""

    policy: Policy | None
    workers: int
    cluster: str | None
    notices: Notices | None
    progress: Progress | None


#: What also says something where nothing is evaluated.
_TELLING = ("notices", "progress")


def table_of(
    scores: ScoreTable | Judged, runs: Runs, measures: Measures | None, how: Evaluating
) -> ScoreTable:
    """The table that was given, of all its measures or of some; or else the scores of the runs."""
    for name in how:
        if name not in Evaluating.__annotations__:
            raise TypeError(f"found the keyword argument {name!r}, expected one of this experiment")
        if isinstance(scores, ScoreTable) and name not in _TELLING:
            raise ExcerptError(f"found {name} with a table of scores, expected it only with runs to evaluate")
    if not isinstance(scores, ScoreTable):
        return evaluate(scores, runs, DEFAULT_MEASURES if measures is None else measures, **how)
    if runs not in ((), []):
        raise ExcerptError("found a table of scores and runs to evaluate, expected one of them")
    return scores if measures is None else scores.select(list_measures(measures))


def list_measures(measures: Measures) -> list[str]:
    """The names of one measure, or of several."""
    return [str(item) for item in ([measures] if isinstance(measures, Measure | str) else measures)]


def tell(doubts: Notices, how: Evaluating, seen: Notices | None = None) -> tuple[str, ...]:
    """The warnings of an outcome: an experiment's own doubts, then those `seen` while runs were scored.

    Callers who gave notices find the own ones there too; others are told by Python's `warnings`.
    """
    seen = seen if seen is not None else Notices()
    said, asked = (*doubts, *seen), how.get("notices")
    if asked is not None:
        asked.extend(doubts)
        return said
    doubts.extend(seen)
    doubts.warn()
    return said


def complete_scores(
    table: ScoreTable, doubts: Notices, measures: Sequence[str] | None = None, *, least: int = 2
) -> FloatArray:
    """Scores by run, topic and measure of the topics that every run has by every measure.

    >>> scores = {("a", "1", "P"): 0.5, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.1, ("b", "2", "P"): 0.2}
    >>> doubts = Notices()
    >>> values = complete_scores(ScoreTable.from_scores({**scores, ("a", "3", "P"): 1.0}), doubts)
    >>> values[:, :, 0].tolist(), list(doubts)
    ([[0.5, 0.1], [0.3, 0.2]], ['topic is not scored for every run by P and was left out'])
    """
    names = table.measures if measures is None else tuple(measures)
    values = table.values[:, :, [table.place("measure", name) for name in names]]
    defined = ~np.isnan(values)
    known = defined.all(axis=(0, 2))
    if len(table.runs) < 2:
        raise ExcerptError(f"found {plural(len(table.runs), 'run')}, expected at least 2 to compare")
    by = " and ".join(names)
    if int(known.sum()) < least:
        raise ExcerptError(
            f"found {plural(int(known.sum()), 'topic')} with a score of every run by {by}, "
            f"expected at least {least}"
        )
    partly = int((defined.any(axis=(0, 2)) & ~known).sum())
    doubts.add(f"topic is not scored for every run by {by} and was left out", partly)
    return values[:, known]
