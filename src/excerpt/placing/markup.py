"""Markup of Markdown and HTML set aside: the text that a reader sees, with its place in the source.

Set aside are emphasis, strong, ticks and fences of code, targets of links and images, marks of headings,
lists, quotes, tables and footnotes, tags, and a hyphen at the end of a line; entities are their characters.
Inside code only the ticks are markup.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import IntArray
from excerpt.model.texts import fold_text, squeeze
from excerpt.quotes.text_index import FoldedText

MarkupKind: TypeAlias = Literal["markdown", "html"]
#: Endings of names that say what a document is; all other known endings are of plain text.
_MARKDOWN = (".md", ".mdx", ".markdown", ".mkd", ".ipynb", ".rst", ".qmd")
_HTML = (".html", ".htm", ".xhtml")
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,9}$")
_COMPRESSED = re.compile(r"\.(gz|bz2|xz|zst)$")

_FENCE = re.compile(r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n]*$", re.MULTILINE)
_TAG = r"</?[A-Za-z][A-Za-z0-9-]*(?:\s+[^\s<>=\"']+(?:\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>`]+))?)*\s*/?>"
_TARGET = r"\]\((?:[^()\s\\]|\\.|\([^()\s]*\))*(?:\s+(?:\"[^\"\n]*\"|'[^'\n]*'))?\s*\)(?:\{[^{}\n]*\})?"
#: What may be markup outside of code, in one pass.
_TOKEN = re.compile(
    rf"""(?P<ticks>`+)
    |(?P<escape>\\[!-/:-@\[-`{{-~])
    |(?P<auto><(?=(?:https?|mailto):[^<>\s]+>))
    |(?P<tag>{_TAG})
    |(?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    |(?P<foot>\[\^[^\]\s]{{1,40}}\]:?)
    |(?P<open>!?\[)
    |(?P<target>{_TARGET})
    |(?P<reference>\]\[[^\[\]\n]*\])
    |(?P<close>\])
    |(?P<run>\*+|_+|~~+)
    """,
    re.VERBOSE,
)
_HTML_TOKEN = re.compile(
    rf"(?P<tag>{_TAG})|(?P<entity>&(?:#\d{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]\w{{1,31}});)"
)
#: Marks at the beginning of a line: quotes and lists, then a heading or what stands under one, and tables.
_LINE = re.compile(
    r"^(?P<lead>[ \t]*(?:(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*)*)"
    r"(?P<mark>#{1,6}(?=[ \t]|$)|(?:=+|-{2,}|\*{3,}|_{3,})[ \t]*$"
    r"|\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*$)?",
    re.MULTILINE,
)
_ROW = re.compile(r"^[ \t>]*\|.*$", re.MULTILINE)
_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*")
_AFTER_HEADING = re.compile(
    r"^[ \t>]*#{1,6}[ \t][^\n]*?(?P<end>[ \t]*(?:#+)?[ \t]*(?:\{[ \t]*[#.][^{}\n]*\})?[ \t]*)$", re.MULTILINE
)
_HYPHEN = re.compile(r"(?<=[^\W\d_])(?P<hyphen>-)(?P<gap>[ \t]*\r?\n[ \t>]*)(?=[^\W\d_])")
#: Tags that stand inside of words and lines; all others part them.
_INLINE = frozenset(
    (
        *(
            "a",
            "abbr",
            "acronym",
            "b",
            "bdi",
            "bdo",
            "big",
            "cite",
            "code",
            "data",
            "del",
            "dfn",
            "em",
            "font",
        ),
        *("i", "ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub"),
        *("sup", "time", "tt", "u", "var", "wbr"),
    )
)
_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9-]*)")


#: Characters of which markup has one, and what it has at the begin and the end of lines.
_MARKS = {"markdown": "*_~`[]<>&\\|#", "html": "<&"}
_LEAD = r"[ \t]*(?:[-+=]|\d{1,9}[.)])"
_EDGES = (re.compile(_LEAD).match, re.compile(rf"\n{_LEAD}").search, re.compile(r"-[ \t]*\r?\n").search)


class MarkupEdit(NamedTuple):
    """A stretch of the source that a reader sees as another text, mostly as none."""

    start: int
    end: int
    seen: str = ""


def kind_of_document(name: str) -> MarkupKind | None:
    """Return the markup of a document by the ending of its id; without a known ending it may be Markdown.

    >>> [kind_of_document(name) for name in ("a/b.md", "b.html", "c.txt", "chapter 1.2")]
    ['markdown', 'html', None, 'markdown']
    """
    ending = _ENDING.search(_COMPRESSED.sub("", name))
    if ending is None or ending[0].lower() in _MARKDOWN:
        return "markdown"
    return "html" if ending[0].lower() in _HTML else None


class ReadText:
    """A text as a reader sees it.

    >>> text = ReadText("Use **[FastAPI](https://x.y)** and `**kwargs`.", "markdown")
    >>> text.seen, text.span(4, 11)
    ('Use FastAPI and **kwargs.', (7, 14))
    """

    def __init__(self, text: str, kind: MarkupKind, *, keep_hyphens: bool = False) -> None:
        self.text = text
        edits = sorted(
            _of_markdown(text, keep_hyphens=keep_hyphens) if kind == "markdown" else _of_html(text)
        )
        self._pieces = list(_pieces(text, edits))
        self.seen = "".join(seen for _, _, seen in self._pieces)

    @cached_property
    def folded(self) -> FoldedText:
        """The seen text, to search in."""
        return FoldedText(self.seen)

    @cached_property
    def _bounds(self) -> tuple[IntArray, IntArray, IntArray]:
        """Of each piece: its first place in the seen text, its start and its end in the source."""
        starts, ends, seen = zip(*self._pieces, strict=True) if self._pieces else ((), (), ())
        sizes = np.array([*map(len, seen)], np.int64)
        return np.cumsum(sizes) - sizes, np.array(starts, np.int64), np.array(ends, np.int64)

    def spans(self, start: IntArray, end: IntArray) -> tuple[IntArray, IntArray]:
        """Return starts and ends in the source of stretches of the seen text that are not empty."""
        first, low, high = self._bounds
        one, two = first.searchsorted(start, side="right") - 1, first.searchsorted(end - 1, side="right") - 1
        return low[one] + start - first[one], np.minimum(low[two] + end - first[two], high[two])

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the same of one stretch."""
        low, high = self.spans(np.array([start]), np.array([end]))
        return int(low[0]), int(high[0])

    def find(self, quote: str) -> tuple[IntArray, IntArray]:
        """Starts and ends in the source of all places of a quote, folded."""
        folded, part = self.folded, fold_text(quote)
        at = folded.searched.find(part, 0, len(folded.folded)) if part else np.zeros(0, np.int64)
        low, high = folded.solid(at), folded.solid(at + len(part))
        return self.spans(folded.offsets[low], folded.ends[high - 1])


