"""Every form in which somebody may have rows: files as bytes, and objects of Python."""

from __future__ import annotations

import csv
import io
import json
from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any, NamedTuple

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

Row = dict[str, Any]
Rows = list[Row]


class Adapter(NamedTuple):
    """A form of rows: how it is made of them, and what it calls the first."""

    make: Callable[[Rows], Any]
    #: How faults name the first row, for a file called `f`.
    first: str = "row 1"
    #: Names must be such of Python.
    identifiers: bool = False
    #: All values of a row are inside of its metadata.
    nested: bool = False


def json_lines(rows: Rows) -> bytes:
    """One object per line."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def table(delimiter: str, *, end: str = "\n", bom: str = "") -> Callable[[Rows], bytes]:
    """Rows with a header."""

    def make(rows: Rows) -> bytes:
        stream = io.StringIO()
        names = list(dict.fromkeys(key for row in rows for key in row))
        writer = csv.writer(stream, delimiter=delimiter, lineterminator=end)
        writer.writerow(names)
        writer.writerows([[_cell(row.get(name)) for name in names] for row in rows])
        return (bom + stream.getvalue()).encode()

    return make


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def parquet(rows: Rows) -> bytes:
    """A file of columns."""
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows), stream)
    return stream.getvalue()


def named_tuples(rows: Rows) -> list[Any]:
    """Records with a name for each value."""
    kind = namedtuple("Given", list(rows[0]))  # type: ignore[misc]  # noqa: PYI024 - as libraries have it
    return [kind(**row) for row in rows]


def data_classes(rows: Rows) -> list[Any]:
    """Objects with fields."""
    kind = make_dataclass("Given", list(rows[0]))
    return [kind(**row) for row in rows]


def metadata(rows: Rows) -> Rows:
    """Everything inside of the metadata, as a vector store may return it."""
    return [{"metadata": dict(row)} for row in rows]


def framework(rows: Rows) -> list[Any]:
    """Objects with the text, and the other values in their metadata."""
    return [SimpleNamespace(metadata=dict(row)) for row in rows]


REFERENCE = Adapter(json_lines, "f:1")
FILES: dict[str, Adapter] = {
    "JSON list": Adapter(lambda rows: json.dumps(rows, indent=1).encode(), "f: row 1"),
    "CSV": Adapter(table(","), "f:2"),
    "TSV": Adapter(table("\t"), "f:2"),
    "semicolons": Adapter(table(";"), "f:2"),
    "CSV of Excel": Adapter(table(",", end="\r\n", bom="\ufeff"), "f:2"),
    "Parquet": Adapter(parquet, "f: row 1"),
    "metadata": Adapter(lambda rows: json_lines(metadata(rows)), "f:1", nested=True),
    "LlamaIndex": Adapter(
        lambda rows: json_lines([{"node": row} for row in metadata(rows)]), "f:1", nested=True
    ),
    "LangChain": Adapter(
        lambda rows: json_lines([{"lc": 1, "kwargs": row} for row in metadata(rows)]), "f:1", nested=True
    ),
    "Qdrant": Adapter(
        lambda rows: json.dumps([{"id": 7, "payload": row} for row in metadata(rows)]).encode(),
        "f: row 1",
        nested=True,
    ),
}
OBJECTS: dict[str, Adapter] = {
    "dictionaries": Adapter(list),
    "pandas": Adapter(pd.DataFrame),
    "Arrow": Adapter(pa.Table.from_pylist),
    "columns": Adapter(lambda rows: {key: [row[key] for row in rows] for key in rows[0]}),
    "named tuples": Adapter(named_tuples, identifiers=True),
    "data classes": Adapter(data_classes, identifiers=True),
    "objects": Adapter(lambda rows: [SimpleNamespace(**row) for row in rows]),
    "objects with metadata": Adapter(framework, nested=True),
    "dictionaries with metadata": Adapter(metadata, nested=True),
    "wrapped objects": Adapter(
        lambda rows: [SimpleNamespace(node=row) for row in framework(rows)], nested=True
    ),
}
if find_spec("polars"):  # with --thorough
    OBJECTS["polars"] = Adapter(lambda rows: import_module("polars").DataFrame(rows))
    OBJECTS["polars, lazy"] = Adapter(lambda rows: import_module("polars").LazyFrame(rows))
