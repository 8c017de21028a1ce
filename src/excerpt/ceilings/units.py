"""Units of documents that a system could return: elements, paragraphs, sentences, lines, windows, chunks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from excerpt.corpus.indexed import indexed_elements
from excerpt.errors import ExcerptError, MissingData, short, short_list
from excerpt.model.join import clashes
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run, group_results
from excerpt.model.spans import IntArray
from excerpt.placing.chunks import Chunks

if TYPE_CHECKING:
    from excerpt.corpus.document import Element
    from excerpt.evaluation.reading import Reading

#: Kinds of units, as they are written; CHUNKS may also be `Chunks` in Python.
KINDS = "elements, paragraphs, sentences, lines, window:400, tag:sec, documents or chunks=FILE"
#: Elements that are paragraphs; of a document without any, and of plain text, blank lines separate them.
PARAGRAPHS = frozenset({"p", "para", "paragraph", "ip1", "ip2", "ip3", "ip4", "ip5", "P", "PARA"})
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_SENTENCE_ENDS = re.compile(r"(?<=[.!?…])[\"')\]\u201d\u2019]*\s+|\n[^\S\n]*\n\s*")
_LINE_ENDS = re.compile(r"\n")
_MOST_SHOWN = 3

#: Spans of a document, by its text and elements.
_Split: TypeAlias = Callable[[str, "Iterable[Element]"], Iterable[tuple[int, int]]]
#: A kind of units as it is written, or chunks.
Unit: TypeAlias = "str | Chunks"


@dataclass(frozen=True)
class UnitKind:
    """A kind of units: its name, and how it splits documents; chunks are given."""

    name: str
    split: _Split | None = None
    chunks: Chunks | str | None = None
    #: Whether it needs the text of documents, and not only their elements or lengths.
    needs_text: bool = True

    @property
    def takes(self) -> Callable[[str], bool] | None:
        """Whether the element of a path is such a unit; None if units are no elements.

        >>> UnitKind.of("tag:sec").takes("/a[1]/sec[2]"), UnitKind.of("documents").takes("/a[1]/sec[2]")
        (True, False)
        """
        word, _, value = self.name.partition(":")
        tags = PARAGRAPHS if word == "paragraphs" else {value}
        if word in {"paragraphs", "tag"}:
            return lambda path: path.rpartition("/")[2].partition("[")[0] in tags
        kinds: dict[str, Callable[[str], bool]] = {
            "elements": lambda _: True,
            "documents": lambda path: path.count("/") == 1,
        }
        return kinds.get(self.name)

    @classmethod
    def of(cls, given: Unit) -> UnitKind:
        """Parse a kind of units.

        >>> UnitKind.of("window:400").name, UnitKind.of("chunks=mine.jsonl").chunks
        ('window:400', 'mine.jsonl')
        """
        if isinstance(given, Chunks):
            return cls(f"chunks={given.name}", chunks=given)
        word, colon, value = str(given).partition(":")
        if given.startswith("chunks=") and len(given) > len("chunks="):
            return cls(given, chunks=given.removeprefix("chunks="))
        if word == "window" and re.fullmatch(r"[1-9]\d{0,8}", value, re.ASCII):
            return cls(given, partial(_windows, int(value)), needs_text=False)
        if word == "tag" and value.strip():
            return cls(given, partial(_tagged, frozenset({value.strip()})), needs_text=False)
        if given in _SPLITS and not colon:
            return cls(given, _SPLITS[given], needs_text=given not in {"elements", "documents"})
        raise ExcerptError(f"found {short(given)} as unit, expected {KINDS}")


def _windows(size: int, text: str, _: Iterable[Element]) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, len(text))) for start in range(0, len(text), size))


def _tagged(tags: frozenset[str], _: str, elements: Iterable[Element]) -> Iterator[tuple[int, int]]:
    return ((one.start, one.end) for one in elements if one.tag in tags)


def _elements(_: str, elements: Iterable[Element]) -> Iterator[tuple[int, int]]:
    return ((one.start, one.end) for one in elements)


def _between(marks: re.Pattern[str], text: str, _: Iterable[Element]) -> Iterator[tuple[int, int]]:
    start = 0
    for mark in marks.finditer(text):
        yield start, mark.end()
        start = mark.end()
    yield start, len(text)


def _paragraphs(text: str, elements: Iterable[Element]) -> Iterable[tuple[int, int]]:
    return list(_tagged(PARAGRAPHS, text, elements)) or _between(_BLANK_LINES, text, ())


def _sentences(text: str, elements: Iterable[Element]) -> Iterator[tuple[int, int]]:
    for low, high in sorted(set(_paragraphs(text, elements))):
        for start, end in _between(_SENTENCE_ENDS, text[low:high], ()):
            yield low + start, low + end


def _documents(text: str, _: Iterable[Element]) -> Iterator[tuple[int, int]]:
    yield 0, len(text)


_SPLITS: Mapping[str, _Split] = {
    "elements": _elements,
    "paragraphs": _paragraphs,
    "sentences": _sentences,
    "lines": partial(_between, _LINE_ENDS),
    "documents": _documents,
}


def candidates(kind: UnitKind, judgments: Judgments, reading: Reading) -> Run:
    """Units that a list may have: those with relevant text of their topic, else the first of a document.

    Others never raise a score; of a relevant document without a unit that has relevant text one is kept,
    since MAgP rewards its place in a list.
    """
    document, start, end = _of_chunks(kind.chunks, judgments, reading) if kind.chunks else _split(
        kind, judgments, reading
    )  # fmt: skip
    filled = end > start
    document, start, end = document[filled], start[filled], end[filled]
    order = np.lexsort((-end, start, document))
    columns = np.stack((document, start, end))[:, order]
    fresh = np.ones(len(order), np.bool_)
    fresh[1:] = (np.diff(columns, axis=1) != 0).any(axis=0)  # stripped elements may be the same text
    document, start, end = columns[:, fresh]
    first = np.searchsorted(document, np.arange(len(judgments.documents) + 1))
    pairs = np.flatnonzero(judgments.relevant_by_pair > 0)
    codes = judgments.pair_document[pairs]
    counts = np.diff(first)[codes]
    pair, rows = np.repeat(pairs, counts), np.repeat(first[codes] - np.cumsum(counts) + counts, counts)
    rows += np.arange(len(rows))
    useful = judgments.spans.overlap(pair, start[rows], end[rows]) > 0
    opens = np.diff(pair, prepend=-1) != 0
    kept = np.flatnonzero(useful | (opens & ~np.isin(pair, pair[useful])))
    rows = rows[kept]
    return group_results(
        name=f"ceiling ({kind.name})",
        topics=judgments.topics,
        documents=judgments.documents,
        topic=judgments.pair_topic[pair[kept]],
        document=document[rows],
        start=start[rows],
        end=end[rows],
        rank=np.arange(1, len(rows) + 1),
    )


def overlap_of(run: Run) -> bool:
    """Return whether two units of a topic share a character."""
    group = np.unique(np.stack((run.topic_code, run.document_code)), axis=1, return_inverse=True)[1].ravel()
    return bool(clashes(group, run.start, run.end).any())


def _relevant_documents(judgments: Judgments) -> list[tuple[int, str]]:
    codes = np.unique(judgments.pair_document[judgments.relevant_by_pair > 0]).tolist()
    return [(code, judgments.documents[code]) for code in codes]


def _split(kind: UnitKind, judgments: Judgments, reading: Reading) -> tuple[IntArray, IntArray, IntArray]:
    """Units of the relevant documents, without white space at their ends."""
    assert kind.split is not None
    document_of = _documents_by_id(kind, reading)
    columns: list[tuple[int, int, int]] = []
    found, missing = False, list[str]()
    for code, name in _relevant_documents(judgments):
        text, elements = document_of(name)
        if text is None:
            missing.append(name)
            continue
        own = _stripped(text, kind.split(text, elements))
        found |= bool(own)
        columns += [(code, start, end) for start, end in own]
    if missing:
        message = f"found no document {short_list(missing, _MOST_SHOWN)}, expected each relevant document"
        raise MissingData(message, hint="give the ⟨corpus⟩ or ⟨index⟩ of the judgments")
    if not found and _relevant_documents(judgments):
        message = f"found no {short(kind.name)} in the relevant documents, expected units with text"
        raise ExcerptError(message, hint=f"units are {KINDS}")
    table = np.array(columns, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _stripped(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    stripped = []
    for start, end in spans:
        own = text[start:end]
        low = start + len(own) - len(own.lstrip())
        high = start + len(own.rstrip())
        if high > low:
            stripped.append((low, high))
    return stripped


def _documents_by_id(
    kind: UnitKind, reading: Reading
) -> Callable[[str], tuple[str | None, Iterable[Element]]]:
    """Text and elements of documents by their ids in the judgments; None for an unknown document."""
    corpus, index = reading.corpus, reading.index
    if corpus is not None:

        def of_corpus(name: str) -> tuple[str | None, Iterable[Element]]:
            own = corpus.resolve(name)
            if own is None:
                return None, ()
            document = corpus.document(own)
            elements = document.elements or ()
            if not elements and index is not None:
                elements = indexed_elements(index, name) or ()
            return document.text, elements

        return of_corpus
    if index is None or (not index.has_text and kind.needs_text):
        hint = "give ⟨corpus⟩" + (" or ⟨index⟩" if index is None else ": the index has no text")
        raise MissingData(f"units {short(kind.name)} need the text of the documents", hint=hint)

    def of_index(name: str) -> tuple[str | None, Iterable[Element]]:
        number = int(index.document_codes([name])[0])
        if number < 0:
            return None, ()
        size = int(index.document_sizes([number])[0])
        text = index.texts.text(number) if index.has_text and index.unit == "char" else "x" * size
        return text, indexed_elements(index, name) or ()

    return of_index


def _of_chunks(
    given: Chunks | str, judgments: Judgments, reading: Reading
) -> tuple[IntArray, IntArray, IntArray]:
    """Located chunks of the relevant documents, without white space at their ends if there is a corpus."""
    corpus = reading.corpus
    chunks = Chunks.read(given, corpus) if isinstance(given, str) else given
    relevant = _relevant_documents(judgments)
    own = {name: code for code, name in relevant}
    if corpus is not None:
        own |= {corpus.resolve(name) or name: code for code, name in relevant}
    names = [name if corpus is None else corpus.resolve(name) or name for name in chunks.documents]
    found = [own.get(name, own.get(other, -1)) for name, other in zip(chunks.documents, names, strict=True)]
    codes = np.array(found, np.int64)
    document = codes[chunks.document] if len(chunks) else np.zeros(0, np.int64)
    rows = np.flatnonzero((document >= 0) & (chunks.start >= 0))
    if not len(rows) and relevant:
        some = [
            short_list(names, _MOST_SHOWN) for names in (chunks.documents, [name for _, name in relevant])
        ]
        message = f"found chunks of {some[0]}, expected chunks of relevant documents, such as {some[1]}"
        raise ExcerptError(message, path=given if isinstance(given, str) else chunks.name)
    start, end = chunks.start[rows], chunks.end[rows]
    sizes = judgments.document_sizes[document[rows]]
    beyond = np.flatnonzero((sizes >= 0) & (end > sizes))
    if len(beyond):
        row = rows[beyond[0]]
        message = (
            f"found a chunk [{chunks.start[row]}, {chunks.end[row]}) of "
            f"{short(chunks.documents[int(chunks.document[row])])}, which has {sizes[beyond[0]]} characters"
        )
        hint = "these are chunks of another text: place them in the documents of the judgments"
        raise ExcerptError(message, path=given if isinstance(given, str) else chunks.name, hint=hint)
    if reading.texts is not None:
        start, end = reading.texts.trimmed(judgments.documents, document[rows], start, end)
    return document[rows], start, end
