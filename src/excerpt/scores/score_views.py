"""Views of a score table, and means with their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args, overload

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.model.display import Showable
from excerpt.model.spans import FloatArray, IntArray

if TYPE_CHECKING:
    from excerpt.scores.score_table import ScoreTable


@dataclass(frozen=True)
class Estimate:
    """A mean with the limits of its confidence interval."""

    value: float
    low: float
    high: float

    @property
    def limits(self) -> tuple[float, float]:
        """Low and high limit."""
        return self.low, self.high


class Bounds(Estimate):
    """A mean that a list attains (`value`, `low`), and one that no list exceeds (`high`)."""


class PlusMinus(Estimate):
    """An estimate with its errors: from the design (`low`, NaN if unknown) and over topics (`high`)."""


#: Groups of topics: by the group in the judgments (often a corpus), or by document.
By: TypeAlias = Literal["corpus", "group", "document"]
#: Methods for confidence intervals of means.
Method: TypeAlias = Literal["bootstrap", "t"]
#: Default confidence level.
LEVEL = 0.95
#: What a run loses below a perfect score, in the order of its columns.
LOSSES = ("lost_unit", "lost_choice", "lost_ranking")
_ScoreRow: TypeAlias = tuple[str | float | Estimate | None, ...]


@dataclass(frozen=True, eq=False)
class ScoreView(Showable):
    """A view of a score table, such as per topic or per group; only JSON has intervals by default.

    >>> from excerpt.scores.score_table import ScoreTable
    >>> scores = {("r", "1", "P"): 0.5, ("r", "2", "P"): 0.25}
    >>> print(ScoreView(ScoreTable.from_scores(scores), per_topic=True))
    run  topic       P
    ------------------
    r    1      0.5000
    r    2      0.2500
    r    all    0.3750
    """

    table: ScoreTable
    per_topic: bool = False
    by: By | None = None
    #: Confidence level of the intervals in tables; None for tables without intervals.
    interval: float | None = None
    samples: int = 10_000
    seed: int = 1
    #: Bootstrap samples of the topics, or Student's t, which needs scipy.
    method: Method = "bootstrap"

    def __post_init__(self) -> None:
        if self.method != "bootstrap":
            _intervals().check_method(self.method, self.samples, self.seed)
        if (self.interval, self.samples, self.seed) != (None, 10_000, 1):
            level = LEVEL if self.interval is None else self.interval
            _intervals().check_sampling(level, self.samples, self.seed)
        if self.by is not None and not any(self.groups):
            hint = "" if self.by == "document" else "try ⟨by=document⟩"
            raise ExcerptError(f"no topic has a {self.by} in the judgments", hint=hint)

    @property
    def warnings(self) -> tuple[str, ...]:  # type: ignore[override]
        """Warnings of the table."""
        return self.table.warnings

    def __repr__(self) -> str:
        return repr(self.table).replace("ScoreTable", "ScoreView", 1)

    def shown_as(self) -> tuple[str, ...]:
        return ("ScoreTable",)

    def drawn_as(self) -> str:
        return "ScoreTable"

    def notes(self) -> tuple[str, ...]:
        return self.table.notes()

    @cached_property
    def groups(self) -> dict[str, IntArray]:
        """Positions of the topics of each group; topics without a group have the empty name."""
        groups: dict[str, list[int]] = {}
        for place, topic in enumerate(self.table.topics):
            groups.setdefault(_group(self.table, topic, self.by), []).append(place)
        return {name: np.array(places) for name, places in groups.items()}

    @cached_property
    def titles(self) -> dict[str, str]:
        """Titles of topics by id; empty if the view is not per topic."""
        questions = self.table.questions if self.per_topic else {}
        titles = {topic: questions[topic].title for topic in self.table.topics if topic in questions}
        return {topic: title for topic, title in titles.items() if title}

    def means(self, topics: IntArray | None = None) -> FloatArray:
        """Means by run and measure, over all topics or some."""
        return self._part(topics).means()

    def limits(self, topics: IntArray | None = None) -> FloatArray:
        """Limits of the means by run and measure, over all topics or some."""
        values = self._part(topics).values
        runs, count, measures = values.shape
        rows = np.moveaxis(values, 1, 2).reshape(runs * measures, count)
        level = LEVEL if self.interval is None else self.interval
        if self.method == "t":
            limits: FloatArray = _intervals().t_mean_intervals(rows, level)
        else:
            limits = _intervals().mean_intervals(rows, level, self.samples, self.seed)
        return limits.reshape(runs, measures, 2)

    def _part(self, topics: IntArray | None) -> ScoreTable:
        return self.table if topics is None else self.table.of_topics(topics)

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `excerpt evaluate --format json` prints; undefined scores are None."""
        table = self.table
        means, limits = self.means(), self.limits()
        runs: list[dict[str, Any]] = []
        for i, (name, file) in enumerate(zip(table.runs, table.files, strict=True)):
            scores, intervals = self._named(means[i]), self._named(limits[i])
            run = {"name": name, "file": file, "scores": scores, "intervals": intervals}
            run |= {key: dict(own) for key, own in table.gaps.get(name, {}).items()}
            runs.append({**run, "aliases": dict(table.aliases)})  # so that the entry of a run is complete
            if self.per_topic:
                runs[i]["topics"] = {
                    topic: self._named(table.values[i, j]) for j, topic in enumerate(table.topics)
                }
        drawn = {"samples": int(self.samples), "seed": int(self.seed)}
        shown: dict[str, Any] = {
            "measures": list(table.measures),
            **table.decided(),
            "aliases": dict(table.aliases),
            **({"titles": self.titles} if self.titles else {}),
            "interval": {
                "level": float(LEVEL if self.interval is None else self.interval),
                **(drawn if self.method == "bootstrap" else {"method": self.method}),
            },
        }
        if self.by is not None:
            shown["by"] = self.by
            shown["groups"] = {group: len(topics) for group, topics in self.groups.items()}
            parts = [(group, self.means(at), self.limits(at)) for group, at in self.groups.items()]
            for i, entry in enumerate(runs):
                entry["groups"] = {group: self._named(mean[i]) for group, mean, _ in parts}
                entry["group_intervals"] = {group: self._named(limit[i]) for group, _, limit in parts}
        short: dict[str, Any] = {"short_of_budget": table.short_of_budget} if table.short_of_budget else {}
        if short and self.per_topic:  # as in saved scores
            short["short_by_measure"] = dict(table.short)
        if table.unplaced:
            short["unplaced"] = table.unplaced
        saved = {"made_with": table.made_with} if self.per_topic and table.made_with else {}
        return {**shown, "runs": runs, "warnings": list(table.warnings), **short, **saved}

    def _named(self, values: FloatArray) -> dict[str, Any]:
        return {
            measure: None if np.isnan(value).any() else value.tolist()
            for measure, value in zip(self.table.measures, values, strict=True)
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Heading and rows of the table: means of a run follow the scores of its topics or groups."""
        rows = [row for run in range(len(self.table.runs)) for row in self._rows(run)]
        grouped = () if self.by is None else (self.by,)
        titled = ("title",) if self.titles else ()
        single = ("topic", *titled) if self.per_topic else ("topics",) if self.by else ()
        return ("run", *grouped, *single, *self.table.measures, *self._lost_names), rows

    def recorded(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        columns, rows = self.listed()
        at = columns.index("topic") if self.per_topic else -1
        return columns, [row for row in rows if at < 0 or row[at] != "all"]

    @cached_property
    def _lost(self) -> list[tuple[str, str]]:
        """Keys of losses, with the measure of each."""
        keys = dict.fromkeys(key for own in self.table.gaps.values() for key in own if key in LOSSES)
        known = {(key, name) for own in self.table.gaps.values() for key in own for name in own[key]}
        return [(key, name) for name in self.table.measures for key in keys if (key, name) in known]

    @property
    def _lost_names(self) -> tuple[str, ...]:
        several = len(self.table.measures) > 1
        return tuple(f"{measure} {key}" if several else key for key, measure in self._lost)

    def _with_gaps(self, run: int, row: _ScoreRow) -> _ScoreRow:
        """Means of a run with their upper bounds, then what they lose."""
        gaps = self.table.gaps.get(self.table.runs[run], {})
        upper, cells = gaps.get("upper", {}), list(row)
        from_design, over_topics = (gaps.get(key, {}) for key in ("error_design", "error_topics"))
        for place, measure in enumerate(self.table.measures):
            value = cells[place]
            if measure in from_design and isinstance(value, float):
                errors = (own[measure] for own in (from_design, over_topics))
                cells[place] = PlusMinus(value, *(math.nan if one is None else one for one in errors))
            if measure in upper and isinstance(value, float):
                cells[place] = Bounds(value, value, upper[measure])
        return (*cells, *(gaps.get(key, {}).get(measure) for key, measure in self._lost))

    def _rows(self, run: int) -> Iterator[_ScoreRow]:
        name = self.table.runs[run]
        every = np.arange(len(self.table.topics))
        for group, topics in self.groups.items() if self.by else [("", every)]:
            shown = () if self.by is None else (group or "-",)
            if self.per_topic:
                for topic in topics.tolist():
                    scores = map(_cell, self.table.values[run, topic].tolist())
                    named = self._named_topic(self.table.topics[topic])
                    yield (name, *shown, *named, *scores, *(None for _ in self._lost))
            if self.by:
                count = self._named_topic("all") if self.per_topic else (str(len(topics)),)
                yield (name, *shown, *count, *self._shown[group][run], *(None for _ in self._lost))
        last = self._named_topic("all") if self.per_topic else () if self.by is None else (str(len(every)),)
        means = self._with_gaps(run, self._shown[None][run]) if self.table.gaps else self._shown[None][run]
        yield (name, *(() if self.by is None else ("all",)), *last, *means)

    def _named_topic(self, name: str) -> tuple[str, ...]:
        return (name, self.titles.get(name, "")) if self.titles else (name,)

    @cached_property
    def _shown(self) -> Mapping[str | None, list[_ScoreRow]]:
        """Cells of means by run and measure, for each group and for all topics."""
        parts = self.groups.items() if self.by else ()
        return {None: self._cells(None), **{name: self._cells(topics) for name, topics in parts}}

    def _cells(self, topics: IntArray | None) -> list[_ScoreRow]:
        means = self.means(topics)
        if self.interval is None:
            return [tuple(map(_cell, row)) for row in means.tolist()]
        pairs = zip(means.tolist(), self.limits(topics).tolist(), strict=True)
        return [
            tuple(
                _cell(mean) if math.isnan(low) else Estimate(mean, low, high)
                for mean, (low, high) in zip(row, limits, strict=True)
            )
            for row, limits in pairs
        ]


class DocumentScore(NamedTuple):
    """Scores of one returned document; P, R and F are None for an entry point."""

    run: str
    topic: str
    #: Rank of the document, from 1.
    rank: int
    document: str
    #: Precision, recall and F-measure of the text returned from the document.
    P: float | None
    R: float | None
    F: float | None
    #: Score of the document by the measure, and generalised precision up to its rank.
    score: float
    gP: float  # noqa: N815


@dataclass(frozen=True, eq=False)
class DocumentScores(Showable, Sequence[DocumentScore]):
    """Scores of every document that runs return, by run, topic and rank."""

    measure: str
    rows: tuple[DocumentScore, ...]
    warnings: tuple[str, ...] = ()

    @overload
    def __getitem__(self, place: int) -> DocumentScore: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[DocumentScore, ...]: ...
    def __getitem__(self, place: int | slice) -> DocumentScore | tuple[DocumentScore, ...]:
        return self.rows[place]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<DocumentScores: {plural(len(self), 'document')}, {self.measure}>"

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Heading and rows of the table."""
        return DocumentScore._fields, list(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `excerpt evaluate --per-document --format json` prints."""
        rows = [row._asdict() for row in self.rows]
        return {"measure": self.measure, "rows": rows, "warnings": list(self.warnings)}


def _cell(score: float) -> float | None:
    return None if math.isnan(score) else score


def _group(table: ScoreTable, topic: str, by: str | None) -> str:
    if by == "document":
        return table.single_documents.get(topic, "")
    if by not in (None, *get_args(By)):
        raise UnknownName("grouping", str(by), get_args(By))
    question = table.questions.get(topic)
    return "" if question is None or by is None else question.group


def _intervals() -> Any:
    from excerpt.stats import intervals

    return intervals
