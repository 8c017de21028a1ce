"""Citations in the answers of language models, wherever they stand in the object that was saved."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

from excerpt.formats.source import HEAD_BYTES, Source

#: Which of the numbered things of a request a citation speaks of.
Numbered: TypeAlias = Literal["documents", "search_results"]


class Characters(NamedTuple):
    """Text of the document with a number: characters `start` to `end`."""

    number: Any
    start: Any
    end: Any
    quote: str | None


class Blocks(NamedTuple):
    """Blocks `first` up to, but not with, `last` of what has a number."""

    of: Numbered
    number: Any
    first: Any
    last: Any
    quote: str | None


class Chunk(NamedTuple):
    """A chunk by one of its names, or by its number; what is counted besides is the answer."""

    names: tuple[Any, ...]
    why: str


class Elsewhere(NamedTuple):
    """Something that is no stretch of a text that we have."""

    why: str


Citation: TypeAlias = Characters | Blocks | Chunk | Elsewhere

_ANSWER = "whose offsets count the answer, not the source ({})"
_OPENAI, _COHERE, _LANGCHAIN = (_ANSWER.format(name) for name in ("OpenAI", "Cohere", "LangChain"))
_GEMINI = _ANSWER.format("Gemini, in bytes")
#: Citations of Anthropic and OpenAI that say by their type what they are.
_OF_PAGES = "which names pages, not characters"
_OF_WEB = "of a page of the web, which has no offsets in it"
_ELSEWHERE = {"page_location": _OF_PAGES, "web_search_result_location": _OF_WEB}
_OF_OPENAI = {"file_citation", "url_citation", "container_file_citation", "file_path"}


#: What an answer may stand under; and what the sentences of an answer of TREC RAG do.
_ANSWERS = ("response", "content", "output", "message", "statements_with_citations", "candidates", "choices")
SENTENCES = ("responses", "answer")


def answers_in(source: Source) -> Literal["citations", "trec-rag"] | None:
    """Of which format the answers in a file are: more than text, or sentences with citations; if any."""
    first = _first(source, ("citations", *_ANSWERS))
    sentences = next((some for key in SENTENCES if isinstance(some := first.get(key), list)), [])
    if any(isinstance(one, Mapping) and "citations" in one for one in sentences):
        return "trec-rag"
    return "citations" if any(isinstance(first.get(key), list | dict) for key in _ANSWERS) else None


def _first(source: Source, keys: Sequence[str]) -> Mapping[str, Any]:
    """The first object of a file of JSON that has one of these keys near its beginning; else nothing."""
    head = source.data[:HEAD_BYTES]
    if not source.starts_with(b"{", b"[") or not any(f'"{key}"'.encode() in head for key in keys):
        return {}
    try:
        first = json.loads(head.lstrip().partition(b"\n")[0])  # a large file need not be looked at as a whole
    except (ValueError, RecursionError):
        first = source.gold_file.first
    first = first[0] if isinstance(first, list) and first else first
    return first if isinstance(first, Mapping) else {}


def find_citations(given: Any) -> Iterator[Citation]:
    """All citations in an object, in the order in which they stand."""
    waiting = [given]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            found = _read(value)
            if found is not None:
                yield from found
                continue
            waiting += reversed(list(value.values()))
        elif isinstance(value, list):
            waiting += reversed(value)


def _read(value: Mapping[str, Any]) -> list[Citation] | None:
    """What an object cites; None where it is no citation, but may have some in it."""
    for read in (_anthropic, _bedrock, _longcite, _langchain, _openai, _cohere, _gemini):
        found = read(value)
        if found is not None:
            return found
    return None


def _anthropic(value: Mapping[str, Any]) -> list[Citation] | None:
    kind, quote = value.get("type"), _text(value.get("cited_text"))
    if not isinstance(kind, str):
        return None
    if kind in _ELSEWHERE:
        return [Elsewhere(_ELSEWHERE[kind])]
    if kind == "char_location":
        start, end = value.get("start_char_index"), value.get("end_char_index")
        return [Characters(value.get("document_index"), start, end, quote)]
    if kind in {"content_block_location", "search_result_location"}:
        of: Numbered = "documents" if kind == "content_block_location" else "search_results"
        number = value.get("document_index" if of == "documents" else "search_result_index")
        return [Blocks(of, number, value.get("start_block_index"), value.get("end_block_index"), quote)]
    return None


def _bedrock(value: Mapping[str, Any]) -> list[Citation] | None:
    location = value.get("location")
    if not isinstance(location, Mapping):
        return None
    parts = [part.get("text") for part in _list(value.get("sourceContent")) if isinstance(part, Mapping)]
    quote = "".join(filter(None, map(_text, parts))) or None
    for name, place in location.items():
        if not isinstance(place, Mapping):
            continue
        number, start, end = place.get("documentIndex"), place.get("start"), place.get("end")
        if name == "documentChar":
            return [Characters(number, start, end, quote)]
        if name == "documentChunk":
            return [Blocks("documents", number, start, end, quote)]
        if name == "searchResultLocation":
            return [Blocks("search_results", place.get("searchResultIndex"), start, end, quote)]
        if name in {"documentPage", "web"}:
            return [Elsewhere(_OF_PAGES if name == "documentPage" else _OF_WEB)]
    return None


def _longcite(value: Mapping[str, Any]) -> list[Citation] | None:
    if "start_char_idx" not in value or "end_char_idx" not in value:
        return None
    quote = _text(value.get("cite"))
    return [Characters(value.get("document_index", 0), value["start_char_idx"], value["end_char_idx"], quote)]


def _langchain(value: Mapping[str, Any]) -> list[Citation] | None:
    """LangChain keeps the offsets in the source among the extras, where it keeps them."""
    if value.get("type") != "citation":
        return None
    extras = value.get("extras")
    known = extras if isinstance(extras, Mapping) else {}
    if "start_char_index" in known:
        number = known.get("document_index")
        quote = _text(value.get("cited_text"))
        return [Characters(number, known["start_char_index"], known.get("end_char_index"), quote)]
    return [Chunk((value.get("title"), value.get("url")), _LANGCHAIN)]


def _openai(value: Mapping[str, Any]) -> list[Citation] | None:
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _OF_OPENAI:
        return None
    inner = value.get(kind)
    known = {**value, **inner} if isinstance(inner, Mapping) else value
    return [Chunk(tuple(known.get(name) for name in ("file_id", "filename", "url")), _OPENAI)]


def _cohere(value: Mapping[str, Any]) -> list[Citation] | None:
    if (
        not {"start", "end", "sources"} <= value.keys()
        and not {"start", "end", "document_ids"} <= value.keys()
    ):
        return None
    found: list[Citation] = []
    for source in _list(value.get("sources")) or _list(value.get("document_ids")) or [None]:
        document = source.get("document") if isinstance(source, Mapping) else None
        inner = document.get("id") if isinstance(document, Mapping) else None
        own = source.get("id") if isinstance(source, Mapping) else source
        found.append(Chunk((own, inner), _COHERE))
    return found


def _gemini(value: Mapping[str, Any]) -> list[Citation] | None:
    supports = value.get("groundingSupports", value.get("grounding_supports"))
    if not isinstance(supports, list):
        return None
    found: list[Citation] = []
    for support in supports:
        known = support if isinstance(support, Mapping) else {}
        numbers = known.get("groundingChunkIndices", known.get("grounding_chunk_indices"))
        found += [Chunk((number,), _GEMINI) for number in _list(numbers) or (None,)]
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
