"""excerpt.toml: found upwards from the working folder, read with the line of every setting."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.project.settings import SETTINGS, Unfit, found

FILE = "excerpt.toml"
#: The variable that names the file, or `none` for no file.
NAMED = "EXCERPT_CONFIG"
_TABLE = "policy"
_HEADING = re.compile(r"\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*(?:#.*)?")
_KEY = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class Line:
    """A value of the file, and the line where it stands."""

    value: Any
    line: int | None


@dataclass(frozen=True)
class ProjectFile:
    """A file of settings: its path, the folder that its paths are relative to, and what it says."""

    path: str
    folder: str
    lines: Mapping[str, Line]

    @classmethod
    def find(cls, environment: Mapping[str, str]) -> ProjectFile | None:
        """The file of the environment, or the nearest one upwards from the working folder, if any."""
        named = environment.get(NAMED)
        if named == "none":
            return None
        path = named or _nearest()
        return cls.read(path) if path else None

    @classmethod
    def read(cls, path: str) -> ProjectFile:
        """What a file says; an error for what it cannot say."""
        from excerpt.files import read_bytes

        try:
            text = read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise ExcerptError("found bytes that are not UTF-8, expected a TOML file", path=path) from None
        return cls(path, os.path.dirname(path), _checked(_flat(_parsed(text, path)), text, path))  # noqa: PTH120


def _nearest() -> str | None:
    """The file in the working folder or one above it, as seen from here."""
    try:
        folder = os.getcwd()  # noqa: PTH109 - pathlib costs 3 ms
    except OSError:  # it was removed
        return None
    up = ""
    while True:
        name = os.path.join(folder, FILE)  # noqa: PTH118
        if os.path.isfile(name):  # noqa: PTH113
            return os.path.join(up, FILE)  # noqa: PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return None
        folder, up = above, os.path.join(up, os.pardir)  # noqa: PTH118


def _parsed(text: str, path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also numbers of many digits, and brackets in brackets
        place = _PLACE.search(str(error))
        line = int(place[1]) if place and place[1] else None
        column = f" in column {place[2]}" if place and place[2] else ""
        what = short(_PLACE.sub("", str(error)))
    raise ExcerptError(
        f'found no TOML{column} ({what}), expected lines like index = "corpus.index"', path=path, line=line
    )


def _flat(content: Mapping[str, Any]) -> dict[tuple[str, ...], Any]:
    """All values by their keys, those of the table of policies with its name before."""
    flat: dict[tuple[str, ...], Any] = {}
    for key, value in content.items():
        if key == _TABLE and isinstance(value, dict):
            flat |= {(key, inner): each for inner, each in value.items()}
        else:
            flat[(key,)] = value
    return flat


def _checked(flat: Mapping[tuple[str, ...], Any], text: str, path: str) -> dict[str, Line]:
    """The settings, each by its name; an error for an unknown one, one given twice, or of another kind."""
    places = _places(text)
    lines: dict[str, Line] = {}
    for keys, value in flat.items():
        line = places.get(keys, places.get(keys[:1]))
        if keys == (_TABLE,):
            raise ExcerptError(
                f"found {_TABLE} = {found(value)}, expected a table: [{_TABLE}]", path=path, line=line
            )
        name = keys[-1].replace("_", "-")
        setting = SETTINGS.get(name)
        if setting is None or (keys[:-1] and setting.table != keys[0]):
            known = [each.name for each in SETTINGS.values() if not keys[:-1] or each.table == keys[0]]
            known += [] if keys[:-1] else [_TABLE]
            where = f"setting of [{keys[0]}]" if keys[:-1] else "setting"
            error = UnknownName(where, keys[-1], known)
            raise ExcerptError(error.message, path=path, line=line, hint=error.hint)
        if name in lines:
            raise ExcerptError(f"found {name} a second time, expected it once", path=path, line=line)
        try:
            lines[name] = Line(setting.take(value), line)
        except Unfit as unfit:
            raise ExcerptError(f"found {name} = {found(value)}, {unfit}", path=path, line=line) from None
    return lines


def _places(text: str) -> dict[tuple[str, ...], int]:
    """The line where each key stands; Python's reader of TOML does not tell."""
    places: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := _HEADING.fullmatch(line):
            table = _keys(heading[1])
            places.setdefault(table, number)
        elif key := _KEY.match(line):
            places.setdefault((*table, *_keys(key[1])), number)
    return places


def _keys(text: str) -> tuple[str, ...]:
    """The parts of a dotted key.

    >>> _keys('policy . "unknown-length"')
    ('policy', 'unknown-length')
    """
    return tuple(part.strip().strip("\"'") for part in text.split("."))
