"""excerpt assess status."""

from __future__ import annotations

import json
from pathlib import Path

from support.judged_campaign import judged_campaign

from .conftest import Excerpt


def test_progress_is_printed(tmp_path: Path, excerpt: Excerpt) -> None:
    """As text, as JSON, as a table for spreadsheets."""
    judged_campaign(tmp_path / "c").close()
    done = excerpt("assess", "status", tmp_path / "c")
    assert (done.status, done.err) == (0, "")
    assert "3 of 8 documents finished, 1 in progress (1 for over a day), 4 to do" in done.out
    assert "by assessor" in done.out
    found = json.loads(excerpt("assess", "status", tmp_path / "c", "--format", "json").out)
    assert found["documents"]["total"] == 8
    table = excerpt("assess", "status", tmp_path / "c", "--format", "csv").out.splitlines()
    assert table[0] == "kind,name,total,done,open,todo,owed,seconds_per_document,last"
    assert table[1].startswith("topic,7,4,2,0,2,0")
    assert excerpt("assess", "status", tmp_path / "c", "-o", tmp_path / "s.md").status == 0
    assert (tmp_path / "s.md").read_text().startswith("| kind |")


def test_no_campaign(tmp_path: Path, excerpt: Excerpt) -> None:
    """One line."""
    done = excerpt("assess", "status", tmp_path)
    assert (done.status, done.err.count("\n"), done.out) == (2, 1, "")
