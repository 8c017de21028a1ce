"""Sets of characters as spans agree with sets of numbers."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.browsing import Modules
from support.span_sets import END, SPANS, Spans, characters, spans_of

EASY = settings(max_examples=100, suppress_health_check=list(HealthCheck))


@EASY
@given(first=SPANS, second=SPANS)
def test_sets_agree_with_sets_of_characters(js: Modules, first: Spans, second: Spans) -> None:
    """Union, what is in both, and how many: sorted, disjoint, neighbours joined."""
    one, two = characters(first), characters(second)
    assert js("spans", "sharedSpans", [[first, second]]) == [spans_of(one & two)]
    assert js("spans", "joinSpans", [[first]]) == [spans_of(one)]
    assert js("spans", "countPoints", [[spans_of(one)]]) == [len(one)]


@EASY
@given(lists=st.lists(SPANS, min_size=1, max_size=4))
def test_pieces_agree_with_counts_of_characters(js: Modules, lists: list[Spans]) -> None:
    """Each piece of a sweep says for all its characters how many spans of each list lie over them."""
    ask = """(spans, lists) => {
      const pieces = [];
      spans.sweepSpans(lists, (start, end, counts) => pieces.push([start, end, Array.from(counts)]));
      return pieces;
    }"""
    seen = {}
    last = 0
    for start, end, counts in js.run(["spans"], ask, lists):
        assert last <= start < end
        last = end
        seen.update(dict.fromkeys(range(start, end), counts))
    for at in range(END):
        expected = [sum(start <= at < end for start, end in spans) for spans in lists]
        assert seen.get(at, [0] * len(lists)) == expected


@EASY
@given(spans=SPANS, start=st.integers(END, END + 3), length=st.integers(0, 3))
def test_one_more_at_the_end_is_joined(js: Modules, spans: Spans, start: int, length: int) -> None:
    """A neighbour is joined, an empty one left out."""
    ask = "(spans, [list, start, end]) => { spans.appendSpan(list, start, end); return list; }"
    held = characters(spans)
    grown = js.run(["spans"], ask, [spans_of(held), start, start + length])
    assert grown == spans_of(held | set(range(start, start + length)))


@EASY
@given(spans=SPANS)
def test_the_holder_of_a_position_is_found(js: Modules, spans: Spans) -> None:
    """Its number among sorted spans, or -1."""
    held = spans_of(characters(spans))
    expected = [
        next((i for i, (start, end) in enumerate(held) if start <= at < end), -1) for at in range(END + 1)
    ]
    assert js("spans", "spanAt", [(held, at) for at in range(END + 1)]) == expected
