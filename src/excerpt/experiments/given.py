"""What an experiment is given: a table of scores, or judgments and runs that are evaluated first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, TypedDict

from excerpt.errors import ExcerptError
from excerpt.evaluation import DEFAULT_MEASURES, evaluate
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Order, Run
from excerpt.model.scores import ScoreTable
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

Judged: TypeAlias = Judgments | str | os.PathLike[str]
Runs: TypeAlias = Sequence[Run | str | os.PathLike[str]]
Measures: TypeAlias = Sequence[Measure | str]


class Evaluating(TypedDict, total=False):
    """How runs are read and scored, as `evaluate` takes it."""

    policy: Policy
    index: OffsetIndex | None
    order: Order | None
    drop_tags: Sequence[str]
    run_format: str | None
    qrels_format: str | None
    workers: int
    cluster: str | None
    notices: Notices | None


def table_of(
    scores: ScoreTable | Judged, runs: Runs, measures: Measures | None, how: Evaluating
) -> ScoreTable:
    """The table that was given, of all its measures or of some; or else the scores of the runs."""
    if not isinstance(scores, ScoreTable):
        return evaluate(scores, runs, measures or DEFAULT_MEASURES, **how)
    if runs or how:
        raise ExcerptError("found a table of scores and runs to evaluate, expected one of them")
    return scores.select(map(str, measures)) if measures else scores
