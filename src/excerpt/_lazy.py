"""Packages whose names are imported when they are first used: `import excerpt` itself costs nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module

TYPE_CHECKING = False  # as typing has it, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from typing import Any


def lazy(
    package: str, public: Mapping[str, str], modules: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package: its public names, each with its module, and its modules.

    A name that is called otherwise in its module is given as `module:name`.
    """

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name not in public:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, original = public[name].partition(":")
        value = getattr(import_module(f"{package}.{module}"), original or name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*public, *modules})

    return load, names
