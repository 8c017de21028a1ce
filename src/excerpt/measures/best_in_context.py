"""Measures of best entry points by distance: INEX 2006, best in context.

Lalmas et al.: "INEX 2006 Evaluation Measures", LNCS 4518, 2007, section 7; Piwowarski, Dupret: "Evaluation
in (XML) Information Retrieval: Expected Precision-Recall with User Modelling (EPRUM)", SIGIR 2006.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.measures.base import (
    INEX_2006,
    LENGTH,
    RECALL_LEVEL,
    Measure,
    Need,
    Parameter,
    choice,
    decimal,
    parameter,
)
from excerpt.model.join import Joined, cached
from excerpt.model.spans import MAX_OFFSET, FloatArray, IntArray

_EPRUM = (
    "B. Piwowarski, G. Dupret: Evaluation in (XML) Information Retrieval: Expected Precision-Recall with "
    "User Modelling (EPRUM). SIGIR 2006"
)


def _level_or_rank(text: str) -> Fraction:
    value = decimal(text)
    if not 0 < value <= MAX_OFFSET:
        raise ValueError(text)
    return value


_AT = Parameter(
    _level_or_rank,
    lambda value: str(value) if value > 1 and value.denominator == 1 else RECALL_LEVEL.show(value),
    "a recall above 0, up to 1, or a rank with at=rank",
    True,
    "0.10",
)


@dataclass(frozen=True)
class _NearBestEntryPoint(Measure):
    """Base of the measures: a result is worth A·L/(A·L + distance to the best entry point)."""

    reference = INEX_2006
    A: Fraction = parameter(LENGTH, Fraction(1, 10))
    L: Fraction | None = parameter(LENGTH, None)

    @property
    def needs(self) -> frozenset[Need]:
        needs: set[Need] = {"entry points", "highlights", "judged entry points"}
        return frozenset(needs if self.L is not None else {*needs, "mean document length"})

    def closeness(self, joined: Joined) -> FloatArray:
        """Worth of each result; 0 in documents without a best entry point."""
        length = self.L if self.L is not None else joined.judgments.mean_length
        assert length is not None, "the measure declares that it needs the length"
        reach = float(self.A * length)
        entry = np.append(joined.judgments.pair_entry, -1)[joined.pair]
        distance = np.abs(joined.start - entry)
        return np.where((entry >= 0) & joined.run.known, reach / (reach + distance), 0.0)


def _entry_points(joined: Joined) -> IntArray:
    judgments = joined.judgments
    judged = judgments.pair_entry >= 0
    return np.bincount(judgments.pair_topic[judged], minlength=joined.topics).astype(np.int64)


@dataclass(frozen=True)
class EntryPointDistance(_NearBestEntryPoint):
    """The nearness of returned to best entry points: the sum of A·L/(A·L + d), over the number of best ones.

    d is the distance in characters, L the mean length of a document (by default of the index or the corpus).
    Documents without a best entry point add 0; the order of results does not matter.

    >>> import excerpt
    >>> marked = [("1", excerpt.Span(name, 0, 9)) for name in "abc"]
    >>> judgments = excerpt.Judgments.of(marked, entries={("1", name): 0 for name in "abc"})
    >>> run = excerpt.Run.of("r", [("1", "a", 0, 1), ("1", "z", 0, 1), ("1", "b", 100, 101)])
    >>> excerpt.evaluate(judgments, [run], ["BEPD(A=0.1, L=1000)"]).means().tolist()
    [[0.5]]
    """

    name = "BEPD"

    def scores(self, joined: Joined) -> FloatArray:
        joined.placed.check_one_result_each()
        first = np.zeros(len(joined), np.bool_)
        first[joined.articles.first_result] = True
        worth = np.where(first, self.closeness(joined), 0.0)
        total = np.bincount(joined.topic, worth, minlength=joined.topics)
        points = _entry_points(joined)
        return np.where(points > 0, total / np.maximum(points, 1), np.nan)


@dataclass(frozen=True)
class ExpectedPrecision(_NearBestEntryPoint):
    """The precision expected by a user who sees a best entry point with probability A·L/(A·L + d).

    At recall l, with R = ⌈l·T⌉ of the T best entry points: the expected value of R/m, where m is the rank at
    which the R-th is seen (0 if never). Without a cut-off: the mean over R = 1, …, T. With `at=rank`: the
    expected number seen after a rank, over the rank.

    >>> import excerpt
    >>> marked = [("1", excerpt.Span(name, 0, 9)) for name in "ab"]
    >>> judgments = excerpt.Judgments.of(marked, entries={("1", name): 0 for name in "ab"})
    >>> run = excerpt.Run.of("r", [("1", "a", 100, 101), ("1", "b", 100, 101)])
    >>> names = ["EPRUM(L=1000)", "EPRUM(L=1000)[0.50]", "EPRUM(L=1000, at=rank)[2]"]
    >>> excerpt.evaluate(judgments, [run], names).means().tolist() == [[7 / 16, 5 / 8, 1 / 2]]
    True
    """

    name = "EPRUM"
    reference = _EPRUM
    at: str = parameter(choice("recall", "rank"), "recall")
    cut: Fraction | None = parameter(_AT, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        fits = self.cut is None or (self.cut <= 1 if self.at == "recall" else self.cut.denominator == 1)
        if not fits:
            raise ExcerptError(f"found cut-off {self.cut} of EPRUM with at={self.at}, expected {_AT.values}")

    def check_cutoff(self) -> Self:
        if self.at == "rank" and self.cut is None:
            raise ExcerptError(f"{self} needs a cut-off, a rank", hint=f"try {self}[10]")
        return self

    def scores(self, joined: Joined) -> FloatArray:
        scores = np.full(joined.topics, np.nan)
        for topic, values in _curves(joined, replace(self, cut=Fraction(1))).items():
            scores[topic] = self._at_cut(values)
        return scores

    def _at_cut(self, values: FloatArray) -> float:
        if self.cut is None:
            return float(values.mean())
        if self.at == "rank":
            return float(values[: int(self.cut)].sum() / int(self.cut))
        return float(values[math.ceil(self.cut * len(values)) - 1])


@cached
def _curves(joined: Joined, measure: ExpectedPrecision) -> dict[int, FloatArray]:
    """Expected number of points first seen at each rank, or expected precision at R = 1 … T, by topic."""
    worth, points = measure.closeness(joined), _entry_points(joined)
    curves = {}
    for topic in np.flatnonzero(points > 0).tolist():
        rows = slice(int(joined.first[topic]), int(joined.first[topic + 1]))
        seen = _raise_chances(worth[rows], joined.group[rows])
        by_rank = measure.at == "rank"
        curves[topic] = seen if by_rank else _expected_precision(seen, joined.group[rows], int(points[topic]))
    return curves


def _raise_chances(worth: FloatArray, document: IntArray) -> FloatArray:
    """Increase by each result of the probability that its document's best entry point was seen."""
    before: dict[int, float] = {}
    raised = np.zeros(len(worth))
    for rank in np.flatnonzero(worth > 0).tolist():
        missed = 1.0 - before.get(int(document[rank]), 0.0)
        raised[rank] = missed * worth[rank]
        before[int(document[rank])] = 1.0 - missed * (1.0 - worth[rank])
    return raised


