"""What an experiment is given: a table of scores, or judgments and runs that are read and scored for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, cast

from excerpt.errors import ExcerptError
from excerpt.evaluation import DEFAULT_MEASURES, evaluate
from excerpt.experiments.variants import Study
from excerpt.files import Input, describe
from excerpt.formats import read_judgments
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Order, Run
from excerpt.model.scores import ScoreTable
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

Judged: TypeAlias = Judgments | Input
Runs: TypeAlias = Sequence[Run | Input]
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
    progress: Callable[[int, int], None] | None


def table_of(
    scores: ScoreTable | Judged, runs: Runs, measures: Measures | None, how: Evaluating
) -> ScoreTable:
    """The table that was given, of all its measures or of some; or else the scores of the runs."""
    if not isinstance(scores, ScoreTable):
        return evaluate(scores, runs, measures or DEFAULT_MEASURES, **how)
    if runs:
        raise ExcerptError("found a table of scores and runs to evaluate, expected one of them")
    return scores.select(map(str, measures)) if measures else scores


def study_of(
    judgments: Judged, runs: Runs, measures: Measures | None, how: Evaluating, keep: str | None = None
) -> Study:
    """Judgments and runs, ready to be scored on many samples of the judgments."""
    if keep is not None:
        try:
            Path(keep).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExcerptError(f"cannot be made: {describe(error)}", path=keep) from None
    notices, index = Notices(), how.get("index")
    if not isinstance(judgments, Judgments):
        judgments = read_judgments(judgments, format=how.get("qrels_format"), index=index, notices=notices)
    return Study(
        judgments=judgments,
        runs=cast("Any", tuple(runs)),
        measures=tuple(dict.fromkeys(measures or DEFAULT_MEASURES)),
        policy=how.get("policy", Policy()),
        index=index,
        order=how.get("order"),
        run_format=how.get("run_format"),
        workers=how.get("workers", 1),
        cluster=how.get("cluster"),
        progress=how.get("progress"),
        keep=keep,
        notices=notices,
    )
