"""From tags in order to columns: parents, levels and groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from excerpt.parse import tree
from excerpt.parse.tree import END, Spool, TagEvents, concatenate, lay_out, pair_tags, write_column


def events(*rows: tuple[int, int]) -> TagEvents:
    """Tags and the length of the text before each."""
    codes, positions = zip(*rows, strict=True)
    return TagEvents(np.array(codes, np.int64), np.array(positions, np.int64))


#: <a>x<b>yy</b><c/><b>z</b></a>
ONE = events((0, 0), (1, 1), (END, 3), (2, 3), (END, 3), (1, 3), (END, 4), (END, 4))


def test_tags_are_paired() -> None:
    """A start tag belongs to the next end tag of its level."""
    found = pair_tags(ONE)
    assert found.tag.tolist() == [0, 1, 2, 1]
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [
        (0, 4),
        (1, 3),
        (3, 3),
        (3, 4),
    ]
    assert found.level.tolist() == [0, 1, 1, 1]
    assert found.by_level.tolist() == [0, 1, 2, 3]


def test_elements_are_grouped_by_tag_path() -> None:
    """Groups of a document hold the elements of one tag path, in document order."""
    columns = lay_out(pair_tags(ONE), np.array([0]))
    assert columns.document_size.tolist() == [4]
    assert (columns.path_parent.tolist(), columns.path_tag.tolist()) == ([-1, 0, 0], [0, 1, 2])
    assert columns.group_count.tolist() == [1, 2, 1]
    assert columns.group_first.tolist() == [0, 1, 3]
    assert list(zip(columns.start.tolist(), columns.end.tolist(), strict=True)) == [
        (0, 4),
        (1, 3),
        (3, 4),
        (3, 3),
    ]


def test_documents_keep_their_numbers() -> None:
    """Elements in another order than their documents are put at the positions of these."""
    other = pair_tags(events((0, 7), (END, 9)))  # positions count from anywhere
    columns = lay_out(concatenate([pair_tags(ONE), other]), np.array([1, 0]))
    assert columns.document_size.tolist() == [2, 4]
    assert columns.document_elements.tolist() == [1, 4]
    assert columns.start.tolist()[:2] == [0, 0]


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.sampled_from([0, 1, 2**8, 2**16 - 1, 2**16, 2**16 + 1, 2**32 - 1, 2**32, 2**40])),
    largest=st.sampled_from([2**8, 2**16, 2**32, 2**41]),
)
def test_rows_are_sorted_by_numbers_of_any_size(values: list[int], largest: int) -> None:
    """Equal numbers stay in their order, whichever way they are sorted."""
    values = [value for value in values if value < largest]
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert tree.stable_order(np.array(values, np.int64)).tolist() == expected


@pytest.mark.parametrize(
    ("largest", "expected"),
    [(0, "<u2"), (2**16 - 1, "<u2"), (2**16, "<u4"), (2**32 - 1, "<u4"), (2**32, "<u8")],
)
def test_numbers_fit(largest: int, expected: str) -> None:
    """The type fits the largest number, and half of it would not, except for the least width."""
    assert tree.narrowest(largest) == np.dtype(expected)
    assert tree.narrow(np.array([0, largest]), least=2).tolist() == [0, largest]


def test_wide_numbers(tmp_path: Path) -> None:
    """Columns are as wide as their largest value needs."""
    spool = Spool(tmp_path, "narrow")
    spool.append(np.array([1, 65_535]))
    spool.finish()
    wide = Spool(tmp_path, "wide")
    wide.append(np.array([1]))
    wide.append(np.array([2**32 - 1]))
    wide.finish()
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in ("narrow", "wide")] == [
        "uint16",
        "uint32",
    ]
    assert np.load(tmp_path / "wide.npy").tolist() == [1, 2**32 - 1]


def test_whole_columns_are_as_narrow_as_they_may_be(tmp_path: Path) -> None:
    """Numbers below 0 keep their type."""
    for name, values in {"a": [0, 70_000], "b": [-1, 3], "c": [2**40]}.items():
        write_column(tmp_path, name, np.array(values))
    assert [str(np.load(tmp_path / f"{name}.npy").dtype) for name in "abc"] == ["uint32", "int64", "uint64"]
