"""Confusion of two judges' grades, and Cohen's kappa with and without weights."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import IntArray

#: Weights of a disagreement by the distance of the grades.
WEIGHTS = {
    "plain": lambda far: np.minimum(far, 1),
    "linear": lambda far: far,
    "quadratic": lambda far: far * far,
}


class Confusion(NamedTuple):
    """Numbers of documents by the grade of the first judge (rows) and that of the second (columns).

    >>> table = Confusion.of(np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2]))
    >>> table.to_dict()
    {'0': {'0': 1, '1': 1, '2': 0}, '1': {'0': 0, '1': 1, '2': 0}, '2': {'0': 0, '1': 0, '2': 1}}
    >>> table.kappa("plain"), table.kappa("quadratic")
    (Fraction(7, 11), Fraction(4, 5))
    """

    grades: IntArray
    counts: IntArray

    @classmethod
    def of(cls, one: IntArray, two: IntArray) -> Confusion:
        """Count the grades that two judges gave to the same documents."""
        grades, code = np.unique(np.concatenate((one, two)), return_inverse=True)
        cell = code[: len(one)] * len(grades) + code[len(one) :]
        return cls(grades, np.bincount(cell, minlength=len(grades) ** 2).reshape((len(grades),) * 2))

    def kappa(self, weight: str) -> Fraction | None:
        """Cohen's kappa, plain, or weighted by the distance of grades or its square; None if undefined."""
        counts, grades = self.counts.astype(object), self.grades.astype(object)
        apart = WEIGHTS[weight](abs(grades[:, None] - grades[None, :]))
        chance = int((apart * np.outer(counts.sum(axis=1), counts.sum(axis=0))).sum()) if len(grades) else 0
        observed = int((apart * counts).sum()) * int(counts.sum()) if len(grades) else 0
        return 1 - Fraction(observed, chance) if chance else None

    def to_dict(self) -> dict[str, dict[str, int]]:
        """Return the counts by grade of the first, then of the second judge."""
        names = [str(grade) for grade in self.grades.tolist()]
        return {
            name: dict(zip(names, row, strict=True))
            for name, row in zip(names, self.counts.tolist(), strict=True)
        }
