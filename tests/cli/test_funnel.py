"""excerpt funnel: the shares as a table, and as data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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


@pytest.fixture
def quotes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A document, evidence, retrieved text, and answers that quote; one quote does not occur."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/lease.txt").write_text("The term is two years. It can be renewed.")
    Path("gold.jsonl").write_text('{"topic": "q", "document": "lease", "start": 0, "end": 22}\n')
    Path("read.jsonl").write_text('{"topic": "q", "document": "lease", "start": 0, "end": 40}\n')
    rows = [
        {"topic": "q", "document": "lease", "cited_text": "two years"},
        {"topic": "q", "document": "lease", "cited_text": "three years"},
        {"topic": "q", "document": "lease", "cited_text": "three years"},
    ]
    Path("said.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return ["funnel", "gold.jsonl", "read.jsonl", "said.jsonl", "--format", "json"]


@pytest.mark.parametrize(
    ("unplaced", "cited", "vain"),
    [((), 20, 11), (("--unplaced", "count"), 20, 11), (("--unplaced", "drop"), 9, 0)],
)
def test_quotes_that_do_not_occur(
    quotes: list[str], unplaced: tuple[str, ...], cited: int, vain: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """They count with their own length, once, or are left out; both are listed; a quote is no document."""
    assert main([*quotes, "--corpus", "docs", *unplaced]) == 0
    done = capsys.readouterr()
    found = json.loads(done.out)
    counts = found["characters"]
    assert (counts["cited"], counts["not_relevant"], counts["never_retrieved"]) == (cited, vain, vain)
    assert [one["quote"] for one in found["unplaced"]] == ["three years"]
    assert "1 cited quote does not occur in its document and is " in done.err
    assert done.err.count("\n") == 1
    table = [part for part in quotes if part not in {"--format", "json"}]
    assert main([*table, "--corpus", "docs", "--per-topic", *unplaced]) == 0
    assert "q: 'three years' is not in lease" in capsys.readouterr().out


def test_quotes_that_must_occur(quotes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """An error names the line; quotes need a corpus."""
    assert main([*quotes, "--corpus", "docs", "--unplaced", "error"]) == 2
    assert (
        "said.jsonl:3: the cited text 'three years' does not occur in document lease"
        in capsys.readouterr().err
    )
    assert main(quotes) == 2
    assert "said.jsonl:1: quotes need the documents: --corpus" in capsys.readouterr().err
    assert main(["evaluate", *quotes[1:2], *quotes[3:4], "-m", "recall", "--corpus", "docs"]) == 2
    assert "does not occur in document lease" in capsys.readouterr().err


@pytest.mark.parametrize(("unplaced", "status"), [("count", 2), ("error", 2), ("drop", 0)])
def test_evidence_that_does_not_occur(
    quotes: list[str], unplaced: str, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quote of the judgments is an error, also if quotes of answers are counted; drop leaves both out."""
    rows = [
        {"question_id": "q", "question": "How long?", "document": "lease", "quote": "The term is two years."}
    ]
    rows += [{**rows[0], "question_id": "r", "question": "Pets?", "quote": "no <b>\x1b[31m"}]
    Path("gold.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main([*quotes, "--corpus", "docs", "--unplaced", unplaced]) == status
    done = capsys.readouterr()
    assert "\x1b" not in done.out + done.err
    if status:
        assert done.err.count("\n") == 1
        assert (
            "gold.jsonl:2: evidence 'no <b>\\x1b[31m' of question r does not occur in document lease"
            in done.err
        )
    else:
        found = json.loads(done.out)
        assert (found["characters"]["relevant"], found["characters"]["cited"]) == (22, 9)


def test_many_quotes_that_do_not_occur(quotes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The first ten are listed below the table, all in JSON."""
    rows = [{"topic": "q", "document": "lease", "quote": f"x{number}"} for number in range(12)]
    Path("said.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main([*quotes, "--corpus", "docs"]) == 0
    assert len(json.loads(capsys.readouterr().out)["unplaced"]) == 12
    assert main([*quotes[:4], "--corpus", "docs"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["q: 'x9' is not in lease", "and 2 more"]


def test_parts_around_an_ellipsis(quotes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Only the parts are cited, not the text between them."""
    row = {"topic": "q", "document": "lease", "quote": "The term \u2026 renewed."}
    Path("said.jsonl").write_text(json.dumps(row))
    assert main([*quotes, "--corpus", "docs"]) == 0
    assert json.loads(capsys.readouterr().out)["characters"]["cited"] == len("The term" + "renewed.")
    Path("said.jsonl").write_text(json.dumps({"topic": "q", "quote": "The term"}))
    assert main([*quotes, "--corpus", "docs"]) == 2
    assert "said.jsonl:1: found a citation without a document, expected its id" in capsys.readouterr().err


def test_answers_that_cite_nothing_abstain(quotes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Of three questions without an answer, a retriever returns text for two, answers cite text for one."""
    gold: list[dict[str, Any]] = [
        {"question_id": name, "question": f"{name}?", "answerable": False} for name in "abc"
    ]
    gold.append({"question_id": "q", "question": "q?", "document": "lease", "quote": "two years"})
    read = [{"topic": name, "document": "lease", "start": 0, "end": 9, "run": "read"} for name in "abq"]
    said: list[dict[str, Any]] = [
        {"topic": "a", "answer": "?", "citations": []},
        {"topic": "b", "answer": "?", "claims": [{"document": "lease", "quote": "The term"}]},
        {"topic": "c", "answer": "?"},
        {"topic": "q", "answer": "?", "citations": [{"document": "lease", "quote": "two years"}]},
    ]
    for name, rows in (("gold", gold), ("read", read), ("said", said)):
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for measure in ("abstained", "rag"):
        asked = ["evaluate", *quotes[1:], "-m", measure, "--corpus", "docs"]
        assert main(asked) == 0
        runs = json.loads(capsys.readouterr().out)["runs"]
        assert [run["scores"]["abstained"] for run in runs] == [1 / 3, 2 / 3]
