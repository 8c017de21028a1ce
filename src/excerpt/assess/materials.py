"""Documents of a campaign: verified text, words, sentences, elements."""

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

from excerpt.assess.folder import SETTINGS
from excerpt.assess.rules import ElementTree
from excerpt.assess.settings import Settings
from excerpt.corpus import Corpus, Document
from excerpt.corpus.corpus import Recent
from excerpt.errors import ExcerptError, plural, short, short_list
from excerpt.files import split_parser

# ruff: noqa: RUF001 - signs of many scripts


_HAN = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"
_MARK = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed"
_MARK += "\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_MARK += "\ufe00-\ufe0f\ufe20-\ufe2f\u200d\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef"
_LETTER = f"[^\\W{_HAN}]"
_LETTERS = f"{_LETTER}+(?:[{_MARK}]+{_LETTER}*)*"
#: Whitespace, and the word after it.
_WORD = re.compile(
    r"(\s*)("
    f"{_LETTERS}(?:(?:['’.·‐‑-]|(?<=\\d)[,:](?=\\d)){_LETTERS})*"  # joined by single signs such as hyphens
    f"|[{_HAN}][{_MARK}]*"
    "|[\U0001f1e6-\U0001f1ff]{2}"  # a flag
    f"|[^\\s{_MARK}](?:[{_MARK}]+(?:(?<=\u200d)\\S)?)*"  # a character with its marks and joined ones
    f"|[{_MARK}]+|\\Z)"  # the end, so that whitespace is never scanned twice
)
_CLOSING = "\"'’”»)\\]}›」』）"
#: Possible ends of a sentence: punctuation with closing quotes or brackets, or an empty line.
_END = re.compile(f"[.!?…‽؟۔।。！？｡]+[{_CLOSING}]*|\n[ \t]*\r?\n|\r[ \t]*\r")
#: Punctuation that needs no whitespace after it, and line ends.
_ALONE = "。！？｡\r\n"
_OPENING = "\"'‘“«([{‹¿¡"
_NEXT = re.compile(rf"\s*[{re.escape(_OPENING)}]*(\S?)")
_TITLES = "mr mrs ms dr prof rev hon st sr jr fr capt col gen lt sgt gov sen rep pres mme mlle hr frau"
_OTHERS = "vs cf viz ca approx al fig figs eq eqs vol vols pp eds inc ltd co corp dept univ assn bros esp"
_OTHERS += " incl resp jan feb mar apr jun jul aug sep sept oct nov dec nr bzw vgl usw"
#: Abbreviations only before a number: No. 7, Art. 5, Sec. 2.
_NUMBERED = {"no", "nos", "art", "arts", "sec", "secs", "ch", "chap", "p", "abs", "ed", "ser", "para"}
#: Abbreviations whose full stop does not end a sentence.
_ABBREVIATIONS = frozenset(f"{_TITLES} {_OTHERS} e.g i.e u.s u.k a.m p.m z.b d.h o.ä u.a s.o ph.d".split())
#: Abbreviations that end a sentence if a capital letter follows.
_EITHER = frozenset(
    {"etc", "inc", "ltd", "co", "corp", "al", "u.s", "u.k", "a.m", "p.m", "usw", "ph.d", "jr", "sr"}
)
_LONGEST = 40  # characters examined before a full stop


class TextUnits(NamedTuple):
    """Words and sentences, each as gap, length, gap, length, …"""

    words: list[int]
    sentences: list[int]


def units_of(text: str, structure: ElementTree | None = None) -> TextUnits:
    """Return the words and sentences of a text; none crosses the edge of a block element.

    >>> units_of("Dr. No, e.g., came. He won.").sentences
    [0, 19, 1, 7]
    >>> units_of("don't 😀").words
    [0, 5, 1, 1]
    """
    cuts = [0, *sorted(block_edges(text, structure) if structure else ()), len(text)]
    blocks = [(start, end) for start, end in pairwise(cuts) if start < end]
    sentences = chain.from_iterable(_sentences(text, start, end) for start, end in blocks)
    return TextUnits(_words(text, blocks), _gaps(sentences))


def _gaps(spans: Iterable[tuple[int, int]]) -> list[int]:
    gaps: list[int] = []
    before = 0
    for start, end in spans:
        gaps += (start - before, end - start)
        before = end
    return gaps


def _words(text: str, blocks: Iterable[tuple[int, int]]) -> list[int]:
    """Return the words as gaps and lengths, without a Python step per word, since a text may have many."""
    gaps: list[int] = []
    left = 0  # whitespace since the last word
    for start, end in blocks:
        part = list(map(len, chain.from_iterable(_WORD.findall(text, start, end))))
        before, left = left, 0
        while part and not part[-1]:  # an empty match at the end, and one more after whitespace
            left += part[-2]
            del part[-2:]
        if part:
            part[0] += before
        else:
            left += before
        gaps += part
    return gaps


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the sentences of a block, without the whitespace around them."""
    begin = start
    for match in _END.finditer(text, start, end):
        if _ends(text, match, begin, end):
            yield from _trimmed(text, begin, match.end())
            begin = match.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    begin = start + len(part) - len(part.lstrip())
    finish = start + len(part.rstrip())
    if begin < finish:
        yield begin, finish


def _ends(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Return True if a sentence ends at a match of `_END`, judged by the text before and after it."""
    sign = match[0]
    if sign[0] in _ALONE:
        return True
    if not (match.end() == end or text[match.end()].isspace()) or _goes_on(text, match.end(), end):
        return False
    return sign[0] != "." or not _is_abbreviation(text, match, begin, end)


