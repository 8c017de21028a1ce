"""File formats of runs, judgments and topics: readers and writers, a module per family of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.files import Input
    from excerpt.formats.judgment_statistics import judgment_statistics
    from excerpt.formats.reader import read_gold, read_judgments, read_run
    from excerpt.formats.registry import (
        Format,
        judgments_formats,
        register_judgments,
        register_run,
        run_formats,
    )
    from excerpt.formats.writer import write_judgments, write_run

__all__ = [
    "Format",
    "Input",
    "judgment_statistics",
    "judgments_formats",
    "read_gold",
    "read_judgments",
    "read_run",
    "register_judgments",
    "register_run",
    "run_formats",
    "write_judgments",
    "write_run",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Format": "registry",
        "Input": "reader",
        "judgment_statistics": "judgment_statistics",
        "judgments_formats": "registry",
        "read_gold": "reader",
        "read_judgments": "reader",
        "read_run": "reader",
        "register_judgments": "registry",
        "register_run": "registry",
        "run_formats": "registry",
        "write_judgments": "writer",
        "write_run": "writer",
    },
)
