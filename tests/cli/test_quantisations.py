"""excerpt quantisations."""

from __future__ import annotations

import json

from .conftest import Excerpt


def test_lists_those_of_a_scale(excerpt: Excerpt) -> None:
    """Names, which one is the default, and what they do; an unknown scale suggests the nearest."""
    rows = json.loads(excerpt("quantisations", "--scale", "highlights", "--format", "json").out)
    assert [(row["name"], row["default"]) for row in rows] == [("specificity", "yes"), ("strict", "")]
    assert "sog" in excerpt("quantisations").out
    wrong = excerpt("quantisations", "--scale", "highlight")
    assert (wrong.status, wrong.out) == (2, "")
    assert "unknown scale 'highlight'; did you mean 'highlights'?" in wrong.err
