"""Options of LaTeX tables on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.latex_checks import tabulars

from .conftest import Excerpt


def test_a_table_for_a_paper(files: Path, excerpt: Excerpt) -> None:
    """Caption and label by option; the ending of the file asks for LaTeX."""
    (files / "other").write_text((files / "run").read_text().replace("mine", "yours"))
    given = ("evaluate", "qrels", "run", "other", "-m", "MAiP", "--caption", "A & B", "--label", "tab:a_b")
    assert excerpt(*given, "--siunitx", "-o", "t.tex").status == 0
    text = (files / "t.tex").read_text()
    assert tabulars(text)[0][0] == ["run", "{MAiP}"]
    assert "\\caption{A \\& B}\n\\label{tab:a_b}\n" in text
    marked = excerpt(
        *given[:6], "--format", "latex", "--baseline", "mine", "--test", "sign", "--alpha", "0.1"
    )
    assert (
        "No run is significantly better or worse than mine (two-sided sign test, 1 comparison" in marked.out
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--caption", "x"), "--caption needs --format latex or -o FILE.tex"),
        (("--siunitx", "--format", "csv"), "--siunitx needs --format latex"),
        (("--baseline", "mine"), "--baseline needs --format latex"),
        (("--no-marks",), "--no-marks needs --format latex"),
        (
            ("--no-marks", "--test", "t", "--format", "latex"),
            "--test and --no-marks cannot be combined",
        ),
        (("--label", "a b", "--format", "latex"), "found 'a b' as label, expected only letters, digits and"),
        (("--baseline", "nobody", "--format", "latex"), "unknown run 'nobody'"),
    ],
)
def test_mistakes(given: tuple[str, ...], message: str, files: Path, excerpt: Excerpt) -> None:
    """One line each, before anything is read where it can be known."""
    done = excerpt("evaluate", "qrels", "run", *given)
    assert done.status == 2
    assert message in done.err
    assert done.err.count("\n") == 1 or "nobody" in message


@pytest.mark.parametrize(
    "command",
    [
        ("formats",),
        ("quantisations",),
        ("pool", "run"),
        ("pool", "run", "--info"),
        ("demo",),
        ("demo", "--path"),
    ],
)
def test_every_command_refuses_what_it_does_not_use(
    command: tuple[str, ...], files: Path, excerpt: Excerpt
) -> None:
    """Also those that print no scores."""
    done = excerpt(*command, "--label", "x")
    assert done.status == 2
    assert "--label needs --format latex" in done.err
