"""JSON Lines: one object per line, its fields checked, with the line of each fault."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from excerpt.errors import short, short_list
from excerpt.formats.source import HEAD_BYTES, HEAD_LINES, Faults, Source
from excerpt.gold.file import parse_json, parser_of_many
from excerpt.model.field_names import (
    HOW,
    KEYS,
    SPELLINGS,
    TEXTS,
    contradictions,
    location_keys,
    nowhere,
    rename,
)
from excerpt.model.rows import quote_of
from excerpt.model.spans import MAX_OFFSET

#: Keys that only lines of a run have, and keys that only lines of judgments have.
OF_RUNS = ("score", "rank", "run")
OF_JUDGMENTS = ("spans", "size", "bep")


class Record(NamedTuple):
    """The object of one line."""

    line: int
    #: Values by the keys of `KEYS`, and all other keys of the line.
    fields: dict[str, Any]
    faults: Faults

    def fault(self, found: str, expected: str, hint: str = "") -> None:
        """Report a value that is not as expected."""
        self.faults.add(self.line, f"found {found}, expected {expected}", hint)

    def name(self, key: str) -> str:
        """Return an id; report a fault and return "" if there is none."""
        value = self.fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value and is_text(value):
            return value
        if value is None:
            self._report_missing(key)
        else:
            self.fault(f"{key} {_show(value)}", "a string or a whole number")
        return ""

    def _report_missing(self, key: str) -> None:
        names = f" (also called {short_list(KEYS[key][1:], 6)})" if KEYS[key][1:] else ""
        keys = short_list([key for key, value in self.fields.items() if value is not None], 6)
        self.faults.add(self.line, f"key {key} is missing{names}; the line has {keys or 'no keys'}")

    def require_location(self, *, graded: bool = False) -> None:
        """Report a line without a span that has unknown keys which look like offsets, texts or grades."""
        likely = location_keys(self.fields, graded=graded)
        if likely:
            unknown = f"unknown {'key' if len(likely) == 1 else 'keys'} {short_list(likely)}"
            self.fault(
                f"{likely[0]} without its offsets" if set(TEXTS).issuperset(likely) else unknown,
                f"start and end (also called {short_list(KEYS['start'][1:])}), offset and length, or "
                + ("spans" if graded else "path"),
                "" if graded else "⟨command=place⟩ locates texts, and so does ⟨corpus⟩",
            )

    def whole(self, key: str, missing: int) -> int:
        """Return a whole number from 0 to 2**31-1; report everything else."""
        value = self.fields.get(key)
        return missing if value is None else self.check(value, key)

    def check(self, value: Any, name: str) -> int:
        """Return `value` if it is a whole number from 0 to 2**31-1; report everything else and return 0."""
        if type(value) is int and 0 <= value <= MAX_OFFSET:
            return value
        expected = "a whole number"
        if type(value) is int:
            expected = "a number that is not negative" if value < 0 else f"a number up to {MAX_OFFSET}"
        self.fault(f"{name} {_show(value)}", expected, nowhere(value) if name in {"start", "end"} else "")
        return 0

    def number(self, key: str) -> float:
        """Return a number, NaN if there is none; report everything else, and NaN."""
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
        """Return start and end, from `start` and `end` or `offset` and `length`; None without either."""
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
        """Return the text of the result, if the line has it."""
        return quote_of(self.fields)

    def _both(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        if names[0] in KEYS and (first is None or second is None):
            present, missing = names if second is None else names[::-1]
            if missing in self.fields:
                hint = nowhere(None).replace("None", "null")
                self.fault(f"{missing} null next to {present}", "a whole number", hint)
            else:
                self._report_missing(missing)
            return 0, 0
        return self.check(first, names[0]), self.check(second, names[1])

    def _pair(self, first: Any, second: Any, names: tuple[str, str]) -> tuple[int, int]:
        start, end = self._both(first, second, names)
        if start > end and type(second) is int and second >= 0:
            self.fault(f"{names[1]} {end} before {names[0]} {start}", "an end at or after the start")
        return start, end

    def spans(self) -> list[tuple[int, int]]:
        """Return the list under `spans`; report everything but a list of pairs."""
        pairs = self.fields.get("spans")
        if pairs is None:
            return []
        if isinstance(pairs, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in pairs):
            return [self._pair(pair[0], pair[1], ("span start", "span end")) for pair in pairs]
        self.fault(f"spans {_show(pairs)}", "a list of pairs [start, end]")
        return []


def records(source: Source) -> Iterator[Record]:
    """Yield the objects of a file; skip blank lines and report all others."""
    return records_of(enumerate(source.text.decode().split("\n"), 1), source.faults)


def records_of(lines: Iterable[tuple[int, str]], faults: Faults) -> Iterator[Record]:
    """Yield the objects of numbered lines; report numbers that have two values under two spellings."""
    for number, fields in objects_of(lines, faults):
        repeated = len({SPELLINGS.get(key, key) for key in fields}) < len(fields)
        if repeated and (both := contradictions(fields)):
            faults.add(number, f"found {' and '.join(both)} with different values, expected one of them")
        yield Record(number, fields if fields.keys() <= KEYS.keys() else rename(fields), faults)


def objects_of(lines: Iterable[tuple[int, str]], faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and object of each line that is not blank; report lines without an object."""
    parse = parse_json
    for count, (number, line) in enumerate(lines):
        if count == 5000:  # here a faster parser is worth its start
            parse = parser_of_many()
        if line and not line.isspace():
            fields = parse(line)
            if isinstance(fields, dict):
                yield number, fields
            else:
                faults.add(number, f"found {short(line.strip())!r}, expected one JSON object per line")


def warn_unknown_keys(source: Source, unknown: set[str]) -> None:
    """Warn of unknown keys in a file."""
    unknown = unknown - {*TEXTS, HOW}
    if unknown:
        source.notices.add(f"unknown keys are ignored: {short_list(sorted(unknown))}", where=source.name)


def _show(value: Any) -> str:
    return short(json.dumps(value))


def is_text(value: str) -> bool:
    """Return whether a string can be encoded; JSON can spell halves of surrogate pairs."""
    if value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def looks_like(source: Source, own: tuple[str, ...], others: tuple[str, ...], neutral: int) -> int:
    """Return how well the first lines fit: 2 per line with `own` keys, 0 with `others`, else `neutral`."""
    if not source.starts_with(b"{"):
        return 0
    total = 0
    for line in source.text[:HEAD_BYTES].decode("utf-8", "replace").split("\n")[:HEAD_LINES]:
        value = parse_json(line)
        fields = rename(value) if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            total += line.lstrip().startswith("{")  # a broken line, which the reader will report
        elif any(key in fields for key in own):
            total += 2
        elif not any(key in fields for key in others):
            total += neutral
    return total


def quote_all(names: Iterable[str]) -> list[str]:
    """Return names as JSON strings."""
    return [json.dumps(name, ensure_ascii=False) for name in names]


def quote_number(value: float) -> str:
    """Return a number in JSON; infinity becomes a number that every reader reads as infinity."""
    return repr(value) if math.isfinite(value) else "1e999" if value > 0 else "-1e999"


def write_object(fields: dict[str, Any]) -> bytes:
    """Return an object as a line of JSON."""
    return json.dumps(fields, ensure_ascii=False).encode() + b"\n"
