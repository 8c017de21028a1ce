"""How stable is a ranking of systems? The experiments of Pal, Mitra & Chakraborty, and what they left open.

S. Pal, M. Mitra, A. Chakraborty: "Stability of INEX 2007 Evaluation Measures" (pool sampling, topic sampling,
error rates); Buckley & Voorhees (2000) for error rates, Sanderson & Zobel (2005) for disjoint topic sets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.study import Pooled, Study
from excerpt.model.judgments import Judgments
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import BoolArray, FloatArray, IntArray
from excerpt.stats.correlation import kendall_many

LEVELS = (80, 60, 40, 20)
LEAST_PASSAGES = 10


def _size(level: Fraction | int, whole: int) -> int:
    """`level` per cent of a number, halves rounded up, at least 1."""
    return max(1, math.floor(Fraction(level) * whole / 100 + Fraction(1, 2)))


def _summary(values: FloatArray) -> dict[str, Any]:
    """Mean, standard error and values of one row; a value that is not defined is None."""
    known = values[~np.isnan(values)]
    error = float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else None
    return {
        "samples": len(values),
        "mean": float(known.mean()) if len(known) else None,
        "standard_error": error,
        "values": [None if math.isnan(value) else value for value in values.tolist()],
    }


def _means(scores: FloatArray, topics: BoolArray | IntArray) -> FloatArray:
    """Means over some topics, of those where a score is defined: the axis of topics is the last but one."""
    chosen = scores[..., topics, :]
    with np.errstate(invalid="ignore"):
        return np.asarray(np.nansum(chosen, axis=-2) / (~np.isnan(chosen)).sum(axis=-2))


def pool(
    study: Study,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = LEAST_PASSAGES,
    seed: int = 1,
    record: Record | None = None,
) -> Outcome:
    """Rank the systems on samples of the relevant passages; how far is that from the full ranking?

    Per topic `level` per cent of the passages are drawn without replacement; topics with fewer than `least`
    passages are left out on both sides. A row has Kendall's tau-b of each sample, their mean and its standard
    error.
    """
    drawn = _Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores = study.scores(drawn.masks)
    return drawn.outcome(study, names, scores, record)


@dataclass(frozen=True)
class _Pools:
    """Samples of the relevant passages, before any run is read."""

    levels: Sequence[int]
    samples: int
    least: int
    seed: int
    #: The topics with enough passages.
    chosen: BoolArray
    #: All passages, then the samples, level by level.
    masks: BoolArray

    @classmethod
    def draw(cls, judgments: Judgments, levels: Sequence[int], samples: int, least: int, seed: int) -> _Pools:
        """Choose the passages of each sample."""
        topic = judgments.pair_topic[judgments.spans.group]
        passages = np.bincount(topic, minlength=len(judgments.topics))
        chosen = passages >= least
        if not chosen.any():
            raise ExcerptError(
                f"found no topic with {least} relevant passages, expected some", hint="try --least 1"
            )
        rng = np.random.default_rng(seed)
        masks = [np.ones(len(topic), np.bool_)]
        masks += [_sample(rng, topic, passages, level) for level in levels for _ in range(samples)]
        return cls(levels, samples, least, seed, chosen, np.array(masks))

    def outcome(
        self, study: Study, names: tuple[str, ...], scores: FloatArray, record: Record | None
    ) -> Outcome:
        """Rows from the scores of the runs in each sample."""
        means = _means(scores, self.chosen)
        rows = []
        for place, measure in enumerate(map(str, study.measures)):
            taus = kendall_many(means[1:, :, place], means[0, :, place])
            rows += [
                {"measure": measure, "level": level, **_summary(tau)}
                for level, tau in zip(self.levels, taus.reshape(-1, self.samples), strict=True)
            ]
        left_out = int((~self.chosen & study.judgments.has_relevant).sum())
        warnings = (
            (f"{left_out} topics have fewer than {self.least} relevant passages and were left out",)
            if left_out
            else ()
        )
        return Outcome(
            tuple(rows),
            record or Record("stability pool", self.seed),
            (*warnings, *study.notices),
            {"runs": names, "means": means},
        )


def _sample(rng: np.random.Generator, topic: IntArray, passages: IntArray, level: int) -> BoolArray:
    """A random choice of each topic's passages: those with the smallest random numbers."""
    order = np.lexsort((rng.random(len(topic)), topic))
    place = np.empty_like(order)
    first = np.concatenate(([0], np.cumsum(passages)))[:-1]
    place[order] = np.arange(len(order)) - first[topic[order]]
    wanted = np.maximum((2 * level * passages + 100) // 200, 1)  # what `_size` says, for all topics
    return np.asarray(place < wanted[topic])


def topics(
    table: ScoreTable,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    seed: int = 1,
    record: Record | None = None,
) -> Outcome:
    """Rank the systems on samples of the topics; how far is that from the ranking on all topics?"""
    values, warnings = _complete(table)
    rng = np.random.default_rng(seed)
    rows = []
    drawn = {level: _topic_samples(rng, values.shape[1], level, samples) for level in levels}
    for place, measure in enumerate(table.measures):
        full = values[:, :, place].mean(axis=1)
        for level in levels:
            means = np.stack([values[:, chosen, place].mean(axis=1) for chosen in drawn[level]])
            rows.append({"measure": measure, "level": level, **_summary(kendall_many(means, full))})
    return Outcome(tuple(rows), record or Record("stability topics", seed), warnings)


def _complete(table: ScoreTable) -> tuple[FloatArray, tuple[str, ...]]:
    """Scores of the topics that every run and measure has a score for; and warnings."""
    known = np.flatnonzero(~np.isnan(table.values).any(axis=(0, 2)))
    if len(table.runs) < 2 or len(known) < 2:
        raise ExcerptError(
            f"found {len(table.runs)} runs and {len(known)} topics with scores, expected 2 or more of each"
        )
    some = int((~np.isnan(table.values)).any(axis=(0, 2)).sum())
    lost = (f"{some - len(known)} topics lack a score of some run or measure and were left out",)
    return table.values[:, known], (*table.warnings, *(lost if some > len(known) else ()))


def _topic_samples(rng: np.random.Generator, count: int, level: int, samples: int) -> list[IntArray]:
    size = _size(level, count)
    return [np.sort(rng.permutation(count)[:size]) for _ in range(samples)]


def errors(
    table: ScoreTable,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    seed: int = 1,
    record: Record | None = None,
) -> Outcome:
    """How often do samples of topics disagree about which of two systems is better (Buckley & Voorhees)?

    Scores within the fuzziness tie: a share of the larger score, or `absolute`. Samples may share topics, and
    for each pair of systems the minority of the samples errs: a lower bound. With `disjoint`, `samples` pairs
    of samples that share no topics are drawn, and a pair of systems errs where the two contradict each other
    (Sanderson & Zobel): an upper bound.
    """
    values, warnings = _complete(table)
    _check_errors(samples, fuzziness, disjoint=disjoint)
    if disjoint and max(levels) > 50:
        warnings += ("samples of more than 50 % of the topics cannot be disjoint, they have no error rate",)
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    count = values.shape[1]
    shared = {level: _topic_samples(rng, count, level, samples) for level in levels if not disjoint}
    halves = {level: _halves(rng, count, level, samples) for level in levels if disjoint}
    for place, measure in enumerate(table.measures):
        for level in levels:
            if disjoint:
                sides = [[pair[side] for pair in halves[level]] for side in (0, 1)]
                one, other = (
                    _orders(values[:, :, place], side, fuzziness, absolute=absolute) for side in sides
                )
                wrong, tied, total = _swaps(one, other)
            else:
                found = _orders(values[:, :, place], shared[level], fuzziness, absolute=absolute)
                wrong, tied, total = _counts(found)
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
    return Outcome(tuple(rows), record or Record("stability errors", seed), warnings)


def _halves(
    rng: np.random.Generator, count: int, level: int, samples: int
) -> list[tuple[IntArray, IntArray]]:
    """Pairs of samples that share no topics; none where they would not fit."""
    size = max(1, level * count // 100)
    if 2 * size > count:
        return []
    orders = [rng.permutation(count) for _ in range(samples)]
    return [(order[:size], order[size : 2 * size]) for order in orders]


def _counts(orders: IntArray) -> tuple[int, int, int]:
    """Errors, ties and comparisons of samples that may share topics: of each pair the minority errs."""
    more, less = (orders > 0).sum(axis=0), (orders < 0).sum(axis=0)
    return int(np.minimum(more, less).sum()), int((orders == 0).sum()), orders.size


def _swaps(one: IntArray, other: IntArray) -> tuple[int, int, int]:
    """Errors, ties and comparisons of disjoint samples: a pair errs where the two samples contradict."""
    return int((one * other < 0).sum()), int((one * other == 0).sum()), one.size


def _check_errors(samples: int, fuzziness: float, *, disjoint: bool) -> None:
    if not 0 <= fuzziness < 1 or (samples < 2 and not disjoint):
        raise ExcerptError(
            f"found fuzziness {fuzziness} and {samples} samples, expected 0 to 1, and 2 samples or more"
        )


def _orders(scores: FloatArray, drawn: Sequence[IntArray], fuzziness: float, *, absolute: bool) -> IntArray:
    """For each sample and pair of systems: 1 where the first is better, -1 where worse, 0 where they tie."""
    one, other = np.triu_indices(len(scores), 1)
    means = np.array([scores[:, chosen].mean(axis=1) for chosen in drawn]).reshape(len(drawn), len(scores))
    a, b = means[:, one], means[:, other]
    bound = fuzziness if absolute else fuzziness * np.maximum(np.abs(a), np.abs(b))
    # Scores that differ by exactly the fuzziness tie, whatever the last bit of their difference.
    tied = np.abs(a - b) <= bound + 1e-12 * np.maximum(np.abs(a), np.abs(b))
    return np.where(tied, 0, np.sign(a - b)).astype(np.int64)


def whole(
    study: Study,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = LEAST_PASSAGES,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    seed: int = 1,
    records: Mapping[str, Record] | None = None,
) -> dict[str, Outcome]:
    """The study of the paper, `pool`, `topics` and `errors`, by name; each run is read and joined once."""
    _check_errors(samples, fuzziness, disjoint=disjoint)  # before hours of reading, not after
    drawn = _Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores, table = study.scores_and_table(drawn.masks)
    kept = records or {}
    return {
        "pool": drawn.outcome(study, names, scores, kept.get("pool")),
        "topics": topics(table, levels=levels, samples=samples, seed=seed, record=kept.get("topics")),
        "errors": errors(
            table,
            levels=levels,
            samples=samples,
            fuzziness=fuzziness,
            absolute=absolute,
            disjoint=disjoint,
            seed=seed,
            record=kept.get("errors"),
        ),
    }


def depth(
    study: Study,
    *,
    depths: Sequence[int] = (1, 5, 10, 20, 50, 100),
    unit: Pooled = "document",
    record: Record | None = None,
) -> Outcome:
    """Rank the systems with pools of the top n results of every run, against the full judgments."""
    names, ranks = study.reach(unit)
    reach = ranks.min(axis=0)
    masks = np.array([np.ones(len(reach), np.bool_), *(reach <= n for n in depths)])
    _, scores = study.scores(masks)
    relevant = study.judgments.has_relevant
    means = _means(scores, relevant)
    rows = [
        {
            "measure": measure,
            "depth": n,
            "passages": int(masks[number].sum()),
            "share": float(masks[number].mean()),
            "tau_b": _one_tau(means[number, :, place], means[0, :, place]),
        }
        for place, measure in enumerate(map(str, study.measures))
        for number, n in enumerate(depths, start=1)
    ]
    return Outcome(
        tuple(rows),
        record or Record("stability depth"),
        tuple(study.notices),
        {"runs": names, "means": means},
    )


def _one_tau(one: FloatArray, other: FloatArray) -> float | None:
    tau = float(kendall_many(one[None], other)[0])
    return None if math.isnan(tau) else tau


def unpooled(
    study: Study,
    *,
    n: int = 100,
    unit: Pooled = "document",
    groups: Mapping[str, str] | None = None,
    record: Record | None = None,
) -> Outcome:
    """What a system loses when its own results, or those of its group, did not enter the pool.

    The pool has what the top n of all runs reach; for each run it is built again without the run and the
    others of its group. Rows have score and rank of the run with and without its contribution.
    """
    names, reach = study.reach(unit)
    unknown = sorted(set(groups or {}) - set(names))
    if unknown:
        raise UnknownName("run in the groups", unknown[0], names)
    group = [(groups or {}).get(name, name) for name in names]
    if len(set(group)) < 2:
        raise ExcerptError("found one run or one group, expected two or more: who else would fill the pool?")
    whole = (reach <= n).any(axis=0)
    masks = [whole] + [(reach[[other != own for other in group]] <= n).any(axis=0) for own in group]
    _, scores = study.scores(np.array(masks))
    relevant = study.judgments.has_relevant
    means = _means(scores, relevant)
    rows = []
    for place, measure in enumerate(map(str, study.measures)):
        for number, (name, own) in enumerate(zip(names, group, strict=True)):
            before, after = means[0, :, place], means[number + 1, :, place]
            rank, new = (int((column > column[number]).sum()) + 1 for column in (before, after))
            rows.append(
                {
                    "measure": measure,
                    "depth": n,
                    "run": name,
                    "group": own,
                    "score": float(before[number]),
                    "unpooled_score": float(after[number]),
                    "change": float(after[number] - before[number]),
                    "rank": rank,
                    "unpooled_rank": new,
                    "rank_change": new - rank,
                }
            )
    return Outcome(tuple(rows), record or Record("stability unpooled"), tuple(study.notices))
