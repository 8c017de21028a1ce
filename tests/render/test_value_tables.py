"""What notebooks show of runs, judgments, corpora, chunks and citations."""

from __future__ import annotations

import pytest

import excerpt

CORPUS = excerpt.Corpus({"<b>": "One two. Three four.", "B": "Five."})


def test_values_show_their_repr_and_a_table() -> None:
    """Content of users is text; the topics with most text come first, at most ten."""
    run = excerpt.Run.of("<i>", [(str(topic), "B", 0, topic) for topic in range(1, 13)])
    page = run._repr_html_()
    assert page is not None
    assert "&lt;i&gt;" in page
    assert page.count("<tr>") == 11
    assert page.index(">12<") < page.index(">11<")
    gold = [{"question": "<q>?", "document": "B", "quote": "Five."}]
    judgments = excerpt.read_gold(gold, CORPUS)
    shown = judgments._repr_html_()
    assert shown is not None
    assert "&lt;q&gt;?" in shown
    assert str(excerpt.Judgments.of([])._repr_html_()).count("<tr>") == 1
    assert "&lt;b&gt;" in str(CORPUS._repr_html_())
    chunks = CORPUS.place({"<b>": ["One two.", "nowhere to be found"], "B": ["Five."]}, lost="count")
    assert "&lt;b&gt;" in str(chunks._repr_html_())
    assert str(chunks._repr_html_()).index("&lt;b&gt;") < str(chunks._repr_html_()).index(">B<")


def test_citations_print_themselves() -> None:
    """Their numbers, and the table in notebooks."""
    rows = [{"topic": "1", "document": "B", "quote": quote} for quote in ("Five.", "made up")]
    found = excerpt.citations(rows, CORPUS)
    assert repr(found) == "<Citations: 2 quotes of 1 answer, 1 unreal>"
    assert "<table>" in found._repr_html_()


def test_an_unknown_question_is_answered_with_questions() -> None:
    """Where the user wrote texts, the error names texts."""
    gold = [{"question": "Who is it?", "document": "B", "quote": "Five."}]
    expected = r"found topic Who was it\?, expected topics of the judgments, such as Who is it\?"
    with pytest.raises(excerpt.ExcerptError, match=expected):
        excerpt.evaluate(gold, {"Who was it?": ["Five."]}, ["recall@5"], corpus=CORPUS)
