"""Significance tests of pairs of runs, tests of all pairs together, and corrections for many tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural
from excerpt.model.spans import AnyArray, BoolArray, FloatArray, IntArray
from excerpt.stats import check_test, resampling
from excerpt.stats.intervals import clean_differences
from excerpt.stats.variance import Variance

Test: TypeAlias = Callable[[FloatArray, int, np.random.Generator], FloatArray]

EXACT_FLIPS = 12  # largest number of topics for which a permutation test takes every choice of signs
#: Largest number of differences, tied or not, with an exact Wilcoxon distribution; beyond it is normal.
EXACT_RANKS = 50
#: Bits of an infinite number, which stands for a difference of 0.
_INFINITE = int(np.float64(np.inf).view(np.uint64))
_LOW = 0.56  # part of the ranks that are low, so that about as many distributions are shared on both sides
_TOGETHER = 2048  # pairs with ties whose tables of ways stay in the cache
_NOISE = 1e-12
_BLOCK = 1 << 20  # largest number of differences in one block of pairs


def p_values(
    scores: FloatArray,
    test: str = "bootstrap",
    *,
    samples: int = 10_000,
    rng: np.random.Generator | None = None,
) -> FloatArray:
    """One-sided p-values by one of `TESTS`: p[i, j] is small where run i is better than run j.

    `samples` and `rng` (default: seeded with 1) are used by tests that draw at random.

    >>> scores = np.array([[0.5, 0.6, 0.7, 0.4], [0.1, 0.5, 0.2, 0.3]])
    >>> p_values(scores, "sign").tolist()
    [[1.0, 0.0625], [1.0, 1.0]]
    """
    check_test(test)
    check_scores(scores)
    p = TESTS[test](scores, samples, rng or np.random.default_rng(1))
    np.fill_diagonal(p, 1.0)
    return p


def two_sided(p: FloatArray) -> FloatArray:
    """Two-sided p-values of pairs from one-sided ones: twice the smaller of both directions, at most 1.

    The permutation test counts both directions instead (see `two_sided_permutation`).
    """
    return np.asarray(np.minimum(2 * np.minimum(p, p.T), 1.0))


def check_scores(scores: FloatArray) -> None:
    """Raise an error unless there are two runs and two topics, and every run has a score on every topic."""
    runs, topics = scores.shape
    if runs < 2:
        raise ExcerptError(f"found {plural(runs, 'run')}, expected at least 2 to compare")
    if topics < 2:
        raise ExcerptError(f"found {plural(topics, 'topic')} with scores of all runs, expected at least 2")
    if not np.isfinite(scores).all():
        raise ExcerptError("found scores that are not finite, expected a score of every run on every topic")


def bootstrap(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Bootstrap test: proportion of resamples of topics with a mean difference not above 0 (eq. 13)."""
    units = resampling.ScoreUnits.of(scores)
    return p_of_sums(units, resampling.resampled_sums(units, samples, rng))


def p_of_sums(units: resampling.ScoreUnits, sums: FloatArray, *, plus_one: bool = False) -> FloatArray:
    """Bootstrap p-values from resampled sums; `plus_one`: (count + 1) / (samples + 1), which is never 0."""
    at_most, samples = resampling.count_not_above(sums, units.tolerance), sums.shape[1]
    return np.asarray((at_most + 1) / (samples + 1) if plus_one else at_most / samples)


