"""What is said on standard error: errors always, all else unless --quiet; --strict counts warnings.

With --strict a warning is an error: it is said even under --quiet, and the command ends with status 3.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from excerpt.cli.manner import MANNER
from excerpt.cli.streams import tell

#: Exit status of a command that did its work, but with warnings, under --strict.
DOUBTFUL = 3
_YELLOW = "33"


def status_of(status: int) -> int:
    """The exit status of a command that ended with `status`: 3 if it warned where warnings are errors."""
    return DOUBTFUL if not status and MANNER.strict and MANNER.warned else status


def note(message: str) -> None:
    """Say something that is good to know."""
    if not MANNER.quiet:
        tell(message, colour="")


def warn(message: str, *, kind: str = "warning") -> None:
    """Say something doubtful; `kind` is how it begins."""
    MANNER.warned = True
    if MANNER.strict or not MANNER.quiet:
        tell(message, lead=f"{kind}: ", colour=_YELLOW)


def add_telling(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """--quiet and --strict, which every command takes, in a group of their own."""
    group = parser.add_argument_group("what is said")
    for name, help_ in (
        ("--quiet", "say errors only: no warnings, notes or progress"),
        ("--strict", f"take warnings for errors: exit status {DOUBTFUL} if there are any"),
    ):
        group.add_argument(name, action=_Speak, nargs=0, default=argparse.SUPPRESS, help=help_)
    return group


def without_telling(given: Sequence[str]) -> list[str]:
    """What else was given to a command that reads its options itself; --quiet and --strict are obeyed.

    >>> without_telling(["-f", "--quiet", "qrels", "run"])
    ['-f', 'qrels', 'run']
    """
    asked = {"--quiet", "--strict"}
    for word in asked & set(given):
        setattr(MANNER, word[2:], True)
    return [word for word in given if word not in asked]


class _Speak(argparse.Action):
    """Obeys at once; what a command asks for is not changed by how it speaks."""

    def __call__(self, *_: Any, **__: Any) -> None:
        """Be quiet, or strict."""
        setattr(MANNER, self.dest, True)
