"""The tables that the pages lead with: their definitions, and that pages show the rows of the script."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("other_tools", ROOT / "benchmarks" / "other_tools.py")
assert spec is not None
assert spec.loader is not None
other_tools = importlib.util.module_from_spec(spec)
spec.loader.exec_module(other_tools)

TEXTS = st.text("ab ", max_size=7)


def slow_distance(one: str, other: str) -> int:
    """The least number of edits, from the definition."""
    if not one or not other:
        return max(len(one), len(other))
    return min(
        slow_distance(one[1:], other) + 1,
        slow_distance(one, other[1:]) + 1,
        slow_distance(one[1:], other[1:]) + (one[0] != other[0]),
    )


@given(TEXTS, TEXTS)
def test_similarity_is_that_of_levenshtein(one: str, other: str) -> None:
    """1 - distance / longer length."""
    longest = max(len(one), len(other))
    expected = 1.0 if not longest else 1 - slow_distance(one, other) / longest
    assert other_tools.similarity(one, other) == pytest.approx(expected, abs=1e-12)


def test_pages_show_the_rows_of_the_script() -> None:
    """Both tables, to the digit, with their origin."""
    rows = json.loads((ROOT / "benchmarks" / "other_tools.json").read_text(encoding="utf-8"))
    assert set(rows) == {"origin", "sizes", "overlaps"}
    assert {"documents", "questions", "chunker", "script", "definitions"} == set(rows["origin"])
    for page in ("docs/index.md", "docs/coming_from.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        for table in other_tools.tables(rows).split("\n\n"):
            assert table in text, page


def test_a_small_world(tmp_path: Path) -> None:
    """The script runs on any folder of documents and questions."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Rent\n\nThe rent is paid in May.\n\n" + "No pets. " * 60)
    (tmp_path / "gold.jsonl").write_text(
        '{"question": "When is the rent paid?", "document": "a.md", "quote": "The rent is paid in May."}\n'
    )
    found = other_tools.compute(tmp_path / "docs", tmp_path / "gold.jsonl")
    assert [row["recall"] for row in found["sizes"]] == [1.0] * 5
    assert found["overlaps"][0]["new_ids"] == 1.0
    assert found["overlaps"][1]["found"] == 1.0
