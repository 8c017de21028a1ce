"""Chunkers that come with excerpt: spans of a text by its structure, without a library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from excerpt.errors import ExcerptError, UnknownName, short

if TYPE_CHECKING:
    from collections.abc import Mapping

    from excerpt.corpus.document import Element

#: Half-open spans of a text.
CutSpans: TypeAlias = list[tuple[int, int]]
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_LINE_ENDS = re.compile(r"\n")
_SENTENCE_ENDS = re.compile(
    r"(?<=[.!?…\u3002\uff01\uff1f])[\"')\]\u201d\u2019\u300d\u300f]*(?:\s+|(?<=[\u3002\uff01\uff1f\u300d\u300f]))|\n[^\S\n]*\n\s*"
)
_WORD_ENDS = re.compile(r"\s+")
#: Headings of Markdown, AsciiDoc and Org, and lines that are underlined.
_HEADING = re.compile(
    r"^(?:#{1,6}|={2,6}|\*{1,6})[ \t]+\S.*$|^\S.*\n(?:={3,}|-{3,}|~{3,})[ \t]*$", re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,}).*?(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
#: Elements that begin a section, and those that are paragraphs.
_SECTIONS = frozenset({"sec", "section", "chapter", "div", "ss1", "ss2", "ss3", "bdy", "body", "abstract"})
_PARAGRAPHS = frozenset({"p", "para", "paragraph", "ip1", "ip2", "ip3", "ip4", "ip5", "P", "PARA"})


class CutText(NamedTuple):
    """A text to cut, with its elements if it is XML."""

    text: str
    elements: tuple[Element, ...] = ()

    def stripped(self, spans: Iterable[tuple[int, int]]) -> CutSpans:
        """Spans without white space at their ends; those of white space only are left out."""
        found = []
        for start, end in spans:
            own = self.text[start:end]
            low, high = start + len(own) - len(own.lstrip()), start + len(own.rstrip())
            if high > low:
                found.append((low, high))
        return found


def _between(marks: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Parts of text[start:end] that end where a mark ends."""
    low = start
    for mark in marks.finditer(text, start, end):
        if mark.end() > low:
            yield low, mark.end()
            low = mark.end()
    if low < end:
        yield low, end


def _cut_at(starts: Iterable[int], end: int) -> Iterator[tuple[int, int]]:
    """Parts between positions, from 0 to the end."""
    cuts = sorted({0, *starts, end})
    return pairwise(cuts)


def _heading_starts(given: CutText) -> list[int]:
    """Where sections begin: at headings outside of code, or at elements that are sections."""
    if given.elements:
        return [one.start for one in given.elements if one.tag in _SECTIONS]
    code = [match.span() for match in _FENCE.finditer(given.text)]
    starts, place = [], 0
    for match in _HEADING.finditer(given.text):
        while place < len(code) and code[place][1] <= match.start():
            place += 1
        if place == len(code) or match.start() < code[place][0]:
            starts.append(match.start())
    return starts


def headings(given: CutText) -> CutSpans:
    """One chunk per section, from a heading to the next; paragraphs of a text without headings.

    >>> text = CutText("# One\\n\\nFirst.\\n\\n# Two\\n\\nSecond.")
    >>> [text.text[start:end] for start, end in headings(text)]
    ['# One\\n\\nFirst.', '# Two\\n\\nSecond.']
    """
    starts = _heading_starts(given)
    return given.stripped(_cut_at(starts, len(given.text))) if starts else paragraphs(given)


