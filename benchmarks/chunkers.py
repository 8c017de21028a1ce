"""Sixteen chunkers of four libraries, and a small BM25 that ranks their chunks."""

from __future__ import annotations

import logging
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

import numpy as np

#: The five texts and 472 questions of chunking_evaluation, if available next to the checkout.
RAGTEXT = Path(__file__).resolve().parents[2] / "shared" / "data" / "ragtext"
#: Words for BM25.
_WORD = re.compile(r"\w+")
_K1, _B = 1.2, 0.75

Texts: TypeAlias = Mapping[str, str]
#: Chunks as a library returns them.
Chunker: TypeAlias = Callable[[Texts], list[Any]]


def texts_of(archive: Path) -> dict[str, str]:
    """Texts of the XML documents of an archive, by id."""
    found = {}
    with tarfile.open(archive) as members:
        for member in members:
            content = members.extractfile(member) if member.name.endswith(".xml") else None
            if content is not None:
                found[Path(member.name).stem] = "".join(ET.fromstring(content.read()).itertext())  # noqa: S314 - ours
    return found


def questions_of(file: Path) -> dict[str, str]:
    """Questions of a file with lines `id TAB question`; further columns are ignored."""
    rows = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines() if line)
    return {row[0]: row[1] for row in rows}


def count_words(text: str) -> int:
    """Number of words of a text, the length for some splitters."""
    return len(text.split())


def langchain(kind: str, size: int, overlap: int = 0, *, words: bool = False) -> Chunker:
    """Chunks of LangChain, with their stated starts."""

    def cut(texts: Texts) -> list[Any]:
        import langchain_text_splitters as splitters

        logging.getLogger("langchain_text_splitters").setLevel(logging.ERROR)  # one line for each long chunk
        how: dict[str, Any] = {"length_function": count_words} if words else {}
        splitter = getattr(splitters, kind)(
            chunk_size=size, chunk_overlap=overlap, add_start_index=True, **how
        )
        named = [{"source": name} for name in texts]
        return list(splitter.create_documents(list(texts.values()), named))

    return cut


def llama_index(kind: str, size: int, overlap: int = 0) -> Chunker:
    """Nodes of LlamaIndex."""

    def cut(texts: Texts) -> list[Any]:
        from llama_index.core import Document, node_parser

        parser = getattr(node_parser, kind)(chunk_size=size, chunk_overlap=overlap)
        return list(
            parser.get_nodes_from_documents([Document(text=text, id_=name) for name, text in texts.items()])
        )

    return cut


def semantic(size: int) -> Chunker:
    """Chunks of semchunk, by number of words."""

    def cut(texts: Texts) -> list[Any]:
        from semchunk.semchunk import chunkerify

        chunker = chunkerify(count_words, size)
        return [{"document": name, "text": chunk} for name, text in texts.items() for chunk in chunker(text)]

    return cut


def chonkie(kind: str, size: int) -> Chunker:
    """Chunks of chonkie, by number of characters; it does not name their documents."""

    def cut(texts: Texts) -> list[Any]:
        import chonkie as library

        chunker = getattr(library, kind)(tokenizer="character", chunk_size=size)
        return [
            {"document": name, "text": chunk.text, "start": chunk.start_index, "end": chunk.end_index}
            for name, text in texts.items()
            for chunk in chunker.chunk(text)
        ]

    return cut


_RECURSIVE = "RecursiveCharacterTextSplitter"
SETTINGS: dict[str, Chunker] = {
    "recursive-200": langchain(_RECURSIVE, 200),
    "recursive-400": langchain(_RECURSIVE, 400),
    "recursive-400-200": langchain(_RECURSIVE, 400, 200),
    "recursive-800": langchain(_RECURSIVE, 800),
    "recursive-800-400": langchain(_RECURSIVE, 800, 400),
    "recursive-1600": langchain(_RECURSIVE, 1600),
    "words-100": langchain(_RECURSIVE, 100, words=True),
    "words-200-100": langchain(_RECURSIVE, 200, 100, words=True),
    "character-1000": langchain("CharacterTextSplitter", 1000),
    "sentences-128": llama_index("SentenceSplitter", 128),
    "sentences-256-64": llama_index("SentenceSplitter", 256, 64),
    "tokens-400": llama_index("TokenTextSplitter", 400, 0),
    "semchunk-64": semantic(64),
    "semchunk-256": semantic(256),
    "chonkie-400": chonkie("RecursiveChunker", 400),
    "chonkie-sentence-1200": chonkie("SentenceChunker", 1200),
}


def rank(chunks: Sequence[str], questions: Mapping[str, str], top: int) -> dict[str, list[int]]:
    """Numbers of the best chunks for each question by BM25, best first; ties by number."""
    postings: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.empty(len(chunks))
    for number, text in enumerate(chunks):
        words = Counter(_WORD.findall(text.lower()))
        lengths[number] = words.total()
        for word, times in words.items():
            numbers, counts = postings.setdefault(word, ([], []))
            numbers.append(number)
            counts.append(times)
    norm = _K1 * (1 - _B + _B * lengths / lengths.mean())
    found = {}
    for name, question in questions.items():
        scores = np.zeros(len(chunks))
        for word in dict.fromkeys(_WORD.findall(question.lower())):
            if word in postings:
                where, often = (np.array(column) for column in postings[word])
                rarity = np.log1p((len(chunks) - len(where) + 0.5) / (len(where) + 0.5))
                scores[where] += rarity * often * (_K1 + 1) / (often + norm[where])
        found[name] = np.argsort(-scores, kind="stable")[:top].tolist()
    return found
