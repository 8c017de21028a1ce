"""How much of a ranking was judged at all: whether the scores of the other measures can be trusted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.base import RANK, Measure, Need, parameter
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray


@dataclass(frozen=True)
class JudgedShare(Measure):
    """The share of the first k results whose document was judged for the topic, relevant or not.

    A list shorter than k is divided by its own length; without a cut-off the whole list counts. It does not
    matter which part of a document was returned. A grade below 0 in TREC qrels says that nobody judged the
    document. Undefined for a topic without results.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60))], irrelevant=[("1", "B"), ("2", "A")])
    >>> results = [Result("1", "A", 70, 80), Result("1", "C", 0, 9), Result("1", "B", 0, 9)]
    >>> run = Run.of("r", results)
    >>> table = excerpt.evaluate(judgments, [run], ["judged@1", "judged@2", "judged@9"])
    >>> table.means().tolist() == [[1, 1 / 2, 2 / 3]]
    True
    """

    name = "judged"
    reference = (
        "C. Buckley, E. M. Voorhees: Retrieval Evaluation with Incomplete Information. SIGIR 2004 "
        "(why unjudged results matter; the share itself is common practice)"
    )
    top: int | None = parameter(RANK, None)

    @property
    def needs(self) -> frozenset[Need]:
        return frozenset()

    def scores(self, joined: Joined) -> FloatArray:
        judged = joined.pair >= 0
        if joined.judgments.grades is not None:
            judged &= np.append(joined.judgments.grades, 0)[joined.pair] >= 0
        found = joined.sums(judged.astype(np.int64), top=self.top)
        results = joined.results if self.top is None else np.minimum(joined.results, self.top)
        return np.where(results > 0, found / np.maximum(results, 1), np.nan)
