"""Stability of rankings with fewer judgments or topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.parameters import Options
from excerpt.experiments.study import (
    LEVELS,
    Evaluating,
    Study,
    check_levels,
    complete_scores,
    draw_halves,
    draw_passages,
    draw_topics,
    passages_of,
    sample_means,
    summarise,
    table_of,
    tell,
)
from excerpt.experiments.table import EXPERIMENTS
from excerpt.model.judgments import Judgments
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall_many


def pool(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = 10,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the systems on samples of the relevant passages; how far is that from the full ranking?

    Per topic `level` per cent of the passages are drawn without replacement; topics with fewer than `least`
    passages are left out on both sides. A row has Kendall's tau-b of each sample, their mean and its standard
    error.
    """
    study = Study.of(judgments, runs, measures, **how)
    drawn = Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores = study.scores(drawn.masks)
    return drawn.outcome(study, names, scores, record, how)


@dataclass(frozen=True)
class Pools:
    """Samples of the relevant passages, before any run is read."""

    levels: tuple[int, ...]
    samples: int
    least: int
    seed: int
    #: The topics with enough passages.
    chosen: BoolArray
    #: All passages, then the samples, level by level.
    masks: BoolArray

    @classmethod
    def draw(cls, judgments: Judgments, levels: Sequence[int], samples: int, least: int, seed: int) -> Pools:
        """Choose the passages of each sample."""
        levels = check_levels(levels, samples)
        topic, passages = passages_of(judgments)
        chosen = passages >= least
        if not chosen.any():
            raise ExcerptError(
                f"found no topic with {least} relevant passages, expected some", hint="try ⟨least=1⟩"
            )
        masks = [np.ones(len(topic), np.bool_)]
        masks += [
            draw_passages(judgments, level, (seed, number)) for level in levels for number in range(samples)
        ]
        return cls(levels, samples, least, seed, chosen, np.array(masks))

    def outcome(
        self, study: Study, names: tuple[str, ...], scores: FloatArray, record: Record | None, how: Evaluating
    ) -> Outcome:
        """Rows from the scores of the runs in each sample."""
        means = exact_means(np.moveaxis(scores[:, :, self.chosen], -2, -1))
        rows = []
        for place, measure in enumerate(study.measures):
            taus = kendall_many(means[1:, :, place], means[0, :, place])
            rows += [
                {"measure": measure, "level": level, **summarise(tau)}
                for level, tau in zip(self.levels, taus.reshape(-1, self.samples), strict=True)
            ]
        left_out = int((~self.chosen & study.judgments.has_relevant).sum())
        doubts = Notices()
        doubts.add(f"topic with fewer than {self.least} relevant passages was left out", left_out)
        return Outcome(
            tuple(rows),
            record or Record("stability pool", self.seed),
            tell(doubts, how, study.notices),
            {"runs": names, "means": means},
        )


