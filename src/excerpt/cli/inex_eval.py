"""excerpt inex_eval: options and output lines of the official tool inex_eval 3.1."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.cli import COMMANDS, REGISTERED, Command
from excerpt.cli.console import print_message, show_warnings, without_verbosity
from excerpt.errors import ExcerptError, short, shorten
from excerpt.files import STDIN, expand
from excerpt.options import as_option

if TYPE_CHECKING:
    from excerpt.official import InexEvalOptions

_USAGE = """usage: excerpt inex_eval (-t|-f|-r|-b|-i) [-q] [-c] [-n N] [-beta B] [-irr I]
                         QRELS RUN...

{help}.
RUN is a run file, a folder of run files, or @LIST for a file that lists them.

  -t         thorough task: overlap is allowed, and text counts once
  -f         focused task
  -r         relevant-in-context task
  -b         best-in-context task
  -i         relevant in context with tolerance to irrelevance (T2I)
  -q         also print every topic
  -c         mean over all topics of the qrels, not only those of the run
  -n N       with -b: distance, in characters, that scores 0 (default: 500)
  -beta B    with -r: weight of recall in the F-measure (default: 0.25)
  -irr I     with -i: non-relevant characters that end reading (default: 300)
  --quiet    print errors only: no warnings
  --strict   treat warnings as errors (exit status 3)

example:
  excerpt inex_eval -f -q qrels.fol run.fol
"""
_WHOLE = r"[+-]?\d{1,400}"
_DECIMAL = r"(?a) *[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)? *"
_NUMBERS: dict[str, tuple[str, str, Callable[[str], Any], float, str]] = {
    "-n": ("n", _WHOLE, int, 1 << 31, "a whole number below 2**31"),
    "-beta": ("beta", _DECIMAL, float, math.inf, "a number such as 0.25"),
    "-irr": ("irrelevant", _WHOLE, int, 1 << 31, "a whole number below 2**31"),
}


class _Misused(ExcerptError):
    """Usage error, for which the tool prints its usage."""


def usage() -> str:
    """Return the text that --help prints."""
    return _USAGE.format(help=COMMANDS["inex_eval"][0].upper() + COMMANDS["inex_eval"][1:])


def _options(given: Sequence[str]) -> tuple[InexEvalOptions, list[str]]:
    from excerpt.official import InexEvalOptions

    rest = list(given)
    settings: dict[str, Any] = {}
    while rest and rest[0].startswith("-") and rest[0] != "-":
        option = rest.pop(0)
        if option in {"-t", "-f", "-r", "-b", "-i"}:
            settings["task"] = option[1]
        elif option in {"-q", "-c"}:
            settings[{"-q": "per_topic", "-c": "complete"}[option]] = True
        elif option in _NUMBERS:
            settings[_NUMBERS[option][0]] = _number(option, rest)
        else:
            raise _Misused(f"unknown option {option!r}", hint="try excerpt inex_eval --help")
    if "task" not in settings:
        raise _Misused("no task given; expected one of -t -f -r -b -i", hint="try excerpt inex_eval --help")
    if len(rest) < 2:
        raise _Misused("QRELS and at least one RUN are required", hint="try excerpt inex_eval --help")
    return InexEvalOptions(**settings), rest


def _number(option: str, rest: list[str]) -> Any:
    text = rest.pop(0) if rest else ""
    _, pattern, convert, limit, expected = _NUMBERS[option]
    value = convert(text) if re.fullmatch(pattern, text) else limit
    if not -limit <= value < limit:
        raise ExcerptError(f"found {short(text)!r} as value of {option}, expected {expected}")
    return value


def _is_missing(path: str) -> bool:
    """Return whether a file is missing; if so, print the tool's message and ours."""
    if path == STDIN or Path(path).exists():
        return False
    print(f"IOException error: {path} (No such file or directory)")
    sys.stdout.flush()
    print_message(f"{path}: cannot be read: no such file or directory")
    return True


def main(given: Sequence[str]) -> int:
    """Evaluate run after run; after a rejected run the next one is evaluated."""
    if not given or given[0] in {"-h", "--help"}:
        print(usage(), end="")
        return 0
    try:
        options, (qrels_path, *runs) = _options(without_verbosity(given))
    except _Misused:
        print(usage(), end="")
        raise
    from excerpt.official import evaluate_run, no_qrels, read_qrels

    status = 0
    if _is_missing(qrels_path):
        qrels, status = no_qrels(), 2  # as the tool, which goes on without topics
    else:
        qrels = read_qrels(qrels_path)
    for path in expand(runs):
        if _is_missing(path):
            status = 2
            continue
        try:
            printed = evaluate_run(qrels, path, options)
        except ExcerptError as error:
            sys.stdout.flush()
            print_message(error.say(as_option))
            status = 2
            continue
        print(printed)
        show_warnings(printed.warnings)
        if printed.fault:
            sys.stdout.flush()
            print_message(shorten(printed.fault))
            status = 2
    return status


REGISTERED["inex_eval"] = Command(main, None, usage)
