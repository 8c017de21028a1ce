"""How bytes become runs and judgments, and back: one module per format, in two rooms."""

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
