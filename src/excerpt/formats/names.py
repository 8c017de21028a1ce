"""Names of rows: the distinct ones in order of first appearance, and a number for each row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from excerpt.model.run import encode
from excerpt.model.spans import BoolArray, IntArray


class Names(NamedTuple):
    """Distinct names in order of first appearance, and the code of each row's name (-1: none)."""

    distinct: tuple[str, ...]
    code: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Names:
        """The names of rows; an empty text is none."""
        distinct, code = encode(texts)
        if "" not in distinct:
            return cls(distinct, code)
        empty = distinct.index("")
        number = np.arange(len(distinct)) - (np.arange(len(distinct)) > empty)
        number[empty] = -1
        return cls((*distinct[:empty], *distinct[empty + 1 :]), number[code])

    def first(self) -> dict[str, int]:
        """The row in which each name appears first."""
        there = np.flatnonzero(self.code >= 0)[::-1]
        first = np.zeros(len(self.distinct), np.int64)
        first[self.code[there]] = there  # the last assignment is the first appearance
        return dict(zip(self.distinct, first.tolist(), strict=True))

    def take(self, rows: IntArray) -> Names:
        """Only these rows, in this order."""
        code = self.code[rows]
        first = np.full(len(self.distinct), len(code))
        there = np.flatnonzero(code >= 0)[::-1]
        first[code[there]] = there  # the last assignment is the first appearance
        order = np.argsort(first, kind="stable")[: int((first < len(code)).sum())]
        place = np.full(len(self.distinct) + 1, -1)
        place[order] = np.arange(len(order))
        return Names(tuple(self.distinct[name] for name in order.tolist()), place[code])

    def fit(self, odd: re.Pattern[str]) -> BoolArray:
        """Which rows have a name of one line in which nothing odd is found."""
        text = "\n".join(self.distinct)
        if text.count("\n") < len(self.distinct) and not odd.search(text):  # all at once
            return np.asarray(self.code >= 0)
        good = ["\n" not in name and not odd.search(name) for name in self.distinct]
        return np.array([*good, False], np.bool_)[self.code]


def join_names(parts: Sequence[Names], order: IntArray) -> Names:
    """The rows of all parts, put into an order."""
    distinct, code = encode([name for part in parts for name in part.distinct])
    code = np.append(code, -1)
    shifts = np.cumsum([0, *(len(part.distinct) for part in parts)])
    codes = [
        np.where(part.code < 0, -1, part.code + shift) for part, shift in zip(parts, shifts, strict=False)
    ]
    return Names(distinct, code[np.concatenate(codes)]).take(order)


def pair_names(first: Names, second: Names) -> Names:
    """Two names of each row with a blank between them."""
    base = max(len(second.distinct), 1)
    pairs, code = np.unique(first.code * base + second.code, return_inverse=True)
    ends = zip((pairs // base).tolist(), (pairs % base).tolist(), strict=True)
    texts = [f"{first.distinct[one]} {second.distinct[two]}" for one, two in ends]
    return Names(tuple(texts), code.astype(np.int64)).take(np.arange(len(code)))
