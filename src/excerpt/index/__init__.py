"""Where in the text is this element?

`build` reads a corpus of XML documents once and writes an index; `OffsetIndex` answers from it.
"""

from excerpt.index.build import BuildReport, build, build_shard
from excerpt.index.offsets import OffsetIndex, Resolved, Statistics
from excerpt.index.shard import BrokenDocument

__all__ = ["BrokenDocument", "BuildReport", "OffsetIndex", "Resolved", "Statistics", "build", "build_shard"]
