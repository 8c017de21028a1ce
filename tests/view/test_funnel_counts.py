"""The funnel against sets of characters."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt import Judgments, Notices, Policy, Run
from excerpt.model.join import join
from excerpt.view.funnel_counts import count_funnel

ROWS = st.lists(
    st.tuples(st.sampled_from(["t", "u"]), st.sampled_from("ABC"), st.integers(0, 12), st.integers(0, 6)).map(
        lambda row: (row[0], row[1], row[2], row[2] + row[3])
    ),
    max_size=6,
)


def characters(rows: list[tuple[str, str, int, int]], topic: str) -> set[tuple[str, int]]:
    """The characters of a topic that some row has."""
    return {(name, at) for of, name, start, end in rows if of == topic for at in range(start, end)}


@settings(max_examples=80)
@given(ROWS.map(lambda rows: [("t", "A", 0, 5), ("u", "B", 2, 3), *rows]), ROWS, ROWS)
def test_counts_agree_with_sets_of_characters(
    relevant: list[tuple[str, str, int, int]],
    returned: list[tuple[str, str, int, int]],
    cited: list[tuple[str, str, int, int]],
) -> None:
    """Each topic by itself, every character once, whatever overlaps."""
    judgments = Judgments.of(relevant)
    joined = [join(Run.of("run", rows), judgments, Policy(), Notices()) for rows in (returned, cited)]
    found = count_funnel(*joined)
    for place, topic in enumerate(judgments.topics):
        wanted, read, told = (characters(rows, topic) for rows in (relevant, returned, cited))
        assert tuple(int(column[place]) for column in found) == (
            len(wanted),
            len(wanted & read),
            len(wanted & read & told),
            len(told),
            len(told - wanted),
            len(told - read),
        )


def test_nothing_judged() -> None:
    """No topics, no counts."""
    judgments = Judgments.of([])
    empty = join(Run.of("run", []), judgments, Policy(), Notices())
    assert [len(column) for column in count_funnel(empty, empty)] == [0] * 6
