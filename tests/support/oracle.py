"""Every measure again, slowly, from its definition: one topic at a time, in fractions, without numpy.

Two ways of counting: `Topic` keeps sets of characters (obviously right, for small cases), `IntervalTopic`
keeps spans (for real collections); the formulae above the counts are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Self

import pytest

from excerpt import Judgments, Policy, Run, evaluate
from excerpt.errors import PolicyError

#: What a result that names nothing is charged.
UNKNOWN_LENGTH = 18

Passage = tuple[int, int]
Row = tuple[str, int, int]
Parameters = Mapping[str, str]


class Refused(Exception):
    """The run breaks a rule of the task and the policy is `error`."""


class Asked(NamedTuple):
    """A measure as a test asks for it; numbers stay as written, so that they are exact."""

    name: str
    cutoff: str | None = None
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        inside = ", ".join(f"{key}={value}" for key, value in self.parameters)
        return self.name + (f"({inside})" if inside else "") + (f"[{self.cutoff}]" if self.cutoff else "")


class Count(NamedTuple):
    """Cost and gain of reading one result: characters read, relevant characters gained."""

    read: int
    relevant: int


@dataclass
class Topic:
    """One topic of one run with its judgments; relevant text as sets of characters."""

    #: (document, start, end) by rank; a start below 0 names something that does not exist.
    results: list[Row]
    #: Relevant passages of every judged document; none for a document judged irrelevant.
    passages: dict[str, list[Passage]]
    sizes: dict[str, int] = field(default_factory=dict)
    entries: dict[str, int] = field(default_factory=dict)
    #: The text of documents, for measures that ask where its white space is.
    texts: Mapping[str, str] = field(default_factory=dict)
    #: Alternatives of each need, as sets of (document, character), if one of the needs has several.
    needs: list[list[frozenset[tuple[str, int]]]] = field(default_factory=list)

    def cut(self, limit: int | None) -> Self:
        """The topic with only the first results."""
        return type(self)(
            self.results[:limit], self.passages, self.sizes, self.entries, self.texts, self.needs
        )

    def results_of(self, document: str) -> list[int]:
        """The ranks, from 0, of a document's results."""
        return [rank for rank, row in enumerate(self.results) if row[0] == document]

    def characters(self, document: str) -> set[int]:
        """The relevant characters of a document."""
        return {place for start, end in self.passages.get(document, []) for place in range(start, end)}

    def relevant_in(self, document: str) -> int:
        """Number of relevant characters of a document."""
        return len(self.characters(document))

    def counts(self, overlap: str) -> list[Count]:
        """Cost and gain of each result, given the results above it."""
        seen: dict[str, set[int]] = {}
        counted = []
        for document, start, end in self.results:
            if start < 0:
                counted.append(Count(UNKNOWN_LENGTH, 0))
                continue
            text = set(range(start, end))
            old = seen.setdefault(document, set())
            new = text - old
            if overlap == "error" and new != text:
                raise Refused
            relevant = self.characters(document)
            counted.append(
                Count(
                    len(new) if overlap == "first" else len(text),
                    len(text & relevant) if overlap == "allow" else len(new & relevant),
                )
            )
            old |= text
        return counted

    def reading(self, document: str, limit: int) -> Count:
        """Text that a reader of the document has read after `limit` irrelevant characters.

        Text that was returned twice is read once, and what does not exist cannot be read: what the
        organisers' tool does.
        """
        relevant = self.characters(document)
        shown = {
            place
            for _, start, end in (self.results[rank] for rank in self.results_of(document))
            if start >= 0
            for place in range(start, end)
        }
        rest = set(range(self.sizes[document])) - shown
        good = bad = 0
        for place in sorted(shown) + sorted(rest):
            if place in relevant:
                good += 1
            else:
                bad += 1
            if bad == limit:
                break
        return Count(good + bad, good)

    @property
    def total(self) -> int:
        """Relevant characters of the topic, also in documents that were not returned."""
        return sum(self.relevant_in(document) for document in self.passages)

    @property
    def relevant_documents(self) -> int:
        """Number of documents with relevant text."""
        return sum(self.relevant_in(document) > 0 for document in self.passages)

    @property
    def ranked_documents(self) -> list[str]:
        """The returned documents in order of first appearance."""
        return list(dict.fromkeys(document for document, _, _ in self.results))

    @property
    def interleaved(self) -> bool:
        """Return whether a document comes back after another one."""
        names = [document for document, _, _ in self.results]
        blocks = [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]
        return len(blocks) != len(set(blocks))


