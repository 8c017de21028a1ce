"""Help in two tiers: the first pages, all options, and options that leave a command."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.cli import COMMANDS, FIRST_COMMANDS, FURTHER, GROUPS, command_of, main
from excerpt.cli.help import MOST, first_options
from excerpt.cli.parser import MESSAGES, Parser
from excerpt.options import TABLE

from .conftest import Excerpt

#: Every command with a table of options.
PARSERS: dict[str, Parser] = {
    name: command.parser()
    for name in (*COMMANDS, *FURTHER)
    if (command := command_of(name)).parser is not None
}
PAGES = {name: parser for name, parser in PARSERS.items() if not parser.is_list}
#: Commands that 0.3.0 did not have.
NEW = {
    *("align", "judges", "render", "try", "gold", "gold new"),
    *("assess adjudicate", "stability effort", "stability sampled"),
    *(name for name in COMMANDS.keys() | FURTHER.keys() if name.startswith("official")),
}


def helped(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a command prints that asks for help, and ends at once."""
    with pytest.raises(SystemExit, match="0"):
        main([*words])
    return capsys.readouterr().out


def slots(name: str) -> int:
    """Options that `--help all` of a command lists: its own, help and messages."""
    return len([option for option in PARSERS[name].shown if option.written]) + len(MESSAGES) + 1


def test_every_command_is_in_a_group() -> None:
    """The groups have each command once, and the first page twelve of them."""
    listed = [name for names in GROUPS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    assert len(FIRST_COMMANDS) == MOST
    assert set(listed) >= FIRST_COMMANDS


def test_the_first_page_has_twelve_commands(excerpt: Excerpt) -> None:
    """`excerpt` and `excerpt --help` are the same; `--help all` has every command."""
    page, everything = excerpt("--help").out, excerpt("--help", "all").out
    assert excerpt().out == page
    found = {name for name in COMMANDS if re.search(rf"^  {name} ", page, re.MULTILINE)}
    assert found == FIRST_COMMANDS
    assert all(f"{group}:" in page for group in GROUPS)
    assert all(re.search(rf"^  {name} ", everything, re.MULTILINE) for name in COMMANDS)
    assert len(page.splitlines()) < 40


@pytest.mark.parametrize("name", PAGES)
def test_first_pages_are_short(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """At most twelve options, thirty lines of eighty columns, and no text that is cut."""
    parser = PAGES[name]
    page = helped(capsys, *name.split(), "--help")
    assert page == helped(capsys, *name.split(), "-h") == parser.first_page()
    lines = page.splitlines()
    assert len(lines) <= 30
    assert [line for line in lines if len(line) > 80] == []
    assert lines[0].startswith(f"usage: excerpt {name} [options]")
    assert [line for line in lines[1:] if line.endswith("…")] == []
    assert len(first_options(name, (*parser.shown, *MESSAGES))) <= MOST
    assert sum(line.startswith("  -") for line in lines) <= MOST


@pytest.mark.parametrize("name", PAGES)
def test_all_options_are_listed(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help all` has every option by group, except those that leave the command."""
    page = helped(capsys, *name.split(), "--help", "all")
    assert page == helped(capsys, *name.split(), "anything", "-h", "all")
    parser = PARSERS[name]
    for option in parser.options:
        for flag in option.written if option.help != "==SUPPRESS==" else ():
            listed = re.search(rf"^  (?:-.*, )?{re.escape(flag)}[ ,\n]", page, re.MULTILINE)
            assert bool(listed) == (option.name not in parser.leaving), flag


def test_help_all_of_stability_is_that_of_the_experiment(capsys: pytest.CaptureFixture[str]) -> None:
    """`stability all` is an experiment, whose help is its own."""
    assert helped(capsys, "stability", "all", "--help").startswith("usage: excerpt stability all [options]")


def test_few_options_are_shown() -> None:
    """Options that all commands of 0.3.0 list together, and those of `evaluate`."""
    assert sum(slots(name) for name in PARSERS if name not in NEW) <= 800
    assert slots("evaluate") <= 35


def test_render_has_what_leaves_other_commands() -> None:
    """Every option that `render` replaces is one of `render`; the others are settings or variables."""
    shown = {option.name for option in PARSERS["render"].shown}
    for parser in PARSERS.values():
        for name, instead in parser.leaving.items():
            if "excerpt render" in instead:
                assert name in shown, name
            else:
                assert name == "max-size" or TABLE[name].setting is not None, name


def test_options_that_leave_are_taken_with_a_note(excerpt: Excerpt, files: Path) -> None:
    """They do what they did; one line for each replacement; --quiet has none."""
    given = ("evaluate", "qrels", "run", "-m", "charP", "--digits", "2", "--context", "article")
    done = excerpt(*given)
    assert done.status == 0
    assert "excerpt evaluate takes --digits in this version only; instead: excerpt render, or" in done.err
    assert "[read] context in excerpt.toml, or EXCERPT_CONTEXT" in done.err
    assert done.out != excerpt(*given[:5]).out
    assert excerpt(*given, "--quiet").err == ""


#: Commands whose examples need files of other tools or of other people, or that serve until Ctrl-C.
OWN_FILES = {
    "try",
    "place",
    "chunks",
    "funnel",
    "citations",
    "judges",
    "official",
    "assess extend",
    "assess release",
}
SERVERS = {"explore", "assess serve", "assess demo", "gold new"}
#: Prepares what the examples build on each other in the order of the table.
ORDER = ("evaluate", "agreement", "convert", "pool", "assess new", "assess people")


def test_examples_run_as_they_stand(tmp_path: Path, excerpt: Excerpt) -> None:
    """In a copy of the demo's folder, one after the other."""
    folder = tmp_path / "demo"
    shutil.copytree(excerpt("demo", "--path").out.strip(), folder)
    program = tmp_path / "bin" / "excerpt"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m excerpt "$@"\n')
    program.chmod(0o755)
    rest = [name for name in PAGES if name not in ORDER]
    tried = 0
    for name in (*ORDER, *rest):
        if name in SERVERS or name in OWN_FILES or name.split()[0] in OWN_FILES:
            continue
        example = str(PARSERS[name].epilog).partition("\n")[2].strip()
        example += " --record agreement.json" if name == "agreement" else ""
        done = subprocess.run(
            ["bash", "-c", example],
            cwd=folder,
            env={"PATH": f"{program.parent}:/usr/bin:/bin", "HOME": str(tmp_path), "EXCERPT_CONFIG": "none"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, f"{example}\n{done.stderr}"
        tried += 1
    assert tried > 25
