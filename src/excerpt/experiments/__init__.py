"""Can the measure be trusted? Functions from scores, or from runs and judgments, to rows and a record."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from excerpt.experiments.table import EXPERIMENTS, Experiment

if TYPE_CHECKING:
    from excerpt.experiments.outcome import InputFile, Outcome, Record

__all__ = ["EXPERIMENTS", "Experiment", "InputFile", "Outcome", "Record"]


def __getattr__(name: str) -> Any:
    """Import what an experiment gives when it is first used: help needs the table only."""
    if name not in __all__:
        raise AttributeError(f"module 'excerpt.experiments' has no attribute {name!r}")
    return getattr(import_module("excerpt.experiments.outcome"), name)