class IntervalTopic(Topic):
    """The same topic, counted with spans instead of characters, and everything counted only once."""

    @cached_property
    def _limited(self) -> dict[int | None, Self]:
        return {}

    def cut(self, limit: int | None) -> Self:
        """The topic with only the first results."""
        if limit not in self._limited:
            self._limited[limit] = super().cut(limit)
        return self._limited[limit]

    @cached_property
    def _ranks(self) -> dict[str, list[int]]:
        ranks: dict[str, list[int]] = {}
        for rank, (document, _, _) in enumerate(self.results):
            ranks.setdefault(document, []).append(rank)
        return ranks

    def results_of(self, document: str) -> list[int]:
        """The ranks, from 0, of a document's results."""
        return self._ranks.get(document, [])

    @cached_property
    def _merged(self) -> dict[str, list[Passage]]:
        return {document: merge(spans) for document, spans in self.passages.items()}

    def merged(self, document: str) -> list[Passage]:
        """The relevant passages of a document, disjoint and in order."""
        return self._merged.get(document, [])

    @cached_property
    def _counted(self) -> dict[str, list[Count]]:
        return {}

    @cached_property
    def _relevant(self) -> dict[str, int]:
        return {document: length(spans) for document, spans in self._merged.items()}

    def relevant_in(self, document: str) -> int:
        """Number of relevant characters of a document."""
        return self._relevant.get(document, 0)

    @cached_property
    def total(self) -> int:
        """Relevant characters of the topic, also in documents that were not returned."""
        return sum(self._relevant.values())

    def counts(self, overlap: str) -> list[Count]:
        """Cost and gain of each result, given the results above it."""
        if overlap not in self._counted:
            self._counted[overlap] = self._count(overlap)
        return self._counted[overlap]

    def _count(self, overlap: str) -> list[Count]:
        seen: dict[str, list[Passage]] = {}
        counted = []
        for document, start, end in self.results:
            if start < 0:
                counted.append(Count(UNKNOWN_LENGTH, 0))
                continue
            old = seen.setdefault(document, [])
            text = [(start, end)]
            new = subtract(text, [span for span in old if span[0] < end and start < span[1]])
            if overlap == "error" and length(new) != end - start:
                raise Refused
            relevant = self.merged(document)
            counted.append(
                Count(
                    length(new) if overlap == "first" else end - start,
                    common(text if overlap == "allow" else new, relevant),
                )
            )
            old.extend(new)
        return counted

    def reading(self, document: str, limit: int) -> Count:
        """Text that a reader of the document has read after `limit` irrelevant characters."""
        relevant = self.merged(document)
        returned = [self.results[rank][1:] for rank in self.results_of(document)]
        shown = merge(span for span in returned if span[0] >= 0)
        rest = subtract([(0, self.sizes[document])], shown)
        edges = sorted({edge for span in relevant for edge in span})
        good = bad = 0
        for start, end in [part for span in [*shown, *rest] for part in cut(span, edges)]:
            if common([(start, end)], relevant):
                good += end - start
            else:
                bad = min(limit, bad + end - start)
            if bad == limit:
                break
        return Count(good + bad, good)


