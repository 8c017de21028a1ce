"""excerpt gate: exit status, output, mistakes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from excerpt.cli import main

from .conftest import Excerpt


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judgments of 30 topics, a good and a bad run, and saved scores of the good one."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(1)
    Path("gold").write_text("".join(f"{t} Q0 D{t} 100 1000 100 100:100\n" for t in range(30)))
    for name, most in (("good", 10), ("bad", 80)):
        lines = (f"{t} Q0 D{t} 1 1 {name} {100 + draw.randint(0, most)} 100\n" for t in range(30))
        Path(name).write_text("".join(lines))
    saving = ("--save", "base.json", "-o", "base.txt")
    assert main(["evaluate", "gold", "good", "-m", "charR@5", "-m", "charP", *saving]) == 0


def test_exit_status_says_the_verdict(runs: None, excerpt: Excerpt) -> None:
    """0 not worse, 1 worse, 2 a mistake."""
    worse = excerpt("gate", "good", "bad", "--qrels", "gold", "-m", "charR@5")
    assert (worse.status, worse.err) == (1, "")
    assert "bad is worse by charR@5 than good" in worse.out
    better = excerpt("gate", "bad", "good", "--qrels", "gold", "-m", "charR@5")
    assert (better.status, better.err) == (0, "")
    assert "good is not worse than bad" in better.out
    assert excerpt("gate", "good", "bad", "--qrels", "gold", "-m", "charR", "--max-drop", "0.9").status == 0
    assert excerpt("gate", "good", "good", "--qrels", "gold", "-m", "charR", "--max-drop", "0").status == 0


def test_saved_scores_on_either_side(runs: None, excerpt: Excerpt) -> None:
    """Saved scores need no judgments; printed scores of all topics serve as well; any measure may fail."""
    excerpt("evaluate", "gold", "bad", "-m", "charR[5]", "--format", "json", "--per-topic", "-o", "bad.json")
    saved = excerpt("gate", "base.json", "bad.json", "--format", "json")
    assert saved.status == 1
    assert [row["measure"] for row in json.loads(saved.out)["measures"]] == ["charR@5"]
    mixed = excerpt("gate", "base.json", "bad", "--qrels", "gold", "--format", "json")
    assert [row["verdict"] for row in json.loads(mixed.out)["measures"]] == ["worse", "worse"]
    marked = excerpt("gate", "base.json", "bad", "--qrels", "gold", "-m", "charR@5", "--format", "markdown")
    assert marked.out.startswith("**failed: bad is worse by charR@5 than good")
    file = excerpt("gate", "base.json", "bad.json", "-o", "comment.md")
    assert (file.status, file.out) == (1, "")
    assert Path("comment.md").read_text().startswith("**failed: bad is worse")


def test_options(runs: None, excerpt: Excerpt) -> None:
    """Test, seed and samples are used and printed."""
    asked = ("--test", "permutation", "--samples", "99", "--seed", "3", "--alpha", "0.2", "--questions", "0")
    found = json.loads(excerpt("gate", "base.json", "bad", "--qrels", "gold", *asked, "--format", "json").out)
    told = [found[name] for name in ("test", "samples", "seed", "alpha", "max_drop")]
    assert told == ["permutation", 99, 3, 0.2, 0.01]
    assert found["measures"][0]["p"] == 0.01
    assert (found["lost"], found["won"]) == ([], [])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["base.json", "bad"], "scoring a run needs judgments; give --qrels"),
        (["base.json", "none", "--qrels", "gold"], "none: "),
        (["none.json", "bad", "--qrels", "gold"], "none.json: cannot be read: no such file"),
        (["base.json", "bad", "--qrels", "gold", "-m", "charQ"], "unknown measure 'charQ'"),
        (["base.json", "bad", "--qrels", "gold", "-m", "charR@6"], "base.json: unknown measure 'charR@6'"),
        (["base.json", "base.json", "--baseline", "x"], "base.json: unknown run 'x'"),
        (["base.json", "base.json", "--max-drop", "-1"], "argument --max-drop: found '-1'"),
        (["base.json", "base.json", "--max-drop", "nan"], "argument --max-drop: found 'nan'"),
        (["base.json", "base.json", "--alpha", "2"], "argument --alpha: found '2'"),
        (["base.json", "base.json", "-o", "base.json"], "base.json: is an input"),
        (
            ["means.json", "base.json"],
            "means.json: found only means, expected a table with the scores of every topic",
        ),
        (["base.json", "bad", "--qrels", "gold", "--limit", "1"], "another limit (1500 and 1)"),
        (["base.json", "base.json", "--min", "charR"], "found 'charR' as min, expected MEASURE=NUMBER"),
        (["base.json", "base.json", "--min", "hit=0.5"], "unknown measure 'hit'"),
        (["base.json", "bad", "--qrels", "gold", "--min", "charQ=0.5"], "unknown measure 'charQ'"),
        (["base.json", "base.json", "--must", "must.txt"], "unknown topic 'must.txt'"),
        (["base.json", "base.json", "--tie", "x"], "argument --tie: found 'x'"),
        (["base.json", "base.json", "--must", "gold", "-o", "gold"], "gold: is an input"),
        (["base.json"], "the following arguments are required: RUN"),
    ],
)
def test_mistakes(runs: None, excerpt: Excerpt, arguments: list[str], said: str) -> None:
    """Each is status 2 and one line, and never a verdict."""
    Path("less").write_text("".join(Path("gold").read_text().splitlines(keepends=True)[:29]))
    excerpt("evaluate", "gold", "good", "-m", "charR@5", "--format", "json", "-o", "means.json")
    done = excerpt("gate", *arguments)
    assert (done.status, done.out) == (2, "")
    assert said in done.err
    assert done.err.count("\n") == 1


def test_changed_judgments(runs: None, excerpt: Excerpt) -> None:
    """Topics that did not change are compared, and what is worse on them has failed; others are a doubt."""
    Path("new").write_text(
        Path("gold").read_text().replace("D7 100 1000 100 100:100", "D7 90 1000 100 100:90")
    )
    asked = ("--qrels", "new", "-m", "charR@5")
    unsure = excerpt("gate", "base.json", "good", *asked, "--format", "json")
    told = json.loads(unsure.out)
    assert (unsure.status, told["verdict"]) == (2, "cannot tell")
    assert told["reasons"] == [
        "the judgments of 1 of 30 questions are changed since the baseline was saved (7)"
    ]
    assert told["topics"] == {"compared": 29, "new": [], "gone": [], "changed": ["7"]}
    assert told["measures"][0]["topics"] == 29
    for more, status in (
        (("--if-unsure", "pass"), 0),
        (("--if-unsure", "fail"), 1),
        (("--max-missing", "0.04"), 0),
        (("--max-missing", "0.03"), 2),
    ):
        assert excerpt("gate", "base.json", "good", *asked, *more).status == status
    assert excerpt("gate", "base.json", "bad", *asked).status == 1
    done = excerpt("gate", "base.json", "bad", *asked, "--changed-judgments", "allow", "--format", "json")
    assert (done.status, json.loads(done.out)["measures"][0]["topics"]) == (1, 29)
    assert "1 topic has other judgments and is left out; 29 topics did not change (topic 7)" in done.err
    assert (excerpt("gate", "good", "bad", *asked).status, done.err.count("\n")) == (1, 1)


def test_minimums_and_questions_that_must_not_fall(runs: None, excerpt: Excerpt) -> None:
    """Each is a reason for status 1, without a test as well."""
    Path("must.txt").write_text("3\n4\n")
    same = ("gate", "base.json", "base.json")
    assert excerpt(*same, "--min", "charR@5=0.5", "--min", "charP=0.5", "--must", "must.txt").status == 0
    low = excerpt(*same, "--min", "charR@5=0.5", "--min", "charP=0.999", "--format", "markdown")
    assert (low.status, low.err) == (1, "")
    assert "charP is below its minimum of 0.999" in low.out
    assert "| measure | before | after | minimum | difference |" in low.out
    asked = ("gate", "base.json", "bad", "--qrels", "gold", "-m", "charR@5", "--max-drop", "0.9")
    large = excerpt(*asked)
    assert large.status == 0
    assert "warning: a drop of 0.9 is allowed, which is more than half of all scores" in large.out
    fell = excerpt(*asked, "--must", "must.txt", "--test", "none", "--tie", "0.5", "--format", "json")
    told = json.loads(fell.out)
    assert (fell.status, told["verdict"], told["measures"][0]["verdict"]) == (1, "failed", "not worse")
    assert [change["topic"] for change in told["fell"]] == ["4"]
    assert (told["tie"], told["test"], told["must"]) == (0.5, "none", ["3", "4"])


def test_topics_that_a_run_lost(runs: None, excerpt: Excerpt) -> None:
    """Half of the topics missing is no pass; saved scores know which topics each run had."""
    lines = Path("good").read_text().splitlines(keepends=True)
    Path("half").write_text("".join(lines[: len(lines) // 2]))
    excerpt("evaluate", "gold", "half", "-m", "charR@5", "--save", "half.json")
    excerpt("evaluate", "gold", "half", "-m", "charR@5", "--save", "half.csv")
    for baseline in ("half", "half.json", "half.csv"):
        done = excerpt("gate", baseline, "good", "--qrels", "gold", "-m", "charR@5", "--format", "json")
        told = json.loads(done.out)
        assert (done.status, told["verdict"], told["status"]) == (2, "cannot tell", 2)
        assert "15 of 30 questions with relevant text are missing in good (" in told["reasons"][0]
    allowed = ("--max-missing", "0.5")
    assert excerpt("gate", "half", "good", "--qrels", "gold", "-m", "charR@5", *allowed).status == 0
    assert excerpt("gate", "good", "half", "--qrels", "gold", "-m", "charR@5").status == 1


def test_a_drop_that_nobody_could_see(runs: None, excerpt: Excerpt) -> None:
    """Only if the drop was given, and neither minimums nor protected questions guard the run."""
    asked = ("gate", "bad", "good", "--qrels", "gold", "-m", "charR@5")
    assert excerpt(*asked).status == 0
    done = excerpt(*asked, "--max-drop", "0.001")
    assert done.status == 2
    assert "cannot tell: good is not worse than bad" in done.out
    assert "more than three times the drop of 0.001 that --max-drop allows" in " ".join(done.out.split())
    for more in (("--min", "charR@5=0.1"), ("--must", "4"), ("--test", "none")):
        assert excerpt(*asked, "--max-drop", "0.001", *more).status == 0


def test_markdown_says_why_there_is_no_verdict(runs: None, excerpt: Excerpt) -> None:
    """One paragraph with the error; an input is never written."""
    for arguments in (["base.json", "none", "--qrels", "gold"], ["base.json", "bad", "--max-drop", "5"]):
        Path("gate.md").unlink(missing_ok=True)
        done = excerpt("gate", *arguments, "-o", "gate.md")
        assert (done.status, done.out) == (2, "")
        (paragraph,) = Path("gate.md").read_text().splitlines()
        assert paragraph.startswith("**No verdict.** ")
    Path("gold.md").write_bytes(Path("gold").read_bytes())
    assert excerpt("gate", "good", "bad", "--qrels", "gold.md", "-o", "gold.md").status == 2
    assert Path("gold.md").read_bytes() == Path("gold").read_bytes()


def test_settings_of_a_file_are_part_of_the_answer(
    runs: None, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In text and JSON, also if nothing is said on standard error."""
    monkeypatch.delenv("EXCERPT_CONFIG")
    Path("excerpt.toml").write_text("[policy]\nlimit = 5\n")
    asked = ("gate", "good", "good", "--qrels", "gold", "-m", "charR@5", "--quiet")
    assert json.loads(excerpt(*asked, "--format", "json").out)["settings"] == {
        "limit": {"value": "5", "from": "excerpt.toml:2"}
    }
    assert "settings: limit 5 (excerpt.toml:2)" in excerpt(*asked).out
