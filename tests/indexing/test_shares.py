"""The file of a part: whole or not, whatever happened to it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from excerpt.documents.entry import Entry
from excerpt.indexing.batch import index_batch
from excerpt.indexing.shares import is_complete, read, write


@pytest.fixture(params=[False, True], ids=["without text", "with text"])
def part(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A part of two batches."""
    texts = [f"<a><b>{number}</b></a>".encode() for number in range(4)]
    entries = [Entry(str(number), str(number), len(text), text, 0) for number, text in enumerate(texts)]
    halves = entries[:2], entries[2:]
    batches = [index_batch(half, "char", keep_text=request.param) for half in halves]
    write(tmp_path / "part.npz", batches, "key")
    return tmp_path / "part.npz"


def test_a_part_is_read_as_it_was_written(part: Path) -> None:
    """Batch by batch."""
    assert is_complete(part, "key")
    assert not is_complete(part, "other")
    batches = list(read(part, part.stat().st_size, "key"))
    assert [batch.ids for batch in batches] == [["0", "1"], ["2", "3"]]
    assert batches[1].columns is not None
    assert batches[1].columns.document_size.tolist() == [1, 1]


def test_no_damage_is_a_traceback(part: Path) -> None:
    """A part with a byte changed, lost or too many anywhere is not whole, or still says the same."""
    data, rng = part.read_bytes(), random.Random(7)
    expected = list(read(part, len(data), "key"))
    for _ in range(300):
        at = rng.randrange(len(data))
        changed = bytearray(data)
        changed[at : at + rng.choice([0, 1, 1, 1, 40])] = rng.randbytes(1)
        part.write_bytes(changed)
        if is_complete(part, "key"):
            again = list(read(part, len(changed), "key"))
            assert [batch.ids for batch in again] == [batch.ids for batch in expected]
