"""Scores by run, topic and measure, with the names of the axes."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.model.exact import column_sums
from excerpt.model.showable import Showable
from excerpt.model.spans import FloatArray

#: A table of more cells than this must not be almost empty: memory is taken for all of them.
_MANY, _SPARSE = 10_000_000, 100


class Score(NamedTuple):
    """One score; NaN where it is not defined."""

    run: str
    topic: str
    measure: str
    score: float


@dataclass(frozen=True, eq=False)
class ScoreTable(Showable):
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
        scores = self.values[self.place("run", run), :, self.place("measure", measure)]
        return float(exact_means(scores[None])[0])

    def means(self) -> FloatArray:
        """Means over topics, a row per run, a column per measure."""
        return exact_means(np.moveaxis(self.values, 1, 2))

    def select(self, measures: Iterable[str]) -> ScoreTable:
        """The table of some of its measures, however they are spelt."""
        places = list(dict.fromkeys(self.place("measure", name) for name in measures))
        names = tuple(self.measures[place] for place in places)
        return replace(self, measures=names, values=self.values[:, :, places])

    @overload
    def __getitem__(self, key: str) -> dict[str, float]: ...
    @overload
    def __getitem__(self, key: tuple[str, str, str]) -> float: ...
    def __getitem__(self, key: str | tuple[str, str, str]) -> dict[str, float] | float:
        """The score of a run on a topic by a measure; or of a run alone, its mean by every measure."""
        if isinstance(key, str):
            row = self.means()[self.place("run", key)]
            return dict(zip(self.measures, row.tolist(), strict=True))
        if not isinstance(key, tuple) or len(key) != 3:
            raise ExcerptError(f"found {key!r}, expected a run, or a run, a topic and a measure")
        run, topic, measure = key
        return float(
            self.values[self.place("run", run), self.place("topic", topic), self.place("measure", measure)]
        )

    def place(self, axis: Literal["run", "topic", "measure"], name: str) -> int:
        """Where a run, a topic or a measure (however it is spelt) stands on its axis."""
        names = {"run": self.runs, "topic": self.topics, "measure": self.measures}[axis]
        if name in names:
            return names.index(name)
        if axis == "measure":
            meant = _value_of(name)
            for number, other in enumerate(names):
                if meant is not None and meant == _value_of(other):
                    return number
        raise UnknownName(axis, name, names)

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

    def listed(self) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
        """What is shown: columns, and a row of means per run."""
        rows = self.to_dict()["runs"]
        return ("run", *self.measures), [(run["name"], *run["scores"].values()) for run in rows]

    def by_topic(self) -> TopicScores:
        """The same scores, shown topic by topic."""
        return TopicScores(self, self.warnings)

    def __repr__(self) -> str:
        shape = f"{plural(len(self.runs), 'run')}, {plural(len(self.topics), 'topic')}"
        return f"<ScoreTable: {shape}, {short(', '.join(self.measures))}>"

    def to_json(self) -> str:
        """The whole table as text; `from_json` reads it back bit by bit."""
        from excerpt.model import saved_scores  # which makes tables itself

        return saved_scores.to_json(self)

    @classmethod
    def from_json(cls, text: str) -> ScoreTable:
        """The table that `to_json` wrote."""
        from excerpt.model import saved_scores  # which makes tables itself

        return saved_scores.from_json(text)

    def to_csv(self) -> str:
        """Long form: one line per run, topic and measure; an undefined score is an empty field."""
        from excerpt.model import saved_scores  # which makes tables itself

        return saved_scores.to_csv(self)

    @classmethod
    def from_csv(cls, text: str) -> ScoreTable:
        """The table that `to_csv` wrote (files and warnings are not in it)."""
        from excerpt.model import saved_scores  # which makes tables itself

        return saved_scores.from_csv(text)

    @classmethod
    def from_scores(cls, scores: Mapping[tuple[str, str, str], float | None]) -> ScoreTable:
        """A table from (run, topic, measure) → score; what is missing is undefined."""
        runs, topics, measures = (tuple(dict.fromkeys(key[axis] for key in scores)) for axis in range(3))
        cells = len(runs) * len(topics) * len(measures)
        if cells > max(_MANY, _SPARSE * len(scores)):
            raise ExcerptError(
                f"found {len(scores)} scores of {cells} for {plural(len(runs), 'run')}, "
                f"{plural(len(topics), 'topic')} and {plural(len(measures), 'measure')}, expected most"
            )
        values = np.full((len(runs), len(topics), len(measures)), np.nan)
        places = [{name: i for i, name in enumerate(axis)} for axis in (runs, topics, measures)]
        for (run, topic, measure), score in scores.items():
            values[places[0][run], places[1][topic], places[2][measure]] = (
                math.nan if score is None else score
            )
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


@dataclass(frozen=True, eq=False)
class TopicScores(Showable):
    """A table of scores that shows every topic, and `all` for the mean."""

    table: ScoreTable
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return repr(self.table).replace("ScoreTable", "TopicScores", 1)

    def to_dict(self) -> dict[str, Any]:
        """The object that `excerpt evaluate --per-topic --format json` prints."""
        return self.table.to_dict(per_topic=True)

    def listed(self) -> tuple[tuple[str, ...], list[tuple[str | float | None, ...]]]:
        """What is shown: columns, and a row per run and topic."""
        rows: list[tuple[str | float | None, ...]] = []
        for run in self.to_dict()["runs"]:
            rows += [(run["name"], topic, *scores.values()) for topic, scores in run["topics"].items()]
            rows.append((run["name"], "all", *run["scores"].values()))
        return ("run", "topic", *self.table.measures), rows


def exact_means(scores: FloatArray) -> FloatArray:
    """Means over the last axis of what is defined, NaN of nothing; sums are exact, so equal means are equal.

    >>> exact_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5, math.nan, 1.0]])).tolist()
    [0.19999999999999998, 0.19999999999999998, 0.75]
    """
    defined = ~np.isnan(scores)
    rows = np.where(defined, scores, 0.0).reshape(math.prod(scores.shape[:-1]), scores.shape[-1])
    if rows.size and rows.min() >= 0 and rows.max() < math.inf:
        sums = column_sums(np.ascontiguousarray(rows.T))  # many at a time, with the same result
    else:
        sums = np.array([math.fsum(row.tolist()) for row in rows])
    with np.errstate(invalid="ignore"):
        return np.asarray(sums.reshape(scores.shape[:-1]) / defined.sum(axis=-1))


def _value_of(measure: str) -> object:
    """The measure that a text spells, None where it is no measure that is known here."""
    parse = importlib.import_module("excerpt.measures").parse  # a layer above, so not imported with this one
    try:
        return parse(measure)
    except ExcerptError:
        return None


def _frames(library: str) -> Any:
    try:
        return importlib.import_module(library)
    except ImportError:
        raise ExcerptError(f"{library} is not installed", hint="pip install 'excerpt[frames]'") from None
