"""Which measures there are: the families of this folder, and what other packages offer."""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from excerpt.measures.base import Measure

_measures: dict[str, type[Measure]] = {}
#: The modules of our measures by name, in the order of listings: who asks for one imports its module only,
#: since to import all takes longer than to score a run. A measure that is not here is found, too, but later.
_MODULES = {
    name: module
    for names, module in (
        ("iP AiP MAiP", "interpolated_precision"),
        ("charP charR charF IoU", "characters"),
        ("articleP articleR articleF articleAP articleMAP", "articles"),
        ("hit RR MRR nDCG found allfound", "evidence"),
        ("BEPD EPRUM", "best_in_context"),
        ("gP gR AgP MAgP", "generalised_precision"),
        ("judged", "judged_share"),
        ("inex_eval_ng", "ng"),
        ("inex_eval", "precall"),
        ("articleRR articleMRR articleHit articleNDCG", "ranked_articles"),
        ("articleRprec articleBpref articleInfAP", "ranked_articles"),
        ("read", "reading_cost"),
        ("nxCG MAnxCG ep MAep iMAep Q R", "xcg"),
    )
    for name in names.split()
}


def add(measure: type[Measure], *names: str | None) -> None:
    """Make a measure known by its names."""
    _measures.update({name: measure for name in names if name})


def find(name: str) -> type[Measure] | None:
    """The measure of a name; all modules are imported where the table does not have it."""
    if name not in _measures and name in _MODULES:
        importlib.import_module(f"excerpt.measures.{_MODULES[name]}")
    return _measures.get(name) or registry().get(name)


def registry() -> dict[str, type[Measure]]:
    """Every known measure by name, per-topic names and names of means alike."""
    for module in _families():
        importlib.import_module(module)
    _load_others()
    return {name: _measures[name] for name in dict.fromkeys((*_MODULES, *_measures))}


@cache
def _families() -> tuple[str, ...]:
    """The modules of this folder that define measures: all but `base` and the helpers of others."""
    from pkgutil import iter_modules

    package = importlib.import_module("excerpt.measures")
    names = [module.name for module in iter_modules(package.__path__)]
    return tuple(f"excerpt.measures.{name}" for name in names if name != "base" and not name.startswith("_"))


@cache
def _load_others() -> None:
    """Import the measures of other packages, through the entry-point group `excerpt.measures`."""
    from importlib.metadata import entry_points

    for entry in entry_points(group="excerpt.measures"):
        entry.load()
