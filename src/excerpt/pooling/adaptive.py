"""Which document to judge next, by what was judged so far: move-to-front and the max-mean bandit.

Both take turns between runs: the run whose turn it is gives its first document that was not yet looked at.
Move-to-front stays with a run while its documents are relevant, and else turns to one that disappointed less
often. Max-mean turns to the run whose documents were relevant most often, as a share (its successes and
failures, with one of each added). Ties are broken at random, by the seed.

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
    """A run that can be played; the least is played first."""

    def __init__(self, kind: str, number: int, tie: float, documents: list[str]) -> None:
        self.kind, self.number, self.tie, self.documents = kind, number, tie, documents
        self.relevant = self.others = 0
        self.badness = -0.5 if kind == MAX_MEAN else 0.0

    def learn(self, *, relevant: bool, tie: float) -> None:
        """Count a document; move-to-front stays where it is as long as it finds something."""
        self.relevant += relevant
        self.others += not relevant
        if self.kind == MAX_MEAN:
            self.badness = -(self.relevant + 1) / (self.relevant + self.others + 2)
            self.tie = tie
        elif not relevant:
            self.badness, self.tie = float(self.others), tie

    def remember(self, judged: Mapping[str, bool]) -> None:
        """Count the documents that are judged; they need not be played."""
        for document in judged.keys() & set(self.documents):
            self.learn(relevant=judged[document], tie=self.tie)
        self.documents = [document for document in self.documents if document not in judged]

    def __lt__(self, other: _Arm) -> bool:
        return (self.badness, self.tie, self.number) < (other.badness, other.tie, other.number)


def next_order(
    kind: str, items_of_topic: Iterable[PoolItem], judged: Mapping[str, bool], seed: int
) -> list[str]:
    """The documents of a topic that nobody judged, in the order in which they should be judged now.

    `judged` says whether a document is relevant; in which order that became known does not matter. Max-mean
    counts all judged documents of a run, whoever's turn it was; move-to-front repeats its turns from the
    start. A document that is not judged counts as not relevant further down: only the first is certain.
    Documents that no run put into the pool (sampled ones) come last, in the order of the pool.

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
    arms = [_Arm(kind, number, draw(), found) for number, found in enumerate(_rankings(items))]
    if kind == MAX_MEAN:
        for arm in arms:
            arm.remember(judged)
    played = _play(arms, judged, draw)
    played |= {item.document: None for item in items if item.document not in played}
    return [document for document in played if document not in judged]


def _play(arms: list[_Arm], judged: Mapping[str, bool], draw: Callable[[], float]) -> dict[str, None]:
    """The documents as the runs give them, turn after turn, until none has any left."""
    heapq.heapify(arms)
    seen: dict[str, None] = {}
    while arms:
        arm = arms[0]
        while arm.documents and arm.documents[-1] in seen:
            arm.documents.pop()
        if not arm.documents:
            heapq.heappop(arms)
            continue
        document = arm.documents.pop()
        seen[document] = None
        arm.learn(relevant=judged.get(document, False), tie=draw())
        heapq.heapreplace(arms, arm)
    return seen


def _rankings(items: list[PoolItem]) -> list[list[str]]:
    """The documents that each run put into the pool, the last first; runs by name, whatever their order."""
    found: dict[str, dict[str, int]] = {}
    for item in items:
        for run, passages in () if item.stratum == SAMPLE else zip(item.runs, item.passages, strict=True):
            ranks, rank = found.setdefault(run, {}), min((p[0] for p in passages), default=0)
            ranks[item.document] = min(rank, ranks.get(item.document, rank))
    return [sorted(ranks, key=ranks.__getitem__)[::-1] for _, ranks in sorted(found.items())]
