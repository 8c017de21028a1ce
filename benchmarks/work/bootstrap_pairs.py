"""One-sided bootstrap of pairs of runs by one of three methods; print the first p-values as JSON.

    python bootstrap_pairs.py excerpt|numpy|scipy SCORES RESAMPLES PAIRS

SCORES is a .npy file of runs x topics. `excerpt` tests all pairs at once, without PAIRS; `numpy` loops over
the pairs; `scipy` calls scipy.stats.bootstrap for each. With 0 pairs only imports are measured.
"""

from __future__ import annotations

import inspect
import json
import sys
from itertools import combinations, islice
from typing import Any

import numpy as np

Scores = np.ndarray[Any, np.dtype[np.float64]]


def with_excerpt(scores: Scores, resamples: int, pairs: int) -> list[float]:
    """Test all ordered pairs by one matrix product."""
    from excerpt.stats.significance import p_values

    found = p_values(scores, "bootstrap", samples=resamples)
    return [float(found[i, j]) for i, j in islice(combinations(range(len(scores)), 2), pairs)]


def with_numpy(scores: Scores, resamples: int, pairs: int) -> list[float]:
    """Resample the differences of each pair."""
    rng = np.random.default_rng(1)
    found = []
    for i, j in islice(combinations(range(len(scores)), 2), pairs):
        difference = scores[i] - scores[j]
        drawn = difference[rng.integers(len(difference), size=(resamples, len(difference)))]
        found.append(float((drawn.mean(axis=1) <= 0).mean()))
    return found


def with_scipy(scores: Scores, resamples: int, pairs: int) -> list[float]:
    """Count in the distribution that scipy.stats.bootstrap returns."""
    from scipy.stats import bootstrap

    name = "rng" if "rng" in inspect.signature(bootstrap).parameters else "random_state"
    found = []
    for i, j in islice(combinations(range(len(scores)), 2), pairs):
        difference = scores[i] - scores[j]
        how: dict[str, Any] = {"method": "percentile", name: np.random.default_rng(1)}
        result = bootstrap((difference,), np.mean, n_resamples=resamples, **how)
        found.append(float((result.bootstrap_distribution <= 0).mean()))
    return found


WAYS = {"excerpt": with_excerpt, "numpy": with_numpy, "scipy": with_scipy}

if __name__ == "__main__":
    way, name, resamples, pairs = sys.argv[1:]
    print(json.dumps(WAYS[way](np.load(name), int(resamples), int(pairs))))
