"""Measures of ranked documents again, slowly, from their definitions: one topic at a time, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from support.exact_numbers import ZERO, Exact, over_logs, quotient
from support.oracle import Asked, f_measure, ratio

#: What infAP adds to its counts.
EPSILON = Fraction(1, 100_000)


@dataclass
class DocumentTopic:
    """Documents in the order in which they were returned, and the grades of judged documents.

    A grade below 0 is that of a document of the pool that nobody judged.
    """

    ranking: list[str]
    grades: dict[str, int]
    level: int = 1

    @property
    def returned(self) -> list[int | None]:
        """Grade of each returned document; None if it is not in the pool."""
        return [self.grades.get(name) for name in self.ranking]

    @property
    def hits(self) -> list[int]:
        """Ranks of relevant documents, from 1."""
        return [rank for rank, name in enumerate(self.ranking, 1) if self.is_relevant(name)]

    def is_relevant(self, name: str) -> bool:
        """Return whether a document has a grade that counts as relevant."""
        return self.grades.get(name, -1) >= self.level

    @property
    def total(self) -> int:
        """Number of relevant documents."""
        return sum(map(self.is_relevant, self.grades))

    def found(self, top: int | None = None) -> int:
        """Number of relevant documents among the first k."""
        return sum(map(self.is_relevant, self.ranking[:top]))

    def precision(self, top: int | None = None) -> Fraction:
        """Relevant documents among the first k, over k, or over all that were returned."""
        return ratio(self.found(top), len(self.ranking) if top is None else top)

    def recall(self, top: int | None = None) -> Fraction:
        """Relevant documents among the first k, over all."""
        return ratio(self.found(top), self.total)

    def f(self, top: int | None = None) -> Fraction:
        """Harmonic mean of precision and recall."""
        return f_measure(self.precision(top), self.recall(top), Fraction(1))

    def precisions(self, top: int | None = None) -> Fraction:
        """Sum of the precision at each relevant document among the first k."""
        ranks = [rank for rank in self.hits if top is None or rank <= top]
        return sum((Fraction(self.found(rank), rank) for rank in ranks), ZERO)

    def average_precision(self, top: int | None = None) -> Fraction:
        """AP."""
        return ratio(self.precisions(top), self.total)

    def reciprocal_rank(self, top: int | None = None) -> Fraction:
        """RR."""
        ranks = [rank for rank in self.hits if top is None or rank <= top]
        return Fraction(1, ranks[0]) if ranks else ZERO

    def success(self, top: int | None = None) -> Fraction:
        """1 if a relevant document is among the first k."""
        return Fraction(self.found(top) > 0)

    def r_precision(self) -> Fraction:
        """Precision at the number of relevant documents."""
        return self.precision(self.total) if self.total else ZERO

    def bpref(self) -> Fraction:
        """Of each relevant document: the share of documents judged irrelevant that are not above it."""
        irrelevant = {name for name, grade in self.grades.items() if 0 <= grade < self.level}
        least, worth = min(len(irrelevant), self.total), ZERO
        for rank in self.hits:
            above = min(len(irrelevant.intersection(self.ranking[:rank])), self.total)
            worth += 1 - (Fraction(above, least) if above else ZERO)
        return ratio(worth, self.total)

    def inferred_precision(self) -> Fraction:
        """infAP: 1/i, and the documents above by the proportion of the pool and of what was judged."""
        worth = ZERO
        for rank in self.hits:
            above = [self.grades[name] for name in self.ranking[: rank - 1] if name in self.grades]
            relevant = sum(grade >= self.level for grade in above)
            irrelevant = sum(0 <= grade < self.level for grade in above)
            rate = (relevant + EPSILON) / (relevant + irrelevant + 2 * EPSILON)
            worth += (1 + len(above) * rate) / rank
        return ratio(worth, self.total)

    def gains(self) -> list[int]:
        """Grade of each returned document, at least 0."""
        return [max(grade or 0, 0) for grade in self.returned]

    def ideal(self) -> list[int]:
        """Grades above 0 of judged documents, best first."""
        return sorted((grade for grade in self.grades.values() if grade > 0), reverse=True)

    def normalised_gain(self, top: int | None = None, *, exponential: bool = False) -> Exact:
        """nDCG; the gain is the grade, or 2 ** grade - 1."""
        own, best = (
            discounted([2**grade - 1 if exponential else grade for grade in grades[:top]])
            for grades in (self.gains(), self.ideal())
        )
        return quotient(own, best)

    def expected_reciprocal_rank(self, highest: int, top: int | None = None) -> Fraction:
        """ERR on a scale of grades."""
        score, left = ZERO, Fraction(1)
        for rank, grade in enumerate(self.gains()[:top], 1):
            satisfied = Fraction(2**grade - 1, 2**highest)
            score, left = score + left * satisfied / rank, left * (1 - satisfied)
        return score

    def rank_biased(self, p: Fraction, rel: int | None = None, top: int | None = None) -> Fraction:
        """RBP by grades over the highest grade, or by grades of at least `rel`."""
        highest = max([1, *self.grades.values()])
        gains = [
            Fraction(grade, highest) if rel is None else Fraction(grade >= rel) for grade in self.gains()
        ]
        return (1 - p) * sum((gain * p**place for place, gain in enumerate(gains[:top])), ZERO)

    def score(self, asked: Asked) -> Exact | None:
        """The score by any measure of documents; None where it is undefined."""
        options = dict(asked.parameters)
        top = int(asked.cutoff) if asked.cutoff else None
        topic = DocumentTopic(self.ranking, self.grades, int(options.get("rel", "1")))
        of_grades: dict[str, Callable[[], Exact]] = {
            "articleNDCG": lambda: self.normalised_gain(top, exponential=options.get("gain") == "exp"),
            "articleERR": lambda: self.expected_reciprocal_rank(int(options.get("highest", "4")), top),
            "articleRBP": lambda: self.rank_biased(
                Fraction(options.get("p", "0.8")), int(options["rel"]) if "rel" in options else None, top
            ),
        }
        of_relevant: dict[str, Callable[[], Exact]] = {
            "articleP": lambda: topic.precision(top),
            "articleR": lambda: topic.recall(top),
            "articleF": lambda: topic.f(top),
            "articleAP": lambda: topic.average_precision(top),
            "articleRR": lambda: topic.reciprocal_rank(top),
            "articleHit": lambda: topic.success(top),
            "articleRprec": topic.r_precision,
            "articleBpref": topic.bpref,
            "articleInfAP": topic.inferred_precision,
        }
        by_level = asked.name in of_relevant or "rel" in options
        if not self.ideal() or (by_level and not topic.total):
            return None
        return (of_grades | of_relevant)[asked.name]()


def discounted(gains: list[int]) -> Exact:
    """Sum of each gain over log2(1 + rank)."""
    return over_logs((gain, rank + 1) for rank, gain in enumerate(gains, 1))
