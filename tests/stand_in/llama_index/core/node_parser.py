"""Nodes that the parsers of LlamaIndex 0.14 made, as they were recorded in `tests/data/chunks`.

Called in an environment with LlamaIndex, this file records them anew.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

RECORD = Path(__file__).parents[3] / "data" / "chunks" / "llama_index.jsonl"
#: What the tests and the pages cut: the names of two generated texts, or None for the embedded contracts.
RECORDED: Sequence[tuple[str, dict[str, Any], Sequence[str] | None]] = (
    (
        "SentenceSplitter",
        {"chunk_size": 40, "chunk_overlap": 8, "tokenizer": str.split},
        ("a.txt", "b.txt"),
    ),
    (
        "TokenTextSplitter",
        {"chunk_size": 40, "chunk_overlap": 8, "tokenizer": str.split},
        ("a.txt", "b.txt"),
    ),
    ("SentenceWindowNodeParser", {"window_size": 1}, ("a.txt", "b.txt")),
    ("SentenceSplitter", {"chunk_size": 128, "chunk_overlap": 0}, None),
)


class _Parser:
    """A parser that plays back; its text is the part of the document there, unless one was recorded."""

    def __init__(self, **options: Any) -> None:
        self._called = called(type(self).__name__, options)

    def get_nodes_from_documents(self, documents: Sequence[Any]) -> list[Any]:
        """The nodes of all documents, in order."""
        from llama_index.core.schema import TextNode

        lines = map(json.loads, RECORD.read_text(encoding="utf-8").splitlines())
        known = {line["document"]: line["nodes"] for line in lines if line["parser"] == self._called}
        nodes = []
        for document in documents:
            source = {"1": SimpleNamespace(node_id=document.id_)}
            for number, (start, end, told, window) in enumerate(known[document.id_]):
                text = document.text[start:end] if told is None else told
                beside = {} if window is None else {"window": window, "original_text": text}
                nodes.append(TextNode(f"{document.id_} {number}", text, start, end, source, beside))
        return nodes


class SentenceSplitter(_Parser):
    """Whole sentences."""


class TokenTextSplitter(_Parser):
    """So many words."""


class SentenceWindowNodeParser(_Parser):
    """Sentences, each with those around it."""


def called(name: str, options: Mapping[str, Any]) -> str:
    """A parser and its options as a text."""
    shown = (f"{key}={getattr(value, '__qualname__', value)}" for key, value in options.items())
    return f"{name}({', '.join(shown)})"


def record(texts: Callable[[Sequence[str] | None], Mapping[str, str]]) -> str:
    """The lines of the record, made by LlamaIndex itself."""
    core, parsers = (importlib.import_module(f"llama_index.core{part}") for part in ("", ".node_parser"))
    lines = []
    for name, options, names in RECORDED:
        parser = getattr(parsers, name)(**options)
        for document, text in texts(names).items():
            nodes = [
                (
                    node.start_char_idx,
                    node.end_char_idx,
                    None if node.text == text[node.start_char_idx : node.end_char_idx] else node.text,
                    node.metadata.get("window"),
                )
                for node in parser.get_nodes_from_documents([core.Document(text=text, id_=document)])
            ]
            line = {"parser": called(name, options), "document": document, "nodes": nodes}
            lines.append(json.dumps(line, ensure_ascii=False) + "\n")
    return "".join(lines)


def _texts(names: Sequence[str] | None) -> Mapping[str, str]:
    import excerpt

    if names is None:
        return excerpt.Corpus.read(excerpt.collection.corpus())
    sys.path.append(str(Path(__file__).parents[3]))
    repeated: Any = importlib.import_module("repeated_text")
    return {name: repeated.repeated_text(seed, 9000) for seed, name in enumerate(names)}


if __name__ == "__main__":
    RECORD.write_text(record(_texts), encoding="utf-8")