def merge(spans: Iterable[Passage]) -> list[Passage]:
    """Disjoint spans in order that cover the same characters."""
    merged: list[Passage] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def subtract(spans: Iterable[Passage], taken: Iterable[Passage]) -> list[Passage]:
    """Remaining spans without the characters of others."""
    remaining = [span for span in spans if span[0] < span[1]]
    for low, high in taken:
        if low < high:
            parts = [((start, min(end, low)), (max(start, high), end)) for start, end in remaining]
            remaining = [part for pair in parts for part in pair if part[0] < part[1]]
    return remaining


def cut(span: Passage, edges: Sequence[int]) -> list[Passage]:
    """A span cut at every edge inside it."""
    places = [span[0], *(edge for edge in edges if span[0] < edge < span[1]), span[1]]
    return [(start, end) for start, end in pairwise(places) if start < end]


def common(spans: Iterable[Passage], others: Sequence[Passage]) -> int:
    """Number of characters that disjoint spans share with disjoint others."""
    return sum(max(0, min(end, high) - max(start, low)) for start, end in spans for low, high in others)


def length(spans: Iterable[Passage]) -> int:
    """The characters of disjoint spans."""
    return sum(end - start for start, end in spans)


# ---- formulae -------------------------------------------------------------------------------------------


def ratio(part: int | Fraction, whole: int | Fraction) -> Fraction:
    """A quotient that is 0 where nothing is divided by nothing."""
    return Fraction(part) / whole if whole else Fraction(0)


def f_measure(precision: Fraction, recall: Fraction, beta: Fraction) -> Fraction:
    """(1+β²)PR/(β²P+R), 0 where nothing relevant was found."""
    if not precision * recall:
        return Fraction(0)
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def interpolated(topic: Topic, policy: Policy, levels: Sequence[Fraction]) -> list[Fraction]:
    """The highest precision at or beyond each recall level, 0 where the level is not reached."""
    read = relevant = 0
    total = topic.total
    points = []
    for count in topic.counts(policy.overlap):
        read, relevant = read + count.read, relevant + count.relevant
        points.append((ratio(relevant, total), ratio(relevant, read)))
    return [
        max((precision for recall, precision in points if recall >= level), default=Fraction(0))
        for level in levels
    ]


def interpolated_quickly(topic: Topic, policy: Policy, levels: Sequence[Fraction]) -> list[Fraction]:
    """The same for levels in ascending order, in one pass from the end of a long list."""
    read = relevant = 0
    total = topic.total
    points = []
    for count in topic.counts(policy.overlap):
        read, relevant = read + count.read, relevant + count.relevant
        points.append((relevant, read))
    best, of, found = 0, 1, []
    for level in reversed(levels):
        least = level * total
        while points and points[-1][0] >= least:
            part, whole = points.pop()
            if part * of > best * whole:  # as quotients of whole numbers, which cost less than fractions
                best, of = part, whole
        found.append(Fraction(best, of))
    return found[::-1]


def focused_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """iP[x]."""
    interpolate = interpolated_quickly if isinstance(topic, IntervalTopic) else interpolated
    return interpolate(topic, policy, [Fraction(asked.cutoff or "0")])[0]


def average_focused_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """AiP: the mean of iP at 0.00, 0.01 … 1.00."""
    levels = [Fraction(level, 100) for level in range(101)]
    interpolate = interpolated_quickly if isinstance(topic, IntervalTopic) else interpolated
    return sum(interpolate(topic, policy, levels), Fraction(0)) / 101