def _is_abbreviation(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    before = text[max(begin, match.start() - _LONGEST) : match.start()].split()
    word = before[-1].lstrip(_OPENING) if before and not text[match.start() - 1].isspace() else ""
    lowered = word.lower()
    if lowered in _EITHER:
        return False
    if lowered in _NUMBERED:
        return re.match(r"\s*[0-9IVX]", text[match.end() : min(end, match.end() + 20)]) is not None
    return lowered in _ABBREVIATIONS or (len(word) == 1 and word.isupper())


def _goes_on(text: str, at: int, end: int) -> bool:
    """Return True if the next character cannot begin a sentence: a small letter, or a comma."""
    following = _NEXT.match(text, at, end)
    first = following[1] if following else ""
    return bool(first) and (first.islower() or first in ",;:)")


def block_edges(text: str, structure: ElementTree) -> set[int]:
    """Return the offsets of block elements, whose parents have no own text: words end there."""
    edges: set[int] = set()
    for part, children in zip(structure.nodes, structure.children, strict=True):
        inner = [structure.nodes[child] for child in children]
        begins, ends = [child.start for child in inner], [child.end for child in inner]
        own = zip([part.start, *ends], [*begins, part.end], strict=True)
        if inner and not any(text[start:end].strip() for start, end in own):
            edges.update(begins, ends)
    return edges


#: Characters of documents that are cached.
_ROOM = 1 << 24


def find_corpus(folder: Path, settings: Settings) -> list[Path]:
    """Return the paths of a campaign's documents, by the settings or where they were; [] if missing."""
    for written in (settings.corpus, settings.corpus_made):
        paths = [folder / path for path in written]
        for path in map(os.path.abspath, paths):
            if len(Path(path).parts) <= 1 + glob.has_magic(path):
                message = f"found the whole disk ({short(path)}) as corpus, expected the campaign's documents"
                raise ExcerptError(message, path=str(folder / SETTINGS), hint="give ⟨corpus⟩")
        if paths and all(map(_is_there, paths)):
            return paths
    return []


def _is_there(path: Path) -> bool:
    """Return whether documents are at a path, which may be a pattern or name a parser."""
    documents, _ = split_parser(str(path))
    return os.path.exists(documents) or bool(glob.glob(documents))  # noqa: PTH110, PTH207


def open_corpus(folder: Path, settings: Settings) -> Corpus:
    """Open the documents of a campaign; raise an error if they are missing or were only in memory."""
    if not settings.corpus:
        message = "the campaign was created from documents in memory, not in files"
        raise ExcerptError(message, path=str(folder), hint="give ⟨corpus⟩")
    paths = find_corpus(folder, settings)
    if not paths:
        message = "the campaign's documents are missing"
        hint = "if they have moved, give ⟨corpus⟩"
        raise ExcerptError(message, path=os.path.normpath(folder / settings.corpus[0]), hint=hint)
    return Corpus.read(*paths, **settings.corpus_options)


class DocumentRecord(NamedTuple):
    """Hash, length, title and kind of a document when the campaign was created."""

    sha256: str
    length: int
    title: str = ""
    kind: str = ""


class Material:
    """A document whose text is verified against its record."""

    def __init__(self, document: Document, record: DocumentRecord) -> None:
        self.document = document
        self.record = record
        self.text = document.text

    @cached_property
    def structure(self) -> ElementTree:
        return ElementTree(self.document.elements)

    @cached_property
    def units(self) -> TextUnits:
        return units_of(self.text, self.structure)


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


class Materials:
    """Cache of verified documents, by their names in the pool."""

    def __init__(self, corpus: Corpus, records: Mapping[str, DocumentRecord]) -> None:
        self._corpus = corpus
        self._records = records
        self._recent: Recent[Material] = Recent(room=_ROOM, size=lambda material: len(material.text) + 1_000)

    def get(self, name: str) -> Material:
        """Return a document; raise an error if its text has changed."""
        return self._recent.get(name, lambda: self._read(name))

    def _read(self, name: str) -> Material:
        record = self._records[name]
        document = self._corpus.document(name)
        if len(document.text) != record.length or sha256_of(document.text) != record.sha256:
            raise _changed([name])
        return Material(document, record)

    def check(self, names: Iterable[str] | None = None) -> None:
        """Raise an error that names every document that has changed or is missing."""
        checked = self._records if names is None else dict.fromkeys(names)
        missing = [name for name in checked if name not in self._corpus]
        changed = [name for name in checked if name in self._corpus and not self._is_same(name)]
        if missing or changed:
            raise _changed(changed, missing)

    def _is_same(self, name: str) -> bool:
        record = self._records[name]
        try:
            return self._corpus.length(name) == record.length and self._corpus.hash(name) == record.sha256
        except ExcerptError:
            return False


def _changed(changed: list[str], missing: Sequence[str] = ()) -> ExcerptError:
    parts = []
    if changed:
        found = f"{plural(len(changed), 'document')} {'has' if len(changed) == 1 else 'have'} changed"
        parts.append(f"{found} since the campaign was created: {short_list(changed)}")
    if missing:
        parts.append(f"missing documents of the campaign: {short_list(missing)}")
    hint = "offsets would point to other text; restore the documents and restart excerpt assess serve"
    return ExcerptError("; ".join(parts), hint=f"{hint}, or create a new campaign")
