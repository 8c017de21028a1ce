"""How far assessors agree: Jaccard, F, kappa and exact agreement, for every two who share documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias

from excerpt.assess.counting import (
    Cells,
    Estimate,
    Level,
    Unit,
    count_characters,
    count_documents,
    count_passages,
)
from excerpt.assess.merging import Opinion, Pair
from excerpt.assess.opinions import Opinions
from excerpt.assess.procedures import Procedure
from excerpt.errors import ExcerptError

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
        documents = [
            Unit.of(one.pair.topic, count_documents(one.relevant, two.relevant)) for one, two in both
        ]
        found = {"document": self._level(documents, mean=False)}
        if not self.procedure.marks:
            return found
        characters = [Unit.of(one.pair.topic, self._characters(one, two)) for one, two in both]
        passages = [
            Unit.of(one.pair.topic, count_passages(one.highlights, two.highlights)) for one, two in both
        ]
        return {
            "character": self._level(characters),
            "passage": self._level(passages, bounded=False),
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
            units = [
                Unit(
                    topic,
                    Counter((_part(one[path], place), _part(two[path], place)) for path in one.keys() & two),
                )
                for topic, one, two in graded
            ]
            yield f"element: {part.name.lower()}", self._level(units), single

    def _labels(self, both: Sequence[Both]) -> tuple[Level, int]:
        units = [Unit(one.pair.topic, _crossed_labels(one, two)) for one, two in both]
        marked = sum(self._characters(one, two).both for one, two in both)
        return self._level(units), marked - sum(sum(unit.crossed.values()) for unit in units)


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
