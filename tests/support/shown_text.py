"""Text of a terminal, read back: each character other than whitespace with its mark."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import strategies as st

from excerpt.corpus import Document
from excerpt.render.terminal import MARGIN, MARKS
from excerpt.view.topic_view import DocumentView

#: A character, and whether it is relevant, retrieved, and retrieved again.
Marked = tuple[str, bool, bool, bool]

_TOKEN = re.compile(r"\[\[|\]\]|\S")

SPANS = st.tuples(st.integers(0, 60), st.integers(0, 25)).map(lambda span: (span[0], span[0] + span[1]))
TEXTS = st.text("abc d漢\ne\u0301 \t", min_size=1, max_size=90)


@st.composite
def views(draw: st.DrawFn) -> DocumentView:
    """A document with relevant and retrieved text in it."""
    text = draw(TEXTS)
    relevant, reached = [], 0
    for start, end in draw(st.lists(SPANS, max_size=3)):
        low, high = max(start, reached), min(end, len(text))
        if low < high:
            relevant.append((low, high))
            reached = high + 1
    found = draw(st.lists(SPANS, max_size=4))
    results = [(start, end, rank) for rank, (start, end) in enumerate(found, 1) if start < end]
    judged = bool(relevant) or draw(st.booleans())
    return DocumentView("A", judged, relevant, results, Document("A", text))


def expected(view: DocumentView) -> list[Marked]:
    """Expected text of a document, by sets of characters."""
    assert view.document is not None
    relevant = {place for start, end in view.relevant for place in range(start, end)}
    found = []
    for place, character in enumerate(view.document.text):
        if not character.isspace():
            times = sum(start <= place < end for start, end, _ in view.results)
            found.append((character, place in relevant, times > 0, times > 1))
    return found


def read_marks(lines: Iterable[str]) -> list[Marked]:
    """Marks of lines, read back."""
    opens, closes = ({mark[side]: number for number, mark in enumerate(MARKS)} for side in (0, 1))
    flags = [False, False, False]
    found: list[Marked] = []
    for token in _TOKEN.findall("".join(line[MARGIN:].replace(" ", "") for line in lines)):
        if token in opens:
            assert not flags[opens[token]], "opened twice"
            flags[opens[token]] = True
        elif token in closes:
            assert flags[closes[token]], "closed before it was opened"
            flags[closes[token]] = False
        else:
            found.append((token, *flags))
    assert not any(flags), "left open"
    return found
