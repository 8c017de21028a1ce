"""What the values of results and judgments are called, in JSON, dictionaries and data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

from excerpt.errors import short, short_list

#: What we read, and how others spell it; where several spellings are given, the first counts.
KEYS = {
    "topic": ("topic", "topic_id", "query_id", "query-id", "qid", "query", "question_id"),
    "document": (
        "document",
        "document_id",
        "doc_id",
        "docno",
        "docid",
        "doc",
        "ref_doc_id",
        "source_id",
        "source",
        "corpus_id",
        "corpus-id",
        "file_path",
    ),
    "start": (
        "start",
        "start_index",
        "start_char_idx",
        "start_char_index",
        "start_char",
        "begin",
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
}
#: The key that each spelling means.
SPELLINGS = {spelling: key for key, spellings in KEYS.items() for spelling in spellings}
#: What it costs to read a result, as far as it is told.
COSTS = ("tokens", "words")
#: The text of a result itself: then it is a passage, and its place must be told.
TEXTS = ("text", "page_content", "content")
#: How the text of a result was placed: then start and end count, whatever else a framework wrote.
HOW = "how"
#: Keys with spellings that must not contradict each other.
NUMBERS = ("start", "end", "score")
#: Where frameworks keep what they know of a text.
NESTED = ("metadata", "meta")
#: What keys are called that say where text is, or how relevant it is.
_TELLING = re.compile("start|begin|end|offsets?|spans?|from|to|chars?|xpath")
_WORD_END = re.compile("[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
_GRADE = re.compile("rel|grade|label|judg|qrel")


def rename(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by the keys of `KEYS`; what frameworks keep one level down counts where nothing else tells.

    >>> rename({"qid": "1", "colour": "red", "metadata": {"source": "A", "start_index": 0}})
    {'colour': 'red', 'topic': '1', 'document': 'A', 'start': 0}
    """
    inner = [fields[name] for name in NESTED if isinstance(fields.get(name), Mapping)]
    found: dict[str, Any] = {
        key: value
        for key, value in fields.items()
        if key not in SPELLINGS and not (key in NESTED and isinstance(value, Mapping))
    }
    for key, spellings in KEYS.items():
        given = [some[spelling] for some in (fields, *inner) for spelling in spellings if spelling in some]
        if given:
            found[key] = next((value for value in given if value is not None), None)
    return found


def contradictions(fields: Mapping[str, Any]) -> list[str]:
    """Spellings of one number with different values; where a text was placed, start and end count.

    >>> contradictions({"start": 3, "start_index": -1, "end": 5}), contradictions({"start": 3, "begin": 3})
    (['start', 'start_index'], [])
    """
    for key in NUMBERS if HOW not in fields else ():
        both = [spelling for spelling in KEYS[key] if fields.get(spelling) is not None]
        if any(fields[spelling] != fields[both[0]] for spelling in both[1:]):
            return both
    return []


def looks_like_location(key: str, *, graded: bool = False) -> bool:
    """Whether a key that is not known seems to be text, or to say where it is or (`graded`) how relevant."""
    if key in TEXTS:
        return not graded
    words = [word.lower() for word in _WORD_END.split(key)]
    return any(map(_TELLING.fullmatch, words)) or (graded and any(map(_GRADE.match, words)))


def telling_keys(keys: Iterable[str], *, graded: bool = False) -> list[str]:
    """The keys that are not known and seem to tell where text is, or how relevant."""
    return [key for key in sorted(set(keys) - KEYS.keys()) if looks_like_location(key, graded=graded)]


def name_of(value: object) -> str:
    """An id, which may be a number, as text; empty where a value is none.

    >>> name_of("a"), name_of(7), name_of(None)
    ('a', '7', '')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if isinstance(value, Integral) and not isinstance(value, bool) else ""


def show_given(given: object) -> str:
    """What was given as a document or a chunk, for messages."""
    if isinstance(given, Mapping):
        return f"the keys {short_list(map(str, given))}" if given else "an empty object"
    return f"{short(repr(given))} of type {type(given).__name__}"


def nowhere(value: object) -> str:
    """Why an offset may not be one: what tools write that did not find a chunk in its document.

    >>> nowhere(-1)
    'LangChain writes -1 where it did not find the chunk in its document; ⟨command=place⟩ finds it'
    """
    if value is None:
        return f"LlamaIndex writes None {_LOST}"
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - NaN is not
        return "pandas writes nan where a value is missing"
    return f"LangChain writes -1 {_LOST}" if isinstance(value, Integral) and value == -1 else ""


_LOST = "where it did not find the chunk in its document; ⟨command=place⟩ finds it"