def permutation(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Permutation test: proportion of choices of signs whose sum of differences is at least the observed one.

    With up to 12 topics all choices are taken; else (count + 1) / (samples + 1) of random ones.
    """
    above, _, choices = _flipped(scores, samples, rng)
    return above / choices


def two_sided_permutation(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:
    """Two-sided p-values: proportion of choices of signs whose sum is as far from 0 as the observed one.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2]])
    >>> float(two_sided_permutation(scores, 100, np.random.default_rng(1))[0, 1])
    0.25
    """
    above, below, choices = _flipped(scores, samples, rng, opposite=True)
    both = np.minimum((above + below) / choices, 1.0)
    better = scores.sum(axis=1)[:, None] > scores.sum(axis=1)
    return np.where(better, both, both.T)  # 1 in both directions of a tie


def _flipped(
    scores: FloatArray, samples: int, rng: np.random.Generator, *, opposite: bool = False
) -> tuple[FloatArray, FloatArray, int]:
    """Numbers of choices of signs as good for a run as the observed one, and as bad as it is good; of all.

    The second is only counted if `opposite`. The observed choice is one more if not all are taken.
    """
    units = resampling.ScoreUnits.of(scores)
    totals = units.values.sum(axis=1)[:, None]
    exact = scores.shape[1] <= EXACT_FLIPS
    sums = resampling.all_flipped_sums(units) if exact else resampling.flipped_sums(units, samples, rng)
    # The observed and the flipped sum may each be wrong by up to the tolerance.
    above = resampling.count_not_above(sums - totals, 2 * units.tolerance).T
    below = np.zeros_like(above)
    if opposite:
        below = resampling.count_not_above(-sums - totals, 2 * units.tolerance).T
    more = 0 if exact else 1
    return above + more, below, sums.shape[1] + more


def student(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Student's paired t test, by scipy; p is 0 or 1 for a constant difference."""
    from scipy.special import stdtr

    runs, topics = scores.shape
    p = np.ones((runs, runs))
    noise = _NOISE * float(np.abs(scores).max(initial=0.0))
    for i, j in _pairs(runs, topics):
        difference = scores[i] - scores[j]
        mean, deviation = difference.mean(axis=1), difference.std(axis=1, ddof=1)
        constant = deviation <= noise
        t = mean / np.where(constant, 1.0, deviation) * math.sqrt(topics)
        p[i, j] = np.where(constant, np.where(mean > noise, 0.0, 1.0), stdtr(topics - 1.0, -t))
        p[j, i] = np.where(constant, np.where(mean < -noise, 0.0, 1.0), stdtr(topics - 1.0, t))
    return p


