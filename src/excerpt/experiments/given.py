"""What an experiment is given: a table of scores, or judgments and runs that are read and scored for it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from excerpt.errors import ExcerptError
from excerpt.evaluation import DEFAULT_MEASURES, ReadingOptions, evaluate
from excerpt.evaluation.scoring import Progress
from excerpt.files import Input
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.scores import ScoreTable
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
            raise TypeError(f"found the keyword argument {name!r}, which is none of this experiment")
        if isinstance(scores, ScoreTable) and name not in _TELLING:
            raise ExcerptError(f"found {name} beside a table of scores, expected it with runs to evaluate")
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
