"""Character measures: precision, recall, F and IoU of text; reading cost; proportion judged."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from excerpt.errors import ExcerptError, MissingData, short
from excerpt.measures.base import COUNT, RANK, SHARE, WEIGHT, Measure, choice, parameter, show_decimal
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray, IntArray, sums

COSTS = choice("characters", "words", "tokens")  # units in which reading is counted
_HIXEVAL = (
    "J. Pehcevski, J. A. Thom: HiXEval: Highlighting XML Retrieval Evaluation. "
    "Advances in XML Information Retrieval and Evaluation, LNCS 3977, 2006"
)
_SMALL = 1 << 20  # products of a weight's terms with lengths stay far below 2**63


def costs_of(measure: Measure, joined: Joined, cost: str, top: int | None) -> IntArray:
    """Costs of the first results of each topic in a unit; raise if one is unknown."""
    if cost == "characters":
        return joined.read_size
    run = joined.run
    rank = np.arange(len(joined)) - joined.first[joined.topic]
    rows = np.flatnonzero(rank < (top or len(joined)))
    if cost in run.costs:
        known = run.costs[cost][rows]
    elif cost == "words" and joined.texts is not None:
        known = joined.texts.words(
            run.documents, run.document_code[rows], joined.start[rows], joined.end[rows]
        )
        known[~(run.known | run.whole)[rows] & (run.kind != "documents")] = -1
    else:
        known = np.full(len(rows), -1, np.int64)
    for row in rows[known < 0][:1].tolist():
        where = f"topic {joined.placed.topics[int(joined.topic[row])]}, document "
        lacks = ["⟨tokens⟩"] * (cost == "tokens") + ["⟨corpus⟩"] * (joined.texts is None)
        hint = f"give {' and '.join(lacks)}, or " if lacks and cost not in run.costs else "give "
        raise MissingData(
            f"{measure} needs the {cost} of every result, but those of {where}"
            f"{short(joined.placed.document_name(row))} are missing",
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint=f"{hint}a run with {cost} for every result",
        )
    costs = np.zeros(len(joined), np.int64)
    costs[rows] = known
    return costs


def within_budget(joined: Joined, budget: int, cost: IntArray) -> tuple[IntArray, IntArray]:
    """Relevant characters found and characters read of each result, when reading stops after `budget`.

    Results are read in rank order, and repeated text is read again. Of the result that crosses the budget
    the first characters are read, its own text in front first, in proportion to the `cost` that is left;
    later results are not read.
    """
    size, left = joined.read_size, budget - (joined.running(cost) - cost)
    read = np.where(left >= cost, size, size * np.clip(left, 0, cost) // np.maximum(cost, 1))
    found = np.where(read == size, joined.new_relevant, 0)
    cut = np.flatnonzero((read > 0) & (read < size))
    found[cut] = _new_relevant(joined, cut, np.maximum(read - joined.lead, 0)[cut])
    return found, np.maximum(read, found)  # a chunk may have less whitespace than its span


def shown_within(joined: Joined, budget: int, cost: IntArray) -> IntArray:
    """Characters of the span of each result that are shown when reading stops after `budget`."""
    read = within_budget(joined, budget, cost)[1]
    return np.where(read < joined.read_size, np.maximum(read - joined.lead, 0), joined.size)


def check_cost(measure: Measure, cost: str, budget: int | None) -> None:
    """Raise an error if reading costs words or tokens and there is no budget of them."""
    if cost != "characters" and budget is None:
        raise ExcerptError(f"cost={cost} of {measure.name} needs a budget, such as budget=1000")


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
    cost: str = parameter(COSTS, "characters")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cost(self, self.cost, self.budget)

    def costs(self, joined: Joined) -> IntArray:
        return costs_of(self, joined, self.cost, getattr(self, "top", None))

    def amounts(self, joined: Joined, top: int | None) -> tuple[IntArray, IntArray, IntArray]:
        """Relevant characters found, characters read, and relevant characters of each topic."""
        found, read = joined.new_relevant, joined.size
        if self.budget is not None:
            found, read = within_budget(joined, self.budget, self.costs(joined))
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

    def recalled(self, joined: Joined, top: int | None) -> tuple[IntArray | FloatArray, IntArray]:
        """Relevant characters found and to find: of the best alternatives, if overlap is counted."""
        needs, total = joined.judgments.needs, joined.judgments.relevant_by_topic
        found = self.found(joined, top)
        if needs is None or self.overlap != "exact":
            return found, total
        read = None
        if self.budget is not None:
            read = shown_within(joined, self.budget, self.costs(joined))
        inside = joined.shown(top, read).overlap(needs.pair, needs.start, needs.end)
        return needs.recalled(inside, found.astype(np.int64), total)


@dataclass(frozen=True)
class CharacterPrecision(_Highlighting):
    """The proportion of relevant characters among the characters read in the first k results.

    A relevant character counts once, a character read every time it is shown, so repeating text lowers the
    score. Without a cut-off the whole list is read. The order of the first k results does not matter. With
    `overlap=lambda` the relevant text of a result is multiplied by 1 - `alpha` · (proportion seen before), as
    HiXEval was published: that assumes relevance spread evenly over a result and can exceed what there is.

    With `budget=n` reading stops after n characters, repeated ones included: the result that crosses the
    budget counts with its first characters, and the score is divided by the characters read, at most n. With
    `cost=words` or `cost=tokens` the budget is n words or tokens: of a result of L characters and t tokens
    that crosses it when m tokens are left, the first floor(L · m / t) characters are read. The same holds for
    charR, charF and IoU.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60), ("1", "B", 0, 20)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 100), ("1", "A", 0, 40)])
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

    If a topic has alternatives (places of which one is enough), each need counts with the alternative of
    which the greatest share is shown, of equal shares the shorter: characters shown over lengths of these
    alternatives. Needs that overlap count each by itself. Relevant text without alternatives is one need per
    passage. With `overlap=lambda` all alternatives are to be found.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40), ("1", "B", 0, 40)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 40), ("1", "A", 20, 60), ("1", "B", 0, 20)])
    >>> excerpt.evaluate(judgments, [run], ["charR", "charR[2]"]).means().tolist()
    [[0.75, 0.5]]
    """

    name = "charR"
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        found, total = self.recalled(joined, self.top)
        return np.asarray(found / np.maximum(total, 1))


@dataclass(frozen=True)
class CharacterF(_Highlighting):
    """The weighted harmonic mean of charP and charR: (1+β²)PR / (β²P+R); 0 if nothing relevant is shown.

    If a topic has alternatives, charP is of the text of all of them, charR of the best alternatives.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40), ("1", "B", 0, 60)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 50), ("1", "C", 0, 30), ("1", "B", 40, 80)])
    >>> excerpt.evaluate(judgments, [run], ["charF[3]"]).mean("r", "charF[3]") == 6 / 11
    True
    """

    name = "charF"
    beta: Fraction = parameter(WEIGHT, Fraction(1))
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        _, read, total = self.amounts(joined, self.top)
        found = self.found(joined, self.top)
        scores = f_measure(found, read, total, self.beta)
        if joined.judgments.alternatives:
            best, length = self.recalled(joined, self.top)
            rows = np.flatnonzero((best != found) | (length != total))
            precision, recall = (found / np.maximum(read, 1))[rows], best[rows] / length[rows]
            weight = float(self.beta**2)
            amount = weight * precision + recall
            scores[rows] = (1 + weight) * precision * recall / np.where(amount > 0, amount, 1)
        return scores


@dataclass(frozen=True)
class IntersectionOverUnion(_CharacterMeasure):
    """Relevant characters shown, over characters read plus relevant characters not shown.

    As in practice with chunks for language models, characters read count every time they are shown. All
    alternatives of a topic are relevant, and all are to be found.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 40)])
    >>> run = excerpt.Run.of("r", [("1", "A", 20, 60)])
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

    Of chunks the own text counts, with a title or context that is not in the document. It is an amount, so it
    is never averaged with other measures; less is cheaper, not better. `cost=words` and `cost=tokens` count
    words and tokens instead: from a column of the run, else in the text of the chunks or the corpus, tokens
    by the function `tokens=` or by `--tokenizer`. Each Chinese character or Japanese kana is a word, others
    are as split by `str.split`. Without a cut-off the whole list is read.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 6)])
    >>> run = excerpt.Run.of("r", [("1", "A", 0, 7), ("1", "A", 4, 13)])
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
    cost: str = parameter(COSTS, "characters")
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        return joined.sums(costs_of(self, joined, self.cost, self.top), top=self.top).astype(np.float64)


