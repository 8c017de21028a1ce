"""Notices: counted once per kind, for callers who ask for them; Python's warnings for the others."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import excerpt
from excerpt import ExcerptWarning, Judgments, Notices, Result, Run, Span
from excerpt.model.elements import GradedElement
from excerpt.notices import Gathering

JUDGMENTS = Judgments.of([("1", Span("A", 0, 9)), ("2", Span("A", 0, 9)), ("3", Span("A", 0, 9))])
RUN = Run.of("r", [Result("1", "A", 0, 9)])
SAID = "2 judged topics have no results in a run and score 0 there (first: topic 2 of r)"


def test_callers_without_notices_are_warned() -> None:
    """One warning per kind, as coming from the caller's line, and all of them in the table too."""
    for call in (
        lambda: excerpt.evaluate(JUDGMENTS, RUN),
        lambda: excerpt.curve(JUDGMENTS, RUN, "charP"),
    ):
        with pytest.warns(ExcerptWarning) as caught:
            result = call()
        assert [str(warning.message) for warning in caught] == [SAID] == list(result.warnings)
        assert caught[0].filename == __file__


def test_readers_warn_too(tmp_path: Path) -> None:
    """Reading a doubtful run gives a warning."""
    (tmp_path / "r").write_text("1 Q0 A 1 1.0 r 0 5\n1 Q0 B 2 2.0 r 0 5\n")
    with pytest.warns(ExcerptWarning, match="not sorted by score") as caught:
        excerpt.read_run(tmp_path / "r")
    assert caught[0].filename == __file__


def test_callers_with_notices_are_not() -> None:
    """Warnings go to the given notices, and not to Python's warnings."""
    notices = Notices()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        excerpt.evaluate(JUDGMENTS, RUN, notices=notices)
    assert list(notices) == [SAID]


def test_an_error_is_not_followed_by_warnings() -> None:
    """A call that fails says one thing: what is wrong."""

    def fail() -> None:
        with Gathering(None) as notices:
            notices.add("something")
            raise excerpt.ExcerptError("wrong")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(excerpt.ExcerptError, match="wrong"):
            fail()


def test_cases_of_the_judgments_are_not_summed_over_runs() -> None:
    """A topic without gain is one topic, however many runs are scored; other cases add up."""
    rows = [GradedElement("1", "A", "/a[1]", 3, 3), GradedElement("2", "A", "/a[1]", 1, 1)]
    judgments = Judgments.graded(rows, scale="exhaustivity and specificity")
    results = [Result(topic, "A", 0, 9, path="/a[1]") for topic in "12"]
    runs = [Run.of(name, results, kind="elements") for name in "abc"]
    notices = Notices()
    excerpt.evaluate(judgments, runs, ["inex_eval(quantisation=strict)"], notices=notices)
    said = (
        "1 topic has no element with a gain under inex_eval(quantisation=strict) and is left out of its mean"
    )
    assert list(notices) == [f"{said} (topic 2)"]
    both = Notices()
    for _ in range(2):
        both.extend(notices)
        both.add("line is empty", "lines are empty")
    assert list(both.reworded(str)) == [f"{said} (topic 2)", "2 lines are empty"]


def test_the_command_line_says_it_once(tmp_path: Path) -> None:
    """A command prints each warning in one line, and Python none."""
    (tmp_path / "q").write_text("1 Q0 A 10 100 0 0:10\n2 Q0 A 10 100 0 0:10\n")
    (tmp_path / "r").write_text("1 Q0 A 1 1 r 0 10\n")
    for command in (["evaluate"], ["curve", "-m", "charP"]):
        done = subprocess.run(
            [sys.executable, "-W", "always", "-m", "excerpt", command[0], "q", "r", *command[1:]],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert done.stderr == (
            "excerpt: warning: 1 judged topic has no results in a run and scores 0 there (topic 2 of r)\n"
        )


def test_long_names_are_cut() -> None:
    """A name of any length in a file makes no message of that length."""
    notices = Notices()
    notices.add("topic is not judged", where="run: topic " + "9" * 5000)
    (message,) = notices
    assert message.startswith("topic is not judged (run: topic 999")
    assert len(message) < 500
