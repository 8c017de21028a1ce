"""Values of inex_eval's tasks: focused and in context."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from excerpt.model.join import clashes, first_owners
from excerpt.model.spans import FloatArray, IntArray, running_sums, sums
from excerpt.official.inputs import UNSET, ArticleQrels, OfficialRun

LEVELS = 101
_Span: TypeAlias = tuple[int, int]
_UNKNOWN_OFFSET = -10000
TENTHS = 11
RANKS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True, eq=False)
class ReturnedCounts:
    """Numbers of articles and characters per topic of the qrels; 0 if the run has no results."""

    num_ret: IntArray
    num_rel_ret: IntArray
    ret_size: IntArray
    rel_ret_size: IntArray


@dataclass(frozen=True, eq=False)
class Focused(ReturnedCounts):
    """Values of the focused and the thorough task."""

    levels: FloatArray  # interpolated precision: topics by 101 recall levels
    impossible: tuple[int, ...]  # recall levels outside 0 to 100, in reading order


def count(run: OfficialRun, qrels: ArticleQrels, *, thorough: bool) -> Focused:
    """Count line by line; store precision under floor(100 * recall), in doubles like the tool."""
    topics = len(qrels.topics)
    size, relevant = _thorough_sizes(run, qrels) if thorough else _sizes(run, qrels)
    first = np.searchsorted(run.topic, np.arange(topics + 1))
    read, found = running_sums(size, first), running_sums(relevant, first)
    levels = np.zeros((topics, LEVELS))
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = found / read
        recall = found / qrels.rel_size[run.topic]
    level = np.floor(100 * np.nan_to_num(recall, nan=0.0, posinf=2.0**31)).astype(np.int64)
    possible = (level >= 0) & (level < LEVELS)
    counted = possible & (read > 0)
    np.maximum.at(levels, (run.topic[counted], level[counted]), precision[counted])
    articles = np.bincount(run.article_topic, minlength=topics)
    hit = run.relevant_articles(qrels)
    return Focused(
        num_ret=articles.astype(np.int64),
        num_rel_ret=np.bincount(run.article_topic[hit], minlength=topics).astype(np.int64),
        ret_size=_totals(read, first),
        rel_ret_size=_totals(found, first),
        levels=np.maximum.accumulate(levels[:, ::-1], axis=1)[:, ::-1],
        impossible=tuple(level[~possible][np.argsort(run.line[~possible])].tolist()),
    )


def _sizes(run: OfficialRun, qrels: ArticleQrels) -> tuple[IntArray, IntArray]:
    return run.size, qrels.relevant(run.in_relevant(qrels), run.start, run.end)


def _thorough_sizes(run: OfficialRun, qrels: ArticleQrels) -> tuple[IntArray, IntArray]:
    """Sizes of the thorough task: text seen before does not count in relevant articles, but in others."""
    size, relevant = _sizes(run, qrels)
    article = run.in_relevant(qrels)
    size = np.where(run.unknown & (article >= 0), 0, size)
    again = np.flatnonzero(clashes(run.article, run.start, run.end) & (article >= 0))
    if len(again):
        parts = first_owners(run.article[again], run.start[again], run.end[again])
        inside = qrels.relevant(article[again][parts.owner], parts.start, parts.end)
        size[again] = sums(parts.owner, parts.end - parts.start, len(again))
        relevant[again] = sums(parts.owner, inside, len(again))
    return size, relevant


def _totals(running: IntArray, first: IntArray) -> IntArray:
    return np.where(np.diff(first) > 0, np.append(running, 0)[first[1:] - 1], 0)


@dataclass(frozen=True, eq=False)
class InContext(ReturnedCounts):
    """Values of the in-context tasks."""

    #: Topics by `RANKS`.
    precision: FloatArray
    recall: FloatArray
    average: FloatArray
    levels: FloatArray  # interpolated precision: topics by 11 recall levels


def relevance_scores(run: OfficialRun, qrels: ArticleQrels, beta: float) -> FloatArray:
    """-r: F-measure of each article, operation by operation as in the tool."""
    size, found = _article_sizes(run, qrels)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = found / size
        recall = found / np.append(qrels.rsize, 0)[run.article_judged]
        weight = beta * beta
        score = (1 + weight) * precision * recall / (weight * precision + recall)
    return np.where(found > 0, score, 0.0)


def entry_point_scores(run: OfficialRun, qrels: ArticleQrels, n: int) -> FloatArray:
    """-b: (n-d)/n for the distance d to the best entry point, 0 beyond n."""
    first = np.searchsorted(run.article, np.arange(len(run.article_topic)))
    offset = np.where(run.unknown, _UNKNOWN_OFFSET, run.start)[first]
    bep = np.append(qrels.bep, UNSET)[run.article_judged]
    distance = np.abs(offset - bep)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (n - distance) / np.float64(n)
    good = run.relevant_articles(qrels) & (bep >= 0) & (distance <= n)
    return np.where(good, score, 0.0)


def tolerance_scores(run: OfficialRun, qrels: ArticleQrels, irrelevant: int) -> FloatArray:
    """-i: T2I of each article that has pairs, whatever its rsize."""
    spans = _join_overlapping_pairs(qrels)
    existing = np.flatnonzero(~run.unknown)
    order = existing[np.lexsort((run.start[existing], run.article[existing]))]  # equal starts in file order
    first = np.searchsorted(run.article[order], np.arange(len(run.article_topic) + 1)).tolist()
    shown = list(zip(run.start[order].tolist(), run.end[order].tolist(), strict=True))
    scores = np.zeros(len(run.article_topic))
    for article, judged in enumerate(run.article_judged.tolist()):
        if judged in spans:
            passages = shown[first[article] : first[article + 1]]
            rest = _between(passages, int(qrels.size[judged]))
            scores[article] = _relevant_proportion([*passages, *rest], spans[judged], irrelevant)
    return scores


def _join_overlapping_pairs(qrels: ArticleQrels) -> dict[int, list[_Span]]:
    """Sort and merge the pairs of each judged article; adjacent pairs stay separate, as in the tool."""
    spans: dict[int, list[_Span]] = {}
    order = np.lexsort((qrels.pair_start, qrels.pair_article))
    columns = (qrels.pair_article[order], qrels.pair_start[order], qrels.pair_end[order])
    for article, start, end in zip(*(column.tolist() for column in columns), strict=True):
        merged = spans.setdefault(article, [])
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return spans


def _between(passages: list[_Span], size: int) -> list[_Span]:
    """Rest of an article: from the end of each passage to the next, then to the size, as in the tool."""
    ends = [0, *(end for _, end in passages)]
    starts = [*(start for start, _ in passages), size]
    return [(end, start) for end, start in zip(ends, starts, strict=True) if end < start]


def _relevant_proportion(segments: list[_Span], spans: list[_Span], tolerance: int) -> float:
    """Proportion of relevant text in the text read until so much irrelevant text was read.

    The limit is checked after each segment, and at the start of each span unless the reader is inside it.
    """
    starts, ends = [start for start, _ in spans], [end for _, end in spans]
    good = bad = 0
    for start, end in segments:
        place = start
        for low, high in spans[bisect_right(ends, start) : bisect_left(starts, end)]:
            if low >= place:
                bad += low - place
                if bad >= tolerance:
                    return _proportion(good, tolerance)
                place = low
            good, place = good + min(high, end) - place, min(high, end)
        bad += end - place
        if bad >= tolerance:
            return _proportion(good, tolerance)
    return _proportion(good, bad)


def _proportion(good: int, bad: int) -> float:
    return good / (good + bad) if good and good + bad else 0.0  # 0 divided by a negative -irr would be -0.0


def summarise(run: OfficialRun, qrels: ArticleQrels, scores: FloatArray, *, sizes: bool) -> InContext:
    """Generalised precision and recall of every topic; sums are added by rank."""
    topics = len(qrels.topics)
    first = np.searchsorted(run.article_topic, np.arange(topics + 1))
    hit = run.relevant_articles(qrels)
    precision, recall = np.zeros((topics, len(RANKS))), np.zeros((topics, len(RANKS)))
    average, levels = np.zeros(topics), np.zeros((topics, TENTHS))
    with np.errstate(divide="ignore", invalid="ignore"):
        for topic, (low, high) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
            rank = np.arange(1, high - low + 1)
            gp = np.cumsum(scores[low:high]) / rank
            gr = np.cumsum(hit[low:high]) / qrels.num_rel[topic]
            # np.cumsum adds in order, like the tool; np.sum would not.
            total = np.append(0.0, np.cumsum(gp[hit[low:high]]))[-1]
            average[topic] = total / np.float64(qrels.num_rel[topic])
            if high > low:
                at = np.minimum(RANKS, high - low) - 1
                precision[topic], recall[topic] = gp[at], gr[at]
                level = np.floor(10 * np.nan_to_num(gr)).astype(np.int64).clip(0, TENTHS - 1)
                np.fmax.at(levels[topic], level, gp)  # no level takes a NaN (-n 0)
    size, found = _article_sizes(run, qrels) if sizes else (np.zeros_like(run.article_topic),) * 2
    return InContext(
        num_ret=np.diff(first).astype(np.int64),
        num_rel_ret=np.bincount(run.article_topic[hit], minlength=topics).astype(np.int64),
        ret_size=sums(run.article_topic, size, topics),
        rel_ret_size=sums(run.article_topic, found, topics),
        precision=precision,
        recall=recall,
        average=average,
        levels=np.maximum.accumulate(levels[:, ::-1], axis=1)[:, ::-1],
    )


def _article_sizes(run: OfficialRun, qrels: ArticleQrels) -> tuple[IntArray, IntArray]:
    found = qrels.relevant(run.in_relevant(qrels), run.start, run.end)
    articles = len(run.article_topic)
    return sums(run.article, run.size, articles), sums(run.article, found, articles)