def may_have_markup(text: str, kind: MarkupKind) -> bool:
    """Return whether a text has a character of markup at all; without one a reader sees it as it is.

    >>> may_have_markup("1-2, plain", "markdown"), may_have_markup("a\\n - b", "markdown")
    (False, True)
    """
    if any(mark in text for mark in _MARKS[kind]):
        return True
    return kind == "markdown" and any(edge(text) for edge in _EDGES)


class MarkedText:
    """A text with markup in which quotes are searched that lack the markup, or have another one."""

    def __init__(self, text: str, kind: MarkupKind) -> None:
        self._text, self._kind = text, kind
        #: Whether a reader may see another text.
        self.differs = may_have_markup(text, kind)

    @cached_property
    def seen(self) -> ReadText:
        """The text as a reader sees it."""
        return ReadText(self._text, self._kind)

    @cached_property
    def _with_hyphens(self) -> ReadText | None:
        """The same with hyphens at the ends of lines; None if there are none."""
        if self._kind != "markdown" or _HYPHEN.search(self._text) is None:
            return None
        return ReadText(self._text, self._kind, keep_hyphens=True)

    @property
    def forms(self) -> list[str]:
        """What a reader sees, with and without hyphens at the ends of lines."""
        return [one.seen for one in (self.seen, self._with_hyphens) if one is not None]

    def find(self, quote: str) -> tuple[IntArray, IntArray]:
        """Starts and ends of all places of a quote: of its own words, else without its own markup.

        >>> starts, ends = MarkedText("a *b* c", "markdown").find("a b c")
        >>> starts.tolist(), ends.tolist()
        ([0], [7])
        """
        start, end = self._find(quote)
        if not len(start) and (seen := seen_of(quote, self._kind)) != quote:
            return self._find(seen)
        return start, end

    def _find(self, part: str) -> tuple[IntArray, IntArray]:
        nowhere = np.zeros(0, np.int64)
        start, end = self.seen.find(part) if part.strip() else (nowhere, nowhere)
        if not len(start) and part.strip() and (other := self._with_hyphens) is not None:
            return other.find(part)
        return start, end


def seen_of(text: str, kind: MarkupKind = "markdown") -> str:
    """Return a text as a reader sees it."""
    return ReadText(text, kind).seen


