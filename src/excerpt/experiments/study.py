"""Studies: scores of runs for experiments, on full and on sampled judgments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar, Unpack, cast

import numpy as np

from excerpt.engine import Engine
from excerpt.errors import ExcerptError, plural, short
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import (
    AnyRun,
    EvaluationOptions,
    Judged,
    Measures,
    Runs,
    list_runs,
    settings_of,
    with_questions,
)
from excerpt.evaluation.scoring import Progress, Scored, Scoring, Work, unique_run_names
from excerpt.experiments.parameters import Options, rank_bands
from excerpt.files import Input, keep_content
from excerpt.measures import Measure, expand
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import is_frame
from excerpt.model.samples import Masks, SampleUnit, relevant_assessed, touched, unit_pairs
from excerpt.model.spans import MAX_OFFSET, BoolArray, FloatArray, IntArray, exact_means
from excerpt.model.topic_choice import TopicChoice
from excerpt.notices import Notices
from excerpt.score_files.saved_scores import MissingTopics, load_all, load_scores
from excerpt.score_files.score_rows import is_scores, is_table
from excerpt.scores.score_table import ScoreTable

R = TypeVar("R")
_LARGEST = 1e100  # squares and sums of larger scores overflow; those of scores below its inverse underflow
#: Options that also apply to a table of scores: for messages, and for the choice of topics.
_FOR_TABLES = ("notices", "progress", "topics", "only", "exclude", "ranks", "missing")
#: Groups by run or by topic, a file with such lines, or a rule: difficulty, kind, query-length.
Within: TypeAlias = Mapping[str, str] | Input
#: Passages that a result adds to a pool: all passages of its document, or those it overlaps.
Pooled: TypeAlias = Literal["document", "passage"]
NEVER = np.iinfo(np.int64).max
#: What follows for a correlation of rankings.
FOR_TAU = "so tau measures the ties"
_NAMED_TIES = 30  # most runs that a warning names


class EvaluateOptions(EvaluationOptions, total=False):
    """Options of reading and scoring runs, as in `evaluate`."""

    policy: Policy | None
    workers: int
    cluster: str | None
    notices: Notices | None
    progress: Progress | None


class Evaluating(EvaluateOptions, total=False):
    """Options of every experiment: as in `evaluate`, and the ranks (by the first measure) of the runs."""

    ranks: str | bool | None


class OfScores(Evaluating, total=False):
    """Options of experiments on scores: also what happens to topics that a run of a file of scores lacks."""

    missing: MissingTopics | None


def table_of(scores: ScoreTable | Judged, runs: Runs, measures: Measures | None, how: OfScores) -> ScoreTable:
    """The given table, with all its measures or some; or else the scores of the runs, of all `ranks` or some.

    A table may also be files of scores or a data frame (see `load_scores`). Measures may follow it directly,
    as in `compare(table, "MAiP")`.
    """
    missing = how.get("missing")
    if not isinstance(scores, ScoreTable) and given_scores(scores):
        frame = is_frame(scores)
        scores = load_scores(scores, missing=missing) if frame else load_all(_listed(scores), missing=missing)
    elif missing is not None:
        raise ExcerptError("⟨missing⟩ needs a file of scores or a data frame")
    for name in how:
        if name not in OfScores.__annotations__:
            raise TypeError(f"found the keyword argument {name!r}, expected one of this experiment")
        if isinstance(scores, ScoreTable) and name not in _FOR_TABLES:
            raise ExcerptError(f"{name} and a table of scores cannot be combined: {name} needs runs")
    if not isinstance(scores, ScoreTable):
        reading: Any = {name: value for name, value in how.items() if name not in {"ranks", "missing"}}
        return of_ranks(evaluate(scores, runs, measures, **reading), how.get("ranks"))
    if runs not in ((), []):
        if measures is not None:
            raise ExcerptError("a table of scores and runs to evaluate cannot be combined")
        measures = cast("Measures", runs)
    table = scores if measures is None else scores.select(list_measures(measures))
    return of_ranks(known_topics(table, how), how.get("ranks"))


def _listed(scores: Any) -> list[Any]:
    return [*scores] if isinstance(scores, list | tuple) else [scores]


def given_scores(scores: Any) -> bool:
    """Return whether a value is a table of scores, a data frame or files of scores, not judgments."""
    if isinstance(scores, ScoreTable) or (is_frame(scores) and is_table(scores)):
        return True
    files = _listed(scores)
    return bool(files) and all(map(is_scores, files))


def of_ranks(table: ScoreTable, ranks: str | bool | None) -> ScoreTable:
    """Reduce a table to the runs with these ranks by its first measure.

    Of runs with equal means the first in the table has the better rank; runs without a score come last.

    >>> table = ScoreTable.from_scores({(run, "1", "P"): score for run, score in zip("abc", (0.1, 0.3, 0.2))})
    >>> of_ranks(table, "1,3").runs
    ('a', 'b')
    """
    if ranks is None:
        return table
    count, bands = len(table.runs), rank_bands(Options.of({"ranks": ranks}).ranks)
    last = max(last for _, last in bands)
    if last > count:
        raise ExcerptError(f"found rank {last}, expected at most {count}: there are {plural(count, 'run')}")
    order = np.argsort(-table.means()[:, 0], kind="stable")
    return table.of_runs(np.unique(np.concatenate([order[first - 1 : last] for first, last in bands])))


def known_topics(table: ScoreTable, how: EvaluateOptions) -> ScoreTable:
    """Reduce a table of scores to the chosen topics, and add their titles."""
    table = TopicChoice.of(how.get("only"), how.get("exclude")).of_table(table)
    topics = how.get("topics")
    return table if topics is None else with_questions(table, topics, how.get("notices") or Notices())


def list_measures(measures: Measures) -> list[str]:
    """Names of one measure or of several, with sets expanded."""
    given = [measures] if isinstance(measures, Measure | str) else measures
    return [str(item) for item in expand(given)]


def report_warnings(own: Notices, how: Evaluating, scoring: Notices | None = None) -> tuple[str, ...]:
    """Warnings of the experiment, added to the caller's notices or to Python's, then those of scoring."""
    scoring = scoring if scoring is not None else Notices()
    warnings, notices = (*own, *scoring), how.get("notices")
    if notices is not None:
        notices.extend(own)
        return warnings
    own.extend(scoring)
    own.warn()
    return warnings


def complete_scores(
    table: ScoreTable, notices: Notices, measures: Sequence[str] | None = None, *, least: int = 2
) -> FloatArray:
    """Scores by run, topic and measure, of topics with a score of every run by every measure.

    >>> scores = {("a", "1", "P"): 0.5, ("b", "1", "P"): 0.3, ("a", "2", "P"): 0.1, ("b", "2", "P"): 0.2}
    >>> notices = Notices()
    >>> values = complete_scores(ScoreTable.from_scores({**scores, ("a", "3", "P"): 1.0}), notices)
    >>> values[:, :, 0].tolist(), list(notices)
    ([[0.5, 0.1], [0.3, 0.2]], ['1 topic is not scored for every run by P and is left out (topic 3)'])
    """
    names = table.measures if measures is None else tuple(measures)
    values = table.values[:, :, [table.place("measure", name) for name in names]]
    defined = ~np.isnan(values)
    complete = defined.all(axis=(0, 2))
    if len(table.runs) < 2:
        raise ExcerptError(f"found {plural(len(table.runs), 'run')}, expected at least 2 to compare")
    by = " and ".join(names)
    if int(complete.sum()) < least:
        raise ExcerptError(
            f"found {plural(int(complete.sum()), 'topic')} with a score of every run by {by}, "
            f"expected at least {least}"
        )
    partly = np.asarray(defined.any(axis=(0, 2)) & ~complete)
    lack = f"not scored for every run by {by} and"
    one, many = f"topic is {lack} is left out", f"topics are {lack} are left out"
    notices.add_marked(one, many, partly, lambda topic: f"topic {table.topics[topic]}")
    values = values[:, complete]
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not 1 / _LARGEST < largest < _LARGEST:
        raise ExcerptError(
            f"found {largest:g} as the largest score by {by}, expected a score that can be squared"
        )
    return values


class Group(NamedTuple):
    """Places of the runs and topics of a group, all by default, and the column with its name."""

    runs: IntArray | slice = slice(None)
    topics: IntArray | slice = slice(None)
    column: Mapping[str, str] = {}


@dataclass(frozen=True)
class Study:
    """Runs and their scoring, for experiments that change the judgments."""

    scoring: Scoring
    runs: tuple[AnyRun, ...]
    engine: Engine = Engine()
    progress: Progress | None = None
    #: Warnings about the judgments, then about the runs, counted while they are scored.
    notices: Notices = field(default_factory=Notices)

    @classmethod
    def of(
        cls,
        judgments: Judged,
        runs: Runs,
        measures: Measures | None = None,
        *,
        policy: Policy | None = None,
        workers: int = 1,
        cluster: str | None = None,
        notices: Notices | None = None,
        progress: Progress | None = None,
        ranks: str | bool | None = None,
        **how: Unpack[EvaluationOptions],
    ) -> Study:
        """Make a study from the arguments of `evaluate`, of the runs of all `ranks` or some."""
        notices = notices if notices is not None else Notices()
        engine, (policy, reading) = Engine(workers, cluster), settings_of(policy, how)
        scoring = Scoring.of(judgments, measures or None, policy=policy, reading=reading, notices=notices)
        sampled = "the judgments are a sample, whose probabilities this experiment does not use"
        notices.add(sampled, "", int(scoring.judgments.inclusion is not None))
        study = cls(scoring, tuple(list_runs(runs)), engine, progress, notices)
        return study if ranks is None else study.of_ranks(ranks)

    def __post_init__(self) -> None:
        for name, measure in self.scoring.measures.items():
            of_text = "highlights" in measure.needs and measure.is_share
            if not of_text and "graded elements" not in measure.needs:
                raise ExcerptError(
                    f"found {name}, expected measures of highlighted text or of elements",
                    hint="samples of the judgments do not change other scores",
                )
            if of_text and self.unit == "element":
                raise ExcerptError(
                    f"{name} and measures of graded elements cannot be combined: "
                    "samples are of passages for one, of elements for the others",
                    hint="give each kind of measure on its own",
                )

    @cached_property
    def unit(self) -> SampleUnit:
        """Unit of sampling: elements if measures use elements that were assessed, else passages."""
        graded = any("graded elements" in measure.needs for measure in self.scoring.measures.values())
        elements = self.judgments.elements if graded else None
        return "passage" if elements is None or elements.start is not None else "element"

    def of_ranks(self, ranks: str | bool) -> Study:
        """Reduce the study to the runs with these ranks by the first measure; each is read once more."""
        runs = tuple(map(keep_content, self.runs))
        parts = list(self.scoring.map(Scoring.scores, runs, self.engine, self.progress))
        table = self.scoring.table(parts, Notices())
        chosen = of_ranks(table, ranks).runs
        return replace(self, runs=tuple(runs[table.runs.index(name)] for name in chosen))

    @property
    def judgments(self) -> Judgments:
        """The full judgments."""
        return self.scoring.judgments

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, as given."""
        return tuple(self.scoring.measures)

    def scores(self, masks: BoolArray) -> tuple[tuple[str, ...], FloatArray]:
        """Names of the runs, and scores by sample (a mask each), run, topic and measure."""
        parts = self._each(partial(Scoring.sample_scores, masks=Masks(masks, self.unit)))
        return _names(parts), np.stack([part.value for part in parts], axis=1)

    def scores_and_table(self, masks: BoolArray) -> tuple[tuple[str, ...], FloatArray, ScoreTable]:
        """Names and scores as of `scores`, and the table as of `evaluate`, from one reading of the runs."""
        parts = self._each(partial(_scores_and_table, masks=Masks(masks, self.unit)))
        scores = np.stack([part.value[0] for part in parts], axis=1)
        table = self.scoring.table([part.having(part.value[1]) for part in parts], Notices())
        return table.runs, scores, replace(table, warnings=tuple(self.notices))

    def reach(self, unit: Pooled) -> tuple[tuple[str, ...], IntArray]:
        """Names of the runs, and the best rank at which each contributes each passage (or element)."""
        work = partial(_reach, unit=unit, sampled=self.unit)
        parts = list(self.scoring.map(work, self.runs, self.engine, self.progress))
        return _names(parts), np.stack([part.value for part in parts])

    def _each(self, work: Work[R]) -> list[Scored[R]]:
        parts = list(self.scoring.map(work, self.runs, self.engine, self.progress))
        for part in parts:
            self.notices.extend(part.notices)
        return parts


