"""stability topics and stability errors: what do fewer topics say of the runs?

S. Pal, M. Mitra, A. Chakraborty: "Stability of INEX 2007 Evaluation Measures", Figures 2 and 3. Error rates
are those of Buckley & Voorhees, SIGIR 2000; samples that share no topics, Sanderson & Zobel, SIGIR 2005.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.samples import (
    LEVELS,
    check_levels,
    draw_halves,
    draw_topics,
    sample_means,
    summarise,
)
from excerpt.experiments.study import Evaluating, complete_scores, table_of, tell
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall_many


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
