"""Offset index: the spans of all elements of a corpus of XML documents.

`build_index` reads a corpus once and writes an index; `OffsetIndex` looks elements up in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.index.build.batch import BrokenDocument as BrokenDocument
    from excerpt.index.build.builder import BuildReport as BuildReport
    from excerpt.index.build.builder import build_index as build_index
    from excerpt.index.build.builder import build_share as build_share
    from excerpt.index.element_spans import relevant_elements as relevant_elements
    from excerpt.index.lookup import Resolved as Resolved
    from excerpt.index.offsets import OffsetIndex as OffsetIndex
    from excerpt.index.offsets import Statistics as Statistics

_PUBLIC = {
    "BrokenDocument": "build.batch",
    "BuildReport": "build.builder",
    "OffsetIndex": "offsets",
    "Resolved": "lookup",
    "Statistics": "offsets",
    "build_index": "build.builder",
    "build_share": "build.builder",
    "relevant_elements": "element_spans",
}
__all__ = list(_PUBLIC)
__getattr__, __dir__ = lazy(__name__, _PUBLIC)
