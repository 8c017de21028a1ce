"""Curves: scores of a measure at many cut-offs."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias, overload

import numpy as np

from excerpt.errors import ExcerptError, listed, plural, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import Judged, Measures, Runs, list_runs, name_topic, read_options
from excerpt.evaluation.scoring import ENDS_BEFORE, unique_run_names
from excerpt.files import keep_content
from excerpt.measures import Measure, kind_of, parameters, parse, registry
from excerpt.model.display import Showable
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Gathering, Notices
from excerpt.score_files.saved_scores import csv_line
from excerpt.scores.score_table import ScoreTable, alias_notes
from excerpt.scores.score_views import Estimate, ScoreView

#: Cut-offs: numbers, or text such as `1,2,5`, `1:100` or `0:1:0.1`.
Points: TypeAlias = int | float | Fraction | str | Iterable[int | float | Fraction | str]

_RANKS = "1:50"
_LEVELS = "0:1:0.01"
#: Characters read, and the number of steps up to a single number of them.
_BUDGETS, _BUDGET_STEPS = "500:16000:500", 32
_MOST = 10_000
#: Cumulated gain of a run and of the ideal run.
_GAIN, _IDEAL = "xCG", "xCI"
#: Digits are limited so that no number takes long to parse; 1/0 does not match.
_NUMBER = re.compile(r"(\d{1,18}(\.\d{0,18})?|\.\d{1,18})(/0*[1-9]\d{0,17})?")


@dataclass(frozen=True)
class MeasureFamily:
    """A measure without its cut-off, such as `iP` or `nxCG(quantisation=strict)`."""

    name: str
    #: True if cut-offs are ranks, False if they are proportions such as recall levels.
    by_rank: bool
    #: Name of cut-offs that are proportions.
    levels: str = "recall"

    @classmethod
    def of(cls, name: str) -> MeasureFamily:
        """Parse a measure without its cut-off."""
        name = name.strip()
        bare = re.sub(r"\s*(\[[^\[\]]*\]|@\S+)$", "", name)
        measure = kind_of(cls(name, by_rank=False).word)
        if not any(kind.cutoff for _, kind in parameters(measure)):
            with_cutoff = [
                own
                for own, other in registry().items()
                if own == other.name and any(kind.cutoff for _, kind in parameters(other))
            ]
            message = f"found {name}, which has no cut-off, expected a measure that has one"
            raise ExcerptError(message, hint=f"try one of {short_list(with_cutoff)}")
        if bare != name:
            message = f"found {name!r}, expected a measure without its cut-off"
            raise ExcerptError(message, hint=f"try {bare} with ⟨points⟩")
        # Valid cut-offs may depend on parameters, so one is tried.
        return cls(name, not cls(name, by_rank=False).fits(Fraction(1, 2)), measure.levels)

    @property
    def word(self) -> str:
        """Name of the measure without parameters."""
        word = re.match(r"\w*", self.name)
        return word[0] if word and word[0] else self.name

    def at(self, cutoff: Fraction) -> Measure:
        """Return the measure at one cut-off; an everyday name means the measure of text."""
        return parse(self.name_at(cutoff))

    def name_at(self, cutoff: Fraction) -> str:
        """The name of the measure at one cut-off."""
        return f"{self.name}[{int(cutoff) if cutoff.denominator == 1 else cutoff}]"

    def cutoffs(self, points: Points | None) -> list[Fraction]:
        """Distinct cut-offs in increasing order; raise if one is not valid for the measure."""
        if points is not None:
            cutoffs = sorted(set(_numbers(points, by_rank=self.by_rank)))
        elif self.by_rank:
            cutoffs = list(_range(_RANKS))
        else:
            cutoffs = list(_range(_LEVELS))
            cutoffs = cutoffs if self.fits(cutoffs[0]) else cutoffs[1:]
        if not cutoffs:
            raise ExcerptError("no points given", hint="try points such as 1,2,5,10")
        for cutoff in cutoffs:
            self.at(cutoff)
        return cutoffs

    @property
    def x_label(self) -> str:
        """What the cut-offs are."""
        return "rank" if self.by_rank else self.levels

    def fits(self, cutoff: Fraction) -> bool:
        """Return whether the cut-off is valid for the measure."""
        try:
            self.at(cutoff)
        except ExcerptError:
            return False
        return True


@dataclass(frozen=True)
class BudgetFamily(MeasureFamily):
    """Recall of what is read within a budget; cut-offs are numbers of characters.

    >>> BudgetFamily().name_at(Fraction(4000)), BudgetFamily().x_label
    ('recall(budget=4000)', 'characters read')
    """

    name: str = "recall"
    by_rank: bool = True
    levels: str = "characters read"

    def name_at(self, cutoff: Fraction) -> str:
        """The name of the measure at one budget."""
        return f"{self.name}(budget={int(cutoff) if cutoff.denominator == 1 else cutoff})"

    def cutoffs(self, points: Points | None) -> list[Fraction]:
        """Distinct budgets in increasing order; a single number means steps up to it."""
        if isinstance(points, str) and re.fullmatch(r"\s*[1-9]\d{0,17}\s*", points):
            points = int(points)
        if isinstance(points, int):
            points = [max(1, points * step // _BUDGET_STEPS) for step in range(1, _BUDGET_STEPS + 1)]
        return super().cutoffs(_BUDGETS if points is None else points)

    @property
    def x_label(self) -> str:
        """What the cut-offs are."""
        return self.levels


def _numbers(points: Points, *, by_rank: bool) -> list[Fraction]:
    """Points as numbers; a single rank means all ranks up to it."""
    if isinstance(points, int | float | Fraction):
        points = str(points)
    if isinstance(points, str):
        single = by_rank and re.fullmatch(r"\s*[1-9]\d{0,17}\s*", points)
        parts: list[object] = list((f"1:{points}" if single else points).split(","))
    else:
        parts = list(listed(points, int | float | Fraction | str, "points", "numbers or text such as 1:100"))
    numbers: list[Fraction] = []
    for part in parts:
        numbers += _range(str(part))
        if len(numbers) > _MOST:
            raise ExcerptError(f"found more than {_MOST} points, expected at most {_MOST}")
    return numbers


def _range(text: str) -> list[Fraction]:
    """Parse one number, or a range `first:last` or `first:last:step`."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) == 1:
        parts *= 2
    good = len(parts) in {2, 3} and all(map(_NUMBER.fullmatch, parts))
    first, last, step = (Fraction(part) for part in (*parts, "1")[:3]) if good else (Fraction(0),) * 3
    if step <= 0 or last < first:
        expected = "numbers or ranges such as 1,2,5 or 1:100 or 0:1:0.1"
        raise ExcerptError(f"found {text.strip()!r} as points, expected {expected}")
    count = min(int((last - first) / step), _MOST)
    return [first + step * i for i in range(count + 1)]


