"""The lines of trec_eval again, slowly, one topic at a time, in exact arithmetic.

`MEASURES` has the names that the option -m takes; a topic's `lines` have the names that are printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from support.document_oracle import DocumentTopic, discounted
from support.exact_numbers import (
    ZERO,
    Exact,
    geometric_mean,
    logarithm,
    mean,
    over_logs,
    quotient,
)
from support.oracle import ratio

RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
TENTHS = tuple(Fraction(tenth, 10) for tenth in range(11))
#: What replaces 0 in geometric means.
LEAST = Fraction(1, 100_000)
#: How far the reader of rbp goes on.
PERSISTENCE = Fraction(9, 10)


class Text(str):
    """A line whose value is no number."""

    __slots__ = ()


@dataclass(frozen=True)
class Options:
    """Options that change values: -c, -J, -l, -M and -N."""

    complete: bool = False
    judged_only: bool = False
    level: int = 1
    most: int | None = None
    documents: int = 0


@dataclass
class TrecTopic(DocumentTopic):
    """One topic; `missing` if the run does not have it."""

    documents: int = 0
    missing: bool = False

    def interpolated(self, recall: Fraction) -> Fraction | None:
        """Best precision from the rank on that has a proportion of the relevant documents, halves up."""
        needed = math.floor(recall * self.total + Fraction(1, 2))
        if needed <= 0 and not self.ranking:
            return None
        ranks = [rank for rank in self.hits if self.found(rank) >= max(needed, 1)]
        return max((Fraction(self.found(rank), rank) for rank in ranks), default=ZERO)

    def eleven_points(self) -> Fraction | None:
        """Mean of the interpolated precision at recall 0.0, 0.1, …, 1.0."""
        values = [value for tenth in TENTHS if (value := self.interpolated(tenth)) is not None]
        return sum(values, ZERO) / 11 if len(values) == len(TENTHS) else None

    def at_multiple(self, multiple: Fraction) -> Fraction:
        """Precision at a multiple of the number of relevant documents."""
        rank = math.floor(multiple * self.total + Fraction(9, 10))
        return self.precision(rank) if rank else ZERO

    def utility(self, weights: Sequence[int]) -> Fraction:
        """Weighted numbers of relevant and irrelevant documents, returned and not returned."""
        found, returned, total = self.found(), len(self.ranking), self.total
        rest = self.documents + found - returned - total
        counts = (found, returned - found, total - found, rest)
        return Fraction(0 if self.missing else sum(w * n for w, n in zip(weights, counts, strict=True)))

    def signs(self, length: int) -> Text:
        """Grades of the first documents, a sign each."""
        grades = ["-" if grade is None else "." if grade < 0 else grade for grade in self.returned[:length]]
        shown = "".join(">" if isinstance(grade, int) and grade > 9 else str(grade) for grade in grades)
        return Text("''" if self.missing else f"'{shown}'")

    def binary_gain(self) -> Exact:
        """Each relevant document over the logarithm of the irrelevant ones above it."""
        gained = over_logs((1, 2 + rank - self.found(rank)) for rank in self.hits)
        return quotient(gained, Fraction(self.total))

    def cumulated(self) -> Exact:
        """Each gain over the logarithm of the gain that is missing by then, over the ideal gain."""
        ideal, cost, gain, parts = self.ideal(), 0, 0, []
        for place, own in enumerate(self.gains()):
            cost += max(ideal[place], 1) if place < len(ideal) else 1
            gain += own
            if own:
                parts.append((own, 2 + cost - gain))
        return quotient(over_logs(parts), Fraction(sum(ideal)))

    def gain_ratio(self, own: int | None, best: int | None) -> Exact:
        """Discounted gain of the first documents over that of the first ideal ones."""
        return quotient(discounted(self.gains()[:own]), discounted(self.ideal()[:best]))

    def gain_at_relevant(self) -> Exact:
        """Mean of the ratio at each document with a gain; those not returned have that of the whole list."""
        gaining = [rank for rank, gain in enumerate(self.gains(), 1) if gain]
        if not gaining:
            return ZERO
        parts = [self.gain_ratio(rank, rank) for rank in gaining]
        rest = len(self.ideal()) - len(gaining)
        return mean([*parts, *[self.gain_ratio(None, None)] * rest])

    def gain_at_levels(self) -> Exact:
        """Mean of the ratio at the ranks where the ideal gain changes."""
        ideal = self.ideal()
        if not ideal or not self.total:
            return ZERO
        ranks = [rank for rank in range(1, len(ideal)) if ideal[rank] != ideal[rank - 1]] + [len(ideal)]
        more = [(None, None)] if len(ideal) + 1 < len(self.ranking) else []
        return mean([self.gain_ratio(*pair) for pair in [*((rank, rank) for rank in ranks), *more]])

    def biased_residual(self) -> Fraction:
        """What rbp could gain from unjudged documents and those after the list."""
        places = [place for place, grade in enumerate(self.returned) if grade is None or grade < 0]
        if self.missing or not places:
            return ZERO
        rest = (1 - PERSISTENCE) * sum((PERSISTENCE**place for place in places), ZERO)
        return PERSISTENCE ** len(self.ranking) + rest

    def smoothed(self) -> Exact:
        """Logarithm of the odds of the sum of precisions."""
        total = self.precisions()
        return logarithm((1 + total) / (1 + self.total - total))

    def unjudged(self, top: int) -> Fraction:
        """Proportion of unjudged documents among the first k."""
        grades = self.returned[:top]
        return Fraction(0 if self.missing else sum(grade is None or grade < 0 for grade in grades), top)

    def judged_irrelevant(self) -> Fraction:
        """Number of returned documents judged irrelevant."""
        return Fraction(sum(grade is not None and 0 <= grade < self.level for grade in self.returned))


Value = Exact | Text | None
Single = Callable[[TrecTopic], Value]
AtRank = Callable[[TrecTopic, int], Value]
AtShare = Callable[[TrecTopic, Fraction], Value]


def at_ranks(name: str, compute: AtRank, ranks: Sequence[int] = RANKS) -> dict[str, Single]:
    """A line for each of some ranks."""
    return {f"{name}_{rank}": lambda topic, rank=rank: compute(topic, rank) for rank in ranks}  # type: ignore[misc]


def at_shares(name: str, compute: AtShare, shares: Sequence[Fraction]) -> dict[str, Single]:
    """A line for each of some proportions."""
    return {
        f"{name}_{float(share):.2f}": lambda topic, share=share: compute(topic, share)  # type: ignore[misc]
        for share in shares
    }


def one(name: str, compute: Single) -> dict[str, Single]:
    """One line."""
    return {name: compute}


#: Lines of each topic, by measure.
MEASURES: dict[str, dict[str, Single]] = {
    "num_ret": one("num_ret", lambda topic: Fraction(0 if topic.missing else len(topic.ranking))),
    "num_rel": one("num_rel", lambda topic: Fraction(topic.total)),
    "num_rel_ret": one("num_rel_ret", lambda topic: Fraction(topic.found())),
    "map": one("map", TrecTopic.average_precision),
    "Rprec": one("Rprec", TrecTopic.r_precision),
    "bpref": one("bpref", TrecTopic.bpref),
    "recip_rank": one("recip_rank", TrecTopic.reciprocal_rank),
    "iprec_at_recall": at_shares("iprec_at_recall", TrecTopic.interpolated, TENTHS),
    "P": at_ranks("P", TrecTopic.precision),
    "relstring": one("relstring", lambda topic: topic.signs(10)),
    "recall": at_ranks("recall", TrecTopic.recall),
    "infAP": one("infAP", TrecTopic.inferred_precision),
    "Rprec_mult": at_shares("Rprec_mult", TrecTopic.at_multiple, [2 * tenth for tenth in TENTHS[1:]]),
    "utility": one("utility", lambda topic: topic.utility((1, -1, 0, 0))),
    "11pt_avg": one("11pt_avg", TrecTopic.eleven_points),
    "binG": one("binG", TrecTopic.binary_gain),
    "G": one("G", TrecTopic.cumulated),
    "dcg": one("dcg", lambda topic: discounted(topic.gains())),
    "ideal_dcg": one("ideal_dcg", lambda topic: discounted(topic.ideal())),
    "ndcg": one("ndcg", TrecTopic.normalised_gain),
    "ndcg_rel": one("ndcg_rel", TrecTopic.gain_at_relevant),
    "Rndcg": one("Rndcg", TrecTopic.gain_at_levels),
    "ndcg_cut": at_ranks("ndcg_cut", TrecTopic.normalised_gain),
    "map_cut": at_ranks("map_cut", TrecTopic.average_precision),
    "relative_P": at_ranks(
        "relative_P", lambda topic, rank: ratio(topic.found(rank), min(topic.total, rank))
    ),
    "success": at_ranks("success", TrecTopic.success, (1, 5, 10)),
    "set_P": one("set_P", TrecTopic.precision),
    "set_relative_P": one(
        "set_relative_P", lambda topic: ratio(topic.found(), min(len(topic.ranking), topic.total))
    ),
    "set_recall": one("set_recall", TrecTopic.recall),
    "set_map": one("set_map", lambda topic: topic.precision() * topic.recall()),
    "set_F": one("set_F", TrecTopic.f),
    "num_nonrel_judged_ret": one("num_nonrel_judged_ret", TrecTopic.judged_irrelevant),
    "yaap": one("yaap", TrecTopic.smoothed),
    "rbp": one("rbp", lambda topic: topic.rank_biased(PERSISTENCE)),
    "rbp_resid": one("rbp_resid", TrecTopic.biased_residual),
    "unj": at_ranks("unj", TrecTopic.unjudged, (5, 10, 20)),
}
#: Measures that are printed for all topics together only, and the measures of which they are means.
GEOMETRIC: dict[str, Callable[[TrecTopic], Fraction]] = {
    "gm_map": TrecTopic.average_precision,
    "gm_bpref": TrecTopic.bpref,
}
SUMS = {"num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret"}
OFFICIAL = (
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "iprec_at_recall",
    "P",
    "num_ret",
    "num_rel",
    "num_rel_ret",
)
ALL = (*MEASURES, *GEOMETRIC, "runid", "num_q")
SETS = {
    "official": ("runid", "num_q", *OFFICIAL, "gm_map"),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_recall", "set_relative_P", "set_map", "set_F"),
    ),
    "all_trec": tuple(name for name in ALL if name not in {"dcg", "ideal_dcg", "yaap"}),
}


#: Grades of documents by topic.
Grades = dict[str, dict[str, int]]


def topics_of(qrels: Grades, run: dict[str, list[str]], options: Options) -> dict[str, TrecTopic]:
    """The topics that count, sorted by their bytes; `run` has the documents of each topic by rank."""
    topics = {}
    for name in sorted(qrels, key=str.encode):
        missing, grades = name not in run, qrels[name]
        if not missing or options.complete:
            # The tool gives a topic that the run does not have one document that is in no pool.
            ranking = ["(none)"] if missing else run[name][: options.most]
            if options.judged_only:
                ranking = [document for document in ranking if grades.get(document, -1) >= 0]
            topics[name] = TrecTopic(ranking, grades, options.level, options.documents, missing)
    return topics


def lines(
    measures: Sequence[str], qrels: Grades, run: dict[str, list[str]], run_id: str, options: Options
) -> Iterator[tuple[str, str, Value]]:
    """Name, topic and value of each line of some measures, with -q; None is NaN."""
    topics = topics_of(qrels, run, options)
    for measure in measures:
        for name, compute in MEASURES.get(measure, {}).items():
            values = {topic: compute(one) for topic, one in topics.items()}
            yield from ((name, topic, value) for topic, value in values.items())
            numbers = [value for value in values.values() if not isinstance(value, Text)]
            known = [value for value in numbers if value is not None]
            if name == "num_rel" and options.complete:  # the tool ignores the level here
                yield name, "all", Fraction(sum(g > 0 for grades in qrels.values() for g in grades.values()))
            elif name in SUMS:
                yield name, "all", sum((Fraction(value) for value in known), ZERO)
            elif numbers:
                yield name, "all", mean(known) if len(known) == len(numbers) else None
        if measure in GEOMETRIC:
            values_of = [max(GEOMETRIC[measure](topic), LEAST) for topic in topics.values()]
            yield measure, "all", geometric_mean(values_of)
        elif measure == "num_q":
            yield measure, "all", Fraction(len(topics))
        elif measure == "runid":
            yield measure, "all", Text(run_id)
