"""Lazy imports: names of a package are imported on first use, so that `import excerpt` is fast."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from typing import Any


def lazy(
    package: str, public: Mapping[str, str], modules: Collection[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package, from its public names by module, and its modules.

    A name that differs in its module is given as `module:name`.
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
