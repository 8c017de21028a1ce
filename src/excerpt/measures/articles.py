"""Document measures: precision, recall, average precision, nDCG, bpref and others."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.measures.base import COUNT, CUMULATED_GAIN, GRADE, RANK, SHARE, Measure, Need, choice, parameter
from excerpt.model.join import Joined
from excerpt.model.rankings import EPSILON, OUTSIDE, Rankings, ratio
from excerpt.model.spans import FloatArray

if TYPE_CHECKING:
    from fractions import Fraction

_ADHOC = (
    "P. Arvola, S. Geva, J. Kamps, R. Schenkel, A. Trotman, J. Vainio: "
    "Overview of the INEX 2010 Ad Hoc Track. Comparative Evaluation of Focused Retrieval, LNCS 6932, 2011"
)


@dataclass(frozen=True)
class ArticleMeasure(Measure):
    """Base of measures of relevant documents: those with relevant text, or in TREC qrels from a grade on."""

    reference = _ADHOC
    rel: int = parameter(COUNT, 1)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"highlights"} if self.rel == 1 else {"highlights", "grades of documents"})

    @abstractmethod
    def score(self, ranked: Rankings) -> FloatArray:
        """Scores by topic."""

    def scores(self, joined: Joined) -> FloatArray:
        if self.rel == 1:
            return self.score(joined.rankings)
        ranked = replace(joined.rankings, level=self.rel)
        return np.where(ranked.total > 0, self.score(ranked), np.nan)  # undefined if none has the grade


@dataclass(frozen=True)
class _TopMeasure(ArticleMeasure):
    """Base of measures of all documents returned, or of the first k: a function of rankings and k."""

    compute: ClassVar[Callable[[Rankings, int | None], FloatArray]]
    top: int | None = parameter(RANK, None)

    def score(self, ranked: Rankings) -> FloatArray:
        return type(self).compute(ranked, self.top)


class ArticlePrecision(_TopMeasure):
    """The proportion of documents with relevant text among the documents returned, or among the first k.

    It does not matter which part of a document was returned, nor in what order. With a cut-off the number is
    divided by k, even if fewer documents were returned, as in trec_eval.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 90, 99), ("1", "C", 0, 1), ("1", "A", 0, 40)])
    >>> excerpt.evaluate(judgments, [run], ["articleP", "articleR", "articleF", "articleAP"]).means().tolist()
    [[0.5, 0.5, 0.5, 0.5]]
    """

    name = "articleP"
    compute = Rankings.precision


class ArticleRecall(_TopMeasure):
    """The proportion of the topic's documents with relevant text that were returned, or are in the first k.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 10), ("1", "B", 90, 99)])
    >>> excerpt.evaluate(judgments, [run], ["articleR"]).mean("r", "articleR")
    1.0
    """

    name = "articleR"
    compute = Rankings.recall


@dataclass(frozen=True)
class ArticleF(ArticleMeasure):
    """The harmonic mean of articleP and articleR, or of articleP[k] and articleR[k].

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 10)])
    >>> excerpt.evaluate(judgments, [run], ["articleF"]).mean("r", "articleF") == 2 / 3
    True
    """

    name = "articleF"
    top: int | None = parameter(RANK, None)

    def score(self, ranked: Rankings) -> FloatArray:
        returned = ranked.returned if self.top is None else self.top
        return ratio(2 * ranked.until(ranked.relevant, self.top), returned + ranked.total)


class ArticleAveragePrecision(_TopMeasure):
    """Average precision of the documents in order of first occurrence; its mean over topics is the usual MAP.

    With a cut-off, relevant documents beyond the first k count as not found.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 1), ("1", "C", 0, 1), ("1", "B", 0, 1)])
    >>> excerpt.evaluate(judgments, [run], ["articleAP"]).mean("r", "articleAP") == (1 + 2 / 3) / 2
    True
    """

    name = "articleAP"
    mean_name = "articleMAP"
    compute = Rankings.average_precision


class ArticleReciprocalRank(_TopMeasure):
    """1 / rank of the first relevant document; 0 if there is none, or none among the first k.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60)])
    >>> run = excerpt.Run.of("r", [("1", "B", 0, 9), ("1", "B", 9, 20), ("1", "A", 90, 99)])
    >>> excerpt.evaluate(judgments, [run], ["articleRR", "articleRR[1]"]).means().tolist()
    [[0.5, 0.0]]
    """

    name = "articleRR"
    mean_name = "articleMRR"
    reference = (
        "E. M. Voorhees: The TREC-8 Question Answering Track Report. "
        "Proceedings of the Eighth Text REtrieval Conference, 1999"
    )
    compute = Rankings.reciprocal_rank


class ArticleHit(_TopMeasure):
    """1 if any relevant document is among those returned, or among the first k, else 0.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60)])
    >>> run = excerpt.Run.of("r", [("1", "B", 0, 9), ("1", "A", 90, 99)])
    >>> excerpt.evaluate(judgments, [run], ["articleHit[1]", "articleHit[2]"]).means().tolist()
    [[0.0, 1.0]]
    """

    name = "articleHit"
    compute = Rankings.success


@dataclass(frozen=True)
class ArticleNDCG(Measure):
    """Discounted gain of the documents returned, or of the first k, over that of the best possible order.

    The gain of a document is its grade, 1 if it has highlighted text, 0 if it is not relevant or unjudged;
    with `gain=exp` it is 2 ** grade - 1, as in gdeval of the TREC Web track. The discount at rank i is
    1 / log2(1 + i). The best order has the judged documents by descending grade, the first k of them.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "C", 0, 10), ("1", "C", 10, 20), ("1", "A", 0, 10)])
    >>> round(excerpt.evaluate(judgments, [run], ["articleNDCG"]).mean("r", "articleNDCG"), 4)
    0.3869
    >>> graded = b"1 0 A 2\\n1 0 B 1\\n", b"1 Q0 B 1 9 r\\n1 Q0 A 2 8 r\\n"
    >>> excerpt.evaluate(*graded, ["nDCG@5", "nDCG(gain=exp)@5"]).means().round(4).tolist()
    [[0.8597, 0.7967]]
    """

    name = "articleNDCG"
    reference = CUMULATED_GAIN
    needs = frozenset({"highlights"})
    gain: str = parameter(choice("grade", "exp"), "grade")
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        scores = joined.rankings.normalised_gain(self.top, exponential=self.gain == "exp")
        return np.minimum(scores, 1.0)


@dataclass(frozen=True)
class ArticleExpectedReciprocalRank(Measure):
    """The expected 1 / rank of the document, among all or the first k, that satisfies the reader.

    A document of grade g satisfies the reader, who then stops, with probability (2 ** g - 1) / 2 ** highest;
    `highest` is that of the scale, as in gdeval of the TREC Web track, not of the judgments. If documents
    are only relevant or not, try `ERR(highest=1)`: the probability is 1/2. Unjudged documents have grade 0.

    >>> import excerpt
    >>> qrels, run = b"1 0 A 1\\n1 0 B 3\\n", b"1 Q0 A 1 9 r\\n1 Q0 C 2 8 r\\n1 Q0 B 3 7 r\\n"
    >>> excerpt.evaluate(qrels, run, "ERR@20").mean("r", "ERR@20") == 1 / 16 + (15 / 16) * (7 / 16) / 3
    True
    """

    name = "articleERR"
    reference = (
        "O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan: Expected Reciprocal Rank for Graded Relevance. "
        "Proceedings of CIKM 2009"
    )
    needs = frozenset({"highlights"})
    highest: int = parameter(GRADE, 4)
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        found = int(joined.rankings.judged_grade.max(initial=0))
        if found > self.highest:
            raise ExcerptError(
                f"found grade {found}, but the highest grade of {self} is {self.highest}",
                hint=f"try ERR(highest={found})",
            )
        return joined.rankings.expected_reciprocal_rank(self.highest, self.top)


@dataclass(frozen=True)
class ArticleRankBiasedPrecision(Measure):
    """The gain of documents, weighted by the probability that the reader gets to them, up to rank k if given.

    The reader goes on from each document with probability p, so rank i has the weight (1 - p) · p ** (i - 1).
    The gain is the grade as a proportion of the topic's highest grade (at least 1), as in trec_eval; with
    `rel` it is 1 from that grade on, else 0, and topics without such a document are left out. Unjudged
    documents have no gain. A perfect ranking scores less than 1.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", name, 0, 10) for name in ("A", "C", "B")])
    >>> excerpt.evaluate(judgments, run, "RBP(p=0.5)").mean("r", "RBP(p=0.5)")
    0.625
    """

    name = "articleRBP"
    reference = (
        "A. Moffat, J. Zobel: Rank-Biased Precision for Measurement of Retrieval Effectiveness. "
        "ACM Transactions on Information Systems 27(1), 2008"
    )
    p: Fraction = parameter(SHARE, "0.8")
    rel: int | None = parameter(COUNT, None)
    top: int | None = parameter(RANK, None)

    @property
    def needs(self) -> frozenset[Need]:
        graded = self.rel is not None and self.rel > 1
        return frozenset({"highlights", "grades of documents"} if graded else {"highlights"})

    def scores(self, joined: Joined) -> FloatArray:
        ranked, persistence = joined.rankings, float(self.p)
        if self.rel is None:
            return ranked.rank_biased(ranked.scaled_grades(), persistence, self.top)
        scores = ranked.rank_biased((ranked.grade >= self.rel).astype(np.float64), persistence, self.top)
        return np.where(replace(ranked, level=self.rel).total > 0, scores, np.nan)


class ArticleRPrecision(ArticleMeasure):
    """Precision of the first R documents, where R is the number of relevant documents of the topic.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 10), ("1", "C", 10, 20), ("1", "B", 0, 10)])
    >>> excerpt.evaluate(judgments, [run], ["articleRprec"]).mean("r", "articleRprec")
    0.5
    """

    name = "articleRprec"

    def score(self, ranked: Rankings) -> FloatArray:
        return ranked.r_precision()


class ArticleBpref(ArticleMeasure):
    """Preference of relevant documents over documents judged irrelevant, by rank; unjudged ones do not count.

    Each of the R relevant documents that was returned adds 1 - min(n, R) / min(N, R), where n of the N
    documents judged irrelevant are ranked above it (1 if there is none); the sum is divided by R. Documents
    with a grade below 0 count as unjudged.

    >>> import excerpt
    >>> relevant = [("1", "A", 0, 60), ("1", "B", 0, 20)]
    >>> judgments = excerpt.Judgments.of(relevant, irrelevant=[("1", "C"), ("1", "D")])
    >>> run = excerpt.Run.of("r", [("1", name, 0, 10) for name in ("X", "A", "C", "B")])
    >>> excerpt.evaluate(judgments, [run], ["articleBpref"]).mean("r", "articleBpref")
    0.75
    """

    name = "articleBpref"
    reference = (
        "C. Buckley, E. M. Voorhees: Retrieval Evaluation with Incomplete Information. "
        "Proceedings of SIGIR 2004"
    )

    def score(self, ranked: Rankings) -> FloatArray:
        return ranked.bpref()


class ArticleInferredAP(ArticleMeasure):
    """Expected average precision if only a part of the pool was judged.

    The precision at a relevant document of rank i is 1/i for itself, plus the expected proportion of relevant
    ones among the i - 1 documents above it: the proportion of them in the pool, times the proportion of the
    judged ones that is relevant, smoothed by 0.00001. Unjudged documents of the pool have a grade below 0;
    documents that are not in the qrels are not relevant. The sum is divided by the number of relevant
    documents.

    >>> import excerpt
    >>> qrels = b"1 0 A 1\\n1 0 B -1\\n1 0 C 0\\n1 0 D 1\\n"
    >>> run = b"1 Q0 A 1 9 r\\n1 Q0 B 2 8 r\\n1 Q0 C 3 7 r\\n1 Q0 D 4 6 r\\n"
    >>> excerpt.evaluate(qrels, run, ["articleInfAP", "articleAP"]).means().round(4).tolist()
    [[0.8125, 0.75]]
    """

    name = "articleInfAP"
    reference = (
        "E. Yilmaz, J. A. Aslam: Estimating Average Precision with Incomplete and Imperfect Judgments. "
        "Proceedings of CIKM 2006"
    )

    def score(self, ranked: Rankings) -> FloatArray:
        # trec_eval multiplies and divides in another order, so its last digits differ.
        pooled = ranked.above(ranked.grade != OUTSIDE) - 1
        better, above = ranked.found - 1, ranked.rank - 1
        rate = (better + EPSILON) / (better + ranked.irrelevant + 2 * EPSILON)
        precision = (1 + np.where(above > 0, pooled * rate, 0)) / (above + 1)
        return ratio(ranked.sums(ranked.topic[ranked.hits], precision), ranked.total)
