"""Field names of results and judgments in JSON, dictionaries and data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from numbers import Integral
from typing import Any

from excerpt.errors import short, short_list

#: Keys and their spellings in other tools; if several spellings are given, the first counts.
KEYS = {
    "topic": ("topic", "topic_id", "query_id", "query-id", "qid", "query", "question_id"),
    "document": (
        *("document", "document_id", "doc_id", "docno", "docid", "doc", "ref_doc_id", "source_id"),
        *("source", "corpus_id", "corpus-id", "file_path"),
    ),
    "start": (
        *("start", "start_index", "start_char_idx", "start_char_index", "start_char", "begin"),
        "split_idx_start",
    ),
    "end": ("end", "end_index", "end_char_idx", "end_char_index", "end_char"),
    "offset": ("offset",),
    "length": ("length",),
    "path": ("path",),
    "score": ("score", "similarity", "rsv"),
    "rank": ("rank",),
    "run": ("run", "run_id", "tag"),
    "spans": ("spans",),
    "size": ("size",),
    "bep": ("bep",),
    "tokens": ("tokens", "token_count"),
    "words": ("words", "word_count"),
    "lost": ("lost",),
    "characters": ("characters",),
    "lead": ("lead",),
}
#: The key that each spelling means.
SPELLINGS = {spelling: key for key, spellings in KEYS.items() for spelling in spellings}
#: Keys of the cost of reading a result: the first two of all results or none; the characters of its own text,
#: and those of them that precede its span.
COSTS = ("tokens", "words", "characters", "lead")
#: Keys of the text of a result. A result with text is a passage, so it needs a location.
TEXTS = ("text", "page_content", "content")
#: Key of how a chunk was located. With it, start and end count, whatever else a framework wrote.
HOW = "how"
#: Keys with spellings that must not contradict each other.
NUMBERS = ("start", "end", "score")
#: Keys of the objects in which frameworks keep metadata of a text.
NESTED = ("metadata", "meta")
#: Words in keys of locations, and of grades.
_LOCATION = re.compile("start|begin|end|offsets?|spans?|from|to|chars?|xpath")
_WORD_END = re.compile("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_GRADE = re.compile("rel|grade|label|judg|qrel")


def rename(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Rename fields to the keys of `KEYS`; fields of nested metadata count if the key is not given outside.

    >>> rename({"qid": "1", "colour": "red", "metadata": {"source": "A", "start_index": 0}})
    {'colour': 'red', 'topic': '1', 'document': 'A', 'start': 0}
    """
    nested = [name for name in NESTED if isinstance(fields.get(name), Mapping)]
    levels = fields, *(fields[name] for name in nested)
    renamed = {key: fields[key] for key in fields if key not in SPELLINGS and key not in nested}
    for key, places in _plan(*(tuple(filter(SPELLINGS.__contains__, level)) for level in levels)):
        for level, spelling in places:
            renamed[key] = levels[level][spelling]
            if renamed[key] is not None:
                break
    if "question" in renamed and "topic" not in renamed:  # a question is known by its text, too
        renamed["topic"] = renamed.pop("question")
    return renamed


@lru_cache(256)
def _plan(*levels: tuple[str, ...]) -> list[tuple[str, list[tuple[int, str]]]]:
    """Return the keys of `KEYS` that occur, in their order, with the levels and spellings to try."""
    found = (
        (key, [(level, name) for level, names in enumerate(levels) for name in spellings if name in names])
        for key, spellings in KEYS.items()
    )
    return [(key, places) for key, places in found if places]


def contradictions(fields: Mapping[str, Any]) -> list[str]:
    """List spellings of one number with different values; none if a text was located.

    >>> contradictions({"start": 3, "start_index": -1, "end": 5}), contradictions({"start": 3, "begin": 3})
    (['start', 'start_index'], [])
    """
    for key in NUMBERS if HOW not in fields else ():
        both = [spelling for spelling in KEYS[key] if fields.get(spelling) is not None]
        if any(fields[spelling] != fields[both[0]] for spelling in both[1:]):
            return both
    return []


def looks_like_location(key: str, *, graded: bool = False) -> bool:
    """Return whether an unknown key seems to name a text, a location or (`graded`) a grade."""
    if key in TEXTS:
        return not graded
    words = [word.lower() for word in _WORD_END.split(key)]
    return any(map(_LOCATION.fullmatch, words)) or (graded and any(map(_GRADE.match, words)))


def location_keys(keys: Iterable[str], *, graded: bool = False) -> list[str]:
    """List unknown keys that seem to name a text, a location or (`graded`) a grade."""
    return [key for key in sorted(set(keys) - KEYS.keys()) if looks_like_location(key, graded=graded)]


def name_of(value: object) -> str:
    """Return an id, which may be a number, as text; empty if the value is not an id.

    >>> name_of("a"), name_of(7), name_of(None)
    ('a', '7', '')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, Integral) and not isinstance(value, bool) else ""


def show_given(given: object) -> str:
    """Describe a value that was given as a document or a chunk, for messages."""
    if isinstance(given, Mapping):
        noun = "key" if len(given) == 1 else "keys"
        return f"the {noun} {short_list(map(str, given))}" if given else "an empty object"
    return f"{short(repr(given))} of type {type(given).__name__}"


def nowhere(value: object) -> str:
    """Explain a missing offset: the value that a tool writes for a chunk that it did not find.

    >>> nowhere(-1)
    'LangChain writes -1 if a chunk does not occur in its document; ⟨command=place⟩ locates chunks'
    """
    if value is None:
        return f"LlamaIndex writes None {_LOST}"
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN is not
        return "pandas writes nan for a missing value"
    return f"LangChain writes -1 {_LOST}" if isinstance(value, Integral) and value == -1 else ""


_LOST = "if a chunk does not occur in its document; ⟨command=place⟩ locates chunks"