@dataclass(frozen=True, eq=False)
class Curve(Showable):
    """Scores of runs at many cut-offs of one measure: means over topics, or the scores of one topic."""

    #: The measure without its cut-off, such as `nxCG(quantisation=strict)`.
    measure: str
    x: FloatArray | IntArray
    runs: tuple[str, ...]
    files: tuple[str, ...]
    #: A row per run, a column per point; NaN where no topic has a score.
    values: FloatArray
    x_label: str
    y_label: str
    topic: str | None = None
    warnings: tuple[str, ...] = ()
    #: Meaning of an everyday name, as in `{"recall": "articleR"}`.
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Low and high limit of each mean, a row per run, if intervals were requested; and the method.
    limits: FloatArray | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict)
    #: Whether whole documents were judged, as in `ScoreTable`.
    documents_judged: bool = False

    def notes(self) -> tuple[str, ...]:
        """Lines that explain everyday names, such as `recall = articleR`."""
        return () if self.documents_judged else alias_notes(self.aliases)

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Heading and rows of the table: `x` and the runs, a row per cut-off."""
        columns: list[list[Any]] = self.values.tolist()
        if self.limits is not None:
            pairs = [zip(*row, strict=True) for row in zip(columns, self.limits.tolist(), strict=True)]
            columns = [
                [None if math.isnan(x) else Estimate(x, *limits) for x, limits in row] for row in pairs
            ]
        return ("x", *self.runs), list(zip(map(str, self.x.tolist()), *columns, strict=True))

    def __repr__(self) -> str:
        return f"<Curve of {self.measure}: {plural(len(self.runs), 'run')}, {plural(len(self.x), 'point')}>"

    def to_csv(self) -> str:
        """CSV with `x` and a column per run (three with limits), all digits; undefined scores are empty."""
        heading, values = list(self.runs), self.values[:, :, None]
        if self.limits is not None:
            heading = [name for run in self.runs for name in (run, f"{run} low", f"{run} high")]
            values = np.concatenate([values, self.limits], axis=2)
        lines = np.moveaxis(values, 1, 0).reshape(len(self.x), -1).tolist()
        rows = (
            [repr(x), *("" if math.isnan(score) else repr(score) for score in scores)]
            for x, scores in zip(self.x.tolist(), lines, strict=True)
        )
        return "".join(map(csv_line, (["x", *heading], *rows)))

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `excerpt curve --format json` prints; an undefined score is None."""
        return {
            "measure": self.measure,
            **({"aliases": dict(self.aliases)} if self.aliases else {}),
            "topic": self.topic,
            "x": self.x.tolist(),
            **({"interval": dict(self.sampling)} if self.sampling else {}),
            "runs": [
                {"name": name, "file": file, "values": _defined(self.values[place])}
                | ({} if self.limits is None else {"limits": _defined(self.limits[place])})
                for place, (name, file) in enumerate(zip(self.runs, self.files, strict=True))
            ],
            "warnings": list(self.warnings),
        }


