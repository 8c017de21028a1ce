"""A text that is searched plainly, then by an index."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from excerpt.placing.searched import Searched, find_all

TEXTS = st.text(alphabet="ab ", max_size=30)


@given(TEXTS, st.text(alphabet="ab ", min_size=1, max_size=4))
def test_all_places_are_found(text: str, part: str) -> None:
    """Also those that overlap."""
    expected = [place for place in range(len(text)) if text.startswith(part, place)]
    assert find_all(text, part).tolist() == expected
    assert Searched(text).find(part, 2, 9).tolist() == [place for place in expected if 2 <= place <= 9]


def test_an_index_is_made_when_it_is_worth_it() -> None:
    """It gives the same."""
    line = "the line of text, "
    plain, indexed, never = Searched(line * 9), Searched(line * 9), Searched(line * 9, by_hash=False)
    for text in (indexed, never):
        text._left = -1
    assert plain._is_worth(line) is never._is_worth(line) is None
    assert indexed._is_worth(line) is not None
    for text in (plain, indexed, never):
        assert text.find(line, 1, 40).tolist() == [18, 36]
        assert text.near(line, 150) == -1
        assert text.near(line, 19) == 36
        assert text.first(line) == 0
        assert text.first("another line of text") == -1
