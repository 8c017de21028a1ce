"""Runs of whole documents: `topic Q0 document rank score tag` (TREC); ordered by score as trec_eval does."""

from __future__ import annotations

import io
import itertools
import math

import numpy as np

from excerpt.formats.registry import Format, register_run
from excerpt.formats.runs._columns import is_offset, is_result, to_run
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.write import need_words, one_word, write_number
from excerpt.model.run import Run

LAYOUT = "topic Q0 document rank score tag"
EXAMPLE = "1 Q0 A 1 1.5 mine\n1 Q0 B 2 1.2 mine\n"
_COMMENT = ord("#")


def read(source: Source) -> Run:
    """Read six columns; a result is a whole document. Comments and further columns are skipped, as usual."""
    columns = Columns.of(source)
    comments = columns.column(0).byte(0) == _COMMENT
    columns = columns.take(~comments) if comments.any() else columns
    columns = columns.expect_width(range(6, 1 << 40), LAYOUT)
    further = np.flatnonzero(columns.width > 6)
    if len(further):
        source.notices.add(
            "line has more than the six columns of a TREC run, the others were left out",
            len(further),
            where=f"{source.name}:{columns.line[further[0]]}",
        )
    start, end = np.zeros(len(columns), np.int64), np.ones(len(columns), np.int64)
    return to_run(source, columns, start, end, kind="documents")


def recognise(source: Source) -> int:
    """Lines of six columns, the sixth without the colon of a passage, or of more that are no place."""
    results = sum(
        len(row) >= 6 and is_result(row) and ":" not in row[5] and not any(map(_is_place, row[6:8]))
        for row in source.head
    )
    return results + sum(row[0].startswith("#") for row in source.head) if results else 0


def _is_place(text: str) -> bool:
    return is_offset(text) or text.startswith("/") or ":" in text


def write(run: Run, stream: io.BufferedIOBase) -> None:
    """Write each document once, where it first occurs.

    Scores decide the order of a TREC run, ties by document id, descending; where those of a topic would not
    keep its order, or there are none, numbers that fall by one are written instead.
    """
    need_words((*run.topics, *run.documents))
    first = np.unique(run.topic * max(len(run.documents), 1) + run.document, return_index=True)[1]
    first.sort()
    topic, document, score = run.topic[first], run.document[first], run.score[first]
    bounds = [*np.flatnonzero(np.diff(topic, prepend=-1)).tolist(), len(topic)]
    for begin, end in itertools.pairwise(bounds):
        names = [run.documents[code] for code in document[begin:end].tolist()]
        scores: list[float] = score[begin:end].tolist()
        if not _keeps_order(scores, names):
            scores = [float(place) for place in range(end - begin, 0, -1)]
        head, tail = f"{run.topics[int(topic[begin])]} Q0", one_word(run.name)
        lines = (
            f"{head} {name} {place} {write_number(number)} {tail}\n"
            for place, (name, number) in enumerate(zip(names, scores, strict=True), 1)
        )
        stream.write("".join(lines).encode())


def _keeps_order(scores: list[float], documents: list[str]) -> bool:
    """Whether results sorted by score stay as they are, also where scores have single precision."""
    with np.errstate(over="ignore"):
        single = np.array(scores).astype(np.float32).tolist()
    for numbers in (scores, single):
        keys = list(zip(numbers, documents, strict=True))
        if not all(one > two for one, two in itertools.pairwise(keys)):
            return False
    return not any(map(math.isnan, scores))


register_run(
    Format(
        "trec",
        "run",
        LAYOUT,
        "whole documents (TREC), ordered by score",
        read,
        recognise,
        write,
        order="score",
        example=EXAMPLE,
    )
)
