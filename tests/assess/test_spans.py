"""Spans that are changed in place, against sets of characters."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from span_sets import SPAN, SPANS, characters, spans_of

from excerpt.assess.spans import Spans

STEPS = st.lists(st.tuples(st.sampled_from(["add", "remove"]), SPAN.filter(lambda span: span[0] < span[1])))


@given(STEPS, SPAN)
def test_spans_agree_with_sets_of_characters(steps: list[tuple[str, list[int]]], asked: list[int]) -> None:
    """Whatever is added and removed, the spans are the fewest that hold exactly these characters."""
    spans, chosen = Spans(), set[int]()
    for step, (start, end) in steps:
        getattr(spans, step)(start, end)
        chosen = chosen | set(range(start, end)) if step == "add" else chosen - set(range(start, end))
    wanted = characters([asked])
    assert [list(span) for span in spans] == spans_of(chosen)
    assert spans.characters() == len(chosen)
    assert spans.meets(*asked) == bool(wanted & chosen)
    if wanted:
        assert spans.covers(*asked) == (wanted <= chosen)


def test_a_copy_is_changed_apart() -> None:
    """What happens to a copy does not happen to the spans."""
    spans = Spans([(0, 5)])
    spans.copy().remove(0, 5)
    assert list(spans) == [(0, 5)]


@given(SPANS, SPANS, SPAN)
def test_what_others_lack_is_put_in(own: list[list[int]], others: list[list[int]], more: list[int]) -> None:
    """And what was there stays."""
    spans = Spans((start, end) for start, end in own if start < end)
    spans.put_missing(more[0], more[1], Spans((start, end) for start, end in others if start < end))
    assert [list(span) for span in spans] == spans_of(
        characters(own) | (characters([more]) - characters(others))
    )
