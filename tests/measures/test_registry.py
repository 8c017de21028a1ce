"""Which measures are known, and which modules are imported to find them."""

from __future__ import annotations

import subprocess
import sys

from excerpt.measures import _registry


def test_families_are_the_modules_with_measures() -> None:
    """Helpers of families are not taken for families, and every family has a measure."""
    measures = _registry.registry().values()
    assert set(_registry._families()) == {
        kind.__module__ for kind in measures if kind.__module__.startswith("excerpt.")
    }


def test_the_table_tells_where_every_measure_of_ours_is() -> None:
    """Names and modules of the table are those of the classes, which are listed in its order."""
    ours = {
        name: kind.__module__.removeprefix("excerpt.measures.")
        for name, kind in _registry.registry().items()
        if kind.__module__.startswith("excerpt.measures.")
    }
    assert list(_registry._MODULES.items()) == list(ours.items())


def test_a_name_is_found_with_as_few_imports_as_possible() -> None:
    """Who asks for iP does not wait for the measures of elements."""
    code = (
        "import sys, excerpt.measures\n"
        "excerpt.measures.parse('iP[0.1]')\n"
        "sys.exit('excerpt.measures.xcg' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_name_is_not_found() -> None:
    """All families are asked before the answer is no."""
    assert _registry.find("nothing") is None
