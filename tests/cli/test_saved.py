"""Saved scores instead of judgments and runs, in every command that needs no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import QRELS, RUN, Excerpt

MEASURES = ("-m", "charR", "-m", "charP")


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excerpt: Excerpt) -> None:
    """Scores of three runs: two in one file, one in another."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("one").write_text(RUN)
    Path("two").write_text(RUN.replace("mine", "two").replace(" 350 ", " 420 "))
    Path("three").write_text(RUN.replace("mine", "three").replace(" 0 50", " 20 50"))
    excerpt("evaluate", "qrels", "one", "two", *MEASURES, "--save", "a.json")
    excerpt("evaluate", "qrels", "three", *MEASURES, "--save", "b.csv")


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate",),
        ("evaluate", "--per-topic", "--interval", "0.9", "--by", "document"),
        ("compare", "--samples", "99"),
        ("correlate",),
        ("agreement", "--samples", "99"),
        ("stability topics", "--levels", "50"),
        ("stability errors", "--levels", "50"),
    ],
)
def test_same_rows_as_of_runs(saved: None, excerpt: Excerpt, command: tuple[str, ...]) -> None:
    """A command says of saved scores what it says of the runs, whatever was saved together."""
    name, *options = command
    shape = (*options, *MEASURES, "--format", "csv")
    of_runs = excerpt(*name.split(), "qrels", "one", "two", "three", *shape)
    assert of_runs.status == 0
    for files in (("a.json", "b.csv"), ("all.json",)):
        excerpt("evaluate", "a.json", "b.csv", "--save", "all.json")
        assert excerpt(*name.split(), *files, *shape).out == of_runs.out


def test_all_measures_by_default(saved: None, excerpt: Excerpt) -> None:
    """Without -m all that was saved; with it some, however they are spelt."""
    assert excerpt("evaluate", "a.json").out.split()[:3] == ["run", "charR", "charP"]
    assert excerpt("evaluate", "a.json", "-m", "precision").out.split()[:2] == ["run", "charP"]
    assert excerpt("stability", "topics", "a.json", "--levels", "50").out.count("\n") == 4


def test_runs_of_one_name_are_told_apart(saved: None, excerpt: Excerpt) -> None:
    """Before and after: the run of a later file has other scores, and the name of its file."""
    Path("after").mkdir()
    Path("changed").write_text(RUN.replace(" 350 ", " 420 "))
    excerpt("evaluate", "qrels", "one", *MEASURES, "--save", "before.json")
    for name in ("after.json", "after/after.json"):
        excerpt("evaluate", "qrels", "changed", *MEASURES, "--save", name)
    printed = json.loads(excerpt("evaluate", "before.json", "after.json", "--format", "json").out)
    assert [run["name"] for run in printed["runs"]] == ["mine", "mine (after.json)"]
    files = ("before.json", "after.json", "after/after.json", "before.json")
    printed = json.loads(excerpt("evaluate", *files, "--format", "json").out)
    assert [run["name"] for run in printed["runs"]][2:] == ["mine (after/after.json)"]
    done = excerpt("compare", "before.json", "after.json", "-m", "charP", "--baseline", "mine")
    assert done.status == 0
    assert done.out.splitlines()[2].split()[1:3] == ["mine", "(after.json)"]


