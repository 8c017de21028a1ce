"""Agreement of all assessors of a campaign together: alpha, without one, over time, and by document."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from excerpt.assess.events import depths
from excerpt.assess.folder import seconds_of
from excerpt.assess.opinions import Grade, JudgedPair, Opinion, order_of
from excerpt.judging.alpha import AlphaScale, WeightedRatings, as_float
from excerpt.judging.unitizing import alpha_u
from excerpt.model.spans import KeyedSpans

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign

#: Documents of one row of agreement over time.
_EACH = 100
#: Ids of events that import judgments, which were made at another time.
_IMPORTED = "import-"


@dataclass(frozen=True)
class Together:
    """Opinions of two or more assessors on each document, with the lengths of documents."""

    opinions: Sequence[Sequence[Opinion]]
    lengths: Mapping[str, int]
    seed: int = 1
    samples: int = 1000

    @classmethod
    def of(cls, both: Iterable[tuple[Opinion, Opinion]], lengths: Mapping[str, int], *how: int) -> Together:
        """Gather the opinions of compared pairs, each once."""
        by_pair: dict[JudgedPair, dict[tuple[str, ...], Opinion]] = {}
        for two in both:
            for opinion in two:
                by_pair.setdefault(opinion.pair, {})[opinion.assessors] = opinion
        return cls([list(some.values()) for some in by_pair.values()], lengths, *how)

    def alpha(self, level: str) -> dict[str, float | None]:
        """Return alpha at a level with its interval; at the level of characters also alpha of highlights."""
        found: dict[str, float | None] = dict.fromkeys(("alpha", "alpha_low", "alpha_high", "alpha_u"))
        units = self.units(level)
        if units is not None:
            scale: AlphaScale = "ordinal" if level.startswith("element") else "nominal"
            ratings = WeightedRatings(units)
            low, high = ratings.interval(scale, samples=self.samples, seed=self.seed) or (None, None)
            found |= {"alpha": as_float(ratings.alpha(scale)), "alpha_low": low, "alpha_high": high}
        if level == "character":
            found["alpha_u"] = as_float(self.alpha_u)
        return found

    def nominal_alpha(self, level: str) -> float | None:
        """Return nominal alpha at the level of documents or of characters."""
        return as_float(WeightedRatings(self.units(level) or []).alpha("nominal"))

    def units(self, level: str) -> list[Mapping[tuple[int, ...], int]] | None:
        """Return how often each combination of values occurs in each document; None for passages."""
        if level == "passage":
            return None
        if level == "document":
            return [{tuple(int(one.relevant) for one in some): 1} for some in self.opinions]
        if level == "character":
            return [self._characters(some) for some in self.opinions]
        if level == "label":
            return self._labels()
        return [_grades(some, int(level.rpartition(" ")[2])) for some in self.opinions]

    def _characters(self, some: Sequence[Opinion]) -> Mapping[tuple[int, ...], int]:
        """Count characters by the number of assessors who highlighted them."""
        nobody = (0,) * len(some)
        counts = Counter({nobody: self.lengths[some[0].pair.document]})
        for start, end, depth in depths(opinion.highlights for opinion in some):
            counts[(1,) * depth + nobody[depth:]] += end - start
            counts[nobody] -= end - start
        return counts

    def _labels(self) -> list[Mapping[tuple[int, ...], int]]:
        """Count characters by their labels; characters of one label are left out."""
        codes: dict[str, int] = {}
        return [_labelled(some, codes) for some in self.opinions]

    @cached_property
    def alpha_u(self) -> Fraction | None:
        names = list(dict.fromkeys(one.assessors for some in self.opinions for one in some))
        rows = [(document, one) for document, some in enumerate(self.opinions) for one in some]
        spans = [(row, *span) for row, (_, one) in enumerate(rows) for span in one.highlights]
        lengths = [self.lengths[some[0].pair.document] for some in self.opinions]
        return alpha_u(
            np.array([names.index(one.assessors) for _, one in rows], np.int64),
            np.array([document for document, _ in rows], np.int64),
            KeyedSpans.union(*np.array(spans, np.int64).reshape(-1, 3).T),
            np.array(lengths, np.int64),
        )


def _labelled(some: Sequence[Opinion], codes: dict[str, int]) -> Mapping[tuple[int, ...], int]:
    borders = sorted({offset for one in some for label in one.labels for offset in label[:2]})
    counts: Counter[tuple[int, ...]] = Counter()
    starts = [[label.start for label in one.labels] for one in some]
    for start, end in pairwise(borders):
        values = []
        for one, own in zip(some, starts, strict=True):
            at = bisect_right(own, start) - 1
            if at >= 0 and start < one.labels[at].end:
                values.append(codes.setdefault(one.labels[at].label, len(codes)))
        if len(values) > 1:
            counts[tuple(values)] += end - start
    return counts


def _grades(some: Sequence[Opinion], dimension: int) -> Mapping[tuple[int, ...], int]:
    """Count elements by the grades of those who graded them, in the order of grades."""
    by_path: dict[str, list[int]] = {}
    for one in some:
        for path, grade in one.all_grades.items():
            by_path.setdefault(path, []).append(_order(grade, dimension))
    return Counter(tuple(values) for values in by_path.values() if len(values) > 1)


def _order(grade: Grade, dimension: int) -> int:
    return order_of(grade[dimension] if isinstance(grade, tuple) else grade)


#: Alpha at some levels, of some documents.
Figures = Callable[[Sequence[Sequence[Opinion]]], dict[str, Any]]


def figures(lengths: Mapping[str, int], *, marks: bool) -> Figures:
    """Return the function that measures documents: alpha on documents and, with highlights, on characters."""

    def measure(opinions: Sequence[Sequence[Opinion]]) -> dict[str, Any]:
        joint = Together(opinions, lengths)
        found: dict[str, Any] = {"documents": len(opinions)}
        found["alpha"] = joint.nominal_alpha("document")
        if marks:
            found["characters"] = joint.nominal_alpha("character")
            found["alpha_u"] = as_float(joint.alpha_u)
        return found

    return measure


def without_each(several: Sequence[Sequence[Opinion]], measure: Figures) -> Iterator[dict[str, Any]]:
    """Yield the agreement of the others, without each assessor, if there are three or more."""
    names = sorted({one.assessors for some in several for one in some})
    for name in names if len(names) > 2 else ():
        rest = [[one for one in some if one.assessors != name] for some in several]
        yield {"assessor": ", ".join(name), **measure([some for some in rest if len(some) > 1])}


def finished_times(campaign: Campaign) -> dict[tuple[str, str, str], float]:
    """Return when each assessor last finished each document, in seconds; imported judgments have no time."""
    times: dict[tuple[str, str, str], float] = {}
    with campaign.snapshot() as snapshot, snapshot.recorder.reading() as store:
        for row in store.rows("event"):
            if row["kind"] == "done":
                key = row["topic"], row["document"], row["assessor"]
                times.pop(key, None)
                if not row["id"].startswith(_IMPORTED):
                    times[key] = seconds_of(row["at"])
    return times


def over_time(
    several: Sequence[Sequence[Opinion]], times: Mapping[tuple[str, str, str], float], measure: Figures
) -> Iterator[dict[str, Any]]:
    """Yield agreement by the day in UTC, and by the hundred documents, of the later `done` of each."""
    timed = []
    for some in several:
        own = [times.get((*one.pair, one.assessors[0])) for one in some]
        if (known := [at for at in own if at is not None]) and len(known) == len(own):
            timed.append((max(known), some))
    timed.sort(key=itemgetter(0))
    days: dict[str, list[Sequence[Opinion]]] = {}
    for at, some in timed:
        days.setdefault(datetime.fromtimestamp(at, UTC).date().isoformat(), []).append(some)
    for day, group in days.items():
        yield {"by": "day", "from": day, **measure(group)}
    for first in range(0, len(timed), _EACH):
        group = [some for _, some in timed[first : first + _EACH]]
        yield {"by": "hundred", "from": str(first + 1), **measure(group)}


def by_document(several: Sequence[Sequence[Opinion]]) -> list[dict[str, Any]]:
    """Return a row per document: worst first, by characters that only some highlighted, then grades apart."""
    rows = []
    for some in several:
        parts = depths(one.highlights for one in some)
        row: dict[str, Any] = some[0].pair._asdict()
        row["assessors"] = [name for one in some for name in one.assessors]
        row["relevant"] = sum(one.relevant for one in some)
        row["characters"] = sum(end - start for start, end, depth in parts if 0 < depth < len(some))
        rows.append({**row, "grades": sum(_apart(some))})
    return sorted(rows, key=lambda row: (-row["characters"], -row["grades"], -_split(row)))


def _split(row: Mapping[str, Any]) -> int:
    """Return how far the assessors are from one view on relevance."""
    relevant: int = row["relevant"]
    return min(relevant, len(row["assessors"]) - relevant)


def _apart(some: Sequence[Opinion]) -> Iterator[int]:
    """Yield the distance of the highest and the lowest grade of each element and dimension."""
    grades: dict[tuple[str, int], list[int]] = {}
    for one in some:
        for path, grade in one.all_grades.items():
            for dimension in range(len(grade) if isinstance(grade, tuple) else 1):
                grades.setdefault((path, dimension), []).append(_order(grade, dimension))
    yield from (max(values) - min(values) for values in grades.values())
