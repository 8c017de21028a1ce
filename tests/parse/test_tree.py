"""From tags in order to columns: parents, levels and groups."""

from __future__ import annotations

import numpy as np

from excerpt.parse.tree import END, TagEvents, concatenate, lay_out, pair_tags


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
