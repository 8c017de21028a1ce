"""Offset index: the spans of all elements of a corpus of XML documents.

`OffsetIndex` looks elements up in an index that `excerpt.build_index` has written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.index.disk import BrokenDocument as BrokenDocument
    from excerpt.index.element_spans import relevant_elements as relevant_elements
    from excerpt.index.lookup import Resolved as Resolved
    from excerpt.index.offsets import OffsetIndex as OffsetIndex
    from excerpt.index.offsets import Statistics as Statistics

_PUBLIC = {
    "BrokenDocument": "disk",
    "OffsetIndex": "offsets",
    "Resolved": "lookup",
    "Statistics": "offsets",
    "relevant_elements": "element_spans",
}
__all__ = list(_PUBLIC)
__getattr__, __dir__ = lazy(__name__, _PUBLIC)
