"""Datasets of ir_datasets and tables of ir_measures."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from numbers import Real
from typing import Any, Literal

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.files import DATASET
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, is_frame
from excerpt.notices import Faults, Notices
from excerpt.records.objects import list_rows
from excerpt.records.record import Records

_ID = r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9._-]*)+"


def is_dataset(given: object) -> bool:
    """Return whether a value is the id of a dataset; without `irds:` only if the library has that id."""
    if not isinstance(given, str):
        return False
    if given.startswith(DATASET):
        return True
    if re.fullmatch(_ID, given) is None or os.path.exists(given):  # noqa: PTH110 - pathlib is not loaded for it
        return False
    library = _library()
    return library is not None and given in library.registry


def _library() -> Any:
    try:
        return importlib.import_module("ir_datasets")
    except ImportError:
        return None


def dataset_lines(given: str, kind: Literal["run", "judgments"]) -> bytes:
    """Return the qrels of a dataset, or its run, in columns."""
    name, library = given.removeprefix(DATASET), _library()
    if library is None:
        message = "dataset ids need ir_datasets, which is not installed"
        raise ExcerptError(message, path=given, hint="pip install ir_datasets")
    try:
        dataset = library.load(name)
    except KeyError:
        message = f"found {short(name)!r}, expected the id of a dataset of ir_datasets"
        raise ExcerptError(message, path=given) from None
    except Exception as error:  # noqa: BLE001 - ir_datasets raises many kinds of errors
        raise _failed(given, error) from None
    part, label = ("scoreddocs", "run (scored documents)") if kind == "run" else ("qrels", "qrels")
    if not getattr(dataset, f"has_{part}")():
        raise ExcerptError(f"this dataset has no {label}", path=given)
    try:  # the library may download the files now
        rows: Iterable[Any] = getattr(dataset, f"{part}_iter")()
        return "".join(_ranked(rows, name) if kind == "run" else map(_judged, rows)).encode()
    except Exception as error:  # noqa: BLE001 - as above
        raise _failed(given, error) from None


def _failed(given: str, error: Exception) -> ExcerptError:
    detail = short(" ".join(str(error).split()) or type(error).__name__, 200)
    return ExcerptError(f"cannot be loaded by ir_datasets: {detail}", path=given)


def _judged(row: Any) -> str:
    """Return a line of qrels: with offsets as in TREC Genomics if the row has them, else with a grade."""
    if hasattr(row, "start") and hasattr(row, "length"):
        word = "RELEVANT" if row.relevance > 0 else "NOT_RELEVANT"
        return f"{row.query_id}\t{row.doc_id}\t{row.start}\t{row.length}\t{word}\n"
    return f"{row.query_id} 0 {row.doc_id} {row.relevance}\n"


def _ranked(rows: Iterable[Any], name: str) -> Iterator[str]:
    """Return the lines of a run; the results of a topic must be adjacent."""
    for topic, results in groupby(rows, key=lambda row: row.query_id):
        for rank, row in enumerate(results, 1):
            yield f"{topic} Q0 {row.doc_id} {rank} {row.score} {name}\n"


PLAIN = ("query_id", "doc_id")
SPAN = ("start", "end")
_EXPECTED = "a data frame, named tuples or a dict of dicts"


def _rows(given: Any) -> Any:
    return given if is_frame(given) or isinstance(given, Mapping) else list_rows(given, _EXPECTED)


def run_of(given: Any) -> Run:
    """Return a run of ir_measures, by descending score; ties stay as given, or are as trec_eval has them."""
    run = Run.of("run", _rows(given), notices=Notices())
    if len(run) and np.isnan(run.score).all():
        raise ExcerptError(f"scores are missing, expected {', '.join(PLAIN)}, score")
    return run.ordered("score")


def judgments_of(given: Any) -> tuple[Judgments, list[Any]]:
    """Return qrels of ir_measures as judgments, and the topic of each row, which may be a number."""
    from excerpt.records.values import judged_rows

    table = judged_rows(_rows(given))
    rows, records = [row for _, row in table.rows()], Records(table, "judgment", Faults(""))
    topics = records.values("topic")
    if not records.present("grade").all():
        raise ExcerptError(f"grades are missing, expected {', '.join(PLAIN)}, relevance in every row")
    if not records.has(SPAN[0]):
        return Judgments.of(rows, notices=Notices()), topics
    # The place of what is not relevant does not matter.
    rows = [row if not _is_low(row) else row | dict.fromkeys(SPAN) | {"relevance": 0} for row in rows]
    if rows and all(map(_is_low, rows)):
        return Judgments.of([], irrelevant=zip(topics, records.values("document"), strict=True)), topics
    return Judgments.of(rows, notices=Notices()), topics


def _is_low(row: Mapping[str, Any]) -> bool:
    grade = row.get("relevance")
    return isinstance(grade, Real) and grade <= 0
