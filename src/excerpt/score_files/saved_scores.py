"""Saved score tables: JSON, CSV and Parquet files, and tables of other tools."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.files import SUFFIXES, Input, display_name, read_bytes, write_bytes
from excerpt.model.judgments import Question
from excerpt.model.run import columns_of, is_frame
from excerpt.model.spans import BoolArray
from excerpt.notices import Notices
from excerpt.score_files.score_rows import COMMENT, NUMBER, ScoreRow, table_rows, text_rows
from excerpt.scores.provenance import checked, further_keys, reconcile
from excerpt.scores.score_table import NAMED_FIRST, Score, ScoreTable, join_tables, other_runs, rename_runs

_LONGEST_WARNING = 900  # characters; ours are shorter
_FORMAT = "excerpt scores"
#: Key of the provenance in Parquet files.
_MADE_WITH = b"excerpt made_with"
#: Largest score: at most, a measure counts characters.
_MOST = 1e15
#: What happens to topics that a run lacks: they score 0, or they are left out.
MissingTopics: TypeAlias = Literal["zero", "drop"]
MISSING: tuple[str, ...] = get_args(MissingTopics)


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
        **table.decided(),
        "values": values,
        "warnings": table.warnings,
        "aliases": dict(table.aliases),
        "questions": {topic: list(question[1:]) for topic, question in table.questions.items()},
        "documents": dict(table.single_documents),
        "made_with": table.made_with,
    }
    if table.missing:
        saved["missing"] = table.missing
    if table.documents_judged:
        saved["documents_judged"] = True
    if table.beside is not None:
        kept = json.loads(to_json(table.beside))
        saved["beside"] = {name: kept[name] for name in ("measures", "values")}
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
    warnings = tuple(dict.fromkeys((*warnings, *further_keys(optional["origin"]))))
    table = ScoreTable(axes[0], axes[1], axes[2], axes[3], values, warnings, **optional)
    beside = saved.get("beside")
    return replace(table, beside=_beside(table, beside)) if beside is not None else table


def _beside(table: ScoreTable, saved: Any) -> ScoreTable:
    """Read the scores of a second opinion, of the same runs and topics."""
    whole = {"format": _FORMAT, "runs": table.runs, "files": table.files, "topics": table.topics}
    try:
        return from_json(json.dumps({**whole, **saved, "warnings": []}))
    except TypeError:
        raise ExcerptError(_NO_TABLE) from None


def _from_printed(saved: dict[str, Any]) -> dict[str, Any]:
    """Turn the object that `excerpt evaluate --format json --per-topic` prints into that of `to_json`."""
    if any("topics" not in run for run in saved["runs"]):
        message = "found only means, expected a table with the scores of every topic"
        raise ExcerptError(message, hint="save one: ⟨save=scores.json⟩")
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
    fields["set"], fields["why"] = _names([saved.get("set") or "", saved.get("why", NAMED_FIRST)])
    fields["missing"] = {run: _names(topics) for run, topics in saved.get("missing", {}).items()}
    fields["documents_judged"] = saved.get("documents_judged") is True
    fields["origin"] = checked(saved.get("made_with"))
    return fields


def to_csv(table: ScoreTable) -> str:
    """Write one line per run, topic and measure; an undefined score is an empty field."""
    rows = ((*score[:3], "" if math.isnan(score.score) else repr(score.score)) for score in table)
    return "".join(map(csv_line, (Score._fields, *rows)))


def columns(table: ScoreTable) -> dict[str, list[Any]]:
    """Columns of the long form: run, topic, measure, score."""
    scores = list(table)
    return {name: [getattr(score, name) for score in scores] for name in Score._fields}


def _provenance(table: ScoreTable) -> str:
    """What scores were made with, and the topics that runs do not have, for a line or a key of a file."""
    missing = {"missing": table.missing} if table.missing else {}
    return json.dumps({**(table.made_with or {}), **missing})


def from_csv(text: str) -> ScoreTable:
    """Read a table that `to_csv` wrote (without files and warnings), or the scores of another tool."""
    return _from_text(text, "", None)


def _from_rows(
    rows: Iterable[ScoreRow], name: str = "", missing: str | None = None, *, own: bool
) -> ScoreTable:
    """Make a table of rows; runs without a name have that of the file. Our `own` scores are at least 0."""
    scores: dict[tuple[str, str, str], float | None] = {}
    lines: dict[tuple[str, str, str], int] = {}
    for row in rows:
        key = (row.run or name, row.topic, row.measure)
        if key in scores:
            raise ExcerptError(
                f"found run {short(key[0])}, topic {short(key[1])}, {short(key[2])} again "
                f"(first in line {lines[key]}), expected one score",
                line=row.line,
            )
        try:
            scores[key] = _score(row.score, 0 if own else -_MOST)
        except ValueError:
            allowed = f"a number from 0 to {_MOST:.0e}" if own else "a number"
            raise ExcerptError(
                f"found score {short(str(row.score))}, expected {allowed} "
                f"(run {short(key[0])}, topic {short(key[1])}, {short(key[2])})",
                line=row.line,
            ) from None
        lines[key] = row.line
    if not scores:
        message = "found no scores of topics, expected those of every topic"
        raise ExcerptError(message, hint="trec_eval and ir_measures: -q")
    table = replace(ScoreTable.from_scores(scores), origin={} if own else None)
    # A measure that a run lacks on all topics is no matter of single scores.
    written = ~np.isnan(ScoreTable.from_scores(dict.fromkeys(scores, 1.0)).values)
    absent = ~written & written.any(axis=1, keepdims=True)
    if not own:  # of other tools, an empty score that another run has is missing, too
        scored = ~np.isnan(table.values)
        absent |= ~scored & scored.any(axis=1, keepdims=True) & scored.any(axis=0, keepdims=True)
    return _complete(table, absent, missing)


def _score(value: object, least: float) -> float:
    """Convert a score, empty to NaN; raise ValueError for other types and for numbers out of range."""
    if value is None or value == "" or (isinstance(value, float) and math.isnan(value)):
        return math.nan
    if isinstance(value, str) and NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= _MOST:
        raise ValueError
    return float(value)


def _complete(table: ScoreTable, absent: BoolArray, missing: str | None) -> ScoreTable:
    """Return a table with all scores; those that are `absent` are 0 or left out with their topics."""
    if not absent.any():
        return table
    lacking = {
        run: [table.topics[i] for i in np.flatnonzero(row.any(axis=1))]
        for run, row in zip(table.runs, absent, strict=True)
    }
    note = _missing_note(lacking, len(table.topics), missing)
    if missing == "zero":
        return replace(table, values=np.where(absent, 0.0, table.values), warnings=note)
    return replace(table.of_topics(np.flatnonzero(~absent.any(axis=(0, 2)))), warnings=note)


def _missing_note(
    lacking: Mapping[str, Sequence[str]], topics: int, missing: str | None, path: str | None = None
) -> tuple[str, ...]:
    """Return a warning about topics that runs lack; raise an error if they are neither 0 nor left out."""
    runs = {run: names for run, names in lacking.items() if names}
    if not runs:
        return ()
    run, names = next(iter(runs.items()))
    others = f"; {plural(len(runs) - 1, 'other run')} lack{'s' * (len(runs) == 2)} some" * (len(runs) > 1)
    found = f"run {short(run)} has no scores on {len(names)} of {plural(topics, 'topic')} "
    found += f"(first: {short(names[0])}){others}"
    if missing not in MISSING:
        hint = "try ⟨missing=zero⟩ (they score 0) or ⟨missing=drop⟩ (these topics are left out)"
        raise ExcerptError(f"{found}; expected scores of every run on every topic", path=path, hint=hint)
    done = "missing scores count as 0" if missing == "zero" else "topics that a run lacks are left out"
    return (f"{done}: {found}",)


_NO_TABLE = "not a table of scores that excerpt saved"


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


def save_scores(table: ScoreTable, path: str | os.PathLike[str], *, fingerprint: bool = True) -> None:
    """Write a table of scores as `.json`, `.csv` or `.parquet` (the latter needs pyarrow).

    `fingerprint=False` leaves out the fingerprints of the documents' texts.
    """
    suffix = Path(path).suffix
    if not fingerprint and table.made_with:
        origin = {key: value for key, value in table.made_with.items() if key != "documents"}
        table = replace(table, origin=origin)
    if suffix == ".json":
        write_bytes(path, table.to_json().encode())
    elif suffix == ".csv":
        write_bytes(path, (_comment(table) + table.to_csv()).encode())
    elif suffix == ".parquet":
        from excerpt.records.objects import import_pyarrow

        arrow, parquet = import_pyarrow()
        stream = io.BytesIO()
        made = {_MADE_WITH: _provenance(table).encode()} if table.made_with else {}
        parquet.write_table(arrow.table(table.columns()).replace_schema_metadata(made), stream)
        write_bytes(path, stream.getvalue())
    else:
        message = f"cannot save scores as {suffix or 'a file without extension'}"
        raise ExcerptError(message, path=str(path), hint=_KNOWN)


def _comment(table: ScoreTable) -> str:
    """Return what the scores were made with, as a comment in front of the lines of CSV."""
    made = table.made_with
    return "" if made is None else f"{COMMENT}{_provenance(table)}\n"


def _from_text(text: str, name: str, missing: MissingTopics | None) -> ScoreTable:
    """Read lines of CSV or of another tool; the first one may be a comment with the origin."""
    comment, _, rest = text.partition("\n") if text.startswith(COMMENT) else ("", "", text)
    own = rest.startswith(",".join(Score._fields))
    table = _from_rows(text_rows(rest), _run_name(name), missing, own=own)
    return _with_origin(table, comment[len(COMMENT) :]) if comment else table


def _with_origin(table: ScoreTable, made: str | bytes) -> ScoreTable:
    saved = json.loads(made)
    missing = saved.pop("missing", {}) if isinstance(saved, dict) else {}
    origin, lacks = checked(saved), {run: _names(topics) for run, topics in missing.items()}
    return replace(table, origin=origin, missing=lacks, warnings=(*table.warnings, *further_keys(origin)))


def load_scores(source: Input | Any, *, missing: MissingTopics | None = None) -> ScoreTable:
    """Read scores that `save_scores` wrote, that `evaluate` printed with all topics, or of another tool.

    These are CSV, TSV, Parquet and data frames, in long form (run, topic, measure and score; also name, qid,
    measure and value) or with a column for each measure, and lines of `trec_eval -q` and `ir_measures -q`,
    with the `runid` or else the file as name of the run. Topics that a run lacks are an error, unless
    `missing` scores are 0 (`zero`) or these topics are left out (`drop`).

    >>> load_scores(b"run,topic,P@5,AP\\na,1,0.4,0.25\\nb,1,0.2,0.5\\n").wide()
       P@5    AP
    a  0.4  0.25
    b  0.2  0.50
    """
    if missing not in (None, *MISSING):
        raise UnknownName("rule for missing topics", str(missing), MISSING)
    if is_frame(source):
        return _from_columns(source, missing)
    data, name = read_bytes(source), display_name(source)
    try:
        if data.startswith(b"PAR1"):
            from excerpt.records.objects import import_pyarrow

            read = import_pyarrow()[1].read_table(io.BytesIO(data))
            made = (read.schema.metadata or {}).get(_MADE_WITH)
            table = _from_columns(read, missing)
            if made is None:
                return table
            return _with_origin(table, made)
        text = data.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            return ScoreTable.from_json(text)
        return _from_text(text, name, missing)
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, line=error.line, hint=error.hint) from None
    except MemoryError:
        raise ExcerptError("not enough memory to read the file", path=name) from None
    except (
        ValueError,
        OSError,
        NotImplementedError,
        LookupError,
        TypeError,
        RecursionError,
    ):  # invalid text or Parquet
        raise ExcerptError(_NO_TABLE, path=name) from None


def _from_columns(frame: Any, missing: MissingTopics | None) -> ScoreTable:
    """Make a table of a data frame of pandas, polars or Arrow; errors name the row, from 1."""
    names = columns_of(frame)
    if twice := [name for number, name in enumerate(names) if name in names[:number]]:
        raise ExcerptError(f"found the column {short(str(twice[0]))} twice, expected it once")
    columns = [
        column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        for column in map(frame.__getitem__, names)
    ]
    rows = table_rows([*map(str, names)], enumerate(zip(*columns, strict=True), 1))
    return _from_rows(rows, "", missing, own=names == list(Score._fields))


def _run_name(file: str) -> str:
    """Return the name of a file without folder and extensions."""
    path = Path(file)
    return (path.with_suffix("") if path.suffix in SUFFIXES else path).stem


def load_all(
    sources: Sequence[Input], changed_judgments: str = "error", missing: MissingTopics | None = None
) -> ScoreTable:
    """Combine scores of several files; a later run with the same name gets its file's name."""
    tables, notices = [load_scores(source, missing=missing) for source in sources], Notices()
    if len(tables) > 1:
        tables = reconcile(tables, changed_judgments, notices)
        tables = _aligned(tables, [*map(display_name, sources)], missing, notices)
    combined, *others = tables
    for path, table in zip(map(display_name, sources[1:]), others, strict=True):
        names = {run: f"{run} ({Path(path).name})" for run in other_runs(combined, table)}
        names = {run: f"{run} ({path})" if name in combined.runs else name for run, name in names.items()}
        combined = join_tables(combined, rename_runs(table, names))
    return replace(combined, warnings=(*combined.warnings, *notices))


def _aligned(
    tables: Sequence[ScoreTable], paths: Sequence[str], missing: str | None, notices: Notices
) -> list[ScoreTable]:
    """Return tables with the same topics."""
    topics = dict.fromkeys(topic for table in tables for topic in table.topics)
    lacking = {
        run: [topic for topic in topics if topic not in known]
        for table, known in ((table, frozenset(table.topics)) for table in tables)
        for run in table.runs
    }
    fewer = (path for path, table in zip(paths, tables, strict=True) if len(table.topics) < len(topics))
    for note in _missing_note(lacking, len(topics), missing, next(fewer, None)):
        notices.add(note)
    left = set() if missing == "zero" else {topic for absent in lacking.values() for topic in absent}
    return [_fitted(table, tuple(topic for topic in topics if topic not in left)) for table in tables]


def _fitted(table: ScoreTable, topics: tuple[str, ...]) -> ScoreTable:
    """Return a table of these topics, with 0 for those that it lacks."""
    places = {topic: place for place, topic in enumerate(table.topics)}
    at = np.array([places.get(topic, -1) for topic in topics], np.int64)
    values = np.where((at < 0)[:, None], 0.0, table.values[:, at])
    return replace(table, topics=topics, values=values)
