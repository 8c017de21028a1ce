"""Quotes in a text: the nearest place, literal before folded, and reasons for those that do not occur."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model.texts import combines, fold_text
from excerpt.quotes import text_index
from excerpt.quotes.quote_search import QuotedText, QuoteMatch, find_everywhere, find_quote

TEXTS = st.text("ab \n", max_size=30)


@given(TEXTS, st.text("ab ", min_size=1, max_size=4), st.integers(-1, 35))
def test_the_nearest_occurrence(text: str, quote: str, start: int) -> None:
    """Exact at the given start or without one; else the nearest; else with other whitespace."""
    places = [at for at in range(len(text)) if text.startswith(quote, at)]
    found = find_quote(text, quote, start)
    if places:
        at = min(places, key=lambda place: (abs(place - max(start, 0)), place))
        assert found == QuoteMatch(at, at + len(quote), "exact" if start in {-1, at} else "moved")
    elif found is not None:
        assert text[found.start : found.end].split() == quote.split()
        assert found.how == "folded"
    elif quote.split():
        assert " ".join(quote.split()) not in " ".join(text.split())


@given(st.text("abab ", min_size=12, max_size=40), st.data())
def test_the_nearest_occurrence_by_index(text: str, data: st.DataObject) -> None:
    """A text that has been searched often is searched by its n-grams, with the same outcome."""
    low = data.draw(st.integers(0, len(text) - 4))
    quote = text[low : low + data.draw(st.integers(4, 20))] + data.draw(st.sampled_from(["", "b"]))
    start = data.draw(st.integers(-1, 45))
    searched, plain = QuotedText(text), QuotedText(text)
    for one in (searched._literal, searched.folded.searched):
        one._work_left = -1
    assert searched.find(quote, start) == plain.find(quote, start)


def test_white_space_is_folded() -> None:
    """Line ends match blanks; whitespace around a quote is ignored."""
    assert find_quote("a\n\n b c", " a b\n", 3) == QuoteMatch(0, 5, "folded")
    assert find_quote("a b", "   ") is None
    assert find_quote("(a) b", "(a)  b") == QuoteMatch(0, 5, "folded")
    assert find_quote("a b", "") is None


@pytest.mark.parametrize(
    ("text", "quote", "place"),
    [
        ("Say \u201cit\u2019s\u201d!", '"it\'s"', (4, 10)),
        ("a hy\u00adphen.", "hyphen", (2, 9)),
        ("the ﬁrst", "first", (4, 8)),
        ("so\u2026 on", "so... on", (0, 6)),
        ("un cafe\u0301 noir", "café", (3, 8)),
        ("un café noir", "cafe\u0301", (3, 7)),
        ("\uff21\uff22", "AB", (0, 2)),
    ],
)
def test_folded_characters(text: str, quote: str, place: tuple[int, int]) -> None:
    """Offsets are those of the text, where lengths differ, too."""
    assert find_quote(text, quote) == QuoteMatch(*place, "folded")
    assert find_quote(quote, text[place[0] : place[1]]) == QuoteMatch(0, len(quote), "folded")


@given(st.text("ae\u0301é\u0308\u00ad \u1112\u1161", max_size=16), st.data())
def test_no_sequence_is_cut(text: str, data: st.DataObject) -> None:
    """A place begins and ends between combining sequences, and has the folded quote."""
    low = data.draw(st.integers(0, len(text)))
    quote = text[low : data.draw(st.integers(low, len(text)))]
    marks, found = combines(text + "."), find_quote(text, quote)
    if not fold_text(quote):
        return
    cut = marks[low] or marks[low + len(quote)]
    assert found is not None or cut or any(combines(fold_text(quote)))
    if found is not None:
        assert fold_text(text[found.start : found.end]) == fold_text(quote)
        assert not marks[found.end]


def test_a_letter_is_not_the_beginning_of_a_sequence() -> None:
    """Composed or not, é has no e."""
    assert find_quote("cafe\u0301, cafe", "cafe") == QuoteMatch(7, 11, "exact")
    assert find_quote("cafe\u0301", "cafe") is None is find_quote("café", "cafe")
    assert find_quote("cafe\u0301 cafe", "cafe", 6) == QuoteMatch(6, 10, "exact")
    assert find_quote("x\u0302 x", "x", 4) == QuoteMatch(3, 4, "moved")


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("the rent", "only in another case"),
        ("CO2 is", "only in another Unicode form"),
        ("co2 IS", "only in another case and Unicode form"),
        ("Therent", "only in another spacing"),
        ("\t\n", ""),
        ("due ... The rent", "nor do its parts around the ellipsis, in order"),
        ("nothing", ""),
    ],
)
def test_reasons(quote: str, reason: str) -> None:
    """The nearest difference that can be tested."""
    text = QuotedText("The rent of CO\u2082 is due.")
    assert text.find(quote) is None
    assert text.reason(quote) == reason


def test_parts_around_an_ellipsis() -> None:
    """In order, each after the one before."""
    text = QuotedText("It\u2019s one. It's two. It\u2019s one.")
    assert text.find_parts("It's two ... It's one.") == [
        QuoteMatch(10, 18, "folded"),
        QuoteMatch(20, 29, "folded"),
    ]
    assert text.find_parts("It's two. ... two") == []
    for quote in ("[\u2026] It's two (...)", "It's two....", "\u2026It's two"):
        assert text.find_parts(quote) == [QuoteMatch(10, 18, "folded")]
    assert text.find_parts("It's", 9) == [QuoteMatch(10, 14, "moved")]
    assert text.find_parts("\u2026") == []


def test_quotes_in_every_document(monkeypatch: pytest.MonkeyPatch) -> None:
    """All documents that have a quote, short or long, folded or not."""
    long = "a sentence of some words"
    documents = [("A", f"x {long} y"), ("B", "of some"), ("C", f"{long.replace(' ', chr(10))}. {long}")]
    found = list(find_everywhere([long, "of some", "", "no words of these at all"], documents))
    assert [(number, name, places[0].how) for number, name, places in found] == [
        (0, "A", "exact"),
        (1, "A", "exact"),
        (1, "B", "exact"),
        (0, "C", "exact"),
        (1, "C", "exact"),
    ]
    left_out = ["of ... words", "words ... of"]
    assert list(find_everywhere(left_out, documents)) == []
    parts = [(name, len(some)) for _, name, some in find_everywhere(left_out, documents, parts=True)]
    assert parts == [("A", 2), ("C", 2), ("C", 2)]
    monkeypatch.setattr(text_index, "_WORK", -1)
    assert list(find_everywhere([long, "of some", ""], documents)) == found
