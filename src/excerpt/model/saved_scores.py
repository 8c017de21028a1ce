"""Tables of scores as text, and back: JSON keeps everything, CSV is the long form; both keep every bit.

A file is data of unknown origin: names must be texts, and scores numbers that a score can be.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.model.questions import Question
from excerpt.model.scores import Score, ScoreTable

_FORMAT = "excerpt scores"
#: No score is larger: measures count characters at the most.
_MOST = 1e15
_NUMBER = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?")


def to_json(table: ScoreTable) -> str:
    """The whole table as text."""
    values = [
        [[None if math.isnan(score) else score for score in row] for row in run]
        for run in table.values.tolist()
    ]
    saved = {
        "format": _FORMAT,
        "runs": table.runs,
        "files": table.files,
        "topics": table.topics,
        "measures": table.measures,
        "values": values,
        "warnings": table.warnings,
        "aliases": dict(table.aliases),
        "questions": {topic: list(question[1:]) for topic, question in table.questions.items()},
        "documents": dict(table.documents),
    }
    return json.dumps(saved, ensure_ascii=False)


def from_json(text: str) -> ScoreTable:
    """The table that `to_json` wrote, or that was printed with the scores of every topic."""
    try:
        saved = json.loads(text)
        if isinstance(saved, dict) and "format" not in saved and "runs" in saved:
            return _from_printed(saved)
        axes = [_names(saved[axis]) for axis in ("runs", "files", "topics", "measures", "warnings")]
        rows = [[list(map(_number, row)) for row in run] for run in saved["values"]]
        values = np.array(rows).reshape(len(rows), len(axes[2]), len(axes[3]))
        fits = saved["format"] == _FORMAT and len(axes[0]) == len(axes[1]) == len(rows)
        distinct = all(len(set(axis)) == len(axis) for axis in (axes[0], axes[2], axes[3]))
        beside = _beside(saved)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
        fits = distinct = False
    if not (fits and distinct):
        raise ExcerptError("found no table of scores, expected one that excerpt saved")
    return ScoreTable(axes[0], axes[1], axes[2], axes[3], values, axes[4], **beside)


def _from_printed(saved: dict[str, Any]) -> ScoreTable:
    """The table behind the object that `excerpt evaluate --format json --per-topic` prints."""
    measures = _names(saved["measures"])
    if any("topics" not in run for run in saved["runs"]):
        raise ExcerptError(
            "found means without the scores of topics, expected a saved table",
            hint="save one: ⟨save=scores.json⟩",
        )
    topics = tuple(saved["runs"][0]["topics"].keys())
    values = [
        [[_number(run["topics"][topic][name]) for name in measures] for topic in topics]
        for run in saved["runs"]
    ]
    if any(set(run["topics"]) != set(topics) for run in saved["runs"]):
        raise ValueError
    runs, files = (_names([run[key] for run in saved["runs"]]) for key in ("name", "file"))
    if any(len(set(names)) < len(names) for names in (runs, measures)):
        raise ValueError
    shape = len(runs), len(topics), len(measures)
    return ScoreTable(
        runs,
        files,
        topics,
        measures,
        np.array(values).reshape(shape),
        _names(saved["warnings"]),
        **_beside(saved),
    )


def _beside(saved: dict[str, Any]) -> dict[str, Any]:
    """What is known of names, questions and documents; files of older versions do not tell."""
    found = {name: saved.get(name, {}) for name in ("aliases", "questions", "documents")}
    for name in ("aliases", "documents"):
        _names([*found[name].keys(), *found[name].values()])
    found["questions"] = {
        topic: Question(topic, *_names([text, group, *title]))
        for topic, (text, group, *title) in found["questions"].items()
    }
    return found


def to_csv(table: ScoreTable) -> str:
    """One line per run, topic and measure; an undefined score is an empty field."""
    rows = ((*score[:3], "" if math.isnan(score.score) else repr(score.score)) for score in table)
    return "".join(map(csv_line, (Score._fields, *rows)))


def from_csv(text: str) -> ScoreTable:
    """The table that `to_csv` wrote (files and warnings are not in it)."""
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ExcerptError(f"found no table of scores, expected run,topic,measure,score: {error}") from None
    if not rows or rows[0] != list(Score._fields):
        found = short(",".join(rows[0]) if rows else "")
        raise ExcerptError(f"found the heading {found!r}, expected run,topic,measure,score", line=1)
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
    return ScoreTable.from_scores(scores)


def from_rows(rows: Sequence[dict[str, object]]) -> ScoreTable:
    """A table from rows with run, topic, measure and score, as a data frame has them."""
    try:
        scores: dict[tuple[str, str, str], float | None] = {}
        for row in rows:
            run, topic, measure = _names([row["run"], row["topic"], row["measure"]])
            undefined = isinstance(row["score"], float) and math.isnan(row["score"])
            scores[run, topic, measure] = None if undefined else _number(row["score"])
    except (ValueError, KeyError, TypeError, OverflowError):
        raise ExcerptError(
            "found no table of scores, expected columns run, topic, measure and score", hint=_A_SCORE
        ) from None
    return ScoreTable.from_scores(scores)


_A_SCORE = f"a score is a number from 0 to {_MOST:.0e}, or nothing"


def _number(value: object) -> float:
    """A score, NaN for None; TypeError or an error of the user's for anything that no score can be."""
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    if not 0 <= value <= _MOST:
        raise ExcerptError(f"found score {value!r:.60}, expected a number from 0 to {_MOST:.0e}")
    return float(value)


def _names(values: list[object]) -> tuple[str, ...]:
    """Texts; TypeError for anything else."""
    if not isinstance(values, list) or not all(isinstance(name, str) for name in values):
        raise TypeError
    return tuple(map(str, values))


def csv_line(fields: Sequence[str]) -> str:
    """One line of CSV that ends in a line feed; the writer must think of CRLF to quote both characters."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(fields)
    return text.getvalue().removesuffix("\r\n") + "\n"