def sign(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Sign test: equal scores are left out, the signs of the others are binomial."""
    runs, topics = scores.shape
    p = np.ones((runs, runs))
    for i, j in _pairs(runs, topics):
        difference = clean_differences(scores, i, j)
        above, below = (difference > 0).sum(axis=1), (difference < 0).sum(axis=1)
        untied = above + below
        for n in np.unique(untied).tolist():
            tails, rows = np.array(_binomial_tails(n)), untied == n
            p[i[rows], j[rows]], p[j[rows], i[rows]] = tails[above[rows]], tails[below[rows]]
    return p


def wilcoxon(scores: FloatArray, samples: int, rng: np.random.Generator) -> FloatArray:  # noqa: ARG001
    """Wilcoxon's signed-rank test: equal scores are left out; exact for up to 50 differences, tied or not.

    With more differences it is the normal approximation, corrected for ties but not for continuity.
    """
    p = np.ones((len(scores), len(scores)))
    for i, j in _pairs(len(scores), scores.shape[1]):
        p[i, j], p[j, i] = _rank_tails(_SignedRanks.of(clean_differences(scores, i, j)))
    return p


class _SignedRanks(NamedTuple):
    """Ranks of differences, doubled so that they are whole; a column per pair, ascending, 0 at its end."""

    doubled: IntArray
    #: Sums of the ranks of positive and of negative differences.
    totals: tuple[IntArray, IntArray]
    #: Sums of t³ - t over groups of ties.
    tied: IntArray

    @classmethod
    def of(cls, differences: FloatArray) -> _SignedRanks:
        """Rank rows of differences by size; 0 has no rank."""
        size = np.where(differences == 0, np.inf, np.abs(differences))
        # The bits of numbers that are not negative ascend as the numbers do; below them is the sign.
        keys = np.sort((size.view(np.uint64) << 1) + (differences > 0), axis=1).T.copy()
        narrow = np.min_scalar_type(-2 * len(keys) ** 2)  # enough for t² - 1 and for doubled ranks
        position = np.arange(len(keys), dtype=narrow)[:, None]
        sizes = keys >> 1
        differs = np.ones(sizes.shape, np.bool_)
        differs[1:] = sizes[1:] != sizes[:-1]
        first = np.maximum.accumulate(np.where(differs, position, 0))
        ends = np.roll(differs, -1, axis=0)
        last = np.minimum.accumulate(np.where(ends, position, len(keys))[::-1])[::-1]
        counted = sizes != _INFINITE
        doubled = np.where(counted, first + last + 2, 0)
        above = np.where(keys & 1, doubled, 0).sum(axis=0, dtype=np.int64)
        tied = np.where(counted, (last - first + 1) ** 2 - 1, 0).sum(axis=0, dtype=np.int64)
        return cls(doubled, (above, doubled.sum(axis=0, dtype=np.int64) - above), tied)


def _pairs(runs: int, topics: int) -> Iterator[tuple[IntArray, IntArray]]:
    """All pairs of runs, in blocks."""
    first, second = np.triu_indices(runs, 1)
    step = max(1, _BLOCK // topics)
    for start in range(0, len(first), step):
        yield first[start : start + step], second[start : start + step]


def _rank_tails(ranks: _SignedRanks) -> list[FloatArray]:
    """Probabilities that signed ranks sum to each of the totals or more."""
    sizes = np.count_nonzero(ranks.doubled, axis=0)
    tails = [np.empty(len(sizes)) for _ in ranks.totals]
    exact, untied = sizes <= EXACT_RANKS, ranks.tied == 0
    for n in np.unique(sizes[exact & untied]).tolist():
        rows = np.flatnonzero(untied & (sizes == n))
        ways = _subset_sums(tuple(range(2, 2 * n + 1, 2)))
        chances = np.cumsum(ways[::-1])[::-1] / 2.0**n
        for tail, total in zip(tails, ranks.totals, strict=True):
            tail[rows] = chances[total[rows]]
    _add_tied(tails, ranks, np.flatnonzero(exact & ~untied))
    for row in np.flatnonzero(~exact).tolist():
        n = int(sizes[row])
        spread = math.sqrt(2 * (n * (n + 1) * (2 * n + 1) / 24 - float(ranks.tied[row]) / 48))
        for tail, total in zip(tails, ranks.totals, strict=True):
            tail[row] = 0.5 * math.erfc((int(total[row]) / 2 - n * (n + 1) / 4) / spread)
    return tails


def _add_tied(tails: Sequence[FloatArray], ranks: _SignedRanks, rows: IntArray) -> None:
    """Add the exact probabilities of rows with ties, each of which may have a distribution of its own.

    Many share those of their low ranks and of their high ranks. A number of ways to choose among all ranks is
    a sum of products of both, of whole numbers below 2⁵³.
    """
    columns = min(EXACT_RANKS, len(ranks.doubled))
    doubled = np.ascontiguousarray(ranks.doubled[:columns, rows].T.astype(np.uint8))
    low = round(_LOW * columns)
    alike = np.argsort(_as_one(doubled[:, : low - columns - 1 : -1]), kind="stable")
    for begin in range(0, len(rows), _TOGETHER):
        some = alike[begin : begin + _TOGETHER]
        of_low, lows = _subset_table(doubled[some, :low])
        of_high, highs = _subset_table(doubled[some, low:][:, ::-1])
        reached = np.cumsum(highs[:, ::-1], axis=1)[:, ::-1]  # ways to a sum or more
        width = lows.shape[1]
        padded = np.pad(reached, ((0, 0), (width - 1, width)))
        padded[:, : width - 1] = reached[:, :1]
        windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=1)
        falling = lows[of_low, ::-1]
        choices = 2.0 ** np.count_nonzero(doubled[some], axis=1)
        for tail, total in zip(tails, ranks.totals, strict=True):
            ways = np.einsum("ij,ij->i", falling, windows[of_high, total[rows[some]]])
            tail[rows[some]] = ways / choices


def _subset_table(ranks: AnyArray) -> tuple[IntArray, FloatArray]:
    """Number of subsets of each row that sum to w, for every w, of distinct rows; and the row's number."""
    if not ranks.shape[1]:
        return np.zeros(len(ranks), np.int64), np.ones((1, 1))
    _, first, which = np.unique(_as_one(ranks), return_index=True, return_inverse=True)
    distinct = ranks[first]
    parent, before = _subset_table(distinct[:, :-1])
    last, sums = distinct[:, -1], before.shape[1]
    ways = np.zeros((len(distinct), sums + int(last.max())))
    ways[:, :sums] = before[parent]
    for rank in np.unique(last[last > 0]).tolist():  # 0 is no rank
        rows = np.flatnonzero(last == rank)
        ways[rows, rank : rank + sums] += before[parent[rows]]
    return which, ways


def _as_one(rows: AnyArray) -> AnyArray:
    """Rows of bytes as one value each, to compare them."""
    return np.ascontiguousarray(rows).view(f"V{rows.shape[1]}").ravel()


@lru_cache(maxsize=8 * EXACT_RANKS)
def _subset_sums(ranks: tuple[int, ...]) -> FloatArray:
    """Number of subsets of whole numbers that sum to w, for every w; those of all but the last are kept."""
    if not ranks:
        return np.ones(1)
    before = _subset_sums(ranks[:-1])
    ways = np.zeros(len(before) + ranks[-1])
    ways[: len(before)] = before
    ways[ranks[-1] :] += before
    return ways


@lru_cache(maxsize=1024)
def _binomial_tails(n: int) -> tuple[float, ...]:
    """Probability of k or more heads in n throws, for k = 0…n, correctly rounded."""
    ways, tail = 1, 0
    chances = []
    for k in range(n, -1, -1):
        tail += ways
        chances.append(tail / (1 << n))
        ways = ways * k // (n - k + 1)
    return tuple(reversed(chances))


#: Tests by their names on the command line.
TESTS: dict[str, Test] = {
    "bootstrap": bootstrap,
    "t": student,
    "wilcoxon": wilcoxon,
    "sign": sign,
    "permutation": permutation,
}


EXACT_ARRANGEMENTS = 1 << 12  # largest number of permutations of which all are taken


class PairFamily(NamedTuple):
    """Two-sided p-values of all pairs tested together; a difference above `least` is significant."""

    p: FloatArray
    least: float


FamilyTest: TypeAlias = Callable[[FloatArray, float, int, np.random.Generator], PairFamily]


def tukey(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> PairFamily:
    """Randomised Tukey HSD: the scores of each topic are permuted over the runs; p is of the range of means.

    With up to 4096 permutations all are taken, else (count + 1) / (samples + 1) of random ones.

    >>> scores = np.array([[0.5, 0.6, 0.7], [0.1, 0.5, 0.2], [0.3, 0.3, 0.3]])
    >>> (36 * tukey(scores, 0.05, 100, np.random.default_rng(1)).p).round(9).tolist()
    [[36.0, 7.0, 10.0], [7.0, 36.0, 36.0], [10.0, 36.0, 36.0]]
    """
    check_scores(scores)
    runs, topics = scores.shape
    units = resampling.ScoreUnits.of(scores)
    resampling.check_samples(samples)
    # Two runs have the fewest permutations; that comparison comes first since the factorial may be huge.
    exact = 2 ** (topics - 1) <= EXACT_ARRANGEMENTS >= math.factorial(runs) ** (topics - 1)
    permuted = _all_permuted(units.values) if exact else _randomly_permuted(units.values, samples, rng)
    ranges = np.sort(np.concatenate([np.ptp(sums, axis=1) for sums in permuted]))
    totals = units.values.sum(axis=1)
    # The observed difference and the range may each be wrong by up to the tolerance.
    observed = np.abs(totals[:, None] - totals) - 2 * units.tolerance
    reached = len(ranges) - np.searchsorted(ranges, observed, side="left")
    more = 0 if exact else 1
    allowed = math.floor(alpha * (1 + 1e-12) * (len(ranges) + more)) - more
    # With too few samples no difference can be significant, and none may exceed `least`.
    least = ranges[-1 - allowed] if allowed >= 0 else max(float(ranges[-1]), float(observed.max()))
    return PairFamily((reached + more) / (len(ranges) + more), float(least) * units.unit / topics)


def _all_permuted(values: FloatArray) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for all permutations; the first topic is fixed, as runs are exchangeable."""
    orders = np.array(list(itertools.permutations(range(len(values)))))
    sums = values[:, 0][None]
    for scores in values.T[1:]:
        sums = (sums[:, None] + scores[orders]).reshape(-1, len(values))
    yield sums


def _randomly_permuted(values: FloatArray, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Sums of the runs (columns) for random permutations (rows)."""
    step = max(1, resampling.BLOCK // values.size)
    for start in range(0, samples, step):
        permuted = np.repeat(values.T[None], min(step, samples - start), axis=0)
        yield rng.permuted(permuted, axis=2, out=permuted).sum(axis=1)


def anova(scores: FloatArray, alpha: float, samples: int, rng: np.random.Generator) -> PairFamily:  # noqa: ARG001
    """Tukey's HSD of a two-way analysis of variance: differences of means against the residual variance."""
    check_scores(scores)
    return PairFamily(*Variance.of(scores).tukey_hsd(scores, alpha))


#: Tests of all pairs together by their names on the command line.
FAMILIES: dict[str, FamilyTest] = {"tukey": tukey, "anova": anova}


Correction: TypeAlias = Callable[[FloatArray], FloatArray]

_ROUNDING = 1e-12  # relative tolerance of an adjusted p-value that is equal to alpha: 3 · 0.05/3 is 0.05


class Corrected(NamedTuple):
    """Rejected hypotheses, and the smallest alpha at which each is rejected."""

    rejected: BoolArray
    adjusted: FloatArray


def correct(p: FloatArray, correction: str = "by", alpha: float = 0.05) -> Corrected:
    """Correct all p-values together by one of `CORRECTIONS`; the shape is kept.

    >>> corrected = correct(np.array([0.001, 0.04, 0.03]), "bh")
    >>> corrected.rejected.tolist(), corrected.adjusted.round(4).tolist()
    ([True, True, True], [0.003, 0.04, 0.04])
    """
    check_correction(correction, alpha)
    values = np.asarray(p, dtype=np.float64).ravel()
    order = np.argsort(values, kind="stable")
    column = np.empty(len(values))
    if len(values):
        column[order] = np.minimum(CORRECTIONS[correction](values[order]), 1.0)
    adjusted: FloatArray = column.reshape(np.shape(p))
    return Corrected(adjusted <= alpha * (1 + _ROUNDING), adjusted)


def check_correction(correction: str, alpha: float) -> None:
    """Raise an error if a correction is unknown or alpha is not between 0 and 1."""
    if correction not in CORRECTIONS:
        raise UnknownName("correction", correction, CORRECTIONS)
    if not 0 < alpha < 1:
        raise ExcerptError(f"found {alpha} as alpha, expected a number between 0 and 1")


def correct_pairs(
    p: FloatArray,
    correction: str = "by",
    alpha: float = 0.05,
    *,
    of: Sequence[int] = (),
    better: BoolArray | None = None,
) -> Corrected:
    """Correct a matrix of ordered pairs of N runs: N(N - 1) hypotheses, all but the diagonal.

    With `of`, indexes of runs, only the pairs with one of them are corrected. If p is two-sided, `better` has
    the run of each pair that the test prefers: each pair is one hypothesis, rejected in that direction.

    >>> p = np.array([[1.0, 0.01], [0.99, 1.0]])
    >>> correct_pairs(p, "bonferroni").adjusted.tolist()
    [[1.0, 0.02], [1.0, 1.0]]
    """
    pairs = ~np.eye(len(p), dtype=np.bool_)
    if len(of):
        chosen = np.isin(np.arange(len(p)), of)
        pairs &= chosen | chosen[:, None]
    pairs = pairs if better is None else np.triu(pairs)
    corrected = correct(p[pairs], correction, alpha)
    rejected, adjusted = np.zeros(p.shape, dtype=np.bool_), np.ones(p.shape)
    rejected[pairs], adjusted[pairs] = corrected
    if better is None:
        return Corrected(rejected, adjusted)
    return Corrected((rejected | rejected.T) & better, np.minimum(adjusted, adjusted.T))


def _benjamini_hochberg(ascending: FloatArray) -> FloatArray:
    m = len(ascending)
    steps = ascending * m / np.arange(1, m + 1)
    return np.asarray(np.minimum.accumulate(steps[::-1])[::-1])


@lru_cache(maxsize=16)
def _harmonic(count: int) -> float:
    return math.fsum(1 / i for i in range(1, count + 1))


#: Corrections of ascending p-values by their names on the command line.
CORRECTIONS: dict[str, Correction] = {
    # Eq. 12: c_m for tests that depend on each other, as all comparisons of one run do.
    "by": lambda p: _benjamini_hochberg(p) * _harmonic(len(p)),
    "bh": _benjamini_hochberg,
    "holm": lambda p: np.asarray(np.maximum.accumulate(p * np.arange(len(p), 0, -1))),
    "bonferroni": lambda p: p * len(p),
    "none": lambda p: p,
}
