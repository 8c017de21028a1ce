"""Precision, recall, F and average precision of documents: each document counts where it first occurs.

Beside TREC qrels they are what trec_eval computes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.base import COUNT, RANK, Measure, Need, parameter
from excerpt.model.joined import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.spans import BoolArray, FloatArray, IntArray

_ADHOC = (
    "P. Arvola, S. Geva, J. Kamps, R. Schenkel, A. Trotman, J. Vainio: "
    "Overview of the INEX 2010 Ad Hoc Track. Comparative Evaluation of Focused Retrieval, LNCS 6932, 2011"
)


@dataclass(frozen=True)
class ArticleMeasure(Measure):
    """What measures of relevant documents share: a document is relevant if it has a relevant character.

    Beside TREC qrels `rel` is the lowest grade that counts as relevant.
    """

    reference = _ADHOC
    rel: int = parameter(COUNT, 1)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"highlights"} if self.rel == 1 else {"highlights", "grades of documents"})

    def judged_relevant(self, judgments: Judgments) -> BoolArray:
        """Which judged documents are relevant."""
        relevant: BoolArray = judgments.relevant_by_pair > 0
        return (
            relevant
            if self.rel == 1 or judgments.grades is None
            else relevant & (judgments.grades >= self.rel)
        )

    def totals(self, judgments: Judgments) -> IntArray:
        """How many relevant documents each topic has."""
        if self.rel == 1:
            return judgments.relevant_documents
        topic = judgments.pair_topic[self.judged_relevant(judgments)]
        return np.bincount(topic, minlength=len(judgments.topics))

    def hits(self, joined: Joined, top: int | None = None) -> BoolArray:
        """Which documents are relevant and among the first `top`."""
        if self.rel == 1:
            hits: BoolArray = joined.relevant_by_article > 0
        else:
            hits = np.append(self.judged_relevant(joined.judgments), False)[joined.articles.pair]
        return hits if top is None else hits & (joined.articles.rank <= top)

    def shares(self, amount: IntArray | FloatArray, joined: Joined) -> FloatArray:
        """Amounts over the number of relevant documents; not defined where no document has the grade."""
        total = self.totals(joined.judgments)
        return self.where_defined(amount / np.maximum(total, 1), joined)

    def where_defined(self, scores: FloatArray, joined: Joined) -> FloatArray:
        """Scores, but for topics of which no document has the grade."""
        return scores if self.rel == 1 else np.where(self.totals(joined.judgments) > 0, scores, np.nan)

    def amounts(self, joined: Joined, top: int | None) -> tuple[IntArray, IntArray, IntArray]:
        """Relevant documents returned, documents returned, and relevant documents of each topic.

        Of the first `top` documents all count as returned, also those that a short list does not have.
        """
        articles = joined.articles
        hits = np.bincount(articles.topic[self.hits(joined, top)], minlength=joined.topics)
        returned = np.diff(articles.first) if top is None else np.full(joined.topics, top)
        return hits, returned, self.totals(joined.judgments)


@dataclass(frozen=True)
class ArticlePrecision(ArticleMeasure):
    """The share of documents with relevant text among the documents returned, or among the first k.

    It does not matter which part of a document was returned, nor in what order. With a cut-off the share is
    of k documents, however few there are, as in trec_eval.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 90, 99), Result("1", "C", 0, 1), Result("1", "A", 0, 40)])
    >>> excerpt.evaluate(judgments, [run], ["articleP", "articleR", "articleF", "articleAP"]).means().tolist()
    [[0.5, 0.5, 0.5, 0.5]]
    """

    name = "articleP"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        hits, returned, _ = self.amounts(joined, self.top)
        return self.where_defined(hits / np.maximum(returned, 1), joined)


@dataclass(frozen=True)
class ArticleRecall(ArticleMeasure):
    """The share of the topic's documents with relevant text that were returned, or are among the first k.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 10), Result("1", "B", 90, 99)])
    >>> excerpt.evaluate(judgments, [run], ["articleR"]).mean("r", "articleR")
    1.0
    """

    name = "articleR"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        hits, _, _ = self.amounts(joined, self.top)
        return self.shares(hits, joined)


@dataclass(frozen=True)
class ArticleF(ArticleMeasure):
    """The harmonic mean of articleP and articleR, with a cut-off those at k.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 10)])
    >>> excerpt.evaluate(judgments, [run], ["articleF"]).mean("r", "articleF") == 2 / 3
    True
    """

    name = "articleF"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        hits, returned, total = self.amounts(joined, self.top)
        return self.where_defined(2 * hits / np.maximum(returned + total, 1), joined)


@dataclass(frozen=True)
class ArticleAveragePrecision(ArticleMeasure):
    """Average precision of the documents in order of first occurrence; its mean over topics is the usual MAP.

    With a cut-off, relevant documents beyond the first k count as not found.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 1), Result("1", "C", 0, 1), Result("1", "B", 0, 1)])
    >>> excerpt.evaluate(judgments, [run], ["articleAP"]).mean("r", "articleAP") == (1 + 2 / 3) / 2
    True
    """

    name = "articleAP"
    mean_name = "articleMAP"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        articles = joined.articles
        hit = self.hits(joined, self.top)
        precision = articles.running(hit) / articles.rank
        return self.shares(np.bincount(articles.topic[hit], precision[hit], minlength=joined.topics), joined)
