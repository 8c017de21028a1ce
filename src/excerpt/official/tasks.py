"""Values of inex_eval's tasks, topic by topic: focused and in context."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from excerpt.official.inputs import LEVELS, JudgedArticle, ReturnedArticle, ReturnedTopic, Stretch
from excerpt.official.java_doubles import added, divided

TENTHS = 11
_SHOWN_LEVELS = (0, 1, 5, 10)
_RANKS = (1, 2, 3, 5, 10, 25, 50)
#: Names of the measures of each topic; of the last there is the mean as MAiP or MAgP.
FOCUSED = (
    *("art_prec", "art_rec", "art_f1", "char_prec", "char_rec", "char_f1"),
    *(f"iP[{level / 100:.2f}]" for level in _SHOWN_LEVELS),
    "AiP",
)
RANKED = (*(f"{name}[{rank}]" for rank in _RANKS for name in ("gP", "gR")), "AgP")


class TopicValues(NamedTuple):
    """The measures of a topic, in the order of their names, and interpolated precision by recall level."""

    measures: Sequence[float]
    levels: Sequence[float]


def _interpolated(best: Sequence[float]) -> list[float]:
    """Return the best precision at each level or a later one."""
    return [*accumulate(reversed(best), max)][::-1]


def _f1(precision: float, recall: float) -> float:
    return divided(2 * precision * recall, precision + recall) if precision else 0.0


def focused(topic: ReturnedTopic) -> TopicValues:
    """Values of the focused and the thorough task."""
    counts = topic.counts()
    art_prec = divided(counts["num_rel_ret"], counts["num_ret"]) if topic.articles else 0.0
    art_rec = divided(counts["num_rel_ret"], counts["num_rel"])
    char_prec = topic.found / topic.size if topic.size > 0 else 0.0
    char_rec = divided(topic.found, topic.qrels.rel_size)
    levels = _interpolated(topic.best)
    measures = (
        *(art_prec, art_rec, _f1(art_prec, art_rec), char_prec, char_rec, _f1(char_prec, char_rec)),
        *(levels[level] for level in _SHOWN_LEVELS),
        added(levels) / LEVELS,
    )
    return TopicValues(measures, levels)


#: Score of an article of a run.
ArticleScore = Callable[[ReturnedArticle], float]


def in_context(topic: ReturnedTopic, score: ArticleScore) -> TopicValues:
    """Generalised precision and recall of a topic; sums are added by rank."""
    precision, recall, at_relevant = list[float](), list[float](), list[float]()
    total, relevant = 0.0, 0
    best = [0.0] * TENTHS
    for rank, article in enumerate(topic.articles.values(), 1):
        total += score(article)
        relevant += article.is_relevant
        precision.append(total / rank)
        recall.append(divided(relevant, topic.qrels.num_rel))
        if article.is_relevant:
            at_relevant.append(precision[-1])
        level = 0 if math.isnan(recall[-1]) else min(math.floor(10 * recall[-1]), TENTHS - 1)
        best[level] = max(best[level], precision[-1])  # no level takes a NaN (-n 0)
    ranked = [0.0] * 2 * len(_RANKS)
    if precision:
        places = [min(rank, len(precision)) - 1 for rank in _RANKS]
        ranked = [value for place in places for value in (precision[place], recall[place])]
    return TopicValues((*ranked, divided(added(at_relevant), topic.qrels.num_rel)), _interpolated(best))


def relevance_score(article: ReturnedArticle, beta: float) -> float:
    """-r: F-measure of an article, operation by operation as in the tool."""
    if article.judged is None or article.found <= 0:
        return 0.0
    precision, recall = article.found / article.size, article.found / article.judged.rsize
    weight = beta * beta
    return (1 + weight) * precision * recall / (weight * precision + recall)


def entry_point_score(article: ReturnedArticle, n: int) -> float:
    """-b: (n-d)/n for the distance d to the best entry point, 0 beyond n."""
    if article.judged is None or not article.is_relevant or article.judged.bep < 0:
        return 0.0
    distance = abs(article.entry - article.judged.bep)
    return divided(n - distance, n) if distance <= n else 0.0


def tolerance_score(article: ReturnedArticle, irrelevant: int) -> float:
    """-i: T2I of an article that has pairs, whatever its rsize."""
    if article.judged is None or not article.judged.pairs:
        return 0.0
    passages = sorted(article.passages, key=itemgetter(0))  # equal starts in the order of the file
    rest = _between(passages, article.judged.size)
    return _relevant_proportion([*passages, *rest], _joined_pairs(article.judged), irrelevant)


def _joined_pairs(article: JudgedArticle) -> list[Stretch]:
    """Sort and merge the pairs of an article; adjacent pairs stay separate, as in the tool."""
    merged: list[Stretch] = []
    for start, end in sorted(article.pairs, key=itemgetter(0)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif end > start:
            merged.append((start, end))
    return merged


def _between(passages: list[Stretch], size: int) -> list[Stretch]:
    """Rest of an article: from the end of each passage to the next, then to the size, as in the tool."""
    ends = [0, *(end for _, end in passages)]
    starts = [*(start for start, _ in passages), size]
    return [(end, start) for end, start in zip(ends, starts, strict=True) if end < start]


def _relevant_proportion(segments: list[Stretch], spans: list[Stretch], tolerance: int) -> float:
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
