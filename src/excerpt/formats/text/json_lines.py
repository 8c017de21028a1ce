"""Objects in JSON, one per line: their fields checked, every fault located."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from excerpt.formats.source import HEAD_BYTES, HEAD_LINES, Faults, Source
from excerpt.model.spans import MAX_OFFSET

TOPIC = ("topic", "query")
DOCUMENT = ("document", "doc")
#: Keys that only lines of a run have, and keys that only lines of judgments have.
OF_RUNS = ("score", "rank", "run")
OF_JUDGMENTS = ("spans", "size", "bep")
_SHOWN = 40


class Record(NamedTuple):
    """The object of one line."""

    line: int
    fields: dict[str, Any]
    faults: Faults

    def fault(self, found: str, wanted: str) -> None:
        """Report something that does not fit."""
        self.faults.add(self.line, f"found {found}, expected {wanted}")

    def name(self, keys: tuple[str, ...]) -> str:
        """An id under the first of the keys that is there; a fault and "" where there is none."""
        value = self.get(*keys)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value and _is_text(value):
            return value
        found = f"no {keys[0]}" if value is None else f"{keys[0]} {_shown(value)}"
        self.fault(found, "a string or a whole number")
        return ""

    def get(self, *keys: str) -> Any:
        """The first value that is there; null counts as not there."""
        for key in keys:
            value = self.fields.get(key)
            if value is not None:
                return value
        return None

    def whole(self, key: str, missing: int) -> int:
        """A whole number from 0 to 2**31-1; everything else is a fault."""
        value = self.fields.get(key)
        return missing if value is None else self.checked(value, key)

    def checked(self, value: Any, name: str) -> int:
        """`value` if it is a whole number from 0 to 2**31-1; everything else is a fault and counts as 0."""
        if type(value) is int and 0 <= value <= MAX_OFFSET:
            return value
        wanted = "a whole number"
        if type(value) is int:
            wanted = "a number that is not negative" if value < 0 else f"a number up to {MAX_OFFSET}"
        self.fault(f"{name} {_shown(value)}", wanted)
        return 0

    def number(self, key: str) -> float:
        """A number, NaN where there is none; everything else, and NaN, is a fault."""
        value = self.fields.get(key)
        if value is None:
            return math.nan
        if type(value) is float and value == value:  # noqa: PLR0124 - the quick test for NaN
            return value
        if type(value) is int and abs(value) < 1 << 1000:
            return float(value)
        self.fault(f"{key} {_shown(value)}", "a number")
        return math.nan

    def span(self) -> tuple[int, int] | None:
        """`start` and `end`, or `offset` and `length`; None where the line has neither."""
        fields = self.fields
        start, end = fields.get("start"), fields.get("end")
        if start is not None or end is not None:
            return self._pair(start, end, ("start", "end"))
        offset, length = fields.get("offset"), fields.get("length")
        if offset is None and length is None:
            return None
        start, length = self._both(offset, length, ("offset", "length"))
        return start, start + length

    def _both(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        if first is None or second is None:
            there, absent = names if second is None else names[::-1]
            self.fault(f"{there} without {absent}", f"both {names[0]} and {names[1]}")
            return 0, 0
        return self.checked(first, names[0]), self.checked(second, names[1])

    def _pair(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        start, end = self._both(first, second, names)
        if start > end and type(second) is int and second >= 0:
            self.fault(f"{names[1]} {end} before {names[0]} {start}", "an end that is not before its start")
        return start, end

    def spans(self) -> list[tuple[int, int]]:
        """The list under `spans`; what is not a list of pairs is a fault."""
        given = self.fields.get("spans")
        if given is None:
            return []
        if isinstance(given, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in given):
            return [self._pair(pair[0], pair[1], ("span start", "span end")) for pair in given]
        self.fault(f"spans {_shown(given)}", "a list of pairs [start, end]")
        return []


def records(source: Source) -> Iterator[Record]:
    """The objects of a file; blank lines are skipped, everything else is a fault."""
    return records_of(enumerate(source.text.decode().split("\n"), 1), source.faults)


def records_of(lines: Iterable[tuple[int, str]], faults: Faults) -> Iterator[Record]:
    """The objects of numbered lines."""
    for number, line in lines:
        if line and not line.isspace():
            fields = _parsed(line)
            if isinstance(fields, dict):
                yield Record(number, fields, faults)
            else:
                faults.add(number, f"found {line.strip()[:_SHOWN]!r}, expected one JSON object per line")


def _parsed(line: str) -> Any:
    """The value in a line; None where it is not JSON."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def _is_text(value: str) -> bool:
    """Whether a string can be written; JSON can spell halves of characters."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def looks_like(source: Source, own: tuple[str, ...], others: tuple[str, ...], neutral: int) -> int:
    """How well the first lines fit: twice for lines with `own` keys, not at all for lines with `others`."""
    if not source.starts_with(b"{"):
        return 0
    total = 0
    for line in source.text[:HEAD_BYTES].decode("utf-8", "replace").split("\n")[:HEAD_LINES]:
        fields = _parsed(line)
        if not isinstance(fields, dict):
            total += line.lstrip().startswith("{")  # broken, but the reader will say how
        elif any(key in fields for key in own):
            total += 2
        elif not any(key in fields for key in others):
            total += neutral
    return total


def dumped(fields: dict[str, Any]) -> bytes:
    """A line."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