def are_equal(one: str, other: str) -> bool:
    """Return whether two texts are equal when markup and white space are set aside.

    >>> are_equal("*a*  b", "a `b`"), are_equal("`__init__`", "init")
    (True, False)
    """
    forms = [
        {
            squeeze(fold_text(form))
            for form in (text, seen_of(text), ReadText(text, "markdown", keep_hyphens=True).seen)
        }
        for text in (one, other)
    ]
    return bool(forms[0] & forms[1])


class StyledSpan(NamedTuple):
    """A stretch of Markdown that a reader sees in another type."""

    start: int
    end: int
    style: Literal["code", "deleted", "emphasis", "link", "strong"]


class MarkdownParts(NamedTuple):
    """Markdown in its parts: markup that a reader does not see, and stretches of another type."""

    markup: list[tuple[int, int]]
    styled: list[StyledSpan]


def prose_of(text: str) -> list[tuple[int, int]]:
    r"""Return the spans of Markdown between the fences of code.

    >>> prose_of("a\n```\ncode\n```\nb")
    [(0, 2), (14, 16)]
    """
    return [span for span in _between_fences(text) if span[0] >= 0]


def markdown_parts(text: str) -> MarkdownParts:
    """Part Markdown for showing it; its offsets stay those of the source.

    >>> parts = markdown_parts("Use **`x`**, see [y](z).")
    >>> parts.markup
    [(4, 6), (6, 7), (8, 9), (9, 11), (17, 18), (19, 23)]
    >>> [(text.style, text.start, text.end) for text in parts.styled]
    [('code', 7, 8), ('link', 18, 19), ('strong', 6, 9)]
    """
    edits, at = sorted(_of_markdown(text, keep_hyphens=True)), 0
    markup = []
    for start, end, seen in edits:
        if start >= at and not seen.strip():
            markup.append((start, end))
        at = max(at, end)
    styled = [
        one
        for start, end in prose_of(text)
        for low, high in _paragraphs(text, start, end)
        for one in _styled(text, list(_of_paragraph(text, low, high)))
    ]
    return MarkdownParts(markup, styled)


def _styled(text: str, edits: list[MarkupEdit]) -> Iterator[StyledSpan]:
    """Stretches between the marks of a pair, which follow each other; other edits stand alone."""
    left = iter(edits)
    for one in left:
        mark = text[one.start : one.end]
        style = _STYLES.get(mark[-1] if mark in {"[", "!["} else mark[0]) if _is_paired(mark) else None
        if style is not None and (other := next(left, None)) is not None:
            is_strong = style == "emphasis" and len(mark) > 1
            yield StyledSpan(one.end, other.start, "strong" if is_strong else style)


_STYLES: dict[str, Literal["code", "deleted", "emphasis", "link"]] = {"`": "code", "~": "deleted"}
_STYLES |= {"*": "emphasis", "_": "emphasis", "[": "link", "<": "link"}


def _is_paired(mark: str) -> bool:
    """Return whether marks come in pairs: not tags, entities, escapes and footnotes."""
    return mark in {"[", "![", "<"} or mark[0] in "`~*_"


def _pieces(text: str, edits: list[MarkupEdit]) -> Iterator[tuple[int, int, str]]:
    """Stretches of the source with what is seen of them; of edits that overlap the first counts."""
    at = 0
    for start, end, seen in edits:
        if start < at:
            continue
        if start > at:
            yield at, start, text[at:start]
        if seen:
            yield start, end, seen
        at = end
    if at < len(text):
        yield at, len(text), text[at:]


def _of_html(text: str) -> Iterator[MarkupEdit]:
    for match in _HTML_TOKEN.finditer(text):
        yield _tag(match) if match["tag"] else _entity(match)


def _tag(match: re.Match[str]) -> MarkupEdit:
    name = _NAME.match(match[0])
    inline = name is not None and name[1].lower() in _INLINE
    return MarkupEdit(match.start(), match.end(), "" if inline else " ")


def _entity(match: re.Match[str]) -> MarkupEdit:
    return MarkupEdit(match.start(), match.end(), html.unescape(match[0]))


def _of_markdown(text: str, *, keep_hyphens: bool) -> Iterator[MarkupEdit]:
    """Edits of Markdown; prose between fences is cut into paragraphs, in which marks are paired."""
    for start, end in _between_fences(text):
        if start < 0:  # a fence
            yield MarkupEdit(-start - 1, end)
            continue
        yield from _of_lines(text, start, end)
        for low, high in _paragraphs(text, start, end):
            yield from _of_paragraph(text, low, high)
        yield from _hyphens(text, start, end, keep=keep_hyphens)


