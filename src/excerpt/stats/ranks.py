"""Ranks with ties: equal values share the mean of their places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from excerpt.model.spans import FloatArray, IntArray


class Ranks(NamedTuple):
    """Ranks from 1 in each row, and how many values of the row each value is equal to (itself included)."""

    rank: FloatArray
    ties: IntArray


def average_ranks(values: FloatArray) -> Ranks:
    """Ranks in ascending order along the last axis; equal values get the mean of their ranks.

    >>> ranks = average_ranks(np.array([[0.3, 0.1, 0.3, 0.2]]))
    >>> ranks.rank.tolist(), ranks.ties.tolist()
    ([[3.5, 1.0, 3.5, 2.0]], [[2, 1, 2, 1]])
    """
    size = values.shape[-1]
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(size), values.shape)
    differs = np.ones(values.shape, dtype=np.bool_)
    differs[..., 1:] = ascending[..., 1:] != ascending[..., :-1]
    first = np.maximum.accumulate(np.where(differs, place, 0), axis=-1)
    ends = np.roll(differs, -1, axis=-1)
    last = np.minimum.accumulate(np.where(ends, place, size)[..., ::-1], axis=-1)[..., ::-1]
    rank = np.empty(values.shape)
    ties = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(rank, order, (first + last) / 2 + 1, axis=-1)
    np.put_along_axis(ties, order, last - first + 1, axis=-1)
    return Ranks(rank, ties)
