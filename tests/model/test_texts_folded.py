"""The folding of quotes, chunks and citations: what is alike, and where it came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.model.texts import combines, fold_characters, fold_text, folded_from

#: Characters that are folded, composed or combined, and some that are not.
CHARACTERS = "aB e\u0301\u0308é\u00ad\u2019\u201e\u2014\u2026ﬁﬄ\u1112\u1161\u11ab\uff21\u212b\u3000\nक\u093c"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\u2019\u2018\u02bc", "'''"),
        ("\u201c\u201d\u201e\u00ab\u00bb", '"""""'),
        ("\u2013\u2014\u2010\u2011\u2212", "-----"),
        ("a\u2026", "a..."),
        ("ﬁ ﬂ ﬀ ﬃ ﬄ", "fi fl ff ffi ffl"),
        ("hy\u00adphen", "hyphen"),
        ("cafe\u0301", "café"),
        ("\u1112\u1161\u11ab", "한"),
        ("\uff21\uff11\uff08\uffe5\u3000x", "A1(¥ x"),
        (" a\n\t b\u2003\r\n", "a b"),
        ("Case STAYS ½ ² Ω", "Case STAYS ½ ² Ω"),
    ],
)
def test_what_is_alike(text: str, folded: str) -> None:
    """The table of the contract, and nothing else."""
    assert fold_text(text) == folded


@given(st.text(CHARACTERS, max_size=12) | st.text(max_size=12))
def test_folding_is_one(text: str) -> None:
    """Folded twice is folded once, and both Unicode forms become one."""
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert fold_text(unicodedata.normalize("NFD", text)) == fold_text(unicodedata.normalize("NFC", text))


@given(st.text(CHARACTERS, max_size=14))
def test_each_folded_character_has_its_source(text: str) -> None:
    """The source of a run of folded characters folds to them, and never begins or ends inside a sequence."""
    folded, marks = fold_characters(text), combines(text)
    start, end = folded_from(text)
    assert len(start) == len(end) == len(folded)
    for at in range(len(folded)):
        assert folded[at] in fold_characters(text[start[at] : end[at]])
        assert start[at] == 0 or not marks[start[at]] or text[start[at] - 1] == "\u00ad"
        assert end[at] == len(text) or not marks[end[at]]
    whole = [at for at in range(len(folded)) if not at or end[at - 1] <= start[at]]
    for low, high in zip(whole, [*whole[1:], len(folded)], strict=False):
        assert fold_characters(text[start[low] : end[high - 1]]) == folded[low:high]
