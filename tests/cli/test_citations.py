"""excerpt citations: formats of the output, exit status, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

QUOTES = ["two years", "two  years", "three", "four", "The", "term", "two", "Keys"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents, and two answers with four quotes each."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/lease.txt").write_text("The term is two years.")
    Path("docs/annex.txt").write_text("Keys: three.")
    rows = [
        {"topic": f"q{number // 4}", "document": "lease", "quote": quote}
        for number, quote in enumerate(QUOTES)
    ]
    Path("answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def test_counts(files: None, excerpt: Excerpt) -> None:
    """A table with the worst answer first, and the same numbers in every format."""
    table = excerpt("citations", "answers.jsonl", "--corpus", "docs")
    assert (table.status, table.err) == (0, "")
    assert [line.split() for line in table.out.splitlines()[2:5]] == [
        ["q0", "4", "1", "1", "0", "1", "1", "0", "0.5000"],
        ["q1", "4", "3", "0", "0", "1", "0", "0", "0.2500"],
        ["all", "8", "4", "1", "0", "2", "1", "0", "0.3750"],
    ]
    assert "q0: 'three' is not in lease, but in annex.txt" in table.out
    rows = excerpt("citations", "answers.jsonl", "--corpus", "docs", "--format", "csv").out.splitlines()
    assert rows[0] == "answer,citations,verbatim,folded,markup,other document,nowhere,too short,unreal"
    assert rows[3] == "all,8,4,1,0,2,1,0,0.375"
    found = json.loads(excerpt("citations", "answers.jsonl", "--corpus", "docs", "--format", "json").out)
    assert (found["answers"], found["unreal"], found["by_answer"]["q1"]["unreal"]) == (2, 0.375, 0.25)
    marked = excerpt("citations", "answers.jsonl", "--corpus", "docs", "-o", "out.md")
    assert (marked.out, "| all | 8 |" in Path("out.md").read_text()) == ("", True)


def test_limit(files: None, excerpt: Excerpt) -> None:
    """Status 1 only above the limit, compared exactly."""
    for limit, status in (("0.375", 0), ("0.374", 1), ("0", 1), ("1", 0)):
        assert (
            excerpt("citations", "answers.jsonl", "--corpus", "docs", "--max-unreal", limit).status == status
        )
    third = "".join(
        f'{{"topic": "1", "document": "lease", "quote": "{quote}"}}\n' for quote in ("The", "term", "xyz")
    )
    Path("third.jsonl").write_text(third)
    asked = ("citations", "third.jsonl", "--corpus", "docs", "--max-unreal")
    assert excerpt(*asked, "0.3333333333333333").status == 0
    assert excerpt(*asked, "0.3333").status == 1


def test_short_quotes(files: None, excerpt: Excerpt) -> None:
    """A letter that every document has is no evidence: counted apart, and unreal for the limit."""
    rows = [{"topic": "1", "document": "lease", "quote": quote} for quote in ("e", "two years", "s:", "zz")]
    Path("short.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    asked = ("citations", "short.jsonl", "--corpus", "docs")
    done = excerpt(*asked, "--max-unreal", "0.74")
    assert done.status == 1
    assert done.out.splitlines()[2].split() == ["1", "4", "1", "0", "0", "0", "1", "2", "0.7500"]
    assert done.out.splitlines()[-3:] == [
        "1: 'e' is too short to be evidence",
        "1: 's:' is too short to be evidence",  # and in another document
        "1: 'zz' is not in lease",
    ]
    found = json.loads(excerpt(*asked, "--format", "json").out)
    assert (found["too_short"], found["nowhere"], found["unreal"]) == (2, 1, 0.75)
    hows = [one["how"] for one in found["by_answer"]["1"]["quotes"]]
    assert hows == ["too_short", "verbatim", "too_short", "nowhere"]
    assert excerpt(*asked, "--max-unreal", "0.75").status == 0


def test_gold(files: None, excerpt: Excerpt) -> None:
    """Real quotes that overlap the evidence of their question."""
    Path("gold.jsonl").write_text('{"topic": "q0", "document": "lease", "start": 12, "end": 15}\n')
    asked = ("--corpus", "docs", "--gold", "gold.jsonl", "--format", "json")
    found = json.loads(excerpt("citations", "answers.jsonl", *asked).out)
    assert (found["relevant"], found["by_answer"]["q0"]["relevant"]) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["answers.jsonl"], "--corpus"),
        (["none.jsonl", "--corpus", "docs"], "none.jsonl: cannot be read: no such file"),
        (["answers.jsonl", "--corpus", "docs", "--max-unreal", "-1"], "argument --max-unreal: found '-1'"),
        (
            ["answers.jsonl", "--corpus", "docs", "--max-unreal", "2"],
            "found '2', expected a number from 0 to 1",
        ),
        (["answers.jsonl", "--corpus", "docs", "-o", "answers.jsonl"], "answers.jsonl: is an input"),
        (["docs/lease.txt", "--corpus", "docs"], "answers with quotes are missing, expected lines such as"),
        (["bad.jsonl", "--corpus", "docs"], "bad.jsonl:2: found a citation with the quote ''"),
    ],
)
def test_mistakes(files: None, excerpt: Excerpt, arguments: list[str], said: str) -> None:
    """Each is status 2 and one line."""
    good = '{"topic": "1", "document": "lease", "quote": "two"}\n'
    Path("bad.jsonl").write_text(good + good.replace("two", ""))
    done = excerpt("citations", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1
