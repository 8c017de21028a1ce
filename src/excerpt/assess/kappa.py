"""Agreement of two assessors: Jaccard, F and kappa with confidence intervals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from excerpt.assess.events import length_of
from excerpt.assess.opinions import Grade, HighlightSpan, Opinion, Opinions, covered
from excerpt.assess.procedures import Procedure
from excerpt.assess.together import Together
from excerpt.errors import ExcerptError
from excerpt.judging import alpha
from excerpt.judging.alpha import as_float
from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import resampled_counts

#: Integers of any size, one per resample.
Integers: TypeAlias = NDArray[Any]


class Resamples:
    """Bootstrap resamples: how often each cluster was drawn in each resample, with replacement."""

    def __init__(self, clusters: int, samples: int, seed: int) -> None:
        self._drawn = resampled_counts(clusters, samples, np.random.default_rng(seed)).astype(object)

    def sums(self, values: Sequence[int]) -> Integers:
        """Sum of the clusters' values, per resample.

        >>> Resamples(3, 4, seed=1).sums([10**20] * 3).tolist() == [3 * 10**20] * 4
        True
        """
        totals: Integers = np.array(values, object) @ self._drawn
        return totals

    def means(self, totals: Sequence[Fraction], counts: Sequence[int]) -> FloatArray:
        """Mean over units, per resample, from the clusters' totals and numbers of units."""
        unit = lcm(*(total.denominator for total in totals))
        wholes = [total.numerator * (unit // total.denominator) for total in totals]
        return ratios(self.sums(wholes), unit * self.sums(counts))


def ratios(above: Integers, below: Integers) -> FloatArray:
    """Quotients of integers, rounded once; NaN for division by 0.

    >>> ratios(np.array([10**30, 1], object), np.array([3 * 10**30, 0], object)).tolist()
    [0.3333333333333333, nan]
    """
    pairs = zip(above.tolist(), below.tolist(), strict=True)
    return np.array([one / other if other else np.nan for one, other in pairs])


def kappas(contingency: Mapping[tuple[Grade, Grade], Integers]) -> FloatArray:
    """Cohen's kappa per resample; NaN if undefined."""
    same, total, chance = _tally(contingency)
    return ratios(same * total - chance, total * total - chance)


def _tally(contingency: Mapping[tuple[Grade, Grade], Any]) -> tuple[Any, Any, Any]:
    """Number of agreeing units, of all units, and of units that agree by chance times all units."""
    same: Any = sum(counts for (one, two), counts in contingency.items() if one == two)
    first: defaultdict[Grade, Any] = defaultdict(int)
    second: defaultdict[Grade, Any] = defaultdict(int)
    for (one, two), counts in contingency.items():
        first[one] = first[one] + counts
        second[two] = second[two] + counts
    return (
        same,
        sum(contingency.values()),
        sum(first[value] * second[value] for value in first.keys() & second.keys()),
    )


def limits(value: Fraction | None, resampled: FloatArray) -> tuple[float | None, float | None]:
    """Interval that contains the value and 95 % of the defined resampled values.

    >>> limits(Fraction(1, 3), np.array([0.25, 0.25, np.nan]))
    (0.25, 0.3333333333333333)
    """
    low, high = (None if value is None else alpha.limits(value, resampled)) or (None, None)
    return low, high


#: Values of the first and the second assessor for each field of `Cells`.
_CELLS: tuple[tuple[Grade, Grade], ...] = ((1, 1), (1, 0), (0, 1), (0, 0))


class Cells(NamedTuple):
    """Numbers of units that both, only the first, only the second, and neither judged relevant."""

    both: int
    first: int
    second: int
    neither: int

    @property
    def jaccard(self) -> Fraction | None:
        """Intersection over union; None if both are empty."""
        either = self.both + self.first + self.second
        return Fraction(self.both, either) if either else None

    @property
    def f(self) -> Fraction | None:
        """F1, the harmonic mean of precision and recall; None if both are empty."""
        marked = 2 * self.both + self.first + self.second
        return Fraction(2 * self.both, marked) if marked else None


def count_characters(one: Sequence[HighlightSpan], two: Sequence[HighlightSpan], length: int) -> Cells:
    """Count the characters of a document of this length.

    >>> count_characters([(0, 10)], [(5, 15)], 100)
    Cells(both=5, first=5, second=5, neither=85)
    """
    both = length_of(covered((one, two), 2))
    first, second = length_of(one) - both, length_of(two) - both
    return Cells(both, first, second, length - both - first - second)


def count_passages(one: Sequence[HighlightSpan], two: Sequence[HighlightSpan]) -> Cells:
    """Count passages, overlapping ones as one; `neither` is undefined, and 0.

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
    """Count one document.

    >>> count_documents(True, False)
    Cells(both=0, first=1, second=0, neither=0)
    """
    return Cells(int(one and two), int(one and not two), int(two and not one), int(not one and not two))


#: Contingency table: number of units per value of the first and value of the second assessor.
Contingency: TypeAlias = Mapping[tuple[Grade, Grade], int]


def kappa(contingency: Contingency) -> Fraction | None:
    """Cohen's kappa; None if there are no units, or agreement by chance is certain.

    >>> kappa({(1, 1): 20, (1, 0): 5, (0, 1): 10, (0, 0): 15})
    Fraction(2, 5)
    """
    same, total, chance = _tally(contingency)
    return None if total * total == chance else Fraction(same * total - chance, total * total - chance)


def exact(contingency: Contingency) -> Fraction | None:
    """Proportion of units with equal values; None without units.

    >>> exact({(1, 1): 3, (1, 2): 1})
    Fraction(3, 4)
    """
    same, total, _ = _tally(contingency)
    return Fraction(same, total) if total else None


class DocumentCounts(NamedTuple):
    """Counts of one document: topic, contingency table, and Jaccard and F if defined."""

    topic: str
    contingency: Contingency
    jaccard: Fraction | None = None
    f: Fraction | None = None
    #: Id of the document; without it, each is another one.
    document: str = ""

    @classmethod
    def of(cls, topic: str, cells: Cells, document: str = "") -> DocumentCounts:
        return cls(topic, dict(zip(_CELLS, cells, strict=True)), cells.jaccard, cells.f, document)


class AgreementEstimate(NamedTuple):
    """A value with its confidence interval; None if undefined."""

    value: Fraction | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Level:
    """Common documents of two assessors, compared at one level: characters, passages, documents, grades."""

    units: Sequence[DocumentCounts]
    #: True if Jaccard and F are means over documents; else they are of all units together.
    mean: bool = True
    #: True if the number of units that neither has is known; kappa needs it.
    bounded: bool = True
    seed: int = 1
    samples: int = 1000

    @cached_property
    def contingency(self) -> Counter[tuple[Grade, Grade]]:
        table: Counter[tuple[Grade, Grade]] = Counter()
        for unit in self.units:
            table.update(unit.contingency)
        return table

    @cached_property
    def together(self) -> Cells:
        return Cells(*(self.contingency[pair] for pair in _CELLS))

    @property
    def left_out(self) -> int:
        """Number of documents in which neither has anything, so that Jaccard and F are undefined."""
        return sum(unit.jaccard is None for unit in self.units)

    @property
    def jaccard(self) -> AgreementEstimate:
        return self._overlap("jaccard")

    @property
    def f(self) -> AgreementEstimate:
        return self._overlap("f")

    def _overlap(self, name: str) -> AgreementEstimate:
        defined = [value for unit in self.units if (value := getattr(unit, name)) is not None]
        mean = sum(defined, Fraction(0)) / len(defined) if defined else None
        value = mean if self.mean else getattr(self.together, name)
        return AgreementEstimate(value, *limits(value, self._resampled[name]))

    @property
    def kappa(self) -> AgreementEstimate:
        """Cohen's kappa over all units."""
        value = kappa(self.contingency) if self.bounded else None
        return AgreementEstimate(value, *limits(value, self._resampled["kappa"]))

    @property
    def exact(self) -> Fraction | None:
        """Proportion of units with equal values."""
        return exact(self.contingency) if self.bounded else None

    @cached_property
    def _clusters(self) -> list[list[DocumentCounts]]:
        """Clusters to resample: documents, each with all pairs of its assessors."""
        documents: dict[tuple[str, str], list[DocumentCounts]] = {}
        for place, unit in enumerate(self.units):
            documents.setdefault((unit.topic, unit.document or str(place)), []).append(unit)
        return list(documents.values())

    @cached_property
    def _resampled(self) -> dict[str, FloatArray]:
        """Jaccard, F and kappa per resample; NaN if undefined."""
        if len(self._clusters) < 2:
            return dict.fromkeys(("jaccard", "f", "kappa"), np.empty(0))
        drawn = Resamples(len(self._clusters), self.samples, self.seed)
        counts = [Level(cluster).contingency for cluster in self._clusters]
        table = {pair: drawn.sums([each[pair] for each in counts]) for pair in {*self.contingency, *_CELLS}}
        values = {"kappa": kappas(table)}
        if self.mean:
            defined = [sum(unit.jaccard is not None for unit in cluster) for cluster in self._clusters]
            for name in ("jaccard", "f"):
                some = ([getattr(unit, name) or Fraction(0) for unit in one] for one in self._clusters)
                values[name] = drawn.means([sum(each, Fraction(0)) for each in some], defined)
        else:
            both, first, second, _ = (table[pair] for pair in _CELLS)
            values["jaccard"] = ratios(both, both + first + second)
            values["f"] = ratios(2 * both, 2 * both + first + second)
        return values


#: Two opinions on the same pair.
OpinionPair: TypeAlias = tuple[Opinion, Opinion]
ALL = "all"


class AssessorPair(NamedTuple):
    """Two assessors with their opinions on the pairs that both finished."""

    first: str
    second: str
    opinions: list[OpinionPair]

    @property
    def name(self) -> str:
        return f"{self.first}, {self.second}"


def assessor_pairs(opinions: Opinions) -> list[AssessorPair]:
    """Return every two assessors with common finished pairs, by name; pairs in the order of the pool."""
    common: dict[tuple[str, str], list[OpinionPair]] = {}
    for pair in opinions.finished:
        by_name = sorted(opinions.finished[pair], key=lambda opinion: opinion.assessors)
        for one, two in combinations(by_name, 2):
            common.setdefault((one.assessors[0], two.assessors[0]), []).append((one, two))
    return [AssessorPair(*names, common[names]) for names in sorted(common)]


@dataclass(frozen=True)
class AgreementSettings:
    """Settings of a comparison: procedure, lengths of documents, seed and number of resamples."""

    procedure: Procedure
    lengths: Mapping[str, int]
    seed: int = 1
    samples: int = 1000

    def __post_init__(self) -> None:
        if self.seed < 0 or self.samples < 1:
            message = f"found seed {self.seed} and {self.samples} samples, expected at least 0 and at least 1"
            raise ExcerptError(message)

    def rows(self, assessors: str, both: Sequence[OpinionPair], topic: str = ALL) -> Iterator[dict[str, Any]]:
        """Yield a row per level; kappa is of two assessors only, alpha of any number."""
        together = Together.of(both, self.lengths, self.seed, self.samples)
        head = {"assessors": assessors, "topic": topic}
        several = dict.fromkeys(("kappa", "kappa_low", "kappa_high")) if assessors == ALL else {}
        for name, level in self.levels(both).items():
            numbers = {**_numbers(level, level.left_out), **several, **together.alpha(name)}
            yield {**head, "level": name, "documents": len(both), **numbers}
        scales = [f"element: {dimension.name.lower()}" for dimension in self.procedure.scale]
        for name, level, single in self.grades(both):
            numbers = {**_numbers(level, single), "jaccard_together": None, **several}
            numbers |= together.alpha(f"element {scales.index(name)}" if name in scales else name)
            yield {**head, "level": name, "documents": len(both), **numbers}

    def levels(self, both: Sequence[OpinionPair]) -> dict[str, Level]:
        """Return the levels character, passage and document; if elements are graded, document only."""
        documents = [count_documents(one.relevant, two.relevant) for one, two in both]
        levels = {"document": self._level(_units(both, documents), mean=False)}
        if not self.procedure.marks:
            return levels
        characters = [self._characters(one, two) for one, two in both]
        passages = [count_passages(one.highlights, two.highlights) for one, two in both]
        return {
            "character": self._level(_units(both, characters)),
            "passage": self._level(_units(both, passages), bounded=False),
            **levels,
        }

    def _characters(self, one: Opinion, two: Opinion) -> Cells:
        return count_characters(one.highlights, two.highlights, self.lengths[one.pair.document])

    def _level(self, units: Sequence[DocumentCounts], *, mean: bool = True, bounded: bool = True) -> Level:
        return Level(units, mean=mean, bounded=bounded, seed=self.seed, samples=self.samples)

    def grades(self, both: Sequence[OpinionPair]) -> Iterator[tuple[str, Level, int]]:
        """Yield the level of each dimension of grades, and the number of elements that only one graded.

        Labels are compared on characters that both labelled; the number counts other common highlights.
        """
        if self.procedure.labels:
            tables = [
                DocumentCounts(one.pair.topic, _label_table(one, two), document=one.pair.document)
                for one, two in both
            ]
            marked = sum(self._characters(one, two).both for one, two in both)
            labelled = sum(sum(table.contingency.values()) for table in tables)
            yield "label", self._level(tables), marked - labelled
        graded = [(one.pair, one.all_grades, two.all_grades) for one, two in both]
        single = sum(len(one.keys() ^ two.keys()) for _, one, two in graded)
        for index, dimension in enumerate(self.procedure.scale):
            units = []
            for pair, one, two in graded:
                grades = ((_part(one[path], index), _part(two[path], index)) for path in one.keys() & two)
                units.append(DocumentCounts(pair.topic, Counter(grades), document=pair.document))
            yield f"element: {dimension.name.lower()}", self._level(units), single


def _units(both: Sequence[OpinionPair], cells: Sequence[Cells]) -> list[DocumentCounts]:
    return [
        DocumentCounts.of(one.pair.topic, counted, one.pair.document)
        for (one, _), counted in zip(both, cells, strict=True)
    ]


def _label_table(one: Opinion, two: Opinion) -> Counter[tuple[Any, Any]]:
    """Contingency table of the labels, in characters that both labelled."""
    table: Counter[tuple[Any, Any]] = Counter()
    others = list(two.labels)
    for label in one.labels:  # both are sorted, and labels of one do not overlap
        while others and others[0].end <= label.start:
            others.pop(0)
        for other in others:
            if other.start >= label.end:
                break
            table[label.label, other.label] += min(label.end, other.end) - max(label.start, other.start)
    return table


def _part(grade: Any, index: int) -> Any:
    return grade[index] if isinstance(grade, tuple) else grade


def _numbers(level: Level, left_out: int) -> dict[str, Any]:
    numbers: dict[str, Any] = {"left_out": left_out}
    for name in ("jaccard", "f", "kappa"):
        estimate: AgreementEstimate = getattr(level, name)
        numbers[name] = as_float(estimate.value)
        numbers |= {f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    together = as_float(level.together.jaccard)
    return {**numbers, "exact": as_float(level.exact), "jaccard_together": together}


def compare_all(
    comparison: AgreementSettings, shared: Sequence[AssessorPair]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return rows of every two assessors, of all if there are more, and of the last group by topic."""
    groups = [(two.name, two.opinions) for two in shared]
    if len(shared) > 1:
        groups.append((ALL, [both for two in shared for both in two.opinions]))
    overall = [row for name, both in groups for row in comparison.rows(name, both)]
    by_topic: dict[str, list[OpinionPair]] = {}
    for one, two in groups[-1][1] if groups else ():
        by_topic.setdefault(one.pair.topic, []).append((one, two))
    rows = (row for topic, part in by_topic.items() for row in comparison.rows(groups[-1][0], part, topic))
    return overall, list(rows)


def right_reasons(both: Sequence[OpinionPair]) -> tuple[int, int]:
    """Count documents that both judged relevant, and those in which their highlights overlap."""
    agreed = [(one, two) for one, two in both if one.relevant and two.relevant]
    same = sum(count_characters(one.highlights, two.highlights, 0).both > 0 for one, two in agreed)
    return len(agreed), same
