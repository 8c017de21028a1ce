"""evaluate --interval, --samples, --seed and --by."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

COMMON = ("evaluate", "qrels", "run", "-m", "charP")


def test_intervals_by_option(files: Path, excerpt: Excerpt) -> None:
    """The plain table has them only if asked; JSON always; samples and seed change them."""
    assert "[" not in excerpt(*COMMON).out
    assert excerpt(*COMMON, "--interval", "0.9").out.splitlines()[2] == "mine  0.3603 [0.2500, 0.4706]"
    asked = (*COMMON, "--format", "json", "--interval", "0.5")
    drawn = (*asked, "--samples", "3", "--seed", "5")
    found = json.loads(excerpt(*drawn).out)
    assert found["interval"] == {"level": 0.5, "samples": 3, "seed": 5}
    assert found["runs"][0]["intervals"] != json.loads(excerpt(*asked).out)["runs"][0]["intervals"]
    assert json.loads(excerpt(*drawn, "--workers", "2").out) == found
    assert json.loads(excerpt(*COMMON, "--format", "json").out)["interval"]["level"] == 0.95


def test_intervals_by_t(files: Path, excerpt: Excerpt) -> None:
    """Student's limits, which need no samples; a group of one topic has none."""
    line = excerpt(*COMMON, "--interval", "0.9", "--interval-method", "t").out.splitlines()[2]
    assert line == "mine  0.3603 [-0.3361, 1.0567]"
    found = json.loads(excerpt(*COMMON, "--format", "json", "--interval-method", "t").out)
    assert found["interval"] == {"level": 0.95, "method": "t"}
    grouped = excerpt(*COMMON, "--by", "document", "--interval", "0.9", "--interval-method", "t").out
    assert grouped.splitlines()[3].split() == ["mine", "D", "1", "0.2500"]
    refused = excerpt(*COMMON, "--interval", "0.9", "--interval-method", "t", "--samples", "5")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("excerpt: --samples and --seed need bootstrap intervals")


def test_by_document(files: Path, excerpt: Excerpt) -> None:
    """Topic 2 has relevant text in one document; topics 1 and 3 have in two and in none."""
    lines = excerpt(*COMMON, "--by", "document", "--format", "csv").out.splitlines()
    assert lines[0] == "run,document,topics,charP"
    assert [line.split(",")[1:3] for line in lines[1:]] == [["-", "2"], ["D", "1"], ["all", "3"]]
    refused = excerpt(*COMMON, "--by", "corpus")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("excerpt: no topic has a corpus in the judgments")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--interval", "1", "argument --interval: found '1', expected a number between 0 and 1"),
        ("--interval", "x", "argument --interval: found 'x', expected a number between 0 and 1"),
        ("--samples", "0", "argument --samples: found '0', expected a whole number of at least 1"),
        ("--seed", "-1", "argument --seed: found '-1', expected a whole number"),
        ("--by", "x", "argument --by: found 'x', expected one of: "),
    ],
)
def test_what_cannot_be_asked(files: Path, excerpt: Excerpt, option: str, value: str, said: str) -> None:
    """One line each, before any work is done."""
    refused = excerpt(*COMMON, option, value)
    assert (refused.status, refused.out) == (2, "")
    assert said in refused.err


def test_too_few_samples(files: Path, excerpt: Excerpt) -> None:
    """One sample has no percentiles; the least number depends on the level."""
    hint = "try --samples 10000\n"
    for shape in (("--interval", "0.95"), ("--format", "json")):
        refused = excerpt(*COMMON, *shape, "--samples", "1")
        said = f"excerpt: found 1 sample, expected at least 39 for an interval at 0.95; {hint}"
        assert (refused.status, refused.out, refused.err) == (2, "", said)
    assert excerpt(*COMMON, "--interval", "0.9", "--samples", "19").status == 0
    curve = excerpt("curve", "qrels", "run", "-m", "charP", "--interval", "0.9", "--samples", "18")
    assert (curve.status, curve.out) == (2, "")
    assert curve.err == f"excerpt: found 18 samples, expected at least 19 for an interval at 0.9; {hint}"


@pytest.mark.parametrize("option", [("--interval-method", "t"), ("--samples", "9"), ("--seed", "2")])
def test_how_intervals_are_made_without_any(files: Path, excerpt: Excerpt, option: tuple[str, str]) -> None:
    """A plain table has no intervals: what would not count is refused."""
    done = excerpt(*COMMON, *option)
    assert (done.status, done.out) == (2, "")
    assert done.err == (f"excerpt: {option[0]} needs --interval LEVEL; try --interval 0.95\n")
