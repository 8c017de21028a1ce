"""Pools in an adaptive order: columns follow their items."""

from __future__ import annotations

from excerpt import Result, Run, pool
from excerpt.pooling.adaptive import next_order


def test_the_order_is_that_of_a_campaign_that_begins() -> None:
    """Each topic in the order that `next_order` has before anything is judged, results with their items."""
    runs = [
        Run.of(
            name,
            [Result(topic, letter, place, place + 5) for topic in "12" for place, letter in enumerate(by)],
        )
        for name, by in (("a", "ABCD"), ("b", "EBAF"))
    ]
    plain, moved = pool(runs, seed=3), pool(runs, seed=3, order="max-mean")
    for topic in "12":
        items = {item.document: item for item in plain.items if item.topic == topic}
        wanted = next_order("max-mean", list(items.values()), {}, 3)
        found = [item for item in moved.items if item.topic == topic]
        assert [item.document for item in found] == wanted
        assert [item.order for item in found] == [1, 2, 3, 4, 5, 6]
        assert all(item.passages == items[item.document].passages for item in found)


def test_passages_of_a_document_stay_together() -> None:
    """A document's place is that of its passages, which keep their order."""
    results = [Result("1", name, start, start + 1) for start in (0, 5) for name in "AB"]
    moved = pool([Run.of("r", results)], unit="passage", order="move-to-front")
    assert [item.document for item in moved.items] == ["A", "A", "B", "B"]
    assert [item.passages[0][0][0] for item in moved.items] == [1, 3, 2, 4]
