"""How far two say the same: counts per document, and Jaccard, F and Cohen's kappa from them, exactly.

Three levels: characters; passages, which are stretches that one or the other highlighted, those that overlap
being one; and whole documents. Grades of elements are compared value by value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.assess.intervals import Resamples, kappas, limits, ratios
from excerpt.assess.merging import Grade, Span, covered
from excerpt.model.spans import FloatArray

#: What the first and the second say in each cell.
_CELLS: tuple[tuple[Grade, Grade], ...] = ((1, 1), (1, 0), (0, 1), (0, 0))


class Cells(NamedTuple):
    """How many units both, only the first, only the second, and neither took for relevant."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def jaccard(self) -> Fraction | None:
        """What both have of what either has; None where neither has any."""
        either = self.both + self.first + self.second
        return Fraction(self.both, either) if either else None

    @property
    def f(self) -> Fraction | None:
        """The harmonic mean of either's share in the other; None where neither has any."""
        marked = 2 * self.both + self.first + self.second
        return Fraction(2 * self.both, marked) if marked else None


def count_characters(one: Sequence[Span], two: Sequence[Span], length: int) -> Cells:
    """Characters of a document of this length.

    >>> count_characters([(0, 10)], [(5, 15)], 100)
    Cells(both=5, first=5, second=5, neither=85)
    """
    both = _size(covered((one, two), 2))
    first, second = _size(one) - both, _size(two) - both
    return Cells(both, first, second, length - both - first - second)


