"""excerpt config: which settings hold, and where they come from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt


def test_options_variables_file_and_defaults(
    files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All four, in the order in which they count."""
    monkeypatch.delenv("EXCERPT_CONFIG")
    monkeypatch.setenv("EXCERPT_INTERLEAVED", "regroup")
    monkeypatch.setenv("EXCERPT_LIMIT", "5")
    (files / "excerpt.toml").write_text('runs = "run"\n[policy]\nlimit = 10\noverlap = "first"\n')
    done = excerpt("config", "qrels", "--limit", "none", "-m", "MAiP", "--format", "json")
    found = json.loads(done.out)["settings"]
    assert (done.status, done.err) == (0, "")
    assert {name: list(held.values()) for name, held in found.items() if held["from"] != "default"} == {
        "qrels": ["qrels", "option"],
        "runs": [["run"], "excerpt.toml:1"],
        "measures": [["MAiP"], "option"],
        "overlap": ["first", "excerpt.toml:4"],
        "interleaved": ["regroup", "EXCERPT_INTERLEAVED"],
        "limit": [None, "option"],
    }
    assert "settings from excerpt.toml" in excerpt("config").out


def test_mistakes(files: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, and status 2; an unknown variable is a warning."""
    monkeypatch.setenv("EXCERPT_CONFIG", "mine.toml")
    (files / "mine.toml").write_text('topics = "none.xml"\n')
    done = excerpt("config")
    assert (done.status, done.err) == (
        2,
        "excerpt: mine.toml:1: topics = 'none.xml' does not exist\n",
    )
    monkeypatch.setenv("EXCERPT_CONFIG", "none")
    monkeypatch.setenv("EXCERPT_LIMITS", "3")
    assert excerpt("config", "--strict").status == 3