def _between_fences(text: str) -> Iterator[tuple[int, int]]:
    """Prose, and lines of fences with a start below 0; code between them is not yielded."""
    at, opened = 0, ""
    for match in _FENCE.finditer(text):
        fence = match["fence"]
        if opened and (fence[0] != opened[0] or len(fence) < len(opened) or match[0].strip(" \t>") != fence):
            continue
        if not opened:
            yield at, match.start()
        yield -match.start() - 1, match.end()
        opened, at = "" if opened else fence, match.end()
    if not opened:
        yield at, len(text)


def _of_lines(text: str, start: int, end: int) -> Iterator[MarkupEdit]:
    """Marks at the beginning of lines, at the end of headings, and bars of tables."""
    for match in _LINE.finditer(text, start, end):
        if match.end() > match.start():
            yield from _edit(match.start(), match.end(), match[0])
    for match in _AFTER_HEADING.finditer(text, start, end):
        yield from _edit(match.start("end"), match.end("end"), match["end"])
    for row in _ROW.finditer(text, start, end):
        if _RULE.fullmatch(row[0]):
            continue
        for place in re.finditer(r"(?<!\\)\|", row[0]):
            yield MarkupEdit(row.start() + place.start(), row.start() + place.end(), " ")


def _edit(start: int, end: int, marks: str) -> Iterator[MarkupEdit]:
    if marks.strip():
        yield MarkupEdit(start, end)


def _paragraphs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    at = start
    for match in re.finditer(r"\n[ \t>]*\n", text[start:end]):
        yield at, start + match.start()
        at = start + match.end()
    yield at, end


def _hyphens(text: str, start: int, end: int, *, keep: bool) -> Iterator[MarkupEdit]:
    for match in _HYPHEN.finditer(text, start, end):
        yield MarkupEdit(match.start("gap") if keep else match.start(), match.end())


def _of_paragraph(text: str, start: int, end: int) -> Iterator[MarkupEdit]:
    """Edits of the marks of one paragraph: ticks, brackets and emphasis count in pairs."""
    at = start
    brackets: list[MarkupEdit] = []
    runs: list[_Run] = []
    while (match := _TOKEN.search(text, at, end)) is not None:
        at, kind = match.end(), match.lastgroup
        whole = MarkupEdit(match.start(), match.end())
        if kind in {"ticks", "auto"}:
            pattern = rf"(?<!`){match[0]}(?!`)" if kind == "ticks" else ">"
            closing = re.compile(pattern).search(text, at, end)
            if closing is not None:
                at = closing.end()
                yield from (whole, MarkupEdit(closing.start(), at))
        elif kind == "open":
            brackets.append(whole)
        elif kind in {"target", "reference", "close"}:
            opened = brackets.pop() if brackets else None
            yield from (opened, whole) if opened is not None and kind != "close" else ()
        elif kind == "run":
            runs.append(_Run.of(text, match))
        else:
            yield _ALONE[kind or ""](match)
    yield from _emphasis(runs)


def _dropped(match: re.Match[str]) -> MarkupEdit:
    return MarkupEdit(match.start(), match.start() + 1 if match["escape"] else match.end())


#: Marks that count alone.
_ALONE = {"escape": _dropped, "foot": _dropped, "tag": _tag, "entity": _entity}


class _Run(NamedTuple):
    """A run of one mark of emphasis, and whether it may open or close."""

    start: int
    mark: str
    opens: bool
    closes: bool

    @classmethod
    def of(cls, text: str, match: re.Match[str]) -> _Run:
        """A run by the characters around it; one of underscores inside of a word is text."""
        before = text[match.start() - 1 : match.start()] if match.start() else " "
        after = text[match.end() : match.end() + 1] or " "
        opens, closes = not after.isspace(), not before.isspace()
        if match[0][0] == "_":
            opens, closes = opens and not before.isalnum(), closes and not after.isalnum()
        return cls(match.start(), match[0], opens, closes)


def _emphasis(runs: list[_Run]) -> Iterator[MarkupEdit]:
    """Pair runs of the same mark: one that closes with the last open one, as far as both reach."""
    opened: list[tuple[int, int, str]] = []  # start, marks left, mark
    counts: Counter[str] = Counter()
    for run in runs:
        start, left, mark = run.start, len(run.mark), run.mark[0]
        while run.closes and left and counts[mark]:
            while opened[-1][2] != mark:
                counts[opened.pop()[2]] -= 1
            begin, size, _ = opened.pop()
            counts[mark] -= 1
            used = min(size, left)
            yield MarkupEdit(begin + size - used, begin + size)
            yield MarkupEdit(start, start + used)
            start, left = start + used, left - used
            if size > used:
                opened.append((begin, size - used, mark))
                counts[mark] += 1
        if run.opens and left:
            opened.append((start, left, mark))
            counts[mark] += 1
