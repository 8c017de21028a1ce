"""A worker that does not see a folder, or waits for a document; run in that worker."""

from __future__ import annotations

import builtins
import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from excerpt.indexing import shares as parts

_seeing: list[tuple[Any, str, Any]] = [(os, "stat", os.stat), (os, "open", os.open), (builtins, "open", open)]


def blind(folder: str, *, to_names: bool) -> None:
    """Nothing in the folder can be opened any more, and with `to_names` nothing is there at all."""
    for module, name, function in _seeing:
        if to_names or name == "open":
            setattr(module, name, _blinded(function, folder))
    parts._LAG = 0.1


def hold(document: str, gate: str) -> None:
    """Opening the document waits until there is a file `gate`, and makes a file `gate`.waiting."""
    intact = os.open

    def wait(path: Any, *arguments: Any, **options: Any) -> Any:
        if str(path) == document:
            Path(f"{gate}.waiting").write_text("")
            while not Path(gate).exists():
                time.sleep(0.05)
        return intact(path, *arguments, **options)

    os.open = wait


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
