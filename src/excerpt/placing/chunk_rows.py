"""Reading of chunks: their text, document, offsets, score and id in the objects of various libraries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.run import is_frame
from excerpt.model.spans import MAX_OFFSET, IntArray
from excerpt.notices import Notices
from excerpt.records.record import Odd, as_number, name_of, nowhere, show_given
from excerpt.records.rows import frame_rows, get, is_absent, source_of, unwrap
from excerpt.records.spellings import NESTED, ROLES

if TYPE_CHECKING:
    from excerpt.model.tokens import Tokens

#: Names of text, document, start, end, score and id of a chunk; if a chunk has several, the first is used.
_ROLES = ROLES["chunk"]
TEXTS, DOCUMENTS, STARTS, ENDS = (_ROLES[role] for role in ("text", "document", "start", "end"))
SCORES, IDS = _ROLES["score"], _ROLES["id"]


def _values(item: object, names: tuple[str, ...]) -> Iterator[Any]:
    """The values of a chunk under several names, its own before those of its metadata."""
    chunk = unwrap(item)
    yield from _own(chunk, names)
    for name in NESTED:
        metadata = get(chunk, name)
        if isinstance(metadata, dict | Mapping):
            yield from _own(metadata, names)


def _own(holder: object, names: tuple[str, ...]) -> Iterator[Any]:
    return (value for name in names if not is_absent(value := get(holder, name)))


def documents_of(item: object, key: str | None = None) -> list[str]:
    """All values that may be the id of the document of a chunk, the most reliable first.

    >>> documents_of({"metadata": {"source": "a.txt"}, "page_content": "…"})
    ['a.txt']
    """
    names = [name_of(value) for value in _values(item, DOCUMENTS if key is None else (key,))]
    if key is None:
        names.append(name_of(source_of(unwrap(item))))
    return list(dict.fromkeys(filter(None, names)))


def document_of(item: object) -> str | None:
    """The id of the document of a chunk, None without one."""
    return next(iter(documents_of(item)), None)


def text_of(item: object, key: str | None = None) -> str | None:
    """The text of a chunk, or another one under a `key` such as `window`.

    >>> text_of({"text": "One.", "metadata": {"window": "Zero. One."}}, "window")
    'Zero. One.'
    """
    names = TEXTS if key is None else (key,)
    return next((value for value in _values(item, names) if isinstance(value, str)), None)


def claim_of(item: object) -> tuple[int | None, int | None]:
    """The claimed start and end of a chunk; None for -1, None and NaN.

    >>> claim_of({"start_index": -1}), claim_of({"start": 3, "end": 7.0})
    ((None, None), (3, 7))
    """
    start, end = (next(map(read_offset, _values(item, names)), None) for names in (STARTS, ENDS))
    if start is not None and end is not None and end < start:
        raise ExcerptError(f"found the end {end} before the start {start}, expected start <= end")
    return start, end


def score_of(item: object) -> float | None:
    """The score of a result, None without one."""
    value = next((value for name in SCORES if (value := get(item, name)) is not None), None)
    return None if value is None else score(value)


def score(value: object) -> float:
    """Convert a number to a score."""
    try:
        return as_number(value)
    except Odd as odd:
        raise ExcerptError(f"found {short(repr(value))} as score, expected {odd.expected}") from None


def id_of(item: object) -> str | None:
    """The own id of a chunk, None without one; a point of Qdrant has it beside the chunk."""
    chunk = unwrap(item)
    holders = (chunk,) if chunk is item else (chunk, item)
    return next(filter(None, (name_of(get(one, name)) for one in holders for name in IDS)), None)


def chroma_rows(given: object) -> list[list[dict[str, Any]]] | None:
    """List the results of each question in what Chroma returned; None for another value.

    >>> chroma_rows({"ids": [["a"]], "documents": [["One."]], "metadatas": None})
    [[{'id': 'a', 'text': 'One.'}]]
    """
    if not isinstance(given, Mapping) or not {"ids", "documents", "metadatas"} <= given.keys():
        return None
    names = {"id": "ids", "text": "documents", "metadata": "metadatas"}
    columns = {key: given[name] for key, name in names.items() if given[name] is not None}
    try:
        rows = [zip(*lists, strict=True) for lists in zip(*columns.values(), strict=True)]
        return [[dict(zip(columns, row, strict=True)) for row in question] for question in rows]
    except (TypeError, ValueError):
        raise ExcerptError("found lists of different lengths, expected what Chroma's query returns") from None


def results_of(given: object) -> object:
    """List the results in what a retriever returned for a question; other values stay as they are."""
    if is_frame(given):
        return frame_rows(given)
    if (rows := chroma_rows(given)) is not None:
        return rows[0] if len(rows) == 1 else given
    inner = [one for one in given.values() if isinstance(one, Mapping)] if isinstance(given, Mapping) else []
    holders = (given, *inner)  # a pipeline of Haystack has the results of its components inside
    lists = (get(one, name) for one in holders for name in ("source_nodes", "points", "documents"))
    return next((results for results in lists if isinstance(results, list)), given)


def tokens_of(item: object) -> int | None:
    """The number of tokens that a chunk names, None without one; lists of tokens are ignored.

    >>> tokens_of({"text": "One.", "tokens": 2}), tokens_of({"tokens": ["One", "."]})
    (2, None)
    """
    value = next(_values(item, ("tokens",)), None)  # chonkie's token_count may count characters
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else None
    if number is not None and not (0 <= number <= MAX_OFFSET and number == int(number)):
        raise ExcerptError(f"found {short(repr(value))} as tokens, expected a whole number from 0 on")
    return None if number is None else int(number)


def metadata_of(item: object) -> Mapping[str, Any]:
    """The metadata of a chunk; without any, all its keys except the score."""
    chunk = unwrap(item)
    for name in NESTED:
        if isinstance(metadata := get(chunk, name), Mapping):
            return metadata
    own = chunk if isinstance(chunk, Mapping) else {}
    return {name: value for name, value in own.items() if name not in SCORES}


def read_offset(value: Any) -> int | None:
    """Read an offset; None for -1, which LangChain writes if it did not find the chunk."""
    number: Any = value if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if number == -1:
        return None
    if 0 <= number <= 2 * MAX_OFFSET and number == int(number):
        return int(number)
    raise ExcerptError(
        f"found {short(repr(value))} as offset, expected a whole number of characters, None or -1"
    )


def token_column(
    given: Sequence[int | None], texts: Sequence[str], tokens: Tokens | None, notices: Notices
) -> IntArray | None:
    """Return the tokens of chunks: as given for all of them, else as counted; None if they are unknown."""
    missing = given.count(None)
    if given and not missing:
        return np.array(given, np.int64)
    if missing < len(given):
        end = "no tokens; the column tokens is ignored"
        notices.add(f"chunk has {end}", f"chunks have {end}", missing)
    if tokens is None:
        return None
    from excerpt.model.tokens import count_tokens

    return count_tokens(tokens, texts)


_EXPECTED = (
    "chunks of a framework, dictionaries with document and text, or {document: [texts or (start, end)]}"
)


class ChunkRecord(NamedTuple):
    """A chunk as read from the caller's object; its text is None if only offsets were given."""

    #: Possible ids of its document, the most reliable first.
    documents: list[str]
    text: str | None
    start: int | None
    end: int | None
    id: str | None
    #: The caller's object.
    item: object
    tokens: int | None = None


