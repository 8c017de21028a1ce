"""Documents as records: JSON Lines, mappings, data frames, and the objects of frameworks.

Of JSON Lines one pass finds where each line is and its id; a line is read when it is asked for. In most files
the id comes first in a line, so that it is known without reading the line as JSON. It is compared when the
document is fetched.
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from excerpt.corpus.document import Document, Numbered, Source, decode, require_text, tidy
from excerpt.errors import ExcerptError, FormatError, short, short_list
from excerpt.model.field_names import NESTED, name_of, show_given

if TYPE_CHECKING:
    from excerpt.documents.storage import StoredFile

#: How ids and texts are called; of several the first counts.
IDS = ("_id", "id", "doc_id", "docno", "document")
TEXTS = ("text", "contents", "body", "page_content")
#: How frameworks call texts that may be parts of documents: LangChain and Haystack.
FRAMEWORK_TEXTS = ("page_content", "content")
#: Where these say which document a text is of.
_WITHIN = ("source", "source_id")
#: LlamaIndex: the document that a node is of, and the id of a document.
OF_NODES, _OWN = "ref_doc_id", "id_"
_ALL_TEXTS = (*TEXTS, "content")
_TITLES, _KINDS = ("title",), ("kind", "type")
_ATTRIBUTES = (OF_NODES, *IDS, _OWN, *_ALL_TEXTS, *_TITLES, *NESTED)
_KIND = "jsonl"
_BEGINNING = re.compile(
    rb'\s*\{\s*"(' + "|".join(IDS).encode() + rb')"\s*:\s*(?:"([^"\\\x00-\x1f]+)"|(0|[1-9]\d{0,17}))\s*[,}]'
)
#: What may stand later in a line and counts more than the key at its beginning.
_LATER = {
    name.encode(): [f'"{other}"'.encode() for other in (OF_NODES, *IDS[:place], *FRAMEWORK_TEXTS)]
    for place, name in enumerate(IDS)
}
_EXPECTED = "a mapping of ids to texts, a data frame, or documents"


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
        shown = show_given(given) if isinstance(given, Mapping) or not fields else type(given).__name__
        raise FormatError(
            f"found {shown}, expected a document with its {lacking} as {short_list(names)}",
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
    inner = [fields[name] for name in NESTED if isinstance(fields.get(name), Mapping)]
    beside = [_first(some, _WITHIN) for some in inner]
    known = [*beside, *own] if any(name in fields for name in FRAMEWORK_TEXTS) else [*own, *beside]
    return next(filter(None, map(name_of, known)), "")


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((fields[name] for name in names if fields.get(name) is not None), None)


class JsonLines(Numbered):
    """Documents in the lines of a file."""

    def __init__(self, file: StoredFile) -> None:
        self._file = file
        self._offsets, self._sizes, self._lines = array("q"), array("q"), array("q")
        super().__init__(self._scan())

    def _scan(self) -> Iterator[str]:
        """The ids of all lines, and where these are."""
        offset = 0
        for line, content in enumerate(self._file.lines(), start=1):
            if not content.isspace():
                self._offsets.append(offset)
                self._sizes.append(len(content))
                self._lines.append(line)
                yield _quick_id(content) or self._record(content, line).id
            offset += len(content)

    def _record(self, content: bytes, line: int) -> Document:
        """The document of a line; an error with what to do about it."""
        try:
            return read_record(self._object(content, line), self._file.name, line)
        except FormatError as error:
            error.hint = error.hint or "repair the line, or leave it out"
            raise

    def _object(self, content: bytes, line: int) -> dict[str, Any]:
        try:
            found = json.loads(decode(content, self._file.name))
        except FormatError as error:
            error.line = line
            raise
        except (ValueError, RecursionError) as error:
            detail = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise FormatError(f"is not JSON: {detail}", path=self._file.name, line=line) from None
        if not isinstance(found, dict):
            shown = short(repr(found))
            raise FormatError(f"found {shown}, expected an object", path=self._file.name, line=line)
        return found

    def place(self, number: int) -> str:
        """The file and the line of a document."""
        return f"{self._file.name}:{self._lines[number]}"

    def check(self, _number: int) -> None:
        """An error where the file has changed."""
        self._file.check()

    def stored(self, number: int) -> bytes:
        """The line of a document."""
        return self._file.read(self._offsets[number], self._sizes[number])

    def document(self, number: int) -> Document:
        """A document."""
        line = self._lines[number]
        document = self._record(self.stored(number), line)
        if self.find(document.id) != number:
            raise ExcerptError(
                f"found a line with several ids, {short(document.id)!r} the last of them, expected one",
                path=self._file.name,
                line=line,
            )
        return document if document.kind else document._replace(kind=_KIND)


def _quick_id(content: bytes) -> str:
    """The id that a line begins with; empty where all of the line must be read to know it."""
    match = _BEGINNING.match(content)
    if match is None:
        return ""
    for key in _LATER[match[1]]:
        if key in content:
            return ""
    try:
        return (match[2] or match[3]).decode()
    except UnicodeDecodeError:
        return ""


class Mapped(Numbered):
    """A mapping of ids to texts, which stays as it is."""

    def __init__(self, texts: Mapping[Any, Any]) -> None:
        self._texts = texts
        self._keys = list(texts)
        super().__init__(map(_key_name, self._keys))

    def place(self, number: int) -> str:
        """The document, for messages."""
        return f"document {self._keys[number]!r}"

    def document(self, number: int) -> Document:
        """A document."""
        return Document("", require_text(self._texts[self._keys[number]], self.place(number)))


def _key_name(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise ExcerptError(f"found {short(repr(key))} as id of a document, expected text")
    return str(key)


class Records(Numbered):
    """Documents with titles and kinds, in memory; `name` is the file that they are of."""

    def __init__(self, documents: Iterable[Document], name: str = "") -> None:
        self._documents, self._name = list(documents), name
        super().__init__(document.id for document in self._documents)

    def place(self, number: int) -> str:
        """The place of a document among the others, or in its file, for messages."""
        return (
            f"document {self.id(number)!r} of {self._name}" if self._name else f"document number {number + 1}"
        )

    def document(self, number: int) -> Document:
        """A document."""
        return self._documents[number]


def from_memory(given: object) -> Source:
    """The documents of a mapping, a data frame or an iterable."""
    if isinstance(given, Mapping):
        return Mapped(given)
    if isinstance(given, Mapped | Records):
        return given
    if _columns(given) is not None:
        return Records(_rows(given))
    if callable(getattr(given, "keys", None)) and callable(getattr(given, "items", None)):
        return Mapped(dict(given.items()))  # type: ignore[attr-defined]
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        hint = "Corpus.read(…) reads files and folders" if isinstance(given, str) else ""
        found = f"found {short(repr(given))} of type {type(given).__name__}"
        raise ExcerptError(f"{found}, expected {_EXPECTED}", hint=hint)
    return Records(read_record(item, f"document number {n}") for n, item in enumerate(given, start=1))


def _columns(given: object) -> list[str] | None:
    """The names of the columns of a data frame; None for anything else."""
    names = getattr(given, "column_names", None)  # Arrow calls its columns so
    names = getattr(given, "columns", None) if names is None else names
    if names is None or not hasattr(given, "__getitem__"):
        return None
    return [str(name) for name in names]


def _rows(frame: Any) -> Iterator[Document]:
    names = _columns(frame) or []
    wanted = [name for name in (*IDS, *TEXTS, "title", "kind", "type") if name in names]
    if not any(name in IDS for name in wanted) or not any(name in TEXTS for name in wanted):
        raise ExcerptError(
            f"found a data frame with the columns {short_list(names)}, expected one of {', '.join(IDS)} and "
            f"one of {', '.join(TEXTS)}"
        )
    from excerpt.model.rows import column_values

    columns = [column_values(frame[name]) for name in wanted]
    for number, values in enumerate(zip(*columns, strict=True), start=1):
        yield read_record(dict(zip(wanted, values, strict=True)), f"row {number}")
