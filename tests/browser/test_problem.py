"""Messages of the page about unknown names."""

from __future__ import annotations

from typing import Any

import pytest
from support.browsing import Modules
from support.page_states import START

OVERVIEW = {
    "topics": [{"id": "CU01"}, {"id": "CU17"}],
    "measures": [{"name": "MAiP"}],
    "runs": [{"name": "sent-bm25"}, {"name": "p-bm25"}],
}


@pytest.mark.parametrize(
    ("state", "what", "wrong"),
    [
        ({"topic": "CU7"}, "topic", "CU7"),
        ({"m": "map"}, "measure", "map"),
        ({"runs": ["p-bm25", "bm25"]}, "run", "bm25"),
        ({"topic": "CU17", "m": "MAiP", "runs": ["p-bm25"]}, None, None),
        ({}, None, None),
    ],
)
def test_the_first_unknown_name_is_told(
    js: Modules, state: dict[str, Any], what: str | None, wrong: str | None
) -> None:
    """An address that names only what exists, or nothing, is well."""
    function = """(problem, [state, overview]) => {
      const {what = null, wrong = null} = problem.unknownIn(state, overview) ?? {};
      return [what, wrong];
    }"""
    assert js.run(["problem"], function, [START | state, OVERVIEW]) == [what, wrong]


@pytest.mark.parametrize(
    ("wrong", "guess"),
    [("CU7", "CU17"), ("cu01", "CU01"), ("", "CU01"), ("CU1x", "CU17"), ("x" * 500, "CU01")],
)
def test_the_nearest_name_is_the_guess(js: Modules, wrong: str, guess: str) -> None:
    """Case does not count; where all are as far, the first."""
    assert js("problem", "nearest", [[wrong, ["CU01", "CU17"]], [wrong, []]]) == [guess, None]
