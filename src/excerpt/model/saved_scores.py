"""Saved score tables: JSON, CSV and Parquet files."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.files import Input, display_name, read_bytes, write_bytes
from excerpt.model.judgments import Question
from excerpt.model.provenance import checked, reconcile
from excerpt.model.scores import Score, ScoreTable, join_tables, other_runs, rename_runs
from excerpt.notices import Notices

_LONGEST_WARNING = 900  # characters; ours are shorter
_FORMAT = "excerpt scores"
#: Key of the provenance in Parquet files.
_MADE_WITH = b"excerpt made_with"
#: Largest score: at most, a measure counts characters.
_MOST = 1e15
_NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


def to_json(table: ScoreTable) -> str:
    """Write a table as JSON."""
    values = [
        [[None if math.isnan(score) else score for score in row] for row in run]
        for run in table.values.tolist()
    ]
    saved: dict[str, Any] = {
        "format": _FORMAT,
        "runs": table.runs,
        "files": table.files,
        "topics": table.topics,
        "measures": table.measures,
        "values": values,
        "warnings": table.warnings,
        "aliases": dict(table.aliases),
        "questions": {topic: list(question[1:]) for topic, question in table.questions.items()},
        "documents": dict(table.single_documents),
        "made_with": table.made_with,
    }
    if table.short_of_budget:
        saved |= {"short_of_budget": table.short_of_budget, "short_by_measure": table.short}
    return json.dumps(saved, ensure_ascii=False)


def from_json(text: str) -> ScoreTable:
    """Read a table that `to_json` wrote, or that was printed with the scores of every topic."""
    try:
        saved = json.loads(text)
        if isinstance(saved, dict) and "format" not in saved and "runs" in saved:
            saved |= _from_printed(saved)
        axes = [_names(saved[axis]) for axis in ("runs", "files", "topics", "measures", "warnings")]
        rows = [[list(map(_number, row)) for row in run] for run in saved["values"]]
        values = np.array(rows).reshape(len(rows), len(axes[2]), len(axes[3]))
        fits = saved["format"] == _FORMAT and len(axes[0]) == len(axes[1]) == len(rows)
        distinct = all(len(set(axis)) == len(axis) for axis in (axes[0], axes[2], axes[3]))
        optional = _optional(saved)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
        fits = distinct = False
    if not (fits and distinct):
        raise ExcerptError(_NO_TABLE)
    warnings = tuple(short(text, _LONGEST_WARNING) for text in axes[4])
    return ScoreTable(axes[0], axes[1], axes[2], axes[3], values, warnings, **optional)


def _from_printed(saved: dict[str, Any]) -> dict[str, Any]:
    """Turn the object that `excerpt evaluate --format json --per-topic` prints into that of `to_json`."""
    if any("topics" not in run for run in saved["runs"]):
        raise ExcerptError(
            "found only means, expected a table with the scores of every topic",
            hint="save one: ⟨save=scores.json⟩",
        )
    topics = list(saved["runs"][0]["topics"])
    if any(run["topics"].keys() != set(topics) for run in saved["runs"]):
        raise ValueError
    values = [
        [[run["topics"][topic][name] for name in saved["measures"]] for topic in topics]
        for run in saved["runs"]
    ]
    runs, files = ([run[key] for run in saved["runs"]] for key in ("name", "file"))
    return {"format": _FORMAT, "runs": runs, "files": files, "topics": topics, "values": values}


def _optional(saved: dict[str, Any]) -> dict[str, Any]:
    """Aliases, questions, documents and provenance, which files of older versions do not have."""
    fields = {name: saved.get(name, {}) for name in ("aliases", "questions", "documents")}
    for name in ("aliases", "documents"):
        _names([*fields[name].keys(), *fields[name].values()])
    fields["questions"] = {
        topic: Question(topic, *_names([text, group, *title]))
        for topic, (text, group, *title) in fields["questions"].items()
    }
    fields["single_documents"] = fields.pop("documents")
    fields["short"] = {
        run: {name: _number(share) for name, share in shares.items()}
        for run, shares in saved.get("short_by_measure", {}).items()
    }
    fields["origin"] = checked(saved.get("made_with"))
    return fields


def to_csv(table: ScoreTable) -> str:
    """Write one line per run, topic and measure; an undefined score is an empty field."""
    rows = ((*score[:3], "" if math.isnan(score.score) else repr(score.score)) for score in table)
    return "".join(map(csv_line, (Score._fields, *rows)))


def from_csv(text: str) -> ScoreTable:
    """Read a table that `to_csv` wrote (without files and warnings)."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ExcerptError(f"not a CSV table of run,topic,measure,score: {error}") from None
    if not rows or rows[0] != list(Score._fields):
        found = short(",".join(rows[0]) if rows else "")
        raise ExcerptError(f"found the header {found!r}, expected run,topic,measure,score", line=1)
    scores: dict[tuple[str, str, str], float | None] = {}
    for line, row in enumerate(rows[1:], start=2):
        found = short(",".join(row))
        try:
            run, topic, measure, score = row
            value = _number(float(score) if _NUMBER.fullmatch(score) else score or None)
        except ExcerptError as error:
            raise ExcerptError(f"{error.message} (run {run}, topic {topic}, {measure})", line=line) from None
        except (ValueError, TypeError):
            raise ExcerptError(
                f"found {found!r}, expected run,topic,measure,score", line=line, hint=_A_SCORE
            ) from None
        if (run, topic, measure) in scores:
            raise ExcerptError(f"found {found!r} again, expected it once", line=line)
        scores[run, topic, measure] = value
    return replace(ScoreTable.from_scores(scores), origin={})


