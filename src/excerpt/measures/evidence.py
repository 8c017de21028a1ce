"""Evidence measures for RAG: whether relevant passages were found, and how early.

Passages are the topic's relevant text; overlapping and adjacent passages are one. Text that is shown twice
counts once under every overlap policy.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.measures.base import COUNT, CUMULATED_GAIN, RANK, SOME_SHARE, Measure, parameter
from excerpt.measures.characters import COSTS, check_cost, costs_of, shown_within
from excerpt.model.join import Joined, cached
from excerpt.model.judgments import Judgments
from excerpt.model.samples import touched
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans, sums
from excerpt.model.texts import Texts

_FIRST = (
    "E. M. Voorhees: The TREC-8 Question Answering Track Report. "
    "Proceedings of the Eighth Text REtrieval Conference, 2000"
)
_PASSAGES = (
    "J. Thorne, A. Vlachos, C. Christodoulopoulos, A. Mittal: FEVER: a Large-scale Dataset for Fact "
    "Extraction and VERification. NAACL 2018 (evidence counts when it is found; by characters in excerpt)"
)


@dataclass(frozen=True)
class Hit(Measure):
    """1 if there is a relevant character in the first k results, else 0; its mean is the success rate at k.

    Without a cut-off the whole list is read. Whitespace counts as text, as in all measures but found.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("2", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 60, 99), ("1", "A", 59, 70), ("2", "B", 20, 30)])
    >>> excerpt.evaluate(judgments, [run], ["hit[1]", "hit[2]"]).means().tolist()
    [[0.0, 0.5]]
    """

    name = "hit"
    reference = _FIRST
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        hits = joined.sums((joined.relevant > 0).astype(np.int64), top=self.top)
        return (hits > 0).astype(np.float64)


@dataclass(frozen=True)
class ReciprocalRank(Measure):
    """1 / rank of the first result that has relevant text, 0 if none of the first k has.

    Every result has a rank, also one that repeats text or does not occur in its document.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60)])
    >>> run = excerpt.Run.of("r", [("1", "A", 60, 99), ("1", "A", 59, 70)])
    >>> excerpt.evaluate(judgments, [run], ["RR", "RR[1]"]).means().tolist()
    [[0.5, 0.0]]
    """

    name = "RR"
    mean_name = "MRR"
    reference = _FIRST
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        rows = np.flatnonzero(joined.relevant > 0)
        topic, first = np.unique(joined.topic[rows], return_index=True)
        rank = rows[first] - joined.first[topic] + 1
        scores = np.zeros(joined.topics)
        scores[topic] = np.where(rank <= (self.top or len(joined)), 1 / rank, 0)
        return scores


@dataclass(frozen=True)
class DiscountedGain(Measure):
    """The discounted gain of the first k results, over the highest discounted gain that k results can have.

    The gain of a result is the number of its relevant characters that no result before it has shown; at
    rank r it is divided by log2(1 + r). The ideal ranking has one result per document with all its relevant
    text, sorted by that amount, the first k of them. A result lies in one document, so no other ranking can
    have a higher gain. A result without relevant text costs a rank, whatever its length.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 30), ("1", "B", 0, 10)])
    >>> run = excerpt.Run.of("r", [("1", "C", 0, 9), ("1", "A", 0, 15), ("1", "A", 0, 50)])
    >>> excerpt.evaluate(judgments, [run], ["nDCG[1]", "nDCG[2]", "nDCG"]).means().round(4).tolist()
    [[0.0, 0.2606, 0.4672]]
    """

    name = "nDCG"
    reference = CUMULATED_GAIN
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        gained = self._discounted(joined.new_relevant, joined.topic, joined.first)
        most = self._discounted(*_ideal(joined.judgments))
        return np.asarray(np.minimum(gained / np.where(most > 0, most, 1), 1))  # rounding may exceed 1

    def _discounted(self, gain: IntArray, topic: IntArray, first: IntArray) -> FloatArray:
        """Sum of the discounted gains of each topic; `gain` is by topic and rank."""
        rank = np.arange(len(gain)) - first[topic] + 1
        rows = np.flatnonzero((gain > 0) & (rank <= (self.top or len(gain))))
        discounted: FloatArray = gain[rows] / np.log2(1 + rank[rows])
        return np.bincount(topic[rows], discounted, minlength=len(first) - 1).astype(np.float64)


@cached
def _ideal(judgments: Judgments) -> tuple[IntArray, IntArray, IntArray]:
    """Relevant characters of documents by topic, descending; their topics; first row of each topic."""
    amount, topic = judgments.relevant_by_pair, judgments.pair_topic
    order = np.lexsort((-amount, topic))
    return amount[order], topic[order], np.searchsorted(topic[order], np.arange(len(judgments.topics) + 1))


@dataclass(frozen=True)
class _PassageMeasure(Measure):
    """Base of the passage measures: a passage is found if enough of its text is in the first k results."""

    reference = _PASSAGES
    wishes = frozenset({"text"})
    share: Fraction = parameter(SOME_SHARE, Fraction(1))
    budget: int | None = parameter(COUNT, None)
    cost: str = parameter(COSTS, "characters")
    top: int | None = parameter(RANK, None)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cost(self, self.cost, self.budget)

    def costs(self, joined: Joined) -> IntArray:
        return costs_of(self, joined, self.cost, self.top)

    def scores(self, joined: Joined) -> FloatArray:
        judgments, needs = joined.judgments, joined.judgments.needs
        total, parts = passage_sizes(judgments, joined.texts)
        read = None if self.budget is None else shown_within(joined, self.budget, self.costs(joined))
        shown, spans = joined.shown(self.top, read), judgments.spans
        inside = shown_of_passages(joined, shown, spans.group, spans.start, spans.end)
        counted = total > 0
        found = counted & (inside >= self.least(total))
        topic = judgments.pair_topic[spans.group]
        hits = np.bincount(topic[found], minlength=joined.topics)
        passages = np.bincount(topic[counted], minlength=joined.topics)
        if needs is not None:
            counted = parts > 0
            inside = needs.total(shown_of_passages(joined, shown, needs.pair, needs.start, needs.end))
            found = counted & (inside >= self.least(parts))
            hits[needs.topic] = passages[needs.topic] = 0  # counted by need
            np.add.at(hits, needs.topic, np.logical_or.reduceat(found, needs.first))
            np.add.at(passages, needs.topic, np.logical_or.reduceat(counted, needs.first))
        return np.where(passages > 0, self.score(hits, passages), np.nan)

    def least(self, total: IntArray) -> IntArray:
        """Least number of characters of each passage that reaches the share, exactly."""
        sizes, which = np.unique(total, return_inverse=True)
        over, under = self.share.as_integer_ratio()
        return np.array([-(-over * size // under) for size in sizes.tolist()], np.int64)[which]

    @abstractmethod
    def score(self, found: IntArray, passages: IntArray) -> FloatArray:
        """Scores by topic from the number of passages found and of all passages."""


@dataclass(frozen=True)
class Found(_PassageMeasure):
    """The proportion of the topic's relevant passages of which at least `share` is in the first k together.

    Overlapping and adjacent passages are one. Whitespace (by `str.isspace`) is not counted, so that a chunker
    that strips it finds as much as one that does not. A passage of whitespace only is left out. Without a
    corpus, whitespace counts as text, with a warning.

    If a topic has alternatives (places of which one is enough), its needs count instead of its passages: a
    need is found if at least `share` of one of its alternatives (all parts together) is.

    With `budget=n` reading stops after n characters (`cost=words` or `cost=tokens`: so many words or tokens),
    as in charR: the result that crosses the budget counts with its first characters. So does allfound.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 6), ("1", "A", 8, 12)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 3), ("1", "A", 4, 10)])
    >>> names = ["found[1]", "found[2]", "found(share=0.3)[2]"]
    >>> excerpt.evaluate(judgments, [run], names, corpus={"A": "one two, four"}).means().tolist()
    [[0.0, 0.5, 1.0]]
    """

    name = "found"

    def score(self, found: IntArray, passages: IntArray) -> FloatArray:
        return found / np.maximum(passages, 1)


@dataclass(frozen=True)
class AllFound(_PassageMeasure):
    """1 if every relevant passage (or need) of the topic is found as in `found`, else 0.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 6), ("1", "A", 8, 12)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 3), ("1", "A", 4, 12)])
    >>> names = ["allfound[1]", "allfound[2]"]
    >>> excerpt.evaluate(judgments, [run], names, corpus={"A": "one two, four"}).means().tolist()
    [[0.0, 1.0]]
    """

    name = "allfound"

    def score(self, found: IntArray, passages: IntArray) -> FloatArray:
        return np.where(found == passages, 1.0, 0.0)


@dataclass(frozen=True)
class Abstained(Measure):
    """1 if nothing is returned for a question without an answer, else 0.

    Questions without an answer were judged and have no relevant text, such as those with
    `"answerable": false` in a gold file. All other topics are left out of the mean.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 6)], irrelevant=[("2", "A"), ("3", "A")])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 3), ("2", "A", 0, 3)])
    >>> excerpt.evaluate(judgments, [run], ["abstained"])["r"]
    {'abstained': 0.5}
    """

    name = "abstained"
    reference = (
        "P. Rajpurkar, R. Jia, P. Liang: Know What You Don't Know: Unanswerable Questions for SQuAD. ACL 2018"
    )
    needs = frozenset()

    def scores(self, joined: Joined) -> FloatArray:
        return np.where(joined.judgments.has_relevant, np.nan, joined.results == 0)


@cached
def passage_sizes(judgments: Judgments, texts: Texts | None) -> tuple[IntArray, IntArray]:
    """Number of characters that count of each passage, and of each alternative."""
    spans, needs = judgments.spans, judgments.needs
    of_passages = counted_text(judgments, texts, spans.group, spans.start, spans.end)
    if needs is None:
        return of_passages, of_passages[:0]
    return of_passages, needs.total(counted_text(judgments, texts, needs.pair, needs.start, needs.end))


def shown_of_passages(
    joined: Joined, shown: KeyedSpans, pair: IntArray, start: IntArray, end: IntArray
) -> IntArray:
    """Number of characters of spans of judged documents that count and are in the text shown."""
    span, part = touched(shown, pair, start, end)
    low, high = np.maximum(shown.start[part], start[span]), np.minimum(shown.end[part], end[span])
    return sums(span, counted_text(joined.judgments, joined.texts, pair[span], low, high), len(pair))


def counted_text(
    judgments: Judgments, texts: Texts | None, pair: IntArray, start: IntArray, end: IntArray
) -> IntArray:
    """Number of characters of spans that count: without whitespace, if texts are known."""
    if texts is None:
        return end - start
    return texts.counts(judgments.documents, judgments.pair_document[pair], start, end)
