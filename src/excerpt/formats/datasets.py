"""Judgments and runs by their ids in ir_datasets, such as `irds:highwire/trec-genomics-2006`.

The library is imported only where such an id is given: with `irds:` before it, or where no file is so called.
Qrels with places become passages, in bytes as TREC Genomics has them; others are grades of documents. The run
of a dataset are its scored documents.
"""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Literal

from excerpt.errors import ExcerptError, short
from excerpt.files import DATASET

_ID = r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9._-]*)+"


def is_dataset(given: object) -> bool:
    """Whether something is the id of a dataset; without `irds:` only where the library knows it."""
    if not isinstance(given, str):
        return False
    if given.startswith(DATASET):
        return True
    if re.fullmatch(_ID, given) is None or os.path.exists(given):  # noqa: PTH110 - pathlib is not loaded for it
        return False
    return _is_known(given)


def _is_known(name: str) -> bool:
    library = _library()
    return library is not None and name in library.registry


def _library() -> Any:
    """ir_datasets; None where it is not installed."""
    try:
        return importlib.import_module("ir_datasets")
    except ImportError:
        return None


def dataset_lines(given: str, kind: Literal["run", "judgments"]) -> bytes:
    """The qrels of a dataset, or its run, in columns."""
    name, library = given.removeprefix(DATASET), _library()
    if library is None:
        raise ExcerptError(
            "ids of datasets need ir_datasets, which is not installed",
            path=given,
            hint="pip install ir_datasets",
        )
    try:
        dataset = library.load(name)
    except KeyError:
        raise ExcerptError(
            f"found {short(name)!r}, expected the id of a dataset that ir_datasets knows", path=given
        ) from None
    except Exception as error:  # noqa: BLE001 - whatever it ends in
        raise _failed(given, error) from None
    what, called = ("scoreddocs", "a run (scored documents)") if kind == "run" else ("qrels", "qrels")
    if not getattr(dataset, f"has_{what}")():
        raise ExcerptError(f"found a dataset without {called}, expected one that has them", path=given)
    try:  # what is not there yet is fetched now
        rows: Iterable[Any] = getattr(dataset, f"{what}_iter")()
        return "".join(_ranked(rows, name) if kind == "run" else map(_judged, rows)).encode()
    except Exception as error:  # noqa: BLE001 - as above
        raise _failed(given, error) from None


def _failed(given: str, error: Exception) -> ExcerptError:
    detail = short(" ".join(str(error).split()) or type(error).__name__, 200)
    return ExcerptError(f"cannot be loaded by ir_datasets: {detail}", path=given)


def _judged(row: Any) -> str:
    """A line of qrels: with a place as TREC Genomics has it, else a grade."""
    if hasattr(row, "start") and hasattr(row, "length"):
        word = "RELEVANT" if row.relevance > 0 else "NOT_RELEVANT"
        return f"{row.query_id}\t{row.doc_id}\t{row.start}\t{row.length}\t{word}\n"
    return f"{row.query_id} 0 {row.doc_id} {row.relevance}\n"


def _ranked(rows: Iterable[Any], name: str) -> Iterator[str]:
    """Lines of a run; results of a topic stand together."""
    for topic, results in groupby(rows, key=lambda row: row.query_id):
        for rank, row in enumerate(results, 1):
            yield f"{topic} Q0 {row.doc_id} {rank} {row.score} {name}\n"
