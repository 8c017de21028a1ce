"""Judgments in columns, read in groups of lines: their fields take memory for one group at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from itertools import accumulate, chain, pairwise
from operator import eq

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.formats.registry import Format
from excerpt.formats.source import Source
from excerpt.grouping.line_groups import give_back
from excerpt.grouping.name_codes import hashes_of
from excerpt.model.judgments import Judgments
from excerpt.model.spans import IntArray, KeyedSpans, distinct
from excerpt.notices import Faults, Notices

#: Bytes of a group.
GROUP_BYTES = 4 << 20
#: Fields that groups have for themselves.
_OWN = {"topics", "documents", "pair_topic", "pair_document", "pair_size", "pair_entry", "spans", "grades"}


def read_judgments(source: Source, chosen: Format[Judgments]) -> Judgments:
    """Read judgments; in groups if these may be, and if no line has a fault or a warning."""
    apart = chosen.name in {"fol", "trec"} and source.form == "columns"
    together = _read(source, chosen) if apart and source.index is None and not source.faults.keep else None
    return chosen.read(source) if together is None else together


def _read(source: Source, chosen: Format[Judgments]) -> Judgments | None:
    """Read judgments in groups; None if that may say something else than a reader of all lines."""
    parts = []
    for content, before in _groups(source.text):
        notices, faults = Notices(), Faults(source.name)
        group = replace(source, data=content, notices=notices, faults=faults, before=before)
        try:
            if group.form != "columns":
                return None
            parts.append(chosen.read(group))
        except ExcerptError:
            return None
        if notices or faults:
            return None
    give_back()
    together = _together(parts)
    del parts
    give_back()
    return together


def _groups(text: bytes) -> Iterator[tuple[bytes, int]]:
    """Yield whole lines of a text, and the number of lines before them."""
    begin = before = 0
    while begin < len(text):
        end = text.rfind(b"\n", begin, begin + GROUP_BYTES) + 1 or text.find(b"\n", begin) + 1 or len(text)
        yield text[begin:end], before
        begin, before = end, before + text.count(b"\n", begin, end)


def _together(parts: list[Judgments]) -> Judgments | None:
    """Return the judgments of all parts; None if two of them have a pair, or if they are of several kinds."""
    plain = [field.name for field in fields(Judgments) if field.name not in _OWN]
    first = parts[0]
    if any(getattr(part, name) != getattr(first, name) for part in parts for name in plain):
        return None
    topics, documents = _joined([part.topics for part in parts]), _joined([part.documents for part in parts])
    if topics is None or documents is None:
        return None
    shifts = list(accumulate((len(part) for part in parts[:-1]), initial=0))
    topic, document = (
        np.concatenate([codes[part] for codes, part in zip(own, column, strict=True)])
        for own, column in (
            (topics[1], [part.pair_topic for part in parts]),
            (documents[1], [part.pair_document for part in parts]),
        )
    )
    pair = topic * max(len(documents[0]), 1) + document
    order = np.argsort(pair)
    if not (np.diff(pair[order]) > 0).all():
        return None
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    group = np.concatenate(
        [place[part.spans.group + shift] for part, shift in zip(parts, shifts, strict=True)]
    )
    by_group = np.argsort(group, kind="stable")
    start, end = (
        np.concatenate(column)[by_group]
        for column in ([part.spans.start for part in parts], [part.spans.end for part in parts])
    )
    grades = [part.grades for part in parts if part.grades is not None]
    return replace(
        first,
        topics=topics[0],
        documents=documents[0],
        pair_topic=topic[order],
        pair_document=document[order],
        pair_size=np.concatenate([part.pair_size for part in parts])[order],
        pair_entry=np.concatenate([part.pair_entry for part in parts])[order],
        spans=KeyedSpans(group[by_group], start, end),
        grades=np.concatenate(grades)[order] if grades else None,
    )


def _joined(parts: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], list[IntArray]] | None:
    """Return the distinct names of all parts in their order, and the codes of the names of each part.

    None if two names have one hash.
    """
    rows, codes = distinct(np.concatenate([hashes_of(part) for part in parts]))
    names = list(chain.from_iterable(parts))
    again = np.ones(len(names), np.bool_)
    again[rows] = False
    known = map(names.__getitem__, rows[codes[again]].tolist())
    if not all(map(eq, known, map(names.__getitem__, np.flatnonzero(again).tolist()))):
        return None
    bounds = list(accumulate(map(len, parts), initial=0))
    own = [codes[low:high] for low, high in pairwise(bounds)]
    return tuple(map(names.__getitem__, rows.tolist())), own
