"""Documents as records: JSON objects, and the objects of frameworks, read by key and attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from excerpt.corpus.document import Document, tidy
from excerpt.corpus.source import require_text
from excerpt.errors import FormatError, short, short_list

#: How ids and texts are called; of several the first counts.
IDS = ("_id", "id", "doc_id", "docno", "document")
TEXTS = ("text", "contents", "body", "page_content")
#: How frameworks call texts that may be parts of documents: LangChain and Haystack.
FRAMEWORK_TEXTS = ("page_content", "content")
#: Where these say which document a text is of.
_BESIDE, _WITHIN = ("metadata", "meta"), ("source", "source_id")
#: LlamaIndex: the document that a node is of, and the id of a document.
OF_NODES, _OWN = "ref_doc_id", "id_"
_ALL_TEXTS = (*TEXTS, "content")
_TITLES, _KINDS = ("title",), ("kind", "type")
_ATTRIBUTES = (OF_NODES, *IDS, _OWN, *_ALL_TEXTS, *_TITLES, *_BESIDE)


def read_record(given: object, place: str, line: int | None = None) -> Document:
    """A record as a document; an error says what it lacks.

    >>> read_record({"_id": 7, "text": "A text.", "title": "Its title"}, "corpus.jsonl")
    Document(id='7', text='A text.', title='Its title', kind='', elements=None)
    """
    if isinstance(given, Mapping):
        fields: Mapping[str, Any] = given
    elif isinstance(given, tuple) and len(given) == 2:
        fields = {"id": given[0], "text": given[1]}
    else:
        fields = _attributes(given)
    identifier = _identifier(fields)
    text = _first(fields, _ALL_TEXTS)
    if not identifier or text is None:
        lacking, names = ("text", TEXTS) if identifier else ("id", IDS)
        raise FormatError(
            f"found {_show(given, fields)}, expected a document with its {lacking} as {short_list(names)}",
            path=place,
            line=line,
        )
    title = tidy(_first(fields, _TITLES))
    kind = _first(fields, _KINDS)
    text = require_text(text, place, line)
    return Document(identifier, text, title, kind if isinstance(kind, str) else "")


def _attributes(given: object) -> dict[str, Any]:
    return {name: value for name in _ATTRIBUTES if (value := getattr(given, name, None)) is not None}


def _identifier(fields: Mapping[str, Any]) -> str:
    """The id; of texts of frameworks, that of the document they are of goes before their own."""
    own = [fields.get(name) for name in (OF_NODES, *IDS, _OWN)]
    inner = [fields[name] for name in _BESIDE if isinstance(fields.get(name), Mapping)]
    beside = [_first(some, _WITHIN) for some in inner]
    known = [*beside, *own] if any(name in fields for name in FRAMEWORK_TEXTS) else [*own, *beside]
    return next(filter(None, map(_name, known)), "")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def _name(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else ""


def _show(given: object, fields: Mapping[str, Any]) -> str:
    if isinstance(given, Mapping):
        return f"the keys {short_list(map(str, given))}" if given else "an empty object"
    return f"{short(repr(given))} of type {type(given).__name__}" if not fields else type(given).__name__
