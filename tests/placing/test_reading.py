"""What chunks of every kind tell of themselves."""

from __future__ import annotations

import math
from types import SimpleNamespace as Thing

import numpy as np
import pytest

from excerpt import ExcerptError
from excerpt.placing.reading import claim_of, document_of, documents_of, id_of, score_of, text_of

LANGCHAIN = Thing(page_content="One.", metadata={"source": "a.txt", "start_index": 7}, id=None)
LLAMA_INDEX = Thing(
    text="One.", ref_doc_id="a.txt", start_char_idx=7, end_char_idx=11, id_="n1", metadata={"file_name": "f"}
)
HAYSTACK = Thing(content="One.", meta={"source_id": "a.txt", "split_idx_start": 7}, score=0.5, id="c1")
CHONKIE = Thing(text="One.", start_index=7, end_index=11, id="c1")


@pytest.mark.parametrize(
    "chunk", [LANGCHAIN, LLAMA_INDEX, HAYSTACK, CHONKIE, vars(LANGCHAIN), vars(HAYSTACK)]
)
def test_frameworks(chunk: object) -> None:
    """Text and claim have a name of their own in each."""
    assert text_of(chunk) == "One."
    assert claim_of(chunk)[0] == 7
    assert document_of(chunk) == (None if chunk is CHONKIE else "a.txt")


def test_a_result_has_its_chunk_inside() -> None:
    """LlamaIndex returns nodes with scores."""
    result = Thing(node=LLAMA_INDEX, score=0.25)
    assert (text_of(result), document_of(result), claim_of(result)) == ("One.", "a.txt", (7, 11))
    assert (score_of(result), id_of(result)) == (0.25, "n1")


def test_all_names_of_the_document_are_known() -> None:
    """A loader may call the document by another name than the corpus does."""
    assert documents_of(LLAMA_INDEX) == ["a.txt", "f"]
    assert documents_of({"doc_id": 7, "relationships": {"1": {"node_id": "src"}}}) == ["7", "src"]
    assert documents_of({"chapter": "c", "document": "d"}, "chapter") == ["c"]


@pytest.mark.parametrize("none", [-1, None, math.nan, -1.0, np.int64(-1)])
def test_no_claim(none: object) -> None:
    """What stands for none is none."""
    assert claim_of({"start": none}) == (None, None)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (1.5, "found 1.5 as offset, expected a whole number of characters, or None or -1 for none"),
        ("7", "found '7' as offset"),
        (-2, "found -2 as offset"),
        (True, "found True as offset"),
        (math.inf, "found inf as offset"),
        (1 << 40, "found 1099511627776 as offset"),
    ],
)
def test_offsets_that_are_none(value: object, message: str) -> None:
    """Each is refused in one sentence."""
    with pytest.raises(ExcerptError) as caught:
        claim_of({"start": value})
    assert str(caught.value).startswith(message)


def test_an_end_before_its_start_is_refused() -> None:
    """Such a claim cannot be meant."""
    with pytest.raises(ExcerptError, match="found the end 3 before the start 7"):
        claim_of({"start": 7, "end": 3})


def test_scores() -> None:
    """A score is a number or nothing."""
    assert score_of({"similarity": 2}) == 2
    assert score_of({}) is None
    with pytest.raises(ExcerptError, match="found nan as score, expected a number"):
        score_of({"score": math.nan})


def test_what_langchain_writes() -> None:
    """Its own form of a document has the chunk one level down."""
    written = {"lc": 1, "type": "constructor", "kwargs": {"page_content": "x", "metadata": {"source": "A"}}}
    assert (text_of(written), document_of(written)) == ("x", "A")
