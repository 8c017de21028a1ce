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
    assert marked.out.startswith("**bad is worse by charR@5 than good")
    file = excerpt("gate", "base.json", "bad.json", "-o", "comment.md")
    assert (file.status, file.out) == (1, "")
    assert Path("comment.md").read_text().startswith("**bad is worse")


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
        (["good", "bad", "--qrels", "gold"], "no measure given"),
        (["base.json", "none", "--qrels", "gold"], "none: "),
        (["none.json", "bad", "--qrels", "gold"], "none.json: cannot be read: no such file"),
        (["base.json", "bad", "--qrels", "gold", "-m", "charQ"], "unknown measure 'charQ'"),
        (["base.json", "bad", "--qrels", "gold", "-m", "charR@6"], "unknown measure 'charR@6'"),
        (
            ["base.json", "bad", "--qrels", "less"],
            "1 of 30 questions are gone since the baseline was saved (29); save the baseline again",
        ),
        (["base.json", "base.json", "--baseline-name", "x"], "unknown run 'x'"),
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
    """Topics that did not change are compared; two runs are both scored with the new judgments."""
    Path("new").write_text(
        Path("gold").read_text().replace("D7 100 1000 100 100:100", "D7 90 1000 100 100:90")
    )
    asked = ("--qrels", "new", "-m", "charR@5")
    assert excerpt("gate", "base.json", "bad", *asked).status == 2
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
    assert excerpt(*asked).status == 0
    fell = excerpt(*asked, "--must", "must.txt", "--test", "none", "--tie", "0.5", "--format", "json")
    told = json.loads(fell.out)
    assert (fell.status, told["verdict"], told["measures"][0]["verdict"]) == (1, "worse", "not worse")
    assert [change["topic"] for change in told["fell"]] == ["4"]
    assert (told["tie"], told["test"], told["must"]) == (0.5, "none", ["3", "4"])
