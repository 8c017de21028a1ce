"""Pages as places, in runs, judgments and gold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.document_files import pdf

from excerpt import Corpus, evaluate, read_judgments, read_run
from excerpt.documents.page_places import page_place
from excerpt.errors import ExcerptError

_PAGES = ["First page.", "Second page, longer.", "", "Fourth."]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A PDF of four pages, the third without text, and a text."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "a.pdf").write_bytes(pdf(_PAGES))
    (folder / "b.txt").write_text("No pages.")
    return Corpus.read(folder)


def lines(*rows: dict[str, Any]) -> bytes:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (1, "First page."),
        ("2", "Second page, longer."),
        (4.0, "Fourth."),
        ("1-2", "First page.\n\nSecond page, longer."),
    ],
)
def test_a_page_is_a_span(corpus: Corpus, page: object, text: str) -> None:
    """In gold, in judgments with grades, in alternatives, and in a run; by any name of the document."""
    start, end = corpus["a.pdf"].index(text), corpus["a.pdf"].index(text) + len(text)
    gold = read_judgments(lines({"question": "q", "document": "a", "page": page}), corpus=corpus)
    graded = lines({"topic": "1", "document": "a.pdf", "page": page, "relevance": 1})
    choice = lines({"topic": "1", "any_of": [{"document": "a.pdf", "page": page}]})
    for judgments in (gold, read_judgments(graded, corpus=corpus), read_judgments(choice, corpus=corpus)):
        assert (judgments.spans.start.tolist(), judgments.spans.end.tolist()) == ([start], [end])
    run = read_run(lines({"topic": "1", "document": "a.pdf", "page": page, "score": 1}), corpus=corpus)
    assert (run.kind, run.start.tolist(), run.end.tolist()) == ("spans", [start], [end])


def test_pages_are_scored_as_their_text(corpus: Corpus) -> None:
    """A page is read whole; a budget ends inside of it."""
    gold = lines({"question": "q", "document": "a.pdf", "page": 2})
    run = lines(
        {"topic": "1", "document": "a.pdf", "page": 1, "score": 2},
        {"topic": "1", "document": "a.pdf", "page": "2", "score": 1},
    )
    table = evaluate(gold, run, ["read@2", "recall(budget=21)", "recall@1", "recall@2"], corpus=corpus)
    assert table.means().tolist() == [[31.0, 0.5, 0.0, 1.0]]


def test_a_page_next_to_a_place_is_a_note(corpus: Corpus) -> None:
    """Offsets and texts say where a result is."""
    row = {"topic": "1", "document": "a.pdf", "start": 0, "end": 5, "page": 99, "score": 1}
    assert read_run(lines(row), corpus=corpus).end.tolist() == [5]
    gold = {"question": "q", "document": "a.pdf", "quote": "Fourth.", "page": 99}
    assert read_judgments(lines(gold), corpus=corpus).spans.end.tolist() == [len(corpus["a.pdf"])]


def test_a_page_of_images_may_be_returned(corpus: Corpus) -> None:
    """It has no text to be relevant."""
    run = read_run(lines({"topic": "1", "document": "a.pdf", "page": 3, "score": 1}), corpus=corpus)
    assert run.start.tolist() == [-1]
    for row in (
        {"question": "q", "document": "a.pdf", "page": 3},
        {"topic": "1", "document": "a.pdf", "page": 3, "relevance": 1},
    ):
        with pytest.raises(ExcerptError, match=r"found page 3 of document a.pdf, which has no text"):
            read_judgments(lines(row), corpus=corpus)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"page": 5}, ":1: found page 5, but document a.pdf has 4"),
        ({"page": "4-5"}, ':1: found page "4-5", but document a.pdf has 4'),
        ({"page": 0}, ':1: found page 0, expected a page from 1, such as 3 or "3-5"'),
        ({"page": "3-2"}, ':1: found page "3-2", expected a page from 1'),
        ({"page": "iv"}, ':1: found page "iv", expected a page from 1'),
        ({"page": True}, ":1: found page true, expected a page from 1"),
        ({"page": 1, "document": "b.txt"}, ":1: found page 1, but document b.txt has no pages"),
        ({"page": 1, "document": "c.pdf"}, ":1: found page 1 of document c.pdf, which is not in the corpus"),
    ],
)
@pytest.mark.parametrize(
    "more", [{"question": "q"}, {"topic": "1", "score": 1}, {"topic": "1", "relevance": 1}]
)
def test_a_page_that_is_not_there_is_a_fault(
    corpus: Corpus, row: dict[str, Any], message: str, more: dict[str, Any]
) -> None:
    """With the line, for gold, runs and judgments."""
    read = read_run if "score" in more else read_judgments
    with pytest.raises(ExcerptError, match=message.replace('"', ".")):
        read(lines({"document": "a.pdf", **row, **more}), corpus=corpus)


def test_gold_of_pages_needs_the_documents() -> None:
    """One line that says so."""
    with pytest.raises(
        ExcerptError, match="found a page without a quote, expected the documents that have the page"
    ):
        read_judgments(lines({"question": "q", "document": "a.pdf", "page": 1}))


class Book:
    """Documents with pages of these lengths."""

    def __init__(self, lengths: Sequence[int]) -> None:
        self.spans = [(sum(lengths[:number]), sum(lengths[: number + 1])) for number in range(len(lengths))]

    def resolve(self, identifier: str) -> str | None:
        """Every name is known."""
        return identifier

    def pages(self, identifier: str) -> Sequence[tuple[int, int]]:
        """The same pages for all."""
        return self.spans


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.data())
def test_pages_are_those_of_the_definition(lengths: list[int], data: st.DataObject) -> None:
    """All characters from the first of the first page to the last of the last one."""
    first = data.draw(st.integers(1, len(lengths)))
    last = data.draw(st.integers(first, len(lengths)))
    start, end = page_place(Book(lengths), "a", f"{first}-{last}")
    characters = [page for page, length in enumerate(lengths, start=1) for _ in range(length)]
    assert set(characters[start:end]) <= set(range(first, last + 1))
    assert end - start == sum(first <= page <= last for page in characters)
