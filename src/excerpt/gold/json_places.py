"""Where the values of a JSON text stand: the line of each, found only when a message needs it."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from functools import cached_property
from typing import TypeAlias

#: Keys and numbers that lead from the whole to a value.
Path: TypeAlias = tuple[str | int, ...]

_END = re.compile("\n")
_BLANK = re.compile(r"[ \t\n\r]*")
_NEXT = re.compile(r"[ \t\n\r]*[,:]?[ \t\n\r]*")


class JsonPlaces:
    r"""The places of the values of a valid JSON text; what is in an object or a list is looked at once.

    >>> JsonPlaces('{"a": [1,\n 2]}').line(("a", 1))
    2
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._inside: dict[Path, dict[str | int, int]] = {}

    def line(self, path: Path) -> int:
        """The line, from 1 on, in which a value begins."""
        return bisect_left(self._ends, self._place(path)) + 1

    @cached_property
    def _ends(self) -> list[int]:
        """Where lines end."""
        return [match.start() for match in _END.finditer(self._text)]

    def _place(self, path: Path) -> int:
        if not path:
            return self._after(0, _BLANK)
        return self._children(path[:-1]).get(path[-1], self._place(path[:-1]))

    def _children(self, path: Path) -> dict[str | int, int]:
        if path not in self._inside:
            self._inside[path] = self._scan(self._place(path))
        return self._inside[path]

    def _scan(self, place: int) -> dict[str | int, int]:
        """Where the values of an object or a list begin."""
        found: dict[str | int, int] = {}
        named = self._text[place] == "{"
        place = self._after(place + 1, _BLANK)
        while self._text[place] not in "]}":
            key: str | int = len(found)
            if named:
                key, place = self._decoder.raw_decode(self._text, place)
                place = self._after(place, _NEXT)
            found[key] = place
            _, place = self._decoder.raw_decode(self._text, place)
            place = self._after(place, _NEXT)
        return found

    def _after(self, place: int, skipped: re.Pattern[str]) -> int:
        match = skipped.match(self._text, place)
        return match.end() if match else place
