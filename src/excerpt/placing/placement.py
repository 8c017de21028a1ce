"""Placement of chunks: their positions in the documents of a corpus."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, get_args

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.files import is_input
from excerpt.model.spans import IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunk_places import LOST, Placement, UnplacedChunk
from excerpt.placing.chunk_rows import ChunkColumns, ChunkOptions, ChunkOrigin, read_chunks, token_column
from excerpt.placing.chunks import Chunks, LostTreatment, seen_of
from excerpt.placing.scattered import place_scattered
from excerpt.placing.search import Search, find_rising
from excerpt.quotes.text_index import FoldedText, lead_of
from excerpt.records.record import list_names

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.source import AnyCorpus
    from excerpt.gold.file import Context
    from excerpt.model.tokens import Tokens


def locate(text: str, chunks: Sequence[UnplacedChunk], name: str | None = None) -> list[Placement]:
    """Locate the chunks of a document, which are in its order, in its text; its name tells its markup.

    >>> chunks = [UnplacedChunk("one"), UnplacedChunk("two"), UnplacedChunk("one", start=0)]
    >>> for placement in locate("one two one", chunks):
    ...     print(*placement)
    0 3 exact
    4 7 exact
    8 11 moved
    """
    starts = find_rising(text, [chunk.text for chunk in chunks], partial(_next, text, chunks))
    if starts is not None:
        return [chunk.at(start) for chunk, start in zip(chunks, starts, strict=True)]
    folded = FoldedText(text)
    return place_scattered(folded, chunks, Search(folded, name).locate(chunks), name)


def _next(text: str, chunks: Sequence[UnplacedChunk], number: int, last: int, end: int) -> int:
    """Start of a chunk: as claimed, else at the end of the last chunk, else the next occurrence, else -1."""
    chunk = chunks[number]
    part, claim = chunk.text, chunk.start
    if claim is not None:
        return claim if chunk.fixed or text.startswith(part, claim) else -1
    if end > last and text.startswith(part, end):
        return end
    solid = part.lstrip()
    if not solid:
        return -1  # whitespace alone occurs at many positions
    reach = min(len(text), end + len(part))
    start = reach - len(text[end:reach].lstrip()) - (len(part) - len(solid))  # after whitespace, if any
    if start > last and text.startswith(part, start):
        return start
    return text.find(part, last + 1)


#: Number of lost chunks that an error shows.
_SHOWN = 3
_COUNTED = (
    "chunk does not occur in its document and counts as text that is not relevant",
    "chunks do not occur in their documents and count as text that is not relevant",
)
_LEFT_OUT = (
    "chunk does not occur in its document and is left out; chunk numbers skip it",
    "chunks do not occur in their documents and are left out; chunk numbers skip them",
)


def place_chunks(
    corpus: Corpus,
    chunks: object,
    *,
    name: str = "chunks",
    text: str | None = None,
    document: str | None = None,
    lost: LostTreatment = "error",
    notices: Notices | None = None,
    tokens: Tokens | None = None,
    origin: ChunkOrigin | None = None,
) -> Chunks:
    """Locate chunks in the documents of a corpus; see `Corpus.place`. `origin` is for messages.

    >>> from excerpt.corpus import Corpus
    >>> print(place_chunks(Corpus({"A": "One. Two."}), {"A": ["One.", "Two."]}))
    2 chunks: 2 exact, 0 moved, 0 folded, 0 trimmed, 0 lost, 100 % of the text covered
    """
    if lost not in get_args(LostTreatment):
        raise UnknownName("treatment of lost chunks", str(lost), get_args(LostTreatment))
    origin = origin or ChunkOrigin()
    if document is not None and corpus.resolve(document) is None:
        options = ChunkOptions(text, key=document)
    else:  # a single document needs no id
        only = next(iter(corpus)) if len(corpus) == 1 else None
        options = ChunkOptions(text, document=document, only=only)
    columns = read_chunks(chunks, options, origin)
    names = _Names(corpus, origin)
    encoded = names.codes(columns)
    _reject_other_version(corpus, names, columns, encoded, origin)
    found = _locate_all(corpus, columns, names, encoded, origin)
    code = np.array(encoded, np.int64)
    start, end = (np.array([one[side] for one in found.placements], np.int64) for side in (0, 1))
    with Gathering(notices) as gathered:
        column = token_column(columns.tokens, found.texts, tokens, gathered)
    placed = Chunks(
        name=list_names([name], "name of chunks")[0],
        documents=tuple(names.given),
        document=code,
        start=start,
        end=end,
        lead=found.lead,
        how=tuple(placement.how for placement in found.placements),
        texts=found.texts,
        seen=found.seen,
        lost=lost,
        text_key=text,
        given=tuple(columns.items),
        own_ids=tuple(columns.ids),
        claims=tuple(_claims(columns.start)),
        tokens=column,
        fingerprints=corpus.hashes(names.given),
    )
    lost_rows = np.flatnonzero(placed.start < 0)
    if not len(lost_rows):
        return placed
    placed = replace(placed, why=tuple(found.why))
    if lost == "error":
        _raise_lost(placed, lost_rows, corpus, names, origin)
    with Gathering(notices) as gathered:
        first = int(lost_rows[0])
        where = f"{origin.name(first)} of {short(placed[first].document)}"
        gathered.add(*(_LEFT_OUT if lost == "drop" else _COUNTED), len(lost_rows), where=where)
    if lost == "count":
        return placed
    return replace(placed.take(np.flatnonzero(placed.start >= 0)), left_out=placed.take(lost_rows))


def place(
    corpus: AnyCorpus,
    chunks: object,
    *,
    name: str | None = None,
    text: str | None = None,
    document: str | None = None,
    lost: LostTreatment = "error",
    tokens: Tokens | None = None,
    context: Context = "paragraph",
    notices: Notices | None = None,
) -> Chunks:
    """Locate chunks in the documents of a corpus; see `Corpus.place`.

    The corpus may be its path, or texts by id; chunks may be a file (JSON Lines, a JSON list, CSV, TSV,
    Parquet), which gives them its name.
    `context` says what a document is (paragraph or article) if the corpus is a file of the SQuAD family.

    >>> place({"A": "One. Two."}, b'{"document": "A", "text": "Two."}')[0]
    Chunk(document='A', start=5, end=9, how='exact', text='Two.')
    """
    from excerpt.formats.source import Source, open_corpus

    opened = open_corpus(corpus, context)
    if opened is None:
        raise ExcerptError("no corpus given, expected a Corpus, its path, or texts by id")
    how: dict[str, Any] = {"text": text, "document": document, "lost": lost, "tokens": tokens}
    how["notices"] = notices
    if is_input(chunks):
        from excerpt.placing.chunk_files import name_of_chunks
        from excerpt.records.rows import apart

        source = Source.open(chunks, expected="chunks", keep_faults=1)
        line, rows = apart(source.objects("chunk"))
        if source.faults:
            (first,) = source.faults.found
            raise ExcerptError(
                first.message, path=source.name, line=first.line, unit=first.unit, hint=first.hint
            )
        origin = ChunkOrigin(source.name, line, source.faults.unit)
        return place_chunks(opened, rows, name=name or name_of_chunks(source.name), origin=origin, **how)
    return opened.place(chunks, name=name or "chunks", **how)


def _reject_other_version(
    corpus: Corpus, names: _Names, columns: ChunkColumns, encoded: Sequence[int], origin: ChunkOrigin
) -> None:
    """Raise if chunks that have offsets alone were made on another version of their documents."""
    if not columns.fingerprints:
        return
    from excerpt.records.fingerprints import OtherVersionError, are_same

    differ: dict[str, None] = {}
    for row, code in enumerate(encoded):
        known = columns.fingerprints.get(columns.documents[row])
        now = None if known is None or columns.texts[row] is not None else corpus.known_hash(names.own[code])
        if known is not None and now is not None and not are_same(known, now):
            differ.setdefault(names.given[code])
    if differ:
        raise OtherVersionError(origin.path or "the file of the chunks", list(differ), len(names.given))


class _Names:
    """The documents that chunks name, in order of appearance, each under its first name."""

    def __init__(self, corpus: Corpus, origin: ChunkOrigin) -> None:
        self._corpus = corpus
        self._origin = origin
        self._codes: dict[str, int] = {}
        self.given: list[str] = []
        self.own: list[str] = []

    def codes(self, chunks: ChunkColumns) -> list[int]:
        """The number of the document of each chunk; an error if none of its ids is in the corpus."""
        known = self._codes
        return [
            known[name] if name in known else self._code(chunks, row)
            for row, name in enumerate(chunks.documents)
        ]

    def _code(self, chunks: ChunkColumns, number: int) -> int:
        for name in chunks.names(number):
            if name in self._codes:
                return self._codes[name]
            own = self._corpus.resolve(name)
            if own is not None:
                is_name = name == own or name in self._corpus.names(own)
                return self._add(name, own, name if is_name else own)
        names = [*dict.fromkeys(chunks.names(number))]
        for name in names:  # loaders give paths of another machine: /data/docs/a.txt
            parts = re.split(r"[/\\]", name)
            ends = ("/".join(parts[first:]) for first in range(1, len(parts)))
            own = next((own for end in ends if end and (own := self._corpus.resolve(end))), None)
            if own is not None:
                return self._add(name, own, own)
        raise self._unknown(names, number)

    def _add(self, name: str, own: str, shown: str) -> int:
        code = self._codes[name] = self._codes.setdefault(own, len(self.own))
        if code == len(self.own):
            self.given.append(shown)
            self.own.append(own)
        return code

    def _unknown(self, names: list[str], number: int) -> ExcerptError:
        examples = ", ".join(repr(short(name)) for name, _ in zip(self._corpus, range(3), strict=False))
        named = " or ".join(repr(short(name)) for name in names)
        found = f"found the document {named}" if named else "the chunk names no document"
        message = f"{found}, expected a document of the corpus, such as {examples}"
        return self._origin.error(number, message, "give the id with each chunk, or ⟨document⟩ for all")


class _Located(NamedTuple):
    """Chunks located, a row for each, and the characters of the corpus in them, and all."""

    placements: list[Placement]
    texts: list[str]
    lead: IntArray
    #: Why each is lost, empty if it is not.
    why: list[str]
    seen: tuple[int, int]


def _claims(offsets: IntArray) -> list[int | None]:
    return [None if offset < 0 else offset for offset in offsets.tolist()]


def _locate_all(
    corpus: Corpus, columns: ChunkColumns, names: _Names, encoded: Sequence[int], origin: ChunkOrigin
) -> _Located:
    """Locate all chunks in one pass over the corpus."""
    count, part, whole = len(encoded), 0, 0
    placements, texts, why = [LOST] * count, [text or "" for text in columns.texts], [""] * count
    lead, starts, ends = np.zeros(count, np.int64), _claims(columns.start), _claims(columns.end)
    rows_of: dict[str, list[int]] = {own: [] for own in names.own}
    for row, number in enumerate(encoded):
        rows_of[names.own[number]].append(row)
    faults: list[tuple[int, ExcerptError]] = []
    for own, content in corpus.named_texts():
        rows, places = rows_of.get(own, []), list[Placement]()
        try:
            chunks = [
                _unplaced(columns.texts[row], starts[row], ends[row], content, row, origin) for row in rows
            ]
            places = locate(content, chunks, own) if chunks else places
        except ExcerptError as error:
            faults.append((encoded[rows[0]], error))
            continue
        for row, chunk, placement in zip(rows, chunks, places, strict=True):
            placements[row], texts[row] = placement, chunk.text
            if placement.how == "trimmed":
                lead[row] = lead_of(chunk.text, content[placement.start : placement.end])
            elif placement.how == "lost":
                from excerpt.placing.lost_reasons import why_lost

                why[row] = why_lost(content, chunk.text, own)
        counted = seen_of(content, [placement[:2] for placement in places])
        part, whole = part + counted[0], whole + counted[1]
    if faults:  # the first by the order of the chunks
        raise min(faults, key=itemgetter(0))[1]
    return _Located(placements, texts, lead, why, (part, whole))


def _unplaced(
    text: str | None, start: int | None, end: int | None, content: str, row: int, origin: ChunkOrigin
) -> UnplacedChunk:
    """A chunk to locate; if only its offsets are given, its text is taken from the document."""
    if text is not None:
        return UnplacedChunk(text, start, end)
    start, end = start or 0, end or 0
    if start >= end or end > len(content):
        raise origin.error(
            row, f"found the offsets {start} and {end}, expected 0 <= start < end <= {len(content)}"
        )
    return UnplacedChunk(content[start:end], start, end, fixed=True)


def _raise_lost(
    chunks: Chunks, rows: IntArray, corpus: Corpus, names: _Names, origin: ChunkOrigin
) -> NoReturn:
    """Raise the error for lost chunks, with their number and the first of them."""
    shown = []
    for row in rows[:_SHOWN].tolist():
        text, size = chunks.texts[row], corpus.length(names.own[int(chunks.document[row])])
        longer = f", longer than its document of {size}" if len(text) > size else ""
        if (why := chunks.why[row]) and not longer:
            longer = f", {why}"
        name = short(chunks[row].document)
        length = plural(len(text), "character")
        shown.append(f"{origin.name(row)} of {name!r}: {short(text, 30)!r}, {length}{longer}")
    more = f" and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    occur = "does not occur in its document" if len(rows) == 1 else "do not occur in their documents"
    raise ExcerptError(
        f"{len(rows)} of {plural(len(chunks), 'chunk')} {occur} ({'; '.join(shown)}{more})",
        path=origin.path or None,
        hint="was another version of the text chunked, or is a chunk only context? ⟨text=original⟩ takes the "
        "text from a key, ⟨lost=count⟩ counts these chunks as text that is not relevant, ⟨lost=drop⟩ leaves "
        "them out",
    )
