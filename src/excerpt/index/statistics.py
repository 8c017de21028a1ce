"""An index in numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from excerpt.model.spans import IntArray


@dataclass(frozen=True)
class Statistics:
    """An index in numbers; lengths in its unit, a root has depth 1, `tags` by falling count."""

    documents: int
    elements: int
    characters: int
    mean_depth: float
    max_depth: int
    mean_length: float
    mean_elements: float
    tags: dict[str, int]
    broken: int


def compute_statistics(
    description: Mapping[str, Any],
    columns: Mapping[str, npt.NDArray[Any]],
    names: Sequence[str],
    depths: IntArray,
) -> Statistics:
    """The statistics of an index with these tag names; `depths` are those of its tag paths."""
    counts = columns["path_count"].astype(np.int64)
    documents, elements = int(description["documents"]), int(description["elements"])
    by_tag = np.bincount(columns["path_tag"], counts, len(names)).astype(np.int64).tolist()
    tags = sorted(zip(names, by_tag, strict=True), key=lambda item: (-item[1], item[0]))
    return Statistics(
        documents,
        elements,
        int(description["characters"]),
        float((depths * counts).sum() / elements),
        int(depths.max()),
        int(description["characters"]) / documents,
        elements / documents,
        dict(tags),
        int(description["broken"]),
    )


def path_depths(parents: npt.NDArray[np.int32]) -> IntArray:
    """How many steps each tag path has."""
    depths: list[int] = []
    for parent in parents.tolist():  # parents come before their children
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    return np.array(depths)
