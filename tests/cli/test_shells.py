"""Scripts of shells, line by line, for a command made up."""

from __future__ import annotations

from excerpt.cli.shells import bash, fish, zsh
from excerpt.cli.words import Command, Option, Value

MADE = [
    Command("two", "has words", (), Value(("one",))),
    Command(
        "two one",
        "does it: now",
        (
            Option(("-m", "--measure"), "what's [measured]; and more", Value(("a", "b")), "NAME"),
            Option(("--in",), "a file (or not)", Value(file=True), "FILE"),
            Option(("-beta",), "a number", Value(), "N"),
            Option(("--dry",), "a switch"),
        ),
        Value(file=True),
    ),
]


def test_bash() -> None:
    """Values by command and option, options by command."""
    text = bash(MADE)
    assert '"two one -m" | "two one --measure")\n            COMPREPLY=($(compgen -W \'a b\'' in text
    assert '"two one --in")\n            return ;;' in text
    assert '"two one -beta")\n            _excerpt_no_files; return ;;' in text
    assert 'words="-m --measure --in -beta --dry"' in text
    assert "    case $command in two)\n" in text


def test_zsh() -> None:
    """Each option with its help, escaped, and what it takes."""
    lines = [line.strip(" \\") for line in zsh(MADE).splitlines()]
    assert "'one:does it'" in lines
    assert r"'*--measure[what'\''s \[measured\]]:NAME:(a b)'" in lines
    assert "'*--in[a file]:FILE:_files'" in lines
    assert "'*-beta[a number]:N: '" in lines
    assert "'*--dry[a switch]'" in lines
    assert "'*:file:_files' ;;" in lines
    assert r"(two\ one)" in lines


def test_fish() -> None:
    """A line for each word, under its condition."""
    lines = fish(MADE).splitlines()
    assert "complete -c excerpt -n '__excerpt_words 1' -a two -d 'has words'" in lines
    assert "complete -c excerpt -n '__excerpt_is two; and __excerpt_words 2' -a one -d 'does it'" in lines
    here = "complete -c excerpt -n '__excerpt_is two one' "
    assert here + r"-s m -l measure -x -a 'a b' -d 'what\'s [measured]'" in lines
    assert here + "-l in -r -F -d 'a file'" in lines
    assert here + "-o beta -x -d 'a number'" in lines
    assert here + "-l dry -d 'a switch'" in lines
    assert here + "-F" in lines
