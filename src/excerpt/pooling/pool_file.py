"""Pool files: TAB-separated text with a head, written so that the same pool gives the same bytes.

A line per item: `topic document order stratum probability runs passages`. Runs have commas between them.
Passages are one group per run, with commas between groups and `;` between the results of a group, each of
them `rank:start-end`, or `rank:` where a result has no offsets. A file made by hand may have the columns
topic and document only.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import Input, display_name, keep_content, read_beginning, writing
from excerpt.formats.source import Source
from excerpt.model.spans import BoolArray, IntArray
from excerpt.pooling.pool_head import FIRST, MARK, NOTHING, Head, need_plain, word, write_head
from excerpt.pooling.pool_rows import COLUMNS, MOST, Rows
from excerpt.pooling.pools import Pool

_BLOCK = 1 << 16


def write_pool(pool: Pool, target: str | os.PathLike[str]) -> None:
    """Write a pool; the file appears whole or not at all, `-` is standard output."""
    need_plain(pool.topics, "topic")
    need_plain(pool.strata, "stratum")
    need_plain([pool.documents[code] for code in np.unique(pool.document).tolist()], "document")
    with writing(target) as stream:
        stream.write("".join(f"{line}\n" for line in write_head(pool)).encode())
        stream.write(("\t".join(COLUMNS) + "\n").encode())
        for first in range(0, len(pool), _BLOCK):
            lines = _lines(pool, first, min(first + _BLOCK, len(pool)))
            stream.write("".join(lines).encode())


def probability_text(value: Fraction | None) -> str:
    """A probability as a decimal that reads back as the same fraction; as a fraction where none does.

    >>> probability_text(Fraction(1)), probability_text(Fraction(3, 67)), probability_text(None)
    ('1', '0.04477611940298507', '-')
    """
    if value is None:
        return NOTHING
    if value.denominator > MOST:
        return str(value)
    return repr(float(value)) if value.denominator > 1 else str(value)


def _lines(pool: Pool, first: int, last: int) -> Iterator[str]:
    """The lines of some items."""
    low, high = np.searchsorted(pool.item, (first, last))
    item, run = pool.item[low:high], pool.run[low:high]
    opens = np.ones(len(item), np.bool_)  # a result that is the first of its run
    opens[1:] = (item[1:] != item[:-1]) | (run[1:] != run[:-1])
    runs = [f",{word(given.name)}" for given in pool.inputs]
    names = [runs[code] for code in run[opens].tolist()]
    bounds = np.searchsorted(item, np.arange(first, last + 1))
    which = _joined(names, np.searchsorted(np.flatnonzero(opens), bounds))
    where = _joined(_passages(pool, slice(low, high), opens), bounds)
    middles = [
        f"\t{stratum}\t{probability_text(chance)}\t"
        for stratum in pool.strata
        for chance in pool.probabilities
    ]
    middle = pool.stratum[first:last] * len(pool.probabilities) + pool.probability[first:last]
    rows = zip(
        [pool.topics[code] for code in pool.topic[first:last].tolist()],
        [pool.documents[code] for code in pool.document[first:last].tolist()],
        pool.order[first:last].tolist(),
        [middles[code] for code in middle.tolist()],
        which,
        where,
        strict=True,
    )
    return (
        f"{topic}\t{name}\t{order}{middle}{run}\t{place}\n" for topic, name, order, middle, run, place in rows
    )


def _joined(pieces: list[str], bounds: IntArray) -> list[str]:
    """Pieces together, from each bound to the next, without the mark that the first begins with."""
    size = np.diff(bounds)
    found = [NOTHING] * len(size)
    begins = bounds.tolist()
    for number in np.flatnonzero(size == 1).tolist():  # most items are of one result
        found[number] = pieces[begins[number]][1:] or NOTHING
    for number in np.flatnonzero(size > 1).tolist():
        found[number] = "".join(pieces[begins[number] : begins[number + 1]])[1:] or NOTHING
    return found


def _passages(pool: Pool, rows: slice, opens: BoolArray) -> list[str]:
    """Each result with the comma or semicolon before it."""
    marks = np.where(opens, ",", ";").tolist()
    rank, start, end = (column[rows].tolist() for column in (pool.rank, pool.start, pool.end))
    if not len(rank) or (min(start) >= 0 and min(rank) > 0):
        return [f"{m}{r}:{s}-{e}" for m, r, s, e in zip(marks, rank, start, end, strict=True)]
    return [
        m if not r else f"{m}{r}:" if s < 0 else f"{m}{r}:{s}-{e}"
        for m, r, s, e in zip(marks, rank, start, end, strict=True)
    ]


def find_pool(given: Iterable[Input]) -> tuple[Input | None, list[Input]]:
    """The pool file among files, if there is one, and the others; what can be read once is kept."""
    files: list[Input] = []
    rest: list[Input] = []
    for item in map(keep_content, given):
        (files if _is_pool(item) else rest).append(item)
    if len(files) > 1:
        raise ExcerptError("found a second pool file, expected one", path=display_name(files[1]))
    return (files[0] if files else None), rest


def _is_pool(given: Input) -> bool:
    """Whether something begins as a pool file does: perhaps with a head, then topic and document."""
    data = read_beginning(given)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    if text.startswith(FIRST.rsplit(maxsplit=1)[0]):
        return True
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith(MARK))
    return {"topic", "document"} <= set(next(lines, "").split("\t"))


def read_pool(source: Input) -> Pool:
    """Read a pool: a file by its path, its bytes or an open file.

    >>> pool = read_pool(b"topic\\tdocument\\n1\\tA\\n1\\tB\\n")
    >>> [item.document for item in pool.items], pool.items[1].order, pool.items[1].probability
    (['A', 'B'], 2, None)
    """
    try:
        opened = Source.open(source, expected="a pool")
        lines = opened.text.decode().split("\n")
        head, at = Head.read(lines, opened.name)
        pool = Rows.read(lines, at, opened.faults).pool(head)
    except FormatError as error:
        error.hint = error.hint or "excerpt pool writes such files"
        raise
    return replace(pool, results=head.counts(pool.topics, len(pool.inputs)))
