"""How bytes become runs and judgments, and back: one module per format, in two rooms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.files import Input
    from excerpt.formats.reading import read_gold, read_judgments, read_run
    from excerpt.formats.registry import (
        Format,
        judgments_formats,
        register_judgments,
        register_run,
        run_formats,
    )
    from excerpt.formats.write import write_judgments, write_run

__all__ = [
    "Format",
    "Input",
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
        "Input": "reading",
        "judgments_formats": "registry",
        "read_gold": "reading",
        "read_judgments": "reading",
        "read_run": "reading",
        "register_judgments": "registry",
        "register_run": "registry",
        "run_formats": "registry",
        "write_judgments": "write",
        "write_run": "write",
    },
)
