"""Fields of chunks as libraries give them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.field_names import KEYS, NESTED, name_of, nowhere, show_given
from excerpt.model.rows import read_frame
from excerpt.model.run import is_frame
from excerpt.model.spans import MAX_OFFSET

#: What text, document, start, end, score and id of a chunk are called; of several the first counts.
TEXTS = ("page_content", "text", "content", "contents", "body")
DOCUMENTS = (*KEYS["document"], "parent_id", "file_name")
STARTS, ENDS, SCORES = KEYS["start"], KEYS["end"], KEYS["score"]
IDS = ("id_", "node_id", "chunk_id", "id", "_id")
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
    for name in NESTED:
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
    found = [name_of(value) for value in _values(given, DOCUMENTS if key is None else (key,))]
    related = _get(inner(given), _RELATIONS)
    if key is None and isinstance(related, Mapping):
        found += [name_of(_get(related.get(name), "node_id")) for name in _SOURCE]
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
    value = next((value for name in SCORES if (value := _get(given, name)) is not None), None)
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
    return next(filter(None, (name_of(_get(chunk, name)) for name in IDS)), None)


def told_of(given: object) -> Mapping[str, Any]:
    """What a chunk says besides its text: its metadata, or all keys where it has no such; but no score."""
    chunk = inner(given)
    for name in NESTED:
        if isinstance(beside := _get(chunk, name), Mapping):
            return beside
    own = chunk if isinstance(chunk, Mapping) else {}
    return {name: value for name, value in own.items() if name not in SCORES}


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


_EXPECTED = (
    "chunks of a framework, dictionaries with document and text, or {document: [texts or (start, end)]}"
)


class GivenChunk(NamedTuple):
    """A chunk as it was given; its text is not known where it is nothing but offsets."""

    #: Ids that its document may have, the surest first.
    documents: list[str]
    text: str | None
    start: int | None
    end: int | None
    id: str | None
    #: What was given.
    item: object


class Asked(NamedTuple):
    """How chunks are read: under which key the text is, and the document, or which one it is for all."""

    text: str | None = None
    key: str | None = None
    document: str | None = None
    #: The document of chunks that name none.
    only: str | None = None


class Origin(NamedTuple):
    """Where chunks come from, for messages: a file and its lines, or the list that was given."""

    path: str = ""
    lines: Sequence[int] = ()

    def name(self, number: int) -> str:
        """What to call a chunk."""
        return f"line {self.lines[number]}" if self.path else f"chunk number {number}"

    def error(self, number: int, message: str, hint: str = "") -> ExcerptError:
        """An error in a chunk."""
        if self.path:
            return ExcerptError(message, path=self.path, line=self.lines[number], hint=hint)
        return ExcerptError(message, path=self.name(number), hint=hint)


def given_chunks(chunks: object, asked: Asked, origin: Origin) -> Iterator[GivenChunk]:
    """Every chunk that was given, in order."""
    for number, (document, item) in enumerate(_items(chunks, asked)):
        try:
            chunk = _given(item, document, asked)
        except ExcerptError as error:
            raise origin.error(number, error.message, error.hint) from None
        only = [] if asked.only is None else [asked.only]
        yield chunk if chunk.documents else chunk._replace(documents=only)


def _items(chunks: object, asked: Asked) -> Iterator[tuple[str | None, Any]]:
    """The chunks one by one, each with its document where that is told apart."""
    if isinstance(chunks, Mapping):
        for document, some in chunks.items():
            if isinstance(some, str | bytes) or not isinstance(some, Iterable):
                raise ExcerptError(
                    f"found {short(repr(some))} as chunks of {document!r:.60}, expected a list"
                )
            yield from ((str(document), item) for item in _paired(some))
        return
    if is_frame(chunks):
        columns = read_frame(chunks)
        rows = zip(*columns.values(), strict=True)
        yield from ((asked.document, dict(zip(columns, row, strict=True))) for row in rows)
        return
    if isinstance(chunks, str | bytes) or not isinstance(chunks, Iterable):
        raise ExcerptError(f"found {short(repr(chunks))}, expected {_EXPECTED}")
    yield from ((asked.document, item) for item in chunks)


def _paired(some: Iterable[Any]) -> Iterable[Any]:
    """Chunks of a document; of texts beside their offsets, as semchunk gives them, the pairs."""
    if isinstance(some, tuple) and len(some) == 2 and all(isinstance(part, list) for part in some):
        texts, offsets = some
        if len(texts) == len(offsets) and all(isinstance(pair, tuple) for pair in offsets):
            return [(text, *pair) for text, pair in zip(texts, offsets, strict=True)]
    return some


def _given(item: Any, document: str | None, asked: Asked) -> GivenChunk:
    """One chunk."""
    documents = [] if document is None else [document]
    if type(item).__name__ == "ndarray":  # a row of offsets
        item = tuple(item.tolist()) if item.ndim == 1 else item
    if isinstance(item, str):
        return _checked(GivenChunk(documents, item, None, None, None, item))
    if isinstance(item, tuple | list) and not hasattr(item, "_fields"):
        return _checked(_from_tuple(item, documents))
    text = text_of(item, asked.text)
    start, end = claim_of(item) if asked.text is None or asked.text in TEXTS else (None, None)
    if text is None and asked.text is not None:
        raise ExcerptError(f"found no text {asked.text!r} among {show_given(item)}, expected one")
    documents = documents or documents_of(item, asked.key)
    return _checked(GivenChunk(documents, text, start, end, id_of(item), item))


def _from_tuple(item: tuple[Any, ...] | list[Any], documents: list[str]) -> GivenChunk:
    """A chunk of texts and offsets: document (unless known), text, start, end."""
    names = [value for value in item if isinstance(value, str)]
    offsets = list(item[len(names) :])
    room = 1 if documents else 2
    if list(item[: len(names)]) != names or len(names) > room or len(offsets) not in {0, 2}:
        raise ExcerptError(f"found {short(repr(item))}, expected {_EXPECTED}")
    if not documents and names:
        documents, names = [names[0]], names[1:]
    start, end = map(whole, offsets) if offsets else (None, None)
    if not names and offsets and None in (start, end):
        odd = offsets[0] if start is None else offsets[1]
        raise ExcerptError(
            f"found the offsets {offsets[0]} and {offsets[1]} without a text, expected both or a text",
            hint=nowhere(odd),
        )
    return GivenChunk(documents, names[0] if names else None, start, end, None, item)


def _checked(chunk: GivenChunk) -> GivenChunk:
    """A chunk with all that is needed to place it."""
    if chunk.text is None and (chunk.start is None or chunk.end is None):
        raise ExcerptError(
            f"found {show_given(chunk.item)}, expected a text ({short_list(TEXTS)}), or start and end"
        )
    if chunk.text == "":
        raise ExcerptError("found an empty text, expected some", hint="leave out empty chunks")
    return chunk
