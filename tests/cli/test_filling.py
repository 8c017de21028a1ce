"""Commands in a project: what its file sets is as if it had been given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Done, Excerpt, parser_of

SETTINGS = """
qrels = "qrels"
runs = ["run*"]
measures = ["MAiP", "charP"]

[policy]
overlap = "penalise"
limit = 3
include-empty = true
"""
GIVEN = ("qrels", "run", "run2", "-m", "MAiP", "-m", "charP", "--overlap", "penalise", "--limit", "3",
         "--include-empty")  # fmt: skip


@pytest.fixture
def project(files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The worked example with a second run, and a file of settings."""
    monkeypatch.delenv("EXCERPT_CONFIG")
    (files / "run2").write_text(
        (files / "run").read_text().replace("mine", "other").replace(" 350 ", " 400 ")
    )
    (files / "excerpt.toml").write_text(SETTINGS)
    return files


def same(one: Done, two: Done, note: str) -> None:
    """The same output and warnings, but for the note of where settings come from."""
    assert (one.status, one.out) == (0, two.out)
    said = [line for line in two.err.splitlines() if " in this version only; " not in line]
    assert one.err.splitlines() == [f"excerpt: settings from {note}", *said]


@pytest.mark.parametrize("command", [("evaluate", "--per-topic"), ("compare", "--samples", "50")])
def test_a_command_alone(
    project: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    """It does what it does with all that given."""
    alone = excerpt(*command)
    monkeypatch.setenv("EXCERPT_CONFIG", "none")
    whole = excerpt(*command, *GIVEN)
    note = "excerpt.toml: qrels, runs, measures, overlap penalise, limit 3, include-empty yes"
    same(alone, whole, note)
    assert project


def test_what_is_given_counts(project: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options before variables, variables before the file; judgments alone leave the runs to the file."""
    monkeypatch.setenv("EXCERPT_LIMIT", "1")
    found = excerpt("evaluate", "qrels", "-m", "charR", "--overlap", "first", "--limit", "1500")
    assert found.err.startswith("excerpt: settings from excerpt.toml: runs, include-empty yes\n")
    limited = excerpt("evaluate", "qrels", "run", "-m", "charR", "--format", "json")
    assert limited.err.startswith(
        "excerpt: settings from excerpt.toml: overlap penalise, include-empty yes; EXCERPT_LIMIT: limit 1\n"
    )
    monkeypatch.setenv("EXCERPT_CONFIG", "none")
    monkeypatch.delenv("EXCERPT_LIMIT")
    given = excerpt(
        "evaluate", "qrels", "run", "-m", "charR", "--limit", "1", "--include-empty", "--format", "json"
    )
    assert json.loads(limited.out)["runs"] == json.loads(given.out)["runs"]
    assert project


def test_saved_scores_have_their_own(project: Path, excerpt: Excerpt) -> None:
    """Settings of how runs are scored, and measures, are nothing to saved scores: they have their own."""
    excerpt("evaluate", "-m", "iP[0.01]", "-m", "MAiP", "-m", "charP", "--save", "scores.json")
    shown = excerpt("evaluate", "scores.json")
    assert "iP[0.01]" in shown.out
    assert "excerpt: settings from" not in shown.err
    compared = excerpt("compare", "scores.json", "--samples", "50")
    assert "excerpt: settings from" not in compared.err
    assert "iP[0.01]" in compared.out
    gated = excerpt("gate", "scores.json", "scores.json", "--run-name", "mine", "--baseline-name", "mine")
    assert gated.status == 0
    assert "iP[0.01]" in gated.out
    assert project


def test_what_a_command_does_not_use(project: Path, excerpt: Excerpt) -> None:
    """A setting that a command has no use for is nothing to it, even a wrong one."""
    with (project / "excerpt.toml").open("a") as file:
        file.write('order = "score"\n')
    pooled = excerpt("pool", "-o", "pool.tsv")
    assert (pooled.status, pooled.err) == (0, "excerpt: settings from excerpt.toml: runs\n")
    gated = excerpt("gate")
    assert (gated.status, gated.err) == (
        2,
        "excerpt: the following arguments are required: BASELINE, RUN; try excerpt gate --help\n",
    )
    (project / "excerpt.toml").write_text('corpus = "nowhere"\n')
    assert excerpt("pool", "run", "-o", "pool.tsv").status == 0
    assert excerpt("measures", "charP").status == 0
    (project / "one").mkdir()
    (project / "one" / "a.xml").write_text("<a>text</a>")
    assert excerpt("index", "one", "-o", "idx").status == excerpt("index", "--info", "idx").status == 0
    assert excerpt("evaluate", "qrels", "run").err == (
        "excerpt: excerpt.toml:1: corpus = 'nowhere' does not exist\n"
    )


def test_inputs_of_the_file_are_not_written(project: Path, excerpt: Excerpt) -> None:
    """An output that the file names as a run is refused, and so is the file."""
    for name in ("run2", "excerpt.toml"):
        before = (project / name).read_bytes()
        done = excerpt("evaluate", "-o", name, "--format", "csv")
        assert done.status == 2
        assert done.err.endswith(f"{name}: is an input; choose another name for the output\n")
        assert (project / name).read_bytes() == before


def test_a_report_tells_the_whole_command(project: Path) -> None:
    """The command in a report includes settings of the file."""
    made = parser_of("report")
    made.parse(["-o", "r.html", "--title", "T"])
    assert made.command() == (
        "excerpt report qrels run run2 --title T -m MAiP -m charP --overlap penalise --limit 3 "
        "--include-empty"
    )
    made = parser_of("report")
    made.parse(["qrels", "-o", "r.html", "-m", "AiP"])
    assert made.command() == (
        "excerpt report qrels run run2 -m AiP --overlap penalise --limit 3 --include-empty"
    )
    assert project
