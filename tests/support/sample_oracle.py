"""Estimates from samples by their definitions, with fractions, one document at a time; and all samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from excerpt import Judgments, Result, Run

#: Relevant span of each document of a small topic, None without one; the first documents are always judged.
SPANS: dict[str, tuple[int, int] | None] = {
    "A": (0, 40),
    "B": None,
    "C": (10, 20),
    "D": None,
    "E": (0, 5),
    "F": (30, 60),
    "G": None,
}
CERTAIN = ("A", "B")
RESULTS = [("C", 0, 30), ("A", 20, 60), ("G", 0, 9), ("F", 0, 40), ("D", 0, 20), ("A", 0, 10), ("E", 0, 50)]


def run_of(name: str = "r", results: Sequence[tuple[str, int, int]] = RESULTS) -> Run:
    """The results of a small run on topic 1."""
    return Run.of(name, [Result("1", *result) for result in results])


def judged(documents: Mapping[str, Fraction]) -> Judgments:
    """Judgments of some documents with their probabilities."""
    return Judgments.of(
        [
            {
                "topic": "1",
                "document": name,
                "spans": [] if SPANS[name] is None else [list(SPANS[name] or ())],
                "probability": str(probability),
            }
            for name, probability in documents.items()
        ]
    )


def full() -> Judgments:
    """Judgments of all documents."""
    relevant = [("1", name, *span) for name, span in SPANS.items() if span]
    return Judgments.of(relevant, irrelevant=[("1", name) for name, span in SPANS.items() if not span])


def every_sample(size: int) -> Iterator[Judgments]:
    """Judgments of every sample of so many of the other documents."""
    others = [name for name in SPANS if name not in CERTAIN]
    for drawn in combinations(others, size):
        known = dict.fromkeys(CERTAIN, Fraction(1)) | dict.fromkeys(drawn, Fraction(size, len(others)))
        yield judged(known)


def stat_ap(ranking: Sequence[str], drawn: Mapping[str, tuple[int, Fraction]]) -> Fraction | None:
    """Average precision estimated from documents with grade and probability; None without relevant ones."""
    total = sum((1 / chance for grade, chance in drawn.values() if grade > 0), Fraction(0))
    before = summed = Fraction(0)
    for rank, name in enumerate(ranking, start=1):
        grade, chance = drawn.get(name, (0, Fraction(1)))
        if grade > 0:
            summed += (1 + before) / rank / chance
            before += 1 / chance
    return summed / total if total else None


def xinf_ap(ranking: Sequence[str], strata: Mapping[str, tuple[str, int]]) -> Fraction | None:
    """Inferred average precision of documents with a stratum and a grade, -1 if not judged."""
    smoothing, names = Fraction(1, 100_000), {stratum for stratum, _ in strata.values()}
    total = summed = Fraction(0)
    for stratum in names:
        own = [(name, grade) for name, (of, grade) in strata.items() if of == stratum]
        drawn = [name for name, grade in own if grade >= 0]
        relevant = [name for name, grade in own if grade > 0]
        if not drawn:
            continue
        weight = Fraction(len(own), len(drawn))
        total += weight * len(relevant)
        for name in relevant:
            if name not in ranking:
                continue
            place = ranking.index(name)
            expected = Fraction(1)
            for other in names:
                above = [
                    strata[one][1] for one in ranking[:place] if one in strata and strata[one][0] == other
                ]
                good, known = sum(grade > 0 for grade in above), sum(grade >= 0 for grade in above)
                expected += len(above) * (good + smoothing) / (known + 2 * smoothing)
            summed += weight * expected / (place + 1)
    return summed / total if total else None


def agp_numerator(
    scores: Sequence[Fraction], relevant: Sequence[bool], strata: Sequence[tuple[int, int] | None]
) -> Fraction:
    """Sum of the generalised precision at sampled relevant documents; `strata` are (N, n) or None."""
    summed = Fraction(0)
    for rank, (own, good, stratum) in enumerate(zip(scores, relevant, strata, strict=True), start=1):
        if stratum is None or not good:
            continue
        whole, drawn = stratum
        value = own
        for score, other in zip(scores[: rank - 1], strata, strict=False):
            if other is None:
                continue
            pair = Fraction(whole - 1, drawn - 1) if other == stratum and whole > drawn else Fraction(*other)
            value += score * pair
        summed += Fraction(whole, drawn) * value / rank
    return summed
