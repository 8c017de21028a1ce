"""Agreement of two assessors: Jaccard, F, kappa, with intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.assess.opinions import Grade, Opinion, Opinions, Pair, Span, covered
from excerpt.assess.procedures import Procedure
from excerpt.errors import ExcerptError
from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import resampled_counts

#: Whole numbers of any size, one for each resample.
Wholes: TypeAlias = NDArray[Any]
_TAIL = 0.025


class Resamples:
    """How often each of some clusters is in each of so many resamples, drawn with replacement."""

    def __init__(self, clusters: int, samples: int, seed: int) -> None:
        self._drawn = resampled_counts(clusters, samples, np.random.default_rng(seed)).astype(object)

    def sums(self, values: Sequence[int]) -> Wholes:
        """In every resample, the sum of a value of each cluster.

        >>> Resamples(3, 4, seed=1).sums([10**20] * 3).tolist() == [3 * 10**20] * 4
        True
        """
        found: Wholes = np.array(values, object) @ self._drawn
        return found

    def means(self, totals: Sequence[Fraction], counts: Sequence[int]) -> FloatArray:
        """Means over units: each cluster has so many units, and a total of their values."""
        unit = lcm(*(total.denominator for total in totals))
        wholes = [total.numerator * (unit // total.denominator) for total in totals]
        return ratios(self.sums(wholes), unit * self.sums(counts))


def ratios(above: Wholes, below: Wholes) -> FloatArray:
    """One whole number by the other, rounded once, as a fraction is; NaN by 0.

    >>> ratios(np.array([10**30, 1], object), np.array([3 * 10**30, 0], object)).tolist()
    [0.3333333333333333, nan]
    """
    pairs = zip(above.tolist(), below.tolist(), strict=True)
    return np.array([one / other if other else np.nan for one, other in pairs])


def kappas(crossed: Mapping[tuple[Grade, Grade], Wholes]) -> FloatArray:
    """Cohen's kappa of every resample; NaN where it is not defined."""
    same, total, chance = _tally(crossed)
    return ratios(same * total - chance, total * total - chance)


def _tally(crossed: Mapping[tuple[Grade, Grade], Any]) -> tuple[Any, Any, Any]:
    """Units on which both say the same, all units, and those by chance times all; of numbers or of arrays."""
    same: Any = sum(counts for (one, two), counts in crossed.items() if one == two)
    first: defaultdict[Grade, Any] = defaultdict(int)
    second: defaultdict[Grade, Any] = defaultdict(int)
    for (one, two), counts in crossed.items():
        first[one] = first[one] + counts
        second[two] = second[two] + counts
    return (
        same,
        sum(crossed.values()),
        sum(first[value] * second[value] for value in first.keys() & second.keys()),
    )


def limits(value: Fraction | None, resampled: FloatArray) -> tuple[float | None, float | None]:
    """The interval that holds the value, and 95 of 100 resamples in which there is one.

    >>> limits(Fraction(1, 3), np.array([0.25, 0.25, np.nan]))
    (0.25, 0.3333333333333333)
    """
    known = resampled[~np.isnan(resampled)]
    if value is None or not len(known):
        return None, None
    low, high = np.quantile(known, [_TAIL, 1 - _TAIL])
    return min(float(low), float(value)), max(float(high), float(value))


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
    same, total, chance = _tally(crossed)
    return None if total * total == chance else Fraction(same * total - chance, total * total - chance)


def exact(crossed: Crossed) -> Fraction | None:
    """The share of units on which both say the same; None where there are none.

    >>> exact({(1, 1): 3, (1, 2): 1})
    Fraction(3, 4)
    """
    same, total, _ = _tally(crossed)
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
    def crossed(self) -> Counter[tuple[Grade, Grade]]:
        """How values crossed in all documents."""
        found: Counter[tuple[Grade, Grade]] = Counter()
        for unit in self.units:
            found.update(unit.crossed)
        return found

    @cached_property
    def together(self) -> Cells:
        """The cells of all documents."""
        return Cells(*(self.crossed[pair] for pair in _CELLS))

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
            return dict.fromkeys(("jaccard", "f", "kappa"), np.empty(0))
        drawn = Resamples(len(self._clusters), self.samples, self.seed)
        counts = [Level(cluster).crossed for cluster in self._clusters]
        crossed = {pair: drawn.sums([each[pair] for each in counts]) for pair in {*self.crossed, *_CELLS}}
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


def _sum(values: Iterable[Fraction | None]) -> Fraction:
    return sum((value for value in values if value is not None), Fraction(0))


