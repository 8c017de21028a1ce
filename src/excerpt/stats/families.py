"""Which pairs of runs differ, if all of them are compared together? One chance of error for the whole family.

The randomised Tukey HSD test of B. Carterette: "Multiple Testing in Statistical Analysis of Systems-Based
Information Retrieval Experiments", ACM TOIS 30(1), 2012. Were all runs alike, the scores of a topic would be
as likely in any other order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import FloatArray
from excerpt.stats.resampling import BLOCK, Units, check_samples
from excerpt.stats.significance import check_scores
from excerpt.stats.variance import Variance

#: Up to so many arrangements all are taken.
EXACT_ARRANGEMENTS = 1 << 12


class Family(NamedTuple):
    """Of all pairs: the two-sided chance that any pair of like runs differs so much; and what is significant.

    `least` is the difference that a pair must exceed at the alpha that was asked for.
    """

    p: FloatArray
    least: float


Test: TypeAlias = Callable[[FloatArray, float, int, np.random.Generator], Family]


def tukey(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> Family:
    """Scores of each topic are dealt out to the runs anew; the largest difference of means is what counts.

    With up to 4096 ways to deal them all are taken, else (count + 1) / (samples + 1) of random ones.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2], [0.3, 0.3, 0.3]])
    >>> (36 * tukey(scores, 0.05, 100, np.random.default_rng(1)).p).round(9).tolist()
    [[36.0, 7.0, 10.0], [7.0, 36.0, 36.0], [10.0, 36.0, 36.0]]
    """
    check_scores(scores)
    runs, topics = scores.shape
    units = Units.of(scores)
    check_samples(samples)
    # Two runs have the fewest arrangements; of more topics than these could have, there is no need to ask.
    exact = 2 ** (topics - 1) <= EXACT_ARRANGEMENTS >= math.factorial(runs) ** (topics - 1)
    dealt = _every_deal(units.values) if exact else _random_deals(units.values, samples, rng)
    ranges = np.sort(np.concatenate([np.ptp(sums, axis=1) for sums in dealt]))
    totals = units.values.sum(axis=1)
    # Both, the difference found and the range, are wrong by up to the tolerance.
    found = np.abs(totals[:, None] - totals) - 2 * units.tolerance
    reached = len(ranges) - np.searchsorted(ranges, found, side="left")
    more = 0 if exact else 1
    allowed = math.floor(alpha * (1 + 1e-12) * (len(ranges) + more)) - more
    # Where no difference can be significant with so few samples, none exceeds what is least.
    least = ranges[-1 - allowed] if allowed >= 0 else max(float(ranges[-1]), float(found.max()))
    return Family((reached + more) / (len(ranges) + more), float(least) * units.unit / topics)


def _every_deal(values: FloatArray) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for every deal; runs may change places, so the first topic stays."""
    orders = np.array(list(itertools.permutations(range(len(values)))))
    sums = values[:, 0][None]
    for scores in values.T[1:]:
        sums = (sums[:, None] + scores[orders]).reshape(-1, len(values))
    yield sums


def _random_deals(values: FloatArray, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for deals at random (rows)."""
    step = max(1, BLOCK // values.size)
    for start in range(0, samples, step):
        dealt = np.repeat(values.T[None], min(step, samples - start), axis=0)
        yield rng.permuted(dealt, axis=2, out=dealt).sum(axis=1)


def anova(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> Family:  # noqa: ARG001
    """Tukey's HSD: differences of means beside the variance that runs and topics leave unexplained."""
    check_scores(scores)
    return Family(*Variance.of(scores).honest(scores, alpha))


#: Every test of a family by its name on the command line.
FAMILIES: dict[str, Test] = {"tukey": tukey, "anova": anova}
