"""Where markup is in a joined text: every `<` with its `>`, whatever stands between them.

In comments, instructions and CDATA sections brackets mean nothing, and a `>` may stand in a value and in the
text. With those left out `<` and `>` alternate, or their document is doubtful.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.parse.joined_text import JoinedText, select_outside
from excerpt.model.spans import BoolArray, IntArray

NAME = rb"[A-Za-z_:][A-Za-z0-9_:.\-]*+"
_LT, _GT, _SLASH, _BRACKET, _BANG, _QUESTION = b"<>/]!?"
_CDATA = b"<![CDATA["
_DOCUMENT_TYPE = b"<!DOCTYPE"
_EMPTY_CDATA = len(b"<![CDATA[]]>")
_INSTRUCTION = re.compile(rb"<\?(?!(?i:xml)[?\s])%b(?=\s|\?>)" % NAME)
_START_TAG = re.compile(
    rb"""<%b(?:\s+%b\s*=\s*(?:"[^"<]*"|'[^'<]*'))*+\s*/?>""" % (NAME, NAME)
)  # with a `>` in a value


class Sections(NamedTuple):
    """Comments, instructions and CDATA sections: where each begins and ends (exclusive)."""

    begin: IntArray
    end: IntArray
    is_cdata: BoolArray


class Markup(NamedTuple):
    """Everything from a `<` to its `>`: rows of each kind, the depth after each, how much is no text."""

    opens: IntArray
    closes: IntArray
    is_empty: BoolArray
    starts: IntArray
    ends: IntArray
    others: IntArray
    depth: npt.NDArray[np.int32]
    width: IntArray
    sections: Sections


def find_markup(joined: JoinedText) -> Markup:
    """All markup; documents in which brackets do not fit together are doubtful."""
    text = joined.text
    found = text | np.uint8(2)  # `<` and `>` differ in this one bit
    brackets = np.flatnonzero(np.equal(found, _GT, out=found.view(np.bool_)))
    alternate = _alternate(text, brackets)
    opens = brackets[::2] if alternate else brackets[text[brackets] == _LT]
    second = text[opens + 1]
    sections = _sections(joined, opens, second)
    outer = select_outside(brackets, sections.begin + 1, sections.end - 1)
    if not alternate or outer is not brackets:
        if not _alternate(text, outer):
            outer = _without_other_closes(joined, outer)
        opens = outer[::2]
        second = text[opens + 1]
    closes = outer[1::2]
    _check_bounds(joined, opens, closes)
    return _classify(text, opens.copy(), closes.copy(), second, sections)


def _alternate(text: npt.NDArray[np.uint8], brackets: IntArray) -> bool:
    """Whether the brackets are `<` and `>` in turn, as they nearly always are."""
    if len(brackets) % 2:
        return False
    return bool((text[brackets[::2]] == _LT).all() and (text[brackets[1::2]] == _GT).all())


def _sections(joined: JoinedText, opens: IntArray, second: npt.NDArray[np.uint8]) -> Sections:
    is_other = (second == _BANG) | (second == _QUESTION)
    others = opens[is_other]
    document = joined.documents_at(others)
    # Most documents begin with a declaration, which expat sees with all that is before the root.
    inner = (others != joined.bounds[document]) | (second[is_other] == _BANG)
    limits = joined.bounds[document[inner] + 1].tolist()
    begins, ends, wrong, end = [], [], [], 0
    for at, limit in zip(others[inner].tolist(), limits, strict=True):
        if at < end:
            continue
        if found := end_of_section(joined.data, at, limit):
            end = found
            begins.append(at)
            ends.append(end)
        elif not joined.data.startswith(_DOCUMENT_TYPE, at):
            wrong.append(at)
            end = limit  # else thousands of sections without an end would each be searched for one
    joined.doubt(np.array(wrong, np.int64))
    joined.settle()
    is_cdata = np.array([joined.data.startswith(_CDATA, at) for at in begins], np.bool_)
    return Sections(np.array(begins, np.int64), np.array(ends, np.int64), is_cdata)


