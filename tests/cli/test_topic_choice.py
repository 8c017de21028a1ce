"""--topics, --only and --exclude: on every command that reads judgments or runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from .conftest import RUN, Excerpt

MEASURES = ("-m", "charR", "-m", "charP")


@pytest.fixture
def topics(files: Path) -> None:
    """A file of topics, and another run."""
    (files / "topics").write_text("id\ttitle\ttext\n1\tOne & only\tWhat?\n2\tTwo\tWhy?\n")
    (files / "other").write_text(RUN.replace("mine", "other").replace(" 350 ", " 420 "))


def test_choosing(topics: None, excerpt: Excerpt) -> None:
    """Means are those of the chosen topics."""
    whole = json.loads(excerpt("evaluate", "qrels", "run", "--per-topic", "--format", "json", *MEASURES).out)
    for how in (("--only", "1"), ("--exclude", "2,3"), ("--only", "1-2", "--exclude", "2")):
        done = excerpt("evaluate", "qrels", "run", *how, "--per-topic", "--format", "json", *MEASURES)
        assert (done.status, done.err) == (0, "")
        (run,) = json.loads(done.out)["runs"]
        assert run["topics"] == {"1": whole["runs"][0]["topics"]["1"]}
        assert run["scores"] == run["topics"]["1"]


def test_titles(topics: None, excerpt: Excerpt) -> None:
    """Titles are a column next to the topics, escaped if needed; JSON has them by id."""
    done = excerpt(
        "evaluate", "qrels", "run", "--only", "1,2", "--topics", "topics", "--per-topic", *MEASURES
    )
    assert done.out.splitlines()[:4] == [
        "run   topic  title        charR   charP",
        "---------------------------------------",
        "mine  1      One & only  0.8000  0.4706",
        "mine  2      Two         0.5000  0.2500",
    ]
    shape = ("--per-topic", "--topics", "topics", *MEASURES)
    assert r"One \& only" in excerpt("evaluate", "qrels", "run", *shape, "--format", "latex").out
    printed = json.loads(excerpt("evaluate", "qrels", "run", *shape, "--format", "json").out)
    assert printed["titles"] == {"1": "One & only", "2": "Two"}


@pytest.mark.parametrize(
    "command",
    [
        ("curve", "qrels", "run", "-m", "charR", "--points", "1:3", "--format", "csv"),
        ("compare", "qrels", "run", "other", "-m", "charR", "--samples", "9", "--format", "csv"),
        ("stability", "topics", "qrels", "run", "other", "-m", "charR", "--levels", "50", "--format", "csv"),
        ("gate", "run", "other", "--qrels", "qrels", "-m", "charR", "--samples", "9", "--format", "csv"),
        ("funnel", "qrels", "run", "other", "--format", "csv"),
    ],
)
def test_every_command_chooses(topics: None, excerpt: Excerpt, command: tuple[str, ...]) -> None:
    """As if there were no other topics in the files."""
    Path("less").write_text(Path("qrels").read_text().partition("3 Q0")[0])
    expected = excerpt(*("less" if part == "qrels" else part for part in command), "--topics", "topics")
    done = excerpt(*command, "--topics", "topics", "--only", "1-2")
    assert (done.status, done.out) == (0, expected.out)
    assert "unknown topic '7'; did you mean '3'? known: 1, 2, 3" in excerpt(*command, "--only", "7").err


def test_saved_scores(topics: None, excerpt: Excerpt) -> None:
    """Choosing and titles work on tables, and a record has them."""
    excerpt("evaluate", "qrels", "run", "other", *MEASURES, "--save", "saved.json")
    how = ("--exclude", "3", "--topics", "topics")
    for given in (("saved.json",), ("qrels", "run", "other")):
        done = excerpt("evaluate", *given, *how, "--per-topic", "--format", "csv", *MEASURES)
        assert done.out.splitlines()[1:3] == [
            "mine,1,One & only,0.8,0.47058823529411764",
            "mine,2,Two,0.5,0.25",
        ]
    done = excerpt("gate", "saved.json", "saved.json", "--only", "1-2", "--run-name", "mine", "-m", "charR")
    assert done.status == 0
    done = excerpt(
        "compare", "saved.json", "--only", "1-2", "-m", "charR", "--samples", "9", "--record", "r.json"
    )
    assert done.status == 0
    assert json.loads(Path("r.json").read_text())["record"]["options"]["only"] == "1-2"
    assert excerpt("rerun", "r.json", "--check").status == 0


def test_pools_and_conversions(topics: None, excerpt: Excerpt) -> None:
    """Files of some topics."""
    assert excerpt("pool", "run", "--only", "2", "-o", "pool.tsv").status == 0
    rows = [line.split("\t")[0] for line in Path("pool.tsv").read_text().splitlines() if line[0] != "#"]
    assert set(rows[1:]) == {"2"}
    assert "unknown topic '9'; did you mean '2'? known: 1, 2" in excerpt("pool", "run", "--exclude", "9").err
    told = excerpt("pool", "pool.tsv", "--info", "--topics", "topics").out
    assert told.splitlines()[2:5] == ["topic  title  documents", "-----------------------", "2      Two    2"]
    printed = json.loads(excerpt("pool", "run", "--info", "--topics", "topics", "--format", "json").out)
    assert [topic["title"] for topic in printed["topics"]] == ["One & only", "Two"]
    assert (
        "--topics needs --info: pool files contain no titles"
        in excerpt("pool", "run", "--topics", "topics").err
    )
    assert (
        "--only and a pool file cannot be combined"
        in excerpt("pool", "pool.tsv", "--info", "--only", "2").err
    )
    for name, kind in (("qrels", "judgments"), ("run", "run")):
        how = ("--to", "fol", "--kind", kind, "--only", "2")
        assert excerpt("convert", name, "out", *how).status == 0
        assert {line.split()[0] for line in Path("out").read_text().splitlines()} == {"2"}
    assert "unknown topic '9'" in excerpt("convert", "run", "out2", "--to", "fol", "--only", "9").err
    assert not Path("out2").exists()


def test_one_topic_is_chosen_already(topics: None, excerpt: Excerpt) -> None:
    """A command that shows one topic does not take the options."""
    done = excerpt("show", "qrels", "run", "1", "--only", "1")
    assert (done.status, "unknown argument --only" in done.err) == (2, True)


@pytest.fixture
def elements(files: Path, excerpt: Excerpt) -> None:
    """An index, a run of paths and one of spans, and topics with queries."""
    (files / "docs").mkdir()
    (files / "docs" / "A.xml").write_text("<article><sec><p>one two</p></sec><p>three</p></article>")
    (files / "topics").write_text("id\ttitle\tcastitle\n1\tOne\t//sec[about(., x)]\n2\tTwo\t\n")
    (files / "qrels").write_text("1 Q0 A 7 12 0 0:7\n2 Q0 A 5 12 7 7:5\n")
    (files / "run").write_text("1 Q0 A 1 9 mine 7 5\n1 Q0 A 2 8 mine 0 7\n2 Q0 A 1 9 mine 7 5\n")
    (files / "other").write_text("1 Q0 A 1 9 other 0 7\n2 Q0 A 1 9 other 0 7\n")
    assert excerpt("index", "docs", "-o", "INDEX").status == 0


HOW = ("--index", "INDEX", "--topics", "topics", "--target", "strict")


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "qrels", "run", "-m", "charP@1"),
        ("curve", "qrels", "run", "-m", "charP", "--points", "1"),
        ("compare", "qrels", "run", "other", "-m", "charP@1", "--samples", "9"),
        ("gate", "run", "other", "--qrels", "qrels", "-m", "charP@1", "--samples", "9"),
        ("funnel", "qrels", "run", "other"),
        ("explain", "qrels", "run", "-m", "charR@1", "--corpus", "docs"),
        ("show", "qrels", "run", "1", "--corpus", "docs"),
        ("report", "qrels", "run", "-m", "charP@1", "--corpus", "docs", "-o", "report.html"),
    ],
)
def test_targets(elements: None, excerpt: Excerpt, command: tuple[str, ...]) -> None:
    """Every command that reads runs filters them, says so, and asks for topics where they are missing."""
    done = excerpt(*command, *HOW)
    assert done.status in {0, 1}, done.err
    assert re.search(r"warning: \d+ results? (is|are) not .* left out", done.err)
    done = excerpt(*command, "--index", "INDEX", "--target", "strict")
    assert (done.status, done.out) == (2, "")
    assert "the target strict needs topics with NEXI queries" in done.err
    assert "give --topics FILE" in done.err


def test_targets_are_of_runs(elements: None, excerpt: Excerpt) -> None:
    """Saved scores have no results, and what was asked is in a record."""
    whole = excerpt("evaluate", "qrels", "run", "other", "-m", "charP@1", "--save", "s.json").out
    assert excerpt("evaluate", "qrels", "run", "other", "-m", "charP@1", *HOW).out != whole
    assert "--target and saved scores cannot be" in excerpt("evaluate", "s.json", "--target", "strict").err
    shape = ("-m", "charP@1", "--samples", "9", "--record", "r.json")
    assert excerpt("compare", "qrels", "run", "other", *shape, *HOW).status == 0
    record = json.loads(Path("r.json").read_text())["record"]
    assert (record["options"]["target"], record["options"]["topics"]) == ("strict", "topics")
    assert "topics" in [item["path"] for item in record["inputs"]]
    assert excerpt("rerun", "r.json", "--check").status == 0
