"""Objects in JSON, one per line: their fields checked, every fault located."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from excerpt.errors import short, short_list
from excerpt.formats.source import HEAD_BYTES, HEAD_LINES, Faults, Source
from excerpt.gold.file import parse_json
from excerpt.model.field_names import HOW, KEYS, NUMBERS, TEXTS, contradictions, nowhere, rename, telling_keys
from excerpt.model.rows import quote_of
from excerpt.model.spans import MAX_OFFSET

#: Keys that only lines of a run have, and keys that only lines of judgments have.
OF_RUNS = ("score", "rank", "run")
OF_JUDGMENTS = ("spans", "size", "bep")


class Record(NamedTuple):
    """The object of one line."""

    line: int
    #: By the keys of `KEYS`, and whatever else the line has.
    fields: dict[str, Any]
    faults: Faults

    def fault(self, found: str, wanted: str, hint: str = "") -> None:
        """Report something that does not fit."""
        self.faults.add(self.line, f"found {found}, expected {wanted}", hint)

    def name(self, key: str) -> str:
        """An id; a fault and "" where there is none."""
        value = self.fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value and is_text(value):
            return value
        if value is None:
            there = [key for key, value in self.fields.items() if value is not None]
            keys = short_list(there, 6) or "no keys"
            self.fault(
                f"no {key} among {keys}",
                f"one (also called {short_list(KEYS[key][1:], 6)})",
            )
        else:
            self.fault(f"{key} {_show(value)}", "a string or a whole number")
        return ""

    def require_location(self, *, graded: bool = False) -> None:
        """A fault where a line without a place has keys that seem to tell it, or grades, in another way."""
        telling = telling_keys(self.fields, graded=graded)
        if telling:
            unknown = f"unknown {'key' if len(telling) == 1 else 'keys'} {short_list(telling)}"
            self.fault(
                f"{telling[0]} without its place" if set(TEXTS).issuperset(telling) else unknown,
                f"start and end (also called {short_list(KEYS['start'][1:])}), offset and length, or "
                + ("spans" if graded else "path"),
            )

    def whole(self, key: str, missing: int) -> int:
        """A whole number from 0 to 2**31-1; everything else is a fault."""
        value = self.fields.get(key)
        return missing if value is None else self.check(value, key)

    def check(self, value: Any, name: str) -> int:
        """`value` if it is a whole number from 0 to 2**31-1; everything else is a fault and counts as 0."""
        if type(value) is int and 0 <= value <= MAX_OFFSET:
            return value
        wanted = "a whole number"
        if type(value) is int:
            wanted = "a number that is not negative" if value < 0 else f"a number up to {MAX_OFFSET}"
        self.fault(f"{name} {_show(value)}", wanted, nowhere(value) if name in {"start", "end"} else "")
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
        self.fault(f"{key} {_show(value)}", "a number")
        return math.nan

    def span(self) -> tuple[int, int] | None:
        """`start` and `end`, or `offset` and `length`; None where the line has neither."""
        fields = self.fields
        start, end = fields.get("start"), fields.get("end")
        if end is None and start is not None and fields.get("length") is not None:
            self.fault("start and length", "start and end, or offset and length")
            return 0, 0
        if start is not None and end is None and (text := self.quote()) is not None:
            start = self.check(start, "start")
            return start, start + len(text)
        if start is not None or end is not None:
            return self._pair(start, end, ("start", "end"))
        offset, length = fields.get("offset"), fields.get("length")
        if offset is None and length is None:
            return None
        start, length = self._both(offset, length, ("offset", "length"))
        return start, start + length

    def quote(self) -> str | None:
        """The text of the result itself, where the line has it."""
        return quote_of(self.fields)

    def _both(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        if first is None or second is None:
            there, absent = names if second is None else names[::-1]
            self._report_half_span(there, absent, f"both {names[0]} and {names[1]}")
            return 0, 0
        return self.check(first, names[0]), self.check(second, names[1])

    def _report_half_span(self, there: str, absent: str, wanted: str) -> None:
        """A fault for half a place: the other half is null, or has a name that is not known."""
        unknown = [key for key in telling_keys(self.fields) if key not in TEXTS]
        if absent in self.fields:
            self.fault(
                f"{absent} null beside {there}", "a whole number", nowhere(None).replace("None", "null")
            )
        elif unknown:
            wanted += f" ({absent} is also called {short_list(KEYS[absent][1:])})" if absent in KEYS else ""
            self.fault(f"{there} without {absent}, but unknown {short_list(unknown)}", wanted)
        else:
            self.fault(f"{there} without {absent}", wanted)

    def _pair(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        start, end = self._both(first, second, names)
        if start > end and type(second) is int and second >= 0:
            self.fault(f"{names[1]} {end} before {names[0]} {start}", "an end at or after the start")
        return start, end

    def spans(self) -> list[tuple[int, int]]:
        """The list under `spans`; what is not a list of pairs is a fault."""
        given = self.fields.get("spans")
        if given is None:
            return []
        if isinstance(given, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in given):
            return [self._pair(pair[0], pair[1], ("span start", "span end")) for pair in given]
        self.fault(f"spans {_show(given)}", "a list of pairs [start, end]")
        return []


def records(source: Source) -> Iterator[Record]:
    """The objects of a file; blank lines are skipped, everything else is a fault."""
    return records_of(enumerate(source.text.decode().split("\n"), 1), source.faults)


def records_of(lines: Iterable[tuple[int, str]], faults: Faults) -> Iterator[Record]:
    """The objects of numbered lines."""
    for number, line, fields in objects_of(lines, faults):
        known = fields if fields.keys() <= KEYS.keys() else rename(fields)
        _reject_contradictions(number, line, known, faults)
        yield Record(number, known, faults)


def objects_of(lines: Iterable[tuple[int, str]], faults: Faults) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """The objects of numbered lines as they are, each with its line; what is none is a fault."""
    for number, line in lines:
        if line and not line.isspace():
            fields = parse_json(line)
            if isinstance(fields, dict):
                yield number, line, fields
            else:
                faults.add(number, f"found {short(line.strip())!r}, expected one JSON object per line")


def _reject_contradictions(number: int, line: str, fields: dict[str, Any], faults: Faults) -> None:
    """Two values for one number under two spellings are a fault; ids often stand beside other names.

    A chunk that was placed has its place as start and end, whatever it was said to be.
    """
    doubtful = (key in fields and sum(f'"{name}"' in line for name in KEYS[key]) > 1 for key in NUMBERS)
    if any(doubtful) and (both := contradictions(json.loads(line))):
        faults.add(number, f"found {' and '.join(both)}, which mean the same, expected one of them")


def warn_unknown_keys(source: Source, unknown: set[str]) -> None:
    """Say which keys of a file mean nothing to us."""
    unknown = unknown - {*TEXTS, HOW}
    if unknown:
        source.notices.add(f"unknown keys were ignored: {short_list(sorted(unknown))}", where=source.name)


def _show(value: Any) -> str:
    return short(json.dumps(value))


def is_text(value: str) -> bool:
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
        value = parse_json(line)
        fields = rename(value) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            total += line.lstrip().startswith("{")  # broken, but the reader will say how
        elif any(key in fields for key in own):
            total += 2
        elif not any(key in fields for key in others):
            total += neutral
    return total


def quote_all(names: Iterable[str]) -> list[str]:
    """Names as JSON writes them."""
    return [json.dumps(name, ensure_ascii=False) for name in names]


def quote_number(value: float) -> str:
    """A number as JSON writes it; infinity as one that is too large for every reader."""
    return repr(value) if math.isfinite(value) else "1e999" if value > 0 else "-1e999"


def write_object(fields: dict[str, Any]) -> bytes:
    """A line."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
