"""Questions of BioASQ task B, phase A, as its program reads them: the gold and systems have one form."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from excerpt.errors import short
from excerpt.files import Input
from excerpt.gold.file import GoldItem, show
from excerpt.official.track_file import TrackFile
from excerpt.records.record import is_text

_INT = 1 << 31
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}(\.0*)?")
_SNIPPET = {"document", "beginSection", "endSection", "offsetInBeginSection", "offsetInEndSection", "text"}
_FILE = 'one JSON object with "questions", a list of objects'


class Snippet(NamedTuple):
    """A snippet; sections without what precedes their first point."""

    document: str
    first: str
    last: str
    begin: int
    end: int

    @property
    def name(self) -> str:
        """The part of the document after its last slash."""
        return self.document.rstrip("/").rpartition("/")[2]

    def meets(self, other: Snippet) -> bool:
        """Return whether two snippets share a character, their ends included."""
        return self.begin <= other.end and self.end >= other.begin


class Triple(NamedTuple):
    """Subject, predicate and object."""

    s: str
    p: str
    o: str


@dataclass(frozen=True)
class BioasqQuestion:
    """What the gold or a system has for a question."""

    documents: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    triples: tuple[Triple, ...] = ()
    snippets: tuple[Snippet, ...] = ()


@dataclass(frozen=True)
class Questions:
    """The questions of a file by id."""

    file: TrackFile
    by_id: Mapping[str, BioasqQuestion]
    #: Questions that a system answers again otherwise, which is ignored.
    again: Sequence[str]


def read_questions(given: Input, *, gold: bool) -> Questions:
    """Read the gold or a system; only a system may have a question twice, of which the first counts."""
    file = TrackFile.open(given)
    whole = file.object(_FILE)
    if "questions" not in whole.value:
        raise file.fault(f"key questions is missing, expected {_FILE}", 1)
    found: dict[str, BioasqQuestion] = {}
    again = []
    for item in whole.each("questions"):
        name = _text(item, "id", missing=None)
        question = _question(item, file)
        if name not in found:
            found[name] = question
        elif gold:
            item.fault(f"found question {short(name)} again, expected each id once")
        elif found[name] != question:
            again.append(name)
    file.settle()
    return Questions(file, found, again)


def _question(item: GoldItem, file: TrackFile) -> BioasqQuestion:
    triples = tuple(
        Triple(*(_text(one, key, missing="", null="") for key in "spo")) for one in _objects(item, "triples")
    )
    snippets = tuple(_snippet(one, file) for one in _objects(item, "snippets"))
    return BioasqQuestion(_names(item, "documents"), _names(item, "concepts"), triples, snippets)


def _snippet(item: GoldItem, file: TrackFile) -> Snippet:
    if unknown := sorted(item.value.keys() - _SNIPPET):
        one, many = (f"snippet{s} unknown keys, which stop the official program" for s in (" has", "s have"))
        file.notices.add(one, many, where=f"{short(unknown[0])} in {file.place(item.line)}")
    sections = (_text(item, key, missing="") for key in ("beginSection", "endSection"))
    first, last = (text.partition(".")[2] if "." in text else text for text in sections)
    offsets = (_whole(item, key) for key in ("offsetInBeginSection", "offsetInEndSection"))
    _text(item, "text", missing="")
    return Snippet(_text(item, "document", missing=""), first, last, *offsets)


def _objects(item: GoldItem, key: str) -> list[GoldItem]:
    return item.each(key) if key in item.value else []


def _names(item: GoldItem, key: str) -> tuple[str, ...]:
    """Return the texts of a list, each once."""
    values = item.values(key, needed=True) if key in item.value else []
    return tuple(dict.fromkeys(_as_text(item, key, value) for value in values))


def _text(item: GoldItem, key: str, *, missing: str | None, null: str | None = None) -> str:
    """Return a text, or a number as text; report all other values."""
    if key not in item.value and missing is not None:
        return missing
    value = item.value.get(key)
    return null if value is None and null is not None else _as_text(item, key, value)


def _as_text(item: GoldItem, key: str, value: Any) -> str:
    if isinstance(value, str) and is_text(value):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    what = "key id is missing" if key == "id" and value is None else f"found {key} {show(value)}"
    item.fault(f"{what}, expected a text")
    return ""


def _whole(item: GoldItem, key: str) -> int:
    """Return a whole number, possibly written as a text or as a decimal; 0 if it is missing."""
    value = item.value.get(key, 0)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    is_number = is_number or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)
    number = float(value) if is_number else math.nan
    if not abs(number) < _INT or number != int(number):
        item.fault(f"found {key} {show(value)}, expected a whole number below 2**31")
        return 0
    return int(number)
