"""Cells of tables: what they mean by the role of their column."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.records.rows import cell_value


@pytest.mark.parametrize(
    ("cell", "role", "value"),
    [
        ('{"start_index": 4}', "", {"start_index": 4}),
        ("{'source': 'A', 'start_index': 4}", "", {"source": "A", "start_index": 4}),
        ("{no object", "", "{no object"),
        ("{1, 2}", "", "{1, 2}"),
        ("12", "start", 12),
        ("\u0663", "grade", "\u0663"),
        ("\u0663.5", "score", "\u0663.5"),
    ],
)
def test_cells_of_a_table(cell: str, role: str, value: Any) -> None:
    """Metadata is an object as JSON or Python writes it; numbers have plain digits."""
    assert cell_value(cell, role) == value