@dataclass(frozen=True)
class JudgedShare(Measure):
    """The proportion of the first k results whose document was judged for the topic, relevant or not.

    A list shorter than k is divided by its own length; without a cut-off the whole list counts. It does not
    matter which part of a document was returned. A document with a grade below 0 in TREC qrels is unjudged.
    Undefined for a topic without results.

    >>> import excerpt
    >>> judgments = excerpt.Judgments.of([("1", "A", 0, 60)], irrelevant=[("1", "B"), ("2", "A")])
    >>> run = excerpt.Run.of("r", [("1", "A", 70, 80), ("1", "C", 0, 9), ("1", "B", 0, 9)])
    >>> table = excerpt.evaluate(judgments, [run], ["judged@1", "judged@2", "judged@9"])
    >>> table.means().tolist() == [[1, 1 / 2, 2 / 3]]
    True
    """

    name = "judged"
    reference = (
        "C. Buckley, E. M. Voorhees: Retrieval Evaluation with Incomplete Information. SIGIR 2004 "
        "(why unjudged results matter; the proportion itself is common practice)"
    )
    needs = frozenset()
    top: int | None = parameter(RANK, None)

    def scores(self, joined: Joined) -> FloatArray:
        judged = joined.pair >= 0
        if joined.judgments.grades is not None:
            judged &= np.append(joined.judgments.grades, 0)[joined.pair] >= 0
        found = joined.sums(judged.astype(np.int64), top=self.top)
        results = joined.results if self.top is None else np.minimum(joined.results, self.top)
        return np.where(results > 0, found / np.maximum(results, 1), np.nan)
