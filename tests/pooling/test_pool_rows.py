"""The rows of a pool file: groups without results, results without offsets."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from excerpt.pooling import read_pool, write_pool

HEAD = b"topic\tdocument\truns\tpassages\n"


def test_groups_may_be_empty() -> None:
    """A run may be named without its results, alone or among others."""
    pool = read_pool(HEAD + b"1\tA\ta,b,c\t,2:;3:0-5,\n1\tB\tc\t\n1\tC\ta,b\t-\n1\tD\t\t\n1\tE\tb\t7:1-2\n")
    assert [(item.runs, item.passages) for item in pool.items] == [
        (("a", "b", "c"), ((), ((2, -1, -1), (3, 0, 5)), ())),
        (("c",), ((),)),
        (("a", "b"), ((), ())),
        ((), ()),
        (("b",), (((7, 1, 2),),)),
    ]
    assert [given.name for given in pool.inputs] == ["a", "b", "c"]


def test_probabilities_that_are_very_small_are_kept(tmp_path: Path) -> None:
    """As far as they can be written again."""
    pool = read_pool(b"topic\tdocument\tprobability\n1\tA\t1e-9\n1\tB\t0.5\n")
    assert [item.probability for item in pool.items] == [Fraction(1, 10**9), Fraction(1, 2)]
    write_pool(pool, tmp_path / "pool.tsv")
    assert read_pool(tmp_path / "pool.tsv").items == pool.items


def test_runs_of_a_row_stand_in_the_order_of_the_head() -> None:
    """However a row lists them, and results by rank."""
    head = b"# run - a -\n# run - b -\n"
    pool = read_pool(head + HEAD + b"1\tA\tb,a\t9:0-1;2:5-6,4:1-2\n")
    assert pool.items[0].runs == ("a", "b")
    assert pool.items[0].passages == (((4, 1, 2),), ((2, 5, 6), (9, 0, 1)))
