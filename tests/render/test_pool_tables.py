"""A pool in numbers, on a terminal."""

from __future__ import annotations

import excerpt
from excerpt import Result, Run
from excerpt.pooling import read_pool

SHOWN = """\
4 documents on 1 topic (depth 1, sample 0.9, order pool, seed 1)

topic  documents  depth  sample
-------------------------------
1      4          2      2
all    4          2      2

run  documents  unique  judged@1
--------------------------------
a    1          1         1.0000
b    1          1         1.0000

   documents in common  1  2
----------------------------
1  a                    1  0
2  b                    0  1
"""


def test_three_tables() -> None:
    """Topics with their strata, runs, and what they share."""
    runs = [
        Run.of(name, [Result("1", letter, 0, 9) for letter in by]) for name, by in (("a", "ABC"), ("b", "BD"))
    ]
    assert f"{excerpt.pool(runs, depth=1, sample=0.9).info()}\n" == SHOWN


def test_names_are_data() -> None:
    """Control characters of files are visible; without runs there is one table, without strata no columns."""
    info = read_pool(b"topic\tdocument\n\x1b[31m1\tA\n").info()
    assert str(info) == (
        "1 document on 1 topic\n\ntopic      documents\n--------------------\n\\x1b[31m1  1\nall        1"
    )