def _size(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def count_passages(one: Sequence[Span], two: Sequence[Span]) -> Cells:
    """Passages, those that overlap being one; there is no number of those that neither highlighted.

    >>> count_passages([(0, 10), (20, 30), (40, 50)], [(5, 25), (50, 60)])
    Cells(both=1, first=1, second=1, neither=0)
    """
    marked = sorted([(*span, 1) for span in one] + [(*span, 2) for span in two])
    kinds: list[int] = []
    reached = -1
    for start, end, who in marked:
        if start >= reached:
            kinds.append(0)
        kinds[-1] |= who
        reached = max(reached, end)
    return Cells(kinds.count(3), kinds.count(1), kinds.count(2), 0)


def count_documents(one: bool, two: bool) -> Cells:
    """One document.

    >>> count_documents(True, False)
    Cells(both=0, first=1, second=0, neither=0)
    """
    return Cells(int(one and two), int(one and not two), int(two and not one), int(not one and not two))


#: How often each pair of values occurred: the first's and the second's.
Crossed: TypeAlias = Mapping[tuple[Grade, Grade], int]


def kappa(crossed: Crossed) -> Fraction | None:
    """Cohen's kappa; None where chance alone would agree always, or there is nothing.

    >>> kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15})
    Fraction(2, 5)
    """
    total = sum(crossed.values())
    values = {value for pair in crossed for value in pair}
    first = {value: sum(n for pair, n in crossed.items() if pair[0] == value) for value in values}
    second = {value: sum(n for pair, n in crossed.items() if pair[1] == value) for value in values}
    chance = sum(first[value] * second[value] for value in values)
    if total * total == chance:
        return None
    same = sum(n for pair, n in crossed.items() if pair[0] == pair[1])
    return Fraction(same * total - chance, total * total - chance)


def exact(crossed: Crossed) -> Fraction | None:
    """The share of units on which both say the same; None where there are none.

    >>> exact({(1, 1): 3, (1, 2): 1})
    Fraction(3, 4)
    """
    total = sum(crossed.values())
    same = sum(n for pair, n in crossed.items() if pair[0] == pair[1])
    return Fraction(same, total) if total else None


class Unit(NamedTuple):
    """What was counted in one document: its topic, how values crossed, and Jaccard and F where they are."""

    topic: str
    crossed: Crossed
    jaccard: Fraction | None = None
    f: Fraction | None = None

    @classmethod
    def of(cls, topic: str, cells: Cells) -> Unit:
        """A document by its cells."""
        return cls(topic, dict(zip(_CELLS, cells, strict=True)), cells.jaccard, cells.f)


class Estimate(NamedTuple):
    """A number with its interval; None where it is not defined."""

    value: Fraction | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Level:
    """The documents that two have in common, at one level."""

    units: Sequence[Unit]
    #: Whether Jaccard and F are means over documents; else they are of all units together.
    mean: bool = True
    #: Whether it is known what neither has; without, there is no chance to agree by.
    bounded: bool = True
    seed: int = 1
    samples: int = 1000

    @cached_property
    def crossed(self) -> dict[tuple[Grade, Grade], int]:
        """How values crossed in all documents."""
        found: dict[tuple[Grade, Grade], int] = {}
        for unit in self.units:
            for pair, count in unit.crossed.items():
                found[pair] = found.get(pair, 0) + count
        return found

    @cached_property
    def together(self) -> Cells:
        """The cells of all documents."""
        return Cells(*(self.crossed.get(pair, 0) for pair in _CELLS))

    @property
    def left_out(self) -> int:
        """Documents in which neither has anything: there Jaccard and F are not defined."""
        return sum(unit.jaccard is None for unit in self.units)

    @property
    def jaccard(self) -> Estimate:
        """What both have of what either has."""
        value = _mean(unit.jaccard for unit in self.units) if self.mean else self.together.jaccard
        return Estimate(value, *limits(value, self._resampled["jaccard"]))

    @property
    def f(self) -> Estimate:
        """The harmonic mean of either's share in the other."""
        value = _mean(unit.f for unit in self.units) if self.mean else self.together.f
        return Estimate(value, *limits(value, self._resampled["f"]))

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa over all units."""
        if not self.bounded:
            return Estimate(None)
        value = kappa(self.crossed)
        return Estimate(value, *limits(value, self._resampled["kappa"]))

    @property
    def exact(self) -> Fraction | None:
        """The share of units on which both say the same."""
        return exact(self.crossed) if self.bounded else None

    @cached_property
    def _clusters(self) -> list[list[Unit]]:
        """What is resampled: topics, or the documents of a single one."""
        topics: dict[str, list[Unit]] = {}
        for unit in self.units:
            topics.setdefault(unit.topic, []).append(unit)
        return list(topics.values()) if len(topics) > 1 else [[unit] for unit in self.units]

    @cached_property
    def _resampled(self) -> dict[str, FloatArray]:
        """The three numbers in every resample; NaN where they are not defined."""
        if len(self._clusters) < 2:
            nothing = np.full(0, np.nan)
            return {"jaccard": nothing, "f": nothing, "kappa": nothing}
        drawn = Resamples(len(self._clusters), self.samples, self.seed)
        crossed = {pair: drawn.sums(self._counts(pair)) for pair in {*self.crossed, *_CELLS}}
        if self.mean:
            known = [sum(unit.jaccard is not None for unit in cluster) for cluster in self._clusters]
            jaccard = [_sum(unit.jaccard for unit in cluster) for cluster in self._clusters]
            f = [_sum(unit.f for unit in cluster) for cluster in self._clusters]
            found = {"jaccard": drawn.means(jaccard, known), "f": drawn.means(f, known)}
        else:
            both, first, second, _ = (crossed[pair] for pair in _CELLS)
            found = {"jaccard": ratios(both, both + first + second)}
            found["f"] = ratios(2 * both, 2 * both + first + second)
        return {**found, "kappa": kappas(crossed)}

    def _counts(self, pair: tuple[Grade, Grade]) -> list[int]:
        """How often two values crossed, in every cluster."""
        return [sum(unit.crossed.get(pair, 0) for unit in cluster) for cluster in self._clusters]


def _sum(values: Iterable[Fraction | None]) -> Fraction:
    return sum((value for value in values if value is not None), Fraction(0))


def _mean(values: Iterable[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return _sum(known) / len(known) if known else None
