"""Documents joined to one text, and places in it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.index.parse import joined_text
from excerpt.index.parse.joined_text import Doubtful, JoinedText, select_outside
from excerpt.model import spans


def test_doubts_belong_to_documents() -> None:
    """A place tells its document, also at the very edges."""
    joined = JoinedText([b"ab", b"c", b"def"])
    assert joined.documents_at(np.array([0, 1, 2, 3, 5])).tolist() == [0, 0, 1, 2, 2]
    joined.settle()
    joined.doubt(np.array([2], np.int64))
    with pytest.raises(Doubtful) as caught:
        joined.settle()
    assert caught.value.documents.tolist() == [False, True, False]


@given(
    places=st.sets(st.integers(0, 40)),
    cuts=st.lists(st.integers(0, 40), max_size=8, unique=True).filter(lambda cuts: len(cuts) % 2 == 0),
)
def test_places_outside_of_ranges(places: set[int], cuts: list[int]) -> None:
    """Those that are in no range, in order."""
    ranges = sorted(cuts)
    begin, end = np.array(ranges[::2], np.int64), np.array(ranges[1::2], np.int64)
    found = select_outside(np.array(sorted(places), np.int64), begin, end)
    inside = {place for low, high in zip(begin, end, strict=True) for place in range(low, high)}
    assert found.tolist() == sorted(places - inside)


_PIECES = st.binary(max_size=joined_text.LONGEST).map(lambda piece: piece.replace(b"\0", b"x"))


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(_PIECES, max_size=40), copies=st.integers(1, 3))
@pytest.mark.parametrize("factors", [spans._MULTIPLIERS, (0, 0)])
def test_equal_pieces_have_equal_numbers(factors: tuple[int, ...], pieces: list[bytes], copies: int) -> None:
    """Numbers are those of a dictionary, even where all pieces share one slot of the table."""
    pieces = pieces * copies
    data = b"".join((*pieces, joined_text.PADDING))
    length = np.array([len(piece) for piece in pieces], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_MULTIPLIERS", factors)
        patch.setattr(spans, "_FEW", 0)
        number, first = joined_text.number_pieces(data, np.cumsum(length) - length, length)
    known: dict[bytes, int] = {}
    assert number.tolist() == [known.setdefault(piece, len(known)) for piece in pieces]
    assert first.tolist() == [pieces.index(piece) for piece in known]


@settings(max_examples=100, deadline=None)
@given(
    pieces=st.lists(_PIECES.filter(len), min_size=1, max_size=9),
    spoil=st.integers(0, joined_text.LONGEST - 1),
)
def test_pieces_are_compared_to_their_last_byte(pieces: list[bytes], spoil: int) -> None:
    """A piece is itself, and no longer so with another byte anywhere in it."""
    length = np.array([len(piece) for piece in pieces])
    which, begin = np.arange(len(pieces)), np.cumsum(length) - length
    others = [
        piece[:spoil] + b"\xff" + piece[spoil + 1 :] if spoil < len(piece) else piece for piece in pieces
    ]
    for texts in (pieces, others):
        found = joined_text.are(
            joined_text.words_of(b"".join((*texts, joined_text.PADDING))), begin, length, pieces, which
        )
        assert found.tolist() == [text == piece for text, piece in zip(texts, pieces, strict=True)]


@pytest.mark.parametrize(
    ("piece", "expected"), [(b"amp;xxxx", b"amp"), (b";amp;amp", b""), (b"#x1F600;", b"#x1F600")]
)
def test_a_word_is_cut_at_the_first_mark(piece: bytes, expected: bytes) -> None:
    """What comes after the first semicolon is gone."""
    found, has_none = joined_text.cut(joined_text.words_of(piece), b";")
    assert int(found[0]).to_bytes(8, "little").rstrip(b"\0") == expected
    assert not has_none[0]
    assert joined_text.cut(joined_text.words_of(b"no marks"), b";")[1].tolist() == [True]
