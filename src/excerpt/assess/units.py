"""Words and sentences of a text, so that selections snap to the same ones everywhere.

Every sign that is no white space is in a word: letters and digits together, with what stands between them
(don't, e-mail, 3.14); Han and kana one by one; any other sign by itself, an emoji with all that is of it.
A sentence ends with its sign, but not after an abbreviation; and where a block ends.
"""
# ruff: noqa: RUF001 - signs of many scripts

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from excerpt.assess.rules import Structure

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