def from_rows(rows: Sequence[dict[str, object]], made_with: Any = None) -> ScoreTable:
    """Make a table from rows with run, topic, measure and score, and the record of what it was made with."""
    try:
        scores: dict[tuple[str, str, str], float | None] = {}
        for row in rows:
            run, topic, measure = _names([row["run"], row["topic"], row["measure"]])
            undefined = isinstance(row["score"], float) and math.isnan(row["score"])
            scores[run, topic, measure] = None if undefined else _number(row["score"])
        origin = checked(made_with)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise ExcerptError(
            "not a table of scores: expected the columns run, topic, measure and score", hint=_A_SCORE
        ) from None
    return replace(ScoreTable.from_scores(scores), origin=origin)


_NO_TABLE = "not a table of scores that excerpt saved"
_A_SCORE = f"a score is a number from 0 to {_MOST:.0e}, or empty"


def _number(value: object) -> float:
    """Convert a score, None to NaN; raise TypeError for other types, ExcerptError if out of range."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if not 0 <= value <= _MOST:
        raise ExcerptError(f"found score {value!r:.60}, expected a number from 0 to {_MOST:.0e}")
    return float(value)


def _names(values: list[object]) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(name, str) for name in values):
        raise TypeError
    return tuple(map(str, values))


def csv_line(fields: Sequence[str]) -> str:
    """Return one line of CSV that ends in LF; the writer is given CRLF so that it quotes both characters."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(fields)
    return text.getvalue().removesuffix("\r\n") + "\n"


_KNOWN = "known extensions: .json (everything), .csv (long form), .parquet (long form)"


def save_scores(table: ScoreTable, path: str | os.PathLike[str]) -> None:
    """Write a table of scores as `.json`, `.csv` or `.parquet` (the latter needs pyarrow)."""
    suffix = Path(path).suffix
    if suffix == ".json":
        write_bytes(path, table.to_json().encode())
    elif suffix == ".csv":
        write_bytes(path, table.to_csv().encode())
    elif suffix == ".parquet":
        arrow, parquet = import_pyarrow()
        stream = io.BytesIO()
        made = {_MADE_WITH: json.dumps(table.made_with).encode()}
        parquet.write_table(arrow.table(table.columns()).replace_schema_metadata(made), stream)
        write_bytes(path, stream.getvalue())
    else:
        raise ExcerptError(
            f"cannot save scores as {suffix or 'a file without extension'}", path=str(path), hint=_KNOWN
        )


def load_scores(source: Input) -> ScoreTable:
    """Read a table of scores that `save_scores` wrote, or that `evaluate` printed as JSON with all topics."""
    data, name = read_bytes(source), display_name(source)
    try:
        if data.startswith(b"PAR1"):
            _, parquet = import_pyarrow()
            read = parquet.read_table(io.BytesIO(data))
            made = (read.schema.metadata or {}).get(_MADE_WITH, b"null")
            return from_rows(read.to_pylist(), json.loads(made))
        text = data.decode()
        return ScoreTable.from_json(text) if text.lstrip().startswith("{") else ScoreTable.from_csv(text)
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, line=error.line, hint=error.hint) from None
    except MemoryError:
        raise ExcerptError("not enough memory to read the file", path=name) from None
    except (ValueError, OSError):  # invalid text or Parquet
        raise ExcerptError(_NO_TABLE, path=name) from None


def load_all(paths: Sequence[str], changed_judgments: str = "error") -> ScoreTable:
    """Combine saved scores of several files; a later run with the same name gets its file's name."""
    tables, notices = list(map(load_scores, paths)), Notices()
    combined, *others = tables if len(tables) == 1 else reconcile(tables, changed_judgments, notices)
    for path, table in zip(paths[1:], others, strict=True):
        names = {run: f"{run} ({Path(path).name})" for run in other_runs(combined, table)}
        names = {run: f"{run} ({path})" if name in combined.runs else name for run, name in names.items()}
        combined = join_tables(combined, rename_runs(table, names))
    return replace(combined, warnings=(*combined.warnings, *notices))


def import_pyarrow() -> tuple[Any, Any]:
    """Return pyarrow and its module of Parquet files; raise if it is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExcerptError("Parquet files need pyarrow", hint="pip install 'excerpt[frames]'") from None
    return pa, parquet
