"""Documents as records: JSON Lines, mappings, data frames, and the objects of frameworks.

One pass over JSON Lines finds the offset and the id of each line; a line is parsed when its document is
requested. In most files the id comes first in a line and is found without parsing the line, as is the length
of a text. Such an id is verified when the document is requested.
"""

from __future__ import annotations

import json
import re
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.corpus.document import Document, DocumentSource, Numbered, decode, require_text, tidy
from excerpt.errors import ExcerptError, FormatError, short, short_list
from excerpt.model.run import columns_of, is_frame
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.records.record import name_of, show_given
from excerpt.records.spellings import NESTED, ROLES

if TYPE_CHECKING:
    from msgspec.json import Decoder

    from excerpt.documents.storage import StoredFile

#: Names of the id and of the text of a document; if a record has several, the first is used.
_ROLES = ROLES["document"]
IDS, _ALL_TEXTS = _ROLES["document"], _ROLES["text"]
TEXTS = tuple(name for name in _ALL_TEXTS if name != "content")
#: Names of texts that may be parts of documents, in LangChain and Haystack.
FRAMEWORK_TEXTS = ("page_content", "content")
#: Names of the document's id in their metadata.
_METADATA_IDS = _ROLES["source"]
#: LlamaIndex: the id of a node's document, and the id of a document.
(NODE_DOCUMENT,), (_OWN,) = _ROLES["part"], _ROLES["own"]
_OWN_IDS = (NODE_DOCUMENT, *IDS, _OWN)
_TITLES, _KINDS = _ROLES["title"], _ROLES["kind"]
_ATTRIBUTES = (*_OWN_IDS, *_ALL_TEXTS, *_TITLES, *NESTED)
_KIND = "jsonl"
#: Most titles that are kept of plain lines, which have an id, a text and perhaps a title.
_MOST_TITLES = 1 << 17
_Plain: TypeAlias = tuple[str, str, str]
_LEADING_ID = re.compile(
    rb'\s*\{\s*"(' + "|".join(IDS).encode() + rb')"\s*:\s*(?:"([^"\\\x00-\x1f]+)"|(0|[1-9]\d{0,17}))\s*[,}]'
)
#: Keys that take precedence over the first key of a line if they occur later in it.
_PRECEDING = {
    name.encode(): re.compile(f'"(?:{"|".join((NODE_DOCUMENT, *IDS[:rank], *FRAMEWORK_TEXTS))})"'.encode())
    for rank, name in enumerate(IDS)
}
_BLOCK, _NEWLINE, _BACKSLASH = 1 << 18, *b"\n\\"
_HEX, _ESCAPED = (np.isin(np.arange(256), list(some)) for some in (b"0123456789abcdefABCDEF", b'"/bfnrtu'))
#: What may be around the text of a line whose length is found without parsing it.
_STRING = rb'"(?:[^"\\\x00-\x1f]++|\\["/bfnrt]|\\u[0-9a-fA-F]{4})*+"'
_MORE = rb'(?: *, *"(?:title|url|metadata)" *: *(?:S|\{ *(?:S *: *S *)?\}))*'.replace(b"S", _STRING)
_FIRST = _LEADING_ID.pattern.replace(rb"\s", b" ")[: -len(" *[,}]")]
_HEAD = re.compile(_FIRST + _MORE + rb' *, *"(?:text|contents|body)" *: *"')
_TAIL = re.compile(rb'"' + _MORE + rb" *\} *\r?\n?")
_EXPECTED = "a mapping of ids to texts, a data frame, or documents"


def read_record(record: object, location: str, line: int | None = None) -> Document:
    """Make a document from a record; an error names the missing field.

    >>> read_record({"_id": 7, "text": "A text.", "title": "Its title"}, "corpus.jsonl")
    Document(id='7', text='A text.', title='Its title', kind='', elements=None, pages=())
    """
    if isinstance(record, Mapping):
        fields: Mapping[str, Any] = record
    elif isinstance(record, tuple) and len(record) == 2:
        fields = {"id": record[0], "text": record[1]}
    else:
        fields = _attributes(record)
    identifier = _identifier(fields)
    text = _first(fields, _ALL_TEXTS)
    if not identifier or text is None:
        missing, names = ("a text", TEXTS) if identifier else ("an id", IDS)
        shown = show_given(record) if isinstance(record, Mapping) or not fields else type(record).__name__
        raise FormatError(
            f"found {shown}, expected a document with {missing} (one of {short_list(names)})",
            path=location,
            line=line,
        )
    title = tidy(_first(fields, _TITLES))
    kind = _first(fields, _KINDS)
    text = require_text(text, location, line)
    return Document(identifier, text, title, kind if isinstance(kind, str) else "")


