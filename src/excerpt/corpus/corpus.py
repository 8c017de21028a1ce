"""Corpus: text by id, from files, archives, an index, or memory; nothing is read before it is asked for."""

from __future__ import annotations

import hashlib
import os
import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, TypeVar

from excerpt.corpus.document import Document, Opened, Source
from excerpt.corpus.records import from_memory
from excerpt.documents.cuts import Cutting
from excerpt.documents.entry import Ids, spellings, table_of, twice
from excerpt.errors import ExcerptError, plural, short
from excerpt.gold.file import Context

if TYPE_CHECKING:
    from excerpt.notices import Notices
    from excerpt.placing.chunks import Chunks, Lost

T = TypeVar("T")
#: What names a document; a whole number means its digits.
Id: TypeAlias = str | int
#: Characters of text that are kept for the next time.
_ROOM = 1 << 22
_EACH, _ELEMENT = 1 << 10, 32  # what a document takes besides its text, and each of its elements


class Recent(Generic[T]):
    """A cache: values by key, as many of the last ones as fit into `room`; a larger one is not kept.

    >>> recent = Recent(room=3, size=len)
    >>> recent.get("a", lambda: "xx"), recent.get("a", lambda: "never made again")
    ('xx', 'xx')
    """

    def __init__(self, *, room: int, size: Callable[[T], int]) -> None:
        self._room, self._size = room, size
        self._used = 0
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value of a key, made where it is not here."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        with self._lock:
            self._keep(key, value)
        return value

    def _keep(self, key: Hashable, value: T) -> None:
        size = self._size(value)
        if key in self._values or size > self._room:
            return
        self._values[key] = value
        self._used += size
        while self._used > self._room:
            _, old = self._values.popitem(last=False)
            self._used -= self._size(old)


class UnknownDocument(ExcerptError, KeyError):
    """An id that no document of a corpus has."""