def _names(parts: Iterable[Scored[R]]) -> tuple[str, ...]:
    return unique_run_names([(part.name, part.file) for part in parts])


def _scores_and_table(
    scoring: Scoring, joined: Joined, notices: Notices, *, masks: Masks
) -> tuple[FloatArray, FloatArray]:
    """Scores by sample, and those of an evaluation, which are NaN for topics left out."""
    full = scoring.scores(joined, notices)
    # Warnings about the run were counted with its scores.
    return scoring.sample_scores(joined, Notices(), masks=masks), full


def _reach(scoring: Scoring, joined: Joined, _: Notices, *, unit: Pooled, sampled: SampleUnit) -> IntArray:
    """Best rank of a result in the document of each passage or element, or that overlaps or returns it."""
    judgments = scoring.judgments
    rank = np.arange(len(joined)) - joined.first[joined.topic] + 1
    rows = np.flatnonzero(joined.pair >= 0)
    if unit == "document":
        by_pair = np.full(len(judgments), NEVER, np.int64)
        np.minimum.at(by_pair, joined.pair[rows], rank[rows])
        return by_pair[unit_pairs(judgments, sampled)]
    if sampled == "element":
        assert judgments.elements is not None
        by_element = np.full(len(judgments.elements) + 1, NEVER, np.int64)
        np.minimum.at(by_element, joined.elements, rank)
        return by_element[relevant_assessed(judgments)]
    spans, end = judgments.spans, joined.end[rows]
    if joined.run.kind == "documents":  # measures of elements do not need their lengths
        end = np.full(len(rows), 2 * MAX_OFFSET + 1, np.int64)
    best = np.full(len(spans), NEVER, np.int64)
    owner, span = touched(spans, joined.pair[rows], joined.start[rows], end)
    np.minimum.at(best, span, rank[rows][owner])
    return best


