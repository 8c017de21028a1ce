"""Facts about an index that tests of archives compare."""

from __future__ import annotations

from pathlib import Path

from excerpt.index import OffsetIndex
from excerpt.indexing.builder import BuildReport

NOWHERE = "cannot be read: a link to a file that is not in the archive"


def facts(index: Path) -> dict[str, int]:
    """The documents of an index with their sizes."""
    opened = OffsetIndex.open(index)
    codes = range(len(opened))
    return dict(zip(opened.document_ids(codes), opened.document_sizes(codes).tolist(), strict=True))


def left_out(report: BuildReport) -> dict[str, str]:
    """The documents that are not in the index, and why."""
    return {document.document: document.message for document in report.broken}
