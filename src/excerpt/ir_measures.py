"""Plug-in for ir_measures and PyTerrier: `import excerpt.ir_measures` registers our measures there.

Runs and qrels with the columns `start` and `end` are of text, others of whole documents. If a name clashes
with one of ir_measures, ours has the prefix `excerpt_`, such as `excerpt_RR`.

>>> import ir_measures, pandas
>>> from excerpt.ir_measures import charP, charR
>>> qrels = pandas.DataFrame(
...     [("1", "A", 1, 10, 50)], columns=["query_id", "doc_id", "relevance", "start", "end"]
... )
>>> run = pandas.DataFrame([("1", "A", 0.9, 0, 50)], columns=["query_id", "doc_id", "score", "start", "end"])
>>> scores = ir_measures.calc_aggregate([charP @ 5, ir_measures.parse_measure("charR@5")], qrels, run)
>>> scores[charP @ 5], scores[charR @ 5]
(0.8, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Unpack

import numpy as np

from excerpt import measures as ours
from excerpt.datasets.catalogue import PLAIN, SPAN, judgments_of, run_of
from excerpt.evaluation.reading import EvaluationOptions, Reading, settings_of
from excerpt.evaluation.scoring import Scoring
from excerpt.measures.base import ParameterValue
from excerpt.model.policy import Policy
from excerpt.model.spans import exact_means
from excerpt.notices import Gathering

try:
    import ir_measures as theirs
except ImportError as error:
    raise ImportError("ir_measures is not installed; try pip install 'excerpt[ir]'") from error

#: Prefix of our measures whose names clash with those of ir_measures.
PREFIX = "excerpt_"


class Mean(theirs.MeanAgg):
    """Mean over the topics with a score; topics without relevant text have none."""

    def __init__(self) -> None:
        super().__init__()
        self._values: list[float] = []

    def add(self, value: float) -> None:
        self._values.append(value)

    def result(self) -> float:
        """Return the mean, as exact as in our tables."""
        return float(exact_means(np.array(self._values))) if self._values else math.nan


class FocusedMeasure(theirs.Measure):
    """One of our measures as a measure of ir_measures.

    >>> from excerpt.ir_measures import AgP, parse
    >>> AgP(beta=0.25), parse("gP(score=T2I)[10]"), parse("MAiP")
    (AgP(beta=0.25), gP(score='T2I')@10, AiP)
    """

    #: Score of topics for which a provider gives none: NaN, that is no score.
    DEFAULT = math.nan

    def __init__(self, measure: ours.Measure) -> None:
        self.measure = measure
        self.__name__ = self.NAME = _name_there(measure.name)
        self.PRETTY_NAME = measure.name
        self.__doc__ = ours.definition(type(measure))
        self.SHORT_DESC = self.__doc__.partition("\n")[0]
        usual, self.SUPPORTED_PARAMS, given = type(measure)(), {}, {}
        for field, kind in ours.parameters(type(measure)):
            name = self.AT_PARAM if kind.cutoff else field.name
            value, default = getattr(measure, field.name), getattr(usual, field.name)
            self.SUPPORTED_PARAMS[name] = theirs.ParamInfo(default=_plain(default), desc=kind.values)
            if value != default:
                given[name] = _plain(value)
        super().__init__(**given)

    def __call__(self, **given: ParameterValue) -> FocusedMeasure:
        """Return the measure with other parameters, or at a `cutoff`."""
        at = given.pop(self.AT_PARAM, None)
        measure = self.measure(**given)
        return FocusedMeasure(measure if at is None else measure @ at)

    def validate_params(self) -> None:
        """Raise an error if a cut-off is missing; other parameters are checked by the constructor."""
        self.measure.check_cutoff()

    def aggregator(self) -> Mean:
        return Mean()


def _plain(value: object) -> object:
    """Return the value of a parameter as ir_measures writes and reads it."""
    if not isinstance(value, Fraction):
        return value
    nearest = int(value) if value.denominator == 1 else float(value)
    return nearest if Fraction(str(nearest)) == value else str(value)


def _name_there(name: str) -> str:
    return PREFIX + name if name in _THEIRS else name


class FocusedProvider(theirs.Provider):
    """Provider of our measures; `configure` sets policy and corpus."""

    NAME = "excerpt"

    def __init__(self) -> None:
        super().__init__()
        self.policy: Policy | None = None
        self.reading = Reading()

    def supports(self, measure: theirs.Measure) -> bool:
        measure.validate_params()
        return isinstance(measure, FocusedMeasure)

    def run_inputs(self, measures: Iterable[theirs.Measure]) -> list[str]:
        return [*PLAIN, "score", *_span_columns(measures)]

    def qrel_inputs(self, measures: Iterable[theirs.Measure]) -> list[str]:
        return [*PLAIN, "relevance", *_span_columns(measures)]

    def _evaluator(self, measures: Iterable[theirs.Measure], qrels: object) -> FocusedEvaluator:
        known = [measure for measure in dict.fromkeys(measures) if isinstance(measure, FocusedMeasure)]
        return FocusedEvaluator(known, qrels, self.policy, self.reading)


def _span_columns(measures: Iterable[theirs.Measure]) -> tuple[str, ...]:
    needed = any(isinstance(each, FocusedMeasure) and "spans" in each.measure.needs for each in measures)
    return SPAN if needed else ()


class FocusedEvaluator(theirs.Evaluator):
    """Evaluator of runs, one after the other, with the same judgments and measures."""

    def __init__(
        self, measures: list[FocusedMeasure], qrels: object, policy: Policy | None, reading: Reading
    ) -> None:
        judgments, topics = judgments_of(qrels)
        self._given = {str(name): name for name in topics}
        with Gathering(None) as notices:
            plain = [measure.measure for measure in measures]
            self._scoring = Scoring.of(judgments, plain, policy=policy, reading=reading, notices=notices)
        super().__init__(measures, set(self._given.values()))

    def iter_calc(self, run: object) -> Iterator[theirs.Metric]:
        """Yield a score per topic and measure, without topics for which no measure has a score."""
        with Gathering(None) as notices:
            joined = self._scoring.join(run_of(run), notices, strangers="warn")
            scores = self._scoring.scores(joined, notices)
        for topic, row in zip(self._scoring.judgments.topics, scores, strict=True):
            if not np.isnan(row).all():
                for measure, value in zip(self.measures, row.tolist(), strict=True):
                    yield theirs.Metric(self._given[topic], measure, value)


def configure(*, policy: Policy | None = None, **how: Unpack[EvaluationOptions]) -> None:
    """Set how our measures are computed from now on, with the arguments of `excerpt.evaluate`.

    >>> configure(overlap="first", corpus={"A": "the text of A"})
    >>> configure()  # back to the defaults
    """
    provider.policy, provider.reading = settings_of(policy, how)


def parse(text: str | ours.Measure) -> FocusedMeasure:
    """Return one of our measures by its name, as in `excerpt evaluate`."""
    return FocusedMeasure(ours.parse(text))


def _register() -> FocusedProvider:
    """Register our measures and their provider in ir_measures; other providers come first."""
    registry = theirs.measures.registry
    own = FocusedProvider()
    for name, kind in ours.registry().items():
        registry[_name_there(name)] = FocusedMeasure(kind())
    own.SUPPORTED_MEASURES = [FocusedMeasure(kind()) for kind in dict.fromkeys(ours.registry().values())]
    theirs.providers.register(own)
    theirs.DefaultPipeline.providers.append(own)
    return own


#: Names of measures of ir_measures itself.
_THEIRS = frozenset(theirs.measures.registry)
provider = _register()


def __getattr__(name: str) -> FocusedMeasure:
    """Return one of our measures by its own name, even if it clashes with one of ir_measures."""
    try:
        return FocusedMeasure(getattr(ours, name))
    except AttributeError:
        raise AttributeError(f"module 'excerpt.ir_measures' has no attribute {name!r}") from None
