"""Evaluation: score runs against judgments by measures."""

from __future__ import annotations

from typing import Unpack

from excerpt.engine import Engine
from excerpt.evaluation.reading import (
    CorpusOptions,
    EvaluationOptions,
    Judged,
    Measures,
    Reading,
    ReadingOptions,
    Runs,
    list_runs,
    settings_of,
)
from excerpt.evaluation.scoring import DEFAULT_MEASURES, Progress, Scoring, score_runs
from excerpt.model.policy import Policy
from excerpt.notices import Gathering, Notices
from excerpt.scores.score_table import ScoreTable

__all__ = [
    "DEFAULT_MEASURES",
    "CorpusOptions",
    "EvaluationOptions",
    "Reading",
    "ReadingOptions",
    "Scoring",
    "evaluate",
]


def evaluate(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    policy: Policy | None = None,
    workers: int = 1,
    cluster: str | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
    **reading: Unpack[EvaluationOptions],
) -> ScoreTable:
    """Score one or many runs (objects or files) against judgments (an object, a file or a folder of files).

    How files are read, and which topics and results count, is controlled by `index`, `corpus`, `topics`,
    `run_format`, `qrels_format`, `context`, `order`, `quantisations`, `id_pattern`, `segments`, `ids`,
    `copies`, `unplaced`, `tokens`, `probabilities`, `only`, `exclude`, `target` and `drop_tags` (see
    `Reading`).
    The fields of `Policy` are arguments, too, such as `overlap="first"` and `limit=100`; or give a `policy`.
    The table contains all warnings; they also go to `notices` if given, else to Python's `warnings`.

    Runs are distributed over `workers` processes, or over the Dask cluster at the address `cluster`; the
    scores are the same. A script with several workers needs the usual `if __name__ == "__main__":`.

    Measures keep the names that you give them. `ScoreTable.aliases` maps everyday names such as `recall@5` to
    the measures they stand for: document measures if whole documents were judged, else measures of text.
    Without measures the input decides: the set `trec` if whole documents were judged, `rag` for runs whose
    results overlap or that are made of chunks, else `inex`. `ScoreTable.measure_note` names the set.

    Topics without relevant text, and with `only_run_topics=True` topics without results, have no score and
    stay out of the means.

    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 10, 50))])
    >>> run = Run.of("mine", [Result("1", "A", 0, 50)])
    >>> evaluate(judgments, [run], ["charP", "charR"]).means().tolist()
    [[0.8, 1.0]]
    """
    engine, (policy, read) = Engine(workers, cluster), settings_of(policy, reading)
    with Gathering(notices) as gathered:
        scoring = Scoring.of(judgments, measures, policy=policy, reading=read, notices=gathered)
        return score_runs(scoring, list_runs(runs), engine, progress, gathered)
