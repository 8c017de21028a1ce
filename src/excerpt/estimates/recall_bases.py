"""What there is to find: relevant characters and relevant documents of a topic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.base import Measure
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray

HORVITZ_THOMPSON = (
    "D. G. Horvitz, D. J. Thompson: A Generalization of Sampling Without Replacement From a Finite Universe. "
    "Journal of the American Statistical Association 47(260), 1952"
)


@dataclass(frozen=True)
class RelevantCharacters(Measure):
    """The number of relevant characters of the topic; of sampled judgments, their estimate.

    It does not depend on the run. From judgments with probabilities each relevant character counts 1/p,
    where p is the probability of its document; the expected value is the number that judging all would find.

    >>> import excerpt
    >>> rows = [
    ...     {"topic": "1", "document": "A", "spans": [[0, 40]], "probability": 1},
    ...     {"topic": "1", "document": "B", "spans": [[0, 10]], "probability": 0.5},
    ...     {"topic": "1", "document": "C", "spans": [], "probability": 0.5},
    ... ]
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 40)])
    >>> excerpt.evaluate(excerpt.Judgments.of(rows), [run], ["relevant", "recallbase"]).means().tolist()
    [[60.0, 3.0]]
    """

    name = "relevant"
    reference = HORVITZ_THOMPSON
    needs = frozenset()
    is_share = False

    def scores(self, joined: Joined) -> FloatArray:
        return joined.judgments.relevant_by_topic.astype(np.float64)


@dataclass(frozen=True)
class RelevantDocuments(Measure):
    """The recall base: the number of documents of the topic with relevant text, or the estimate of it.

    It does not depend on the run. From judgments with probabilities each relevant document counts 1/p.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40), ("1", "A", 50, 60), ("1", "B", 0, 9)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 40)])
    >>> excerpt.evaluate(judgments, [run], "recallbase").means().tolist()
    [[2.0]]
    """

    name = "recallbase"
    reference = HORVITZ_THOMPSON
    needs = frozenset()
    is_share = False

    def scores(self, joined: Joined) -> FloatArray:
        return joined.judgments.relevant_documents.astype(np.float64)
