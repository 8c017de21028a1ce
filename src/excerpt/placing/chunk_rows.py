"""Reading of chunks: their text, document, offsets, score and id in the objects of various libraries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, short, short_list
from excerpt.model.run import encode, is_frame
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.notices import Faults, Notices
from excerpt.records.objects import as_mapping, frame_rows, get, is_plain, list_rows, source_of, unwrap
from excerpt.records.record import Coded, Odd, Records, as_number, name_of, nowhere, show_given
from excerpt.records.results import fingerprints_in
from excerpt.records.rows import ABSENT, RowTable, is_absent
from excerpt.records.spellings import NESTED, ROLES

if TYPE_CHECKING:
    from excerpt.model.tokens import Tokens

#: Names of text, document, start, score and id of a chunk; if a chunk has several, the first is used.
_ROLES = ROLES["chunk"]
TEXTS, DOCUMENTS = _ROLES["text"], _ROLES["document"]
_NUMBERS = (int, float, np.number)
SCORES, IDS = _ROLES["score"], _ROLES["id"]


def _values(item: object, names: tuple[str, ...]) -> Iterator[Any]:
    """The values of a chunk under several names, its own before those of its metadata."""
    chunk = unwrap(item)
    yield from _own(chunk, names)
    for name in NESTED:
        if (metadata := get(chunk, name)) is not None and isinstance(metadata, dict | Mapping):
            yield from _own(metadata, names)


def _own(holder: object, names: tuple[str, ...]) -> Iterator[Any]:
    values = (get(holder, name) for name in names)
    return (value for value in values if value is not None and not is_absent(value))


def documents_of(item: object, key: str | None = None) -> list[str]:
    """All values that may be the id of the document of a chunk, the most reliable first.

    >>> documents_of({"metadata": {"source": "a.txt"}, "page_content": "…"})
    ['a.txt']
    """
    names = [name_of(value) for value in _values(item, DOCUMENTS if key is None else (key,))]
    if key is None:
        names.append(name_of(source_of(unwrap(item))))
    return list(dict.fromkeys(filter(None, names)))


def text_of(item: object, key: str | None = None) -> str | None:
    """The text of a chunk, or another one under a `key` such as `window`.

    >>> text_of({"text": "One.", "metadata": {"window": "Zero. One."}}, "window")
    'Zero. One.'
    """
    names = TEXTS if key is None else (key,)
    return next((value for value in _values(item, names) if isinstance(value, str)), None)


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
    for holder in (chunk,) if chunk is item else (chunk, item):
        for name in IDS:
            if (value := get(holder, name)) is not None and (found := name_of(value)):
                return found
    return None


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


def metadata_of(item: object) -> Mapping[str, Any]:
    """The metadata of a chunk; without any, all its keys except the score."""
    chunk = unwrap(item)
    for name in NESTED:
        if isinstance(metadata := get(chunk, name), Mapping):
            return metadata
    own = chunk if isinstance(chunk, Mapping) else {}
    return {name: value for name, value in own.items() if name not in SCORES}


def value_of(item: object, role: str) -> object:
    """The start or the tokens that a chunk names, None without any."""
    return next(_values(item, _ROLES[role]), None)


def token_column(
    given: IntArray, texts: Sequence[str], tokens: Tokens | None, notices: Notices
) -> IntArray | None:
    """Return the tokens of chunks: as given for all of them, else as counted; None if they are unknown."""
    missing = int((given < 0).sum())
    if len(given) and not missing:
        return given
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


class ChunkOptions(NamedTuple):
    """Options to read chunks: the keys of the text and of the document, or the document of all chunks."""

    text: str | None = None
    key: str | None = None
    document: str | None = None
    #: The document of chunks that name no document.
    only: str | None = None


class ChunkOrigin(NamedTuple):
    """Origin of chunks, for messages: a file and its lines or rows, or a list."""

    path: str = ""
    lines: Sequence[int] = ()
    unit: str = "line"

    def name(self, number: int) -> str:
        """Name of a chunk in messages."""
        return f"{self.unit} {self.lines[number]}" if self.path else f"chunk number {number}"

    def error(self, number: int, message: str, hint: str = "") -> ExcerptError:
        if self.path:
            line = self.lines[number]
            return ExcerptError(message, path=self.path, line=line, unit=self.unit, hint=hint)
        return ExcerptError(message, path=self.name(number), hint=hint)


class ChunkColumns(NamedTuple):
    """Chunks as columns, in the order given."""

    #: The caller's objects, and the document of each if it is given beside it.
    items: Sequence[object]
    given: Sequence[str | None]
    #: The most reliable id of the document of each; empty without one.
    documents: list[str]
    #: Texts; None if only offsets are given.
    texts: list[str | None]
    #: Claimed offsets; -1 without any.
    start: IntArray
    end: IntArray
    ids: list[str | None]
    #: Numbers of tokens; -1 without one.
    tokens: IntArray
    options: ChunkOptions
    #: Fingerprints of the documents of which a chunk has one.
    fingerprints: Mapping[str, str]

    def names(self, row: int) -> Iterator[str]:
        """All possible ids of the document of a chunk, the most reliable first."""
        if first := self.documents[row]:
            yield first
        if self.given[row] is None:
            yield from documents_of(self.items[row], self.options.key)


def read_chunks(chunks: object, options: ChunkOptions, origin: ChunkOrigin) -> ChunkColumns:
    """Read chunks; raise the first fault."""
    items, given = _items(chunks, options)
    faults, rows = Faults("", keep=True, most=1), list[Mapping[str, Any]]()
    for number, item in enumerate(items):
        try:
            rows.append(item if is_plain(item) else _fields(item, has_document=given[number] is not None))
        except ExcerptError as error:
            raise origin.error(number, error.message) from None
    records = Records(RowTable.of(None, rows), "chunk", faults)
    documents = documents_in(records, items, options.key)
    found = ChunkColumns(
        items,
        given,
        [name or own or options.only or "" for name, own in zip(given, documents, strict=True)],
        texts_in(records, items, options.text),
        offsets_in(records, "start", options.text),
        offsets_in(records, "end", options.text),
        ids_in(records),
        tokens_in(records),
        options,
        _fingerprints(records, documents),
    )
    _check(records, found)
    if faults:
        first = faults.found[0]
        raise origin.error((first.line or 1) - 1, first.message, first.hint)
    return found


def _fingerprints(records: Records, documents: Sequence[str]) -> Mapping[str, str]:
    if not records.has("fingerprint") and not records.has("sha256"):
        return {}
    return fingerprints_in(records, Coded(*encode(documents)))


def documents_in(records: Records, items: Sequence[object], key: str | None = None) -> list[str]:
    """The most reliable id of the document of each chunk; empty without one."""
    if key is not None:
        return [next(iter(documents_of(item, key)), "") for item in items]
    values = records.values("document")
    if set(map(type, values)) == {str} and "" not in values:
        return values
    pairs = zip(values, items, strict=True)
    return [
        value if isinstance(value, str) and value else next(iter(documents_of(item)), "")
        for value, item in pairs
    ]


def texts_in(records: Records, items: Sequence[object] = (), key: str | None = None) -> list[str | None]:
    """The text of each chunk, or another one under a key; None without one."""
    if key is not None:
        return [text_of(item, key) for item in items]
    values = records.values("text")
    if set(map(type, values)) == {str}:
        return values
    return [value if isinstance(value, str) else None for value in values]


def offsets_in(records: Records, role: str, key: str | None = None) -> IntArray:
    """Claimed starts or ends of the texts of chunks, not of other texts under a key; -1 without any."""
    values = records.values(role) if key is None or key in TEXTS else []
    if not values:
        return np.full(len(records), UNKNOWN, np.int64)
    nowhere_ = [value == UNKNOWN if isinstance(value, _NUMBERS) else False for value in values]
    return records.whole(role, nowhere_too=np.array(nowhere_, np.bool_))


def ids_in(records: Records) -> list[str | None]:
    """The own id of each chunk, None without one; those in metadata are of something else."""
    table = records.table
    columns = [table.values(name) for name in IDS if name in table.keys]
    if len(columns) == 1 and set(map(type, columns[0])) == {str} and "" not in columns[0]:
        return columns[0]
    return [next(filter(None, map(name_of, row)), None) for row in zip(*columns, strict=True)] or [
        None
    ] * len(records)


def tokens_in(records: Records) -> IntArray:
    """The number of tokens that each chunk names, -1 without one; lists of tokens are ignored."""
    if not records.has("tokens"):
        return np.full(len(records), UNKNOWN, np.int64)
    values = records.values("tokens")
    values[:] = [
        value if isinstance(value, Real) and not isinstance(value, bool) else ABSENT for value in values
    ]
    return records.whole("tokens")


def _items(chunks: object, options: ChunkOptions) -> tuple[list[Any], list[str | None]]:
    """List the chunks, and the document of each if that is given separately."""
    if not isinstance(chunks, Mapping):
        rows = frame_rows(chunks) if is_frame(chunks) else list_rows(chunks, _EXPECTED)
        return rows, [options.document] * len(rows)
    found: list[Any] = []
    given: list[str | None] = []
    for document, items in chunks.items():
        if isinstance(items, str | bytes) or not isinstance(items, Iterable):
            message = f"found {short(repr(items))} as chunks of {document!r:.60}, expected a list"
            raise ExcerptError(message)
        found.extend(_paired(items))
        given += [str(document)] * (len(found) - len(given))
    return found, given


def _paired(items: Iterable[Any]) -> Iterable[Any]:
    """Chunks of a document; a list of texts and a list of offsets, as semchunk returns them, are paired."""
    if isinstance(items, tuple) and len(items) == 2 and all(isinstance(part, list) for part in items):
        texts, offsets = items
        if len(texts) == len(offsets) and all(isinstance(pair, tuple) for pair in offsets):
            return [(text, *pair) for text, pair in zip(texts, offsets, strict=True)]
    return items


def _fields(item: Any, *, has_document: bool) -> Mapping[str, Any]:
    """The fields of a chunk of any form: a text, a tuple, an object of a framework; none of another value."""
    if isinstance(item, np.ndarray) and item.ndim == 1:  # a row of offsets
        item = tuple(item.tolist())
    if isinstance(item, str):
        return {"text": item}
    if hasattr(item, "_asdict"):
        return dict(item._asdict())
    if not isinstance(item, tuple | list):
        return as_mapping(item, "chunk") or {}
    names = [value for value in item if isinstance(value, str)]
    offsets, roles = item[len(names) :], ("text",) if has_document else ("document", "text")
    if list(item[: len(names)]) != names or len(names) > len(roles) or len(offsets) not in {0, 2}:
        raise ExcerptError(f"found {short(repr(item))}, expected {_EXPECTED}")
    places = zip(("start", "end"), offsets, strict=False)
    return {**dict(zip(roles, names, strict=False)), **dict(places)}


def _check(records: Records, found: ChunkColumns) -> None:
    """Report chunks that cannot be located."""
    key, start, end = found.options.text, found.start, found.end
    bare = np.array([not text for text in found.texts], np.bool_)
    empty = np.array([text == "" for text in found.texts], np.bool_) if bare.any() else bare
    bare &= ~empty
    expected = f"a text ({short_list(TEXTS)}), or start and end" if key is None else f"the text {key!r}"
    for row in np.flatnonzero(bare & ((start < 0) | (end < 0) | (key is not None))).tolist():
        given = (records.values(role)[row] for role in ("start", "end") if key is None)
        hint = next(filter(None, (nowhere(value) for value in given if value is not ABSENT)), "")
        records.fault(row, f"found {show_given(found.items[row])}, expected {expected}", hint)
    records.report(empty, "the text of the chunk is empty", "leave out empty chunks")
    order = "found end {} before start {}, expected an end at or after the start".format
    records.report((end < start) & (end >= 0), lambda row: order(end[row], start[row]))
