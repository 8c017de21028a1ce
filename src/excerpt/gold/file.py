"""Gold files and their items, with located faults."""

from __future__ import annotations

import csv
import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from excerpt.errors import FormatError, short, short_list
from excerpt.model.spans import MAX_OFFSET


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

    def text(self, *keys: str, missing: str | None = None) -> str:
        """The text under the first of these keys; a fault where there is none and must be."""
        key = next((key for key in keys if self.has(key)), keys[0])
        value = self.value.get(key)
        if value is None and missing is not None:
            return missing
        if isinstance(value, str):
            return self._whole(key, value)
        self._report(key, value, "text")
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
        self._report(key, value, "a name or a number")
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
        self._report(key, value, wanted)
        return -1

    def each(self, key: str, *, needed: bool = True) -> list[Item]:
        """The objects of a list; a fault for all else, and where there is no list but must be."""
        return [
            Item(self.file, value, (*self._path, key, number), self._line)
            for number, value in enumerate(self._list(key, needed=needed))
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
            self._report(key, value, "an object")
            value = {}
        return Item(self.file, value, (*self._path, key), self._line)

    def here(self, value: dict[str, Any]) -> Item:
        """Another object in the same place."""
        return Item(self.file, value, self._path, self._line)

    def note_unknown(self, known: set[str]) -> None:
        """Remember the keys that mean nothing to us."""
        if not self.value.keys() <= known:
            self.file.unknown.update(key for key in self.value if key not in known)

    def _list(self, key: str, *, needed: bool) -> list[Any]:
        value = self.value.get(key)
        if isinstance(value, list):
            return value
        if value is not None or needed:
            self._report(key, value, "a list")
        return []

    def _fits(self, value: Any, kind: type, key: str, called: str) -> bool:
        if not isinstance(value, kind):
            self.fault(f"found {show(value)} in {key}, expected {called}")
        return isinstance(value, kind)

    def _report(self, key: str, value: Any, wanted: str) -> None:
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


#: What is a document where a file has articles of several paragraphs.
Context: TypeAlias = Literal["paragraph", "article"]

_FILLED = re.compile(r"\S")
_HEAD = 1 << 16
_BEGIN = re.compile(r"[ \t\r\n]*[\[{]")
_ENDINGS = re.compile(r"(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


class FaultCollector(Protocol):
    """Where faults go."""

    keep: bool

    def add(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a fault in a line."""
        ...


class GoldFile:
    """The text of a file, as JSON, as JSON Lines or as a table."""

    def __init__(self, name: str, text: str, faults: FaultCollector, *, context: Context = "paragraph") -> None:
        self.name = name
        self.text = text
        self.faults = faults
        self.context = context
        #: Keys that mean nothing to us.
        self.unknown: set[str] = set()

    @property
    def stem(self) -> str:
        """The name of the file without folders and endings; nothing for what is no file."""
        base = posixpath.basename(_ENDINGS.sub("", self.name.replace("\\", "/")))
        return "" if base.startswith("<") else posixpath.splitext(base)[0]

    @cached_property
    def head(self) -> str:
        """The beginning of the text."""
        return self.text[:_HEAD]

    @cached_property
    def _first_line(self) -> tuple[int, int]:
        """Where the first line that is not blank begins, and where it ends."""
        begin = len(self.text) - len(self.text.lstrip())
        end = self.text.find("\n", begin)
        return begin, len(self.text) if end < 0 else end

    @cached_property
    def first(self) -> Any:
        """The first value of JSON: that of the first line, else all of the text; None if it is not JSON."""
        if not _BEGIN.match(self.text):
            return None
        begin, end = self._first_line
        found = parse_json(self.text[begin:end])
        return self._whole if found is None else found

    @cached_property
    def _whole(self) -> Any:
        return parse_json(self.text)

    @cached_property
    def is_lines(self) -> bool:
        """Whether there is one value per line, and more than one line of them."""
        begin, end = self._first_line
        return _FILLED.search(self.text, end) is not None and parse_json(self.text[begin:end]) is not None

    def object(self) -> Item:
        """The file as one JSON object; an error where it is none."""
        value = self.first
        if value is None or self.is_lines:
            raise self._broken()
        if not isinstance(value, dict):
            raise FormatError("found a JSON list, expected an object", path=self.name, line=1)
        return Item(self, value)

    def objects(self) -> Iterator[Item]:
        """The objects of a file: one per line, or those of a list, or one that is all of it."""
        if not self.is_lines and self.first is not None:
            values = self.first if isinstance(self.first, list) else [self.first]
            for number, value in enumerate(values):
                path = (number,) if isinstance(self.first, list) else ()
                if isinstance(value, dict):
                    yield Item(self, value, path)
                else:
                    self.faults.add(self.line_of(path), f"found {short(repr(value))}, expected an object")
            return
        for line, text in enumerate(self.text.split("\n"), 1):
            if text and not text.isspace():
                value = parse_json(text)
                if isinstance(value, dict):
                    yield Item(self, value, (), line)
                else:
                    self.faults.add(line, f"found {short(text.strip())!r}, expected one JSON object per line")

    def rows(self, delimiter: str = ",") -> Iterator[Item]:
        """The rows of a table whose first row names the columns."""
        limit = csv.field_size_limit(max(len(self.text), 1))
        lines = (f"{line}\n" for line in self.text.split("\n"))
        try:
            reader = csv.reader(lines, delimiter=delimiter, strict=True)
            names: list[str] | None = None
            line = 1
            for row in reader:
                if names is None:
                    names = row
                elif len(row) == len(names):
                    yield Item(self, dict(zip(names, row, strict=True)), (), line)
                elif row:
                    self.faults.add(
                        line, f"found {len(row)} columns, expected {len(names)} as in the first row"
                    )
                line = reader.line_num + 1
        except csv.Error as error:
            self.faults.add(line, f"found a row that is broken ({error}), expected a table with commas")
        finally:
            csv.field_size_limit(limit)

    def line_of(self, path: Path) -> int:
        """The line of a value of JSON."""
        return self._places.line(path)

    @cached_property
    def _places(self) -> JsonPlaces:
        return JsonPlaces(self.text)

    def _broken(self) -> FormatError:
        """The error for what should be one JSON value and is not."""
        try:
            json.loads(self.text)
        except RecursionError:
            return FormatError("found JSON that is nested too deeply, expected an object", path=self.name)
        except json.JSONDecodeError as error:
            what = f"found JSON that is broken here ({error.msg})"
            return FormatError(f"{what}, expected one object", path=self.name, line=error.lineno)
        except ValueError:
            return FormatError("found a number of thousands of digits, expected JSON", path=self.name)
        return FormatError("found one object per line, expected one object", path=self.name, line=1)


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
