"""Labels of runs in every command with tables, figures or reports of runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.report_parts import parts_of

from excerpt.cli import COMMANDS, FURTHER, command_of

from .conftest import Excerpt

LABEL = "Ours & <b>"


@pytest.fixture
def labels(files: Path) -> Path:
    """A file with the label of one of two runs."""
    (files / "other").write_text((files / "run").read_text().replace("mine", "yours").replace("9", "2"))
    (files / "labels").write_text(f"mine\t{LABEL}\nnobody\tNobody\n")
    return files


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "qrels", "run", "other", "-m", "MAiP"),
        ("evaluate", "qrels", "run", "other", "-m", "MAiP", "--per-topic", "--format", "markdown"),
        ("curve", "qrels", "run", "other", "-m", "iP"),
        ("compare", "qrels", "run", "other", "-m", "MAiP", "--test", "sign"),
        ("compare", "qrels", "run", "other", "-m", "MAiP", "--test", "sign", "--baseline", "mine"),
        ("compare", "qrels", "run", "other", "-m", "MAiP", "--test", "sign", "--per-topic"),
        ("power", "qrels", "run", "other", "-m", "MAiP", "--baseline", "mine"),
        ("stability", "unpooled", "qrels", "run", "other", "-m", "MAiP", "--depth", "5"),
        ("pool", "run", "other", "--info"),
        ("gate", "run", "other", "--qrels", "qrels", "-m", "MAiP"),
        ("explain", "qrels", "run", "-m", "charR@5", "--corpus", "docs"),
    ],
)
def test_tables(command: tuple[str, ...], labels: Path, excerpt: Excerpt) -> None:
    """People read the label, programs the name; nothing else changes."""
    (labels / "docs").mkdir()
    for name, size in {"A": 200, "B": 100, "C": 300, "D": 1000, "E": 100}.items():
        (labels / "docs" / f"{name}.txt").write_text("x" * size)
    done, plain = excerpt(*command, "--labels", "labels"), excerpt(*command)
    assert done.status == plain.status
    shown = LABEL.replace("<", r"\<") if "markdown" in command else LABEL
    shown = shown.replace("&", r"\&") if "markdown" in command else shown
    assert shown in done.out
    assert "mine" in plain.out
    assert "mine" not in done.out
    if "markdown" not in command:
        printed = json.loads(excerpt(*command, "--labels", "labels", "--format", "json").out)
        assert LABEL not in json.dumps(printed, ensure_ascii=False)


def test_figures_and_latex(labels: Path, excerpt: Excerpt) -> None:
    """Escaped as other text; options take the name of the run."""
    given = ("evaluate", "qrels", "run", "other", "-m", "MAiP", "--labels", "labels")
    figure = ("--figure", "f.svg", "--highlight", "mine")
    done = excerpt(*given, *figure, "--format", "latex", "--baseline", "mine", "--test", "sign")
    assert done.status == 0, done.err
    assert r"Ours \& \textless{}b\textgreater{}" in done.out
    assert "Ours &amp; &lt;b&gt;" in (labels / "f.svg").read_text()


def test_reports(labels: Path, excerpt: Excerpt) -> None:
    """The name of the run is nowhere, except in those of files."""
    given = ("report", "qrels", "run", "other", "-m", "MAiP", "--no-text", "--labels", "labels")
    assert excerpt(*given, "-o", "r.html").status == 0
    overview = parts_of((labels / "r.html").read_bytes())["overview"]
    assert [run["name"] for run in overview["runs"]] == [LABEL, "yours"]
    assert '"mine' not in json.dumps(overview)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "mine Ours\n",
            "bad:1: found 1 column, expected run and label; each line names a run and, after a tab, its ",
        ),
        ("mine\tx\n\nyours\tx\n", "bad:3: found label x again, expected a different label for each run"),
        ("mine\tyours\n", "found the label yours for two runs, expected different labels"),
    ],
)
def test_mistakes(text: str, message: str, labels: Path, excerpt: Excerpt) -> None:
    """One line, and nothing is written."""
    (labels / "bad").write_text(text)
    done = excerpt(
        "evaluate", "qrels", "run", "other", "-m", "MAiP", "--labels", "bad", "-o", "out.txt", "--quiet"
    )
    assert done.status == 2
    assert done.err.startswith(f"excerpt: {message}")
    assert done.err.count("\n") == 1
    assert not (labels / "out.txt").exists()


def test_every_command_with_figures_has_labels() -> None:
    """So have reports, and tables of runs."""
    for name in (*COMMANDS, *FURTHER):
        parser = command_of(name).parser
        names = {option.name for option in parser().options} if parser else set()
        assert "labels" in names or "figure" not in names, name
        assert ("labels" in names) or name not in {"report", "explore", "gate", "explain", "pool"}, name
