"""A worker that does not see a folder, as on a machine where something is not mounted; run in that worker."""

from __future__ import annotations

import builtins
import errno
import os
from collections.abc import Callable
from typing import Any

from excerpt.index.parts import folder as parts

_seeing: list[tuple[Any, str, Any]] = [(os, "stat", os.stat), (os, "open", os.open), (builtins, "open", open)]


def blind(folder: str, *, to_names: bool) -> None:
    """Nothing in the folder can be opened any more, and with `to_names` nothing is there at all."""
    for module, name, function in _seeing:
        if to_names or name == "open":
            setattr(module, name, _blinded(function, folder))
    parts._LAG = 0.1


def see() -> None:
    """Everything as it was."""
    for module, name, function in _seeing:
        setattr(module, name, function)
    parts._LAG = 2.0


def _blinded(function: Callable[..., Any], folder: str) -> Callable[..., Any]:
    def look(path: Any, *arguments: Any, **options: Any) -> Any:
        if isinstance(path, str | os.PathLike) and str(path).startswith(folder):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        return function(path, *arguments, **options)

    return look