class Corpus(Mapping[str, str]):
    """The documents that offsets count in: ids to texts and, of XML, to elements.

    >>> corpus = Corpus({"a": "Some text.", "b": "Other text."})
    >>> len(corpus), corpus["a"][5:9], corpus.length("b")
    (2, 'text', 11)

    `Corpus.read` opens files, folders and archives. An id may be written in several ways: it means the
    document whose own id it is, else the only one whose path it is, whose path without extension, whose file
    name, or whose file name without extension, in this order. `blocks` says what elements of a collection are
    where documents are shown: tags to the names of blocks.
    """

    def __init__(self, documents: object, *, blocks: Mapping[str, str] | None = None) -> None:
        """The documents of a mapping, a data frame, or an iterable of dictionaries or framework documents."""
        opened = documents if isinstance(documents, Opened) else None
        self._sources = opened.sources if opened else [from_memory(documents)]
        self._firsts = [0, *accumulate(map(len, self._sources))]
        self._recent: Recent[Document] = Recent(room=_ROOM, size=_size)
        self._lengths: dict[Id, int] = {}
        self.blocks: Mapping[str, str] = dict(blocks or {})
        #: How many files of the corpus are no documents.
        self.left_out = opened.left_out if opened else 0
        self._shown = _shown([os.fspath(path) for path in opened.paths]) if opened else "in memory"
        #: Worker processes open the files themselves; of what may be gone through once they get the records.
        kept = documents if isinstance(documents, Mapping) else self._sources[0]
        self._again = opened[2:] if opened else (kept,)
        if not len(self):
            raise ExcerptError("found an empty corpus, expected documents")
        self._check_distinct()

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *more: str | os.PathLike[str],
        ids: Ids = "stem",
        context: Context = "paragraph",
        document_tag: str | None = None,
        id_from: str | None = None,
        blocks: Mapping[str, str] | None = None,
    ) -> Corpus:
        """The documents of files, folders, patterns, archives, JSON Lines, or an index with text.

        Documents are files that end in .txt, .md or .xml, also with .gz behind it. `ids` are those of XML
        documents, as in an index: file names (`stem`), or paths (`path`). Files of questions with evidence
        may have texts, too; of the SQuAD family a document is a `paragraph` or, by `context`, an `article`.
        Files of many documents are cut as `build_index` cuts them: TREC's by `<DOC>` and `<DOCNO>`, others
        by `document_tag` and `id_from`.
        """
        from excerpt.corpus.sources import open_paths

        cutting = Cutting.of(document_tag, id_from, ids)
        return cls(open_paths([path, *more], ids, context, cutting), blocks=blocks)

    def _check_distinct(self) -> None:
        """An error where documents of two sources have the same id."""
        for place, source in enumerate(self._sources[1:], start=1):
            for number, identifier in enumerate(source.ids()):
                for other in self._sources[:place]:
                    if (known := other.find(identifier)) >= 0:
                        raise twice(identifier, other.place(known), source.place(number))

    def __reduce__(self) -> tuple[object, ...]:
        return _make_again, (self._again, self.blocks)

    def __eq__(self, other: object) -> bool:
        return self is other  # not by reading all documents

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        others = f", {plural(self.left_out, 'other file')} left out" if self.left_out else ""
        return f"<Corpus {self._shown}: {plural(len(self), 'document')}{others}>"

    def __len__(self) -> int:
        return self._firsts[-1]

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(source.ids() for source in self._sources)

    def __contains__(self, identifier: object) -> bool:
        return self._find(identifier) is not None

    def __getitem__(self, identifier: Id) -> str:
        source, number, key = self._need(identifier)
        source.check(number)  # what is kept from before may not be what is there now
        return self._recent.get(("text", key), lambda: Document("", source.text(number))).text

    def document(self, identifier: Id) -> Document:
        """A document with title, kind and elements, under its own id."""
        source, number, key = self._need(identifier)
        source.check(number)
        return self._recent.get(
            ("document", key), lambda: source.document(number)._replace(id=source.id(number))
        )

    def length(self, identifier: Id) -> int:
        """How many code points the text of a document has."""
        if (length := self._lengths.get(identifier)) is None:
            source, number, _ = self._need(identifier)
            length = self._lengths[identifier] = source.length(number)
        return length

    def hash(self, identifier: Id) -> str:
        """The SHA-256 of the text of a document, in UTF-8."""
        return hashlib.sha256(self[identifier].encode()).hexdigest()

    def fingerprint(self) -> str:
        """The SHA-256 of all documents as they are stored; every file is read, that of an index is enough."""
        return hashlib.sha256(b"".join(source.digest() for source in self._sources)).hexdigest()

    def resolve(self, identifier: Id) -> str | None:
        """The own id of the document that an id means; None where there is none."""
        found = self._find(identifier)
        return None if found is None else self._own_id(found)

    def names(self, identifier: Id) -> tuple[str, ...]:
        """Every id that means the same document, its own first; but for names of files that are no text."""
        source, number, key = self._need(identifier)
        path = source.path(number)
        written = [self._own_id(key), *(spellings(path) if path else ())]
        return tuple(name for name in dict.fromkeys(written) if self._find(name) == key and _is_text(name))

    def place(
        self,
        chunks: object,
        *,
        name: str = "chunks",
        text: str | None = None,
        document: str | None = None,
        lost: Lost = "error",
        notices: Notices | None = None,
    ) -> Chunks:
        """Where chunks stand in their documents: found by their text and their order, never trusted.

        `chunks` are objects of LangChain, LlamaIndex, Haystack or chonkie, dictionaries or a data frame with
        their names for document, text, start and end, or, by document, texts or pairs (start, end). Those of
        a document come in its order. `text` is the key of what the model reads where that is not the text
        itself, such as `window`; `document` the key of the document, or the id of that of all chunks. Chunks
        that stand nowhere are an error unless `lost` is `count` (they are read in vain) or `drop`.

        >>> chunks = Corpus({"A": "One, two. One, two."}).place({"A": ["One,", "two. One,", "two."]})
        >>> [(chunk.start, chunk.end) for chunk in chunks]
        [(0, 4), (5, 14), (15, 19)]
        """
        from excerpt.placing.placement import place_chunks

        return place_chunks(self, chunks, name=name, text=text, document=document, lost=lost, notices=notices)

    def _need(self, identifier: Id) -> tuple[Source, int, int]:
        """The source of a document, its number there, and its number here."""
        found = self._find(identifier)
        if found is None:
            self._unknown(identifier)
        source, number = self._at(found)
        return source, number, found

    def _unknown(self, identifier: Any) -> NoReturn:
        some = [repr(short(name)) for name, _ in zip(self, range(3), strict=False)]
        raise UnknownDocument(
            f"found no document {short(str(identifier))!r} in the corpus ({self._shown}), "
            f"expected one of its {len(self)} ids such as {', '.join(some)}"
        )

    def _find(self, identifier: object) -> int | None:
        if not isinstance(identifier, str):
            if not isinstance(identifier, Integral) or isinstance(identifier, bool):
                return None
            identifier = str(identifier)
        for first, source in zip(self._firsts, self._sources, strict=False):
            if (number := source.find(identifier)) >= 0:
                return first + number
        return self._spellings.get(identifier)

    def _at(self, key: int) -> tuple[Source, int]:
        place = bisect_right(self._firsts, key) - 1
        return self._sources[place], key - self._firsts[place]

    def _own_id(self, key: int) -> str:
        source, number = self._at(key)
        return source.id(number)

    @cached_property
    def _spellings(self) -> dict[str, int]:
        """What documents with paths may be called besides their ids; made where an id is not known."""
        return table_of(
            (first + number, path)
            for first, source in zip(self._firsts, self._sources, strict=False)
            for number in range(len(source))
            if (path := source.path(number))
        )


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def _size(document: Document) -> int:
    return len(document.text) + _EACH + _ELEMENT * len(document.elements or ())


def _shown(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _make_again(again: tuple[Any, ...], blocks: Mapping[str, str]) -> Corpus:
    """The corpus of the same documents in another process."""
    if len(again) == 1:
        return Corpus(*again, blocks=blocks)
    from excerpt.corpus.sources import open_paths

    return Corpus(open_paths(*again), blocks=blocks)
