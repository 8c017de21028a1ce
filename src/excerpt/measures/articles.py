"""Document-level measures of focused runs: each document counts where it first occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.base import Measure, Need
from excerpt.model.joined import Joined
from excerpt.model.spans import FloatArray, IntArray

_ADHOC = (
    "P. Arvola, S. Geva, J. Kamps, R. Schenkel, A. Trotman, J. Vainio: "
    "Overview of the INEX 2010 Ad Hoc Track. Comparative Evaluation of Focused Retrieval, LNCS 6932, 2011"
)


@dataclass(frozen=True)
class _ArticleMeasure(Measure):
    """What the document measures share: a document is relevant if it has a relevant character."""

    reference = _ADHOC

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset({"highlights"})

    def amounts(self, joined: Joined) -> tuple[IntArray, IntArray, IntArray]:
        """Relevant documents returned, documents returned, and relevant documents of each topic."""
        articles = joined.articles
        hits = np.bincount(articles.topic[joined.relevant_by_article > 0], minlength=joined.topics)
        return hits, np.diff(articles.first), joined.judgments.relevant_documents


@dataclass(frozen=True)
class ArticlePrecision(_ArticleMeasure):
    """The share of documents with relevant text among the documents returned.

    It does not matter which part of a document was returned, nor in what order.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 90, 99), Result("1", "C", 0, 1), Result("1", "A", 0, 40)])
    >>> excerpt.evaluate(judgments, [run], ["articleP", "articleR", "articleF", "articleAP"]).means().tolist()
    [[0.5, 0.5, 0.5, 0.5]]
    """

    name = "articleP"

    def scores(self, joined: Joined) -> FloatArray:
        hits, returned, _ = self.amounts(joined)
        return hits / np.maximum(returned, 1)


@dataclass(frozen=True)
class ArticleRecall(_ArticleMeasure):
    """The share of the topic's documents with relevant text that were returned.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 10), Result("1", "B", 90, 99)])
    >>> excerpt.evaluate(judgments, [run], ["articleR"]).mean("r", "articleR")
    1.0
    """

    name = "articleR"

    def scores(self, joined: Joined) -> FloatArray:
        hits, _, total = self.amounts(joined)
        return hits / np.maximum(total, 1)


@dataclass(frozen=True)
class ArticleF(_ArticleMeasure):
    """The harmonic mean of articleP and articleR.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 10)])
    >>> excerpt.evaluate(judgments, [run], ["articleF"]).mean("r", "articleF") == 2 / 3
    True
    """

    name = "articleF"

    def scores(self, joined: Joined) -> FloatArray:
        hits, returned, total = self.amounts(joined)
        scores: FloatArray = 2 * hits / np.maximum(returned + total, 1)
        return scores


@dataclass(frozen=True)
class ArticleAveragePrecision(_ArticleMeasure):
    """Average precision of the documents in order of first occurrence; its mean over topics is the usual MAP.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 1), Result("1", "C", 0, 1), Result("1", "B", 0, 1)])
    >>> excerpt.evaluate(judgments, [run], ["articleAP"]).mean("r", "articleAP") == (1 + 2 / 3) / 2
    True
    """

    name = "articleAP"
    mean_name = "articleMAP"

    def scores(self, joined: Joined) -> FloatArray:
        articles = joined.articles
        hit = joined.relevant_by_article > 0
        precision = articles.running(hit) / articles.rank
        total = np.bincount(articles.topic[hit], precision[hit], minlength=joined.topics)
        return total / np.maximum(joined.judgments.relevant_documents, 1)
