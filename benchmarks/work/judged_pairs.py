"""Four one-sided tests of pairs of runs on halves of the topics, a pair after the other; print rejections.

    python judged_pairs.py SCORES RESAMPLES PAIRS HALVES

SCORES is a .npy file of runs x topics. With 0 pairs only imports are measured.
"""

from __future__ import annotations

import sys
from itertools import combinations, islice
from typing import Any

import numpy as np
from scipy.stats import binomtest, ttest_rel, wilcoxon

Scores = np.ndarray[Any, np.dtype[np.float64]]
ALPHA = 0.05


def p_values(difference: Scores, resamples: int, rng: np.random.Generator) -> list[float]:
    """p-values by bootstrap, t test, Wilcoxon's test and sign test."""
    drawn = difference[rng.integers(len(difference), size=(resamples, len(difference)))]
    above, untied = int((difference > 0).sum()), int((difference != 0).sum())
    return [
        float((drawn.mean(axis=1) <= 0).mean()),
        float(ttest_rel(difference, np.zeros(len(difference)), alternative="greater").pvalue),
        float(wilcoxon(difference, alternative="greater").pvalue),
        float(binomtest(above, untied, alternative="greater").pvalue),
    ]


def rejections(scores: Scores, resamples: int, pairs: int, halves: int) -> int:
    """Number of tests below alpha, without a correction."""
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(halves):
        half = rng.permutation(scores.shape[1])[: scores.shape[1] // 2]
        for i, j in islice(combinations(range(len(scores)), 2), pairs):
            found += sum(p <= ALPHA for p in p_values(scores[i, half] - scores[j, half], resamples, rng))
    return found


if __name__ == "__main__":
    name, *counts = sys.argv[1:]
    print(rejections(np.load(name), *map(int, counts)))
