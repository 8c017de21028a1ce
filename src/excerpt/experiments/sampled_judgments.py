"""Simulated samples of judgments: how near estimates come to the scores by all judgments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, Unpack

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, short_list
from excerpt.estimates.estimation import is_estimated
from excerpt.estimates.weighted_scores import TopicDocuments, TopicRun, is_maximum, score_of
from excerpt.estimates.weighting import Strata, Weighting
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs, settings_of
from excerpt.evaluation.scoring import Scoring, topic_scores
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import SAMPLING_RATES
from excerpt.experiments.study import NEVER, Evaluating, generator, of_ranks, report_warnings
from excerpt.files import keep_content
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, IntArray, exact_means
from excerpt.notices import Notices

#: Limits of an interval, in standard errors, that contains 95 % of a normal distribution.
_Z = 1.959963984540054
#: Most cells of the weights of samples that are scored together.
_CELLS = 1 << 21
#: Fewer drawn documents do not show their scatter.
_LEAST = 2
#: Of a score: differences of the last digits are none.
_NOISE = 1e-12


@dataclass(frozen=True, eq=False)
class _Sampling:
    """The documents that are drawn at a rate: of each topic, besides those that are judged anyway."""

    rate: float
    #: Judged pairs that are in the pool in any case.
    certain: BoolArray
    samples: int
    seed: tuple[int, int]

    def drawn(self, judgments: Judgments, topic: int) -> tuple[Strata, IntArray, BoolArray]:
        """Strata of a topic, the stratum of each of its pairs, and which pairs are in each sample."""
        rows = np.flatnonzero(judgments.pair_topic == topic)
        sampled = ~self.certain[rows]
        others = int(sampled.sum())
        size = min(max(math.ceil(_exact(self.rate) * others), _LEAST), others)
        keys = generator(*self.seed, topic).random((self.samples, others))
        drawn = np.ones((self.samples, len(rows)), np.bool_)
        drawn[:, sampled] = keys.argsort(axis=1).argsort(axis=1) < size
        counts = len(rows) - others, size
        strata = Strata((Fraction(1), Fraction(size, others) if others else Fraction(1)), counts)
        return strata, sampled.astype(np.int64), drawn


def _exact(rate: float) -> Fraction:
    """Exact proportion as it is written."""
    return Fraction(repr(rate))


class _Simulated(NamedTuple):
    """Of a run: full scores by topic and measure, and by rate, sample and measure estimate and error."""

    full: FloatArray
    estimate: FloatArray
    error: FloatArray


def sampled(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    rates: Sequence[float] = SAMPLING_RATES,
    depth: int = 10,
    samples: int = 200,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Estimate scores from samples of the judgments, and compare them with the scores by all judgments.

    Of each topic the documents of the first `depth` results of all runs are judged, and of the other judged
    documents a random sample: a `rate` of them, rounded up, at least two. A row has, for a measure and a
    rate, means over the runs: `score` by all judgments, `bias` of the estimates, `deviation` of the estimates
    over the samples, the mean `error_design` that is estimated from each sample, `bias_share`, the bias of a
    run (as an absolute value) divided by its deviation, and `coverage`, the proportion of samples whose 95 %
    interval, estimate ± 1.96 design errors, contains the full score. `judged` is the proportion of the judged
    documents that a sample has.
    """
    own, others = Notices(), ("policy", "workers", "cluster", "notices", "progress", "ranks")
    engine, progress = Engine(how.get("workers", 1), how.get("cluster")), how.get("progress")
    reading: Any = {name: value for name, value in how.items() if name not in others}
    policy, settings = settings_of(how.get("policy"), reading)
    scoring = Scoring.of(judgments, measures, policy=policy, reading=settings, notices=own)
    listed = tuple(map(keep_content, list_runs(runs)))
    if (ranks := how.get("ranks")) is not None:
        scores = [*scoring.map(Scoring.scores, listed, engine, progress)]
        table = scoring.table(scores, Notices())
        listed = tuple(listed[table.runs.index(name)] for name in of_ranks(table, ranks).runs)
    scoring = _estimated(scoring, own)
    reach = list(scoring.map(_reach, listed, engine, progress))
    best = np.min([one.value for one in reach], axis=0)
    plan = [
        _Sampling(rate, best <= depth, samples, (seed, number)) for number, rate in enumerate(rates, start=1)
    ]
    parts = list(scoring.map(partial(_simulate, plan=plan), listed, engine, progress))
    for part in parts:
        own.extend(part.notices)
    rows = [
        {
            "measure": measure,
            "rate": rate.rate,
            "samples": samples,
            **_row([part.value for part in parts], at),
        }
        | {"judged": _judged(scoring.judgments, rate)}
        for place, measure in enumerate(scoring.measures)
        for number, rate in enumerate(plan)
        for at in [(number, place)]
    ]
    warnings = report_warnings(own, how)
    return Outcome(tuple(rows), record or Record("stability sampled", seed), warnings)


