"""Outcomes: rows, record, what they print."""

from __future__ import annotations

import json
from pathlib import Path

from excerpt.experiments import InputFile, Outcome, Record

ROW = {"measure": "MAiP", "mean": 0.5, "values": [0.25, None]}
OUTCOME = Outcome((ROW,), Record("stability topics", 3), ("a doubt",))


def test_json() -> None:
    """Rows, record and warnings, as the command line prints them."""
    printed = json.loads(OUTCOME.to_json())
    assert printed["rows"] == [ROW]
    assert {"version", "seed", "inputs", "options"} <= set(printed["record"])
    assert printed["warnings"] == ["a doubt"]
    assert "\x9b" not in Outcome(({"run": "\x9b"},), Record("x")).to_json()


def test_print() -> None:
    """A table for people; a line in a console; nothing at all is an empty table."""
    assert str(OUTCOME) == "measure    mean\n---------------\nMAiP     0.5000"
    assert repr(OUTCOME) == "<Outcome of stability topics: 1 row>"
    assert str(Outcome((), Record("x"))).strip() == ""


def test_digests(tmp_path: Path) -> None:
    """Of a file, and of a folder's files in the order of their names, but for hidden ones."""
    (tmp_path / "b").write_text("two")
    (tmp_path / "a").write_text("one")
    both = InputFile.of(tmp_path).sha256
    (tmp_path / ".hidden").write_text("x")
    assert InputFile.of(tmp_path).sha256 == both
    (tmp_path / "whole").write_text("onetwo")
    assert InputFile.of(tmp_path / "whole").sha256 == both
