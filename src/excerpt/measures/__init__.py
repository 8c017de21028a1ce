"""Measures of retrieval: one module per family, whose measures are registered when it is imported.

Every measure is an attribute of this package, with its default parameters:

>>> from excerpt.measures import AgP, AiP, iP
>>> iP @ 0.01, AgP(beta=0.25), AiP
(iP[0.01], AgP(beta=0.25), AiP)
"""

from __future__ import annotations

from excerpt.measures import base
from excerpt.measures._names import SETS, alias_of, check_names, expand, kind_of, parse
from excerpt.measures.base import Measure, Need, definition, parameters, registry

__all__ = [
    "SETS",
    "Measure",
    "Need",
    "alias_of",
    "check_names",
    "definition",
    "expand",
    "kind_of",
    "parameters",
    "parse",
    "registry",
]


def __getattr__(name: str) -> Measure:
    """Return a measure by its name; only the modules that it needs are imported."""
    measure = None if name.startswith("_") else base.find(name)
    if measure is None:
        raise AttributeError(f"module 'excerpt.measures' has no attribute {name!r}")
    return measure()


def __dir__() -> list[str]:
    return sorted({*__all__, *registry()})
