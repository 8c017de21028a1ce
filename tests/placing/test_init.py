"""Placing what real chunkers make of texts full of repeats."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import chonkie
import pytest
from langchain_core.documents import Document as LangChainDocument
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter, SentenceWindowNodeParser, TokenTextSplitter
from llama_index.core.schema import NodeWithScore
from semchunk.semchunk import chunkerify
from support.repeated_text import repeated_text

from excerpt import Chunks, Corpus
from excerpt.model.texts import fold

TEXTS = {name: repeated_text(seed, 9000) for seed, name in enumerate(("a.txt", "b.txt"))}
CORPUS = Corpus(TEXTS)
HAYSTACK = Path(__file__).parents[1] / "data" / "chunks" / "haystack.jsonl"


def words(text: str) -> int:
    """Number of words of a text."""
    return len(text.split())


def langchain(splitter: Any) -> Callable[[], list[Any]]:
    """Documents of LangChain, cut."""
    return lambda: splitter.split_documents(
        [LangChainDocument(page_content=text, metadata={"source": name}) for name, text in TEXTS.items()]
    )


def llama_index(parser: Any) -> Callable[[], list[Any]]:
    """Documents of LlamaIndex, cut."""
    return lambda: parser.get_nodes_from_documents(
        [Document(text=text, id_=name) for name, text in TEXTS.items()]
    )


def by_document(chunker: Callable[[str], Any]) -> Callable[[], dict[str, Any]]:
    """The chunks of each document."""
    return lambda: {name: chunker(text) for name, text in TEXTS.items()}


MADE: dict[str, Callable[[], Any]] = {
    "recursive": langchain(
        RecursiveCharacterTextSplitter(chunk_size=200, chunk_overlap=40, add_start_index=True)
    ),
    "recursive by words": langchain(
        RecursiveCharacterTextSplitter(
            chunk_size=30, chunk_overlap=6, length_function=words, add_start_index=True
        )
    ),
    "recursive by fours": langchain(  # as tokens are: shorter than words
        RecursiveCharacterTextSplitter(
            chunk_size=50, chunk_overlap=0, length_function=lambda text: len(text) // 4, add_start_index=True
        )
    ),
    "by lines": langchain(
        CharacterTextSplitter(separator="\n", chunk_size=300, chunk_overlap=0, add_start_index=True)
    ),
    "by empty lines": langchain(
        CharacterTextSplitter(separator="\n\n", chunk_size=300, chunk_overlap=60, add_start_index=True)
    ),
    "sentences": llama_index(SentenceSplitter(chunk_size=40, chunk_overlap=8, tokenizer=str.split)),
    "tokens": llama_index(TokenTextSplitter(chunk_size=40, chunk_overlap=8, tokenizer=str.split)),
    "semchunk": by_document(chunkerify(words, 40)),
    "semchunk with offsets": by_document(lambda text: chunkerify(words, 40)(text, offsets=True)),
    "chonkie tokens": by_document(chonkie.TokenChunker("character", chunk_size=200, chunk_overlap=30)),
    "chonkie sentences": by_document(chonkie.SentenceChunker("character", chunk_size=200)),
    "chonkie recursive": by_document(chonkie.RecursiveChunker("character", chunk_size=200)),
}


def check(chunks: Chunks) -> None:
    """All chunks occur at their offsets, one after the other, and nothing is left over."""
    assert chunks.counts["lost"] == chunks.counts["trimmed"] == 0
    assert chunks.covered == 1
    last = ("", -1, 0)
    for chunk in chunks:
        text = TEXTS[chunk.document]
        assert fold(text[chunk.start : chunk.end]) == fold(chunk.text)
        assert chunk.how == "folded" or text[chunk.start : chunk.end] == chunk.text
        if chunk.document == last[0]:
            assert chunk.start > last[1]
            assert not text[last[2] : chunk.start].strip()
        last = (chunk.document, chunk.start, chunk.end)


@pytest.mark.parametrize("made", MADE)
def test_chunks_of_libraries(made: str) -> None:
    """Nothing is lost, whatever the library says of its places."""
    check(CORPUS.place(MADE[made]()))


def test_langchain_does_not_know() -> None:
    """The premise: by words many starts are missing, and others are of another copy."""
    made = MADE["recursive by words"]()
    starts = [document.metadata["start_index"] for document in made]
    assert starts.count(-1) > 10
    assert CORPUS.place(made).counts["moved"] > 0
    assert CORPUS.place(MADE["by lines"]()).counts["folded"] > 10


def test_windows_are_what_the_model_reads() -> None:
    """The window around a sentence is placed, not the sentence; several begin where the document does."""
    nodes = llama_index(SentenceWindowNodeParser(window_size=1))()
    chunks = CORPUS.place(nodes, text="window")
    assert chunks.counts["lost"] == 0
    assert chunks.covered == 1
    assert chunks.texts[1] == nodes[1].metadata["window"]
    own = CORPUS.place(nodes)
    assert (chunks.end - chunks.start).sum() > 2 * (own.end - own.start).sum()
    results = {"q": [NodeWithScore(node=node, score=1 / rank) for rank, node in enumerate(nodes[:5], 1)]}
    assert chunks.run(results).start.tolist() == chunks.start[:5].tolist()


def test_results_of_langchain() -> None:
    """Pairs of documents and scores are results; their other fields distinguish copies."""
    made = MADE["recursive"]()
    chunks = CORPUS.place(made, name="recursive")
    run = chunks.run({"q1": [(made[3], 0.9), (made[0], 0.5)], "q2": [made[7]]})
    assert run.start.tolist() == [int(chunks.start[row]) for row in (3, 0, 7)]
    assert chunks.texts_of(run) == [made[row].page_content for row in (3, 0, 7)]


@pytest.mark.parametrize("by", ["word", "passage", "line"])
def test_haystack(by: str) -> None:
    """Documents that Haystack 3.4 made of a text, as they were recorded."""
    lines = [json.loads(line) for line in HAYSTACK.read_text(encoding="utf-8").splitlines()]
    given = [SimpleNamespace(score=None, **line) for line in lines if line["by"] == by]
    corpus = Corpus({"A": repeated_text(11, 2500), "B": "another"})
    chunks = corpus.place(given)
    assert chunks.counts["exact"] == len(given)
    assert chunks.start.tolist() == [chunk.meta["split_idx_start"] for chunk in given]
    missing = [SimpleNamespace(content=chunk.content, meta={"source_id": "A"}) for chunk in given]
    assert corpus.place(missing).start.tolist() == chunks.start.tolist()
