"""Pieces of text against sets of characters."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from excerpt.view.pieces import pieces

SPANS = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda span: (span[0], span[0] + span[1]))


@given(st.lists(SPANS, max_size=5), st.lists(SPANS, max_size=8), st.integers(0, 35), st.booleans())
def test_pieces_agree_with_sets_of_characters(
    relevant: list[tuple[int, int]], spans: list[tuple[int, int]], size: int, judged: bool
) -> None:
    """Every character has the state and the ranks that sets give it; pieces are sorted, disjoint, maximal."""
    results = [(start, end, rank) for rank, (start, end) in enumerate(spans, 1)]
    good = {place for start, end in relevant for place in range(start, end) if place < size}
    found = pieces(relevant, results, size, judged=judged)
    states: dict[int, tuple[str, tuple[int, ...]]] = {}
    for piece in found:
        assert piece.start < piece.end <= size
        states |= dict.fromkeys(range(piece.start, piece.end), (piece.state, piece.ranks))
    assert sum(piece.end - piece.start for piece in found) == len(states)
    for place in range(size):
        ranks = tuple(rank for start, end, rank in results if start <= place < end)
        retrieved = "hit" if place in good else "vain" if judged else "unjudged"
        state = (retrieved if ranks else "missed", ranks) if ranks or place in good else None
        assert states.get(place) == state
    for one, other in pairwise(found):
        assert one.end <= other.start
        assert one.end < other.start or one[2:] != other[2:]


def test_a_piece_says_what_it_is() -> None:
    """Relevant or not, once or again."""
    hit, vain = pieces([(0, 2)], [(0, 4, 3), (0, 2, 7)], 9)
    assert (hit.relevant, hit.again, hit.ranks) == (True, True, (3, 7))
    assert (vain.relevant, vain.again, vain.ranks) == (False, False, (3,))


def test_many_results_are_quick() -> None:
    """A thousand overlapping results in a million characters."""
    results = [(rank * 900, rank * 900 + 5000, rank) for rank in range(1, 1000)]
    assert len(pieces([(0, 1_000_000)], results, 1_000_000)) > 1000
