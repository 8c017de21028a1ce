"""Search in the texts of documents: words next to each other, in any case."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

#: Fewest characters of a search, and characters shown around what was found.
_LEAST, _AROUND = 2, 48
#: Documents with the words that are enough, and characters and documents that one request reads.
_ENOUGH, _AT_ONCE, _DOCUMENTS = 50, 4_000_000, 200
_SPACE = re.compile(r"\s+")


def pattern_of(words: str) -> re.Pattern[str] | None:
    r"""Pattern of words that follow each other; None if they are too short to search texts for.

    >>> bool(pattern_of("liquidated damages").search("LIQUIDATED\n  Damages"))
    True
    >>> pattern_of("a ")
    """
    parts = words.split()
    if len(words.strip()) < _LEAST:
        return None
    return re.compile(r"\s+".join(map(re.escape, parts)), re.IGNORECASE)


def find_in(text: str, pattern: re.Pattern[str]) -> dict[str, Any] | None:
    """First place of a pattern with the text around it, and how often it occurs; None if it does not.

    >>> find_in("He pays liquidated damages.", pattern_of("Liquidated Damages"))["before"]
    'He pays '
    """
    first = pattern.search(text)
    if first is None:
        return None
    start, end = first.span()
    return {
        "start": start,
        "end": end,
        "before": ("…" if start > _AROUND else "") + _line(text[max(0, start - _AROUND) : start]),
        "found": _line(first[0]),
        "after": _line(text[end : end + _AROUND]) + ("…" if end + _AROUND < len(text) else ""),
        "count": 1 + sum(1 for _ in pattern.finditer(text, end)),
    }


def search_texts(
    documents: Sequence[int], text_of: Callable[[int], str | None], words: str, begin: int
) -> dict[str, Any]:
    """Documents, by their places, with the words, from one place on; `next` is where to go on, or None."""
    pattern, hits, characters = pattern_of(words), list[dict[str, Any]](), 0
    if pattern is None:
        return {"hits": [], "next": None}
    for place in range(begin, len(documents)):
        if len(hits) >= _ENOUGH or characters >= _AT_ONCE or place - begin >= _DOCUMENTS:
            return {"hits": hits, "next": place}
        text = text_of(documents[place]) or ""
        characters += len(text)
        if (hit := find_in(text, pattern)) is not None:
            hits.append({"document": place, **hit})
    return {"hits": hits, "next": None}


def _line(text: str) -> str:
    return _SPACE.sub(" ", text)
