"""Commands on the pages, run or not: every command, option and choice that they name exists."""

from __future__ import annotations

import argparse
import importlib
import re
import shlex
from pathlib import Path

import pytest

import excerpt
from excerpt.cli import COMMANDS, FURTHER, command_of
from excerpt.experiments.table import EXPERIMENTS
from excerpt.options import taken_by

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [ROOT / "README.md"] + [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(excerpt [^`\n]+)`")
#: A file, and groups of entry points, which look like names of Python.
NO_PYTHON = {"excerpt.toml", "excerpt.quantisations", "excerpt.Highlight", "excerpt.Judgment"}
#: Commands that read their own options, as the tools whose names they bear.
OFFICIAL = {"inex_eval", "trec_eval"}


def shown(page: Path) -> list[str]:
    """Every command line of a page: in blocks of a shell, and in the text."""
    text = page.read_text(encoding="utf-8")
    lines = []
    for language, body in BLOCK.findall(text):
        if language in {"sh", "console", "yaml"}:
            joined = re.sub(r"\\\n\s*", " ", body)
            lines += re.findall(
                r"(?:^|\$ |\| |&& |; |\(|= |- run: )(?:[A-Z_]+=\S+ )*(excerpt [^|&;\n)]*)",
                joined,
                re.MULTILINE,
            )
    return lines + INLINE.findall(BLOCK.sub("", text))


def words_of(line: str) -> list[str]:
    """The words of a command, without a comment and what is left out."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # a quote that is closed in the next line
        words = line.split()
    return [word for word in words[1:] if word not in {"…", "..."}]


def options_of(name: str) -> dict[str, argparse.Action]:
    """The options of a command by their spelling."""
    made = command_of(name).parser
    return dict(made()._option_string_actions) if made else {}


def leaving(line: str) -> list[str]:
    """Options of a shown command that it takes in this version only."""
    words = words_of(line)
    name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in {*COMMANDS, *FURTHER}), "")
    made = command_of(name).parser if name and name not in OFFICIAL else None
    given = {word.partition("=")[0] for word in words}
    return [
        f"{name} {spelling}"
        for option in (made().options if made else ())
        if taken_by(name, option)
        for spelling in option.written
        if spelling in given
    ]


def mistake(words: list[str]) -> str:
    """Error in a command that a page shows; empty if it is right."""
    if words == ["--version"]:
        return ""
    two = " ".join(words[:2])
    name = two if two in FURTHER else words[0]
    if name not in {*COMMANDS, *FURTHER}:
        return f"no command {name}"
    if words[0] in OFFICIAL or name in {"stability", "assess"}:
        return ""
    known = options_of(name)
    for number, word in enumerate(words):
        option, _, value = word.partition("=")
        if not re.fullmatch(r"--[a-z][a-z0-9-]*", option):
            continue
        if option not in known:
            return f"no option {option} of {name}"
        following = value or next(iter(words[number + 1 :]), "")
        choices = known[option].choices
        if choices and following.isalpha() and following.islower() and following not in choices:
            return f"{option} has no choice {following}"
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_that_are_shown_exist(page: Path) -> None:
    """Command, options and choices of every shown command are known, whether it is run or not."""
    if page.name in {"commands.md", "api.md"}:
        return
    assert [f"{line}: {found}" for line in shown(page) if (found := mistake(words_of(line)))] == []


def test_only_the_page_on_upgrading_shows_options_that_leave() -> None:
    """Pages show options where they stay: a reader who copies a command is not told to write another one."""
    found = {page.name: [each for line in shown(page) for each in leaving(line)] for page in PAGES}
    assert {name: listed for name, listed in found.items() if listed} == {
        "upgrading.md": ["evaluate --caption"]
    }


def resolves(name: str) -> bool:
    """Return whether a dotted name leads to an object, through attributes or modules."""
    found: object = importlib.import_module("excerpt")
    path = "excerpt"
    for part in name.split(".")[1:]:
        path += f".{part}"
        try:
            found = getattr(found, part) if hasattr(found, part) else importlib.import_module(path)
        except ImportError:
            return False
    return True


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_that_is_named_exists(page: Path) -> None:
    """Names in the text, and in tables, are those of the package."""
    text = " ".join(re.findall(r"`[^`\n]+`", BLOCK.sub("", page.read_text(encoding="utf-8"))))
    names = {*re.findall(r"\bexcerpt\.\w+(?:\.\w+)*", text)} - NO_PYTHON
    assert [name for name in sorted(names) if not resolves(name)] == []


def test_names_that_do_not_exist_would_be_found() -> None:
    """The check itself can fail."""
    assert resolves("excerpt.Corpus.read")
    assert not resolves("excerpt.evalute")


def test_the_library_page_has_every_command() -> None:
    """The table of commands and functions lacks none that has both; an experiment may have no function."""
    rows = (ROOT / "docs" / "library.md").read_text(encoding="utf-8").splitlines()
    table = "\n".join(row for row in rows if row.startswith("| `"))
    missing = {name for name in COMMANDS if not re.search(rf"\b{name}\b", table)}
    assert missing - (EXPERIMENTS.keys() - {*excerpt.__all__}) == {
        "assess",
        "completion",
        "config",
        "demo",
        "gold",
    }


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("excerpt evaluate QRELS RUN… -m MAiP --per-topic", ""),
        ("excerpt evaluate QRELS RUN --overlap fist", "--overlap has no choice fist"),
        ("excerpt evaluat QRELS", "no command evaluat"),
        ("excerpt stability topics q r --levels=80 # why", ""),
        ("excerpt assess new f --procedur evidence", "no option --procedur of assess new"),
    ],
)
def test_mistakes_would_be_found(line: str, found: str) -> None:
    """The check itself can fail."""
    assert mistake(words_of(line)) == found


def test_pages_show_many_commands() -> None:
    """The check sees what it is there for."""
    assert sum(len(shown(page)) for page in PAGES) > 150
