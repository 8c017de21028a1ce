"""How bytes become runs and judgments, and back: one module per format."""

from excerpt.formats.registry import (
    Format,
    judgments_formats,
    read_judgments,
    read_run,
    register_judgments,
    register_run,
    run_formats,
)
from excerpt.formats.write import write_judgments, write_run

__all__ = [
    "Format",
    "judgments_formats",
    "read_judgments",
    "read_run",
    "register_judgments",
    "register_run",
    "run_formats",
    "write_judgments",
    "write_run",
]
