"""Runs in columns: FOL, best entry points, element paths, TREC, Genomics."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.formats.reader import NameColumn, ResultTable
from excerpt.formats.registry import Format, LinesOf, register_run
from excerpt.formats.source import Source, as_characters
from excerpt.formats.text.columns import Columns, decimal, is_whole
from excerpt.model.run import ResultKind, Run, encode
from excerpt.model.spans import UNKNOWN, IntArray

NOWHERE = "X"  # the offset of a result that does not exist
_NOWHERE = (NOWHERE, str(UNKNOWN))
_PATH = r"/|\[\d+\]"
_RANGE = r":|^\d+([,;-]\d*)+$"


def offsets(columns: Columns, number: int) -> IntArray:
    """Return a column of offsets; unknown for `X` and `-1`, which mean that the result does not exist."""
    return columns.integers(number, "offset", missing=_NOWHERE)


def in_columns(_: Source) -> LinesOf:
    """The topic of a line is its first column; a comment has none."""
    return LinesOf((), _first_word, _first_column)


def _first_column(source: Source) -> tuple[Sequence[str], IntArray, IntArray]:
    columns = Columns.of(source).without_comments()
    return *columns.names(0), columns.line


def _first_word(line: bytes) -> bytes | None:
    words = line.split(None, 1)
    return words[0] if words and not words[0].startswith(b"#") else None


def is_result(row: list[str]) -> bool:
    """Return whether rank and score of a line are numbers."""
    return is_whole(row[3].removeprefix("+")) and not math.isnan(decimal(row[4]))


def is_offset(text: str) -> bool:
    """Return whether a column is an offset, possibly written as 120.0."""
    return is_whole(text) or text in _NOWHERE


def is_path(text: str) -> bool:
    """Return whether a column looks like a path, valid or not."""
    return re.search(_PATH, text) is not None


def to_run(
    source: Source,
    columns: Columns,
    start: IntArray | None = None,
    end: IntArray | None = None,
    *,
    kind: ResultKind | None = None,
    paths: NameColumn | None = None,
) -> Run:
    """Return a run from the first six columns and the spans, or the paths, of the format."""
    topics, documents = NameColumn(*columns.names(0)), NameColumn(*columns.names(2))
    rank, score = columns.integers(3, "rank"), columns.floats(4, "score")
    source.faults.settle()
    name = _run_name(source, columns.names(5)[0])
    none, has_span = (np.broadcast_to(value, len(columns)) for value in (UNKNOWN, start is not None))
    start, end = none if start is None else start, none if end is None else end
    results = ResultTable(
        topics, documents, paths or NameColumn((), none), start, end, has_span, rank, score, columns.line
    )
    return results.to_run(source, name, kind)


def _run_name(source: Source, tags: tuple[str, ...]) -> str:
    """Return the first tag, else the name of the file; warn if there are several tags."""
    if len(tags) > 1:
        source.notices.add(f"the run has {len(tags)} tags; the first is used as its name", where=source.name)
    return tags[0] if tags else source.name


TREC_LAYOUT = "topic Q0 document rank score tag"
FOL_LAYOUT = f"{TREC_LAYOUT} offset length"
BEP_LAYOUT = f"{TREC_LAYOUT} offset"
PATHS_LAYOUT = f"{TREC_LAYOUT} path"
GENOMICS_LAYOUT = "topic article rank score start length [tag]"


def read_fol(source: Source) -> Run:
    """Read the eight columns; offset and length become a span."""
    columns = Columns.of(source).expect_width(range(8, 9), FOL_LAYOUT)
    start = offsets(columns, 6)
    known = start != UNKNOWN
    if known.all():
        return to_run(source, columns, start, start + columns.integers(7, "length"))
    end = start.copy()
    end[known] += columns.take(known).integers(7, "length")
    return to_run(source, columns, start, end)


def recognise_fol(source: Source) -> int:
    """Count lines of eight columns that end in an offset and a length, one of which may be faulty."""
    return sum(
        len(row) == 8
        and is_result(row)
        and (is_offset(row[6]) or is_offset(row[7]) or _ends_in_two_numbers(row))
        for row in source.head
    )


def _ends_in_two_numbers(row: list[str]) -> bool:
    """Return whether a line of eight columns ends in numbers, whole or not: a passage, not a document."""
    return len(row) == 8 and not any(math.isnan(decimal(text)) for text in row[6:])


def write_fol(run: Run, stream: io.BufferedIOBase) -> None:
    """Write spans; results that do not exist get the offset X."""
    from excerpt.formats.writer import need_kind, write_columns

    need_kind(run, "fol", ("spans",), "text spans")
    write_columns(
        run, stream, lambda start, end, _element: f"{start} {end - start}" if start >= 0 else f"{NOWHERE} 0"
    )


def read_bep(source: Source) -> Run:
    """Read seven columns; an entry point is an empty span."""
    columns = Columns.of(source).expect_width(range(7, 8), BEP_LAYOUT)
    offset = offsets(columns, 6)
    return to_run(source, columns, offset, offset.copy(), kind="entry points")


def recognise_bep(source: Source) -> int:
    """Count lines of seven columns that end in an offset."""
    return sum(len(row) == 7 and is_result(row) and is_offset(row[6]) for row in source.head)


def write_bep(run: Run, stream: io.BufferedIOBase) -> None:
    """Write the start of each result; results that do not exist get the offset X."""
    from excerpt.formats.writer import need_kind, write_columns

    need_kind(run, "bep", ("spans", "documents", "entry points"), "positions in the text")
    write_columns(run, stream, lambda start, _end, _element: str(start) if start >= 0 else NOWHERE)


def read_paths(source: Source) -> Run:
    """Read seven or eight columns; with an index, paths become spans."""
    columns = Columns.of(source).expect_width(range(7, 9), f"{PATHS_LAYOUT} [last-path]")
    paths, path = _paths(columns)
    odd = np.array([not all(part.startswith("/") for part in text.split(" ")) for text in paths], np.bool_)
    bad = np.flatnonzero(odd[path])
    source.faults.add_all(
        columns.line[bad],
        lambda number: (
            f"found path {short(paths[path[bad[number]]])!r}, expected one such as /article[1]/p[2]"
        ),
    )
    source.faults.settle()
    return to_run(source, columns, paths=NameColumn(paths, path))


def _paths(columns: Columns) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct paths (two of a line joined by a blank), and the code of each line's path."""
    last = np.flatnonzero(columns.width == 8)
    if not len(last):
        return columns.names(6)
    texts = columns.column(6).texts()
    for row, end in zip(last.tolist(), columns.take(last).column(7).texts(), strict=True):
        texts[row] += " " + end
    return encode(texts)