def paragraphs(given: CutText) -> CutSpans:
    """One chunk per paragraph, a heading with the one after it; blank lines inside of code do not count.

    >>> text = CutText("# One\\n\\nFirst.\\n\\nSecond.")
    >>> [text.text[start:end] for start, end in paragraphs(text)]
    ['# One\\n\\nFirst.', 'Second.']
    """
    own = [(one.start, one.end) for one in given.elements if one.tag in _PARAGRAPHS]
    if own:
        return given.stripped(_outermost(own, len(given.text)))
    heads, found, begun = _heading_starts(given), list[tuple[int, int]](), -1
    first = set(heads)
    for start, end in _blocks(given.text):
        low = begun if begun >= 0 else start
        body = given.text[start:end].strip()
        alone = start in first and bool(_HEADING.fullmatch(body))
        begun = low if alone or not body else -1
        if begun < 0:
            found.append((low, end))
    if begun >= 0:
        found.append((begun, len(given.text)))
    return given.stripped(found)


def _outermost(spans: list[tuple[int, int]], size: int) -> Iterator[tuple[int, int]]:
    """Paragraphs that are not inside of another one, and the text between them."""
    last = 0
    for start, end in sorted(spans, key=lambda one: (one[0], -one[1])):
        if end <= last:
            continue
        yield last, max(start, last)
        yield max(start, last), end
        last = end
    yield last, size


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Parts between blank lines; a fenced block of code is never cut."""
    code, place, low = [match.span() for match in _FENCE.finditer(text)], 0, 0
    for mark in _BLANK_LINES.finditer(text):
        while place < len(code) and code[place][1] <= mark.start():
            place += 1
        if place < len(code) and code[place][0] <= mark.start():
            continue
        if mark.end() > low:
            yield low, mark.end()
            low = mark.end()
    if low < len(text):
        yield low, len(text)


def sentences(given: CutText, size: int) -> CutSpans:
    """Sentences in order, as many as fit into `size` characters; a longer sentence is cut between words.

    >>> text = CutText("One two. Three. Four five six.")
    >>> [text.text[start:end] for start, end in sentences(text, 15)]
    ['One two. Three.', 'Four five six.']
    """
    parts = _between(_SENTENCE_ENDS, given.text, 0, len(given.text))
    return given.stripped(_merged(given.text, parts, size, (_WORD_ENDS,)))


def recursive(given: CutText, size: int, overlap: int = 0) -> CutSpans:
    """Parts of at most `size` characters: cut at sections, else blank lines, lines, sentences, words.

    Neighbours are joined as long as they fit. With `overlap` a chunk begins up to so many characters
    earlier, at a word.

    >>> text = CutText("One two.\\n\\nThree four. Five.")
    >>> [text.text[start:end] for start, end in recursive(text, 12)]
    ['One two.', 'Three four.', 'Five.']
    """
    starts = _heading_starts(given)
    levels = (_BLANK_LINES, _LINE_ENDS, _SENTENCE_ENDS, _WORD_ENDS)
    parts = _cut_at(starts, len(given.text))
    return _overlapping(
        given.text, given.stripped(_merged(given.text, parts, size - overlap, levels)), overlap
    )


def window(given: CutText, size: int, overlap: int = 0) -> CutSpans:
    """Windows of `size` characters, wherever words end; the last one is shorter.

    >>> window(CutText("abcdefghij"), 4), window(CutText("abcdefghij"), 4, 2)
    ([(0, 4), (4, 8), (8, 10)], [(0, 4), (2, 6), (4, 8), (6, 10)])
    """
    length = len(given.text)
    last = max(length - overlap, 1)
    return given.stripped((start, min(start + size, length)) for start in range(0, last, size - overlap))


def _merged(
    text: str,
    parts: Iterable[tuple[int, int]],
    size: int,
    levels: tuple[re.Pattern[str], ...],
    *,
    within: bool = False,
) -> Iterator[tuple[int, int]]:
    """Neighbouring parts joined as long as they fit; a part that is too long is cut at the next level."""
    low = high = -1
    for start, end in parts:
        if low >= 0 and _length(text, low, end) <= size:
            high = end
            continue
        begun = [(low, high)] if low >= 0 else []
        too_long = _length(text, start, end) > size
        if begun and not (within and levels and too_long):  # a heading may join the beginning of its text
            yield from begun
            begun = []
        low = -1
        if not too_long:
            low, high = start, end
        elif levels:
            inner = chain(begun, _between(levels[0], text, start, end))
            *complete, (low, high) = _merged(text, inner, size, levels[1:], within=True)
            yield from complete
        else:
            yield from ((at, min(at + size, end)) for at in range(start, end, size))
    if low >= 0:
        yield low, high


def _length(text: str, start: int, end: int) -> int:
    """Characters of a span without white space at its end."""
    while end > start and text[end - 1].isspace():
        end -= 1
    return end - start


def _overlapping(text: str, spans: CutSpans, overlap: int) -> CutSpans:
    """Spans that begin up to `overlap` characters earlier, at a word, never before the last one begins."""
    if not overlap:
        return spans
    found = spans[:1]
    for (before, _), (start, end) in pairwise(spans):
        low = max(start - overlap, before)
        word = _WORD_ENDS.search(text, max(low - 1, 0), start)
        found.append((word.end() if word and low > before else low, end))
    return found


class OwnChunker(NamedTuple):
    """A chunker that comes with excerpt: how it cuts, and which parameters it takes."""

    cut: Callable[..., CutSpans]
    sized: bool = False
    overlaps: bool = False


CHUNKERS: Mapping[str, OwnChunker] = {
    "paragraphs": OwnChunker(paragraphs),
    "sentences": OwnChunker(sentences, sized=True),
    "recursive": OwnChunker(recursive, sized=True, overlaps=True),
    "headings": OwnChunker(headings),
    "window": OwnChunker(window, sized=True, overlaps=True),
}
#: What is tried if no chunker is named.
DEFAULT = (
    "paragraphs", "sentences:600", "recursive:400", "recursive:800", "recursive:1600",
    "recursive:800:overlap=160", "headings", "window:400",
)  # fmt: skip
_MOST_SIZE = 10_000_000


class ChunkerName(NamedTuple):
    """A chunker of excerpt as it is written: `recursive:800:overlap=160`."""

    kind: str
    size: int | None = None
    overlap: int = 0

    @classmethod
    def of(cls, text: str) -> ChunkerName:
        """Parse the name of a chunker.

        >>> ChunkerName.of("recursive:800:overlap=160")
        ChunkerName(kind='recursive', size=800, overlap=160)
        """
        kind, *values = text.split(":")
        own = CHUNKERS.get(kind)
        if own is None:
            raise UnknownName("chunker", text, (*DEFAULT, "my.py:cut", "langchain:CLASS(…)"))
        size, overlap = None, 0
        for value in values:
            name, equals, number = value.partition("=")
            if own.sized and not equals and size is None:
                size = _whole(text, value, "size")
            elif own.overlaps and name == "overlap" and equals and not overlap:
                overlap = _whole(text, number, "overlap", least=0)
            else:
                forms = [kind + (":SIZE" if own.sized else "") + (":overlap=N" if own.overlaps else "")]
                raise ExcerptError(f"found {short(value)} in the chunker {short(text)}, expected {forms[0]}")
        if own.sized and size is None:
            raise ExcerptError(f"found the chunker {short(text)} without a size", hint=f"try {kind}:800")
        if size is not None and overlap >= size:
            raise ExcerptError(
                f"found the overlap {overlap} in {short(text)}, expected less than the size {size}"
            )
        return cls(kind, size, overlap)

    def cutter(self) -> Callable[[CutText], CutSpans]:
        """The function that cuts a text."""
        values = {} if self.size is None else {"size": self.size}
        values |= {"overlap": self.overlap} if self.overlap else {}
        return partial(CHUNKERS[self.kind].cut, **values)


def _whole(text: str, value: str, what: str, least: int = 1) -> int:
    if not (
        value.isascii() and value.isdecimal() and least <= int(value[:9]) <= _MOST_SIZE and len(value) < 9
    ):
        message = f"found {short(value)} as the {what} of the chunker {short(text)}"
        raise ExcerptError(f"{message}, expected a whole number of at least {least}")
    return int(value)
