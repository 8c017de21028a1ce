"""excerpt funnel: the shares as a table, and as data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt.cli import main


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments, what was retrieved and what was cited."""
    for name, lines in {
        "gold": ["1 Q0 A 100 200 0 0:100"],
        "read": ["1 Q0 A 1 2 read 0 60", "1 Q0 B 2 1 read 0 40"],
        "said": ["1 Q0 A 1 2 said 40 20", "1 Q0 C 2 1 said 0 20"],
    }.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return [str(tmp_path / name) for name in ("gold", "read", "said")]


def test_the_table(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each share, or for each topic."""
    assert main(["funnel", *files]) == 0
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()[2:]] == [
        "found 60 100 0.6000",
        "cited of found 20 60 0.3333",
        "not relevant 20 40 0.5000",
        "never retrieved 20 40 0.5000",
    ]
    assert main(["funnel", *files, "--per-topic", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "1,0.6,0.3333333333333333,0.5,0.5,100,40"


def test_json_and_options(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Proportions and characters; --top limits the text that was read."""
    assert main(["funnel", *files, "--format", "json", "--top", "1"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["shares"]["found"] == 0.6
    assert data["topics"]["1"]["characters"]["cited"] == 40
    assert main(["funnel", files[0], "-", "-"]) == 2
    assert main(["funnel", *files, "--output", files[2]]) == 2
    assert "is an input" in capsys.readouterr().err
