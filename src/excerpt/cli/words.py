"""The words that a command line may hold, from the parsers of all commands: what shells complete."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from excerpt.cli import COMMANDS, FURTHER, command_of

#: Placeholders of what is no file and has no list of values.
_FREE = re.compile(
    r"N|X|T|D|A|I/N|KEY|LEVEL|LENGTH|LIST|NAME|POINTS|REGEX|SCALE|SIZE|TEXT|TOPICS?|DOCUMENT|HOST|"
    r"ADDRESS|COMMAND|EXPERIMENT|.*[,|].*"
)
#: A line of the usage of a command that reads its options itself: `-n N   help`.
_USED = re.compile(r"^ {2}(-\S+)((?: [A-Z]+)?) {2,}(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Value:
    """What an argument takes: some words, a file, or something that nobody can complete."""

    words: tuple[str, ...] = ()
    file: bool = False


@dataclass(frozen=True)
class Option:
    """An option: its names, what it is for, and its value if it takes one."""

    names: tuple[str, ...]
    help: str
    value: Value | None = None
    metavar: str = ""


@dataclass(frozen=True)
class Command:
    """A command of one word or two, its options, and what stands between them."""

    name: str
    help: str
    options: tuple[Option, ...]
    rest: Value


def known_commands() -> list[Command]:
    """Every command; before those of two words stands the first of them, with the second ones."""
    found = []
    for name, help_ in COMMANDS.items():
        within = _within(name)
        if within:
            found.append(Command(name, help_, (_HELP,), Value(tuple(word for word, _ in within))))
            found += [_command(f"{name} {word}", text) for word, text in within]
        else:
            found.append(_command(name, help_))
    return found


_HELP = Option(("-h", "--help"), "show this help message and exit")


def _within(name: str) -> list[tuple[str, str]]:
    """The second words of a command, with their help."""
    return [(two.split()[1], help_) for two, help_ in FURTHER.items() if two.split()[0] == name]


def _command(name: str, help_: str) -> Command:
    command = command_of(name)
    if command.parser:
        return _of_parser(name, help_, command.parser())
    options = [
        Option((option,), text, _used_value(metavar.strip()), metavar.strip())
        for option, metavar, text in _USED.findall(command.help())
    ]
    return Command(name, help_, (_HELP, *options), Value(file=True))


def _used_value(metavar: str) -> Value | None:
    """What an option of trec_eval or inex_eval takes, by its placeholder."""
    if metavar != "MEASURE":
        return Value() if metavar else None
    from excerpt.official.trec.names import MEASURES, SETS

    return Value(tuple(sorted({*MEASURES, *SETS})))


def _of_parser(name: str, help_: str, parser: argparse.ArgumentParser) -> Command:
    """A command by its parser; `measures` alone takes their names between options."""
    shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]  # noqa: SLF001
    options = tuple(_option(action) for action in shown if action.option_strings)
    values = [_value(action) for action in shown if not action.option_strings]
    if name == "measures":
        values = [Value(_measures())]
    words = tuple(dict.fromkeys(word for value in values for word in value.words))
    return Command(name, help_, options, Value(words, any(value.file for value in values)))


def _option(action: argparse.Action) -> Option:
    help_ = (action.help or "") % {"prog": "excerpt"} if "%(" in (action.help or "") else action.help or ""
    value = None if action.nargs == 0 else _value(action)
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest
    return Option(tuple(action.option_strings), help_, value, "" if value is None else metavar)


def _value(action: argparse.Action) -> Value:
    """What an argument takes, by its choices, its name and its placeholder."""
    if action.choices is not None:
        return Value(tuple(map(str, action.choices)))
    names = _named(action)
    if names is not None:
        return Value(names)
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest
    return Value(file=_FREE.fullmatch(metavar) is None)


def _named(action: argparse.Action) -> tuple[str, ...] | None:
    """The names that an argument takes, where they are known."""
    if action.dest in {"measures", "measure"}:
        return _measures()
    return {
        "run_format": _formats("run"),
        "qrels_format": _formats("judgments"),
        "to": _formats("run", "judgments", written=True),
        "from_": _formats("run", "judgments"),
        "name": _formats("run", "judgments"),
    }.get(action.dest)


@cache
def _measures() -> tuple[str, ...]:
    """Names of measures, those of chunkers too, and of sets of them."""
    from excerpt.evaluation.chunkers import DEFINITIONS
    from excerpt.measures import SETS, registry
    from excerpt.measures._names import EVERYDAY

    return tuple(sorted({*registry(), *SETS, *EVERYDAY, *DEFINITIONS}, key=lambda name: (name.lower(), name)))


@cache
def _formats(*kinds: str, written: bool = False) -> tuple[str, ...]:
    """Names of formats that are read, or of those that are written, too."""
    from excerpt.formats import judgments_formats, run_formats

    known: dict[str, Any] = {"run": run_formats, "judgments": judgments_formats}
    found = [format_ for kind in kinds for format_ in known[kind]().values()]
    return tuple(sorted({format_.name for format_ in found if format_.write or not written}))
