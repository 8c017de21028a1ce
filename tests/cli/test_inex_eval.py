"""excerpt inex_eval."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Excerpt


def test_runs_one_after_the_other(files: Path, excerpt: Excerpt) -> None:
    """The last task letter wins; a rejected run does not stop the others."""
    done = excerpt("inex_eval", "-t", "-f", "-q", "-c", "qrels", "run")
    assert done.status == 0
    assert done.out.splitlines()[0] == '<eval run-id="mine" file="run">'
    assert "AiP\t\t1\t0.5169481654047755" in done.out
    (files / "bad").write_text("1 Q0 A 1 9 mine 0 50 7\n")
    mixed = excerpt("inex_eval", "-f", "qrels", "bad", "missing", "run")
    assert mixed.status == 2
    assert mixed.out.splitlines()[:3] == [
        "Error *** (bad) too many fields in line 1: 1 Q0 A 1 9 mine 0 50 7",
        "IOException error: missing (No such file or directory)",
        '<eval run-id="mine" file="run">',
    ]
    without = excerpt("inex_eval", "-f", "missing", "run")
    assert without.status == 2
    assert without.out.startswith("IOException error: missing (No such file or directory)\n<eval run-id")
    assert "MAiP\t\tall\tNaN" in without.out
    assert mixed.err.splitlines() == [
        "excerpt: bad:1: Error *** (bad) too many fields in line 1: 1 Q0 A 1 9 mine 0 50 7",
        "excerpt: missing: cannot be read: no such file or directory",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-q", "qrels", "run"), "excerpt: no task given; expected one of -t"),
        (("-f", "qrels"), "excerpt: QRELS and at least one RUN are required"),
        (("-f", "-x", "qrels", "run"), "excerpt: unknown option '-x'"),
        (
            ("-b", "-n", "many", "qrels", "run"),
            "excerpt: found 'many' as value of -n, expected a whole number",
        ),
        (("-b", "-n"), "excerpt: found '' as value of -n, expected a whole number below 2**31"),
        (("-b", "-n", "2147483648", "qrels", "run"), "excerpt: found '2147483648' as value of -n, expected"),
        (("-i", "-irr", "9" * 5000, "qrels", "run"), "excerpt: found '9999"),
        (("-r", "-beta", "NaN", "qrels", "run"), "excerpt: found 'NaN' as value of -beta, expected a number"),
        (("-r", "-beta", "1e400", "qrels", "run"), "excerpt: found '1e400' as value of -beta, expected"),
        (("-f", "nothing", "run"), "excerpt: nothing: cannot be read"),
    ],
)
def test_mistakes(files: Path, excerpt: Excerpt, arguments: tuple[str, ...], message: str) -> None:
    """Wrong options are one line and exit status 2."""
    done = excerpt("inex_eval", *arguments)
    assert done.status == 2
    assert done.err.startswith(message)


def test_long_lines_are_told_in_short(files: Path, excerpt: Excerpt) -> None:
    """The official message quotes the whole line; ours on standard error leaves out its middle."""
    (files / "bad").write_text("1 Q0 " + "a" * 5000 + "\n")
    done = excerpt("inex_eval", "-f", "qrels", "bad")
    assert "a" * 5000 in done.out
    assert len(done.err) < 500


def test_folders_and_lists_of_runs(tmp_path: Path, excerpt: Excerpt) -> None:
    """Folders and lists are replaced by their runs."""
    (tmp_path / "q").write_text("1 Q0 A 10 20 0 0:10\n")
    (tmp_path / "runs").mkdir()
    for name in "ab":
        (tmp_path / "runs" / name).write_text("1 Q0 A 1 1 mine 0 10\n")
    (tmp_path / "list").write_text(f"{tmp_path}/runs/a\n{tmp_path}/runs/b\n")
    one = excerpt("inex_eval", "-f", tmp_path / "q", tmp_path / "runs" / "a", tmp_path / "runs" / "b")
    assert one.out.count("<eval") == 2
    assert excerpt("inex_eval", "-f", tmp_path / "q", tmp_path / "runs") == one
    assert excerpt("inex_eval", "-f", tmp_path / "q", f"@{tmp_path}/list") == one
