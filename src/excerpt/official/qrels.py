"""Qrels as the official tool takes them: nothing is merged, checked or repaired."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns, Fields
from excerpt.model.spans import BoolArray, IntArray, keys

UNSET = -1
_LAYOUT = "topic Q0 article rsize size bep offset:length ..."


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judged articles: sizes of an article's first line, entry point of its last, pairs of all."""

    topics: tuple[str, ...]
    topic_codes: dict[str, int]
    article_codes: dict[tuple[int, str], int]
    #: Per judged article: its rsize, size and best entry point (-1: unset).
    rsize: IntArray
    size: IntArray
    bep: IntArray
    #: Per topic: number of relevant lines and the sum of their rsizes.
    num_rel: IntArray
    rel_size: IntArray
    #: Relevant passages as given, overlapping ones included.
    pair_article: IntArray
    pair_start: IntArray
    pair_end: IntArray

    @cached_property
    def _starts(self) -> tuple[IntArray, IntArray]:
        return _sorted_sums(self.pair_article, self.pair_start)

    @cached_property
    def _ends(self) -> tuple[IntArray, IntArray]:
        return _sorted_sums(self.pair_article, self.pair_end)

    def relevant(self, article: IntArray, start: IntArray, end: IntArray) -> IntArray:
        """Characters in common with the pairs; a character in two pairs counts twice."""
        judged = np.flatnonzero((article >= 0) & (end > start))
        result = np.zeros(len(article), np.int64)
        group = article[judged]
        result[judged] = self._before(group, end[judged]) - self._before(group, start[judged])
        return result

    def _before(self, group: IntArray, position: IntArray) -> IntArray:
        """Up to a constant per article: the sum over its pairs of what lies before the position."""
        at = keys(group, position)
        low, high = np.searchsorted(self._starts[0], at), np.searchsorted(self._ends[0], at)
        return np.asarray(at * (low - high) - (self._starts[1][low] - self._ends[1][high]))


def _sorted_sums(group: IntArray, position: IntArray) -> tuple[IntArray, IntArray]:
    """Keys in order and their running sums; the sums may wrap, their differences do not."""
    ordered = np.sort(keys(group, position))
    return ordered, np.concatenate((np.zeros(1, np.int64), np.cumsum(ordered)))


def read(source: Source) -> Qrels:
    """Read the lines; what would crash the official tool is a fault."""
    columns = _judgment_lines(source)
    topics, topic = columns.names(0)
    names = columns.column(2).texts()
    rsize = _read_integers(columns, columns.column(3), "rsize", columns.line)
    size = _read_integers(columns, columns.column(4), "size", columns.line)
    bep, row, start, end = _passages(columns)
    source.faults.settle()
    codes: dict[tuple[int, str], int] = {}
    article = np.fromiter(
        (codes.setdefault(key, len(codes)) for key in zip(topic.tolist(), names, strict=True)),
        np.int64,
        len(names),
    )
    first = np.unique(article, return_index=True)[1] if len(article) else article
    last_bep = np.full(len(codes), UNSET, np.int64)
    given = np.flatnonzero(columns.width >= 7)
    last_bep[article[given]] = bep[given]  # later lines overwrite earlier ones
    relevant = rsize > 0
    return Qrels(
        topics=topics,
        topic_codes={name: code for code, name in enumerate(topics)},
        article_codes=codes,
        rsize=rsize[first],
        size=size[first],
        bep=last_bep,
        num_rel=np.bincount(topic[relevant], minlength=len(topics)).astype(np.int64),
        rel_size=sums(topic[relevant], rsize[relevant], len(topics)),
        pair_article=article[row],
        pair_start=start,
        pair_end=end,
    )


def _judgment_lines(source: Source) -> Columns:
    columns = Columns.of(source, blank_lines=True)
    for row in np.flatnonzero(columns.width < 5).tolist():
        source.faults.add(
            int(columns.line[row]), f"found {columns.width[row]} columns, expected at least 5 ({_LAYOUT})"
        )
    filled = np.flatnonzero(columns.width >= 5)
    for row in filled[leading_blank(columns)[filled]].tolist():
        source.faults.add(int(columns.line[row]), f"found a blank before the topic, expected {_LAYOUT}")
    return columns.take(filled)


def leading_blank(columns: Columns) -> BoolArray:
    """Which lines start with white space (lines without fields do not count)."""
    filled = columns.width > 0
    result = np.zeros(len(columns), np.bool_)
    begin = columns.begins[columns.line[filled] - 1]
    result[filled] = columns.fields.start[columns.first[filled]] > begin
    return result


def _read_integers(columns: Columns, fields: Fields, name: str, line: IntArray) -> IntArray:
    value, good = fields.signed_integers()
    for row in np.flatnonzero(~good).tolist():
        columns.faults.add(int(line[row]), f"found {name} {fields.text(row)[:40]!r}, expected a whole number")
    return value


def _passages(columns: Columns) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Entry point of each line of seven or more columns; and line, start and end of each passage."""
    bep = np.full(len(columns), UNSET, np.int64)
    long = np.flatnonzero(columns.width >= 7)
    bep[long] = _read_integers(columns, columns.fields[columns.first[long] + 5], "bep", columns.line[long])
    count = np.maximum(columns.width - 6, 0)
    row = np.repeat(np.arange(len(columns)), count)
    number = np.arange(len(row)) - np.repeat(np.cumsum(count) - count, count)
    fields = columns.fields[columns.first[row] + 6 + number]
    offset, rest, paired = fields.split()
    length, _, _ = rest.split()
    whole = paired & (length.end > length.start) & (offset.end > offset.start)
    for bad in np.flatnonzero(~whole).tolist():
        columns.faults.add(
            int(columns.line[row[bad]]), f"found passage {fields.text(bad)[:40]!r}, expected offset:length"
        )
    line = columns.line[row[whole]]
    start = _read_integers(columns, offset[whole], "passage offset", line)
    return bep, row[whole], start, start + _read_integers(columns, length[whole], "passage length", line)


def sums(group: IntArray, amount: IntArray, groups: int) -> IntArray:
    """The sum of an amount over each group."""
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, amount)
    return total
