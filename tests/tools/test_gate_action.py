"""The steps of action.yml, run as GitHub runs them: in bash, with the values of the inputs in variables."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the steps are for bash")


class Ended(NamedTuple):
    """Status of the last step, outputs of the gate, and the comment."""

    status: int
    outputs: dict[str, str]
    comment: str


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with documents, questions, settings, and the scores of a trial."""
    import excerpt

    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/lease.md").write_text("The rent is paid in May.\n\nThe landlord repairs.\n\nNo pets.\n")
    rows = [("When is the rent paid?", "The rent is paid in May."), ("Who repairs?", "The landlord repairs.")]
    lines = [f'{{"question": "{one}", "document": "lease.md", "quote": "{two}"}}\n' for one, two in rows]
    (tmp_path / "gold.jsonl").write_text("".join(lines))
    (tmp_path / "try.toml").write_text(
        'documents = "docs"\ngold = "gold.jsonl"\nchunkers = "paragraphs"\nbudget = 30\noutput = "tried"\n'
    )
    monkeypatch.chdir(tmp_path)
    excerpt.try_out("docs", "gold.jsonl", chunkers="paragraphs", budget=30, output="tried")
    (tmp_path / "bin").mkdir()
    for name, text in {
        "gh": 'echo "$@" > comment.txt; cat gate.md >> comment.txt',
        "python": f'exec "{sys.executable}" "$@"',
    }.items():
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def filled(text: str, contexts: dict[str, str]) -> str:
    """A text with the values of its expressions."""
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: contexts[match[1]], text)


def run_steps(project: Path, **inputs: str) -> Ended:
    """Run all steps but those that install."""
    values = {name: str(one["default"]) for name, one in ACTION["inputs"].items()} | inputs
    contexts = {f"inputs.{name}": value for name, value in values.items()}
    contexts |= {"github.event.number": "7", "github.token": "t"}
    output = project / "output.txt"
    output.write_text("")
    status = 0
    for step in ACTION["runs"]["steps"]:
        if "uses" in step or "pip install" in step["run"]:
            continue
        known = dict(line.split("=", 1) for line in output.read_text().splitlines())
        contexts |= {f"steps.gate.outputs.{name}": value for name, value in known.items()}
        environment = {name: filled(text, contexts) for name, text in step.get("env", {}).items()}
        variables = {
            **os.environ,
            **environment,
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(project / "summary.md"),
            "GITHUB_ACTION_PATH": str(ROOT),
            "PATH": f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        done = subprocess.run(
            ["bash", "-e", "-c", step["run"]], cwd=project, env=variables, check=False, capture_output=True
        )
        status = done.returncode
        if status:
            break
    known = dict(line.split("=", 1) for line in output.read_text().splitlines())
    comment = project / "comment.txt"
    return Ended(status, known, comment.read_text() if comment.exists() else "")


def test_inputs_reach_the_steps_as_variables() -> None:
    """No input stands in a script, where its text could be code."""
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "uses" in step or step["shell"] == "bash"
    named = re.findall(r"inputs\.(\w+)", str(ACTION["runs"]))
    assert sorted(named) == sorted(ACTION["inputs"])


@pytest.mark.parametrize(
    ("inputs", "status", "verdict", "said"),
    [
        ({"run": "tried/runs/paragraphs-bm25.jsonl"}, 0, "passed", "passed"),
        (
            {"run": "worse.jsonl", "arguments": '--baseline paragraphs-bm25 --test "none"'},
            1,
            "failed",
            "worse",
        ),
        ({"run": "none.jsonl"}, 2, "error", "No verdict"),
        (
            {"run": "lacking.jsonl", "arguments": "--baseline paragraphs-bm25"},
            2,
            "cannot tell",
            "cannot tell",
        ),
        ({"try": "try.toml", "setting": "paragraphs-bm25", "gold": "", "corpus": ""}, 0, "passed", "passed"),
        ({"try": "wrong.toml", "gold": ""}, 2, "error", "No verdict"),
    ],
)
def test_every_status_has_its_comment(
    project: Path, inputs: dict[str, Any], status: int, verdict: str, said: str
) -> None:
    """The comment, the summary and the outputs say the verdict; the action ends with the gate's status."""
    lines = Path("tried/runs/paragraphs-bm25.jsonl").read_text().splitlines(keepends=True)
    second = [line for line in lines if '"topic": "2"' in line]
    Path("lacking.jsonl").write_text("".join(second))
    wrong = '{"topic": "1", "document": "lease.md", "start": 49, "end": 57}\n'
    Path("worse.jsonl").write_text(wrong + "".join(second))
    Path("wrong.toml").write_text("chunker = 3\n")
    usual = {"gold": "gold.jsonl", "corpus": "docs", "measures": "recall(budget=30)"}
    ended = run_steps(project, **{**usual, **inputs})
    assert (ended.status, ended.outputs["verdict"]) == (status, verdict), ended
    assert ended.comment.startswith("pr comment 7 --body-file gate.md\n")
    assert said in ended.comment
    assert (project / "summary.md").read_text() == (project / "gate.md").read_text()


def test_no_comment_if_it_is_not_wanted(project: Path) -> None:
    """The verdict is the same."""
    run = "tried/runs/paragraphs-bm25.jsonl"
    ended = run_steps(
        project, gold="gold.jsonl", corpus="docs", measures="recall(budget=30)", run=run, comment="no"
    )
    assert (ended.status, ended.comment) == (0, "")