class ReadingOptions(NamedTuple):
    """Options to read chunks: the keys of the text and of the document, or the document of all chunks."""

    text: str | None = None
    key: str | None = None
    document: str | None = None
    #: The document of chunks that name no document.
    only: str | None = None


class Origin(NamedTuple):
    """Origin of chunks, for messages: a file and its lines, or a list."""

    path: str = ""
    lines: Sequence[int] = ()

    def name(self, number: int) -> str:
        """Name of a chunk in messages."""
        return f"line {self.lines[number]}" if self.path else f"chunk number {number}"

    def error(self, number: int, message: str, hint: str = "") -> ExcerptError:
        if self.path:
            return ExcerptError(message, path=self.path, line=self.lines[number], hint=hint)
        return ExcerptError(message, path=self.name(number), hint=hint)


def read_chunks(chunks: object, options: ReadingOptions, origin: Origin) -> Iterator[ChunkRecord]:
    """Read all chunks, in order."""
    for number, (document, item) in enumerate(_items(chunks, options)):
        try:
            chunk = _read_chunk(item, document, options)
        except ExcerptError as error:
            raise origin.error(number, error.message, error.hint) from None
        only = [] if options.only is None else [options.only]
        yield chunk if chunk.documents else chunk._replace(documents=only)


def _items(chunks: object, options: ReadingOptions) -> Iterator[tuple[str | None, Any]]:
    """Yield the chunks one by one, each with its document if that is given separately."""
    if isinstance(chunks, Mapping):
        for document, items in chunks.items():
            if isinstance(items, str | bytes) or not isinstance(items, Iterable):
                found = f"found {short(repr(items))} as chunks of {document!r:.60}"
                raise ExcerptError(f"{found}, expected a list")
            yield from ((str(document), item) for item in _paired(items))
        return
    if is_frame(chunks):
        yield from ((options.document, row) for row in frame_rows(chunks))
        return
    if isinstance(chunks, str | bytes) or not isinstance(chunks, Iterable):
        raise ExcerptError(f"found {short(repr(chunks))}, expected {_EXPECTED}")
    yield from ((options.document, item) for item in chunks)


