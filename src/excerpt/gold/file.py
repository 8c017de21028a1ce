"""A file of questions with evidence: its JSON or its table, read once, with a line for every fault."""

from __future__ import annotations

import csv
import json
import posixpath
import re
from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias

from excerpt.errors import FormatError, short
from excerpt.gold.item import Item
from excerpt.gold.json_places import JsonPlaces, Path

#: What is a document where a file has articles of several paragraphs.
Context: TypeAlias = Literal["paragraph", "article"]

_FILLED = re.compile(r"\S")
_HEAD = 1 << 16
_BEGIN = re.compile(r"[ \t\r\n]*[\[{]")
_ENDINGS = re.compile(r"(\.(gz|bz2|xz|zst))?$", re.IGNORECASE)


class TakesFaults(Protocol):
    """Where faults go."""

    keep: bool

    def add(self, line: int | None, message: str, hint: str = "") -> None:
        """Report a fault in a line."""
        ...


class GoldFile:
    """The text of a file, as JSON, as JSON Lines or as a table."""

    def __init__(self, name: str, text: str, faults: TakesFaults, *, context: Context = "paragraph") -> None:
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
        found = _parsed(self.text[begin:end])
        return self._whole if found is None else found

    @cached_property
    def _whole(self) -> Any:
        return _parsed(self.text)

    @cached_property
    def is_lines(self) -> bool:
        """Whether there is one value per line, and more than one line of them."""
        begin, end = self._first_line
        return _FILLED.search(self.text, end) is not None and _parsed(self.text[begin:end]) is not None

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
                value = _parsed(text)
                if isinstance(value, dict):
                    yield Item(self, value, (), line)
                else:
                    self.faults.add(line, f"found {short(text.strip())!r}, expected one JSON object per line")

    def rows(self, delimiter: str = ",") -> Iterator[Item]:
        """The rows of a table whose first row names the columns."""
        limit = csv.field_size_limit(max(len(self.text), 1))
        try:
            reader = csv.reader(_lines(self.text), delimiter=delimiter, strict=True)
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


def _parsed(text: str) -> Any:
    """The value of a JSON text; None where it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"{line}\n"
