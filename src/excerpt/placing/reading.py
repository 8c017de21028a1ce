"""What a chunk tells of itself: read by key and attribute, so that no framework has to be there.

LangChain, LlamaIndex, Haystack and chonkie call the same things differently, and keep some of them in
`metadata` or `meta`. A result of LlamaIndex has its chunk under `node`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from numbers import Integral, Real
from typing import Any

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.field_names import KEYS
from excerpt.model.spans import MAX_OFFSET

#: What text, document, start, end, score and id of a chunk are called; of several the first counts.
TEXTS = ("page_content", "text", "content", "contents", "body")
DOCUMENTS = (*KEYS["document"], "parent_id", "file_name")
STARTS, ENDS, SCORES = KEYS["start"], KEYS["end"], KEYS["score"]
IDS = ("id_", "node_id", "chunk_id", "id", "_id")
_BESIDE = ("metadata", "meta")
#: LlamaIndex, written as a dictionary: what a node is made from stands among its relationships under 1.
_RELATIONS, _SOURCE = "relationships", ("1", "SOURCE")


def _get(given: object, name: str) -> Any:
    """What a chunk has under a name; None where it has nothing, or something that is to be called."""
    if isinstance(given, dict | Mapping):  # dictionaries are known much faster
        return given.get(name)
    kind: Any = type(given)
    field = _is_field(kind, name)
    value = given.__dict__.get(name) if field else getattr(given, name, None)
    return None if callable(value) else value


@cache
def _is_field(kind: type, name: str) -> bool:
    """Whether a type of pydantic, which says slowly what it lacks, has a name in its fields only."""
    config = getattr(kind, "model_config", None)
    if not isinstance(config, dict) or config.get("extra") == "allow":
        return False
    return not hasattr(kind, name)


def inner(given: object) -> object:
    """The chunk itself, where it comes with more around it: results of LlamaIndex, what LangChain writes."""
    node = _get(given, "node")
    if node is None and isinstance(given, dict) and "lc" in given:
        node = given.get("kwargs")
    return given if node is None or isinstance(node, str | int) else node


def _values(given: object, names: tuple[str, ...]) -> Iterator[Any]:
    """What a chunk has under several names, its own before what stands in its metadata."""
    chunk = inner(given)
    yield from _own(chunk, names)
    for name in _BESIDE:
        beside = _get(chunk, name)
        if isinstance(beside, dict | Mapping):
            yield from _own(beside, names)


def _own(holder: object, names: tuple[str, ...]) -> Iterator[Any]:
    for name in names:
        value = _get(holder, name)
        if value is not None and not (isinstance(value, float) and math.isnan(value)):  # frames have NaN
            yield value


def documents_of(given: object, key: str | None = None) -> list[str]:
    """All that may be the id of the document that a chunk is of, the surest first.

    >>> documents_of({"metadata": {"source": "a.txt"}, "page_content": "…"})
    ['a.txt']
    """
    found = [_name(value) for value in _values(given, DOCUMENTS if key is None else (key,))]
    related = _get(inner(given), _RELATIONS)
    if key is None and isinstance(related, Mapping):
        found += [_name(_get(related.get(name), "node_id")) for name in _SOURCE]
    return list(dict.fromkeys(filter(None, found)))


def document_of(given: object) -> str | None:
    """The id of the document that a chunk is of; None where it tells none."""
    return next(iter(documents_of(given)), None)


def text_of(given: object, key: str | None = None) -> str | None:
    """The text of a chunk; `key` is what it is called, where that is not its own text, such as `window`.

    >>> text_of({"text": "One.", "metadata": {"window": "Zero. One."}}, "window")
    'Zero. One.'
    """
    names = TEXTS if key is None else (key,)
    return next((value for value in _values(given, names) if isinstance(value, str)), None)


def claim_of(given: object) -> tuple[int | None, int | None]:
    """Where a chunk is said to start and to end; -1, None and NaN tell nothing.

    >>> claim_of({"start_index": -1}), claim_of({"start": 3, "end": 7.0})
    ((None, None), (3, 7))
    """
    start, end = (next(map(whole, _values(given, names)), None) for names in (STARTS, ENDS))
    if start is not None and end is not None and end < start:
        raise ExcerptError(f"found the end {end} before the start {start}, expected it after")
    return start, end


def score_of(given: object) -> float | None:
    """The score of a result; None where it has none."""
    value = _get(given, SCORES[0])
    if value is None:
        value = next((_get(given, name) for name in SCORES[1:] if _get(given, name) is not None), None)
    return None if value is None else score(value)


def score(value: object) -> float:
    """A number as a score."""
    if isinstance(value, bool) or not isinstance(value, Real) or value != value:  # noqa: PLR0124 - NaN
        raise ExcerptError(f"found {short(repr(value))} as score, expected a number")
    try:
        return float(value)
    except OverflowError:
        raise ExcerptError("found a score of more than 300 digits, expected a smaller number") from None


def id_of(given: object) -> str | None:
    """The own id of a chunk; None where it has none."""
    chunk = inner(given)
    return next(filter(None, (_name(_get(chunk, name)) for name in IDS)), None)


def told_of(given: object) -> Mapping[str, Any]:
    """What a chunk says besides its text: its metadata, or all keys where it has no such; but no score."""
    chunk = inner(given)
    for name in _BESIDE:
        if isinstance(beside := _get(chunk, name), Mapping):
            return beside
    own = chunk if isinstance(chunk, Mapping) else {}
    return {name: value for name, value in own.items() if name not in SCORES}


def _name(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | Integral) and not isinstance(value, bool):
        return str(int(value))
    return ""


def whole(value: Any) -> int | None:
    """An offset; None for -1, which LangChain writes where it did not find the chunk."""
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if number == -1:
        return None
    if 0 <= number <= 2 * MAX_OFFSET and number == int(number):
        return int(number)
    raise ExcerptError(
        f"found {short(repr(value))} as offset, expected a whole number of characters, or None or -1 for none"
    )


def shown(given: object) -> str:
    """What was given, for messages."""
    if isinstance(given, Mapping):
        return f"the keys {short_list(map(str, given))}" if given else "an empty object"
    return f"{short(repr(given))} of type {type(given).__name__}"