def test_an_experiment_on_saved_scores_can_be_repeated(saved: None, excerpt: Excerpt) -> None:
    """Its record has the files, and rerun finds the same rows."""
    done = excerpt("compare", "a.json", "b.csv", "-m", "charP", "--record", "record.json")
    assert done.status == 0
    record = json.loads(Path("record.json").read_text())["record"]
    assert [item["path"] for item in record["inputs"]] == ["a.json", "b.csv"]
    assert excerpt("rerun", "record.json", "--check").out == "record.json: 3 rows, the same as before\n"
    second = excerpt("correlate", "a.json", "-m", "charP", "--qrels2", "a.json", "--format", "json")
    assert json.loads(second.out)["rows"][0]["runs"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("evaluate", "qrels"),
            "no RUN given; expected QRELS RUN… or a file of saved scores; excerpt evaluate",
        ),
        (("compare", "nosuch.json"), "nosuch.json: cannot be read: no such file or directory"),
        (("render", "qrels"), "make it with --format json, or save scores by excerpt evaluate --save"),
        (("compare", "qrels", "-m", "charP"), "no RUN given; expected QRELS RUN… or a file of saved scores"),
        (
            ("evaluate", "a.json", "one"),
            "one: is not a file of saved scores, expected one after the saved scores",
        ),
        (("evaluate", "a.json", "--overlap", "first"), "--overlap and saved scores cannot be combined"),
        (("evaluate", "a.json", "--corpus", "x"), "--corpus and saved scores cannot be combined"),
        (("evaluate", "a.json", "--only", "9"), "unknown topic '9'; did you mean '3'? known: 1, 2, 3"),
        (("compare", "a.json", "-m", "charP", "--run-format", "fol"), "--run-format and saved scores cannot"),
        (("compare", "a.json", "-m", "AiP"), "unknown measure 'AiP'"),
        (("compare", "b.csv", "-m", "charP"), "found 1 run, expected at least 2 to compare"),
        (("evaluate", "a.json", "other.csv"), "other.csv: run x has no scores on 1 of 3 topics (first: 3)"),
        (("stability", "pool", "a.json", "b.csv"), "a.json: found saved scores, expected judgments and runs"),
        (("evaluate", "a.json", "--save", "a.json"), "a.json: is an input"),
        (
            ("evaluate", "qrels", "one", "--changed-judgments", "allow"),
            "qrels: --changed-judgments needs saved scores",
        ),
    ],
)
def test_mistakes(saved: None, excerpt: Excerpt, arguments: tuple[str, ...], said: str) -> None:
    """One line and status 2."""
    Path("other.csv").write_text("run,topic,measure,score\nx,1,charR,0.5\nx,2,charR,0.5\n")
    done = excerpt(*arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "command",
    [
        "evaluate",
        "compare --samples 99",
        "correlate",
        "agreement --samples 99",
        "anova",
        "power",
        "testerror --samples 99 --splits 2",
        "stability topics --levels 50",
        "stability errors --levels 50",
    ],
)
def test_changed_judgments(saved: None, excerpt: Excerpt, command: str) -> None:
    """Files made with other judgments: status 2, or the topics that did not change, in a repetition too."""
    Path("qrels").write_text(
        QRELS.replace("0:40", "0:39") + "".join(f"{n} Q0 A 9 200 0 0:9\n" for n in "456")
    )
    excerpt("evaluate", "qrels", "two", *MEASURES, "--save", "b.json")
    Path("qrels").write_text(QRELS + "".join(f"{n} Q0 A 9 200 0 0:9\n" for n in "456"))
    excerpt("evaluate", "qrels", "one", *MEASURES, "--save", "a.json")
    done = excerpt(*command.split(), "a.json", "b.json")
    assert (done.status, done.out) == (2, "")
    assert "found scores made with other judgments (1 topic: 1), expected the same" in done.err
    record = ("--record", "record.json") if command != "evaluate" else ()
    done = excerpt(*command.split(), "a.json", "b.json", "--changed-judgments", "allow", *record)
    assert done.status == 0, done.err
    assert "1 topic has other judgments and is left out; 5 topics did not change (topic 1)" in done.err
    if record:
        assert excerpt("rerun", "record.json", "--check").status == 0


def test_old_files_are_named(saved: None, excerpt: Excerpt) -> None:
    """CSV of 0.3.0 does not say its judgments: a warning where it meets others, not alone."""
    said = "1 table of saved scores does not say which judgments and policy it was made with"
    assert said not in excerpt("compare", "a.json", "b.csv", "-m", "charP").err
    made, _, rows = Path("b.csv").read_text().partition("\n")
    assert made.startswith('# excerpt made_with {"judgments": ')
    Path("b.csv").write_text(rows)
    assert said in excerpt("compare", "a.json", "b.csv", "-m", "charP").err
    assert said not in excerpt("evaluate", "b.csv").err
    assert said not in excerpt("compare", "a.json", "-m", "charP").err


def test_a_long_warning_of_a_file_is_cut(saved: None, excerpt: Excerpt) -> None:
    """A file of others may contain any text as warning."""
    table = json.loads(Path("a.json").read_text())
    Path("a.json").write_text(json.dumps(table | {"warnings": ["left out " * 1000]}))
    done = excerpt("evaluate", "a.json")
    assert done.status == 0
    assert "left out left out" in done.err
    assert max(map(len, done.err.splitlines())) < 1000