def recognise_paths(source: Source) -> int:
    """Count lines of seven columns that end in a path, with or without its first slash."""
    return sum(len(row) == 7 and is_path(row[6]) for row in source.head)


def recognise_range(source: Source) -> int:
    """Count lines of eight columns that end in two paths."""
    return sum(len(row) == 8 and all(map(is_path, row[6:])) for row in source.head)


def write_paths(run: Run, stream: io.BufferedIOBase) -> None:
    """Write paths; raise if a result has none."""
    if bool((run.element < 0).any()):
        message = "some results have no element path; format path needs one for each"
        raise ExcerptError(message, path=run.source or run.name, hint="try ⟨format=fol⟩")
    from excerpt.formats.writer import write_columns

    write_columns(run, stream, lambda _start, _end, element: run.paths[element])


def read_trec(source: Source) -> Run:
    """Read six columns; a result is a whole document. Comments and further columns are ignored."""
    columns = Columns.of(source).without_comments().expect_width(range(6, 1 << 40), TREC_LAYOUT)
    one = "line has more than the six columns of a TREC run; further columns are ignored"
    many = "lines have more than the six columns of a TREC run; further columns are ignored"
    source.notices.add_marked(one, many, columns.width > 6, lambda row: f"{source.name}:{columns.line[row]}")
    start, end = (np.broadcast_to(offset, len(columns)) for offset in (0, 1))
    return to_run(source, columns, start, end, kind="documents")


def recognise_trec(source: Source) -> int:
    """Count comments and lines of six columns; further columns must not look like offsets or paths."""
    results = sum(
        len(row) >= 6
        and is_result(row)
        and ":" not in row[5]
        and not any(is_offset(text) or is_path(text) or re.search(_RANGE, text) for text in row[6:])
        and not _ends_in_two_numbers(row)
        for row in source.head
    )
    return results + sum(row[0].startswith("#") for row in source.head) if results else 0


