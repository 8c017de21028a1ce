"""Cells of tables: what they mean by the role of their column."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from excerpt.records.rows import cell_value, list_values, parse_json


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


LISTS = ["[]", " [ ] ", "[1]", "[1,2] ", '["a" , {"b": [1,2]} ]\n', "[[1],[2]]", "[NaN, 1e999]"]
BROKEN = ["[1 2]", "[1,]", "[,1]", "[", "]", "[1", "[1 [2]", "[1] x", "{}", "", "[1,[", "[1]]", "[] 1", "[]]"]


@pytest.mark.parametrize("text", [*LISTS, *BROKEN, "[\u00a01]"])
def test_a_list_is_parsed_value_by_value(text: str) -> None:
    """As the json module parses the whole; what it refuses is refused."""
    found, whole = None, parse_json(text)
    with suppress(ValueError):
        found = list(list_values(text))
    assert repr(found) == repr(whole if isinstance(whole, list) else None)
