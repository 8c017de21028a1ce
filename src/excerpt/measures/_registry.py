"""Which measures there are: the families of this folder, and what other packages offer."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from excerpt.measures.base import Measure

_measures: dict[str, type[Measure]] = {}
#: Most names are found here, and the other modules need not be imported: it takes longer than to score a run.
_FIRST = ("interpolated_precision", "characters", "articles", "evidence")


def add(measure: type[Measure], *names: str | None) -> None:
    """Make a measure known by its names."""
    _measures.update({name: measure for name in names if name})


def find(name: str) -> type[Measure] | None:
    """The measure of a name; modules are imported until one of them has it."""
    for module in _families():
        if name in _measures:
            break
        importlib.import_module(module)
    return _measures.get(name) or registry().get(name)


def registry() -> dict[str, type[Measure]]:
    """Every known measure by name, per-topic names and names of means alike."""
    for module in _families():
        importlib.import_module(module)
    _load_others()
    return dict(_measures)


@cache
def _families() -> tuple[str, ...]:
    """The modules of this folder that define measures: all but `base` and the helpers of others."""
    package = importlib.import_module("excerpt.measures")
    names = [module.name for module in pkgutil.iter_modules(package.__path__)]
    families = [name for name in names if name != "base" and not name.startswith("_")]
    return tuple(f"excerpt.measures.{name}" for name in dict.fromkeys([*_FIRST, *families]))


@cache
def _load_others() -> None:
    """Import the measures of other packages, through the entry-point group `excerpt.measures`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.measures"):
        entry.load()
