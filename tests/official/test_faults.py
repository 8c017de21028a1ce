"""Runs that the official tool rejects: examples that were run with it; F1 … F8 name its rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from official_cases import evaluate, figures

from excerpt.official.run import Task


def test_negative_length_rejects(tmp_path: Path) -> None:
    """F1: a negative length rejects the run, with a message of its own form."""
    printed = evaluate(tmp_path, "1 b 0 50 / 1 a 0 -5")
    text = f"1 Q0 a 2 {1 / 2} id 0 -5"
    assert printed.lines == (f"ERROR *** ({tmp_path / 'run'}) negative passage size 2: {text}",)


def test_interleaved_articles(tmp_path: Path) -> None:
    """F3: allowed in -f and -t, rejected in the in-context tasks."""
    results = "1 a 0 50 / 1 b 0 50 / 1 a 60 10"
    assert figures(evaluate(tmp_path, results))["num_ret"] == "2"
    for task in ("r", "b", "i"):
        printed = evaluate(tmp_path, results, task=task)
        assert printed.lines == (
            f"ERROR *** ({tmp_path / 'run'}) article results are interleaved in topic 1\tarticle id: a",
            "\tinterleaved results not allowed in inContext tasks!",
        )


def test_two_results_of_an_article_in_best_in_context(tmp_path: Path) -> None:
    """F3: -b allows one result per article."""
    printed = evaluate(tmp_path, "1 a 0 50 / 1 a 60 10", task="b")
    message = "multiple results from single article in topic 1\tarticle id: a\tin line: 2"
    assert printed.lines == (f"ERROR *** ({tmp_path / 'run'}) {message}",)


@pytest.mark.parametrize("task", ["f", "r", "i"])
def test_overlap_rejects(tmp_path: Path, task: Task) -> None:
    """F4.1: also in articles that are not relevant; touching passages are fine."""
    printed = evaluate(tmp_path, "1 a 0 50 / 1 a 50 10 / 1 b 0 10 / 1 b 9 10", task=task)
    where = "topic 1\tarticle id: b\tin line: 4"
    message = f"ERROR *** ({tmp_path / 'run'}) passage overlaps with previously retrieved passages in {where}"
    assert printed.lines == (message,)


def test_empty_passages(tmp_path: Path) -> None:
    """F4.3: strictly inside another passage an empty one is an overlap, at its edge it is not."""
    assert evaluate(tmp_path, "1 a 0 50 / 1 a 25 0").fault
    assert evaluate(tmp_path, "1 a 25 0 / 1 a 0 50").fault
    assert not evaluate(tmp_path, "1 a 0 50 / 1 a 50 0 / 1 a 0 0 / 1 a 0 0").fault
    found = figures(evaluate(tmp_path, "1 a 0 0"))
    assert (found["num_rel_ret"], found["iP[0.00]"], found["char_prec"]) == ("1", "0.0", "0.0")


@pytest.mark.parametrize("task", ["t", "f"])
@pytest.mark.parametrize("fault", ["1 Q0 a 1 1 x 200 -3", "1 Q0 a 1 1 x 55", "9 Q0 a 1 1 x 0 5 5"])
def test_impossible_recall_is_said_before_a_rejection(tmp_path: Path, task: Task, fault: str) -> None:
    """F3: the lines before the fault were read, and what the tool said of them was printed."""
    lines = evaluate(
        tmp_path,
        f"1 Q0 a 1 1 x 0 40\n{fault}\n1 Q0 a 1 1 x 50 9\n",
        raw=True,
        task=task,
        qrels="1 Q0 a 2 1000 50 0:100\n1 Q0 b 30 500 7 10:30\n",
    ).lines
    assert [line.split()[0] for line in lines] == ["Impossible", lines[1].split()[0]]
    assert lines[0] == "Impossible recall point: 125"
    assert lines[1].lower().startswith("error ***")


@pytest.mark.parametrize(
    ("task", "line", "said"),
    [
        ("r", "1 Q0 a 1 1 x q 5", "article results are interleaved"),
        ("i", "1 Q0 a 1 1 x 20 q", "article results are interleaved"),
        ("b", "1 Q0 b 1 1 x q 5", "multiple results from single article"),
        ("b", "1 Q0 b 1 1 x 20 -5", "multiple results from single article"),
        ("f", "1 Q0 a 1 1 x 5 -3", "passage overlaps"),
        ("t", "1 Q0 a 1 1 x 5 -3", "negative passage size"),
    ],
)
def test_of_two_faults_in_a_line_the_tool_sees_one(tmp_path: Path, task: Task, line: str, said: str) -> None:
    """Interleaving comes before a second result, that before a bad number, overlap before a length."""
    printed = evaluate(tmp_path, f"1 Q0 a 1 1 x 0 10\n1 Q0 b 1 1 x 0 10\n{line}\n", raw=True, task=task)
    assert said in printed.lines[0]
    assert f":3: {printed.lines[0].split()[0]}" in printed.fault
