"""Adaptive pooling: move-to-front and the max-mean bandit choose the next document to judge.

Both choose a run in each turn, and take its first document that was not taken before. Move-to-front stays
with a run while its documents are relevant, and otherwise chooses a run with fewer documents that were not
relevant. Max-mean chooses the run with the highest proportion of relevant documents, with one relevant and
one non-relevant document added to each run. Ties are broken at random, by the seed.

G. V. Cormack, C. R. Palmer, C. L. A. Clarke: Efficient Construction of Large Test Collections. SIGIR 1998.
D. E. Losada, J. Parapar, Á. Barreiro: Multi-Armed Bandits for Adjudicating Documents in Pooling-Based
Evaluation of Information Retrieval Systems. Information Processing and Management 53(5), 2017.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterable, Mapping

from excerpt.errors import UnknownName
from excerpt.pooling.pools import SAMPLE, PoolItem

MOVE_TO_FRONT, MAX_MEAN = "move-to-front", "max-mean"
KINDS = (MOVE_TO_FRONT, MAX_MEAN)


class _Arm:
    """A run as an arm of the bandit; the arm with the lowest penalty is played first."""

    def __init__(self, kind: str, number: int, tie: float, documents: list[str]) -> None:
        self.kind, self.number, self.tie, self.documents = kind, number, tie, documents
        self.relevant = self.others = 0
        self.penalty = -0.5 if kind == MAX_MEAN else 0.0

    def learn(self, *, relevant: bool, tie: float) -> None:
        """Count a document; for move-to-front a relevant one does not change the penalty."""
        self.relevant += relevant
        self.others += not relevant
        if self.kind == MAX_MEAN:
            self.penalty = -(self.relevant + 1) / (self.relevant + self.others + 2)
            self.tie = tie
        elif not relevant:
            self.penalty, self.tie = float(self.others), tie

    def __lt__(self, other: _Arm) -> bool:
        return (self.penalty, self.tie, self.number) < (other.penalty, other.tie, other.number)


def next_order(
    kind: str, items_of_topic: Iterable[PoolItem], judged: Mapping[str, bool], seed: int
) -> list[str]:
    """Unjudged documents of a topic, in the order in which they should be judged now.

    `judged` maps documents to their relevance; the order of the judgments does not matter. Max-mean counts
    all judged documents of a run, whichever run was chosen; move-to-front repeats its turns from the start.
    Further down, unjudged documents are assumed to be not relevant, so only the first document is certain.
    Documents contributed by no run (sampled ones) come last, in the order of the pool.

    >>> from fractions import Fraction
    >>> def item(document, order, **ranks):
    ...     passages = tuple(((rank, 0, 9),) for rank in ranks.values())
    ...     return PoolItem("1", document, order, "depth", Fraction(1), tuple(ranks), passages)
    >>> items = [item("A", 1, a=1), item("B", 2, b=1), item("C", 3, a=2), item("D", 4, b=2)]
    >>> next_order("max-mean", items, {"A": True, "B": False}, seed=1)
    ['C', 'D']
    >>> next_order("max-mean", items, {"A": False, "B": True}, seed=1)
    ['D', 'C']
    """
    if kind not in KINDS:
        raise UnknownName("adaptive order", kind, KINDS)
    items = list(items_of_topic)
    draw = random.Random(f"{seed} {items[0].topic if items else ''}").random  # noqa: S311 - no secret
    arms = [_Arm(kind, number, draw(), ranking) for number, ranking in enumerate(_rankings(items))]
    for arm in arms if kind == MAX_MEAN else ():  # judged documents count without being played
        for document in judged.keys() & set(arm.documents):
            arm.learn(relevant=judged[document], tie=arm.tie)
        arm.documents = [document for document in arm.documents if document not in judged]
    played = _play(arms, judged, draw)
    played |= {item.document: None for item in items if item.document not in played}
    return [document for document in played if document not in judged]


def simulated_order(
    kind: str, items_of_topic: Iterable[PoolItem], relevant: Mapping[str, bool], seed: int
) -> list[str]:
    """Documents of a topic in the order in which they are judged, if their relevance is known beforehand.

    Each turn knows only the documents that were judged in the turns before it.
    """
    items = list(items_of_topic)
    draw = random.Random(f"{seed} {items[0].topic if items else ''}").random  # noqa: S311 - no secret
    arms = [_Arm(kind, number, draw(), ranking) for number, ranking in enumerate(_rankings(items))]
    return list(_play(arms, relevant, draw))


def _play(arms: list[_Arm], judged: Mapping[str, bool], draw: Callable[[], float]) -> dict[str, None]:
    """Documents in the order in which the runs contribute them, turn by turn."""
    heapq.heapify(arms)
    taken: dict[str, None] = {}
    while arms:
        arm = arms[0]
        while arm.documents and arm.documents[-1] in taken:
            arm.documents.pop()
        if not arm.documents:
            heapq.heappop(arms)
            continue
        document = arm.documents.pop()
        taken[document] = None
        arm.learn(relevant=judged.get(document, False), tie=draw())
        heapq.heapreplace(arms, arm)
    return taken


def _rankings(items: list[PoolItem]) -> list[list[str]]:
    """Documents that each run contributed, last first; runs are sorted by name."""
    ranks_of: dict[str, dict[str, int]] = {}
    for item in items:
        for run, passages in () if item.stratum == SAMPLE else zip(item.runs, item.passages, strict=True):
            ranks, rank = ranks_of.setdefault(run, {}), min((p[0] for p in passages), default=0)
            ranks[item.document] = min(rank, ranks.get(item.document, rank))
    return [sorted(ranks, key=ranks.__getitem__)[::-1] for _, ranks in sorted(ranks_of.items())]
