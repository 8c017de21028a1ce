"""Corpus class: lazily read documents by id, from files, archives, an index or memory."""

from __future__ import annotations

import hashlib
import os
import threading
import weakref
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from numbers import Integral
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, TypeVar

import numpy as np

from excerpt._lazy import offered
from excerpt.corpus.document import Document, DocumentSource, Opened, text_of
from excerpt.corpus.text_pass import ReadOutcome, TextPass
from excerpt.errors import HEARS, ExcerptError, plural, short
from excerpt.files import split_parser
from excerpt.gold.file import Context
from excerpt.model.display import InNotebook
from excerpt.model.document_names import Ids, duplicate_id, spellings, unique_spellings, yields_names
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.ids import FoldedNames
    from excerpt.model.tokens import Tokens
    from excerpt.placing.alignment import Alignment
    from excerpt.placing.chunks import Chunks, LostTreatment

T = TypeVar("T")
#: Id of a document; an integer means its decimal digits.
Id: TypeAlias = str | int
#: Characters of text that the cache keeps.
_ROOM = 1 << 22
_PER_DOCUMENT, _PER_ELEMENT = 1 << 10, 32  # their cost in the cache, in characters


class Recent(Generic[T]):
    """Cache of the most recently used values, up to a total size of `room`; larger values are not kept.

    >>> recent = Recent(room=3, size=len)
    >>> recent.get("a", lambda: "xx"), recent.get("a", lambda: "never made again")
    ('xx', 'xx')
    """

    def __init__(self, *, room: int, size: Callable[[T], int]) -> None:
        self._room, self._size = room, size
        self._used = 0
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = threading.Lock()

    def kept(self, key: Hashable) -> T | None:
        """Return the value of a key, if it is in the cache."""
        with self._lock:
            return self._values.get(key)

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the value of a key; if it is not in the cache, make it."""
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


def _in_memory(documents: object) -> DocumentSource:
    from excerpt.corpus.records import from_memory

    return from_memory(documents)


@dataclass(eq=False)
class TextHashes(Mapping[str, str]):
    """SHA-256 of the texts of some documents of a corpus, by id, computed when they are asked for."""

    corpus: Corpus
    names: Sequence[str]

    def __getitem__(self, name: str) -> str:
        if (found := self.corpus.known_hash(name)) is None:
            raise KeyError(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __reduce__(self) -> tuple[object, ...]:
        return dict, ({name: self[name] for name in self.names if name in self},)


class UnknownDocument(ExcerptError, KeyError):
    """An id that no document of a corpus has."""


class Corpus(InNotebook, Mapping[str, str]):
    """The documents that offsets refer to: a mapping of ids to texts, with the elements of XML documents.

    >>> corpus = Corpus({"a": "Some text.", "b": "Other text."})
    >>> len(corpus), corpus["a"][5:9], corpus.length("b")
    (2, 'text', 11)

    `Corpus.read` opens files, folders and archives. A document can be named by its id, else by its path, its
    path without extension, its file name, or its file name without extension, tried in this order, else by
    an id that differs in ending, folders, case, leading zeros, Unicode form, dashes, white space around it
    or a #fragment; all but the id must be unique. `blocks` maps the tags of a collection to the names of
    blocks, for the display of documents.
    """

    def __init__(self, documents: object, *, blocks: Mapping[str, str] | None = None) -> None:
        """Take documents from a mapping, a data frame, or an iterable of dicts or framework documents."""
        opened = documents if isinstance(documents, Opened) else None
        self._sources = opened.sources if opened else [_in_memory(documents)]
        self._firsts = [0, *accumulate(map(len, self._sources))]
        self._recent: Recent[Document] = Recent(room=_ROOM, size=_size)
        self._pass: Callable[[], TextPass | None] = _no_pass
        self._lengths, self._asked = np.full(len(self), UNKNOWN), np.zeros(len(self), np.bool_)
        self._numbered: tuple[object, IntArray] = None, self._lengths
        self._hashes: dict[int, str] = {}
        self.blocks: Mapping[str, str] = dict(blocks or {})
        #: Files of the corpus that are not documents, by ending, and those that cannot be read, by reason.
        self.others: Mapping[str, int] = opened.others if opened else {}
        self.unread: Mapping[str, int] = opened.unread if opened else {}
        #: Names of the parsers that make the texts, if it is not the own reader.
        self.parsers: tuple[str, ...] = opened.parsers if opened else ()
        #: Number of all of these files.
        self.left_out = sum(self.others.values()) + sum(self.unread.values())
        paths = [os.fspath(path) for path in opened.paths] if opened else []
        self._shown = _shown(paths) if opened else "in memory"
        self._roots = list(filter(None, dict.fromkeys(map(_own_folder, paths))))
        # Worker processes open files themselves. An iterable can be read only once, so they get its records.
        in_memory = documents if isinstance(documents, Mapping) else self._sources[0]
        self._rebuild_arguments = (opened.paths, *opened.how) if opened else (in_memory,)
        if not len(self):
            raise ExcerptError("the corpus contains no documents")
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
        include: Sequence[str] = (),
        encoding: str | None = None,
        parser: str | None = None,
        blocks: Mapping[str, str] | None = None,
    ) -> Corpus:
        """Open the documents of files, folders, patterns, archives, tables, or an index with text.

        Documents of a folder are files of prose: text, Markdown, XML, HTML, PDF, Office, notebooks, possibly
        followed by .gz; `include` has patterns such as `*.py` for other text files. Other files of text, and
        tables with a column of texts (`FILE@COLUMN`), are read if they are named. `ids` chooses the ids of
        XML documents, as in an index: file names (`stem`) or paths (`path`). Gold files with texts are read
        as well; `context` makes each `paragraph` or each `article` of the SQuAD family a document. Files of
        many documents are split as by `build_index`: TREC files at `<DOC>` with ids in `<DOCNO>`, other files
        at `document_tag` with ids at `id_from`. Text that is not UTF-8 is of the `encoding`. A `parser` makes
        the texts instead: `source`, `pypdfium2`, `markitdown`, or a function of a path as `module:function`
        or `file.py:function`; a path may end with `@` and its name.
        """
        how = (ids, context, document_tag, id_from, include, encoding, parser)
        opened: Opened = offered("documents").open_paths((path, *more), *how)
        for message, is_warning in opened.said:
            if HEARS:
                HEARS[-1](message, is_warning)
            elif is_warning:
                notices = Notices()
                notices.add(message)
                notices.warn()
        return cls(opened, blocks=blocks)

    def _check_distinct(self) -> None:
        for count, source in enumerate(self._sources[1:], start=1):
            for number, identifier in enumerate(source.ids()):
                for earlier in self._sources[:count]:
                    if (first := earlier.find(identifier)) >= 0:
                        raise duplicate_id(identifier, earlier.location(first), source.location(number))

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self._rebuild_arguments, self.blocks)

    def __eq__(self, other: object) -> bool:
        return self is other  # a comparison of texts would read all documents

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
        texts = self._pass()
        if texts is not None and (kept := texts.get(key)) is not None:
            return kept
        self._check(source, number, key)  # the cached text may be older than the file
        if texts is None:
            text = self._recent.get(("text", key), lambda: Document("", source.text(number))).text
        else:
            texts.keep(key, text := source.text(number))
        self._lengths[key] = len(text)
        return text

    def one_pass(self) -> TextPass:
        """Keep the texts that are read, and compare each file with its stamp once, as long as this lives."""
        if (texts := self._pass()) is None:
            self._pass = weakref.ref(texts := TextPass(self))
        return texts

    def end_pass(self) -> None:
        """Read and compare each file again when it is needed, as a server must."""
        if (texts := self._pass()) is not None:
            texts.forget()
        self._pass = _no_pass

    def texts(self, names: Sequence[str], *, strict: bool = True) -> Iterator[tuple[int, str | None]]:
        """Return the texts of documents by their places in `names`, in the order of the files.

        Unknown ids are left out. A document that cannot be read is an error, but None if not `strict`.

        >>> list(Corpus({"a": "One.", "b": "Two."}).texts(["b", "c", "a"]))
        [(2, 'One.'), (0, 'Two.')]
        """
        numbers = self.numbers(names)
        order = np.argsort(numbers, kind="stable")[int((numbers < 0).sum()) :]
        found = self.one_pass().read(numbers[order].tolist())
        return zip(order.tolist(), map(_need_text if strict else _text_or_none, found), strict=True)

    def named_texts(self, without: Collection[str | None] = ()) -> Iterator[tuple[str, str]]:
        """Yield ids and texts of all documents but some, in the order of the files."""
        names = [name for name in self if name not in without] if without else list(self)
        return ((names[place], text or "") for place, text in self.texts(names))

    def read_texts(self, numbers: Sequence[int]) -> Iterator[ReadOutcome]:
        """Read the texts of documents by number, ascending, or the errors of those that cannot be read."""
        columns, texts = np.array(numbers, np.int64), self._pass()
        for first, source in zip(self._firsts, self._sources, strict=False):
            low, high = columns.searchsorted((first, first + len(source)))
            read = source.texts((columns[low:high] - first).tolist())
            for number, text in zip(numbers[low:high], read, strict=True):
                if isinstance(text, str):
                    self._lengths[number] = len(text)
                    if texts is not None:  # its file was compared
                        texts.is_first((first, source.file(number - first)))
                yield text

    def _check(self, source: DocumentSource, number: int, key: int) -> None:
        """Raise if the file of a document has changed; in a pass it is looked at once."""
        texts = self._pass()
        if texts is None or texts.is_first((key - number, source.file(number))):
            source.check(number)

    def document(self, identifier: Id) -> Document:
        """Return a document with its title, kind and elements, under its own id."""
        source, number, key = self._need(identifier)
        texts = self._pass()
        kept = None if texts is None else texts.get(key)
        if kept is not None and (document := source.with_text(number, kept)) is not None:
            return document._replace(id=source.id(number))
        self._check(source, number, key)
        return self._recent.get(
            ("document", key), lambda: source.document(number)._replace(id=source.id(number))
        )

    def length(self, identifier: Id) -> int:
        """Length of the text of a document in code points."""
        source, number, key = self._need(identifier)
        if self._lengths[key] == UNKNOWN and self._pass() is not None and not source.knows_lengths:
            return len(self[identifier])  # which is kept
        if self._lengths[key] == UNKNOWN:
            self._check(source, number, key)
            self._lengths[key] = source.length(number)
        return int(self._lengths[key])

    def lengths(self, numbers: IntArray) -> IntArray:
        """Lengths of documents by number; -1 for the number -1, and if only `length` can read a document."""
        asked = np.bincount(numbers[numbers >= 0], minlength=len(self)) > 0
        asked |= self._asked.mean() > 1 / 8  # it is faster to read all others in one go
        new = np.flatnonzero(asked & ~self._asked & (self._lengths == UNKNOWN))
        self._asked |= asked
        for first, source in zip(self._firsts, self._sources, strict=False):
            own = new[(new >= first) & (new < first + len(source))]
            self._lengths[own] = source.lengths(own - first)
        return np.where(numbers >= 0, self._lengths[numbers], UNKNOWN)

    def numbers(self, names: Sequence[str]) -> IntArray:
        """Number of the document that each name refers to, -1 without one; kept until the next call."""
        before, found = self._numbered  # at once, since other threads may ask as well
        if before is names:
            return found
        found = np.full(len(names), -1, np.int64)
        for first, source in zip(self._firsts, self._sources, strict=False):
            rest = np.flatnonzero(found < 0)
            some = names if not first else [names[row] for row in rest.tolist()]
            codes = np.fromiter(source.find_all(some), np.int64, len(some))
            found[rest] = np.where(codes >= 0, first + codes, -1)
        rest = np.flatnonzero(found < 0)
        found[rest] = [self._named_by_path(names[row]) for row in rest.tolist()]
        rest = np.flatnonzero(found < 0)
        if len(rest):
            from excerpt.model.ids import one_to_one

            left = [names[row] for row in rest.tolist()]
            found[rest] = one_to_one(left, self.likely(left), set(found[found >= 0].tolist()))
        self._numbered = names, found
        return found

    def likely(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of documents that unknown ids are like, several of one document too; else -1."""
        return self._folded.find_all(names) if names else []

    def behind_folders(self, names: Sequence[str]) -> dict[str, str]:
        """Own ids of documents by ids that all have the same folders in front; none if one is known as it is.

        >>> Corpus({"a": "Some text.", "b": "Other text."}).behind_folders(["docs/a.txt", "docs/c.txt"])
        {'docs/a.txt': 'a'}
        """
        if not names or bool((self.numbers(names) >= 0).any()):
            return {}
        found = zip(names, self._folded.find_behind_folders(names), strict=True)
        return {name: self._own_id(number) for name, number in found if number >= 0}

    def pages(self, identifier: Id) -> Sequence[tuple[int, int]]:
        """Start and end of each page of a document; none if it has no pages."""
        return self.document(identifier).pages

    def hash(self, identifier: Id) -> str:
        """SHA-256 of the text of a document, in UTF-8; it is kept, as is the length."""
        source, number, key = self._need(identifier)
        self._check(source, number, key)
        if key not in self._hashes:
            texts, recent = self._pass(), self._recent.kept(("text", key))
            kept = recent.text if recent else texts.get(key) if texts else None
            data = source.plain(number) if kept is None else kept.encode()
            if data is None:
                data = self[identifier].encode()
            elif self._lengths[key] == UNKNOWN:  # decoded once, since it must be text
                document = Document("", text_of(data, source.location(number)))
                self._lengths[key] = len(self._recent.get(("text", key), lambda: document).text)
            self._hashes[key] = hashlib.sha256(data).hexdigest()
        return self._hashes[key]

    def known_hash(self, identifier: Id) -> str | None:
        """Return the same, or None for a document that is missing or cannot be read."""
        try:
            return self.hash(identifier)
        except ExcerptError:
            return None

    def hashes(self, names: Sequence[str]) -> TextHashes:
        """Return the hashes of documents by the names given; none is computed before it is asked for."""
        return TextHashes(self, names)

    def align(self, other: Corpus | Mapping[str, str]) -> Alignment:
        """Compare the texts of the same documents in another corpus, to carry offsets there.

        >>> there = Corpus({"A": "One. Two."}).align({"A": "Zero. One. Two."})
        >>> there.span("A", 5, 9)
        Carried(document='A', start=11, end=15, how='kept', share=1.0)
        """
        aligned: Alignment = offered("align")(self, other if isinstance(other, Corpus) else Corpus(other))
        return aligned

    def fingerprint(self) -> str:
        """SHA-256 of all documents as stored: reads every file, but only the description of an index."""
        return hashlib.sha256(b"".join(source.digest() for source in self._sources)).hexdigest()

    def resolve(self, identifier: Id) -> str | None:
        """Return the own id of the document that an id refers to, None without one."""
        key = self._find(identifier)
        return None if key is None else self._own_id(key)

    def names(self, identifier: Id) -> tuple[str, ...]:
        """Every id that refers to the same document, its own first; without file names that are not text."""
        source, number, key = self._need(identifier)
        if not (path := source.path(number)):
            return tuple(filter(_is_text, [source.id(number)]))
        candidates = [source.id(number), *spellings(path)]
        return tuple(name for name in dict.fromkeys(candidates) if self._find(name) == key and _is_text(name))

    def place(
        self,
        chunks: object,
        *,
        name: str = "chunks",
        text: str | None = None,
        document: str | None = None,
        lost: LostTreatment = "error",
        tokens: Tokens | None = None,
        notices: Notices | None = None,
    ) -> Chunks:
        """Locate chunks in their documents by their text and their order; their offsets are not trusted.

        `chunks` are objects of LangChain, LlamaIndex, Haystack or chonkie, dictionaries or a data frame with
        their names for document, text, start and end, or a mapping of ids to texts or to pairs (start, end).
        Chunks of a document are in its order. `text` is the key of the text that the model reads if that is
        not the chunk itself, such as `window`; `document` is the key of the document, or the id of the
        document of all chunks. Chunks that do not occur in their documents are an error unless `lost` is
        `count` (they count as text that is not relevant) or `drop`. `tokens` counts the tokens of a text if
        the chunks do not name them: a function that returns their number or a list, or a tokenizer's name.

        >>> chunks = Corpus({"A": "One, two. One, two."}).place({"A": ["One,", "two. One,", "two."]})
        >>> [(chunk.start, chunk.end) for chunk in chunks]
        [(0, 4), (5, 14), (15, 19)]
        """
        placed: Chunks = offered("place")(
            self, chunks, name=name, text=text, document=document, lost=lost, tokens=tokens, notices=notices
        )
        return placed

    def _need(self, identifier: Id) -> tuple[DocumentSource, int, int]:
        """The source of a document, its number in that source, and its number in the corpus."""
        key = self._find(identifier)
        if key is None:
            self._raise_unknown(identifier)
        source, number = self._at(key)
        return source, number, key

    def _raise_unknown(self, identifier: Any) -> NoReturn:
        examples = ", ".join(repr(short(name)) for name, _ in zip(self, range(3), strict=False))
        raise UnknownDocument(
            f"unknown document {short(str(identifier))!r}; "
            f"the corpus ({self._shown}) has {plural(len(self), 'document')}, such as {examples}"
        )

    def _find(self, identifier: object) -> int | None:
        if not isinstance(identifier, str):
            if not isinstance(identifier, Integral) or isinstance(identifier, bool):
                return None
            identifier = str(identifier)
        for find in (self._exact, self._named_by_path):
            if (number := find(identifier)) >= 0:
                return number
        number = self._folded.find(identifier)
        return None if number < 0 else number

    def _exact(self, identifier: str) -> int:
        """Return the number of the document with an id, -1 without one."""
        for first, source in zip(self._firsts, self._sources, strict=False):
            if (number := source.find(identifier)) >= 0:
                return first + number
        return -1

    def _named_by_path(self, identifier: str) -> int:
        """Return the number of the document with a path like an id, or like it without #fragment; else -1."""
        number = self._spellings.get(identifier, -1)
        if number >= 0 or "#" not in identifier:
            return number
        base = identifier.partition("#")[0]
        number = self._exact(base)
        return self._spellings.get(base, -1) if number < 0 else number

    def _at(self, key: int) -> tuple[DocumentSource, int]:
        source = bisect_right(self._firsts, key) - 1
        return self._sources[source], key - self._firsts[source]

    def _own_id(self, key: int) -> str:
        source, number = self._at(key)
        return source.id(number)

    @cached_property
    def _spellings(self) -> dict[str, int]:
        """Documents by the other forms of their paths; computed when an id is not found."""
        return unique_spellings(
            (first + number, path)
            for first, source in zip(self._firsts, self._sources, strict=False)
            for number in range(len(source))
            if (path := source.path(number))
        )

    @cached_property
    def _folded(self) -> FoldedNames:
        """Documents by their folded ids and paths; computed when no path is like an id."""
        from excerpt.model.ids import FoldedNames

        names, numbers, later = list(self), list(range(len(self))), set[int]()
        for first, source in zip(self._firsts, self._sources, strict=False):
            paths = [(source.path(number), first + number) for number in range(len(source))]
            names += [path for path, _ in paths if path]
            numbers += [number for path, number in paths if path]
            later.update(number for path, number in paths if path and yields_names(path))
        return FoldedNames(names, numbers, self._roots, later)


def _need_text(found: ReadOutcome) -> str:
    if isinstance(found, str):
        return found
    raise found


def _text_or_none(found: ReadOutcome) -> str | None:
    return found if isinstance(found, str) else None


def _no_pass() -> None:
    """No texts are kept."""


def _own_folder(path: str) -> str:
    """Return the name of the last folder, archive or file of a path, without wildcards and ending."""
    path, _ = split_parser(path)
    while any(mark in path for mark in "*?["):
        path = os.path.dirname(path)  # noqa: PTH120
    return os.path.basename(os.path.abspath(path)).partition(".")[0]  # noqa: PTH100, PTH119


def _is_text(name: str) -> bool:
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def _size(document: Document) -> int:
    return len(document.text) + _PER_DOCUMENT + _PER_ELEMENT * len(document.elements or ())


def _shown(paths: Sequence[str]) -> str:
    return paths[0] if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"


def _rebuild(arguments: tuple[Any, ...], blocks: Mapping[str, str]) -> Corpus:
    if len(arguments) == 1:
        return Corpus(*arguments, blocks=blocks)
    return Corpus(offered("documents").open_paths(*arguments), blocks=blocks)
