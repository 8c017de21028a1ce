"""What is shown of a document: stretches around what is marked, with breaks of its blocks."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from shown_text import looks

from excerpt.corpus import Document, Element
from excerpt.render.stretches import bits_of, windows
from excerpt.view.topic_view import Look


@given(looks(), st.integers(1, 30), st.integers(1, 4))
def test_text_and_gaps_are_the_whole_document(look: Look, context: int, top: int) -> None:
    """What is shown and what is said to be left out add up, and all short relevant text is shown."""
    assert look.document is not None
    text = look.document.text
    found = windows(look, context=context, top=top)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))
    shown = {place for start, end in found for place in range(start, end)}
    for start, end in look.relevant:
        assert set(range(start, end)) <= shown
    bits = list(bits_of(look, context=context, top=top, whole=False))
    left = sum(bit.numbers[0] for bit in bits if bit.kind == "gap")
    assert left == len(text) - len(shown)
    words = "".join(bit.text for bit in bits if bit.kind == "text").split()
    assert "".join(words) == "".join("".join(text[start:end] for start, end in found).split())


@given(looks())
def test_every_rank_is_told_once(look: Look) -> None:
    """At the first text of its result."""
    assert look.document is not None
    told = [
        rank
        for bit in bits_of(look, context=5, top=9, whole=True)
        if bit.kind == "rank"
        for rank in bit.numbers
    ]
    there = {rank for start, _, rank in look.results if start < len(look.document.text)}
    assert sorted(told) == sorted(there)


def test_long_text_is_shown_at_both_ends() -> None:
    """Of relevant text more than of what was returned in vain; later results are no reason."""
    text = "word " * 2000
    look = Look(
        "A",
        judged=True,
        relevant=[(0, 2000)],
        results=[(4000, 6000, 1), (9000, 9010, 11)],
        document=Document("A", text),
    )
    assert windows(look, context=50, top=10) == [(0, 204), (1800, 2054), (3950, 4054), (5950, 6054)]


def test_blocks_break_lines() -> None:
    """Paragraphs by an empty line, items by a new line, cells by a bar; blocks in cells not at all."""
    elements = [
        Element("article", 0, 0, 9),
        Element("p", 1, 0, 1),
        Element("p", 1, 1, 2),
        Element("list", 1, 2, 4),
        Element("item", 2, 2, 3),
        Element("p", 3, 2, 3),
        Element("item", 2, 3, 4),
        Element("table", 1, 4, 9),
        Element("tr", 2, 4, 7),
        Element("td", 3, 4, 5),
        Element("td", 3, 5, 7),
        Element("p", 4, 5, 6),
        Element("p", 4, 6, 7),
        Element("tr", 2, 7, 9),
        Element("td", 3, 7, 9),
    ]
    look = Look(
        "A", judged=True, relevant=[], results=[], document=Document("A", "abcdefghi", elements=elements)
    )
    bits = bits_of(look, context=5, top=9, whole=True)
    assert [bit.text or bit.kind for bit in bits] == [
        *("a", "blank", "b", "blank", "c", "line", "d", "blank"),
        *("e", "cell", "fg", "line", "hi"),
    ]


def test_lines_of_plain_text_and_of_code_stay() -> None:
    """Other white space of XML is folded where it is drawn."""
    plain = Look("A", judged=True, relevant=[], results=[], document=Document("A", "a\nb\n \nc"))
    assert [bit.text or bit.kind for bit in bits_of(plain, context=5, top=9, whole=True)] == [
        *("a", "line", "b", "blank", "c"),
    ]
    elements = [Element("x", 0, 0, 6), Element("pre", 1, 3, 6)]
    code = Look(
        "A", judged=True, relevant=[], results=[], document=Document("A", "a\nbc\nd", elements=elements)
    )
    assert [bit.text or bit.kind for bit in bits_of(code, context=5, top=9, whole=True)] == [
        *("a\nb", "blank", "c", "line", "d"),
    ]


def test_without_text_there_are_no_bits() -> None:
    """The page shows offsets instead."""
    assert list(bits_of(Look("A", judged=True, relevant=[], results=[]), context=5, top=9, whole=True)) == []