def _paired(items: Iterable[Any]) -> Iterable[Any]:
    """Chunks of a document; a list of texts and a list of offsets, as semchunk returns them, are paired."""
    if isinstance(items, tuple) and len(items) == 2 and all(isinstance(part, list) for part in items):
        texts, offsets = items
        if len(texts) == len(offsets) and all(isinstance(pair, tuple) for pair in offsets):
            return [(text, *pair) for text, pair in zip(texts, offsets, strict=True)]
    return items


def _read_chunk(item: Any, document: str | None, options: ReadingOptions) -> ChunkRecord:
    documents = [] if document is None else [document]
    if type(item).__name__ == "ndarray":  # a row of offsets
        item = tuple(item.tolist()) if item.ndim == 1 else item
    if isinstance(item, str):
        return _checked(ChunkRecord(documents, item, None, None, None, item))
    if isinstance(item, tuple | list) and not hasattr(item, "_fields"):
        return _checked(_from_tuple(item, documents))
    text = text_of(item, options.text)
    start, end = claim_of(item) if options.text is None or options.text in TEXTS else (None, None)
    if text is None and options.text is not None:
        raise ExcerptError(f"found {show_given(item)}, expected the text {options.text!r}")
    documents = documents or documents_of(item, options.key)
    return _checked(ChunkRecord(documents, text, start, end, id_of(item), item, tokens_of(item)))


def _from_tuple(item: tuple[Any, ...] | list[Any], documents: list[str]) -> ChunkRecord:
    """Read a tuple: document (unless known), text, start, end."""
    names = [value for value in item if isinstance(value, str)]
    offsets = list(item[len(names) :])
    room = 1 if documents else 2
    if list(item[: len(names)]) != names or len(names) > room or len(offsets) not in {0, 2}:
        raise ExcerptError(f"found {short(repr(item))}, expected {_EXPECTED}")
    if not documents and names:
        documents, names = [names[0]], names[1:]
    start, end = map(read_offset, offsets) if offsets else (None, None)
    if not names and offsets and None in (start, end):
        message = f"found the offsets {offsets[0]} and {offsets[1]} without a text, expected both or a text"
        raise ExcerptError(message, hint=nowhere(offsets[0] if start is None else offsets[1]))
    return ChunkRecord(documents, names[0] if names else None, start, end, None, item)


def _checked(chunk: ChunkRecord) -> ChunkRecord:
    """Return a chunk if it can be located; raise an error otherwise."""
    if chunk.text is None and (chunk.start is None or chunk.end is None):
        raise ExcerptError(
            f"found {show_given(chunk.item)}, expected a text ({short_list(TEXTS)}), or start and end"
        )
    if chunk.text == "":
        raise ExcerptError("the text of the chunk is empty", hint="leave out empty chunks")
    return chunk
