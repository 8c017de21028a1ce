"""Our measures inside ir_measures and PyTerrier: `import excerpt.ir_measures` makes them known there.

Runs and qrels with the columns `start` and `end` are of text, others of whole documents. A name that
ir_measures has itself stays its own there, and ours is found with a prefix: `excerpt_RR`.

>>> import ir_measures, pandas
>>> from excerpt.ir_measures import charP, charR
>>> qrels = pandas.DataFrame(
...     [("1", "A", 1, 10, 50)], columns=["query_id", "doc_id", "relevance", "start", "end"]
... )
>>> run = pandas.DataFrame([("1", "A", 0.9, 0, 50)], columns=["query_id", "doc_id", "score", "start", "end"])
>>> found = ir_measures.calc_aggregate([charP @ 5, ir_measures.parse_measure("charR@5")], qrels, run)
>>> found[charP @ 5], found[charR @ 5]
(0.8, 1.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Unpack

import numpy as np

from excerpt import measures as ours
from excerpt.evaluation.reading import CorpusOptions, Reading
from excerpt.evaluation.scoring import Scoring
from excerpt.formats.datasets import PLAIN, SPAN, Table
from excerpt.measures.base import Value
from excerpt.model.policy import Policy
from excerpt.model.scores import exact_means
from excerpt.notices import Gathering

try:
    import ir_measures as theirs
except ImportError as error:
    raise ImportError("ir_measures is not installed; try pip install 'excerpt[ir]'") from error

#: Goes before the name of a measure that ir_measures has itself.
PREFIX = "excerpt_"


class Mean(theirs.MeanAgg):
    """The mean over the topics that have a score; topics without relevant text have none."""

    def __init__(self) -> None:
        super().__init__()
        self._values: list[float] = []

    def add(self, value: float) -> None:
        """One more topic."""
        self._values.append(value)

    def result(self) -> float:
        """The mean as our own tables have it."""
        return float(exact_means(np.array(self._values))) if self._values else math.nan


class FocusedMeasure(theirs.Measure):
    """One of our measures as ir_measures knows them.

    >>> from excerpt.ir_measures import AgP, parse
    >>> AgP(beta=0.25), parse("gP(score=T2I)[10]"), parse("MAiP")
    (AgP(beta=0.25), gP(score='T2I')@10, AiP)
    """

    #: What ir_measures takes for a topic that a provider says nothing about: here it has no score.
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

    def __call__(self, **given: Value) -> FocusedMeasure:
        """The measure with other values of some parameters, or at a `cutoff`."""
        at = given.pop(self.AT_PARAM, None)
        measure = self.measure(**given)
        return FocusedMeasure(measure if at is None else measure @ at)

    def validate_params(self) -> None:
        """An error where a measure needs a cut-off and has none; the rest was checked when it was made."""
        self.measure.check_cutoff()

    def aggregator(self) -> Mean:
        """What takes the mean over topics."""
        return Mean()


def _plain(value: object) -> object:
    """The value of a parameter as ir_measures writes and reads it."""
    if not isinstance(value, Fraction):
        return value
    nearest = int(value) if value.denominator == 1 else float(value)
    return nearest if Fraction(str(nearest)) == value else str(value)


def _name_there(name: str) -> str:
    return PREFIX + name if name in _THEIRS else name


class FocusedProvider(theirs.Provider):
    """Scores runs by our measures; `configure` tells how."""

    NAME = "excerpt"

    def __init__(self) -> None:
        super().__init__()
        self.policy: Policy | None = None
        self.reading = Reading()

    def supports(self, measure: theirs.Measure) -> bool:
        """Whether it is one of ours."""
        measure.validate_params()
        return isinstance(measure, FocusedMeasure)

    def run_inputs(self, measures: Iterable[theirs.Measure]) -> list[str]:
        """The columns that runs must have."""
        return [*PLAIN, "score", *_places(measures)]

    def qrel_inputs(self, measures: Iterable[theirs.Measure]) -> list[str]:
        """The columns that qrels must have."""
        return [*PLAIN, "relevance", *_places(measures)]

    def _evaluator(self, measures: Iterable[theirs.Measure], qrels: object) -> FocusedEvaluator:
        known = [measure for measure in dict.fromkeys(measures) if isinstance(measure, FocusedMeasure)]
        return FocusedEvaluator(known, qrels, self.policy, self.reading)


def _places(measures: Iterable[theirs.Measure]) -> tuple[str, ...]:
    ask = any(isinstance(found, FocusedMeasure) and "spans" in found.measure.needs for found in measures)
    return SPAN if ask else ()


class FocusedEvaluator(theirs.Evaluator):
    """Judgments and measures, for one run after the other."""

    def __init__(
        self, measures: list[FocusedMeasure], qrels: object, policy: Policy | None, reading: Reading
    ) -> None:
        judged = Table.of(qrels, "relevance")
        #: Ids of topics as they were given: numbers may be names.
        self._given = {str(name): name for name in judged.columns["query_id"]}
        with Gathering(None) as notices:
            plain = [measure.measure for measure in measures]
            self._scoring = Scoring.of(
                judged.judgments(), plain, policy=policy, reading=reading, notices=notices
            )
        super().__init__(measures, set(self._given.values()))

    def iter_calc(self, run: object) -> Iterator[theirs.Metric]:
        """One score by topic and measure; topics that no measure has a score for are left out."""
        with Gathering(None) as notices:
            joined = self._scoring.join(Table.of(run, "score").run(), notices, strangers="warn")
            scores = self._scoring.scores(joined, notices)
        for topic, row in zip(self._scoring.judgments.topics, scores, strict=True):
            if not np.isnan(row).all():
                for measure, value in zip(self.measures, row.tolist(), strict=True):
                    yield theirs.Metric(self._given[topic], measure, value)


def configure(*, policy: Policy | None = None, **reading: Unpack[CorpusOptions]) -> None:
    """How our measures are computed from now on: the arguments are those of `excerpt.evaluate`.

    >>> configure(policy=Policy(overlap="first"), corpus={"A": "the text of A"})
    >>> configure()  # as it was
    """
    provider.policy, provider.reading = policy, Reading.of(**reading)


def parse(text: str | ours.Measure) -> FocusedMeasure:
    """One of our measures by its name, as `excerpt evaluate` takes it."""
    return FocusedMeasure(ours.parse(text))


def _register() -> FocusedProvider:
    """Make all measures known to ir_measures, and ask the provider for what no other one has."""
    known = theirs.measures.registry
    found = FocusedProvider()
    for name, kind in ours.registry().items():
        known[_name_there(name)] = FocusedMeasure(kind())
    found.SUPPORTED_MEASURES = [FocusedMeasure(kind()) for kind in dict.fromkeys(ours.registry().values())]
    theirs.providers.register(found)
    theirs.DefaultPipeline.providers.append(found)
    return found


#: Names that ir_measures has itself.
_THEIRS = frozenset(theirs.measures.registry)
provider = _register()


def __getattr__(name: str) -> FocusedMeasure:
    """One of our measures by its own name, also where ir_measures has another one of it."""
    try:
        return FocusedMeasure(getattr(ours, name))
    except AttributeError:
        raise AttributeError(f"module 'excerpt.ir_measures' has no attribute {name!r}") from None
