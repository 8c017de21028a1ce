"""Where in the text is this element?

`build_index` reads a corpus of XML documents once and writes an index; `OffsetIndex` answers from it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from excerpt.index.build.batch import BrokenDocument
    from excerpt.index.build.building import BuildReport, build_index, build_share
    from excerpt.index.offsets import OffsetIndex
    from excerpt.index.statistics import Statistics
    from excerpt.index.text_nodes import Resolved

__all__ = [
    "BrokenDocument",
    "BuildReport",
    "OffsetIndex",
    "Resolved",
    "Statistics",
    "build_index",
    "build_share",
]

_OFFSETS = {"OffsetIndex", "Resolved", "Statistics"}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: who builds an index does not ask it, and the other way round."""
    if name not in __all__:
        raise AttributeError(f"module 'excerpt.index' has no attribute {name!r}")
    if name in _OFFSETS:
        from excerpt.index import offsets

        return getattr(offsets, name)
    from excerpt.index.build import building

    return getattr(building, name)
