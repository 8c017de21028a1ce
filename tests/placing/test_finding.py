"""Which chunk a result is, where several have its text."""

from __future__ import annotations

from types import SimpleNamespace as Thing
from typing import Any

import numpy as np

from excerpt import Corpus, Notices

CORPUS = Corpus({"A": "One two. Three. Three.", "B": "Four."})
CHUNKS = CORPUS.place(
    [
        {"document": "A", "text": "One two.", "id": "c0"},
        {"document": "A", "text": "Three.", "id": "c1", "start": 9},
        {"document": "A", "text": "Three.", "id": "c2", "start": 16},
        {"document": "B", "text": "Four.", "id": "c3"},
    ]
)


def test_chunks_with_the_same_text() -> None:
    """Id, document and start tell them apart, else their order does, with a warning."""
    notices = Notices()
    same = {"q": [{"text": "Three.", "id": "c2"}, {"text": "Three.", "start": 9}, "Three.", "Three."]}
    assert CHUNKS.run(same, notices=notices).start.tolist() == [16, 9, 9, 16]
    assert list(notices) == [
        "result has the text of several chunks; they were taken in order (2 times, first: question 'q')"
    ]


def documents(**metadata: Any) -> list[Thing]:
    """Two sentences, the first of which comes again."""
    found = []
    for number, text in enumerate(["ab.", "cd.", "ab."]):
        own = {name: values[number] for name, values in metadata.items()}
        found.append(Thing(page_content=text, metadata={"source": "d", "start_index": -1, **own}))
    return found


def starts(given: list[Thing], results: list[Any]) -> list[int]:
    """Where results of some chunks stand; nothing is doubtful."""
    chunks = Corpus({"d": "ab. cd. ab."}).place(given)
    notices = Notices()
    found = chunks.run({"q": results}, notices=notices).start.tolist()
    assert not len(notices)
    return [int(start) for start in found]


def test_the_object_that_was_placed() -> None:
    """It is its own chunk, alone, with a score, or inside of a result."""
    given = documents()
    assert starts(given, [given[2], (given[2], 0.5), Thing(node=given[2], score=0.25)]) == [8, 8, 8]
    assert starts(given, [given[0], given[2]]) == [0, 8]


def test_the_metadata_of_a_chunk() -> None:
    """A copy is known by it, also where a store put more there; arrays in it do not matter."""
    given = documents(n=[0, 1, 2], vector=[np.zeros(2)] * 3)
    plain = documents(n=[0, 1, 2])
    assert starts(plain, [documents(n=[0, 1, 2])[2]]) == [8]
    assert starts(plain, [documents(n=[0, 1, 2], store=["x"] * 3)[2]]) == [8]
    assert starts(given, [given[2]]) == [8]


def test_what_the_model_reads() -> None:
    """A result is known by the text that was placed, if it has that under the same key."""
    given = [{"text": "cd.", "window": "ab. cd."}, {"text": "ab.", "window": "cd. ab."}]
    chunks = Corpus({"d": "ab. cd. ab."}).place(given, text="window")
    assert chunks.run({"q": [dict(given[1])]}).start.tolist() == [4]


def test_the_id_of_a_chunk_with_another_text() -> None:
    """It counts as the chunk, which is said."""
    notices = Notices()
    run = CHUNKS.run({"q": [{"text": "Zero. Four.", "id": "c3"}, {"id": "c0"}]}, notices=notices)
    assert run.document.tolist() == [1, 0]
    assert [each.partition(",")[0] for each in notices] == ["result has the id of a chunk"]