def generator(*seeds: int) -> np.random.Generator:
    """Random generator that depends on these whole numbers only."""
    if min(seeds) < 0:
        raise ExcerptError(f"found {min(seeds)} as seed, expected a whole number of at least 0")
    return np.random.default_rng(seeds)


def sample_size(level: int, whole: int) -> int:
    """`level` per cent of a number, halves rounded up, at least 1.

    >>> [sample_size(level, 107) for level in (80, 60, 40, 20)]
    [86, 64, 43, 21]
    """
    return max(1, math.floor(Fraction(level) * whole / 100 + Fraction(1, 2)))


def check_levels(levels: Sequence[int], samples: int) -> tuple[int, ...]:
    """The distinct levels; raise an error if one is not a percentage."""
    for level in levels:
        if not 1 <= level <= 100:
            raise ExcerptError(f"found level {level}, expected a percentage from 1 to 100")
    if samples < 1 or not levels:
        raise ExcerptError(
            f"found {plural(samples, 'sample')} of {plural(len(levels), 'level')}, expected at least one each"
        )
    return tuple(dict.fromkeys(levels))


def draw_passages(
    judgments: Judgments, level: int, seeds: tuple[int, int], unit: SampleUnit = "passage"
) -> BoolArray:
    """Mask of the passages or elements in a sample: in each topic, those with the smallest random numbers."""
    topic, passages = passages_of(judgments, unit)
    rng = generator(seeds[0], level, seeds[1])
    order = np.lexsort((rng.random(len(topic)), topic))
    position = np.empty_like(order)
    first = np.concatenate(([0], np.cumsum(passages)))[:-1]
    position[order] = np.arange(len(order)) - first[topic[order]]
    size = np.maximum((2 * level * passages + 100) // 200, 1)  # `sample_size` of all topics
    return np.asarray(position < size[topic])


def passages_of(judgments: Judgments, unit: SampleUnit = "passage") -> tuple[IntArray, IntArray]:
    """Topic of every relevant passage (or assessed element), and the number of passages of each topic."""
    topic = judgments.pair_topic[unit_pairs(judgments, unit)]
    return topic, np.bincount(topic, minlength=len(judgments.topics))


def draw_topics(
    count: int, level: int, samples: int, seed: int, *, replacement: bool = False
) -> list[IntArray]:
    """Samples of topics, each in order; with `replacement` a sample may repeat a topic."""
    size, rngs = sample_size(level, count), (generator(seed, level, number) for number in range(samples))
    if replacement:
        return [np.sort(rng.integers(count, size=size)) for rng in rngs]
    return [np.sort(rng.permutation(count)[:size]) for rng in rngs]


def draw_halves(count: int, level: int, samples: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Pairs of samples that share no topics; empty if there are too few topics."""
    size = max(1, level * count // 100)
    if 2 * size > count:
        return []
    orders = [generator(seed, level, number).permutation(count) for number in range(samples)]
    return [(order[:size], order[size : 2 * size]) for order in orders]


def sample_means(scores: FloatArray, drawn: Sequence[IntArray]) -> FloatArray:
    """Means of each run (row of scores) in each sample of the topics: a row per sample.

    >>> sample_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]), [np.array([0, 1, 2])]).tolist()
    [[0.19999999999999998, 0.19999999999999998]]
    """
    means = [exact_means(scores[:, chosen]) for chosen in drawn]
    return np.array(means).reshape(len(drawn), len(scores))


def summarise(values: FloatArray) -> dict[str, Any]:
    """Mean, standard error and values of one row; undefined values are None."""
    defined = values[~np.isnan(values)]
    error = float(defined.std(ddof=1) / math.sqrt(len(defined))) if len(defined) > 1 else None
    return {
        "samples": len(values),
        "mean": float(defined.mean()) if len(defined) else None,
        "standard_error": error,
        "values": [None if math.isnan(value) else value for value in values.tolist()],
    }


def tied_runs(runs: Sequence[str], means: FloatArray) -> list[list[str]]:
    """Groups of runs with the same defined mean, best first.

    >>> tied_runs("abcde", np.array([0.5, 0.25, 0.5, 0.25, 0.75]))
    [['a', 'c'], ['b', 'd']]
    """
    by_mean: dict[float, list[str]] = {}
    for run, mean in zip(runs, means.tolist(), strict=True):
        if not np.isnan(mean):
            by_mean.setdefault(mean, []).append(run)
    return [by_mean[mean] for mean in sorted(by_mean, reverse=True) if len(by_mean[mean]) > 1]


def warn_tied_runs(
    runs: Sequence[str], means: FloatArray, measure: str, notices: Notices, *, so: str = FOR_TAU
) -> None:
    """Warn of runs that score the same by a measure, with what follows; name them."""
    groups = tied_runs(runs, means)
    count = sum(map(len, groups))
    if not count:
        return
    named, left = [], _NAMED_TIES
    for group in groups:
        named += [" = ".join(map(short, group[:left]))] if left > 0 else []
        left -= len(group)
    more = f" and {-left} more" if left < 0 else ""
    notices.add(f"{count} of {len(runs)} runs score the same by {measure}, {so} ({', '.join(named)}{more})")
