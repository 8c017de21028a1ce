"""Random samples of relevant passages and of topics; every sample of every level has a seed of its own.

So what a level gives depends neither on the other levels nor on how many samples are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from excerpt.errors import ExcerptError, plural
from excerpt.model.judgments import Judgments
from excerpt.model.scores import exact_means
from excerpt.model.spans import BoolArray, FloatArray, IntArray

#: Per cent of the passages or topics, as in the paper.
LEVELS = (80, 60, 40, 20)


def generator(*seeds: int) -> np.random.Generator:
    """Random numbers that depend on these whole numbers only."""
    if min(seeds) < 0:
        raise ExcerptError(f"found the seed {min(seeds)}, expected 0 or more")
    return np.random.default_rng(seeds)


def sample_size(level: int, whole: int) -> int:
    """`level` per cent of a number, halves rounded up, at least 1.

    >>> [sample_size(level, 107) for level in LEVELS]
    [86, 64, 43, 21]
    """
    return max(1, math.floor(Fraction(level) * whole / 100 + Fraction(1, 2)))


def check_levels(levels: Sequence[int], samples: int) -> tuple[int, ...]:
    """The levels, each once; an error of the user's where one is no per cent."""
    for level in levels:
        if not 1 <= level <= 100:
            raise ExcerptError(f"found level {level}, expected a percentage from 1 to 100")
    if samples < 1 or not levels:
        raise ExcerptError(
            f"found {plural(samples, 'sample')} of {plural(len(levels), 'level')}, expected 1 or more of each"
        )
    return tuple(dict.fromkeys(levels))


def draw_passages(judgments: Judgments, level: int, seeds: tuple[int, int]) -> BoolArray:
    """Which passages are in a sample: of each topic, those with the smallest random numbers."""
    topic, passages = passages_of(judgments)
    rng = generator(seeds[0], level, seeds[1])
    order = np.lexsort((rng.random(len(topic)), topic))
    place = np.empty_like(order)
    first = np.concatenate(([0], np.cumsum(passages)))[:-1]
    place[order] = np.arange(len(order)) - first[topic[order]]
    wanted = np.maximum((2 * level * passages + 100) // 200, 1)  # what `sample_size` says, for all topics
    return np.asarray(place < wanted[topic])


def passages_of(judgments: Judgments) -> tuple[IntArray, IntArray]:
    """The topic of every relevant passage, and how many each topic has."""
    topic = judgments.pair_topic[judgments.spans.group]
    return topic, np.bincount(topic, minlength=len(judgments.topics))


def draw_topics(count: int, level: int, samples: int, seed: int) -> list[IntArray]:
    """Samples of topics, each in order."""
    size = sample_size(level, count)
    return [np.sort(generator(seed, level, number).permutation(count)[:size]) for number in range(samples)]


def draw_halves(count: int, level: int, samples: int, seed: int) -> list[tuple[IntArray, IntArray]]:
    """Pairs of samples that share no topics; none where they would not fit."""
    size = max(1, level * count // 100)
    if 2 * size > count:
        return []
    orders = [generator(seed, level, number).permutation(count) for number in range(samples)]
    return [(order[:size], order[size : 2 * size]) for order in orders]


def sample_means(scores: FloatArray, drawn: Sequence[IntArray]) -> FloatArray:
    """Mean of each run (row of scores) in each sample of the topics: a row per sample.

    >>> sample_means(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]), [np.array([0, 1, 2])]).tolist()
    [[0.19999999999999998, 0.19999999999999998]]
    """
    means = [exact_means(scores[:, chosen]) for chosen in drawn]
    return np.array(means).reshape(len(drawn), len(scores))


def summarise(values: FloatArray) -> dict[str, Any]:
    """Mean, standard error and values of one row; a value that is not defined is None."""
    known = values[~np.isnan(values)]
    error = float(known.std(ddof=1) / math.sqrt(len(known))) if len(known) > 1 else None
    return {
        "samples": len(values),
        "mean": float(known.mean()) if len(known) else None,
        "standard_error": error,
        "values": [None if math.isnan(value) else value for value in values.tolist()],
    }
