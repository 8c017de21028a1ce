"""Pools as values: items from columns and back, passages of one document together."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from support.pools_made import SOME, pools

from excerpt import ExcerptError
from excerpt.pooling import Pool, PoolInput, PoolItem


@given(pools())
def test_items_come_back_from_the_columns(pool: Pool) -> None:
    """Columns made from the items are those that gave them."""
    again = Pool.of(pool.items, inputs=pool.inputs)
    assert again.items == pool.items
    assert [(again.topics.index(item.topic), item.order) for item in again.items] == sorted(
        zip(again.topic.tolist(), again.order.tolist(), strict=True)
    )
    assert len(again) == len(pool.items)


def test_items_are_by_topic_and_order() -> None:
    """Topics as they first appear, however the items come."""
    assert Pool.of([SOME[3], SOME[1], SOME[2], SOME[0]]).items == (SOME[3], *SOME[:3])


def test_inputs_come_first_then_runs_known_by_name() -> None:
    """A run that no input describes has neither file nor digest."""
    pool = Pool.of(SOME, inputs=[PoolInput("b", "b.fol", "0" * 64)])
    assert pool.inputs == (PoolInput("b", "b.fol", "0" * 64), PoolInput("a"))


def test_passages_of_a_document_are_one_item_by_topic() -> None:
    """Passages of a document are joined at the first one, with all runs."""
    one = PoolItem("1", "A", 1, "depth", Fraction(1), ("a",), (((1, 5, 9),),))
    two = PoolItem("1", "B", 2, "depth", Fraction(1), ("a",), (((2, 0, 9),),))
    three = PoolItem("1", "A", 3, "depth", Fraction(1), ("a", "b"), (((3, 0, 4),), ((1, 0, 4),)))
    pool = Pool.of([one, two, three], unit="passage")
    first, second = pool.by_topic["1"]
    assert (first.document, first.order, first.runs) == ("A", 1, ("a", "b"))
    assert first.passages == (((1, 5, 9), (3, 0, 4)), ((1, 0, 4),))
    assert second == two


def test_a_document_is_as_likely_as_a_passage_only_where_that_is_certain() -> None:
    """Passages that were not drawn could also have contributed it, and are not in the pool."""
    drawn = PoolItem("1", "A", 1, "sample", Fraction(1, 3), ("a",), (((1, 5, 9),),))
    sure = PoolItem("1", "B", 3, "depth", Fraction(1), ("a",), (((2, 5, 9),),))
    items = [drawn, drawn._replace(order=2), sure, sure._replace(order=4, probability=Fraction(1, 3))]
    items += [drawn._replace(document="C", order=5), sure._replace(document="C", order=6)]
    items += [drawn._replace(document="D", order=7)]
    passages = Pool.of(items, unit="passage").by_topic["1"]
    assert [(item.document, item.probability) for item in passages] == [
        ("A", None),
        ("B", 1),
        ("C", 1),
        ("D", None),
    ]
    assert Pool.of([drawn]).by_topic["1"] == (drawn,)  # of documents it is known


def test_unknown_units_are_refused() -> None:
    """There are documents and passages."""
    with pytest.raises(ExcerptError, match="unknown unit 'word'"):
        Pool.of(SOME, unit="word")  # type: ignore[arg-type]
