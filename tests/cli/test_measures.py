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
        "charP(budget=…, cost=characters, overlap=exact, alpha=1)[10]",
        "AgP(score=F, beta=1, irrelevant=300, n=500)",
        "LNCS 4862",
    ):
        assert name in listed
    only = json.loads(excerpt("measures", "MAiP", "--format", "json").out)
    assert [entry["name"] for entry in only] == ["AiP"]
    assert "101 levels" in only[0]["definition"]
    everyday = json.loads(excerpt("measures", "MAP", "--format", "json").out)
    assert [entry["name"] for entry in everyday] == ["articleAP"]
    for asked, names in {
        "recall": ["charR", "articleR"],
        "RAG": ["charR", "charP", "IoU", "hit", "RR", "found", "read"],
    }.items():
        shown = json.loads(excerpt("measures", asked, "--format", "json").out)
        assert [entry["name"] for entry in shown] == names
    for column, names in {
        "recall@5": ["charR", "articleR"],
        "nDCG@10": ["nDCG", "articleNDCG"],
        "iP[0.01]": ["iP"],
        "P_10": ["articleP"],
        "recall(budget=4000)": ["charR"],
    }.items():  # as they stand above a table of scores
        shown = json.loads(excerpt("measures", column, "--format", "json").out)
        assert [entry["name"] for entry in shown] == names, column
    assert excerpt("measures", "gMAP").err.startswith(
        "excerpt: unknown measure 'gMAP'; excerpt trec_eval prints it"
    )
    assert excerpt("measures", "--format", "markdown").out.startswith("# Measures")


def test_a_measure_by_name_says_what_its_parameters_take(excerpt: Excerpt) -> None:
    """One measure is printed with every parameter and the cut-off."""
    shown = excerpt("measures", "gP").out
    assert "    score: F, T2I or BEP\n" in shown
    assert "    cut-off: a rank from 1 to " in shown
    assert "score: F" not in excerpt("measures").out


def test_measures_of_chunkers_are_told_too(excerpt: Excerpt) -> None:
    """They are asked for elsewhere, but looked for here."""
    assert "omega(legacy=false)   (excerpt chunks)\n" in excerpt("measures").out
    told = json.loads(excerpt("measures", "Omega", "recall", "--format", "json").out)
    assert [entry["name"] for entry in told] == ["charR", "articleR", "omega"]
    assert "chunking_evaluation" in told[-1]["definition"]
    page = excerpt("measures", "cut", "--format", "markdown").out
    assert page.startswith(
        "# Measures\n\n## cut\n\n`cut`, by `excerpt chunks`.\n\nThe proportion of the relevant"
    )
