"""Suggestions of a machine: read with every fault located, and only for what is judged."""

from __future__ import annotations

import json
from typing import Any

import pytest

from excerpt.assess.suggestions import Suggestion, read_suggestions
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError
from excerpt.notices import Notices

CORPUS = Corpus({"A": "Some 😀 text.", "B": "Other."})
PAIRS = [("1", "A"), ("2", "B")]
LINE = {"topic": "1", "document": "A", "start": 5, "end": 6, "quote": "😀", "model": "m-1", "prompt": "ab12"}


def lines(*given: dict[str, Any]) -> bytes:
    """Lines of a file."""
    return "".join(json.dumps(line) + "\n" for line in given).encode()


def test_what_is_read() -> None:
    """Numbers follow the file; labels may be missing, ids be numbers, the place an offset."""
    other = {"topic": 2, "document": "B", "offset": 0, "length": 5, "model": "m", "prompt": "p", "label": "x"}
    assert read_suggestions(lines(LINE, other), CORPUS, PAIRS) == [
        Suggestion(0, "1", "A", 5, 6, None, "m-1", "ab12"),
        Suggestion(1, "2", "B", 0, 5, "x", "m", "p"),
    ]


def test_other_documents_are_counted() -> None:
    """Those that nobody judges, and those that are not there; numbers go on without them."""
    notices = Notices()
    given = lines(LINE | {"topic": "2"}, LINE | {"document": "Z"}, LINE)
    (found,) = read_suggestions(given, CORPUS, PAIRS, notices=notices)
    assert found.number == 0
    assert list(notices) == [
        "suggestion is for a document that is not in the pool, and was left out (2 times, first: <bytes>)"
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"quote": "x"}, "found quote 'x', expected the text of document A there, '😀'"),
        (
            {"end": 99},
            "found span [5, 99) of document A, which has 12 characters, expected a span of its text",
        ),
        ({"end": 5}, "found span [5, 5) of document A, which has 12 characters, expected a span of its text"),
        ({"start": None, "end": None}, "found span [0, 0) of document A"),
        ({"start": "5"}, 'found start "5", expected a whole number'),
        ({"model": None}, "found no model, expected the name of the model"),
        ({"prompt": " "}, "found prompt ' ', expected a hash of the prompt"),
        ({"label": "odd"}, "found label 'odd', expected one of the campaign's labels (supports)"),
        ({"topic": None}, "found no topic among "),
    ],
)
def test_faults(change: dict[str, Any], message: str) -> None:
    """One line, with its number."""
    with pytest.raises(ExcerptError) as caught:
        read_suggestions(lines(LINE, LINE | change), CORPUS, PAIRS, labels=("supports",), notices=Notices())
    assert str(caught.value).startswith(f"<bytes>:2: {message}")


def test_no_file_of_suggestions() -> None:
    """Something that is no JSON, or nothing."""
    with pytest.raises(ExcerptError, match="<bytes>:1: found 'hello', expected one JSON object per line"):
        read_suggestions(b"hello\n", CORPUS, PAIRS)
    with pytest.raises(ExcerptError, match="found an empty file, expected suggestions"):
        read_suggestions(b"\n", CORPUS, PAIRS)
