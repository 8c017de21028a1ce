"""File formats of runs, judgments and topics: readers and writers, a module per family of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.files import Input as Input
    from excerpt.formats.reader import read_gold as read_gold
    from excerpt.formats.reader import read_judgments as read_judgments
    from excerpt.formats.reader import read_run as read_run
    from excerpt.formats.registry import Format as Format
    from excerpt.formats.registry import judgments_formats as judgments_formats
    from excerpt.formats.registry import register_judgments as register_judgments
    from excerpt.formats.registry import register_run as register_run
    from excerpt.formats.registry import run_formats as run_formats
    from excerpt.formats.writer import write_judgments as write_judgments
    from excerpt.formats.writer import write_run as write_run

_PUBLIC = {
    **dict.fromkeys(("Format", "judgments_formats", "run_formats"), "registry"),
    **dict.fromkeys(("register_judgments", "register_run"), "registry"),
    **dict.fromkeys(("Input", "read_gold", "read_judgments", "read_run"), "reader"),
    **dict.fromkeys(("write_judgments", "write_run"), "writer"),
}
__all__ = list(_PUBLIC)
__getattr__, __dir__ = lazy(__name__, _PUBLIC)
