"""Moments as they are kept: UTC, in ISO 8601, to the millisecond."""

from __future__ import annotations

from datetime import UTC, datetime


def stamp(seconds: float) -> str:
    """A moment of the system's clock.

    >>> stamp(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(moment: str) -> float:
    """The other way round.

    >>> seconds_of("1970-01-01T00:00:00.250Z")
    0.25
    """
    return datetime.fromisoformat(moment).timestamp()
