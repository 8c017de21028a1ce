"""Tasks -t and -f: interpolated precision over lines, and precision and recall at the end of the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from excerpt.model.join import clashes, first_owners, owned
from excerpt.model.spans import FloatArray, IntArray
from excerpt.official.qrels import Qrels
from excerpt.official.run import OfficialRun

LEVELS = 101


@dataclass(frozen=True, eq=False)
class Focused:
    """Per topic of the qrels (zeros where the run has no results)."""

    num_ret: IntArray
    num_rel_ret: IntArray
    ret_size: IntArray
    rel_ret_size: IntArray
    #: Interpolated precision: topics by 101 recall levels.
    levels: FloatArray
    #: Recall levels outside 0 to 100, in reading order.
    impossible: tuple[int, ...]


def count(run: OfficialRun, qrels: Qrels, *, thorough: bool) -> Focused:
    """Count line by line; file precision under floor(100 * recall), in doubles as the tool does."""
    topics = len(qrels.topics)
    size, relevant = _thorough_sizes(run, qrels) if thorough else _sizes(run, qrels)
    first = np.searchsorted(run.topic, np.arange(topics + 1))
    read, found = _running(size, first), _running(relevant, first)
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
        impossible=_in_file_order(level[~possible], run.line[~possible]),
    )


def _in_file_order(values: IntArray, line: IntArray) -> tuple[int, ...]:
    return tuple(values[np.argsort(line)].tolist())


def _sizes(run: OfficialRun, qrels: Qrels) -> tuple[IntArray, IntArray]:
    return run.size, qrels.relevant(run.in_relevant(qrels), run.start, run.end)


def _thorough_sizes(run: OfficialRun, qrels: Qrels) -> tuple[IntArray, IntArray]:
    """In relevant articles only text not seen before counts; elsewhere every length counts in full."""
    size, relevant = _sizes(run, qrels)
    article = run.in_relevant(qrels)
    size = np.where(run.unknown & (article >= 0), 0, size)
    again = np.flatnonzero(clashes(run.article, run.start, run.end) & (article >= 0))
    if len(again):
        parts = first_owners(run.article[again], run.start[again], run.end[again])
        inside = qrels.relevant(article[again][parts.owner], parts.start, parts.end)
        size[again] = owned(parts, parts.end - parts.start, len(again))
        relevant[again] = owned(parts, inside, len(again))
    return size, relevant


def _running(amount: IntArray, first: IntArray) -> IntArray:
    total = np.cumsum(amount)
    before = np.concatenate((np.zeros(1, np.int64), total))[first[:-1]]
    running: IntArray = total - np.repeat(before, np.diff(first))
    return running


def _totals(running: IntArray, first: IntArray) -> IntArray:
    """The last running sum of each topic, 0 for a topic without results."""
    return np.where(np.diff(first) > 0, np.append(running, 0)[first[1:] - 1], 0)