def topics(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the systems on samples of the topics; how far is that from the ranking on all topics?"""
    table = table_of(scores, runs, measures, how)
    doubts = Notices()
    values = complete_scores(table, doubts)
    levels = check_levels(levels, samples)
    drawn = {level: draw_topics(values.shape[1], level, samples, seed) for level in levels}
    rows = []
    for place, measure in enumerate(table.measures):
        by_topic = values[:, :, place]
        full = exact_means(by_topic)
        for level in levels:
            taus = kendall_many(sample_means(by_topic, drawn[level]), full)
            rows.append({"measure": measure, "level": level, **summarise(taus)})
    warnings = (*table.warnings, *tell(doubts, how))
    return Outcome(tuple(rows), record or Record("stability topics", seed), warnings)


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
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """How often do samples of topics disagree about which of two systems is better (Buckley & Voorhees)?

    Scores within the fuzziness tie: a share of the larger score, or `absolute`. Samples may share topics, and
    for each pair of systems the minority of the samples errs: a lower bound. With `disjoint`, `samples` pairs
    of samples that share no topics are drawn, and a pair of systems errs where the two contradict each other
    (Sanderson & Zobel): an upper bound.
    """
    check_errors(samples, fuzziness, disjoint=disjoint)
    levels = check_levels(levels, samples)
    table = table_of(scores, runs, measures, how)
    doubts = Notices()
    values = complete_scores(table, doubts)
    if disjoint and max(levels) > 50:
        doubts.add("samples of more than 50 % of the topics cannot be disjoint and have no error rate")
    count = _count_disjoint if disjoint else _count_shared
    rows: list[dict[str, Any]] = []
    for place, measure in enumerate(table.measures):
        for level in levels:
            orders = [
                compare_means(sample_means(values[:, :, place], side), fuzziness, absolute=absolute)
                for side in _draw(values.shape[1], level, samples, seed, disjoint=disjoint)
            ]
            wrong, tied, total = count(*orders)
            rows.append(
                {
                    "measure": measure,
                    "level": level,
                    "samples": samples,
                    "error_rate": wrong / total if total else None,
                    "ties": tied / total if total else None,
                    "comparisons": total,
                }
            )
    warnings = (*table.warnings, *tell(doubts, how))
    return Outcome(tuple(rows), record or Record("stability errors", seed), warnings)


def check_errors(samples: int, fuzziness: float, *, disjoint: bool) -> None:
    """Before any work is done: can there be an error, and can scores differ?"""
    if not 0 <= fuzziness < 1 or (samples < 2 and not disjoint):
        raise ExcerptError(
            f"found fuzziness {fuzziness} and {plural(samples, 'sample')}, "
            "expected a fuzziness from 0 to below 1 and at least 2 samples"
        )


def _draw(count: int, level: int, samples: int, seed: int, *, disjoint: bool) -> list[list[IntArray]]:
    """The samples; where they are disjoint, two lists of them."""
    if not disjoint:
        return [draw_topics(count, level, samples, seed)]
    pairs = draw_halves(count, level, samples, seed)
    return [[pair[side] for pair in pairs] for side in (0, 1)]


def _count_shared(orders: IntArray) -> tuple[int, int, int]:
    """Errors, ties and comparisons of samples that may share topics: of each pair the minority errs."""
    more, less = (orders > 0).sum(axis=0), (orders < 0).sum(axis=0)
    return int(np.minimum(more, less).sum()), int((orders == 0).sum()), orders.size


def _count_disjoint(one: IntArray, other: IntArray) -> tuple[int, int, int]:
    """Errors, ties and comparisons of disjoint samples: a pair errs where the two samples contradict."""
    return int((one * other < 0).sum()), int((one * other == 0).sum()), one.size


def compare_means(means: FloatArray, fuzziness: float, *, absolute: bool) -> IntArray:
    """For each sample and pair of systems: 1 where the first is better, -1 where worse, 0 where they tie."""
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
    """One of the experiments by its name: `pool`, `topics`, `errors`, `depth` or `unpooled`.

    `options` are those of the experiment's own function, and of `evaluate`. A table of scores is enough for
    `topics` and `errors`; the others need judgments and runs.

    >>> table = ScoreTable.from_scores({(run, t, "P"): len(run) / 9 for run in ("a", "bb") for t in "123"})
    >>> stability("topics", table, levels=(50,), samples=3).rows[0]["mean"]
    1.0
    """
    known = {name.split()[1]: name for name in EXPERIMENTS if name.startswith("stability ")}
    if experiment not in known:
        raise UnknownName("experiment", experiment, known)
    entry = EXPERIMENTS[known[experiment]]
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
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = 10,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    seed: int = 1,
    records: Mapping[str, Record] | None = None,
    **how: Unpack[Evaluating],
) -> dict[str, Outcome]:
    """The outcomes of `pool`, `topics` and `errors`, by name; each run is read and joined once."""
    check_errors(samples, fuzziness, disjoint=disjoint)  # before hours of reading, not after
    study = Study.of(judgments, runs, measures, **how)
    drawn = Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores, table = study.scores_and_table(drawn.masks)
    kept = records or {}
    same: dict[str, Any] = {"levels": levels, "samples": samples, "seed": seed, "notices": Notices()}
    fuzzy: dict[str, Any] = {"fuzziness": fuzziness, "absolute": absolute, "disjoint": disjoint}
    return {
        "pool": drawn.outcome(study, names, scores, kept.get("pool"), how),
        "topics": topics(table, record=kept.get("topics"), **same),
        "errors": errors(table, record=kept.get("errors"), **same, **fuzzy),
    }
