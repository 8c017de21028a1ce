"""Lazy imports: names of a package, and what apps offer to the core, are imported on first use."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module

TYPE_CHECKING = False  # not from typing, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from typing import Any

#: What apps offer to the core, as `module` or `module:name`; only `excerpt/__init__` fills it.
OFFERS: dict[str, str] = {}
#: Modules of apps that register formats, each with the kind of file and the reach at which it is loaded.
FORMATS: dict[str, tuple[str, str]] = {}
#: Measures of apps, by name the module that defines them.
MEASURES: dict[str, str] = {}


def lazy(
    package: str,
    public: Mapping[str, str],
    modules: Collection[str] = (),
    *,
    deprecated: Mapping[str, str] | None = None,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package, from its public names by module, and its modules.

    A name that differs in its module is given as `module:name`. A name of a package that an app offers under
    `package.name` is found as well. A name that is `deprecated` works, with a warning each time.
    """

    def load(name: str) -> Any:
        if name in modules:
            return import_module(f"{package}.{name}")
        if name in public:
            module, _, original = public[name].partition(":")
            value = getattr(import_module(f"{package}.{module}"), original or name)
        elif f"{package}.{name}" in OFFERS:
            value = offered(f"{package}.{name}")
        elif deprecated and name in deprecated:
            from warnings import warn

            module = f"{package}.{deprecated[name]}"
            warn(f"{package}.{name} is deprecated; it is a function of {module}", DeprecationWarning, 2)
            return getattr(import_module(module), name)
        else:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*public, *modules})

    return load, names


def offered(name: str) -> Any:
    """Load the module or function that an app offers under a name; None if the app is not there."""
    module, _, attribute = OFFERS.get(name, "").partition(":")
    if not module:
        return None
    try:
        found = import_module(f"excerpt.{module}")
    except ModuleNotFoundError as error:
        if f"excerpt.{module}.".startswith(f"{error.name}."):
            return None
        raise
    return getattr(found, attribute) if attribute else found
