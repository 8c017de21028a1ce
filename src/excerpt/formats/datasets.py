"""Datasets of ir_datasets and tables of ir_measures."""

from __future__ import annotations

import importlib
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.files import DATASET
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, encode
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray, check_spans, whole_numbers
from excerpt.records.record import list_names, list_scores
from excerpt.records.rows import list_rows

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
#: Columns with the reading cost of a result, if a run has them.
_COSTS = ("words", "tokens")


class Table(NamedTuple):
    """Columns of a run or of qrels, from any input that ir_measures accepts."""

    columns: dict[str, list[Any]]

    @classmethod
    def of(cls, given: Any, value: str) -> Table:
        """Return the columns of a data frame, named tuples, or a dict of dicts; `value` is the third one."""
        needed = (*PLAIN, value)
        if isinstance(given, Mapping):
            rows = [(topic, name, one) for topic, by in given.items() for name, one in _items(by, needed)]
            return cls({name: [row[number] for row in rows] for number, name in enumerate(needed)})
        if hasattr(given, "itertuples"):
            columns = {str(name): given[name].tolist() for name in given.columns}
        else:
            rows = list_rows(given, "a data frame, named tuples or a dict of dicts")
            fields = getattr(rows[0], "_fields", ()) if rows else needed
            columns = {name: [getattr(row, name, None) for row in rows] for name in fields}
        required = (*needed, *SPAN) if columns.keys() & set(SPAN) else needed
        for name in required:
            if name not in columns:
                found = f"found the columns {short_list(columns)}" if columns else "columns are missing"
                raise ExcerptError(f"{found}, expected {', '.join(required)}")
        return cls(columns)

    def names(self, column: str) -> tuple[tuple[str, ...], IntArray]:
        """Return the distinct names in a column, and the code of each row's name."""
        return encode(list_names(self.columns[column], column))

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """Topic and document of each row."""
        return list(zip(*(self.columns[name] for name in PLAIN), strict=True))

    @property
    def of_text(self) -> bool:
        """True if rows have the offsets of a span."""
        return SPAN[0] in self.columns

    def numbers(self, column: str) -> IntArray:
        """Return a column of whole numbers; unknown in every row if the column is missing."""
        pairs = self.pairs
        return whole_numbers(self.columns.get(column, [UNKNOWN] * len(pairs)), column, pairs)

    def run(self) -> Run:
        """Return the run, by descending score; ties stay as given, or are ordered as trec_eval does."""
        (topics, topic), (documents, document) = map(self.names, PLAIN)
        start, end = self.numbers("start"), self.numbers("end")
        check_spans(start, end, self.pairs, unknown=True)
        order = np.argsort(topic, kind="stable")
        run = Run.grouped(
            name="run",
            topics=topics,
            documents=documents,
            topic=topic[order],
            document=document[order],
            start=start[order],
            end=end[order],
            score=list_scores(self.columns["score"])[order],
            kind="spans" if self.of_text else "documents",
        )
        costs = {name: self.numbers(name)[order] for name in _COSTS if name in self.columns}
        return replace(run, costs=costs).ordered("score")

    def judgments(self) -> Judgments:
        """Return the judgments: relevance above 0 makes the span, or the whole document, relevant."""
        for grade in self.columns["relevance"]:
            if not isinstance(grade, Real) or math.isnan(grade):
                raise ExcerptError(f"found {short(repr(grade))} as relevance, expected a number")
        grades = np.array(self.columns["relevance"], np.float64)
        return self._text(grades > 0) if self.of_text else self._documents(grades)

    def _text(self, relevant: BoolArray) -> Judgments:
        pairs = [(str(topic), str(document)) for topic, document in self.pairs]
        spans = zip(pairs, self.columns["start"], self.columns["end"], relevant, strict=True)
        sizes, entries = self.columns.get("size", ()), self.columns.get("entry", ())
        return Judgments.of(
            [(*pair, start, end) for pair, start, end, marked in spans if marked],
            irrelevant=[pair for pair, marked in zip(pairs, relevant, strict=True) if not marked],
            sizes={document: size for (_, document), size in zip(pairs, sizes, strict=False)},
            entries=dict(zip(pairs, entries, strict=False)),
        )

    def _documents(self, grades: FloatArray) -> Judgments:
        (topics, topic), (documents, document) = map(self.names, PLAIN)
        marked = (grades > 0).astype(np.int64)
        return Judgments.collect(
            topics,
            documents,
            topic,
            document,
            np.zeros_like(topic),
            marked,
            size=np.ones_like(topic),
            entry=marked - 1,
            scale="documents",
            grade=np.nan_to_num(grades, posinf=0, neginf=0).astype(np.int64),
        )


def _items(given: object, needed: tuple[str, ...]) -> Iterable[tuple[object, object]]:
    if not isinstance(given, Mapping):
        topic, document, value = needed
        raise ExcerptError(f"found {short(repr(given))}, expected {{{topic}: {{{document}: {value}}}}}")
    return given.items()
