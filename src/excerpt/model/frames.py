"""Data frames, whose libraries are imported when one is asked for."""

from __future__ import annotations

import importlib
from typing import Any

from excerpt.errors import ExcerptError


def frames(library: str) -> Any:
    """A library of data frames, or an error that says how to get it."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise ExcerptError(f"{library} is not installed", hint="pip install 'excerpt[frames]'") from None
