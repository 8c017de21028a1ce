"""A measure of another package, registered as soon as this is imported: so only inside of a test."""

from __future__ import annotations

import numpy as np

from excerpt.measures import Measure, Need
from excerpt.model.join import Joined
from excerpt.model.spans import FloatArray


class Half(Measure):
    """A measure of another package: half of what there is."""

    name = "half"

    @property
    def needs(self) -> frozenset[Need]:
        """Nothing."""
        return frozenset()

    def scores(self, joined: Joined) -> FloatArray:
        """The same for every topic."""
        return np.full(joined.topics, 0.5)
