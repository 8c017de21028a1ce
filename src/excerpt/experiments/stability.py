"""Stability of the ranking of runs with fewer relevant passages or topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import LEVELS, TOPIC_LEVELS, Options
from excerpt.experiments.sample_errors import SampleErrors
from excerpt.experiments.study import (
    FOR_TAU,
    Evaluating,
    Group,
    OfScores,
    Study,
    Within,
    check_levels,
    complete_scores,
    draw_halves,
    draw_passages,
    draw_topics,
    given_scores,
    list_measures,
    passages_of,
    report_warnings,
    sample_means,
    summarise,
    table_of,
    warn_tied_runs,
)
from excerpt.experiments.table import EXPERIMENTS
from excerpt.model.spans import FloatArray, IntArray, exact_means
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable
from excerpt.stats.correlation import kendall_many

if TYPE_CHECKING:
    from excerpt.experiments.groups import Grouping


def pool(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = 10,
    seed: int = 1,
    within: Within | None = None,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Correlate rankings of the runs on samples of the relevant passages with the full ranking.

    Per topic `level` per cent of the passages are drawn without replacement; topics with fewer than `least`
    passages are left out of both rankings. A row has Kendall's tau-b of each sample, their mean and its
    standard error. For measures of elements an index finds the elements of each sample's passages; of graded
    assessments, relevant elements are drawn instead of passages. `within` repeats this in each group of runs
    or topics (see `topics`).
    """
    grouping = _grouping(within, how)
    study = Study.of(judgments, runs, measures, **how)
    return _pool(study, levels, samples, least, seed, record, how, grouping)[0]


def _grouping(within: Within | None, how: Evaluating) -> Grouping | None:
    """The rule of groups, with its files read; None without groups."""
    if within is None:
        return None
    from excerpt.experiments.groups import Grouping

    return Grouping.of(within, how)


def _pool(
    study: Study,
    levels: Sequence[int],
    samples: int,
    least: int,
    seed: int,
    record: Record | None,
    how: Evaluating,
    grouping: Grouping | None,
    *,
    whole: bool = False,
) -> tuple[Outcome, ScoreTable | None]:
    """Outcome of `pool`, whose samples are drawn before any run is read, and all scores of the `whole`."""
    levels, judgments, notices = check_levels(levels, samples), study.judgments, Notices()
    topic, passages = passages_of(judgments, study.unit)
    if not passages.any():
        raise ExcerptError(f"the judgments have no relevant {study.unit}s", path=judgments.source or None)
    chosen = passages >= least
    if not chosen.any():
        raise ExcerptError(f"no topic has {least} relevant {study.unit}s", hint="try ⟨least=1⟩")
    masks = [np.ones(len(topic), np.bool_)]
    masks += [
        draw_passages(judgments, level, (seed, number), study.unit)
        for level in levels
        for number in range(samples)
    ]
    table = None
    if whole:
        names, scores, table = study.scores_and_table(np.array(masks))
    else:
        names, scores = study.scores(np.array(masks))
    scores = scores[:, :, chosen]
    means = exact_means(np.moveaxis(scores, -2, -1))
    groups, own = [Group()], [means]
    if grouping is not None:
        kept = tuple(judgments.topics[place] for place in np.flatnonzero(chosen).tolist())
        counted = ScoreTable(names, names, kept, study.measures, scores[0])
        groups = grouping.groups(counted, judgments.topics, notices)
        own = [exact_means(np.moveaxis(scores[:, one.runs][:, :, one.topics], -2, -1)) for one in groups]
    rows = []
    for index, measure in enumerate(study.measures):
        warn_tied_runs(names, means[0, :, index], measure, notices)
        for group, mean in zip(groups, own, strict=True):
            if group.column and np.isnan(mean[:, :, index]).any():
                raise ExcerptError(f"no topic of group {group.column['group']} has scores by {measure}")
            taus = kendall_many(mean[1:, :, index], mean[0, :, index])
            rows += [
                {"measure": measure, **group.column, "level": level, **summarise(tau)}
                for level, tau in zip(levels, taus.reshape(-1, samples), strict=True)
            ]
    few = f"fewer than {least} relevant {study.unit}s"
    one, many = f"topic has {few} and is left out", f"topics have {few} and are left out"
    left_out = ~chosen & (passages > 0)
    notices.add_marked(one, many, left_out, lambda place: f"topic {judgments.topics[place]}")
    warnings = report_warnings(notices, how, study.notices)
    details = {"runs": names, "means": means}
    return Outcome(tuple(rows), record or Record("stability pool", seed), warnings, details), table