def write_trec(run: Run, stream: io.BufferedIOBase) -> None:
    """Write each document once, where it first occurs, with scores that keep the order."""
    from excerpt.formats.writer import score_documents, write_columns

    write_columns(score_documents(run).run, stream)


def read_genomics(source: Source) -> Run:
    """Read six or seven columns; start and length become a span."""
    columns = Columns.of(source).expect_width(range(6, 8), GENOMICS_LAYOUT)
    topics, documents = NameColumn(*columns.names(0)), NameColumn(*columns.names(1))
    rank, score = columns.integers(2, "rank"), columns.floats(3, "score")
    start, length = columns.integers(4, "start"), columns.integers(5, "length")
    source.faults.settle()
    start, end = as_characters(source, *documents, columns.line, start, start + length)
    source.faults.settle()
    tags = columns.take(columns.width > 6).names(6)[0] if bool((columns.width > 6).any()) else ()
    name = _run_name(source, tags)
    paths, has_span = NameColumn((), np.full(len(columns), UNKNOWN)), np.ones(len(columns), np.bool_)
    results = ResultTable(topics, documents, paths, start, end, has_span, rank, score, columns.line)
    return results.to_run(source, name, "spans")


def recognise_genomics(source: Source) -> int:
    """Count lines with rank, score, start and length after topic and document, with ranks from 0 or 1.

    A TREC run whose documents and tags are numbers looks similar, but its third column does not ascend.
    """
    ranks: dict[str, list[int]] = {}
    for row in source.head:
        if _is_passage(row):
            ranks.setdefault(row[0], []).append(int(row[2]))
    count = sum(map(len, ranks.values()))
    ascending = all(
        given[0] <= 1 and given == list(range(given[0], given[0] + len(given))) for given in ranks.values()
    )
    return 2 * count if ascending else 0


def _is_passage(row: list[str]) -> bool:
    numbers = len(row) in {6, 7} and row[1] != "Q0" and all(row[column].isdecimal() for column in (2, 4, 5))
    return numbers and not math.isnan(decimal(row[3]))


for _format in (
    Format(
        "fol",
        "run",
        FOL_LAYOUT,
        "passages by offset and length (INEX 2009, 2010)",
        read_fol,
        recognise_fol,
        write_fol,
        example="1 Q0 A 1 1.5 mine 120 300\n1 Q0 B 2 1.2 mine 0 50\n",
        lines_of=in_columns,
    ),
    Format(
        "bep",
        "run",
        BEP_LAYOUT,
        "best entry points by offset",
        read_bep,
        recognise_bep,
        write_bep,
        example="1 Q0 A 1 1.5 mine 120\n1 Q0 B 2 1.2 mine 0\n",
        lines_of=in_columns,
    ),
    Format(
        "path",
        "run",
        PATHS_LAYOUT,
        "elements by path (INEX 2009, 2010)",
        read_paths,
        recognise_paths,
        write_paths,
        example="1 Q0 A 1 1.5 mine /article[1]/p[2]\n1 Q0 B 2 1.2 mine /article[1]\n",
    ),
    Format(
        "range",
        "run",
        f"{PATHS_LAYOUT} last-path",
        "ranges of elements, first and last path",
        read_paths,
        recognise_range,
        write_paths,
        example="1 Q0 A 1 1.5 mine /article[1]/p[2] /article[1]/p[4]\n",
    ),
    Format(
        "trec",
        "run",
        TREC_LAYOUT,
        "whole documents (TREC), ordered by score",
        read_trec,
        recognise_trec,
        write_trec,
        order="score",
        example="1 Q0 A 1 1.5 mine\n1 Q0 B 2 1.2 mine\n",
        lines_of=in_columns,
    ),
    Format(
        "trec-genomics",
        "run",
        GENOMICS_LAYOUT,
        "passages in bytes of HTML (TREC Genomics 2006, 2007)",
        read_genomics,
        recognise_genomics,
        example="1\tA\t1\t0.9\t120\t300\tmine\n1\tB\t2\t0.8\t0\t50\tmine\n",
    ),
):
    register_run(_format)