def _estimated(scoring: Scoring, notices: Notices) -> Scoring:
    """Leave out measures without an estimate; raise if none is left, or the judgments are a sample."""
    if scoring.judgments.inclusion is not None:
        message = "found sampled judgments, expected full ones: samples are drawn from them"
        raise ExcerptError(message, path=scoring.judgments.source or None)
    kept = {name: measure for name, measure in scoring.measures.items() if is_estimated(measure)}
    lacks = short_list([name for name in scoring.measures if name not in kept], 3)
    if not kept:
        known = "MAiP, iP, charP, charR, AgP, relevant, recallbase or statAP"
        raise ExcerptError(f"found {lacks}, without an estimate from samples, expected {known}")
    if lacks:
        notices.add(f"no estimate from samples by {lacks}, left out")
    return replace(scoring, measures=kept)


def _reach(scoring: Scoring, joined: Joined, _: Notices) -> IntArray:
    """Best rank at which a run returns each judged document."""
    rank = np.arange(len(joined)) - joined.first[joined.topic] + 1
    rows = np.flatnonzero(joined.pair >= 0)
    best = np.full(len(scoring.judgments), NEVER, np.int64)
    np.minimum.at(best, joined.pair[rows], rank[rows])
    return best


def _simulate(scoring: Scoring, joined: Joined, _: Notices, *, plan: Sequence[_Sampling]) -> _Simulated:
    """Full scores of a run, and its estimates and their errors in every sample."""
    names = list(scoring.measures)
    full = np.stack([topic_scores(scoring.measures[name], joined) for name in names], axis=1)
    counted = scoring.judgments.has_relevant
    estimates, errors = [], []
    for rate in plan:
        by_topic = [_of_topic(scoring, joined, rate, topic) for topic in np.flatnonzero(counted).tolist()]
        scores, variances = (np.stack(part) for part in zip(*by_topic, strict=True))
        estimates.append(np.nan_to_num(scores).mean(axis=0))
        errors.append(np.sqrt(variances.sum(axis=0)) / len(scores))
    return _Simulated(exact_means(full[counted].T.copy()), np.stack(estimates), np.stack(errors))


def _of_topic(scoring: Scoring, joined: Joined, rate: _Sampling, topic: int) -> tuple[FloatArray, FloatArray]:
    """Estimates of a topic and their variances, by sample and measure."""
    judgments, measures = scoring.judgments, list(scoring.measures.values())
    strata, stratum, drawn = rate.drawn(judgments, topic)
    first = int(np.searchsorted(judgments.pair_topic, topic))
    relevant = np.flatnonzero(judgments.relevant_by_pair[first : first + len(stratum)] > 0)
    documents = TopicDocuments(topic, first + relevant, judgments.relevant_by_pair[first + relevant])
    run, largest = TopicRun(joined, documents), 1000 * max(int(documents.relevant.sum()), 1)
    scores = np.empty((rate.samples, len(measures)))
    variances = np.empty_like(scores)
    step = max(_CELLS // max(len(relevant) * (len(relevant) + 26), 1), 1)
    for begin in range(0, rate.samples, step):
        part = slice(begin, begin + step)
        of_kind = {
            halved: Weighting.of(strata, stratum[relevant], drawn[part][:, relevant], largest, halved=halved)
            for halved in set(map(is_maximum, measures))
        }
        for place, measure in enumerate(measures):
            score, by = score_of(measure), of_kind[is_maximum(measure)]
            assert score is not None
            values = score(run, by)
            scores[part, place] = by.estimates(values)
            variances[part, place] = by.variances(np.nan_to_num(values[by.samples :]))
    return scores, variances


def _row(runs: Sequence[_Simulated], at: tuple[int, int]) -> dict[str, float | None]:
    """Means over the runs of bias, scatter and errors by a measure at a rate."""
    number, place = at
    full = np.array([run.full[place] for run in runs])
    estimates = np.stack([run.estimate[number, :, place] for run in runs])
    errors = np.stack([run.error[number, :, place] for run in runs])
    bias = estimates.mean(axis=1) - full
    deviation = estimates.std(axis=1, ddof=1) if estimates.shape[1] > 1 else np.full(len(runs), np.nan)
    inside = np.abs(estimates - full[:, None]) <= _Z * errors + _NOISE * np.abs(full)[:, None]
    share = np.where(deviation > 0, np.abs(bias) / np.where(deviation > 0, deviation, 1), 0.0)
    named = {
        "score": full.mean(),
        "bias": bias.mean(),
        "deviation": deviation.mean(),
        "error_design": errors.mean(),
        "bias_share": share.mean(),
        "coverage": inside.mean(),
    }
    return {name: None if math.isnan(value) else float(value) for name, value in named.items()}


def _judged(judgments: Judgments, rate: _Sampling) -> float:
    """Proportion of the judged documents (of topics with relevant text) that a sample has."""
    judged = total = 0
    for topic in np.flatnonzero(judgments.has_relevant).tolist():
        strata, stratum, _ = _Sampling(rate.rate, rate.certain, 1, rate.seed).drawn(judgments, topic)
        judged, total = judged + sum(strata.drawn), total + len(stratum)
    return judged / max(total, 1)
