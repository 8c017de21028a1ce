"""The number of results per topic that count where nobody says it."""

from __future__ import annotations


class UsualLimit(int):
    """A limit that nobody asked for: it is of focused runs, not of runs of whole documents."""


#: What INEX allowed.
USUAL_LIMIT = UsualLimit(1500)
