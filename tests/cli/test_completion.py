"""excerpt completion: scripts that a real shell takes, and that complete what there is."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from argparse import SUPPRESS
from pathlib import Path

import pytest

import excerpt as package
from excerpt.cli import COMMANDS, command_of
from excerpt.errors import UnknownName

from .conftest import Excerpt

#: What is typed, with | for the end of what is complete, and what bash offers, in part.
ASKED = {
    "excerpt ev|": {"evaluate"},
    "excerpt |": {*COMMANDS, "--help", "--version"},
    "excerpt assess |": {"new", "serve", "people", "status", "export", "agreement", "rebuild", "demo"},
    "excerpt assess new --proc|": {"--procedure"},
    "excerpt stability p|": {"pool"},
    "excerpt stability pool q r --lev|": {"--levels"},
    "excerpt evaluate q r --over|": {"--overlap"},
    "excerpt evaluate q r --overlap |": {"error", "first", "penalise", "allow"},
    "excerpt evaluate q r --overlap = pe|": {"penalise"},
    "excerpt evaluate q r --overlap =|": {"error", "first", "penalise", "allow"},
    "excerpt evaluate q r -m MAi|": {"MAiP"},
    "excerpt evaluate q r --run-format fo|": {"fol"},
    "excerpt evaluate q r --index |": set(),  # a file: bash completes it
    "excerpt evaluate q|": set(),
    "excerpt evaluate q r --limit |": set(),
    "excerpt inex_eval -b|": {"-b", "-beta"},
    "excerpt trec_eval --q|": {"--quiet"},
    "excerpt measures char|": {"charF", "charP", "charR"},
    "excerpt formats trec-g|": {"trec-genomics"},
    "excerpt completion |": {"bash", "zsh", "fish"},
    "excerpt show q r 1 --color a|": {"auto", "always"},
}


def test_bash(tmp_path: Path, excerpt: Excerpt) -> None:
    """A real bash reads the script and offers commands, options, choices and names."""
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("this system has no bash")
    script = tmp_path / "excerpt.bash"
    assert excerpt("completion", "bash", "-o", script).status == 0
    lines = [f"source {shlex.quote(str(script))}"]
    for typed in ASKED:
        words = typed.removesuffix("|").split(" ")
        lines.append(f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _excerpt")
        lines.append('printf "%s " "${COMPREPLY[@]}"; echo')
    lines.append("complete -p excerpt")
    done = subprocess.run(
        [shell, "--norc", "-uc", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    *offered, said = done.stdout.splitlines()
    assert {typed: set(line.split()) for typed, line in zip(ASKED, offered, strict=True)} == ASKED
    assert said == "complete -o bashdefault -o default -F _excerpt excerpt"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_is_there(shell: str) -> None:
    """Whatever a parser takes stands in the script of every shell, and quotes are closed on their line."""
    text = package.completion(shell)
    lines = text.splitlines()
    for name in COMMANDS:
        command = command_of(name)
        actions = command.parser()._actions if command.parser else []
        for action in (action for action in actions if action.help != SUPPRESS):
            for option in (word for word in action.option_strings if word.startswith("--")):
                assert (f"-l {option[2:]} " if shell == "fish" else option) in text, (name, option)
    for line in lines:
        written = line.replace(r"\'", "") if shell == "fish" else line.rstrip("\\")
        assert shlex.split(written, comments=True) is not None
    assert text.endswith("\n")
    assert not any(line != line.rstrip() for line in lines)


def test_a_shell_that_is_none(excerpt: Excerpt) -> None:
    """One line, and status 2."""
    assert excerpt("completion", "csh").err.startswith("excerpt: argument SHELL: invalid choice: 'csh'")
    with pytest.raises(UnknownName, match="unknown shell 'csh'"):
        package.completion("csh")
