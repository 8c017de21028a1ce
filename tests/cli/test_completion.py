"""excerpt completion: scripts that a real shell takes, and that complete what there is."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from argparse import SUPPRESS
from pathlib import Path

import pytest

import excerpt as package
from excerpt.cli import CAMPAIGN, COMMANDS, command_of
from excerpt.cli.completion import Command, Value, bash, fish, known_commands, zsh
from excerpt.errors import UnknownName
from excerpt.options import FLAG, Option, choice

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
    """Every option of a parser is in the script of every shell, and quotes are closed on their line."""
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
    assert excerpt("completion", "csh").err.startswith(
        "excerpt: argument SHELL: found 'csh', expected one of: "
    )
    with pytest.raises(UnknownName, match="unknown shell 'csh'"):
        package.completion("csh")


FOUND = {command.name: command for command in known_commands()}


def values_of(name: str) -> dict[str, Value | None]:
    """Return the completion of each spelling of a command's options."""
    return {word: value for option, value in FOUND[name].values() for word in option.written}


def test_all_commands_are_there() -> None:
    """Those of two words come with the first of them."""
    assert set(COMMANDS) <= set(FOUND)
    assert {f"assess {word}" for word in CAMPAIGN} <= set(FOUND)
    assert {"pool", "topics", "errors", "all"} <= set(FOUND["stability"].rest.words)
    assert FOUND["assess"].rest == Value(tuple(CAMPAIGN))


def test_what_options_take() -> None:
    """Values are choices, names, files or nothing; flags have no value."""
    values = values_of("evaluate")
    assert values["--overlap"] == Value(("error", "first", "penalise", "allow"))
    assert values["--index"] == values["--save"] == values["--baseline"] == Value(file=True)
    assert values["--limit"] == values["--unknown-length"] == values["--id-from"] == Value()
    assert values["--per-topic"] is None
    assert values["-m"] == values["--measure"]
    assert values["-m"] is not None
    assert {"MAiP", "iP", "recall", "rag"} <= set(values["-m"].words)


def test_commands_that_read_their_options_themselves() -> None:
    """Options are parsed from the usage text."""
    values = values_of("inex_eval")
    assert values["-beta"] == Value()
    assert values["-q"] is None
    assert {"-t", "-f", "-r", "-b", "-i", "--quiet", "--strict", "--help"} <= set(values)
    assert FOUND["trec_eval"].rest.file
    assert "--shard" not in values_of("index")  # hidden


def test_formats_that_are_written_and_measures_of_trec_eval() -> None:
    """--to offers what can be written only; -m of trec_eval offers its measures and sets."""
    written = values_of("convert")["--to"]
    assert written is not None
    assert {"fol", "trec"} <= set(written.words)
    assert not {"citations", "clapnq", "indri"} & set(written.words)
    asked = values_of("trec_eval")["-m"]
    assert asked is not None
    assert {"map", "P", "official", "all_trec"} <= set(asked.words)


MADE = [
    Command("two", "has words", (), Value(("one",))),
    Command(
        "two one",
        "does it: now",
        (
            Option(
                "kind", "what's [measured]; and more", ("-m", "--measure"), choice("a", "b"), metavar="NAME"
            ),
            Option("in", "a file (or not)", metavar="FILE", role="reads"),
            Option("beta", "a number", ("-beta",), metavar="N"),
            Option("dry", "a switch", kind=FLAG),
        ),
        Value(file=True),
    ),
]


def test_script_of_bash() -> None:
    """Values by command and option, options by command."""
    text = bash(MADE)
    assert '"two one -m" | "two one --measure")\n            COMPREPLY=($(compgen -W \'a b\'' in text
    assert '"two one --in")\n            return ;;' in text
    assert '"two one -beta")\n            _excerpt_no_files; return ;;' in text
    assert 'words="-m --measure --in -beta --dry"' in text
    assert "    case $command in two)\n" in text


def test_script_of_zsh() -> None:
    """Each option with its help, escaped, and what it takes."""
    lines = [line.strip(" \\") for line in zsh(MADE).splitlines()]
    assert "'one:does it'" in lines
    assert r"'*--measure[what'\''s \[measured\]]:NAME:(a b)'" in lines
    assert "'*--in[a file]:FILE:_files'" in lines
    assert "'*-beta[a number]:N: '" in lines
    assert "'*--dry[a switch]'" in lines
    assert "'*:file:_files' ;;" in lines
    assert r"(two\ one)" in lines


def test_script_of_fish() -> None:
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
