"""Passage judgments of TREC HARD, and what they must not be taken for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt import Corpus, read_judgments
from excerpt.errors import FormatError
from excerpt.formats.judgments import hard, trec
from excerpt.formats.registry import judgments_format_of
from excerpt.formats.source import Source
from excerpt.model import Span

Open = Callable[..., Source]


def test_passages() -> None:
    """Passages of a document are joined where they overlap; bytes become characters with a corpus."""
    data = b"HARD-1 NYT1 2 300\nHARD-1 NYT1 4 100\nHARD-2 NYT1 400 150\n"
    found = read_judgments(data)
    assert (found.unit, found.highlights("HARD-1")) == ("byte", [Span("NYT1", 2, 302)])
    corpus = Corpus({"NYT1": "é" * 300})
    assert read_judgments(data, corpus=corpus).highlights("HARD-1") == [Span("NYT1", 1, 151)]


def test_recognised(opened: Open) -> None:
    """Not TREC qrels, whatever their documents and iterations are called."""
    for text in ("1 0 NYT1 1\n", "1 Q0 12345 1\n", "1 it1 12345 2\n1 it1 99 0\n", "1 0 123 450\n"):
        assert hard.recognise(opened(text)) == 0
    assert judgments_format_of(opened("HARD-1 NYT1 2 300\nHARD-1 NYT2 4 10\n")).name == "trec-hard"
    assert judgments_format_of(opened("1 it1 12345 2\n")).name == "trec"
    assert trec.recognise(opened("HARD-1 NYT1 2 300\n")) == 0


def test_faults(opened: Open) -> None:
    """Numbers that are none."""
    with pytest.raises(FormatError, match="f:1: found offset 'x', expected a whole number"):
        hard.read(opened("1 A x 5\n"))
