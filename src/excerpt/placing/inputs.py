"""Chunks as callers have them: lists and streams of objects, dictionaries and texts, by document, frames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.field_names import nowhere
from excerpt.model.rows import read_frame
from excerpt.model.run import is_frame
from excerpt.placing.reading import TEXTS, claim_of, documents_of, id_of, shown, text_of, whole

_EXPECTED = (
    "chunks of a framework, dictionaries with document and text, or {document: [texts or (start, end)]}"
)


class Given(NamedTuple):
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


def given_chunks(chunks: object, asked: Asked, origin: Origin) -> Iterator[Given]:
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


def _given(item: Any, document: str | None, asked: Asked) -> Given:
    """One chunk."""
    documents = [] if document is None else [document]
    if type(item).__name__ == "ndarray":  # a row of offsets
        item = tuple(item.tolist()) if item.ndim == 1 else item
    if isinstance(item, str):
        return _checked(Given(documents, item, None, None, None, item))
    if isinstance(item, tuple | list) and not hasattr(item, "_fields"):
        return _checked(_from_tuple(item, documents))
    text = text_of(item, asked.text)
    start, end = claim_of(item) if asked.text is None or asked.text in TEXTS else (None, None)
    if text is None and asked.text is not None:
        raise ExcerptError(f"found no text {asked.text!r} among {shown(item)}, expected one")
    documents = documents or documents_of(item, asked.key)
    return _checked(Given(documents, text, start, end, id_of(item), item))


def _from_tuple(item: tuple[Any, ...] | list[Any], documents: list[str]) -> Given:
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
    return Given(documents, names[0] if names else None, start, end, None, item)


def _checked(chunk: Given) -> Given:
    """A chunk with all that is needed to place it."""
    if chunk.text is None and (chunk.start is None or chunk.end is None):
        raise ExcerptError(
            f"found {shown(chunk.item)}, expected a text ({short_list(TEXTS)}), or start and end"
        )
    if chunk.text == "":
        raise ExcerptError("found an empty text, expected some", hint="leave out empty chunks")
    return chunk
