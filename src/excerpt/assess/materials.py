"""Documents as events need them: text, words, sentences."""

from __future__ import annotations

import glob
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from excerpt.assess.rules import Structure
from excerpt.assess.settings import Settings
from excerpt.corpus import Corpus, Document
from excerpt.corpus.corpus import Recent
from excerpt.errors import ExcerptError, plural, short_list

# ruff: noqa: RUF001 - signs of many scripts


_HAN = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_MARK = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
_MARK += "\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_MARK += "\ufe00-\ufe0f\ufe20-\ufe2f\u200d\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
_LETTER = f"[^\\W{_HAN}]"
_LETTERS = f"{_LETTER}+(?:[{_MARK}]+{_LETTER}*)*"
#: White space, and the word after it.
_WORD = re.compile(
    r"(\s*)("
    f"{_LETTERS}(?:(?:['’.·‐‑-]|(?<=\\d)[,:](?=\\d)){_LETTERS})*"  # with single signs between them
    f"|[{_HAN}][{_MARK}]*"
    "|[\U0001f1e6-\U0001f1ff]{2}"  # a flag
    f"|[^\\s{_MARK}](?:[{_MARK}]+(?:(?<=\u200d)\\S)?)*"  # a sign with its marks, and what those join to it
    f"|[{_MARK}]+|\\Z)"  # the end, so that white space is never looked at twice
)
_CLOSING = "\"'’”»)\\]}›」』）"
#: Where a sentence may end: signs with what closes after them, or an empty line.
_END = re.compile(f"[.!?…‽؟۔।。！？｡]+[{_CLOSING}]*|\n[ \t]*\r?\n|\r[ \t]*\r")
#: Signs after which no white space is needed, and lines that are empty.
_ALONE = "。！？｡\r\n"
_OPENING = "\"'‘“«([{‹¿¡"
_NEXT = re.compile(rf"\s*[{re.escape(_OPENING)}]*(\S?)")
_TITLES = "mr mrs ms dr prof rev hon st sr jr fr capt col gen lt sgt gov sen rep pres mme mlle hr frau"
_OTHERS = "vs cf viz ca approx al fig figs eq eqs vol vols pp eds inc ltd co corp dept univ assn bros esp"
_OTHERS += " incl resp jan feb mar apr jun jul aug sep sept oct nov dec nr bzw vgl usw"
#: Words that are short for others only before a number: No. 7, Art. 5, Sec. 2.
_NUMBERED = {"no", "nos", "art", "arts", "sec", "secs", "ch", "chap", "p", "abs", "ed", "ser", "para"}
#: Words whose full stop does not end a sentence, whatever follows.
_ABBREVIATIONS = frozenset(f"{_TITLES} {_OTHERS} e.g i.e u.s u.k a.m p.m z.b d.h o.ä u.a s.o ph.d".split())
#: Those that also stand at the end; they end it where a capital letter follows.
_EITHER = frozenset(
    {"etc", "inc", "ltd", "co", "corp", "al", "u.s", "u.k", "a.m", "p.m", "usw", "ph.d", "jr", "sr"}
)
_LONGEST = 40  # characters that are looked at before a full stop


class Units(NamedTuple):
    """Words and sentences, each as gap, length, gap, length, …"""

    words: list[int]
    sentences: list[int]


def units_of(text: str, structure: Structure | None = None) -> Units:
    """The units of a text; no unit goes beyond the blocks of its elements.

    >>> units_of("Dr. No, e.g., came. He won.").sentences
    [0, 19, 1, 7]
    >>> units_of("don't 😀").words
    [0, 5, 1, 1]
    """
    cuts = [0, *sorted(block_edges(text, structure) if structure else ()), len(text)]
    blocks = [(start, end) for start, end in pairwise(cuts) if start < end]
    sentences = chain.from_iterable(_sentences(text, start, end) for start, end in blocks)
    return Units(_words(text, blocks), _gaps(sentences))


def _gaps(spans: Iterable[tuple[int, int]]) -> list[int]:
    found: list[int] = []
    before = 0
    for start, end in spans:
        found += (start - before, end - start)
        before = end
    return found


def _words(text: str, blocks: Iterable[tuple[int, int]]) -> list[int]:
    """The words as gaps and lengths, hundreds of thousands of them without a step of Python for each."""
    found: list[int] = []
    left = 0  # white space since the last word
    for start, end in blocks:
        part = list(map(len, chain.from_iterable(_WORD.findall(text, start, end))))
        before, left = left, 0
        while part and not part[-1]:  # the end, once or after white space once more
            left += part[-2]
            del part[-2:]
        if part:
            part[0] += before
        else:
            left += before
        found += part
    return found


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of a block, without the white space around them."""
    begin = start
    for match in _END.finditer(text, start, end):
        if _ends(text, match, begin, end):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    begin = start + len(piece) - len(piece.lstrip())
    finish = start + len(piece.rstrip())
    if begin < finish:
        yield begin, finish


def _ends(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Whether a sentence ends at a sign: by what stands before it and after it."""
    sign = match[0]
    if sign[0] in _ALONE:
        return True
    if not (match.end() == end or text[match.end()].isspace()) or _goes_on(text, match.end(), end):
        return False
    return sign[0] != "." or not _is_short(text, match, begin, end)