def end_of_section(data: bytes, at: int, limit: int) -> int:
    """Where the comment, instruction or CDATA section that begins at a `<` ends, not after `limit`; 0: no.

    >>> end_of_section(b"<!-- <a> --> <!-- b -- -->", 0, 26), end_of_section(b"<!-- -- -->", 0, 11)
    (12, 0)
    """
    if data.startswith(b"<!--", at):
        end = _after(b"--", data, at + 4, limit)
        return end + 1 if end < limit and data.startswith(b">", end) else 0
    if data.startswith(_CDATA, at):
        return _after(b"]]>", data, at + len(_CDATA), limit)
    instruction = _INSTRUCTION.match(data, at)
    return _after(b"?>", data, instruction.end(), limit) if instruction else 0


def _after(mark: bytes, data: bytes, begin: int, limit: int) -> int:
    """Where the next mark ends; 0 where there is none before the limit."""
    found = data.find(mark, begin, limit)
    return found + len(mark) if found >= 0 else 0


def _without_other_closes(joined: JoinedText, brackets: IntArray) -> IntArray:
    """The brackets without any `>` in the value of an attribute or in the text."""
    text = joined.text
    brackets = _without_closes_in_values(joined, brackets)
    is_close = text[brackets] == _GT
    in_text = _follow_a_close(is_close)
    at = brackets[in_text]
    joined.doubt(at[(text[at - 1] == _BRACKET) & (text[at - 2] == _BRACKET)])
    brackets, is_close = brackets[~in_text], is_close[~in_text]
    joined.doubt(brackets[:-1][~is_close[1:] & ~is_close[:-1]])
    joined.doubt(brackets[:1][is_close[:1]])
    joined.doubt(brackets[-1:][~is_close[-1:]])
    joined.settle()
    return brackets


def _without_closes_in_values(joined: JoinedText, brackets: IntArray) -> IntArray:
    is_close = joined.text[brackets] == _GT
    # The first of several `>` ends the tag or is in a value of it.
    first = np.flatnonzero(_follow_a_close(is_close)) - 1
    first = first[(first > 0) & ~is_close[first - 1]]
    begins, ends = [], []
    for at, close in zip(brackets[first - 1].tolist(), brackets[first].tolist(), strict=True):
        tag = _START_TAG.match(joined.data, at)
        if tag is not None and tag.end() - 1 > close:
            begins.append(at + 1)
            ends.append(tag.end() - 1)
    return select_outside(brackets, np.array(begins, np.int64), np.array(ends, np.int64))


def _follow_a_close(is_close: BoolArray) -> BoolArray:
    return np.concatenate(([False], is_close[1:] & is_close[:-1]))


def _check_bounds(joined: JoinedText, opens: IntArray, closes: IntArray) -> None:
    """Every document has markup, and no markup reaches over its end."""
    first = np.searchsorted(opens, joined.bounds)
    is_open = np.searchsorted(closes, joined.bounds[1:]) != first[1:]
    joined.doubt_documents(is_open | (np.diff(first) == 0))
    joined.settle()


def _classify(
    text: npt.NDArray[np.uint8],
    opens: IntArray,
    closes: IntArray,
    second: npt.NDArray[np.uint8],
    sections: Sections,
) -> Markup:
    is_end = second == _SLASH
    is_other = (second == _BANG) | (second == _QUESTION)
    is_start = ~(is_end | is_other)
    is_empty = (text[closes - 1] == _SLASH) & is_start
    step = is_start.view(np.int8) - is_end.view(np.int8) - is_empty.view(np.int8)
    width = closes - opens + 1
    # What is inside of a CDATA section is text.
    width[np.searchsorted(opens, sections.begin[sections.is_cdata])] = _EMPTY_CDATA
    return Markup(
        opens,
        closes,
        is_empty,
        np.flatnonzero(is_start),
        np.flatnonzero(is_end),
        np.flatnonzero(is_other),
        np.cumsum(step, dtype=np.int32),
        width,
        sections,
    )
