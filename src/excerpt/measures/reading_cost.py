"""How much must be read? What the other measures buy their scores with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.errors import MissingData, short
from excerpt.measures.base import RANK, Measure, choice, parameter
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray, IntArray


@dataclass(frozen=True)
class ReadingCost(Measure):
    """How many characters the first k results have, counted as often as they are shown.

    Not a share, so it is never averaged with other measures; less is cheaper, not better. `cost=words` and
    `cost=tokens` count these instead: from a column of the run where it has one, words also from the corpus,
    as `str.split` finds them. Without a cut-off the whole list is read.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 6))])
    >>> run = Run.of("r", [Result("1", "A", 0, 7), Result("1", "A", 4, 13)])
    >>> names = ["read[1]", "read[2]", "read(cost=words)[2]"]
    >>> excerpt.evaluate(judgments, [run], names, corpus={"A": "one two, four"}).means().tolist()
    [[7.0, 16.0, 4.0]]
    """

    name = "read"
    reference = (
        "C. L. A. Clarke, M. D. Smucker: Time Well Spent. Information Interaction in Context, 2014 "
        "(effort as text read; counting it is common practice)"
    )
    is_share = False
    cost: str = parameter(choice("characters", "words", "tokens"), "characters")
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        if self.cost == "characters":
            return joined.sums(joined.size, top=self.top).astype(np.float64)
        rank = np.arange(len(joined)) - joined.first[joined.topic]
        rows = np.flatnonzero(rank < (self.top or len(joined)))
        read = np.zeros(len(joined), np.int64)
        read[rows] = self._costs(joined, rows)
        return joined.sums(read).astype(np.float64)

    def _costs(self, joined: Joined, rows: IntArray) -> IntArray:
        """What some results cost; an error where one of them does not tell."""
        run = joined.run
        if self.cost in run.costs:
            costs = run.costs[self.cost][rows]
        elif self.cost == "words" and joined.texts is not None:
            costs = joined.texts.words(
                run.documents, run.document[rows], joined.start[rows], joined.end[rows]
            )
            costs[~(run.known | run.whole)[rows] & (run.kind != "documents")] = -1
        else:
            costs = np.full(len(rows), -1, np.int64)
        for row in rows[costs < 0][:1].tolist():
            self._refuse(joined, row)
        return costs

    def _refuse(self, joined: Joined, row: int) -> None:
        run, column = joined.run, self.cost
        where = f"topic {joined.placed.topics[int(joined.topic[row])]}, document "
        where += short(joined.placed.document_name(row))
        text = column == "words" and joined.texts is None and column not in run.costs
        raise MissingData(
            f"{self} needs the {column} of every result, but nothing tells those of {where}",
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint=("give ⟨corpus⟩, or " if text else "give ") + f"a run with {column} beside its results",
        )
