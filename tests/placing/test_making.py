"""From chunks as given to places: documents, lost chunks, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from repeated_text import cut, repeated_text

from excerpt import Corpus, ExcerptError

CORPUS = Corpus({"A": "One two.  Three.", "B": "Four."})


def test_documents_may_come_in_turns() -> None:
    """Each document has its own order."""
    corpus = Corpus({"A": "x y x", "B": "x z x"})
    given = [("B", "x"), ("A", "x"), ("B", "z"), ("A", "y"), ("A", "x"), ("B", "x")]
    assert [chunk[:2] for chunk in corpus.place(given)] == [
        ("B", 0),
        ("A", 0),
        ("B", 2),
        ("A", 2),
        ("A", 4),
        ("B", 4),
    ]


def test_one_document_needs_no_name() -> None:
    """Texts alone are of the only document."""
    assert Corpus({"A": "x y"}).place(["x", "y"]).documents == ("A",)


def test_the_document_of_all_chunks_or_its_key() -> None:
    """`document` is an id of the corpus, else what the id is called."""
    assert CORPUS.place(["Four."], document="B").documents == ("B",)
    assert CORPUS.place([{"text": "Four.", "file": "B"}], document="file").documents == ("B",)


def test_paths_of_loaders() -> None:
    """A loader gives the path it read, which ends in the one that the corpus knows."""
    corpus = Corpus({"sub/a.txt": "One.", "b.txt": "Two."})
    given = [("/data/me/docs/sub/a.txt", "One."), ("docs\\b.txt", "Two."), ("sub/a.txt", "One.")]
    chunks = corpus.place(given)
    assert chunks.documents == ("sub/a.txt", "b.txt")
    assert chunks.document.tolist() == [0, 1, 0]


def test_pairs_stay_where_they_are() -> None:
    """Offsets without a text are the chunk."""
    chunks = CORPUS.place({"A": [(10, 16), (0, 8)]})
    assert chunks.texts == ("Three.", "One two.")
    assert chunks.counts["exact"] == 2
    assert list(CORPUS.place({"A": np.array([[10, 16], [0, 8]])})) == list(chunks)


def test_lost_chunks_are_dropped() -> None:
    """They are counted, and still known."""
    chunks = CORPUS.place([("A", "Zero."), ("A", "Three.")], lost="drop")
    assert (chunks.texts, chunks.counts["chunks"], chunks.counts["lost"]) == (("Three.",), 2, 1)
    assert chunks.left_out is not None
    assert chunks.left_out.texts == ("Zero.",)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (
            [("C", "x")],
            "chunk number 0: found the document 'C', expected one of the 2 of the corpus, such as 'A', 'B'",
        ),
        (["x"], "chunk number 0: found a chunk without its document, expected one of the 2"),
        (
            [("A", "Zero."), ("B", "Four. Five."), ("A", "x"), ("A", "y")],
            (
                "found 4 chunks of 4 that stand nowhere in their documents (chunk number 0 of 'A': 'Zero.', "
                "5 characters; chunk number 1 of 'B': 'Four. Five.', 11 characters, longer than its document "
                "of 5; chunk number 2 of 'A': 'x', 1 characters and 1 more), expected text of the corpus; is "
            ),
        ),
        ({"A": [(0, 17)]}, "chunk number 0: found the offsets 0 and 17, expected 0 <= start < end <= 16"),
        (
            {"A": [(-1, 3)]},
            "chunk number 0: found the offsets -1 and 3 without a text, expected both or a text; LangChain",
        ),
        ({"A": [(3, 3)]}, "chunk number 0: found the offsets 3 and 3, expected 0 <= start < end <= 16"),
    ],
)
def test_bad_chunks(chunks: object, message: str) -> None:
    """One sentence each."""
    with pytest.raises(ExcerptError) as caught:
        CORPUS.place(chunks)
    assert str(caught.value).startswith(message)


def test_an_unknown_way_to_treat_lost_chunks() -> None:
    """The known ones are listed."""
    with pytest.raises(
        ExcerptError, match="unknown way to treat lost chunks 'hide'; known: count, drop, error"
    ):
        CORPUS.place([], lost="hide")  # type: ignore[arg-type]


@pytest.mark.parametrize("overlap", [0, 60])
@pytest.mark.parametrize("fold", ["", "lines", "all"])
@pytest.mark.parametrize("claims", ["", "true", "some", "first"])
def test_true_places(overlap: int, fold: str, claims: str) -> None:
    """In texts full of repeats no chunk is lost, and at most 2 of 1,000 are at another copy."""
    texts = {str(seed): repeated_text(seed, 6000) for seed in range(4)}
    cuts = {
        name: [each for size in (90, 300) for each in [cut(text, size, overlap, 1, fold=fold, claims=claims)]]
        for name, text in texts.items()
    }
    corpus = Corpus(texts)
    count = wrong = 0
    for way in (0, 1):
        known = [(name, each) for name, both in cuts.items() for each in both[way]]
        chunks = corpus.place(
            [{"document": name, "text": each.text, "start_index": each.claim} for name, each in known]
        )
        assert chunks.covered == 1
        count += len(chunks)
        for (_, each), chunk in zip(known, chunks, strict=True):
            wrong += (chunk.start, chunk.end) != (each.start, each.end)
    assert wrong <= count // 500


@pytest.mark.parametrize("title", ["The title", "# Annual figures\n\n", "Title: x | "])
def test_titles_in_front(title: str) -> None:
    """A title glued in front is left out, wherever the copies of a chunk stand."""
    text = repeated_text(5, 8000)
    cuts = cut(text, 300, 0, 1)
    chunks = Corpus({"A": text}).place([f"{title}\n{each.text}" for each in cuts])
    assert chunks.counts["trimmed"] == len(cuts)
    assert sum((chunk.start, chunk.end) != each[2:] for each, chunk in zip(cuts, chunks, strict=True)) <= 1
