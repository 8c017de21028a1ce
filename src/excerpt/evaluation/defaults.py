"""Measures where none was asked for: runs whose results share text, or that are made of chunks, get others.

Which runs are like that is known only when they are read. An evaluation reads each once: it scores by both
sets, and when all runs are known one of the two stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from excerpt.engine import Engine
from excerpt.errors import short
from excerpt.evaluation.choice import Choice
from excerpt.evaluation.doubts import notice_wishes
from excerpt.evaluation.reading import AnyRun
from excerpt.evaluation.scoring import Progress, Scored, Scoring
from excerpt.model.join import Joined
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices

_RAG = Choice("rag", "")


class _Open(NamedTuple):
    """What a run brings along while the measures are not chosen."""

    #: Why it should get the measures for chunks, with `{}` for its name; nothing if it should not.
    reason: str
    #: By the name of the set. Without those of INEX where there is a reason: they may refuse such a run.
    scores: dict[str, FloatArray]


def score_runs(
    scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, progress: Progress | None, notices: Notices
) -> ScoreTable:
    """The scores of runs; where nobody asked for measures, by those that the runs ask for."""
    if not _is_open(scoring):
        return scoring.table(list(scoring.map(Scoring.scores, runs, engine, progress)), notices)
    parts = list(scoring.map(_score_by_both, runs, engine, progress))
    decided, name = _decide(scoring, [part.having(part.value.reason) for part in parts], notices)
    return decided.table([part.having(part.value.scores[name]) for part in parts], notices)


def decide_first(scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, notices: Notices) -> Scoring:
    """The scoring that runs ask for, where it must be known beforehand: they are read for that."""
    if not _is_open(scoring):
        return scoring
    return _decide(scoring, list(scoring.map(_reason, runs, engine, None)), notices)[0]


def _is_open(scoring: Scoring) -> bool:
    """Whether runs of chunks may change the measures: nobody asked for any, or for an overlap policy."""
    return scoring.choice is not None and scoring.choice.name == "inex" and scoring.policy.overlap == "error"


def _decide(scoring: Scoring, reasons: Sequence[Scored[str]], notices: Notices) -> tuple[Scoring, str]:
    """The scoring that runs ask for, and the name of its set."""
    for run in reasons:
        if run.value:
            decided = _by(scoring, Choice("rag", run.value.format(short(run.name))))
            notice_wishes(decided.measures, () if decided.texts is None else ("text",), notices)
            return decided, "rag"
    return scoring, "inex"


def _score_by_both(scoring: Scoring, joined: Joined, notices: Notices) -> _Open:
    """Work on one run: of the measures that it does not ask for, what they say does not matter yet."""
    reason = _reason(scoring, joined, notices)
    scores = {} if reason else {"inex": scoring.scores(joined, notices)}
    rag = _by(scoring, _RAG).scores(joined, notices if reason else Notices())
    return _Open(reason, scores | {"rag": rag})


def _reason(_: Scoring, joined: Joined, __: Notices) -> str:
    """Work on one run: why it gets the measures for chunks."""
    if joined.run.task == "chunks":
        return "{} is made of chunks"
    return "results of {} share text" if len(joined.placed.repeated) else ""


def _by(scoring: Scoring, choice: Choice) -> Scoring:
    """The same scoring by a set of measures."""
    return replace(scoring, measures=choice.measures, choice=choice)
