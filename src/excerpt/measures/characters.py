"""Character measures: precision, recall, F and IoU of text; reading cost; proportion judged."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.errors import ExcerptError, MissingData, short
from excerpt.measures.base import COUNT, RANK, SHARE, WEIGHT, Measure, Need, choice, parameter, show_decimal
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray, IntArray, sums


def within_budget(joined: Joined, budget: int) -> tuple[IntArray, IntArray]:
    """Relevant characters found and characters read of each result, when reading stops after `budget`.

    Results are read in rank order, and repeated text is read again. The result that crosses the budget is
    read from its start up to the budget; later results are not read.
    """
    before = joined.running(joined.size) - joined.size
    read = np.clip(budget - before, 0, joined.size)
    found = np.where(read == joined.size, joined.new_relevant, 0)
    cut = np.flatnonzero((read > 0) & (read < joined.size))
    found[cut] = _new_relevant(joined, cut, read[cut])
    return found, read


def _new_relevant(joined: Joined, rows: IntArray, length: IntArray) -> IntArray:
    """Relevant characters not shown before among the first characters of some results."""
    spans, placed = joined.judgments.spans, joined.placed
    limit = joined.start.copy()  # nothing of all other results
    limit[rows] = np.minimum(joined.start[rows] + length, joined.end[rows])
    found = np.zeros(len(joined), np.int64)
    found[rows] = spans.overlap(joined.pair[rows], joined.start[rows], limit[rows])
    repeated = placed.repeated
    if len(repeated):
        segments = placed.segments
        owner = repeated[segments.owner]
        inside = spans.overlap(joined.pair[owner], segments.start, np.minimum(segments.end, limit[owner]))
        found[repeated] = sums(segments.owner, inside, len(repeated))
    return found[rows]


_HIXEVAL = (
    "J. Pehcevski, J. A. Thom: HiXEval: Highlighting XML Retrieval Evaluation. "
    "Advances in XML Information Retrieval and Evaluation, LNCS 3977, 2006"
)


_SMALL = 1 << 20  # products of a weight's terms with lengths stay far below 2**63


def f_measure(found: IntArray | FloatArray, read: IntArray, total: IntArray, beta: Fraction) -> FloatArray:
    """F_beta = (1+β²)·found / (β²·total + read): precision is found/read, recall found/total."""
    weight = beta**2
    if max(weight.numerator, weight.denominator) > _SMALL:
        amount = float(weight) * total + read
        return np.asarray((1 + float(weight)) * found / np.where(amount > 0, amount, 1))
    over = (weight.numerator + weight.denominator) * found
    under = weight.numerator * total + weight.denominator * read
    return np.asarray(over / np.maximum(under, 1))


@dataclass(frozen=True)
class _CharacterMeasure(Measure):
    """Base of the character measures: relevant characters count once, characters read count every time."""

    reference = _HIXEVAL
    budget: int | None = parameter(COUNT, None)

    def amounts(self, joined: Joined, top: int | None) -> tuple[IntArray, IntArray, IntArray]:
        """Relevant characters found, characters read, and relevant characters of each topic."""
        found, read = joined.new_relevant, joined.size
        if self.budget is not None:
            found, read = within_budget(joined, self.budget)
        return joined.sums(found, top=top), joined.sums(read, top=top), joined.judgments.relevant_by_topic


@dataclass(frozen=True)
class _Highlighting(_CharacterMeasure):
    """Base of charP, charR and charF: two ways to discount text that was shown before."""

    overlap: str = parameter(choice("exact", "lambda"), "exact")
    alpha: Fraction = parameter(SHARE, Fraction(1))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.alpha != 1 and self.overlap == "exact":
            raise ExcerptError(
                f"found alpha={show_decimal(self.alpha)} of {self.name} with overlap=exact, "
                "expected overlap=lambda"
            )
        if self.budget is not None and self.overlap != "exact":
            raise ExcerptError(
                f"found budget={self.budget} of {self.name} with overlap={self.overlap}, "
                "expected overlap=exact: the published weights apply to whole results"
            )

    def found(self, joined: Joined, top: int | None) -> IntArray | FloatArray:
        """Relevant characters found: counted, or estimated from the proportion of each result seen before."""
        if self.overlap == "exact":
            return self.amounts(joined, top)[0]
        seen = joined.size - joined.new_size
        worth = joined.relevant * (1 - float(self.alpha) * seen / np.maximum(joined.size, 1))
        inside = np.arange(len(joined)) - joined.first[joined.topic] < (len(joined) if top is None else top)
        return np.bincount(joined.topic[inside], worth[inside], minlength=joined.topics)


@dataclass(frozen=True)
class CharacterPrecision(_Highlighting):
    """The proportion of relevant characters among the characters read in the first k results.

    A relevant character counts once, a character read every time it is shown, so repeating text lowers the
    score. Without a cut-off the whole list is read. The order of the first k results does not matter. With
    `overlap=lambda` the relevant text of a result is multiplied by 1 - `alpha` · (proportion seen before), as
    HiXEval was published: that assumes relevance spread evenly over a result and can exceed what there is.

    With `budget=n` reading stops after n characters, repeated ones included: the result that crosses the
    budget counts with its first characters, and the score is divided by the characters read, at most n. The
    same holds for charR, charF and IoU.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 60)), ("1", Span("B", 0, 20))])
    >>> run = Run.of("r", [Result("1", "A", 0, 100), Result("1", "A", 0, 40)])
    >>> table = excerpt.evaluate(judgments, [run], ["charP", "charP[1]", "charR"])
    >>> table.means().tolist() == [[3 / 7, 3 / 5, 3 / 4]]
    True
    >>> excerpt.evaluate(judgments, [run], ["charP(budget=80)", "charR(budget=30)"]).means().tolist()
    [[0.75, 0.375]]
    """

    name = "charP"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        _, read, _ = self.amounts(joined, self.top)
        return np.asarray(self.found(joined, self.top) / np.maximum(read, 1))


@dataclass(frozen=True)
class CharacterRecall(_Highlighting):
    """The proportion of the topic's relevant characters that the first k results show.

    A relevant character counts once, however often it is shown. Without a cut-off the whole list is read.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 40)), ("1", Span("B", 0, 40))])
    >>> run = Run.of("r", [Result("1", "A", 0, 40), Result("1", "A", 20, 60), Result("1", "B", 0, 20)])
    >>> excerpt.evaluate(judgments, [run], ["charR", "charR[2]"]).means().tolist()
    [[0.75, 0.5]]
    """

    name = "charR"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        total = joined.judgments.relevant_by_topic
        return np.asarray(self.found(joined, self.top) / np.maximum(total, 1))


@dataclass(frozen=True)
class CharacterF(_Highlighting):
    """The weighted harmonic mean of charP and charR: (1+β²)PR / (β²P+R); 0 if nothing relevant is shown.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 40)), ("1", Span("B", 0, 60))])
    >>> run = Run.of("r", [Result("1", "A", 0, 50), Result("1", "C", 0, 30), Result("1", "B", 40, 80)])
    >>> excerpt.evaluate(judgments, [run], ["charF[3]"]).mean("r", "charF[3]") == 6 / 11
    True
    """

    name = "charF"
    beta: Fraction = parameter(WEIGHT, Fraction(1))
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        _, read, total = self.amounts(joined, self.top)
        return f_measure(self.found(joined, self.top), read, total, self.beta)


@dataclass(frozen=True)
class IntersectionOverUnion(_CharacterMeasure):
    """Relevant characters shown, over characters read plus relevant characters not shown.

    As in practice with chunks for language models, characters read count every time they are shown.

    >>> import excerpt
    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 40))])
    >>> run = Run.of("r", [Result("1", "A", 20, 60)])
    >>> excerpt.evaluate(judgments, [run], ["IoU"]).mean("r", "IoU") == 20 / 60
    True
    """

    name = "IoU"
    reference = (
        "B. Smith, A. Troynikov: Evaluating Chunking Strategies for Retrieval. Chroma technical report, 2024"
    )
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        found, read, total = self.amounts(joined, self.top)
        return np.asarray(found / np.maximum(read + total - found, 1))


@dataclass(frozen=True)
class ReadingCost(Measure):
    """The number of characters of the first k results, counted as often as they are shown.

    It is an amount, so it is never averaged with other measures; less is cheaper, not better. `cost=words`
    and `cost=tokens` count words and tokens instead, from a column of the run; words also from the corpus, as
    split by `str.split`. Without a cut-off the whole list is read.

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
        """Costs of some results; raise if the cost of one is unknown."""
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
            self._raise_missing(joined, row)
        return costs

    def _raise_missing(self, joined: Joined, row: int) -> None:
        run, column = joined.run, self.cost
        where = f"topic {joined.placed.topics[int(joined.topic[row])]}, document "
        where += short(joined.placed.document_name(row))
        text = column == "words" and joined.texts is None and column not in run.costs
        raise MissingData(
            f"{self} needs the {column} of every result, but those of {where} are missing",
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint=("give ⟨corpus⟩, or " if text else "give ") + f"a run with {column} for every result",
        )


@dataclass(frozen=True)
class JudgedShare(Measure):
    """The proportion of the first k results whose document was judged for the topic, relevant or not.

    A list shorter than k is divided by its own length; without a cut-off the whole list counts. It does not
    matter which part of a document was returned. A document with a grade below 0 in TREC qrels is unjudged.
    Undefined for a topic without results.

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
        "(why unjudged results matter; the proportion itself is common practice)"
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