def _defined(values: FloatArray) -> list[Any]:
    return [None if np.isnan(value).any() else value.tolist() for value in values]


@dataclass(frozen=True)
class Curves(Showable):
    """Curves of several measures on the same runs."""

    curves: tuple[Curve, ...]
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, curves: Iterable[Curve]) -> Curves:
        """Combine curves; a warning that several of them have is kept once."""
        several = tuple(curves)
        if not several:
            raise ExcerptError("no measure given", hint="⟨command=measures⟩ lists the measures")
        warnings = dict.fromkeys(warning for curve in several for warning in curve.warnings)
        return cls(several, tuple(warnings))

    def notes(self) -> tuple[str, ...]:
        """Lines that explain everyday names."""
        notes = dict.fromkeys(note for curve in self.curves for note in curve.notes())
        return (", ".join(notes),) if notes else ()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Heading and rows of the table: the measure, `x` and the runs, a row per measure and cut-off."""
        rows = [(curve.measure, *row) for curve in self.curves for row in curve.listed()[1]]
        return ("measure", *self.curves[0].listed()[0]), rows

    def to_dict(self) -> dict[str, Any]:
        """Return the object that `excerpt curve --format json` prints for several measures."""
        return {"curves": [curve.to_dict() for curve in self.curves], "warnings": list(self.warnings)}


@overload
def curve(judgments: Judged, runs: Runs, measures: Measure | str | None = None, **how: Any) -> Curve: ...
@overload
def curve(judgments: Judged, runs: Runs, measures: Iterable[Measure | str], **how: Any) -> Curves: ...
def curve(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    points: Points | None = None,
    topic: str | None = None,
    ideal: bool = False,
    interval: float | None = None,
    interval_method: str = "bootstrap",
    samples: int = 10_000,
    seed: int = 1,
    notices: Notices | None = None,
    **how: Any,
) -> Curve | Curves:
    """Score runs at many cut-offs of a measure (given without its cut-off), or of several measures.

    Without a measure: recall by the number of characters read, 500, 1000, …, 16000. Without `points`, recall
    levels are 0.00, 0.01, …, 1.00 (from 0.01 if the measure has no level 0) and ranks 1, 2, …, 50. `ideal`
    adds the ideal run to cumulated gain, xCG. With `interval`, such as 0.95, every mean has its limits, from
    `samples` bootstrap samples of the topics, or by Student's t if `interval_method` is t. The rest is as in
    `evaluate`.

    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 0, 40))])
    >>> run = Run.of("mine", [Result("1", "A", 0, 20), Result("1", "B", 0, 20), Result("1", "A", 20, 30)])
    >>> print(curve(judgments, run, "charR", points="1:3").to_csv(), end="")
    x,mine
    1,0.5
    2,0.5
    3,0.75
    """
    if measures is None:
        families: list[MeasureFamily] = [BudgetFamily()]
    else:
        named = listed(measures, Measure | str, "measure", "a measure or the name of one")
        families = [MeasureFamily.of(name) for name in dict.fromkeys(map(str, named))]
    points = tuple(points) if isinstance(points, Iterator) else points
    ranges = [family.cutoffs(points) for family in families]
    for family in families if ideal else ():
        if kind_of(family.word).name != _GAIN:
            raise ExcerptError(f"found {family.name}, expected {_GAIN}, which has an ideal run")
    sampling = _sampling(interval, interval_method, samples, seed, topic)
    if measures is None or isinstance(measures, Measure | str):
        return _curve(families[0], ranges[0], topic, ideal, sampling, judgments, runs, notices=notices, **how)
    several_runs = [keep_content(run) for run in list_runs(runs)]  # read once per measure
    judgments, how = keep_content(judgments), read_options(how)
    curves = Curves.of(
        _curve(family, cutoffs, topic, ideal, sampling, judgments, several_runs, notices=Notices(), **how)
        for family, cutoffs in zip(families, ranges, strict=True)
    )
    with Gathering(notices) as gathered:
        for warning in curves.warnings:
            gathered.add(warning)
    return curves


def _with_ideal(table: ScoreTable, names: list[str]) -> ScoreTable:
    """Table of the first measures, with a run `ideal` that has the scores by the others."""
    own, best = np.split(table.values, 2, axis=2)
    highest = np.fmax.reduce(best)  # runs may lack topics; all others have the same ideal run
    runs = unique_run_names([*((run, "") for run in table.runs), ("ideal", "")])
    files, values = (*table.files, ""), np.concatenate((own, highest[None]))
    return replace(table, runs=runs, files=files, measures=tuple(names), values=values)


def _sampling(
    interval: float | None, method: str, samples: int, seed: int, topic: str | None
) -> dict[str, Any]:
    """Settings of the intervals; empty without intervals, an error for one topic."""
    if interval is None:
        if (method, samples, seed) != ("bootstrap", 10_000, 1):
            raise ExcerptError("the settings of intervals need an interval", hint="try ⟨interval=0.95⟩")
        return {}
    from excerpt.stats.intervals import check_method, check_sampling

    check_sampling(interval, samples, seed)
    check_method(method, samples, seed)
    if topic is not None:
        message = "a single topic has no interval, only means have one"
        raise ExcerptError(message, hint="leave out ⟨interval⟩ or ⟨topic⟩")
    drawn = {"samples": int(samples), "seed": int(seed)}
    return {"level": float(interval), **(drawn if method == "bootstrap" else {"method": method})}


def _limits(table: ScoreTable, *, level: float, **how: Any) -> FloatArray:
    return ScoreView(table, interval=level, **how).limits()


def _of_budgets(table: ScoreTable, how: Mapping[str, Any]) -> ScoreTable:
    """The table without warnings on results that end before a budget: their curve goes on level."""
    kept = tuple(warning for warning in table.warnings if not warning.startswith(ENDS_BEFORE))
    with Gathering(how.get("notices")) as gathered:
        for warning in kept:
            gathered.add(warning)
    return replace(table, warnings=kept)


def _curve(
    family: MeasureFamily,
    cutoffs: list[Fraction],
    topic: str | None,
    ideal: bool,
    sampling: Mapping[str, Any],
    judgments: Judged,
    runs: Runs,
    **how: Any,
) -> Curve:
    names = [family.name_at(cutoff) for cutoff in cutoffs]
    if ideal:
        best = [name.replace(_GAIN, _IDEAL, 1) for name in names]
        table = _with_ideal(evaluate(judgments, runs, [*names, *best], **how), names)
    elif isinstance(family, BudgetFamily):
        table = _of_budgets(evaluate(judgments, runs, names, **{**how, "notices": Notices()}), how)
    else:
        table = evaluate(judgments, runs, names, **how)
    alias = next(iter(table.aliases.values()), "")
    return Curve(
        measure=family.name,
        x=np.array([int(x) for x in cutoffs] if family.by_rank else [float(x) for x in cutoffs]),
        runs=table.runs,
        files=table.files,
        values=table.means() if topic is None else table.values[:, table.place("topic", topic)],
        x_label=family.x_label,
        y_label=f"{family.name}, " + ("mean over topics" if topic is None else name_topic(table, topic)),
        topic=topic,
        warnings=table.warnings,
        aliases={family.name: alias.rpartition("@")[0] or alias.partition("(")[0]} if alias else {},
        limits=_limits(table, **sampling) if sampling else None,
        sampling=sampling,
        documents_judged=table.documents_judged,
    )
