"""How good is this ranking? One module per family of measures; each registers its own."""

import importlib
import pkgutil

from excerpt.measures.base import Measure, Need, definition, parameters, parse, registry

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["Measure", "Need", "definition", "parameters", "parse", "registry"]
