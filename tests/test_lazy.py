"""Packages that load their names when they are first used."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module

import pytest

import excerpt
import excerpt.experiments
import excerpt.index
import excerpt.model


@pytest.mark.parametrize("package", [excerpt, excerpt.experiments, excerpt.index, excerpt.model])
def test_what_a_package_shows(package: object) -> None:
    """`dir` has the public names and modules, each can be imported, and an unknown name is an error."""
    names = dir(package)
    assert set(package.__all__) <= set(names)  # type: ignore[attr-defined]
    assert names == sorted(names)
    for name in names:
        assert getattr(package, name) is not None
        assert not name.startswith("_")
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_nothing_else_is_shown() -> None:
    """Neither typing nor future leaks into what a user sees."""
    assert not {"Any", "TYPE_CHECKING", "annotations", "lazy"} & set(dir(excerpt))


def test_importing_costs_nothing() -> None:
    """The package alone loads none of its parts."""
    code = "import sys, excerpt; print(sorted(m for m in sys.modules if m.startswith(('excerpt.', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['excerpt._lazy']\n"


@pytest.mark.parametrize(
    ("name", "module", "call"),
    [
        ("completion", "excerpt.cli.completion", lambda: excerpt.completion("fish")),
        ("config", "excerpt.project", lambda: excerpt.config(environment={"EXCERPT_CONFIG": "none"})),
    ],
)
def test_functions_of_the_command_line_are_deprecated(
    name: str, module: str, call: Callable[[], object]
) -> None:
    """They work for one more version, with a warning at the caller, and are no public names."""
    with pytest.warns(
        DeprecationWarning, match=f"excerpt.{name} is deprecated; it is a function of {module}$"
    ) as seen:
        assert call() is not None
    assert seen[0].filename == __file__
    assert name not in {*excerpt.__all__, *dir(excerpt)}
    with pytest.warns(DeprecationWarning, match=name):  # each time
        assert getattr(excerpt, name) is getattr(import_module(module), name)
