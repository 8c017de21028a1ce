"""Can the measure be trusted? Functions from scores, or from runs and judgments, to rows and a record."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from excerpt.experiments.outcome import Input, Outcome, Record

__all__ = ["Input", "Outcome", "Record"]

_MODULES = {"agreement", "comparison", "correlation", "significance_errors", "stability", "study"}


def __getattr__(name: str) -> ModuleType:
    """Import an experiment when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module 'excerpt.experiments' has no attribute {name!r}")
    return import_module(f"excerpt.experiments.{name}")
