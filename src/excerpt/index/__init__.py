"""Offset index: the spans of all elements of a corpus of XML documents.

`build_index` reads a corpus once and writes an index; `OffsetIndex` looks elements up in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.index.build.batch import BrokenDocument
    from excerpt.index.build.builder import BuildReport, build_index, build_share
    from excerpt.index.element_spans import relevant_elements
    from excerpt.index.lookup import Resolved
    from excerpt.index.offsets import OffsetIndex, Statistics

__all__ = [
    "BrokenDocument",
    "BuildReport",
    "OffsetIndex",
    "Resolved",
    "Statistics",
    "build_index",
    "build_share",
    "relevant_elements",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "BrokenDocument": "build.batch",
        "BuildReport": "build.builder",
        "OffsetIndex": "offsets",
        "Resolved": "lookup",
        "Statistics": "offsets",
        "build_index": "build.builder",
        "build_share": "build.builder",
        "relevant_elements": "element_spans",
    },
)