def _attributes(record: object) -> dict[str, Any]:
    return {name: value for name in _ATTRIBUTES if (value := getattr(record, name, None)) is not None}


def _identifier(fields: Mapping[str, Any]) -> str:
    """The id of a document; for a framework's text, the id of its document precedes its own id."""
    own = map(fields.get, _OWN_IDS)
    nested = (fields[name] for name in NESTED if isinstance(fields.get(name), Mapping))
    sources = (_first(metadata, _METADATA_IDS) for metadata in nested)
    ids = chain(own, sources) if fields.keys().isdisjoint(FRAMEWORK_TEXTS) else chain(sources, own)
    return next(filter(None, map(name_of, ids)), "")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


class JsonLines(Numbered):
    """Source for a file with a document in each line."""

    def __init__(self, file: StoredFile) -> None:
        self._file = file
        self._offsets, self._sizes, self._lines = array("q"), array("q"), array("q")
        self._titles: dict[int, str] = {}  # of plain lines
        super().__init__(self._scan())

    def _scan(self) -> Iterator[str]:
        """Yield the ids of all lines and note the offsets of the lines."""
        file, offset, line = self._file.file, 0, 1
        file.seek(0)
        while block := file.read(_BLOCK) + file.readline():
            codes = np.frombuffer(block, np.uint8)
            begins = np.append(0, np.flatnonzero(codes[:-1] == _NEWLINE) + 1)
            ends = np.append(begins[1:], len(block))
            spaces = np.flatnonzero(codes[begins] <= ord(" ")).tolist()
            blank = [row for row in spaces if block[begins[row] : ends[row]].isspace()]
            places = np.delete((begins, ends, np.arange(line, line + len(begins))), blank, axis=1)
            self._offsets.frombytes((places[0] + offset).tobytes())
            self._sizes.frombytes((places[1] - places[0]).tobytes())
            self._lines.frombytes(places[2].tobytes())
            offset, line = offset + len(block), line + len(begins)
            rows = places.tolist()
            ids = _quick_ids(block, *rows[:2])
            if all(ids):
                yield from ids
                continue
            for quick, begin, end, number in zip(ids, *rows, strict=True):
                yield quick or self._record(block[begin:end], number).id

    def _record(self, content: bytes, line: int) -> Document:
        """Read the document of a line; an error gets a hint."""
        try:
            return read_record(self._object(content, line), self._file.name, line)
        except FormatError as error:
            error.hint = error.hint or "repair the line, or leave it out"
            raise

    def _object(self, content: bytes, line: int) -> dict[str, Any]:
        try:
            record = json.loads(decode(content, self._file.name))
        except FormatError as error:
            error.line = line
            raise
        except (ValueError, RecursionError) as error:
            deep = isinstance(error, RecursionError)
            detail = "nested too deeply" if deep else getattr(error, "msg", str(error))
            raise FormatError(f"is not JSON: {detail}", path=self._file.name, line=line) from None
        if not isinstance(record, dict):
            shown = short(repr(record))
            raise FormatError(f"found {shown}, expected an object", path=self._file.name, line=line)
        return record

    def location(self, number: int) -> str:
        return f"{self._file.name}:{self._lines[number]}"

    def file(self, _number: int) -> int:
        return 0

    def check(self, _number: int) -> None:
        self._file.check()

    def stored(self, number: int) -> bytes:
        return self._file.read(self._offsets[number], self._sizes[number])

    def digest(self) -> bytes:
        made = super().digest()
        self._file.check()
        return made

    def _blocks(self, numbers: IntArray) -> Iterator[tuple[IntArray, IntArray, bytes]]:
        """Yield rows of `numbers` that are read together, with the ends and the bytes of their lines."""
        offsets, sizes = np.array(self._offsets)[numbers], np.array(self._sizes)[numbers]
        ends = np.cumsum(sizes)
        opens = np.diff(offsets + sizes, prepend=-1) != sizes  # lines after each other are read in one go
        for rows in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(ends // _BLOCK)) + 1):
            if not len(rows):
                continue
            firsts = np.append(rows[0], rows[1:][opens[rows[1:]]])
            stretches = np.add.reduceat(sizes[rows], firsts - rows[0]).tolist()
            block = b"".join(map(self._file.read, offsets[firsts].tolist(), stretches))
            yield rows, ends[rows] - ends[rows[0]] + sizes[rows[0]], block

    def lengths(self, numbers: IntArray) -> IntArray:
        found = np.full(len(numbers), UNKNOWN)
        with suppress(ExcerptError):  # `length` says what has changed
            for rows, ends, block in self._blocks(numbers):
                found[rows] = _text_lengths(block, np.append(0, ends))
            self._file.check()
            return found
        return np.full(len(numbers), UNKNOWN)

    def texts(self, numbers: Sequence[int]) -> Iterator[str | ExcerptError]:
        """Read plain lines in one go, others by themselves."""
        from msgspec.json import Decoder

        asked, decoder = np.array(numbers, np.int64), Decoder(dict[str, Any])
        try:
            self._file.check()
        except ExcerptError as error:
            yield from repeat(error, len(numbers))
            return
        for rows, _, block in self._blocks(asked):
            plain = _plain_records(decoder, block, len(rows))
            for number, record in zip(asked[rows].tolist(), plain, strict=True):
                if record is None or self.find(record[0]) != number:
                    yield self._text_or_error(number)
                    continue
                if len(self._titles) < _MOST_TITLES:
                    self._titles[number] = record[2]
                yield record[1]
        self._file.check()  # what was read is of the version that was opened

    def with_text(self, number: int, text: str) -> Document | None:
        title = self._titles.get(number)
        return None if title is None else Document("", text, tidy(title), _KIND)

    def document(self, number: int) -> Document:
        line = self._lines[number]
        document = self._record(self.stored(number), line)
        if self.find(document.id) != number:
            raise ExcerptError(
                f"found a line with several ids ({short(document.id)!r} is the last), expected one",
                path=self._file.name,
                line=line,
            )
        return document if document.kind else document._replace(kind=_KIND)


def _plain_records(decoder: Decoder[dict[str, Any]], block: bytes, count: int) -> Iterator[_Plain | None]:
    """Id, text and title of each of the lines of a block; None for one that must be read by itself."""
    try:
        lines = decoder.decode_lines(block)
    except (ValueError, RecursionError):  # a broken or odd line
        lines = []
    return map(_plain_record, lines) if len(lines) == count else repeat(None, count)


def _plain_record(record: dict[str, Any]) -> _Plain | None:
    names = _plain_names(tuple(record))
    if names is None:
        return None
    name, text, title = record[names[0]], record[names[1]], record.get("title") or ""
    name = str(name) if type(name) is int else name
    return (name, text, title) if type(name) is type(text) is type(title) is str else None


@lru_cache(maxsize=64)
def _plain_names(keys: tuple[str, ...]) -> tuple[str, str] | None:
    """Names of the id and of the text, if keys have one of each and nothing that takes precedence."""
    ids, texts = ([key for key in keys if key in some] for some in (IDS, TEXTS))
    is_plain = len(ids) == len(texts) == 1 and {*keys} <= {*ids, *texts, "title", "url", "metadata"}
    is_plain = is_plain and texts[0] not in FRAMEWORK_TEXTS  # their metadata may name the document
    return (ids[0], texts[0]) if is_plain else None


def _quick_ids(block: bytes, begins: list[int], ends: list[int]) -> list[str]:
    """The ids at the beginnings of lines; empty for lines that must be parsed to find their ids."""
    found = [*map(_LEADING_ID.match, repeat(block), begins, ends)]
    if any(_PRECEDING[key].search(block) for key in {match[1] for match in found if match}):
        for row, match in enumerate(found):
            if match and _PRECEDING[match[1]].search(block, match.end(), ends[row]):
                found[row] = None
    ids = [match[2] or match[3] if match else b"" for match in found]
    try:
        return b"\n".join(ids).decode().split("\n") if ids else []
    except UnicodeDecodeError:
        return list(map(_decoded, ids))


def _decoded(name: bytes) -> str:
    try:
        return name.decode()
    except UnicodeDecodeError:
        return ""


def _text_lengths(block: bytes, bounds: IntArray) -> IntArray:
    """Lengths of the texts of plain lines, found without parsing them; -1 for other lines."""
    codes = np.frombuffer(block + bytes(6), np.uint8)
    escapes = np.flatnonzero(codes == _BACKSLASH)
    if (np.diff(escapes) == 1).any():  # a pair becomes another escape, so that each backslash begins one
        return _text_lengths(block.replace(rb"\\", rb"\/"), bounds)
    heads = [_HEAD.match(block, *line) for line in pairwise(bounds.tolist())]
    begins = np.array([head.end() if head else len(block) for head in heads], np.int64)
    marks = np.flatnonzero((codes ^ 2) <= ord(" "))  # quotation marks and control characters
    marks = marks[codes[marks - 1] != _BACKSLASH]
    ends = marks[np.searchsorted(marks, begins)]
    units = escapes[codes[escapes + 1] == ord("u")]
    digits = [codes[units + place] for place in range(2, 6)]
    halves = (digits[0] | 32 == ord("d")) & (digits[1] > ord("7"))  # of surrogate pairs
    spelled = np.logical_and.reduce([_HEX[digit] for digit in digits])
    odd = np.append(escapes[~_ESCAPED[codes[escapes + 1]]], units[halves | ~spelled])
    inner = np.flatnonzero(codes.view(np.int8) < -64)  # all but the first byte of each character
    counted = (np.searchsorted(places, (begins, ends)) for places in (np.sort(odd), escapes, units, inner))
    odds, escaped, long, wide = (after - before for before, after in counted)
    tails = map(_TAIL.fullmatch, repeat(block), ends.tolist(), bounds[1:].tolist())
    good = np.fromiter(map(bool, tails), np.bool_)
    good &= (odds == 0) & (block.isascii() or "\ufffd" not in block.decode(errors="replace"))
    return np.where(good, ends - begins - escaped - 4 * long - wide, UNKNOWN)


class Mapped(Numbered):
    """Source for a mapping of ids to texts, which is not copied; one thread at a time reads it."""

    def __init__(self, texts: Mapping[Any, Any]) -> None:
        self._texts, self._lock = texts, threading.Lock()
        self._keys = list(texts)
        super().__init__(map(_key_name, self._keys))

    def location(self, number: int) -> str:
        return f"document {self._keys[number]!r}"

    def __reduce__(self) -> tuple[object, ...]:
        return Mapped, (self._texts,)

    def document(self, number: int) -> Document:
        with self._lock:
            text = self._texts[self._keys[number]]
        return Document("", require_text(text, self.location(number)))


def _key_name(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise ExcerptError(f"found {short(repr(key))} as id of a document, expected text")
    return str(key)


class DocumentRecords(Numbered):
    """Source for documents in memory, with titles and kinds; `name` is the file that they come from."""

    def __init__(self, documents: Iterable[Document], name: str = "") -> None:
        self._documents, self._name = list(documents), name
        super().__init__(document.id for document in self._documents)

    def location(self, number: int) -> str:
        return (
            f"document {self._documents[number].id!r} of {self._name}"
            if self._name
            else f"document number {number + 1}"
        )

    def document(self, number: int) -> Document:
        return self._documents[number]


def from_memory(documents: object) -> DocumentSource:
    """Make a source from a mapping, a data frame or an iterable."""
    if isinstance(documents, Mapping):
        return Mapped(documents)
    if isinstance(documents, Mapped | DocumentRecords):
        return documents
    if is_frame(documents):
        return DocumentRecords(_rows(documents))
    if callable(getattr(documents, "keys", None)) and callable(getattr(documents, "items", None)):
        return Mapped(dict(documents.items()))  # type: ignore[attr-defined]
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        hint = "Corpus.read(…) reads files and folders" if isinstance(documents, str) else ""
        found = f"found {short(repr(documents))} of type {type(documents).__name__}"
        raise ExcerptError(f"{found}, expected {_EXPECTED}", hint=hint)
    return DocumentRecords(
        read_record(item, f"document number {n}") for n, item in enumerate(documents, start=1)
    )


def _rows(frame: Any) -> Iterator[Document]:
    from excerpt.records.objects import frame_rows

    names = columns_of(frame)
    if not set(IDS).intersection(names) or not set(TEXTS).intersection(names):
        raise ExcerptError(
            f"found a data frame with the columns {short_list(names)}, expected one of {', '.join(IDS)} and "
            f"one of {', '.join(TEXTS)}"
        )
    for number, row in enumerate(frame_rows(frame), start=1):
        yield read_record(row, f"row {number}")
