"""An object of a gold file: its fields checked as they are asked for, every fault with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from excerpt.errors import short, short_list
from excerpt.model.spans import MAX_OFFSET

if TYPE_CHECKING:
    from excerpt.gold.file import GoldFile
    from excerpt.gold.json_places import Path


class Item:
    """A JSON object, or a row of a table, of a file."""

    __slots__ = ("_line", "_path", "file", "value")

    def __init__(
        self, file: GoldFile, value: dict[str, Any], path: Path = (), line: int | None = None
    ) -> None:
        self.file = file
        self.value = value
        self._path = path
        self._line = line

    @property
    def line(self) -> int:
        """The line in which it begins."""
        return self.file.line_of(self._path) if self._line is None else self._line

    def fault(self, message: str, hint: str = "") -> None:
        """Report what is wrong with it."""
        self.file.faults.add(self.line, message, hint)

    def has(self, key: str) -> bool:
        """Whether there is something under a key; null is nothing."""
        return self.value.get(key) is not None

    def text(self, *keys: str) -> str:
        """The text under the first of these keys; a fault and nothing where there is none."""
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.value.get(key)
        if isinstance(value, str):
            return self._whole(key, value)
        self._lacks(key, value, "text")
        return ""

    def _whole(self, key: str, value: str) -> str:
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError as error:
                self.fault(f"found half a surrogate pair at character {error.start} of {key}, expected text")
                return ""
        return value

    def name(self, *keys: str, missing: str | None = None) -> str:
        """An id, also a number, under the first of these keys; a fault where there is none and must be."""
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        if type(value) is int:
            return str(value)
        if isinstance(value, str) and value.strip():
            return self._whole(key, value)
        self._lacks(key, value, "a name or a number")
        return ""

    def whole(self, key: str, missing: int | None = None, *, least: int = 0) -> int:
        """A whole number from `least` on; a fault and -1 for all else, or where there is none and must be."""
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        if type(value) is int and least <= value <= MAX_OFFSET:
            return value
        wanted = "a whole number"
        if type(value) is int:
            wanted = f"at least {least}" if value < least else f"a number up to {MAX_OFFSET}"
        self._lacks(key, value, wanted)
        return -1

    def each(self, key: str, *, needed: bool = True) -> list[Item]:
        """The objects of a list; a fault for all else, and where there is no list but must be."""
        return [
            Item(self.file, value, (*path, number), self._line)
            for path, values in [((*self._path, key), self._list(key, needed=needed))]
            for number, value in enumerate(values)
            if self._fits(value, dict, key, "objects")
        ]

    def texts(self, key: str, *, needed: bool = False) -> list[str]:
        """The texts of a list; a fault for all else."""
        values = self._list(key, needed=needed)
        return [self._whole(key, value) for value in values if self._fits(value, str, key, "texts")]

    def inner(self, key: str) -> Item:
        """The object under a key; a fault and an empty one where there is none."""
        value = self.value.get(key)
        if not isinstance(value, dict):
            self._lacks(key, value, "an object")
            value = {}
        return Item(self.file, value, (*self._path, key), self._line)

    def here(self, value: dict[str, Any]) -> Item:
        """Another object in the same place."""
        return Item(self.file, value, self._path, self._line)

    def know(self, known: frozenset[str]) -> None:
        """Remember the keys that mean nothing to us."""
        if not self.value.keys() <= known:
            self.file.unknown.update(key for key in self.value if key not in known)

    def _list(self, key: str, *, needed: bool) -> list[Any]:
        value = self.value.get(key)
        if isinstance(value, list):
            return value
        if value is not None or needed:
            self._lacks(key, value, "a list")
        return []

    def _fits(self, value: Any, kind: type, key: str, called: str) -> bool:
        if not isinstance(value, kind):
            self.fault(f"found {show(value)} in {key}, expected {called}")
        return isinstance(value, kind)

    def _lacks(self, key: str, value: Any, wanted: str) -> None:
        if value is None:
            keys = short_list([key for key, value in self.value.items() if value is not None], 6)
            self.fault(f"found no {key} among {keys or 'no keys'}, expected {wanted}")
        else:
            self.fault(f"found {key} {show(value)}, expected {wanted}")


def show(value: Any) -> str:
    """A value as JSON writes it, not all of it where it is long."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    return short(json.dumps(value, ensure_ascii=False))