def _expected_precision(raised: FloatArray, document: IntArray, points: int) -> FloatArray:
    """Expected precision at R = 1 … T: the sum of R/m times the chance that the R-th is seen at rank m.

    A result shows the R-th point if it is the first to show its own, and R-1 others were seen before.
    """
    precision = np.zeros(points)
    number = np.arange(1, points + 1)
    ranks = np.flatnonzero(raised > 0)
    others = _seen_of_others(raised[ranks].tolist(), document[ranks].tolist(), points)
    for rank, exactly in zip(ranks.tolist(), others, strict=True):
        precision += number / (rank + 1) * (raised[rank] * exactly[:-1])
    return precision


def _seen_of_others(raised: list[float], document: list[int], points: int) -> Iterator[FloatArray]:
    """Probability, before each result, that exactly 0 … T points outside its document were seen.

    A document's chance, constant from one of its results to the next, is applied once for a range.
    """
    chances: list[_Chance] = []
    last: dict[int, tuple[int, float]] = {}
    for place, (key, more) in enumerate(zip(document, raised, strict=True)):
        since, chance = last.get(key, (place, 0.0))
        if chance:
            chances.append(_Chance(since, place, chance))
        last[key] = (place + 1, chance + more)
    chances += [_Chance(since, len(document), chance) for since, chance in last.values()]
    return _halve(chances, 0, len(document), np.append(1.0, np.zeros(points)))


class _Chance(NamedTuple):
    """Probability that a document's best entry point was seen, before each result of a range."""

    first: int
    end: int
    chance: float


def _halve(chances: list[_Chance], first: int, end: int, exactly: FloatArray) -> Iterator[FloatArray]:
    inside = []
    for part in chances:
        if part.first <= first and end <= part.end:
            exactly = exactly * (1 - part.chance) + np.append(0.0, exactly[:-1]) * part.chance
        elif part.first < end and first < part.end:
            inside.append(part)
    if end - first <= 1:
        yield from [exactly] * (end - first)
        return
    middle = (first + end) // 2
    yield from _halve(inside, first, middle, exactly)
    yield from _halve(inside, middle, end, exactly)