def document_scores(topic: Topic, asked: Asked, policy: Policy) -> list[tuple[Fraction, bool]]:
    """The score of each returned document, by rank, and whether it has relevant text."""
    if topic.interleaved and policy.interleaved == "error":
        raise Refused
    parameters = dict(asked.parameters)
    score = parameters.get("score", "F")
    # gR asks which documents were returned, not which text: overlap is no matter of its own.
    counts = topic.counts("allow" if asked.name == "gR" else policy.overlap)
    if score == "BEP" and len(topic.ranked_documents) < len(topic.results) and policy.overlap == "error":
        raise Refused
    scored = []
    for document in topic.ranked_documents:
        total = topic.relevant_in(document)
        own = [counts[rank] for rank in topic.results_of(document)] if total else []
        value = Fraction(0)
        if total and score == "F":
            relevant = sum(count.relevant for count in own)
            precision = ratio(relevant, sum(count.read for count in own))
            value = f_measure(precision, ratio(relevant, total), Fraction(parameters.get("beta", "1")))
        elif total and score == "T2I":
            read, relevant = topic.reading(document, int(parameters.get("irrelevant", "300")))
            value = ratio(relevant, read)
        elif total and score == "BEP":
            _, start, _ = topic.results[topic.results_of(document)[0]]
            value = entry_score(start, topic.entries.get(document, -1), int(parameters.get("n", "500")))
        scored.append((value, total > 0))
    return scored


def document_rows(topic: Topic, asked: Asked, policy: Policy) -> list[tuple[int, str, list[Fraction | None]]]:
    """Rank and id of each returned document, its P(a), R(a), F(a) and score, and gP at its rank ([S3] §6)."""
    parameters = dict(asked.parameters)
    scores = [value for value, _ in document_scores(topic, asked, policy)]
    rows: list[tuple[int, str, list[Fraction | None]]] = []
    for rank, (document, score) in enumerate(zip(topic.ranked_documents, scores, strict=True), start=1):
        of_text: list[Fraction | None] = [None, None, None]
        if parameters.get("score") != "BEP":
            counts = topic.counts(policy.overlap)
            own = [counts[place] for place in topic.results_of(document)]
            relevant = sum(count.relevant for count in own)
            precision = ratio(relevant, sum(count.read for count in own))
            recall = ratio(relevant, topic.relevant_in(document))
            beta = Fraction(parameters.get("beta", "1"))
            of_text = [precision, recall, f_measure(precision, recall, beta)]
        rows.append((rank, document, [*of_text, score, sum(scores[:rank], Fraction(0)) / rank]))
    return rows


def entry_score(start: int, best: int, reach: int) -> Fraction:
    """(n-d)/n for a distance d up to n from the best entry point."""
    if start < 0 or best < 0:
        return Fraction(0)
    return max(Fraction(0), 1 - Fraction(abs(start - best), reach))


def generalised_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """gP[k]: the sum of the first k document scores over k (over what was returned, if legacy)."""
    rank = int(asked.cutoff or "0")
    scores = [value for value, _ in document_scores(topic, asked, policy)]
    legacy = dict(asked.parameters).get("legacy", "false") == "true"
    return ratio(sum(scores[:rank], Fraction(0)), min(rank, len(scores)) if legacy else rank)


