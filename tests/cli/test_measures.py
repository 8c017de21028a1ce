"""excerpt measures."""

from __future__ import annotations

import json

from .conftest import Excerpt


def test_lists_and_definitions(excerpt: Excerpt) -> None:
    """Every measure with its definition and reference."""
    listed = excerpt("measures").out
    for name in (
        "iP[0.01]",
        "AiP",
        "charP(overlap=exact, alpha=1)[10]",
        "AgP(score=F, beta=1, irrelevant=300, n=500)",
        "LNCS 4862",
    ):
        assert name in listed
    only = json.loads(excerpt("measures", "MAiP", "--format", "json").out)
    assert [entry["name"] for entry in only] == ["AiP"]
    assert "101 levels" in only[0]["definition"]
    assert excerpt("measures", "MAP").err.startswith("excerpt: unknown measure 'MAP'; articleAP is ")
    assert excerpt("measures", "--format", "markdown").out.startswith("# Measures")


def test_a_measure_by_name_says_what_its_parameters_take(excerpt: Excerpt) -> None:
    """Who asks for one measure sees every parameter and the cut-off."""
    shown = excerpt("measures", "gP").out
    assert "    score: F, T2I or BEP\n" in shown
    assert "    cut-off: a rank from 1 to " in shown
    assert "score: F" not in excerpt("measures").out
