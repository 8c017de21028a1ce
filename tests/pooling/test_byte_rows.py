"""Rows of pool files: those made at once are those written one by one."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from excerpt.pooling import Pool, PoolItem
from excerpt.pooling.byte_rows import Column, Pieces, digits, join_rows
from excerpt.pooling.pool_file import encode_pool, escape_name, probability_text


def row(item: PoolItem) -> str:
    """Write a row plainly."""
    groups = [
        ";".join(f"{rank}:{start}-{end}" if start >= 0 else f"{rank}:" for rank, start, end in group)
        for group in item.passages
    ]
    cells = [item.topic, item.document, item.order, item.stratum, probability_text(item.probability)]
    runs = ",".join(map(escape_name, item.runs)) or "-"
    return "\t".join([*map(str, cells), runs, ",".join(groups) or "-"])


@pytest.mark.parametrize("seed", range(60))
def test_rows(seed: int) -> None:
    draw = random.Random(seed)
    names = ["a", "b c", "r,1", "größer als acht Byte", "日本", "%", "", "-", "x" * 8]
    offset = 10 ** draw.randint(1, 10)
    items = []
    for number in range(draw.randint(0, 30)):
        runs = draw.sample(names, draw.choice((0, 1, 1, 2, 5)))
        passages = tuple(
            tuple(
                (rank, *((-1, -1) if draw.random() < 0.2 else sorted(draw.choices(range(offset), k=2))))
                for rank in sorted(draw.sample(range(1, draw.choice((9, 10**5))), draw.choice((0, 1, 1, 3))))
            )
            for _ in runs
        )
        topic = f"T{number // 8}" * draw.choice((1, 5) if number % 8 else (1,))
        chance = draw.choice((None, Fraction(1), Fraction(1, 3)))
        document = draw.choice(("D", "document of an article/ä")) + str(number)
        order = number * draw.choice((1, 10**7)) + 1
        items.append(PoolItem(topic, document, order, "depth", chance, tuple(runs), passages))
    pool = Pool.of(items)
    written = b"".join(encode_pool(pool)).decode()
    rows = written[written.index("topic\tdocument") :].splitlines()[1:]
    assert rows == [row(item) for item in pool.items]


@pytest.mark.parametrize("most", [0, 7, 9_999, 10_000, 99_999_999, 2**32 - 1, 2**32, 2**40])
def test_digits(most: int) -> None:
    values = np.array([most, 0, most // 2, most // 10, max(most - 1, 0), most // 10_000 * 10_000], np.int64)
    found = digits(values)
    texts = [line.tobytes().replace(b"\0", b"").decode() for line in found]
    assert texts == list(map(str, values.tolist()))


def test_rows_without_pieces() -> None:
    nothing = np.zeros(0, np.int64)
    assert join_rows([Column(Pieces.of([]), nothing, nothing)], 2) == b""
    assert join_rows([Column(Pieces.of(["", "a"]), np.array([0, 1]), np.array([0, 1]))], 2) == b"a"
