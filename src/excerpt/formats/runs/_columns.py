"""What the run formats in columns share: `topic Q0 document rank score tag …`."""

from __future__ import annotations

import math
import re

import numpy as np

from excerpt.formats.results import Names, Results
from excerpt.formats.source import Source
from excerpt.formats.text.columns import Columns
from excerpt.formats.text.fields import decimal
from excerpt.model.run import Kind, Run
from excerpt.model.spans import UNKNOWN, IntArray

NOWHERE = "X"  # instead of an offset: the result does not exist
_NOWHERE = (NOWHERE, str(UNKNOWN))
_PATH = r"/|\[\d+\]"
_RANGE = r"\d+([,:;-]\d*)+"


def offsets(columns: Columns, number: int) -> IntArray:
    """A column of offsets, unknown where it has `X` or `-1`: the result does not exist."""
    return columns.integers(number, "offset", missing=_NOWHERE)


def is_result(row: list[str]) -> bool:
    """Whether the first columns of a line are those of a result: rank and score are numbers."""
    return row[3].removeprefix("+").isdecimal() and not math.isnan(decimal(row[4]))


def is_offset(text: str) -> bool:
    """Whether a column is an offset."""
    return text.isdecimal() or text in _NOWHERE


def is_path(text: str) -> bool:
    """Whether a column seems to be a path, well written or not."""
    return re.search(_PATH, text) is not None


def is_place(text: str) -> bool:
    """Whether a column seems to say where text is, well written or not."""
    return is_offset(text) or is_path(text) or ":" in text or re.fullmatch(_RANGE, text) is not None


def to_run(
    source: Source,
    columns: Columns,
    start: IntArray | None = None,
    end: IntArray | None = None,
    *,
    kind: Kind | None = None,
    paths: Names | None = None,
) -> Run:
    """A run from the first six columns and the spans, or the paths, that the format gives."""
    topics, documents = Names(*columns.names(0)), Names(*columns.names(2))
    rank, score = columns.integers(3, "rank"), columns.floats(4, "score")
    source.faults.settle()
    tags, _ = columns.names(5)
    if len(tags) > 1:
        source.notices.add(f"run has {len(tags)} tags; the first is its name", where=source.name)
    none = np.full(len(columns), UNKNOWN, np.int64)
    results = Results(
        topics=topics,
        documents=documents,
        paths=paths or Names((), none),
        start=none if start is None else start,
        end=none if end is None else end,
        has_span=np.full(len(columns), start is not None),
        rank=rank,
        score=score,
        line=columns.line,
    )
    return results.to_run(source, tags[0] if tags else source.name, kind)
