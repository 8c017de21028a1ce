"""How good is this ranking? One module per family of measures; each registers its own when it is imported."""

from excerpt.measures.base import Measure, Need, definition, parameters, parse, registry

__all__ = ["Measure", "Need", "definition", "parameters", "parse", "registry"]
