"""Who does the work: this process, several, or a Dask cluster; results come in the order of the items."""

from excerpt.engine.engine import Call, Engine

__all__ = ["Call", "Engine"]
