"""Tasks -r, -b and -i: generalised precision over articles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.measures.reading import Layer, tolerance_to_irrelevance
from excerpt.model.spans import FloatArray, IntArray, KeyedSpans
from excerpt.official.qrels import UNSET, Qrels, sums
from excerpt.official.run import OfficialRun

_UNKNOWN_OFFSET = -10000
LEVELS = 11
RANKS = (1, 2, 3, 5, 10, 25, 50)


@dataclass(frozen=True, eq=False)
class InContext:
    """Per topic of the qrels (zeros where the run has no results)."""

    num_ret: IntArray
    num_rel_ret: IntArray
    ret_size: IntArray
    rel_ret_size: IntArray
    #: Topics by `RANKS`.
    precision: FloatArray
    recall: FloatArray
    average: FloatArray
    #: Interpolated precision: topics by 11 recall levels.
    levels: FloatArray


def relevance_scores(run: OfficialRun, qrels: Qrels, beta: float) -> FloatArray:
    """-r: the F-measure of each article, operation by operation as in the tool."""
    size, found = _article_sizes(run, qrels)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = found / size
        recall = found / np.append(qrels.rsize, 0)[run.article_judged]
        weight = beta * beta
        score = (1 + weight) * precision * recall / (weight * precision + recall)
    return np.where(found > 0, score, 0.0)


def entry_point_scores(run: OfficialRun, qrels: Qrels, n: int) -> FloatArray:
    """-b: (n-d)/n for the distance d to the best entry point, 0 beyond n."""
    first = np.searchsorted(run.article, np.arange(len(run.article_topic)))
    offset = np.where(run.unknown, _UNKNOWN_OFFSET, run.start)[first]
    bep = np.append(qrels.bep, UNSET)[run.article_judged]
    distance = np.abs(offset - bep)
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (n - distance) / np.float64(n)
    good = run.relevant_articles(qrels) & (bep >= 0) & (distance <= n)
    return np.where(good, score, 0.0)


def tolerance_scores(run: OfficialRun, qrels: Qrels, irrelevant: int) -> FloatArray:
    """-i: T2I of each article that has pairs, whatever its rsize."""
    judged = np.flatnonzero(run.article_judged >= 0)
    number = np.full(len(run.article_topic), -1, np.int64)
    number[judged] = np.arange(len(judged))
    mine = (
        np.flatnonzero((number[run.article] >= 0) & ~run.unknown & (run.length > 0)) if len(run) else judged
    )
    shown = Layer(number[run.article[mine]], run.start[mine], run.end[mine])
    by_article = np.full(len(qrels.rsize), -1, np.int64)
    by_article[run.article_judged[judged]] = np.arange(len(judged))
    marked = np.flatnonzero(by_article[qrels.pair_article] >= 0)
    spans = KeyedSpans.union(
        by_article[qrels.pair_article[marked]], qrels.pair_start[marked], qrels.pair_end[marked]
    )
    relevant = Layer(spans.group, spans.start, spans.end)
    scores = np.zeros(len(run.article_topic))
    if irrelevant > 0:
        scores[judged] = tolerance_to_irrelevance(
            qrels.size[run.article_judged[judged]], shown, relevant, irrelevant
        )
    else:
        scores[judged] = _starts_inside(len(judged), shown, spans)
    return scores


def _starts_inside(documents: int, shown: Layer, spans: KeyedSpans) -> FloatArray:
    """Without any tolerance the reader gets only what is open where he starts: a span begun before."""
    start = np.full(documents, np.iinfo(np.int64).max, np.int64)
    np.minimum.at(start, shown.document, shown.start)
    start = np.where(start == np.iinfo(np.int64).max, 0, start)
    before = spans.overlap(np.arange(documents), start - 1, start)
    at = spans.overlap(np.arange(documents), start, start + 1)
    return ((before > 0) & (at > 0)).astype(np.float64)


def summarise(run: OfficialRun, qrels: Qrels, scores: FloatArray, *, sizes: bool) -> InContext:
    """Generalised precision and recall of every topic, sums in the order of the ranks."""
    topics = len(qrels.topics)
    first = np.searchsorted(run.article_topic, np.arange(topics + 1))
    hit = run.relevant_articles(qrels)
    precision, recall = np.zeros((topics, len(RANKS))), np.zeros((topics, len(RANKS)))
    average, levels = np.zeros(topics), np.zeros((topics, LEVELS))
    with np.errstate(divide="ignore", invalid="ignore"):
        for topic, (low, high) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
            rank = np.arange(1, high - low + 1)
            gp = np.cumsum(scores[low:high]) / rank
            gr = np.cumsum(hit[low:high]) / qrels.num_rel[topic]
            # np.cumsum adds in order, as the tool does; np.sum would not.
            total = np.append(0.0, np.cumsum(gp[hit[low:high]]))[-1]
            average[topic] = total / np.float64(qrels.num_rel[topic])
            if high > low:
                at = np.minimum(RANKS, high - low) - 1
                precision[topic], recall[topic] = gp[at], gr[at]
                level = np.floor(10 * np.nan_to_num(gr)).astype(np.int64).clip(0, LEVELS - 1)
                np.maximum.at(levels[topic], level, gp)
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


def _article_sizes(run: OfficialRun, qrels: Qrels) -> tuple[IntArray, IntArray]:
    """Characters retrieved, and relevant characters retrieved, of each article."""
    found = qrels.relevant(run.in_relevant(qrels), run.start, run.end)
    articles = len(run.article_topic)
    return sums(run.article, run.size, articles), sums(run.article, found, articles)
