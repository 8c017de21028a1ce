"""What an assessor did, as it arrives and as it is kept: one action on one document."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from excerpt.assess.refusals import Unfit
from excerpt.errors import plural, short

#: Quotes longer than this are kept as hashes.
LONGEST_QUOTE = 1_000
LONGEST_NOTE = 10_000
_LONGEST_NAME = 100
_DAY = 86_400
_LONGEST_PATH = 10_000
_HASH = "sha256:"


@dataclass(frozen=True)
class Event:
    """One action: on which version of which document it was made, what kind it is, and what belongs to it."""

    id: str
    topic: str
    document: str
    base: int
    kind: str
    body: Mapping[str, Any] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """The version that it makes."""
        return self.base + 1


def _text(most: int, *, least: int = 0) -> Callable[[Any], bool]:
    def fits(value: Any) -> bool:
        return isinstance(value, str) and least <= len(value) <= most and is_text(value)

    return fits


def seconds_in(body: Mapping[str, Any]) -> float:
    """For how long somebody says they worked."""
    seconds = body.get("seconds", 0)
    number = isinstance(seconds, int | float) and not isinstance(seconds, bool)
    if not number or not 0 <= seconds <= _DAY:
        raise Unfit(f"found {short(repr(seconds))} seconds, expected 0 to {_DAY}")
    return float(seconds)


def is_text(value: str) -> bool:
    """Whether a string is text: half a surrogate pair is none, and cannot be kept."""
    return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def _is_version(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)  # any other than the current one is stale


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_grade(value: Any) -> bool:
    parts = value if isinstance(value, list) else [value]
    plain = all(part is None or _is_number(part) or _text(_LONGEST_NAME)(part) for part in parts)
    return plain and len(parts) <= 2


def _is_label(value: Any) -> bool:
    return value is None or _text(_LONGEST_NAME, least=1)(value)


_POSITION = (_is_number, "a whole number of characters")
_QUOTE = (_text(2**31), "the text there")
#: What a field holds: a test, and what to expect in words.
_FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "start": _POSITION,
    "end": _POSITION,
    "quote": _QUOTE,
    "suggestion": (_is_number, "the number of a suggestion"),
    "path": (_text(_LONGEST_PATH, least=1), "the path of an element"),
    "grade": (_is_grade, "a grade"),
    "rest": (_is_flag, "true or false"),
    "sure": (_is_flag, "true or false"),
    "label": (_is_label, "a label"),
    "note": (_text(LONGEST_NOTE), f"text of at most {LONGEST_NOTE} characters"),
    "made": (_text(_LONGEST_NAME), "the time on the client's clock"),
}
_SPAN = ("start", "end", "quote")
#: The fields of every kind: those that must be there, and those that may.
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "highlight": (_SPAN, ("suggestion", "label", "note")),
    "unhighlight": (_SPAN, ()),
    "bep": (("start",), ("end", "quote")),
    "no-bep": ((), ()),
    "grade": (("path",), ("grade", "rest", "sure")),
    "label": ((*_SPAN, "label"), ("note",)),
    "note": (("note",), ()),
    "reject": (("suggestion",), ()),
    "done": ((), ()),
    "reopen": ((), ()),
    "undo": ((), ()),
    "redo": ((), ()),
}
_OF_ALL = {
    "id": (_text(_LONGEST_NAME, least=1), f"text of 1 to {_LONGEST_NAME} characters"),
    "topic": (_text(2**31), "the id of a topic"),
    "document": (_text(2**31), "the id of a document"),
    "base": (_is_version, "the version it was made on"),
    "kind": (_text(_LONGEST_NAME), "the kind of an event"),
}


#: Fields without which no event means something else: a place where none is asked for, what a client says of
#: itself. They are left out.
_HARMLESS = frozenset({*_SPAN, "at", "client", "made"})


def parse_event(given: object) -> Event:
    """An event as it was sent; what its kind does not take is refused, unless it is empty or harmless.

    >>> parse_event({"id": "1", "topic": "7", "document": "a", "base": 0, "kind": "bep", "start": 5}).body
    {'start': 5}
    """
    if not isinstance(given, Mapping):
        raise Unfit(f"found {short(repr(given))}, expected an event")
    head = {name: _value(given, name, *check) for name, check in _OF_ALL.items()}
    if head["kind"] not in KINDS:
        raise Unfit(f"found the kind {short(head['kind'])!r}, expected one of {', '.join(KINDS)}")
    required, optional = KINDS[head["kind"]]
    _refuse_others(given, head["kind"], {*_OF_ALL, *required, *optional, *_HARMLESS})
    present = [name for name in (*optional, "made") if given.get(name) is not None or name == "grade"]
    body = {
        name: _value(given, name, *_FIELDS[name])
        for name in (*required, *present)
        if name in given or name in required
    }
    return Event(**head, body=body)


def _refuse_others(given: Mapping[str, Any], kind: str, known: set[str]) -> None:
    for name in given:
        if name not in known and given[name] not in (None, ""):
            raise Unfit(f"found {short(str(name))!r} with the kind {kind}, expected nothing of that name")


def _value(given: Mapping[str, Any], name: str, fits: Callable[[Any], bool], expected: str) -> Any:
    if name not in given:
        raise Unfit(f"found no {name}, expected {expected}")
    if not fits(given[name]):
        raise Unfit(f"found {short(repr(given[name]))} as {name}, expected {expected}")
    return given[name]


def check_text(event: Event, text: str) -> Event:
    """The event, whose quote is what stands at its place in the text; a long one as its hash."""
    if event.kind == "bep":
        return _check_entry(event, text)
    if "quote" not in event.body:
        return event
    start, end = event.body["start"], event.body["end"]
    if not start < end <= len(text):
        raise Unfit(
            f"found the span [{start}, {end}), expected start < end <= {len(text)}, the length of the text"
        )
    return _check_quote(event, text[start:end])


def _check_entry(event: Event, text: str) -> Event:
    start, end = event.body["start"], event.body.get("end")
    if not start < len(text):
        raise Unfit(f"found the position {start}, expected one before {len(text)}, the end of the text")
    if end is not None and not start <= end <= len(text):
        raise Unfit(f"found the end {end}, expected {start} to {len(text)}")
    if "quote" not in event.body:
        return event
    return _check_quote(event, text[start : start + len(event.body["quote"]) if end is None else end])


def _check_quote(event: Event, there: str) -> Event:
    quote = event.body["quote"]
    if len(there) <= LONGEST_QUOTE:
        if quote != there:
            raise Unfit(f"found the quote {short(quote)!r}, expected {short(there)!r}, which stands there")
        return event
    digest = hashlib.sha256(there.encode()).hexdigest()
    if quote != there and quote.removeprefix(_HASH).lower() != digest:
        raise Unfit(
            f"found the quote {short(quote)!r}, expected the {plural(len(there), 'character')} there, "
            "or their SHA-256"
        )
    return replace(event, body={**event.body, "quote": _HASH + digest})
