"""excerpt try: two commands from documents and questions to a gate; settings in try.toml; mistakes."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from .conftest import Excerpt

COLUMNS = "run,chunker,retriever,recall,low,high,found,read,chunks,lost,ceiling,seconds,error"
_GOLD = [
    ("When is the rent paid?", "rent.md", "The tenant pays the rent in May."),
    ("Who repairs the roof?", "repair.md", "The landlord repairs the roof."),
    ("When does the lease end?", "end.md", "The lease ends in June."),
]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with docs and gold.jsonl, made the current one."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/rent.md").write_text("# Rent\n\nThe tenant pays the rent in May.\n\nOr in June.\n")
    (tmp_path / "docs/repair.md").write_text(
        "# Repairs\n\nThe landlord repairs the roof.\n\nAll else stays.\n"
    )
    (tmp_path / "docs/end.md").write_text("# End\n\nThe lease ends in June.\n\n- keys are given back\n")
    rows = [{"question": one, "document": two, "quote": three} for one, two, three in _GOLD]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_documents_to_a_gate(world: Path, excerpt: Excerpt) -> None:
    """All files of the folder, used by the commands that its page names."""
    done = excerpt("try", "docs", "gold.jsonl", "-o", "tried")
    assert done.status == 0
    assert "recursive-800-bm25" in done.out
    assert "excerpt gate tried/scores.json new.jsonl --qrels gold.jsonl --corpus docs" in done.out
    rows = list(csv.DictReader(io.StringIO(Path("tried/table.csv").read_text())))
    assert Path("tried/table.csv").read_text().splitlines()[0] == COLUMNS
    assert len(rows) == 8
    named = {"README.md", "cache", "record.json", "report.html", "runs", "scores.json", "table.csv"}
    assert {path.name for path in Path("tried").iterdir()} == named
    best = rows[0]["run"]
    run = f"tried/runs/{best}.jsonl"
    gate = ("gate", "tried/scores.json", run, "--qrels", "gold.jsonl", "--corpus", "docs")
    assert excerpt(*gate).status == 0  # the run of the same name
    lines = Path(run).read_text().splitlines()
    worse = [line for line in lines if '"topic": "1"' not in line] + [
        '{"topic": "1", "document": "end.md", "start": 0, "end": 4}'
    ]
    Path("new.jsonl").write_text("\n".join(worse) + "\n")
    failed = excerpt(
        "gate", "tried/scores.json", "new.jsonl", *gate[3:], "--baseline", best, "--test", "none"
    )
    assert (failed.status, "failed" in failed.out) == (1, True)
    assert (
        excerpt("rerun", "tried/record.json", "--check").out
        == "tried/record.json: 8 rows, the same as before\n"
    )
    curve = excerpt("curve", "tried", "--format", "json")
    read = json.loads(curve.out)
    values = {one["name"]: dict(zip(read["x"], one["values"], strict=True)) for one in read["runs"]}
    assert {name: own[4000] for name, own in values.items()} == {
        row["run"]: float(row["recall"]) for row in rows
    }
    assert excerpt("curve", "tried", "-o", "curve.svg").status == 0
    stopped = excerpt("curve", "tried", "--points", "10")
    assert (stopped.status, "points cannot be combined" in stopped.err) == (2, True)
    assert excerpt("compare", "tried/scores.json").status == 0


def test_second_call_is_the_same(world: Path, excerpt: Excerpt) -> None:
    """On standard output, and in the folder."""
    first = excerpt("try", "docs", "gold.jsonl", "-o", "tried")
    assert excerpt("try", "docs", "gold.jsonl", "-o", "tried") == first


def test_json_is_the_record(world: Path, excerpt: Excerpt) -> None:
    """Rows, effects, sentences, curve."""
    done = excerpt("try", "docs", "gold.jsonl", "-o", "tried", "--format", "json", "--chunker", "headings")
    assert json.loads(done.out) == json.loads(Path("tried/record.json").read_text())


def test_rerun_says_what_changed(world: Path, excerpt: Excerpt) -> None:
    """Changed documents or questions are named."""
    assert excerpt("try", "docs", "gold.jsonl", "-o", "tried", "--chunker", "headings").status == 0
    Path("docs/end.md").write_text("# End\n\nThe lease ends in June.\n")
    done = excerpt("rerun", "tried/record.json")
    assert (done.status, "the documents have changed" in done.err) == (2, True)


def test_settings_beside_the_documents(world: Path, excerpt: Excerpt) -> None:
    """--init writes them with comments; options override them; a file of another owner is ignored."""
    done = excerpt("try", "--init", "docs")
    assert (done.status, done.out) == (0, "try.toml\n")
    assert excerpt("try", "--init", "docs").status == 2  # it is not replaced
    done = excerpt("try", "docs")
    assert done.status == 0
    assert "settings from try.toml" in done.err
    assert len(Path("tried/table.csv").read_text().splitlines()) == 9
    Path("my.py").write_text("def cut(text):\n    return text.split('\\n\\n')\n")
    Path("try.toml").write_text(
        'documents = "docs"\ngold = "gold.jsonl"\nchunkers = ["my.py:cut"]\noutput = "own"\n'
    )
    assert excerpt("try", "try.toml", "--budget", "20").status == 0
    assert json.loads(Path("own/record.json").read_text())["record"]["options"]["budget"] == 20
    os.chdir("docs")
    assert excerpt("try", "../docs", "../gold.jsonl", "-o", "../beside").status == 0
    assert "my.py-cut-bm25" in Path("../beside/table.csv").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chunker = 3\n", "try.toml:1: unknown setting 'chunker'"),
        ('\nbudget = "x"\n', "try.toml:2: found budget = 'x', expected a whole number of at least 1"),
        ("chunkers = [3]\n", "try.toml:1: found chunkers = [3], expected a list of texts"),
        ("chunkers = [\n", "try.toml: not valid TOML"),
    ],
)
def test_wrong_settings(world: Path, excerpt: Excerpt, text: str, message: str) -> None:
    """With their line."""
    Path("try.toml").write_text(text)
    done = excerpt("try", "docs", "gold.jsonl", "-o", "tried")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err


def test_settings_of_another_owner_are_ignored(
    world: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may name code."""
    Path("evil.py").write_text("open('made', 'w')\n")
    Path("try.toml").write_text('chunkers = ["evil.py:cut"]\n')
    monkeypatch.setattr("excerpt.trials.try_file.is_foreign", lambda _: True)
    done = excerpt("try", "docs", "gold.jsonl", "-o", "tried")
    assert done.status == 0
    assert "try.toml belongs to another user and is ignored" in done.err
    assert not Path("made").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("docs",), "no GOLD given"),
        (("docs", "gold.jsonl"), "the following arguments are required: -o"),
        (("docs", "gold.jsonl", "-o", "docs/tried"), "lies in the documents"),
        (("docs", "gold.jsonl", "-o", "docs"), "is an input"),
        (("docs", "gold.jsonl", "-o", "."), "is an input"),
        (("docs", "gold.jsonl", "-o", "tried", "--chunker", "nosuch"), "unknown chunker 'nosuch'"),
        (("docs", "gold.jsonl", "-o", "tried", "--retriever", "nosuch"), "unknown retriever 'nosuch'"),
        (
            ("docs", "gold.jsonl", "-o", "tried", "--retriever", "sentence-transformers:./no"),
            "none of 8 settings",
        ),
        (("docs", "gold.jsonl", "-o", "tried", "--chunker", "my.py:cut"), "there is no file my.py"),
        (("docs", "none.jsonl", "-o", "tried"), "none.jsonl: cannot be read"),
        (("none", "gold.jsonl", "-o", "tried"), "none"),
        (("--init", "none"), "does not exist"),
    ],
)
def test_mistakes(world: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """One line, status 2, nothing written."""
    before = sorted(world.rglob("*"))
    done = excerpt("try", *arguments)
    assert (done.status, done.out) == (2, "")
    assert message in done.err.splitlines()[-1]
    assert done.err.count("\n") == 1
    assert sorted(world.rglob("*")) == before


def test_a_setting_that_fails_is_in_the_table(world: Path, excerpt: Excerpt) -> None:
    """The others go on."""
    done = excerpt(
        "try", "docs", "gold.jsonl", "-o", "tried", "--chunker", "headings", "--chunker", "langchain:No()"
    )
    assert done.status == 0
    rows = list(csv.DictReader(io.StringIO(Path("tried/table.csv").read_text())))
    assert [bool(row["error"]) for row in rows] == [False, True]
    assert "langchain_text_splitters has no class No" in rows[1]["error"]
    assert "has no class No" in done.out
