"""Writing runs and judgments: the whole file or nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName
from excerpt.files import writing
from excerpt.formats.registry import Format, judgments_formats, run_formats
from excerpt.model.judgments import Judgments
from excerpt.model.run import Result, Run
from excerpt.model.spans import UNKNOWN

#: What separates columns, and halves of characters, which cannot be written at all.
_BLANK = re.compile("[\\x00-\\x20\\ud800-\\udfff]")

Content = TypeVar("Content", Run, Judgments)


def write_run(run: Run, path: str | os.PathLike[str], format: str = "fol") -> None:  # noqa: A002 - the users' word
    """Write a run in a format that `excerpt formats` lists as written."""
    _write(run, path, format, run_formats(), "run")


def write_judgments(
    judgments: Judgments,
    path: str | os.PathLike[str],
    format: str = "fol",  # noqa: A002 - the users' word
) -> None:
    """Write judgments in a format that `excerpt formats` lists as written."""
    if judgments.elements is not None and not len(judgments.spans):
        raise MissingData(
            f"format {format} needs highlighted text, which was left out on reading",
            path=judgments.source or None,
            hint="give --index INDEX",
        )
    _write(judgments, path, format, judgments_formats(), "judgments")


def _write(
    content: Content, path: str | os.PathLike[str], name: str, formats: dict[str, Format[Content]], kind: str
) -> None:
    written = {key: format_ for key, format_ in formats.items() if format_.write}
    if name not in written:
        raise UnknownName(f"{kind} format to write", name, written)
    write = written[name].write
    assert write is not None
    with writing(path) as stream:
        write(content, stream)


def lines(run: Run) -> Iterator[tuple[int, int, str, Result]]:
    """Row number, rank, score text and record of each result; missing ranks and scores follow the order."""
    need_words((*run.topics, *run.documents))
    last_topic, place = -1, 0
    for row, result in enumerate(run):
        topic = int(run.topic[row])
        place = place + 1 if topic == last_topic else 1
        last_topic = topic
        rank = int(run.rank[row])
        score = repr(-float(place)) if result.score is None else number(result.score)
        yield row, place if rank == UNKNOWN else rank, score, result


def need_words(names: Iterable[str]) -> None:
    """An error where a name would not be one column."""
    for name in names:
        if not name or _BLANK.search(name):
            raise ExcerptError(
                f"found the id {name[:60]!r}, expected one without blanks to write columns",
                hint="try --to jsonl",
            )


def number(score: float) -> str:
    """A score as text that reads back as the same number."""
    whole = np.isfinite(score) and score == int(score) and abs(score) < 1e15 and repr(score) != "-0.0"
    return repr(int(score)) if whole else repr(score)


def tag(run: Run) -> str:
    """The run's name as one word."""
    return "_".join(run.name.split()) or "run"


def need_spans(run: Run, format_: str) -> None:
    """An error where the run has no text spans."""
    if run.kind != "spans":
        what = {"documents": "whole documents of unknown length", "entry points": "entry points"}
        raise MissingData(
            f"format {format_} needs text spans, the run has {what.get(run.kind, 'element paths')}",
            path=run.source or run.name,
            hint="give --index INDEX",
        )


def need_positions(run: Run, format_: str) -> None:
    """An error where the run has no positions in the text."""
    if run.kind == "elements":
        raise MissingData(
            f"format {format_} needs positions in the text, the run has element paths",
            path=run.source or run.name,
            hint="give --index INDEX",
        )
