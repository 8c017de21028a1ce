"""A number that is not known exactly."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A mean with the limits of its interval; tables show all three, programs get a column for each.

    >>> Estimate(0.5, 0.25, 0.75).limits
    (0.25, 0.75)
    """

    value: float
    low: float
    high: float

    @property
    def limits(self) -> tuple[float, float]:
        """The low and the high limit."""
        return self.low, self.high
