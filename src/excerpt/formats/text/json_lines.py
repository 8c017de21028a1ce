"""Objects in JSON, one per line: their fields checked, every fault located."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from excerpt.errors import short, short_list
from excerpt.formats.source import HEAD_BYTES, HEAD_LINES, Faults, Source
from excerpt.model.spans import MAX_OFFSET

#: What we read, and how others spell it; where a line has several spellings, the first counts.
KEYS = {
    "topic": ("topic", "topic_id", "query_id", "query-id", "qid", "query", "question_id"),
    "document": (
        "document",
        "document_id",
        "doc_id",
        "docid",
        "docno",
        "doc",
        "ref_doc_id",
        "source_id",
        "source",
        "corpus_id",
        "corpus-id",
        "file_path",
    ),
    "start": ("start", "start_index", "start_char_idx", "start_char_index", "begin", "split_idx_start"),
    "end": ("end", "end_index", "end_char_idx", "end_char_index"),
    "offset": ("offset",),
    "length": ("length",),
    "path": ("path",),
    "score": ("score", "similarity", "rsv"),
    "rank": ("rank",),
    "run": ("run", "run_id", "tag"),
    "spans": ("spans",),
    "size": ("size",),
    "bep": ("bep",),
}
#: The key that each spelling means.
SPELLINGS = {spelling: key for key, spellings in KEYS.items() for spelling in spellings}
#: Keys that only lines of a run have, and keys that only lines of judgments have.
OF_RUNS = ("score", "rank", "run")
OF_JUDGMENTS = ("spans", "size", "bep")
#: What keys are called that say where text is, or how relevant it is.
_TELLING = re.compile("start|begin|end|offsets?|spans?|from|to|chars?|xpath")
#: The text of a result itself: then it is a passage, and its place must be told.
_TEXTS = {"text", "content", "page_content"}
#: Keys with spellings that must not contradict each other.
_NUMBERS = ("start", "end", "score")
_WORD_END = re.compile("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_GRADE = re.compile("rel|grade|label|judg|qrel")


class Record(NamedTuple):
    """The object of one line."""

    line: int
    #: By the keys of `KEYS`, and whatever else the line has.
    fields: dict[str, Any]
    faults: Faults

    def fault(self, found: str, wanted: str) -> None:
        """Report something that does not fit."""
        self.faults.add(self.line, f"found {found}, expected {wanted}")

    def name(self, key: str) -> str:
        """An id; a fault and "" where there is none."""
        value = self.fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value and is_text(value):
            return value
        if value is None:
            self.fault(
                f"no {key} among {_list_keys(self.fields)}",
                f"one (also called {short_list(KEYS[key][1:], 6)})",
            )
        else:
            self.fault(f"{key} {_show(value)}", "a string or a whole number")
        return ""

    def need_place(self, *, graded: bool = False) -> None:
        """A fault where a line without a place has keys that seem to tell it, or grades, in another way."""
        telling = [key for key in sorted(self.fields.keys() - KEYS.keys()) if is_telling(key, graded=graded)]
        if telling:
            unknown = f"unknown {'key' if len(telling) == 1 else 'keys'} {short_list(telling)}"
            self.fault(
                f"{telling[0]} without its place" if _TEXTS.issuperset(telling) else unknown,
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
        self.fault(f"{name} {_show(value)}", wanted)
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
        return self.check(first, names[0]), self.check(second, names[1])

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
    for number, line in lines:
        if line and not line.isspace():
            fields = _parse(line)
            if isinstance(fields, dict):
                _refuse_spellings(number, line, fields, faults)
                yield Record(number, fields, faults)
            else:
                faults.add(number, f"found {short(line.strip())!r}, expected one JSON object per line")


def _parse(line: str) -> Any:
    """The value in a line, its keys as we call them; None where it is not JSON."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if not isinstance(value, dict) or value.keys() <= KEYS.keys() else _rename(value)


def _rename(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields by the keys of `KEYS`; null counts as not there."""
    found: dict[str, Any] = {key: value for key, value in fields.items() if key not in SPELLINGS}
    for key, spellings in KEYS.items():
        given = [fields[spelling] for spelling in spellings if fields.get(spelling) is not None]
        if given:
            found[key] = given[0]
    return found


def _refuse_spellings(number: int, line: str, fields: dict[str, Any], faults: Faults) -> None:
    """Two values for one number under two spellings are a fault; ids often stand beside other names."""
    for key in _NUMBERS:
        if key in fields and sum(f'"{spelling}"' in line for spelling in KEYS[key]) > 1:
            given = json.loads(line)
            both = [spelling for spelling in KEYS[key] if given.get(spelling) is not None]
            if any(given[spelling] != given[both[0]] for spelling in both):
                faults.add(number, f"found {' and '.join(both)}, which mean the same, expected one of them")


def is_telling(key: str, *, graded: bool = False) -> bool:
    """Whether a key that is not known seems to be text, or to say where it is or (`graded`) how relevant."""
    if key in _TEXTS:
        return not graded
    words = [word.lower() for word in _WORD_END.split(key)]
    return any(map(_TELLING.fullmatch, words)) or (graded and any(map(_GRADE.match, words)))


def notice_unknown(source: Source, unknown: set[str]) -> None:
    """Say which keys of a file mean nothing to us."""
    if unknown:
        source.notices.add(f"unknown keys were ignored: {short_list(sorted(unknown))}", where=source.name)


def _list_keys(fields: dict[str, Any]) -> str:
    return short_list([key for key, value in fields.items() if value is not None], 6) or "no keys"


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
        fields = _parse(line)
        if not isinstance(fields, dict):
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
