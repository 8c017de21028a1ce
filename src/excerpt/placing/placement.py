"""Placement: from chunks as given to chunks with positions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn, get_args

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.model.rows import list_names
from excerpt.model.spans import IntArray
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunk_rows import Asked, GivenChunk, Origin, given_chunks
from excerpt.placing.chunks import LOST, Chunks, Lost, Place, TextsById, WantedChunk, count_seen
from excerpt.placing.search import Mistaken, Search, rise
from excerpt.placing.text_index import Folded


def locate(text: str, chunks: Sequence[WantedChunk]) -> list[Place]:
    """Where the chunks of a document, which come in its order, stand in its text.

    >>> chunks = [WantedChunk("one"), WantedChunk("two"), WantedChunk("one", start=0)]
    >>> for place in locate("one two one", chunks):
    ...     print(*place)
    0 3 exact
    4 7 exact
    8 11 moved
    """
    starts = rise(text, [chunk.text for chunk in chunks], partial(_next, text, chunks))
    if starts is not None:
        return [chunk.at(start) for chunk, start in zip(chunks, starts, strict=True)]
    try:
        return Search(Folded(text)).places(chunks)
    except Mistaken:
        return Search(Folded(text, by_hash=False)).places(chunks)


def _next(text: str, chunks: Sequence[WantedChunk], number: int, last: int, end: int) -> int:
    """Where a chunk starts: as claimed, else right after the last one, else next; -1 where it does not."""
    chunk = chunks[number]
    part, claim = chunk.text, chunk.start
    if claim is not None:
        return claim if chunk.fixed or text.startswith(part, claim) else -1
    if end > last and text.startswith(part, end):
        return end
    solid = part.lstrip()
    if not solid:
        return -1  # white space alone stands in many places
    reach = min(len(text), end + len(part))
    start = reach - len(text[end:reach].lstrip()) - (len(part) - len(solid))  # after white space, if any
    if start > last and text.startswith(part, start):
        return start
    return text.find(part, last + 1)


#: How many lost chunks an error shows.
_SHOWN = 3


def place_chunks(
    corpus: TextsById,
    chunks: object,
    *,
    name: str = "chunks",
    text: str | None = None,
    document: str | None = None,
    lost: Lost = "error",
    notices: Notices | None = None,
    origin: Origin | None = None,
) -> Chunks:
    """Where chunks stand in the documents of a corpus; see `Corpus.place`. `origin` is for messages.

    >>> from excerpt.corpus import Corpus
    >>> print(place_chunks(Corpus({"A": "One. Two."}), {"A": ["One.", "Two."]}))
    2 chunks: 2 exact, 0 moved, 0 folded, 0 trimmed, 0 lost, 100 % of the text covered
    """
    if lost not in get_args(Lost):
        raise UnknownName("way to treat lost chunks", str(lost), get_args(Lost))
    origin = origin or Origin()
    asked = _asked(corpus, text, document)
    given = list(given_chunks(chunks, asked, origin))
    names = _Names(corpus, origin)
    encoded = [names.code(chunk, number) for number, chunk in enumerate(given)]
    rows: dict[int, list[int]] = {}
    for row, number in enumerate(encoded):
        rows.setdefault(number, []).append(row)
    places, texts = [LOST] * len(given), [chunk.text or "" for chunk in given]
    for number, some in rows.items():
        content = corpus[names.own[number]]
        wanted = [_wanted(given[row], content, row, origin) for row in some]
        for row, want, place in zip(some, wanted, locate(content, wanted), strict=True):
            places[row], texts[row] = place, want.text
    code = np.array(encoded, np.int64)
    start, end = (np.array([place[side] for place in places], np.int64) for side in (0, 1))
    found = Chunks(
        name=list_names([name], "name of chunks")[0],
        documents=tuple(names.given),
        document=code,
        start=start,
        end=end,
        how=tuple(place.how for place in places),
        texts=tuple(texts),
        seen=count_seen(corpus, names.own, code, start, end),
        lost=lost,
        text_key=text,
        given=tuple(chunk.item for chunk in given),
        ids=tuple(chunk.id for chunk in given),
        claims=tuple(chunk.start for chunk in given),
    )
    gone = np.flatnonzero(found.start < 0)
    if not len(gone):
        return found
    if lost == "error":
        _refuse(found, gone, corpus, names, origin)
    with Gathering(notices) as gathered:
        fate = "was left out; numbers count the others" if lost == "drop" else "counts as read in vain"
        first = f"{origin.name(int(gone[0]))} of {short(found[int(gone[0])].document)}"
        gathered.add(f"chunk stands nowhere in its document and {fate}", len(gone), where=first)
    if lost == "count":
        return found
    return replace(found.take(np.flatnonzero(found.start >= 0)), left_out=found.take(gone))


def _asked(corpus: TextsById, text: str | None, document: str | None) -> Asked:
    """How to read chunks; `document` is an id of the corpus, else a key. A single document needs none."""
    if document is not None and corpus.resolve(document) is None:
        return Asked(text, key=document)
    return Asked(text, document=document, only=next(iter(corpus)) if len(corpus) == 1 else None)


class _Names:
    """The documents that chunks name, in order of appearance, each under the first name it was given."""

    def __init__(self, corpus: TextsById, origin: Origin) -> None:
        self._corpus = corpus
        self._origin = origin
        self._codes: dict[str, int] = {}
        self.given: list[str] = []
        self.own: list[str] = []

    def code(self, chunk: GivenChunk, number: int) -> int:
        """The number of the document of a chunk; an error where the corpus has none of its ids."""
        for name in chunk.documents:
            if name in self._codes:
                return self._codes[name]
            own = self._corpus.resolve(name)
            if own is not None:
                return self._learn(name, own, name)
        for name in chunk.documents:  # loaders give paths from elsewhere: /data/docs/a.txt
            parts = re.split(r"[/\\]", name)
            ends = ("/".join(parts[first:]) for first in range(1, len(parts)))
            own = next((own for end in ends if end and (own := self._corpus.resolve(end))), None)
            if own is not None:
                return self._learn(name, own, own)
        raise self._unknown(chunk, number)

    def _learn(self, name: str, own: str, shown: str) -> int:
        """The number of a document under a new name."""
        code = self._codes[name] = self._codes.setdefault(own, len(self.own))
        if code == len(self.own):
            self.given.append(shown)
            self.own.append(own)
        return code

    def _unknown(self, chunk: GivenChunk, number: int) -> ExcerptError:
        some = ", ".join(repr(short(name)) for name, _ in zip(self._corpus, range(3), strict=False))
        named = " or ".join(repr(short(name)) for name in chunk.documents)
        return self._origin.error(
            number,
            f"found {f'the document {named}' if named else 'a chunk without its document'}, expected one of "
            f"the {len(self._corpus)} of the corpus, such as {some}",
            "give the id with each chunk, or ⟨document⟩ for all",
        )


def _wanted(chunk: GivenChunk, content: str, row: int, origin: Origin) -> WantedChunk:
    """A chunk to place; the text of one that is nothing but offsets is that of the document."""
    if chunk.text is not None:
        return WantedChunk(chunk.text, chunk.start, chunk.end)
    start, end = chunk.start or 0, chunk.end or 0
    if start >= end or end > len(content):
        raise origin.error(
            row, f"found the offsets {start} and {end}, expected 0 <= start < end <= {len(content)}"
        )
    return WantedChunk(content[start:end], start, end, fixed=True)


def _refuse(found: Chunks, gone: IntArray, corpus: TextsById, names: _Names, origin: Origin) -> NoReturn:
    """The error for chunks that stand nowhere: how many, and the first of them."""
    shown = []
    for row in gone[:_SHOWN].tolist():
        text, size = found.texts[row], len(corpus[names.own[int(found.document[row])]])
        why = f", longer than its document of {size}" if len(text) > size else ""
        name = short(found[row].document)
        shown.append(f"{origin.name(row)} of {name!r}: {short(text, 30)!r}, {len(text)} characters{why}")
    more = f" and {len(gone) - _SHOWN} more" if len(gone) > _SHOWN else ""
    stand = "stands nowhere in its document" if len(gone) == 1 else "stand nowhere in their documents"
    raise ExcerptError(
        f"found {plural(len(gone), 'chunk')} of {len(found)} that {stand} ({'; '.join(shown)}{more}), "
        "expected text of the corpus",
        path=origin.path or None,
        hint="is it the text that was cut? ⟨lost=count⟩ counts them as read in vain, "
        "⟨lost=drop⟩ leaves them out",
    )
