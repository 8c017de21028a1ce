"""Names of measures as users give them, and the sets that judgments ask for."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError, Judgments, Span, read_judgments
from excerpt.evaluation.choice import aliases_of, choose, read_names
from excerpt.measures import SETS, parse


def test_sets_are_measures() -> None:
    """Every set can be computed beside the judgments that ask for it."""
    text = choose(Judgments.of([("1", Span("A", 0, 60))]))
    documents = choose(read_judgments(b"1 0 A 1\n1 0 B 0\n"))
    assert tuple(text.measures) == SETS["inex"]
    assert [str(measure) for measure in documents.measures.values()] == [
        "articleAP",
        "articleP[10]",
        "articleNDCG[10]",
        "articleRR",
        "articleR[1000]",
        "articleRprec",
        "articleBpref",
    ]


def test_names_are_read_before_anything_else() -> None:
    """Sets are put in, measures stay, and what is neither is refused."""
    assert read_names([parse("charP"), "inex"]) == [parse("charP"), *SETS["inex"]]
    for wrong in ([], ["inex", "AiPP"], 5, [None]):
        with pytest.raises(ExcerptError):
            read_names(wrong)  # type: ignore[arg-type]


def test_only_everyday_names_have_aliases() -> None:
    """A name of the mean, or a cut-off in brackets, is our own."""
    named = {name: parse(name) for name in ("recall@5", "charR@5", "MAiP", "MRR", "mrr", "ndcg[3]")}
    assert aliases_of(named) == {"recall@5": "charR@5", "mrr": "RR", "ndcg[3]": "nDCG@3"}
