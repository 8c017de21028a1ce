"""Labelled stretches, against a label for every character."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from excerpt.assess.events import Event
from excerpt.assess.procedures import procedure_of
from excerpt.assess.rules import Rules, Structure
from excerpt.assess.work import Work

SPAN = st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda pair: (pair[0], sum(pair)))
STEPS = st.lists(
    st.tuples(st.sampled_from(["label", "unhighlight"]), SPAN, st.sampled_from(["s", "c", None]))
)


@given(STEPS)
def test_labels_agree_with_a_label_per_character(steps: list[tuple[str, tuple[int, int], Any]]) -> None:
    """Pieces are sorted and as few as possible; the last label counts."""
    work, rules = Work(), Rules(procedure_of("evidence"), Structure(None))
    labels: dict[int, str] = {}
    for kind, (start, end), label in steps:
        body = {"start": start, "end": end, "label": label}
        work.change(Event("1", "7", "a", 0, kind, body), rules)
        for at in range(start, end):
            labels.pop(at, None)
            if kind == "label" and label is not None:
                labels[at] = label
    assert {at: label for start, end, label, _ in work.labels for at in range(start, end)} == labels
    assert all(
        one[1] < other[0] or one[2:] != other[2:]
        for one, other in zip(work.labels, work.labels[1:], strict=False)
    )
    assert work.labels == sorted(work.labels)
