"""Evaluation by judgments of a sample: scores as estimates, with errors from the design and over topics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, MissingData, short_list
from excerpt.estimates.sampling_errors import LeftOut, SamplingErrors
from excerpt.estimates.weighted_scores import (
    TopicDocuments,
    TopicRun,
    is_maximum,
    needs_every_document,
    score_of,
)
from excerpt.estimates.weighting import Strata, Weighting
from excerpt.evaluation.needs import warn_missing_topics
from excerpt.evaluation.reading import AnyRun
from excerpt.evaluation.scoring import Progress, Scored, Scoring, cutoff_of, topic_scores
from excerpt.measures import Measure, parse
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable

#: Cut-off at which the proportion judged is given if no measure has one.
_CUTOFF = 10
_REMARK = "± is the standard error of the design: of the sample of documents that were judged"


class Estimated(NamedTuple):
    """Scores of a run by topic and measure, and those with documents left out; and the proportion judged."""

    values: FloatArray
    left: dict[str, LeftOut]
    judged: dict[str, float]


@dataclass(frozen=True, eq=False)
class SampleDesign:
    """The strata of the topics of judgments, and the weights that follow."""

    judgments: Judgments

    @cached_property
    def drawn(self) -> BoolArray:
        """Mask of the pairs that were drawn: those with a grade below 0 were not."""
        grades = self.judgments.grades
        return np.ones(len(self.judgments), np.bool_) if grades is None else grades >= 0

    def documents(self, *, every: bool) -> list[TopicDocuments]:
        """List the documents of each topic that matter."""
        return TopicDocuments.of(self.judgments, every=every)

    @cached_property
    def _weightings(self) -> dict[tuple[bool, bool], tuple[Weighting, ...]]:
        return {}

    def weightings(self, measure: Measure) -> tuple[Weighting, ...]:
        """Weights of the documents of each topic that matter to a measure."""
        key = needs_every_document(measure), is_maximum(measure)
        if key not in self._weightings:
            documents = self.documents(every=key[0])
            self._weightings[key] = tuple(self._weighting(one, halved=key[1]) for one in documents)
        return self._weightings[key]

    def _weighting(self, documents: TopicDocuments, *, halved: bool = False) -> Weighting:
        judgments, inclusion = self.judgments, self.judgments.inclusion
        assert inclusion is not None
        rows = np.flatnonzero((judgments.pair_topic == documents.topic) & self.drawn)
        codes = np.unique(inclusion.stratum[np.concatenate((rows, documents.pairs))])
        counts = np.bincount(np.searchsorted(codes, inclusion.stratum[rows]), minlength=len(codes))
        strata = Strata(tuple(inclusion.probability[code] for code in codes.tolist()), tuple(counts.tolist()))
        stratum = np.searchsorted(codes, inclusion.stratum[documents.pairs]).astype(np.int64)
        largest = 1000 * max(int(documents.relevant.sum()), 1)
        return Weighting.of(strata, stratum, self.drawn[documents.pairs][None], largest, halved=halved)

    @property
    def alone(self) -> list[str]:
        """Topics with a stratum of which one document was drawn."""
        found = map(self._weighting, self.documents(every=False))
        return [name for name, by in zip(self.judgments.topics, found, strict=True) if by.strata.alone]

    def check_listed(self, measure: str) -> None:
        """Raise an error if some documents of a stratum are not listed."""
        inclusion = self.judgments.inclusion
        assert inclusion is not None
        listed = np.bincount(inclusion.stratum, minlength=len(inclusion.probability)).tolist()
        drawn = np.bincount(inclusion.stratum[self.drawn], minlength=len(inclusion.probability)).tolist()
        known = zip(inclusion.probability, drawn, listed, strict=True)
        if any(count and p * count != n for p, n, count in known):
            raise MissingData(
                f"{measure} needs all documents of the strata, but the judgments list only those drawn",
                path=self.judgments.source or None,
                hint="give lines of topic, 0, document, stratum, grade (-1 if it was not judged)",
            )


_designs: WeakKeyDictionary[Judgments, SampleDesign] = WeakKeyDictionary()


def design_of(judgments: Judgments) -> SampleDesign:
    """Return the design of judgments, which is made once for all runs."""
    if judgments not in _designs:
        _designs[judgments] = SampleDesign(replace(judgments))
    return _designs[judgments]


def estimate(
    scoring: Scoring, runs: Sequence[AnyRun], engine: Engine, progress: Progress | None, notices: Notices
) -> ScoreTable:
    """Score runs by estimates from sampled judgments.

    The gaps of the table have `estimate`, `error_design` (None if a stratum has one drawn document) and
    `error_topics`, by run and measure.
    """
    judgments = scoring.judgments
    if judgments.alternatives:
        message = "found judgments with probabilities and alternatives, expected one of the two"
        raise ExcerptError(message, path=judgments.source or None)
    design = design_of(judgments)
    for name, measure in scoring.measures.items():
        if needs_every_document(measure):
            design.check_listed(name)
    _warn(scoring, design, notices)
    scored = list(scoring.map(_estimated, runs, engine, progress))
    table = scoring.table([one.having(one.value.values) for one in scored], notices)
    names = scored[0].value.left.keys() if scored else ()
    errors = SamplingErrors(
        table.topics,
        {name: design.weightings(scoring.measures[name]) for name in names},
        {
            name: {run: one.value.left[name] for run, one in zip(table.runs, scored, strict=True)}
            for name in names
        },
    )
    gaps = {
        run: _gaps(table, errors, place, one)
        for place, (run, one) in enumerate(zip(table.runs, scored, strict=True))
    }
    return replace(table, gaps=gaps, sampling=replace(errors, remarks=_remarks(scored)))


def _warn(scoring: Scoring, design: SampleDesign, notices: Notices) -> None:
    plain = [
        name for name, measure in scoring.measures.items() if measure.needs and score_of(measure) is None
    ]
    if plain:
        supported = "MAiP, iP, charP, charR, AgP, relevant, recallbase, statAP and xinfAP have one"
        notices.add(
            f"no estimate from sampled judgments by {short_list(plain, 3)}, which count the judged documents "
            f"alone; {supported}"
        )
    alone = design.alone
    one = "topic has a stratum of which one document was drawn, so the design error is unknown"
    many = "topics have a stratum of which one document was drawn, so the design error is unknown"
    notices.add(one, many, len(alone), where=f"topic {alone[0]}" if alone else "")


def _estimated(scoring: Scoring, joined: Joined, notices: Notices) -> Estimated:
    """Estimates of a run."""
    columns, left = [], dict[str, LeftOut]()
    for name, measure in scoring.measures.items():
        if score_of(measure) is None:
            columns.append(topic_scores(measure, joined))
            continue
        rows = _scores_of(measure, joined)
        found = zip(rows, design_of(joined.judgments).weightings(measure), strict=True)
        columns.append(_counted(measure, np.array([by.estimates(own)[0] for own, by in found]), joined))
        left[name] = tuple(np.nan_to_num(own[1:]) for own in rows)
    values = np.stack(columns, axis=1)
    warn_missing_topics(joined, notices, values)
    return Estimated(values, left, _judged(scoring, joined))


def _scores_of(measure: Measure, joined: Joined) -> list[FloatArray]:
    """Scores of each topic by the rows of its weights."""
    design, score = design_of(joined.judgments), score_of(measure)
    assert score is not None
    documents = design.documents(every=needs_every_document(measure))
    pairs = zip(documents, design.weightings(measure), strict=True)
    return [score(TopicRun(joined, documents), by) for documents, by in pairs]


def scores_by(measure: Measure, joined: Joined) -> FloatArray:
    """Estimates by topic; NaN without anything relevant."""
    found = zip(_scores_of(measure, joined), design_of(joined.judgments).weightings(measure), strict=True)
    return np.array([by.estimates(own)[0] for own, by in found])


def _counted(measure: Measure, scores: FloatArray, joined: Joined) -> FloatArray:
    """Scores by topic, by the policy of topics without anything relevant and without results."""
    if "highlights" in measure.needs:
        scores = np.where(joined.judgments.has_relevant, scores, np.nan)
    if joined.policy.include_empty:
        scores = np.nan_to_num(scores)
    return np.where(joined.results == 0, np.nan, scores) if joined.policy.only_run_topics else scores


def _judged(scoring: Scoring, joined: Joined) -> dict[str, float]:
    """Mean proportions judged of the first results, at the cut-offs of the measures."""
    cutoffs = [cutoff_of(measure) for measure in scoring.measures.values()]
    names = [f"judged@{cutoff}" for cutoff in dict.fromkeys(one for one in cutoffs if one)]
    means = {}
    for name in names or [f"judged@{_CUTOFF}"]:
        scores = topic_scores(parse(name), joined)
        means[name] = float(exact_means(scores[None])[0])
    return means


def _gaps(table: ScoreTable, errors: SamplingErrors, place: int, one: Scored[Estimated]) -> dict[str, Any]:
    """Estimates and errors of a run by measure."""
    gaps: dict[str, dict[str, float | None]] = {"estimate": {}, "error_design": {}, "error_topics": {}}
    for number, name in enumerate(table.measures):
        if name not in one.value.left:
            continue
        scores = table.values[place, :, number]
        counted = ~np.isnan(scores)
        topics = int(counted.sum())
        known = {
            "estimate": float(exact_means(scores[None])[0]),
            "error_design": errors.error(name, table.runs[place], counted) if topics else math.nan,
            "error_topics": topics > 1 and float(scores[counted].std(ddof=1)) / math.sqrt(topics),
        }
        for key, value in known.items():
            gaps[key][name] = None if value is False or math.isnan(value) else float(value)
    return {**gaps, "judged": one.value.judged}


def _remarks(scored: Sequence[Scored[Estimated]]) -> tuple[str, ...]:
    """Notes on errors, and on how much is estimated."""
    if not scored:
        return ()
    shares = {name: [one.value.judged[name] for one in scored] for name in scored[0].value.judged}
    said = [f"{name} {_range([one for one in own if one == one])}" for name, own in shares.items()]  # noqa: PLR0124
    return (_REMARK, f"{', '.join(said)}: what is judged of the first results; the rest is estimated")


def _range(shares: Sequence[float]) -> str:
    low, high = (f"{end:.4f}" for end in (min(shares, default=math.nan), max(shares, default=math.nan)))
    return low if low == high else f"{low} to {high}"


def is_estimated(measure: Measure) -> bool:
    """Return whether a measure has an estimate from sampled judgments."""
    return score_of(measure) is not None
