"""Chunkers of excerpt: nothing lost, sizes kept, structure followed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.corpus.document import Element
from excerpt.errors import ExcerptError
from excerpt.trials.cutting import DEFAULT, ChunkerName, CutText, headings, paragraphs, recursive, window

TEXTS = st.lists(
    st.sampled_from(
        ["# One\n", "a", "Two words", ". ", "\n", "\n\n", "```\n", "    x", " ", "Zeile.", "東京。", "é"]
    ),
    max_size=40,
).map("".join)
NAMES = st.sampled_from(
    [*DEFAULT, "window:7:overlap=3", "recursive:9", "recursive:12:overlap=5", "sentences:5"]
)


@given(TEXTS, NAMES)
def test_every_character_is_in_a_chunk(text: str, name: str) -> None:
    """Whitespace aside; chunks come in order and have no whitespace at their ends."""
    spans = ChunkerName.of(name).cutter()(CutText(text))
    inside = {at for start, end in spans for at in range(start, end)}
    assert all(at in inside for at, character in enumerate(text) if not character.isspace())
    assert spans == sorted(spans)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)


@given(TEXTS, NAMES)
def test_sizes_are_kept_and_only_overlaps_overlap(text: str, name: str) -> None:
    """No chunk is longer than its size, and chunks share at most the overlap."""
    chosen = ChunkerName.of(name)
    spans = chosen.cutter()(CutText(text))
    if chosen.size is not None:
        assert all(end - start <= chosen.size for start, end in spans)
    for (_, end), (start, _) in pairwise(spans):
        assert end - start <= chosen.overlap


def test_structure() -> None:
    """Sections, paragraphs with their headings, and code that no blank line cuts."""
    text = "# A\n\none\n\n```\n# no heading\n\nx\n```\n\nB\n===\n\ntwo"
    cut = [text[start:end] for start, end in headings(CutText(text))]
    assert cut == ["# A\n\none\n\n```\n# no heading\n\nx\n```", "B\n===\n\ntwo"]
    cut = [text[start:end] for start, end in paragraphs(CutText(text))]
    assert cut == ["# A\n\none", "```\n# no heading\n\nx\n```", "B\n===\n\ntwo"]


def test_elements_of_xml_are_its_structure() -> None:
    """Paragraphs and sections are elements there."""
    elements = (
        Element("sec", 1, 0, 5),
        Element("p", 2, 1, 5),
        Element("sec", 1, 5, 9),
        Element("p", 2, 5, 9),
    )
    given_ = CutText("TaaaaBBBB", elements)
    assert paragraphs(given_) == [(0, 1), (1, 5), (5, 9)]
    assert headings(given_) == [(0, 5), (5, 9)]


def test_recursion_prefers_the_coarsest_cut_that_fits() -> None:
    """Sections before blank lines before lines before sentences before words."""
    text = "# A\nfirst one\n\n# B\nsecond. Third here."
    cut = [text[start:end] for start, end in recursive(CutText(text), 20)]
    assert cut == ["# A\nfirst one", "# B", "second. Third here."]
    cut = [text[start:end] for start, end in recursive(CutText(text), 12)]
    assert cut == ["# A", "first one", "# B\nsecond.", "Third here."]
    assert window(CutText("a" * 10), 4) == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("recursiv:800", "unknown chunker 'recursiv:800'"),
        ("recursive", "without a size"),
        ("recursive:0", "found 0 as the size"),
        ("recursive:800:overlap=800", "expected less than the size"),
        ("paragraphs:3", "found 3 in the chunker paragraphs:3"),
        ("window:4:5", "found 5 in the chunker"),
        ("window:٣", "found ٣ as the size"),
    ],
)
def test_wrong_names(name: str, message: str) -> None:
    """Each is one line that says what was found."""
    with pytest.raises(ExcerptError) as caught:
        ChunkerName.of(name)
    assert message in str(caught.value)
