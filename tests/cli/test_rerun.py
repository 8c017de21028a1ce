"""excerpt rerun: the same rows from a record, and what happens when something has changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from excerpt import __version__, collection

from .conftest import Excerpt

COMMANDS = {
    "agreement": ("-m", "MAiP", "-m", "charF", "--samples", "50"),
    "testerror": ("-m", "MAiP", "--splits", "2", "--samples", "50", "--seed", "5"),
}


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt) -> Path:
    """A folder, made the current one, with qrels, runs and the record of an experiment on them."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(collection.qrels(), "qrels")
    for number, run in enumerate(collection.runs("focused")[:4]):
        shutil.copy(run.path, f"run{number}")
    runs = [f"run{number}" for number in range(4)]
    for command, options in COMMANDS.items():
        given = (command, "qrels", *runs, *options, "--format", "json", "-o", f"{command}.json")
        assert excerpt(*given).status == 0
    return tmp_path


def changed(path: Path, **values: Any) -> None:
    """Write other values into the record of a file."""
    printed = json.loads(path.read_text())
    printed["record"] |= values
    path.write_text(json.dumps(printed))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_same_bytes_again(saved: Path, excerpt: Excerpt, command: str) -> None:
    """The output equals the file, which is only overwritten by -o."""
    before = (saved / f"{command}.json").read_bytes()
    done = excerpt("rerun", f"{command}.json")
    assert (done.status, done.out.encode()) == (0, before)
    assert excerpt("rerun", f"{command}.json", "-o", "again.json").out == ""
    assert (saved / "again.json").read_bytes() == (saved / f"{command}.json").read_bytes() == before


def test_check(saved: Path, excerpt: Excerpt) -> None:
    """One line says that the rows are the same, or in which row and column they are not."""
    done = excerpt("rerun", "agreement.json", "--check")
    assert (done.status, done.out) == (0, "agreement.json: 2 rows, the same as before\n")
    printed = json.loads((saved / "agreement.json").read_text())
    printed["rows"][1]["both"] = 99
    (saved / "agreement.json").write_text(json.dumps(printed))
    done = excerpt("rerun", "agreement.json", "--check")
    assert (done.status, done.out) == (2, "")
    assert "excerpt: agreement.json: the rows differ: row 2: found both" in done.err
    assert ", expected 99\n" in done.err
    assert excerpt("rerun", "agreement.json").status == 0


def test_figures_are_drawn_only_when_asked_for(saved: Path, excerpt: Excerpt) -> None:
    """The figure of the record is not written over; --figure draws the same one."""
    pytest.importorskip("matplotlib")
    given = ("agreement", "qrels", "run0", "run1", *COMMANDS["agreement"], "--figure", "a.svg")
    assert excerpt(*given, "--format", "json", "-o", "drawn.json").status == 0
    figure = (saved / "a.svg").read_bytes()
    (saved / "a.svg").unlink()
    assert excerpt("rerun", "drawn.json", "--check").status == 0
    assert not (saved / "a.svg").exists()
    assert excerpt("rerun", "drawn.json", "--figure", "b.svg").status == 0
    assert (saved / "b.svg").read_bytes() == figure


def test_options_before_a_double_dash(saved: Path, excerpt: Excerpt) -> None:
    """Files after -- stay files."""
    given = (
        "agreement",
        *COMMANDS["agreement"],
        "--format",
        "json",
        "-o",
        "dash.json",
        "--",
        "qrels",
        "run0",
        "run1",
    )
    assert excerpt(*given).status == 0
    assert excerpt("rerun", "dash.json", "--check").status == 0


def test_changed_files(saved: Path, excerpt: Excerpt) -> None:
    """A file of other content, or that is gone, is named in one line."""
    with (saved / "qrels").open("a") as file:
        file.write("X Q0 A 0 10\n")
    done = excerpt("rerun", "agreement.json")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("excerpt: qrels: found digest ")
    assert done.err.count("\n") == 1
    (saved / "qrels").unlink()
    assert excerpt("rerun", "agreement.json").err.startswith("excerpt: qrels: cannot be read: no such file")


def test_names_that_are_too_long_are_cut(saved: Path, excerpt: Excerpt) -> None:
    """No message is longer than a few lines of a terminal, also if the system refuses the name of a file."""
    printed = json.loads((saved / "agreement.json").read_text())
    printed["record"]["inputs"][1]["path"] = 3000 * "a"
    (saved / "agreement.json").write_text(json.dumps(printed))
    done = excerpt("rerun", "agreement.json", "--check")
    assert done.status == 2
    assert len(done.err) < 600
    assert done.err.endswith("aaa: File name too long\n")


def test_another_version_is_a_warning(saved: Path, excerpt: Excerpt) -> None:
    """The experiment runs all the same."""
    changed(saved / "agreement.json", version="0.0.1")
    done = excerpt("rerun", "agreement.json", "--check")
    assert done.status == 0
    assert (
        f"excerpt: warning: agreement.json was written by excerpt 0.0.1, this is {__version__}\n" in done.err
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"experiment": "index"}, "unknown experiment 'index'; known: agreement"),
        ({"experiment": "rerun"}, "unknown experiment 'rerun'"),
        ({"options": {}}, "the record has no options, so the experiment cannot be repeated from it"),
        ({"options": {"qrels": "-", "runs": ["run0"]}}, "the experiment read standard input or a pipe"),
        ({"options": {"qrels": "qrels", "nonsense": 1}}, "unknown option 'nonsense'"),
        ({"options": {"qrels": "qrels", "cluster": "tcp://127.0.0.1:9"}}, "unknown option 'cluster'"),
    ],
)
def test_records_that_cannot_be_run(
    saved: Path, excerpt: Excerpt, values: dict[str, Any], message: str
) -> None:
    """A record can only run experiments on files, and opens no connections."""
    changed(saved / "agreement.json", **values)
    done = excerpt("rerun", "agreement.json")
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_cluster_is_asked_only_on_the_command_line(saved: Path, excerpt: Excerpt) -> None:
    """A record does not say who did the work; who does it now is an option of rerun itself."""
    record = json.loads((saved / "agreement.json").read_text())["record"]
    assert not {"workers", "cluster", "keep"} & set(record["options"])
    before = (saved / "agreement.json").read_text()
    assert excerpt("rerun", "agreement.json", "--workers", "2").out == before


def test_a_record_of_the_first_version(saved: Path, excerpt: Excerpt) -> None:
    """A record that kept a command line is refused in one line, which has the command to run."""
    printed = json.loads((saved / "agreement.json").read_text())
    del printed["record"]["options"]
    printed["record"]["arguments"] = ["agreement", "qrels", "run0", "--cluster", "tcp://127.0.0.1:9"]
    (saved / "old.json").write_text(json.dumps(printed))
    done = excerpt("rerun", "old.json")
    assert done.status == 2
    assert done.err == (
        "excerpt: old.json: found a record in the form of excerpt 0.1.0, "
        "expected one with options; run it again: excerpt agreement qrels run0 --cluster tcp://127.0.0.1:9\n"
    )


def test_what_is_no_record(files: Path, excerpt: Excerpt) -> None:
    """Another file is refused."""
    done = excerpt("rerun", "qrels")
    assert done.status == 2
    assert done.err.startswith("excerpt: qrels: found invalid JSON")
    assert excerpt("rerun", "missing").err == "excerpt: missing: cannot be read: no such file or directory\n"
