"""Markup set aside: what a reader sees, where it stands in the source, and what is no markup."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Chunks, Corpus, citations, place, read_gold, read_run
from excerpt.model.texts import fold_text
from excerpt.placing.markup import MarkedText, ReadText, are_equal, kind_of_document, may_have_markup, seen_of
from excerpt.placing.nearest import nearest


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("*a* _b_ **c** __d__ ***e*** ~~f~~", "a b c d e f"),
        ("**a *b* c**", "a b c"),
        ("snake_case_name 2 * 3 * 4 a*", "snake_case_name 2 * 3 * 4 a*"),
        ("`a` ``b ` c``", "a b ` c"),
        ("`**kwargs` `__init__` `a < b` `&amp;` `[x](y)`", "**kwargs __init__ a < b &amp; [x](y)"),
        ("```python title=x\n**a** <b>\n```\nafter", "**a** <b> after"),
        ("~~~\n`a`\n~~~", "`a`"),
        ("[text](http://x.y/(z) 'title'){.link target=_blank} on", "text on"),
        ("![alt text](a.png) [a][1] [b] [c [d](e) f](g)", "alt text a [b] c d f"),
        ("# Title { #anchor }\n## Two ##\nThree\n=====\n", "Title Two Three"),
        ("- a\n* b\n+ c\n1. d\n23) e\n> f\n> > - g", "a b c d e f g"),
        ("| a | b |\n|---|:-:|\n| c | d \\| e |", "a b c d | e"),
        ('<dfn title="a > b">x</dfn> <em>y</em><br/>z 1 < 2 > 1', "x y z 1 < 2 > 1"),
        ("&amp; &lt; &#65; &#x42; &nosuch;", "& < A B &nosuch;"),
        ("said[^1] so\n\n[^1]: where", "said so where"),
        ("exam-\nple and -\nno", "example and - no"),
        ("\\*a\\* <https://a.b/c>", "*a* https://a.b/c"),
        ("not {these} braces, 5-6, a_b, x*y", "not {these} braces, 5-6, a_b, x*y"),
    ],
)
def test_what_a_reader_sees(source: str, seen: str) -> None:
    """In Markdown, with entities and tags of HTML."""
    assert fold_text(seen_of(source)) == seen
    assert are_equal(source, seen)


def test_html_has_tags_and_entities_alone() -> None:
    """A star is text there."""
    assert fold_text(seen_of("<p>a *b*</p><p>c&nbsp;d</p>", "html")) == "a *b* c d"


@given(st.text("ab*_`[]()<>#&;|!-\\~ \n", max_size=80))
def test_spans_are_in_the_source(source: str) -> None:
    """Each stretch of the seen text has a span of the source with all of its own letters, and no others."""
    read = ReadText(source, "markdown")
    letters = [place for place, letter in enumerate(read.seen) if letter in "ab"]
    for start in letters[:5]:
        for end in letters[-5:]:
            if start <= end:
                low, high = read.span(start, end + 1)
                kept = [one for one in read.seen[start : end + 1] if one in "ab"]
                assert (
                    [one for one in source[low:high] if one in "ab"] == kept or "]" in source or "<" in source
                )
                assert 0 <= low < high <= len(source)


def test_spans_in_random_order() -> None:
    """A paragraph with every mark: words are found at their own places."""
    words = [f"word{number}" for number in range(40)]
    draw = random.Random(4)
    marks = ["*{}*", "**{}**", "`{}`", "[{}](http://x.y)", "<em>{}</em>", "{}", "__{}__"]
    text = " ".join(draw.choice(marks).format(word) for word in words)
    marked = MarkedText(text, "markdown")
    for first in range(0, 38, 3):
        start, end = marked.find(" ".join(words[first : first + 3]))
        assert len(start) == 1
        assert fold_text(seen_of(text[start[0] : end[0]])).split()[0].strip("*_`[") == words[first]


def test_kinds_of_documents() -> None:
    """By the ending; other endings than those of Markdown and HTML have none."""
    assert [
        kind_of_document(one) for one in ("a.md", "a.MDX.gz", "a.htm", "a.txt", "a.xml", "A", "q 1.2")
    ] == [*("markdown", "markdown", "html", None, None, "markdown", "markdown")]


PAGE = "# Rent\n\nThe **rent** is [due](http://x.y) in `May`.\n\nIt is *paid*.\n"


def test_gold_and_citations() -> None:
    """Counted apart; a page of plain text has no markup."""
    rows = b'{"question": "When?", "document": "a.md", "quote": "The rent is due in May."}'
    gold = read_gold(rows, {"a.md": PAGE})
    assert gold.evidence["markup"] == 1
    (span,) = gold.highlights("1")
    assert PAGE[span.start : span.end] == "The **rent** is [due](http://x.y) in `May`."
    answers = [
        {"topic": "1", "document": name, "quote": "The rent is due in May."} for name in ("a.md", "b.txt")
    ]
    found = citations(answers, {"a.md": PAGE, "b.txt": PAGE})
    assert [one.how for one in found.quotes] == ["markup", "other_document"]
    ellipsis = [{"topic": "1", "document": "a.md", "quote": "The rent [...] It is paid."}]
    assert citations(ellipsis, {"a.md": PAGE}).quotes[0].how == "markup"
    nameless = [{"topic": "1", "quote": "The rent is due in May."}]
    assert citations(nameless, {"a.md": PAGE}).quotes[0].how == "markup"


def test_chunks(tmp_path: object) -> None:
    """Placed, written and read again with their level."""
    from pathlib import Path

    path = Path(str(tmp_path)) / "chunks.jsonl"
    corpus = Corpus({"a.md": PAGE})
    chunks = place(corpus, {"a.md": ["Rent", "The rent is due in May.", "It is paid."]})
    assert [(chunk.how, PAGE[chunk.start : chunk.end]) for chunk in chunks] == [
        ("exact", "Rent"),
        ("markup", "The **rent** is [due](http://x.y) in `May`."),
        ("markup", "It is *paid*."[:-2] + "*."),
    ]
    chunks.write(path)
    assert Chunks.read(path, corpus).counts["markup"] == 2
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("".join(f'{{"topic": "1", {line[1:]}\n' for line in lines), encoding="utf-8")
    assert [one.end - one.start for one in read_run(path, corpus=corpus)] == [4, 43, 13]


@pytest.mark.parametrize(
    ("quote", "said"),
    [
        ("the rent is due in may.", 'nearest: line 3 "The rent is due in May" (differs by: case)'),
        ("The rent, is due: in May", 'nearest: line 3 "The rent is due in May" (differs by: punctuation)'),
        ("The lease is due in May", "(differs by: words, 83 % of them are there)"),
    ],
)
def test_nearest(quote: str, said: str) -> None:
    """By spelling, or by words with their share."""
    assert said in str(nearest(PAGE, quote, "a.md"))


def test_nothing_is_near() -> None:
    """Two words by chance are not."""
    assert nearest(PAGE, "Cats sleep in houses all day long", "a.md") is None


@given(st.text("a1 \n-+=.)*_&<>\r\t|#~[", max_size=20), st.sampled_from(["markdown", "html"]))
def test_without_a_mark_a_reader_sees_the_source(text: str, kind: Any) -> None:
    """Such texts are not read for markup."""
    assert may_have_markup(text, kind) or MarkedText(text, kind).forms == [text]
