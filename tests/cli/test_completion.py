"""excerpt completion: scripts that real shells run, and the words they offer."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from argparse import SUPPRESS
from pathlib import Path

import pytest

from excerpt.cli import CAMPAIGN, COMMANDS, FURTHER, OFFICIAL, command_of
from excerpt.cli.completion import ValueCompletion, answer, completion, options_of, value_of
from excerpt.errors import UnknownName

from .conftest import Excerpt

#: What is typed, with | for the end of what is complete, and what bash offers, in part.
ASKED = {
    "excerpt ev|": {"evaluate"},
    "excerpt |": {*COMMANDS, "--help", "--version"},
    "excerpt assess |": {
        *(
            "new",
            "serve",
            "people",
            "assign",
            "extend",
            "status",
            "export",
            "agreement",
            "release",
            "adjudicate",
        ),
        *("rebuild", "demo"),
    },
    "excerpt assess new --proc|": {"--procedure"},
    "excerpt gold |": {"new"},
    "excerpt gold new g --dra|": {"--drafts"},
    "excerpt stability p|": {"pool"},
    "excerpt official |": {*OFFICIAL, "inex_eval", "trec_eval"},
    "excerpt official epicqa --task |": {"all", "expert", "consumer"},
    "excerpt official inex_eval -b|": {"-b", "-beta"},
    "excerpt measures gen|": {"genomics"},
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
    "excerpt measures char|": {"charAP", "charF", "charMAP", "charP", "charR"},
    "excerpt formats trec-g|": {"trec-genomics"},
    "excerpt completion |": {"bash", "zsh", "fish"},
    "excerpt show q r 1 --color a|": {"auto", "always"},
}


def run_shell(shell: str, *arguments: str, folder: Path) -> list[str]:
    """Return the lines that a shell prints; `excerpt` is that of this environment."""
    path = shutil.which(shell)
    if path is None:
        pytest.skip(f"this system has no {shell}")
    tools = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    variables = {"PATH": tools, "HOME": str(folder), "TERM": "dumb"}
    done = subprocess.run(
        [path, *arguments], capture_output=True, text=True, check=False, env=variables, cwd=folder
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_words_of_the_table() -> None:
    """Commands, options, choices and names are completed from what was typed."""
    for typed, offered in ASKED.items():
        words = typed.removesuffix("|").split(" ")[1:]
        lines = [line.partition("\t")[0] for line in answer(words) if line != ":"]
        assert set(lines) == offered, typed
        assert len(lines) == len(offered), typed


def test_files_and_help() -> None:
    """A colon stands for files; each command and option has the beginning of its help."""
    assert list(answer(["evaluate", "q"])) == list(answer(["evaluate", "q", "--index", ""])) == [":"]
    assert list(answer(["evaluate", "q", "--limit", ""])) == []
    assert list(answer(["evaluate", "--quie"])) == ["--quiet\tprint errors only"]
    assert list(answer(["nonsense", ""])) == list(answer(["assess", "nonsense", ""])) == []
    assert list(answer([])) == list(answer([""]))
    assert "words" not in "".join(answer(["completion", ""]))


def test_bash(tmp_path: Path) -> None:
    """A real bash reads the script and offers words; names of files are left to bash."""
    (tmp_path / "excerpt.bash").write_text(completion("bash"))
    asked = ["excerpt ev|", "excerpt evaluate q r --overlap = pe|", "excerpt evaluate q|", "excerpt mea|"]
    lines = ["source ./excerpt.bash"]
    for typed in asked:
        words = typed.removesuffix("|").split(" ")
        lines.append(f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _excerpt")
        lines.append('printf "%s " "${COMPREPLY[@]}"; echo')
    lines.append("complete -p excerpt")
    *offered, said = run_shell("bash", "--norc", "-uc", "\n".join(lines), folder=tmp_path)
    assert [line.split() for line in offered] == [["evaluate"], ["penalise"], [], ["measures"]]
    assert said == "complete -o bashdefault -o default -F _excerpt excerpt"


def test_zsh(tmp_path: Path) -> None:
    """A real zsh reads the script; its own functions get the words with their help."""
    (tmp_path / "_excerpt").write_text(completion("zsh"))
    script = """
        compdef() { :; }
        _describe() { print -l -- "$items[@]"; }
        _files() { print files; }
        source ./_excerpt
        words=(excerpt stab) CURRENT=2; _excerpt
        words=(excerpt evaluate q) CURRENT=3; _excerpt
        words=(excerpt evaluate --overlap=p) CURRENT=3; _excerpt
    """
    assert run_shell("zsh", "-fc", script, folder=tmp_path) == [
        f"stability:{COMMANDS['stability']}",
        "files",
        "--overlap=penalise:--overlap=penalise",
    ]


def test_fish(tmp_path: Path) -> None:
    """A real fish reads the script and completes a command line."""
    (tmp_path / "excerpt.fish").write_text(completion("fish"))
    (tmp_path / "qrels.fol").touch()
    script = """
        source ./excerpt.fish
        complete -C 'excerpt stab'
        complete -C 'excerpt evaluate q'
        complete -C 'excerpt evaluate --overlap=p'
    """
    assert run_shell("fish", "--no-config", "-c", script, folder=tmp_path) == [
        f"stability\t{COMMANDS['stability']}",
        "qrels.fol",
        "--overlap=penalise",
    ]


def test_every_option_is_there() -> None:
    """Every option of every parser is completed, and no hidden one."""
    for name in [*COMMANDS, *FURTHER]:
        command = command_of(name)
        actions = command.parser()._actions if command.parser else []
        shown = {word for action in actions if action.help != SUPPRESS for word in action.option_strings}
        offered = {line.partition("\t")[0] for line in answer([*name.split(), "-"])}
        assert shown <= offered or name in {"assess", "gold", "official", "stability"}, name
    assert "--shard" not in {word for option in options_of("index") for word in option.written}


def test_a_shell_that_is_none(excerpt: Excerpt) -> None:
    """One line, and status 2."""
    assert excerpt("completion", "csh").err.startswith(
        "excerpt: argument SHELL: found 'csh', expected one of: "
    )
    with pytest.raises(UnknownName, match="unknown shell 'csh'"):
        completion("csh")


def test_the_command(excerpt: Excerpt, tmp_path: Path) -> None:
    """The script goes to a file or is printed; its questions are answered by the same command."""
    assert excerpt("completion", "fish", "-o", tmp_path / "x.fish").status == 0
    assert (tmp_path / "x.fish").read_text() == completion("fish") == excerpt("completion", "fish").out
    assert excerpt("completion", "words", "assess", "").out.splitlines()[0] == f"new\t{CAMPAIGN['new']}"


def values_of(name: str) -> dict[str, ValueCompletion]:
    """Return the completion of each spelling of a command's options."""
    return {word: value_of(option, name) for option in options_of(name) for word in option.written}


