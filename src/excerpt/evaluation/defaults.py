"""Measures where none was asked for: runs whose results share text, or that are made of chunks, get others.

Which runs are like that is known only when they are read. An evaluation reads each once: it scores by both
sets, and when all runs are known one of the two stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import short
from excerpt.evaluation.choice import Choice
from excerpt.evaluation.doubts import notice_wishes
from excerpt.evaluation.reading import AnyRun
from excerpt.evaluation.scoring import Scored, Scoring
from excerpt.model.joined import Joined
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices

#: Why a run gets the measures for chunks, by the number that stands beside its scores; 0: it does not.
_REASONS = ("", "results of {} share text", "{} is made of chunks")


class Undecided(Scoring):
    """Scoring by the measures of INEX or by those for chunks: the runs will tell."""

    def scores(self, joined: Joined, notices: Notices) -> FloatArray:
        """By topic: scores by the one set, scores by the other, and why the run should get the other."""
        reason = _reason(joined)
        inex, rag = self._by(self.choice), self._by(Choice("rag", ""))
        count = len(inex.measures)
        # Measures of INEX may refuse such a run; of the others, what they say does not matter yet.
        first = np.full((joined.topics, count), np.nan) if reason else inex.scores(joined, notices)
        second = rag.scores(joined, notices if reason else Notices())
        return np.concatenate((first, second, np.full((joined.topics, 1), float(reason))), axis=1)

    def decided(self, scored: Sequence[Scored], notices: Notices) -> Scoring:
        """The plain scoring that runs ask for, as the last column of what was found for each tells."""
        for part in scored:
            if reason := int(part.values[:, -1].max(initial=0)):
                scoring = self._by(Choice("rag", _REASONS[reason].format(short(part.name))))
                notice_wishes(scoring.measures, () if scoring.texts is None else ("text",), notices)
                return scoring
        return self._by(self.choice)

    def _by(self, choice: Choice | None) -> Scoring:
        """The plain scoring by a set of measures."""
        same = {item.name: getattr(self, item.name) for item in fields(Scoring)}
        named = self.measures if choice is None else choice.measures
        return Scoring(**same | {"measures": named, "choice": choice})


def leave_open(scoring: Scoring) -> Scoring:
    """A scoring that runs of chunks may change, where nobody asked for measures or an overlap policy."""
    if scoring.choice is None or scoring.choice.name != "inex" or scoring.policy.overlap != "error":
        return scoring
    return Undecided(**{item.name: getattr(scoring, item.name) for item in fields(Scoring)})


def decide(scoring: Scoring, scored: Sequence[Scored], notices: Notices) -> tuple[Scoring, Sequence[Scored]]:
    """The scoring that stays when all runs are known, and what it found."""
    if not isinstance(scoring, Undecided):
        return scoring, scored
    decided, count = scoring.decided(scored, notices), len(scoring.measures)
    columns = slice(count) if decided.choice == scoring.choice else slice(count, -1)
    return decided, [part._replace(values=part.values[:, columns]) for part in scored]


def decide_first(scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, notices: Notices) -> Scoring:
    """The scoring that runs ask for, where it must be known beforehand: they are read for that."""
    undecided = leave_open(scoring)
    if not isinstance(undecided, Undecided):
        return scoring
    return undecided.decided(list(undecided.map(_look, runs, engine, None)), notices)


def scores_of(scoring: Scoring, joined: Joined, notices: Notices) -> FloatArray:
    """Work on one run: its scores, whatever the scoring is."""
    return scoring.scores(joined, notices)


def _look(_: Scoring, joined: Joined, __: Notices) -> FloatArray:
    return np.full((1, 1), float(_reason(joined)))


def _reason(joined: Joined) -> int:
    """Why a run gets the measures for chunks."""
    return 2 if joined.run.task == "chunks" else int(len(joined.placed.repeated) > 0)
