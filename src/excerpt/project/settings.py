"""What a project can set: each setting by its name, with what it takes and where a value may come from."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from excerpt.errors import short, short_list

#: What names the file, and stands before the name of a setting in the environment.
PREFIX = "EXCERPT_"
#: A comma or white space that is not in brackets: `MAgP(score=BEP, n=1000), iP[0.01]` are two names.
_BETWEEN = re.compile(r"[,\s]+(?![^(\[]*[)\]])")
_SHOWN = 2  # of many files
_DIGITS = 20  # of a number that may be one
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class Unfit(ValueError):
    """A value that a setting does not take; the message says what it takes."""


@dataclass(frozen=True)
class Setting:
    """One setting: where it stands in the file, what it takes, and what holds without it."""

    name: str
    #: What a value of the file becomes; raises Unfit.
    take: Callable[[Any], Any]
    #: What the text of a variable is in the file.
    read: Callable[[str], Any] = str
    default: Any = None
    #: The table of the file that it stands in.
    table: str = ""
    #: Whether it names files: relative to the folder of the file.
    paths: bool = False

    @property
    def dest(self) -> str:
        """Its name as an argument."""
        return self.name.replace("-", "_")

    @property
    def variable(self) -> str:
        """The variable that sets it.

        >>> SETTINGS["unknown-length"].variable
        'EXCERPT_UNKNOWN_LENGTH'
        """
        return PREFIX + self.dest.upper()

    def told(self, value: Any) -> str:
        """A value as people read it.

        >>> SETTINGS["limit"].told(None), SETTINGS["measures"].told(("MAiP", "iP"))
        ('none', 'MAiP, iP')
        """
        if value is None:
            return "none" if self.name == "limit" else "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, tuple):
            return short_list(value, _SHOWN if self.paths else len(value)) or "-"
        return str(value)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Unfit("expected a text")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) else value
    if (
        not isinstance(listed, list)
        or not listed
        or not all(isinstance(each, str) and each for each in listed)
    ):
        raise Unfit("expected a text or a list of texts")
    return tuple(listed)


def _one_of(*choices: str) -> Callable[[Any], str]:
    def take(value: Any) -> str:
        if value not in choices:
            raise Unfit(f"expected {', '.join(choices[:-1])} or {choices[-1]}")
        return str(value)

    return take


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Unfit("expected true or false")
    return value


def _number_or(*words: str) -> Callable[[Any], int | str | None]:
    """A whole number of at least 1, or one of some words; `none` is None."""

    def take(value: Any) -> int | str | None:
        if isinstance(value, str) and value in words:
            return None if value == "none" else value
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 31:
            raise Unfit(f"expected a whole number of at least 1, or {', or '.join(words)}")
        return value

    return take


def _truth_of(text: str) -> Any:
    return _TRUTH.get(text.lower(), text)


def _number_of(text: str) -> Any:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else text


def names_of(text: str) -> list[str]:
    """Names with commas or blanks between them; those in brackets belong to a name.

    >>> names_of("MAiP, MAgP(score=BEP, n=1000) iP[0.01]")
    ['MAiP', 'MAgP(score=BEP, n=1000)', 'iP[0.01]']
    """
    return [name for name in _BETWEEN.split(text.strip()) if name]


def paths_of(text: str) -> list[str]:
    """Paths as PATH has them, with the separator of the system between them."""
    import os

    return [path for path in text.split(os.pathsep) if path]


def found(value: Any) -> str:
    """A value as an error shows it.

    >>> found("x"), found(True), found(3)
    ("'x'", 'true', '3')
    """
    return str(value).lower() if isinstance(value, bool) else short(repr(value))


_POLICY = "policy"
_ALL = (
    Setting("qrels", _text, paths=True),
    Setting("runs", _texts, read=paths_of, default=(), paths=True),
    Setting("index", _text, paths=True),
    Setting("corpus", _text, paths=True),
    Setting("topics", _text, paths=True),
    Setting("measures", _texts, read=names_of, default=()),
    Setting("overlap", _one_of("error", "first", "penalise", "allow"), default="error", table=_POLICY),
    Setting("interleaved", _one_of("error", "regroup"), default="error", table=_POLICY),
    Setting("unknown", _one_of("count", "error"), default="count", table=_POLICY),
    Setting("unknown-length", _number_or("error", "mean"), _number_of, "error", _POLICY),
    Setting("limit", _number_or("none"), _number_of, 1500, _POLICY),
    Setting("order", _one_of("file", "rank", "score"), table=_POLICY),
    Setting("only-run-topics", _truth, _truth_of, False, _POLICY),
    Setting("include-empty", _truth, _truth_of, False, _POLICY),
)
#: Every setting by its name, as `excerpt config` lists them.
SETTINGS = {setting.name: setting for setting in _ALL}
