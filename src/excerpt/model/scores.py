"""Scores by run, topic and measure, with the names of the axes."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.model.spans import FloatArray

_FORMAT = "excerpt scores"


class Score(NamedTuple):
    """One score; NaN where it is not defined."""

    run: str
    topic: str
    measure: str
    score: float


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores of runs on topics by measures; NaN where a topic does not count for a run and a measure.

    >>> table = ScoreTable(("r",), ("r.fol",), ("1", "2"), ("MAiP",), np.array([[[0.5], [0.25]]]))
    >>> table.mean("r", "MAiP"), table["r", "1", "MAiP"]
    (0.375, 0.5)
    >>> ScoreTable.from_json(table.to_json()).mean("r", "MAiP")
    0.375
    """

    runs: tuple[str, ...]
    files: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    warnings: tuple[str, ...] = ()

    def mean(self, run: str, measure: str) -> float:
        """Mean over the topics where the score is defined; NaN where it never is."""
        return float(
            self.means()[self._place("run", self.runs, run), self._place("measure", self.measures, measure)]
        )

    def means(self) -> FloatArray:
        """Means over topics, a row per run, a column per measure; sums are exact, whatever the order."""
        means = np.full((len(self.runs), len(self.measures)), np.nan)
        for row in range(len(self.runs)):
            for column in range(len(self.measures)):
                scores = self.values[row, :, column]
                counted = scores[~np.isnan(scores)]
                if len(counted):
                    means[row, column] = math.fsum(counted.tolist()) / len(counted)
        return means

    def __getitem__(self, key: tuple[str, str, str]) -> float:
        run, topic, measure = key
        return float(
            self.values[
                self._place("run", self.runs, run),
                self._place("topic", self.topics, topic),
                self._place("measure", self.measures, measure),
            ]
        )

    @staticmethod
    def _place(axis: str, names: tuple[str, ...], name: str) -> int:
        if name not in names:
            raise UnknownName(axis, name, names)
        return names.index(name)

    def __iter__(self) -> Iterator[Score]:
        for i, run in enumerate(self.runs):
            for j, topic in enumerate(self.topics):
                for k, measure in enumerate(self.measures):
                    yield Score(run, topic, measure, float(self.values[i, j, k]))

    def to_dict(self, *, per_topic: bool = False) -> dict[str, Any]:
        """The object that `excerpt evaluate --format json` prints; an undefined score is None."""
        means = self.means()
        runs = []
        for i, (name, file) in enumerate(zip(self.runs, self.files, strict=True)):
            entry: dict[str, Any] = {"name": name, "file": file, "scores": self._named(means[i])}
            if per_topic:
                entry["topics"] = {
                    topic: self._named(self.values[i, j]) for j, topic in enumerate(self.topics)
                }
            runs.append(entry)
        return {"measures": list(self.measures), "runs": runs, "warnings": list(self.warnings)}

    def _named(self, scores: FloatArray) -> dict[str, float | None]:
        return {
            measure: None if math.isnan(score) else score
            for measure, score in zip(self.measures, scores.tolist(), strict=True)
        }

    def to_json(self) -> str:
        """The whole table as text; `from_json` reads it back bit by bit."""
        table = {
            "format": _FORMAT,
            "runs": self.runs,
            "files": self.files,
            "topics": self.topics,
            "measures": self.measures,
            "values": [
                [[None if math.isnan(score) else score for score in row] for row in run]
                for run in self.values.tolist()
            ],
            "warnings": self.warnings,
        }
        return json.dumps(table, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ScoreTable:
        """The table that `to_json` wrote."""
        try:
            saved = json.loads(text)
            axes = [
                tuple(map(str, saved[axis])) for axis in ("runs", "files", "topics", "measures", "warnings")
            ]
            rows = [
                [[math.nan if x is None else float(x) for x in row] for row in run] for run in saved["values"]
            ]
            values = np.array(rows).reshape(len(rows), len(axes[2]), len(axes[3]))
            fits = saved["format"] == _FORMAT and len(axes[0]) == len(axes[1]) == len(rows)
            distinct = all(len(set(axis)) == len(axis) for axis in (axes[0], axes[2], axes[3]))
        except (ValueError, KeyError, TypeError, AttributeError):
            fits = distinct = False
        if not (fits and distinct):
            raise ExcerptError("expected a table of scores as excerpt saves it, found something else")
        return cls(axes[0], axes[1], axes[2], axes[3], values, axes[4])

    def to_csv(self) -> str:
        """Long form: one line per run, topic and measure; an undefined score is an empty field."""
        rows = ((*score[:3], "" if math.isnan(score.score) else repr(score.score)) for score in self)
        return "".join(map(csv_line, (Score._fields, *rows)))

    @classmethod
    def from_csv(cls, text: str) -> ScoreTable:
        """The table that `to_csv` wrote (files and warnings are not in it)."""
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        except csv.Error as error:
            raise ExcerptError(f"expected run,topic,measure,score, found something else: {error}") from None
        if not rows or rows[0] != ["run", "topic", "measure", "score"]:
            raise ExcerptError(
                f"found the heading {','.join(rows[0]) if rows else ''!r}, expected run,topic,measure,score",
                line=1,
            )
        scores: dict[tuple[str, str, str], float] = {}
        for line, row in enumerate(rows[1:], start=2):
            try:
                run, topic, measure, score = row
                value = float(score) if score else math.nan
            except ValueError:
                raise ExcerptError(
                    f"found {','.join(row)!r}, expected run,topic,measure,score", line=line
                ) from None
            if (run, topic, measure) in scores:
                raise ExcerptError(f"found {run},{topic},{measure} again, expected it once", line=line)
            scores[run, topic, measure] = value
        return cls.from_scores(scores)

    @classmethod
    def from_scores(cls, scores: Mapping[tuple[str, str, str], float]) -> ScoreTable:
        """A table from (run, topic, measure) → score; what is missing is undefined."""
        runs, topics, measures = (tuple(dict.fromkeys(key[axis] for key in scores)) for axis in range(3))
        values = np.full((len(runs), len(topics), len(measures)), np.nan)
        places = [{name: i for i, name in enumerate(axis)} for axis in (runs, topics, measures)]
        for (run, topic, measure), score in scores.items():
            values[places[0][run], places[1][topic], places[2][measure]] = score
        return cls(runs, runs, topics, measures, values)

    def columns(self) -> dict[str, list[Any]]:
        """The long form as columns: run, topic, measure, score."""
        scores = list(self)
        return {name: [getattr(score, name) for score in scores] for name in Score._fields}

    def to_pandas(self) -> Any:
        """A pandas data frame in long form: run, topic, measure, score."""
        return _frames("pandas").DataFrame(self.columns())

    def to_polars(self) -> Any:
        """A polars data frame in long form: run, topic, measure, score."""
        return _frames("polars").DataFrame(self.columns())


def csv_line(fields: Sequence[str]) -> str:
    """One line of CSV that ends in a line feed; the writer must think of CRLF to quote both characters."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(fields)
    return text.getvalue().removesuffix("\r\n") + "\n"


def _frames(library: str) -> Any:
    import importlib

    try:
        return importlib.import_module(library)
    except ImportError:
        raise ExcerptError(f"{library} is not installed", hint="pip install 'excerpt[frames]'") from None