def generalised_recall(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """gR[k]: documents with relevant text among the first k, over all documents with relevant text."""
    rank = int(asked.cutoff or "0")
    found = sum(relevant for _, relevant in document_scores(topic, asked, policy)[:rank])
    return Fraction(found, topic.relevant_documents)


def average_generalised_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """AgP: the mean of gP at the ranks of documents with relevant text, 0 for those not returned."""
    so_far = total = Fraction(0)
    for rank, (value, relevant) in enumerate(document_scores(topic, asked, policy), start=1):
        so_far += value
        total += so_far / rank if relevant else 0
    return total / topic.relevant_documents


def first_results(topic: Topic, asked: Asked) -> list[Row]:
    """The first k results, or all."""
    return topic.results[: int(asked.cutoff) if asked.cutoff else None]


def text_shown(topic: Topic, asked: Asked) -> list[tuple[str, int]]:
    """One character after the other, until a budget is used up."""
    budget = dict(asked.parameters).get("budget")
    return [
        (document, place)
        for document, start, end in first_results(topic, asked)
        for place in (range(start, end) if start >= 0 else UNKNOWN_LENGTH * [-1])
    ][: None if budget is None else int(budget)]


def text_found(topic: Topic, asked: Asked) -> Count:
    """Characters read and relevant characters found in the first k results; text counts once as relevant."""
    if "budget" in dict(asked.parameters):
        shown = text_shown(topic, asked)
        return Count(len(shown), len({at for at in shown if at[1] in topic.characters(at[0])}))
    counts = topic.counts("penalise")[: int(asked.cutoff) if asked.cutoff else None]
    return Count(sum(count.read for count in counts), sum(count.relevant for count in counts))


def best_alternatives(topic: Topic, shown: set[tuple[str, int]]) -> list[frozenset[tuple[str, int]]]:
    """The alternative of each need of which the greatest share is shown, of equal shares the shorter."""
    return [
        max(need, key=lambda text: (Fraction(len(text & shown), len(text)), -len(text)))
        for need in topic.needs
    ]


def character_average_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """charAP: precision at each new relevant character, over all, or over those of the best alternatives."""
    relevant = {(document, place) for document in topic.passages for place in topic.characters(document)}
    precision: dict[tuple[str, int], Fraction] = {}
    read = 0
    for at in text_shown(topic, asked):
        if at not in relevant:
            read += 1
        elif at not in precision:
            read += 1
            precision[at] = Fraction(len(precision) + 1, read)
    wanted = best_alternatives(topic, {*text_shown(topic, asked)}) if topic.needs else [relevant]
    gains = (precision.get(at, Fraction(0)) for text in wanted for at in text)
    return sum(gains, Fraction(0)) / sum(map(len, wanted))


def character_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """charP: relevant characters over characters read."""
    read, relevant = text_found(topic, asked)
    return ratio(relevant, read)


def character_recall(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """charR: relevant characters found over all relevant characters; of the best alternatives only."""
    if topic.needs:
        shown = set(text_shown(topic, asked))
        best = best_alternatives(topic, shown)
        return Fraction(sum(len(text & shown) for text in best), sum(map(len, best)))
    return Fraction(text_found(topic, asked).relevant, topic.total)


def character_f(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """charF: the harmonic mean of charP and charR, weighted by beta."""
    precision, recall = character_precision(topic, asked, policy), character_recall(topic, asked, policy)
    return f_measure(precision, recall, Fraction(dict(asked.parameters).get("beta", "1")))


def intersection_over_union(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """IoU: relevant characters found over characters read and relevant characters missed."""
    read, relevant = text_found(topic, asked)
    return ratio(relevant, read + topic.total - relevant)


def reading_cost(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """read[k]: the characters of the first k results, as often as they are shown."""
    return Fraction(text_found(topic, asked).read)


def relevant_ranks(topic: Topic, asked: Asked) -> list[int]:
    """The ranks, from 1, of those of the first k results that have a relevant character."""
    return [
        rank
        for rank, (document, start, end) in enumerate(first_results(topic, asked), start=1)
        if start >= 0 and topic.characters(document) & set(range(start, end))
    ]


def hit(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """hit[k]: 1 if one of the first k results has a relevant character."""
    return Fraction(bool(relevant_ranks(topic, asked)))


def reciprocal_rank(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """RR[k]: 1 / rank of the first of them."""
    return max((Fraction(1, rank) for rank in relevant_ranks(topic, asked)), default=Fraction(0))


def discounted(gains: Iterable[int]) -> Fraction:
    """Each gain over log2(1 + rank), as exactly as logarithms are known."""
    return sum(
        (gain / Fraction(math.log2(1 + rank)) for rank, gain in enumerate(gains, start=1)), Fraction(0)
    )


def discounted_gain(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """nDCG[k]: new relevant characters, discounted, over those of whole documents, the best first."""
    top = int(asked.cutoff) if asked.cutoff else None
    gains = [count.relevant for count in topic.counts("penalise")]
    best = sorted((topic.relevant_in(document) for document in topic.passages), reverse=True)
    return discounted(gains[:top]) / discounted(best[:top])


def passages_found(topic: Topic, asked: Asked) -> list[bool]:
    """For each passage with other characters than whitespace: is it found in the first k results together?"""
    share = Fraction(dict(asked.parameters).get("share", "1"))
    seen = set(text_shown(topic, asked))
    found = []
    for need in topic.needs:
        solids = [
            {at for at in text if not topic.texts.get(at[0], "")[at[1] :][:1].isspace()} for text in need
        ]
        if any(solids):
            found.append(any(solid and Fraction(len(solid & seen), len(solid)) >= share for solid in solids))
    for document, spans in topic.passages.items() if not topic.needs else ():
        text = topic.texts.get(document, "")
        for start, end in merge(spans):
            solid = {(document, at) for at in range(start, end) if not text[at : at + 1].isspace()}
            if solid:
                found.append(Fraction(len(solid & seen), len(solid)) >= share)
    return found


def passages_share(topic: Topic, asked: Asked, policy: Policy) -> Fraction | None:
    """found[k] and allfound[k]; None where there is nothing to find."""
    found = passages_found(topic, asked)
    if not found:
        return None
    return Fraction(all(found)) if asked.name == "allfound" else Fraction(sum(found), len(found))


def article_hits(topic: Topic, asked: Asked | None = None) -> list[bool]:
    """For each returned document, by first appearance: does it have relevant text? The first k at most."""
    hits = [topic.relevant_in(document) > 0 for document in topic.ranked_documents]
    if asked is None or not asked.cutoff:
        return hits
    top = int(asked.cutoff)
    return (hits + [False] * top)[:top]


def article_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleP: documents with relevant text over documents returned."""
    hits = article_hits(topic, asked)
    return ratio(sum(hits), len(hits))


def article_recall(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleR: documents with relevant text that were returned over all of them."""
    return Fraction(sum(article_hits(topic, asked)), topic.relevant_documents)


def article_f(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleF: the harmonic mean of articleP and articleR, weighted by beta."""
    precision, recall = article_precision(topic, asked, policy), article_recall(topic, asked, policy)
    return f_measure(precision, recall, Fraction(dict(asked.parameters).get("beta", "1")))


def article_average_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleAP: the mean of the precision at the ranks of documents with relevant text."""
    hits = article_hits(topic, asked)
    points = [Fraction(sum(hits[:rank]), rank) for rank, hit in enumerate(hits, start=1) if hit]
    return sum(points, Fraction(0)) / topic.relevant_documents


def article_reciprocal_rank(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleRR: 1 over the rank of the first document with relevant text."""
    hits = article_hits(topic, asked)
    return Fraction(1, hits.index(True) + 1) if any(hits) else Fraction(0)


def article_hit(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleHit: whether there is a document with relevant text."""
    return Fraction(any(article_hits(topic, asked)))


def article_r_precision(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleRprec: articleP of as many documents as are relevant."""
    return article_precision(topic, Asked("articleP", str(topic.relevant_documents)), policy)


def article_bpref(topic: Topic, asked: Asked, policy: Policy) -> Fraction:
    """articleBpref: over pairs of a relevant document and one of the first judged irrelevant ones."""
    total = topic.relevant_documents
    irrelevant = {document for document in topic.passages if not topic.relevant_in(document)}
    worth, before = Fraction(0), 0
    for document in topic.ranked_documents:
        before += document in irrelevant
        if topic.relevant_in(document) > 0:
            worth += 1 - Fraction(min(before, total), min(len(irrelevant), total)) if before else 1
    return worth / total


def judged_share(topic: Topic, asked: Asked) -> Fraction | None:
    """judged[k]: results in judged documents over the first k results, or as many as there are."""
    rows = topic.results[: int(asked.cutoff) if asked.cutoff else None]
    return Fraction(sum(row[0] in topic.passages for row in rows), len(rows)) if rows else None


DEFINITIONS: dict[str, Callable[[Topic, Asked, Policy], Fraction | None]] = {
    "iP": focused_precision,
    "AiP": average_focused_precision,
    "gP": generalised_precision,
    "gR": generalised_recall,
    "AgP": average_generalised_precision,
    "charP": character_precision,
    "charR": character_recall,
    "charAP": character_average_precision,
    "charF": character_f,
    "IoU": intersection_over_union,
    "hit": hit,
    "RR": reciprocal_rank,
    "nDCG": discounted_gain,
    "found": passages_share,
    "allfound": passages_share,
    "read": reading_cost,
    "articleP": article_precision,
    "articleR": article_recall,
    "articleF": article_f,
    "articleAP": article_average_precision,
    "articleRR": article_reciprocal_rank,
    "articleHit": article_hit,
    "articleRprec": article_r_precision,
    "articleBpref": article_bpref,
}


def score(asked: Asked, topic: Topic, policy: Policy) -> Fraction | None:
    """The score of a topic; None where it does not count."""
    kept = topic.cut(policy.limit)
    # A run is refused as a whole, also for what it does on topics that do not count.
    if not topic.total and asked.name in {"gP", "gR", "AgP"}:
        document_scores(kept, asked, policy)
    elif not topic.total and asked.name in {"iP", "AiP"}:
        kept.counts(policy.overlap)
    if asked.name == "judged":
        return judged_share(kept, asked)
    if policy.only_run_topics and not topic.results:
        return None
    counts = topic.total or (asked.name == "read" and policy.include_empty)
    found = DEFINITIONS[asked.name](kept, asked, policy) if counts else None
    return Fraction(0) if found is None and policy.include_empty else found


def mean(scores: Iterable[Fraction | None]) -> Fraction | None:
    """The mean of the scores that count; None where none does."""
    counted = [value for value in scores if value is not None]
    return sum(counted, Fraction(0)) / len(counted) if counted else None


# ---- comparison -----------------------------------------------------------------------------------------

TOLERANCE = Fraction(1, 10**12)


def agrees(found: float, exact: Fraction | None, tolerance: Fraction = TOLERANCE) -> bool:
    """Return whether a score is exact up to a relative error; 0 and "does not count" must be exact."""
    if exact is None:
        return found != found  # noqa: PLR0124  NaN is the number that differs from itself
    return found == found and abs(Fraction(found) - exact) <= tolerance * exact  # noqa: PLR0124


def score_all(asked: Asked, topics: Mapping[str, Topic], policy: Policy) -> dict[str, Fraction | None] | None:
    """The scores of all topics; None where the run is refused."""
    try:
        return {name: score(asked, topic, policy) for name, topic in topics.items()}
    except Refused:
        return None


def assert_agreement(
    judgments: Judgments,
    run: Run,
    topics: Mapping[str, Topic],
    measures: Iterable[Asked],
    policy: Policy,
    *,
    corpus: Mapping[str, str] | None = None,
) -> None:
    """excerpt gives the exact scores of every topic and their mean, and refuses what must be refused."""
    exact = {asked: score_all(asked, topics, policy) for asked in dict.fromkeys(measures)}
    for asked in [asked for asked, scores in exact.items() if scores is None]:
        with pytest.raises(PolicyError):
            evaluate(judgments, [run], [str(asked)], policy=policy, corpus=corpus)
    allowed = {asked: scores for asked, scores in exact.items() if scores is not None}
    if not allowed:
        return
    table = evaluate(judgments, [run], map(str, allowed), policy=policy, corpus=corpus)
    assert table.topics == tuple(topics)
    for asked, scores in allowed.items():
        for topic, value in scores.items():
            found = table[table.runs[0], topic, str(asked)]
            assert agrees(found, value), f"{asked} of {topic} under {policy}: {found!r}, exactly {value}"
        found, value = table.mean(table.runs[0], str(asked)), mean(scores.values())
        assert agrees(found, value), f"mean {asked} under {policy}: {found!r}, exactly {value}"
