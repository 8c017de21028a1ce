"""The plug-in of pytest, in a project of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SETTINGS = """
[gate]
gold = "gold.jsonl"
corpus = "docs"
baseline = "baseline.json"
measures = ["recall(budget=40)"]
"""
TEST = """
def test_retrieval(excerpt_gate):
    found = {"When is the rent paid?": [%r], "Who repairs?": ["The landlord repairs."]}
    verdict = excerpt_gate(found, test="none")
    assert verdict.run == "run"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with documents, questions and a baseline that finds everything."""
    import excerpt

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/lease.md").write_text("The rent is paid in May.\n\nThe landlord repairs.\n\nNo pets.\n")
    gold = '{"question": "When is the rent paid?", "document": "lease.md", '
    gold += '"quote": "The rent is paid in May."}\n'
    gold += '{"question": "Who repairs?", "document": "lease.md", "quote": "The landlord repairs."}\n'
    (tmp_path / "gold.jsonl").write_text(gold)
    (tmp_path / "excerpt.toml").write_text(SETTINGS)
    monkeypatch.chdir(tmp_path)
    found = {
        "When is the rent paid?": ["The rent is paid in May."],
        "Who repairs?": ["The landlord repairs."],
    }
    table = excerpt.evaluate("gold.jsonl", {"run": found}, ["recall(budget=40)"], corpus="docs")
    excerpt.save_scores(table, "baseline.json")
    return tmp_path


def run_pytest(project: Path, text: str) -> tuple[int, str]:
    """Status and output of pytest on one file."""
    (project / "test_it.py").write_text(text)
    environment = {name: value for name, value in os.environ.items() if name != "EXCERPT_CONFIG"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    command = [sys.executable, "-m", "pytest", "-p", "excerpt.pytest_gate", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "test_it.py"], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_run_that_is_not_worse_passes_with_its_line(project: Path) -> None:
    """One line per measure in the summary."""
    status, out = run_pytest(project, TEST % "The rent is paid in May.")
    assert status == 0, out
    assert "excerpt gate" in out
    line = "test_it.py::test_retrieval: recall(budget=40) 1.0000 -> 1.0000 (+0.0000), not worse, "
    assert line + "0 lost, 0 gained" in out


def test_a_run_that_is_worse_fails_with_its_questions(project: Path) -> None:
    """The lost question is printed."""
    status, out = run_pytest(project, TEST % "No pets.")
    assert status == 1
    assert "When is the rent paid?" in out
    assert "recall(budget=40) 1.0000 -> 0.5000 (-0.5000), worse, 1 lost, 0 gained" in out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("", "[gate] has no gold and no baseline"),
        ('[gate]\ngolden = "x"\n', "unknown setting of [gate] 'golden'"),
        ("gate = 3\n", "expected a table: [gate]"),
    ],
)
def test_wrong_settings(project: Path, settings: str, message: str) -> None:
    """Each is named."""
    (project / "excerpt.toml").write_text(settings)
    status, out = run_pytest(project, TEST % "No pets.")
    assert (status, message in out) == (1, True), out


def test_commands_ignore_the_table(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It belongs to the fixture alone."""
    from excerpt.project import config

    monkeypatch.delenv("EXCERPT_CONFIG", raising=False)
    assert config()["limit"] == 1500