def topics(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = TOPIC_LEVELS,
    samples: int = 10,
    seed: int = 1,
    within: Within | None = None,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Correlate rankings of the runs on samples of the topics with the ranking on all topics.

    `within` repeats this in each group, which is then named in a column: groups by run or by topic, a file
    with such lines, or a rule for topics. `difficulty` makes two halves (`hard`, `easy`) by the mean score of
    all runs by the first measure, `query-length` two (`short`, `long`) by the words of the title; of an odd
    number the middle topic is hard, or short. `kind` is CO, or CAS for topics with a structured query.
    """
    levels, parts = check_levels(levels, samples), _ScoreParts.of(scores, runs, measures, within, how)
    parts.warn_ties(FOR_TAU)
    rows = []
    for measure, group, by_topic in parts:
        full = exact_means(by_topic)
        for level in levels:
            taus = kendall_many(
                sample_means(by_topic, draw_topics(by_topic.shape[1], level, samples, seed)), full
            )
            rows.append({"measure": measure, **group.column, "level": level, **summarise(taus)})
    return Outcome(tuple(rows), record or Record("stability topics", seed), parts.warnings(how))


@dataclass(frozen=True)
class _ScoreParts:
    """Scores on the topics that all runs have scores on, in all groups or in one of all runs and topics."""

    table: ScoreTable
    values: FloatArray
    groups: list[Group]
    notices: Notices

    @classmethod
    def of(
        cls,
        scores: ScoreTable | Judged,
        runs: Runs,
        measures: Measures | None,
        within: Within | None,
        how: OfScores,
    ) -> _ScoreParts:
        grouping = _grouping(within, how)
        table, notices = table_of(scores, runs, measures, how), Notices()
        values, groups = complete_scores(table, notices), [Group()]
        if grouping is not None:
            complete = np.flatnonzero(~np.isnan(table.values).any(axis=(0, 2)))
            groups = grouping.groups(table.of_topics(complete), table.topics, notices)
        return cls(table, values, groups, notices)

    def __iter__(self) -> Iterator[tuple[str, Group, FloatArray]]:
        """Each measure with each group, and its scores by run and topic."""
        for index, measure in enumerate(self.table.measures):
            for group in self.groups:
                yield measure, group, self.values[group.runs][:, group.topics, index]

    def warn_ties(self, so: str) -> None:
        """Warn of runs that score the same by a measure on all topics, with what follows."""
        for measure, means in zip(
            self.table.measures, exact_means(self.values.transpose(2, 0, 1)), strict=True
        ):
            warn_tied_runs(self.table.runs, means, measure, self.notices, so=so)

    def warnings(self, how: Evaluating) -> tuple[str, ...]:
        return (*self.table.warnings, *report_warnings(self.notices, how))


def errors(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    replacement: bool = False,
    versus: str | None = None,
    seed: int = 1,
    within: Within | None = None,
    record: Record | None = None,
    **how: Unpack[OfScores],
) -> Outcome:
    """Error rate of samples of topics about which of two runs is better (Buckley & Voorhees).

    Scores within the fuzziness tie: relative to the larger score, or `absolute`. Samples may share topics,
    and for each pair of runs the minority of the samples errs: a lower bound. With `replacement` a sample may
    repeat a topic. With `disjoint`, `samples` pairs of samples that share no topics are drawn, and a pair of
    runs errs if the two samples contradict each other (Sanderson & Zobel): an upper bound. `within` repeats
    this in each group of runs or topics (see `topics`).

    `standard_error` is that of the rate over samples, by the jackknife. With `versus` the rate of every other
    measure is compared with that of this measure, on the same samples: `difference`, and its
    `difference_standard_error`.
    """
    check_errors(samples, fuzziness, disjoint=disjoint, replacement=replacement)
    if versus is not None:
        runs, measures = _with_versus(scores, runs, measures, versus)
    levels, parts = check_levels(levels, samples), _ScoreParts.of(scores, runs, measures, within, how)
    base = None if versus is None else _versus(parts.table, versus)
    parts.warn_ties("so neither of two is better")
    if disjoint and max(levels) > 50:
        parts.notices.add("samples of more than 50 % of the topics cannot be disjoint and have no error rate")
    count: Callable[..., SampleErrors] = SampleErrors.of_disjoint if disjoint else SampleErrors.of_shared
    draw = partial(_draw, samples=samples, seed=seed, disjoint=disjoint, replacement=replacement)
    found = [
        (
            {"measure": measure, **group.column, "level": level, "samples": samples},
            count(
                *(
                    compare_means(sample_means(by_topic, side), fuzziness, absolute=absolute)
                    for side in draw(by_topic.shape[1], level)
                )
            ),
        )
        for measure, group, by_topic in parts
        for level in levels
    ]
    rows = [named | own.row() for named, own in found]
    if base is not None:
        of_base = {_place(named): own for named, own in found if named["measure"] == base}
        for row, (named, own) in zip(rows, found, strict=True):
            other = None if row["measure"] == base else of_base[_place(named)]
            row |= {"versus": base if other else None, **own.versus(other)}
    return Outcome(tuple(rows), record or Record("stability errors", seed), parts.warnings(how))


def _with_versus(
    scores: ScoreTable | Judged, runs: Runs, measures: Measures | None, versus: str
) -> tuple[Runs, Measures | None]:
    """Runs and measures; the one that the others are compared with is the last if it is not named."""
    if measures is None and given_scores(scores) and runs not in ((), []):  # as in `errors(table, "MAiP")`
        runs, measures = (), cast("Measures", runs)
    if measures is None:
        return runs, measures
    return runs, list(dict.fromkeys((*list_measures(measures), *list_measures(versus))))


def _place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """Group and level of a row, which measures share."""
    return row.get("group"), row["level"]


def _versus(table: ScoreTable, measure: str) -> str:
    """Name in the table of the measure that the others are compared with."""
    name = table.measures[table.place("measure", measure)]
    if len(table.measures) < 2:
        raise ExcerptError(f"found only {name}, expected another measure to compare it with")
    return name


def check_errors(samples: int, fuzziness: float, *, disjoint: bool, replacement: bool) -> None:
    """Raise an error, before any work is done, if options are out of range or cannot be combined."""
    if disjoint and replacement:
        raise ExcerptError(
            "⟨disjoint⟩ and ⟨replacement⟩ cannot be combined: disjoint samples repeat no topic"
        )
    if not 0 <= fuzziness < 1 or (samples < 2 and not disjoint):
        raise ExcerptError(
            f"found fuzziness {fuzziness} and {plural(samples, 'sample')}, "
            "expected a fuzziness from 0 to below 1 and at least 2 samples"
        )


def _draw(
    count: int, level: int, samples: int, seed: int, *, disjoint: bool, replacement: bool
) -> list[list[IntArray]]:
    """Samples of topics: one list of them, or two lists if they are disjoint."""
    if not disjoint:
        return [draw_topics(count, level, samples, seed, replacement=replacement)]
    pairs = draw_halves(count, level, samples, seed)
    return [[pair[side] for pair in pairs] for side in (0, 1)]


def compare_means(means: FloatArray, fuzziness: float, *, absolute: bool) -> IntArray:
    """Compare each pair of runs in each sample: 1 if the first is better, -1 if worse, 0 if they tie."""
    one, other = np.triu_indices(means.shape[1], 1)
    a, b = means[:, one], means[:, other]
    bound = fuzziness if absolute else fuzziness * np.maximum(np.abs(a), np.abs(b))
    # Scores that differ by exactly the fuzziness tie, whatever the last bit of their difference.
    tied = np.abs(a - b) <= bound + 1e-12 * np.maximum(np.abs(a), np.abs(b))
    return np.where(tied, 0, np.sign(a - b)).astype(np.int64)


def stability(
    experiment: str,
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    **options: Any,
) -> Outcome:
    """Run an experiment by its name: `pool`, `topics`, `errors`, `depth`, `unpooled`, `effort` or `sampled`.

    `options` are those of the experiment and of `evaluate`. A table of scores is enough for
    `topics` and `errors`; the others need judgments and runs.

    >>> table = ScoreTable.from_scores({(run, t, "P"): len(run) / 9 for run in ("a", "bb") for t in "123"})
    >>> stability("topics", table, levels=(50,), samples=3).rows[0]["mean"]
    1.0
    """
    names = {name.split()[1]: name for name in EXPERIMENTS if name.startswith("stability ")}
    if experiment not in names:
        raise UnknownName("experiment", experiment, names)
    entry = EXPERIMENTS[names[experiment]]
    kind: type[Options] = entry.load("options")
    own = {item.name: options[item.name] for item in fields(kind) if item.name in options}
    checked = {name: getattr(kind.of(own), name) for name in own}
    outcome: Outcome = entry.load("function")(scores, runs, measures, **options | checked)
    return outcome


def whole_study(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    levels: Sequence[int] | None = None,
    samples: int = 10,
    least: int = 10,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    replacement: bool = False,
    versus: str | None = None,
    seed: int = 1,
    within: Within | None = None,
    records: Mapping[str, Record] | None = None,
    **how: Unpack[Evaluating],
) -> dict[str, Outcome]:
    """Run `pool`, `topics` and `errors`, and return their outcomes by name; each run is read once."""
    check_errors(samples, fuzziness, disjoint=disjoint, replacement=replacement)  # before hours of reading
    grouping = _grouping(within, how)
    study = Study.of(judgments, runs, measures, **how)
    by_name = records or {}
    drawing = (levels or LEVELS, samples, least, seed)
    pooled, table = _pool(study, *drawing, by_name.get("pool"), how, grouping, whole=True)
    assert table is not None, "the scores of the whole"
    same: dict[str, Any] = {"samples": samples, "seed": seed, "notices": Notices()}
    same |= {"within": within, "topics": how.get("topics")} if within is not None else {}
    fuzzy: dict[str, Any] = {"fuzziness": fuzziness, "absolute": absolute}
    fuzzy |= {"disjoint": disjoint, "replacement": replacement, "versus": versus, **same}
    return {
        "pool": pooled,
        "topics": topics(table, levels=levels or TOPIC_LEVELS, record=by_name.get("topics"), **same),
        "errors": errors(table, levels=levels or LEVELS, record=by_name.get("errors"), **fuzzy),
    }
