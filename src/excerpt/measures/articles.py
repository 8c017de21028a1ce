"""Precision, recall, F and average precision of documents: each document counts where it first occurs.

Beside TREC qrels they are what trec_eval computes.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from excerpt.measures.base import COUNT, RANK, Measure, Need, parameter
from excerpt.model.join import Joined
from excerpt.model.rankings import Rankings, ratio
from excerpt.model.spans import FloatArray

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

    @abstractmethod
    def score(self, ranked: Rankings) -> FloatArray:
        """The score of each topic."""

    def scores(self, joined: Joined) -> FloatArray:
        if self.rel == 1:
            return self.score(joined.rankings)
        ranked = replace(joined.rankings, level=self.rel)
        return np.where(ranked.total > 0, self.score(ranked), np.nan)  # not defined where none has the grade


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

    def score(self, ranked: Rankings) -> FloatArray:
        return ranked.precision(self.top)


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

    def score(self, ranked: Rankings) -> FloatArray:
        return ranked.recall(self.top)


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

    def score(self, ranked: Rankings) -> FloatArray:
        returned = ranked.returned if self.top is None else self.top
        return ratio(2 * ranked.until(ranked.relevant, self.top), returned + ranked.total)


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

    def score(self, ranked: Rankings) -> FloatArray:
        return ranked.average_precision(self.top)