def _mean(values: Iterable[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return _sum(known) / len(known) if known else None


#: Two opinions on the same pair.
Both: TypeAlias = tuple[Opinion, Opinion]
ALL = "all"


class Shared(NamedTuple):
    """Two who finished the same pairs, and what both said of each."""

    first: str
    second: str
    opinions: list[Both]

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.first}, {self.second}"


def shared_by_two(opinions: Opinions) -> list[Shared]:
    """Every two assessors with pairs that both finished, by name, the pairs in the order of the pool."""
    found: dict[tuple[str, str], list[Both]] = {}
    for pair in opinions.finished:
        said = sorted(opinions.finished[pair], key=lambda opinion: opinion.assessors)
        for one, two in combinations(said, 2):
            found.setdefault((one.assessors[0], two.assessors[0]), []).append((one, two))
    return [Shared(*names, found[names]) for names in sorted(found)]


@dataclass(frozen=True)
class Comparing:
    """How opinions are compared: the procedure, the lengths of documents, and how intervals come about."""

    procedure: Procedure
    lengths: Mapping[str, int]
    seed: int = 1
    samples: int = 1000

    def __post_init__(self) -> None:
        if self.seed < 0 or self.samples < 1:
            raise ExcerptError(
                f"found seed {self.seed} and {self.samples} samples, expected 0 or more, and 1 or more"
            )

    def rows(self, name: str, both: Sequence[Both], topic: str = ALL) -> Iterator[dict[str, Any]]:
        """A row for each level."""
        head = {"assessors": name, "topic": topic}
        for level, found in self.levels(both).items():
            yield {**head, "level": level, "documents": len(both), **_numbers(found, found.left_out)}
        for level, found, single in self.grades(both):
            numbers = {**_numbers(found, single), "jaccard_together": None}
            yield {**head, "level": level, "documents": len(both), **numbers}

    def levels(self, both: Sequence[Both]) -> dict[str, Level]:
        """Characters, passages and documents; where elements are graded, documents only."""
        documents = [count_documents(one.relevant, two.relevant) for one, two in both]
        found = {"document": self._level(_units(both, documents), mean=False)}
        if not self.procedure.marks:
            return found
        characters = [self._characters(one, two) for one, two in both]
        passages = [count_passages(one.highlights, two.highlights) for one, two in both]
        return {
            "character": self._level(_units(both, characters)),
            "passage": self._level(_units(both, passages), bounded=False),
            **found,
        }

    def _characters(self, one: Opinion, two: Opinion) -> Cells:
        return count_characters(one.highlights, two.highlights, self.lengths[one.pair.document])

    def _level(self, units: Sequence[Unit], *, mean: bool = True, bounded: bool = True) -> Level:
        return Level(units, mean=mean, bounded=bounded, seed=self.seed, samples=self.samples)

    def grades(self, both: Sequence[Both]) -> Iterator[tuple[str, Level, int]]:
        """Each grade of elements that both graded; and how many elements only one of the two did.

        Labels are compared on the characters that both labelled; others that both highlighted are counted.
        """
        if self.procedure.labels:
            yield "label", *self._labels(both)
        graded = [(one.pair.topic, _all_grades(one), _all_grades(two)) for one, two in both]
        single = sum(len(one.keys() ^ two.keys()) for _, one, two in graded)
        for place, part in enumerate(self.procedure.scale):
            units = []
            for topic, one, two in graded:
                grades = ((_part(one[path], place), _part(two[path], place)) for path in one.keys() & two)
                units.append(Unit(topic, Counter(grades)))
            yield f"element: {part.name.lower()}", self._level(units), single

    def _labels(self, both: Sequence[Both]) -> tuple[Level, int]:
        units = [Unit(one.pair.topic, _crossed_labels(one, two)) for one, two in both]
        marked = sum(self._characters(one, two).both for one, two in both)
        return self._level(units), marked - sum(sum(unit.crossed.values()) for unit in units)


def _units(both: Sequence[Both], cells: Sequence[Cells]) -> list[Unit]:
    return [Unit.of(one.pair.topic, counted) for (one, _), counted in zip(both, cells, strict=True)]


def _crossed_labels(one: Opinion, two: Opinion) -> Counter[tuple[Any, Any]]:
    """How many characters have which label of the first and which of the second."""
    found: Counter[tuple[Any, Any]] = Counter()
    others = list(two.labels)
    for label in one.labels:  # both are sorted, and labels of one do not overlap
        while others and others[0].end <= label.start:
            others.pop(0)
        for other in others:
            if other.start >= label.end:
                break
            found[label.label, other.label] += min(label.end, other.end) - max(label.start, other.start)
    return found


def _all_grades(opinion: Opinion) -> dict[str, Any]:
    return {**opinion.inferred, **opinion.grades}


def _part(grade: Any, place: int) -> Any:
    return grade[place] if isinstance(grade, tuple) else grade


def _numbers(level: Level, left_out: int) -> dict[str, Any]:
    """The numbers of a level; None where one is not defined."""
    found: dict[str, Any] = {"left_out": left_out}
    for name in ("jaccard", "f", "kappa"):
        estimate: Estimate = getattr(level, name)
        found[name] = _float(estimate.value)
        found |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {**found, "exact": _float(level.exact), "jaccard_together": _float(level.together.jaccard)}


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def compare_all(
    comparing: Comparing, shared: Sequence[Shared]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows for every two assessors and, of several such, for all together; and by topic those of the last."""
    groups = [(two.name, two.opinions) for two in shared]
    if len(shared) > 1:
        groups.append((ALL, [both for two in shared for both in two.opinions]))
    overall = [row for name, both in groups for row in comparing.rows(name, both)]
    by_topic = [
        row
        for name, both in groups[-1:]
        for topic, part in _by_topic(both).items()
        for row in comparing.rows(name, part, topic)
    ]
    return overall, by_topic


def _by_topic(both: Iterable[Both]) -> dict[str, list[Both]]:
    found: dict[str, list[Both]] = {}
    for one, two in both:
        found.setdefault(one.pair.topic, []).append((one, two))
    return found


def right_reasons(both: Sequence[Both]) -> tuple[int, int]:
    """Documents that both take for relevant, and those of them in which both highlighted the same text."""
    agreed = [(one, two) for one, two in both if one.relevant and two.relevant]
    same = sum(count_characters(one.highlights, two.highlights, 0).both > 0 for one, two in agreed)
    return len(agreed), same


def pairs_of(shared: Sequence[Shared]) -> set[Pair]:
    """Every pair that two finished."""
    return {one.pair for two in shared for one, _ in two.opinions}