def _is_short(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Whether a full stop belongs to a word that is short for another."""
    before = text[max(begin, match.start() - _LONGEST) : match.start()].split()
    word = before[-1].lstrip(_OPENING) if before and not text[match.start() - 1].isspace() else ""
    lowered = word.lower()
    if lowered in _EITHER:
        return False
    if lowered in _NUMBERED:
        return re.match(r"\s*[0-9IVX]", text[match.end() : min(end, match.end() + 20)]) is not None
    return lowered in _ABBREVIATIONS or (len(word) == 1 and word.isupper())


def _goes_on(text: str, at: int, end: int) -> bool:
    """Whether what follows cannot begin a sentence: a small letter, or a sign such as a comma."""
    following = _NEXT.match(text, at, end)
    first = following[1] if following else ""
    return bool(first) and (first.islower() or first in ",;:)")


def block_edges(text: str, structure: Structure) -> set[int]:
    """Where elements begin and end whose parents have no text of their own: words do not go on there."""
    edges: set[int] = set()
    for row, part in enumerate(structure.parts):
        inner = [structure.parts[child] for child in structure.children[row]]
        if inner and not _has_own_text(
            text, part.start, part.end, [(child.start, child.end) for child in inner]
        ):
            edges.update(chain.from_iterable((child.start, child.end) for child in inner))
    return edges


def _has_own_text(text: str, start: int, end: int, inner: Sequence[tuple[int, int]]) -> bool:
    """Whether an element has signs outside of its children."""
    at = start
    for child_start, child_end in inner:
        if text[at:child_start].strip():
            return True
        at = child_end
    return bool(text[at:end].strip())


#: Characters of documents that are kept for the next time.
_ROOM = 1 << 24


def find_corpus(folder: Path, settings: Settings) -> list[Path]:
    """Where the documents of a campaign are: where its settings say, or where they were; empty if gone."""
    for written in (settings.corpus, settings.corpus_made):
        places = [folder / path for path in written]
        if places and all(place.exists() or glob.glob(str(place)) for place in places):  # noqa: PTH207
            return places
    return []


def open_corpus(folder: Path, settings: Settings) -> Corpus:
    """The documents of a campaign; an error where they are gone, or never were in a file."""
    if not settings.corpus:
        raise ExcerptError(
            "found a campaign whose documents were in memory, expected them now",
            path=str(folder),
            hint="give the ⟨corpus⟩",
        )
    places = find_corpus(folder, settings)
    if not places:
        raise ExcerptError(
            "found nothing there, expected the documents of the campaign",
            path=os.path.normpath(folder / settings.corpus[0]),
            hint="where they are elsewhere, give the ⟨corpus⟩",
        )
    return Corpus.read(*places)


class Known(NamedTuple):
    """What a campaign knows of a document since it was made."""

    sha256: str
    length: int
    title: str = ""
    kind: str = ""


class Material:
    """One document, read and compared."""

    def __init__(self, document: Document, known: Known) -> None:
        self.document = document
        self.known = known
        self.text = document.text

    @cached_property
    def structure(self) -> Structure:
        """Its elements."""
        return Structure(self.document.elements)

    @cached_property
    def units(self) -> Units:
        """Its words and sentences."""
        return units_of(self.text, self.structure)


def sha256_of(text: str) -> str:
    """The hash of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


class Materials:
    """Documents by the names that they have in the pool."""

    def __init__(self, corpus: Corpus, known: Mapping[str, Known]) -> None:
        self._corpus = corpus
        self._known = known
        self._recent: Recent[Material] = Recent(room=_ROOM, size=lambda found: len(found.text) + 1_000)

    def get(self, name: str) -> Material:
        """A document; an error where its text is not what it was."""
        return self._recent.get(name, lambda: self._read(name))

    def _read(self, name: str) -> Material:
        known = self._known[name]
        document = self._corpus.document(name)
        if len(document.text) != known.length or sha256_of(document.text) != known.sha256:
            raise _changed([name])
        return Material(document, known)

    def check(self, names: Iterable[str] | None = None) -> None:
        """An error that names every document whose text is not what it was, or that is gone."""
        wanted = self._known if names is None else dict.fromkeys(names)
        gone = [name for name in wanted if name not in self._corpus]
        changed = [name for name in wanted if name in self._corpus and not self._is_same(name)]
        if gone or changed:
            raise _changed(changed, gone)

    def _is_same(self, name: str) -> bool:
        known = self._known[name]
        try:
            return self._corpus.length(name) == known.length and self._corpus.hash(name) == known.sha256
        except ExcerptError:
            return False


def _changed(names: list[str], gone: Sequence[str] = ()) -> ExcerptError:
    told = []
    if names:
        count = plural(len(names), "document")
        told.append(f"another text in {count} than when the campaign was made: {short_list(names)}")
    if gone:
        told.append(f"{plural(len(gone), 'document')} of the campaign missing: {short_list(gone)}")
    return ExcerptError(
        f"found {'; and '.join(told)}; expected the same",
        hint="offsets would mean other words; restore the documents, or make a new campaign",
    )
