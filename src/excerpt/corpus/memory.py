"""Documents at hand: mappings, data frames, and the documents of frameworks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from excerpt.corpus.document import Document
from excerpt.corpus.records import IDS, TEXTS, read_record
from excerpt.corpus.source import Documents, Numbered, require_text
from excerpt.errors import ExcerptError, short, short_list

_EXPECTED = "a mapping of ids to texts, a data frame, or documents"


class Mapped(Numbered):
    """A mapping of ids to texts, which stays as it is."""

    def __init__(self, texts: Mapping[Any, Any]) -> None:
        self._texts = texts
        self._keys = list(texts)
        super().__init__(map(_name, self._keys))

    def place(self, number: int) -> str:
        """The document, for messages."""
        return f"document {self._keys[number]!r}"

    def document(self, number: int) -> Document:
        """A document."""
        return Document("", require_text(self._texts[self._keys[number]], self.place(number)))


def _name(key: object) -> str:
    if not isinstance(key, str | int) or isinstance(key, bool):
        raise ExcerptError(f"found {short(repr(key))} as id of a document, expected text")
    return str(key)


class Records(Numbered):
    """Documents with titles and kinds, in memory."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = list(documents)
        super().__init__(document.id for document in self._documents)

    def place(self, number: int) -> str:
        """The place of a document among the others, for messages."""
        return f"document number {number + 1}"

    def document(self, number: int) -> Document:
        """A document."""
        return self._documents[number]


def from_memory(given: object) -> Documents:
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
    columns = [_values(frame[name]) for name in wanted]
    for number, values in enumerate(zip(*columns, strict=True), start=1):
        yield read_record(dict(zip(wanted, values, strict=True)), f"row {number}")


def _values(column: Any) -> list[Any]:
    """The values of a column, as pandas, polars and Arrow give them."""
    for name in ("to_pylist", "to_list", "tolist"):
        if callable(found := getattr(column, name, None)):
            return list(found())
    return list(column)
