"""Standard errors of estimates from the design of a sample: of means, and of differences of two runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from excerpt.errors import plural
from excerpt.estimates.weighting import Weighting
from excerpt.model.spans import BoolArray, FloatArray

#: Scores of a run on each topic with one drawn document left out each, as `Weighting` has its rows.
LeftOut = tuple[FloatArray, ...]


@dataclass(frozen=True, eq=False)
class SamplingErrors:
    """Scores of runs without one drawn document each, from which design errors follow."""

    topics: tuple[str, ...]
    #: Weights of each topic, by measure; and scores by measure, then run.
    weightings: Mapping[str, tuple[Weighting, ...]]
    left: Mapping[str, Mapping[str, LeftOut]]
    #: Lines below a table of the estimates.
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<SamplingErrors: {plural(len(self.left), 'measure')} on {plural(len(self.topics), 'topic')}>"

    def renamed(self, names: Mapping[str, str]) -> SamplingErrors:
        """Return the same with other names of runs."""
        left = {
            measure: {names.get(run, run): one for run, one in runs.items()}
            for measure, runs in self.left.items()
        }
        return replace(self, left=left)

    def error(self, measure: str, run: str, topics: BoolArray, other: str | None = None) -> float:
        """Design error of a mean over some of the topics, or of a difference of two means; NaN if unknown."""
        runs = self.left[measure]
        variance = 0.0
        for topic in np.flatnonzero(topics).tolist():
            left = runs[run][topic] - (runs[other][topic] if other is not None else 0.0)
            variance += float(self.weightings[measure][topic].variances(left)[0])
        return math.sqrt(variance) / max(int(topics.sum()), 1)

    def kept(self, topics: tuple[str, ...]) -> BoolArray:
        """Mask of the topics with these names."""
        names = set(topics)
        return np.array([topic in names for topic in self.topics], np.bool_)
