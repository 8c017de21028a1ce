"""Saved scores: statistics and reports start from them without the collection."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError
from excerpt.files import (
    Input,
    display_name,
    read_bytes,
    write_bytes,
)
from excerpt.model.saved_scores import from_rows
from excerpt.model.scores import ScoreTable
from excerpt.model.table_joins import join_tables, other_runs, rename_runs

_KNOWN = "known suffixes: .json (everything), .csv (long form), .parquet (long form)"


def save_scores(table: ScoreTable, path: str | os.PathLike[str]) -> None:
    """Write a table of scores as `.json`, `.csv` or `.parquet` (the latter needs pyarrow)."""
    suffix = Path(path).suffix
    if suffix == ".json":
        write_bytes(path, table.to_json().encode())
    elif suffix == ".csv":
        write_bytes(path, table.to_csv().encode())
    elif suffix == ".parquet":
        arrow, parquet = _pyarrow()
        stream = io.BytesIO()
        parquet.write_table(arrow.table(table.columns()), stream)
        write_bytes(path, stream.getvalue())
    else:
        raise ExcerptError(
            f"cannot save scores as {suffix or 'a file without suffix'}", path=str(path), hint=_KNOWN
        )


def load_scores(source: Input) -> ScoreTable:
    """Read a table of scores that `save_scores` wrote, or that `evaluate` printed as JSON with all topics."""
    data, name = read_bytes(source), display_name(source)
    try:
        if data.startswith(b"PAR1"):
            _, parquet = _pyarrow()
            rows = parquet.read_table(io.BytesIO(data)).to_pylist()
            return from_rows(rows)
        text = data.decode()
        return ScoreTable.from_json(text) if text.lstrip().startswith("{") else ScoreTable.from_csv(text)
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, line=error.line, hint=error.hint) from None
    except MemoryError:
        raise ExcerptError("not enough memory to read it", path=name) from None
    except (ValueError, OSError):  # of text that is none, and of Parquet
        raise ExcerptError("found no table of scores, expected one that excerpt saved", path=name) from None


def load_all(paths: Sequence[str]) -> ScoreTable:
    """Saved scores of several files as one table; a name that is of another run in a later file gets that."""
    found, *others = map(load_scores, paths)
    for path, table in zip(paths[1:], others, strict=True):
        names = {run: f"{run} ({Path(path).name})" for run in other_runs(found, table)}
        names = {run: f"{run} ({path})" if name in found.runs else name for run, name in names.items()}
        found = join_tables(found, rename_runs(table, names))
    return found


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExcerptError("Parquet files need pyarrow", hint="pip install 'excerpt[frames]'") from None
    return pa, parquet