def test_what_options_take() -> None:
    """Values are choices, names, files or nothing."""
    values = values_of("evaluate")
    assert values["--overlap"] == ValueCompletion(("error", "first", "penalise", "allow"))
    assert values["--index"] == values["--save"] == values["--baseline"] == ValueCompletion(file=True)
    assert values["--limit"] == values["--unknown-length"] == values["--id-from"] == ValueCompletion()
    assert values["-m"] == values["--measure"]
    assert {"MAiP", "iP", "recall", "rag"} <= set(values["-m"].words)


def test_commands_that_read_their_options_themselves() -> None:
    """Options are parsed from the usage text."""
    options = {"-t", "-f", "-r", "-b", "-i", "-beta", "--quiet", "--strict", "--help"}
    assert options <= set(values_of("inex_eval"))
    assert list(answer(["inex_eval", "-q", ""])) == list(answer(["trec_eval", ""])) == [":"]
    assert list(answer(["inex_eval", "-beta", ""])) == []


def test_formats_that_are_written_and_measures_of_trec_eval() -> None:
    """--to offers what can be written only; -m of trec_eval offers its measures and sets."""
    written = set(values_of("convert")["--to"].words)
    assert {"fol", "trec"} <= written
    assert not {"citations", "clapnq", "indri"} & written
    assert {"map", "P", "official", "all_trec"} <= set(values_of("trec_eval")["-m"].words)
