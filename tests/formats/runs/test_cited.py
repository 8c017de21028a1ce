"""Citations: found wherever they stand, each for what it is."""

from __future__ import annotations

from typing import Any

import pytest

from excerpt.formats.runs._cited import (
    Blocks,
    Characters,
    Chunk,
    Citation,
    Elsewhere,
    answers_in,
    find_citations,
)
from excerpt.formats.source import Source

CHARACTERS: dict[str, Any] = {
    "type": "char_location",
    "document_index": 1,
    "start_char_index": 3,
    "end_char_index": 7,
    "cited_text": "text",
}
CASES: dict[str, tuple[Any, list[Citation]]] = {
    "anthropic": ({"content": [{"citations": [CHARACTERS]}]}, [Characters(1, 3, 7, "text")]),
    "anthropic blocks": (
        {"type": "content_block_location", "document_index": 0, "start_block_index": 1, "end_block_index": 3},
        [Blocks("documents", 0, 1, 3, None)],
    ),
    "anthropic search results": (
        {
            "type": "search_result_location",
            "search_result_index": 2,
            "start_block_index": 0,
            "end_block_index": 1,
        },
        [Blocks("search_results", 2, 0, 1, None)],
    ),
    "anthropic pages": ({"type": "page_location"}, [Elsewhere("which names pages, not characters")]),
    "bedrock": (
        {
            "citationsContent": {
                "citations": [
                    {
                        "sourceContent": [{"text": "te"}, {"text": "xt"}],
                        "location": {"documentChar": {"documentIndex": 1, "start": 3, "end": 7}},
                    },
                    {"location": {"documentChunk": {"documentIndex": 0, "start": 1, "end": 3}}},
                    {"location": {"searchResultLocation": {"searchResultIndex": 2, "start": 0, "end": 1}}},
                    {"location": {"documentPage": {"documentIndex": 0, "start": 1, "end": 3}}},
                ]
            }
        },
        [
            Characters(1, 3, 7, "text"),
            Blocks("documents", 0, 1, 3, None),
            Blocks("search_results", 2, 0, 1, None),
            Elsewhere("which names pages, not characters"),
        ],
    ),
    "longcite": (
        {
            "statements_with_citations": [
                {"citation": [{"start_char_idx": 3, "end_char_idx": 7, "cite": "text"}]}
            ]
        },
        [Characters(0, 3, 7, "text")],
    ),
    "langchain": (
        [
            {
                "type": "citation",
                "start_index": 90,
                "extras": {"document_index": 1, "start_char_index": 3, "end_char_index": 7},
            },
            {"type": "citation", "start_index": 90, "title": "t"},
        ],
        [
            Characters(1, 3, 7, None),
            Chunk(("t", None), "whose offsets count the answer, not the source (LangChain)"),
        ],
    ),
    "openai": (
        {"annotations": [{"type": "file_citation", "file_id": "f", "filename": "n", "index": 9}]},
        [Chunk(("f", "n", None), "whose offsets count the answer, not the source (OpenAI)")],
    ),
    "openai assistants": (
        {"type": "file_citation", "start_index": 1, "file_citation": {"file_id": "f"}},
        [Chunk(("f", None, None), "whose offsets count the answer, not the source (OpenAI)")],
    ),
    "cohere": (
        {
            "citations": [
                {"start": 0, "end": 4, "text": "Yes.", "sources": [{"id": "s", "document": {"id": "d"}}]}
            ]
        },
        [Chunk(("s", "d"), "whose offsets count the answer, not the source (Cohere)")],
    ),
    "cohere v1": (
        {"start": 0, "end": 4, "document_ids": ["d", "e"]},
        [Chunk((name, None), "whose offsets count the answer, not the source (Cohere)") for name in "de"],
    ),
    "gemini": (
        {"groundingSupports": [{"segment": {"endIndex": 4}, "groundingChunkIndices": [0, 2]}]},
        [Chunk((n,), "whose offsets count the answer, not the source (Gemini, in bytes)") for n in (0, 2)],
    ),
    "odd values": (
        [
            {"type": {}, "file_citation": {}},
            {"location": {"documentChar": 7}, "sourceContent": 7},
            {"groundingSupports": [7, {"groundingChunkIndices": 7}]},
            {"start": 0, "end": 1, "sources": 7},
        ],
        [
            *[Chunk((None,), "whose offsets count the answer, not the source (Gemini, in bytes)")] * 2,
            Chunk((None, None), "whose offsets count the answer, not the source (Cohere)"),
        ],
    ),
    "nothing": ({"type": "text", "text": "Yes.", "citations": None, "location": 7}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_citations(name: str) -> None:
    """Those of every service, in their order."""
    given, found = CASES[name]
    assert list(find_citations(given)) == found


def test_the_order_of_citations() -> None:
    """They are found in the order in which the answer has them."""
    one, two, three, four = ({**CHARACTERS, "document_index": number} for number in range(4))
    answer = [{"a": [{"b": one}], "c": two}, {"a": [{"b": three}], "c": four}]
    assert [cited.number for cited in find_citations(answer) if isinstance(cited, Characters)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"topic": "1", "response": {}}\n', "citations"),
        ('[\n {"topic": "1",\n  "content": []}\n]', "citations"),
        ('{"topic": "1", "answer": [{"text": "x", "citations": []}]}\n', "trec-rag"),
        ('{"topic": "1", "document": "A", "content": "text"}\n', None),
        ('{"topic": "1", "answer": ["citations"]}\n', None),
        ('["response"]', None),
        ('{"response": [', None),
        ("1 Q0 response 1 1 r", None),
    ],
)
def test_files_of_answers(text: str, found: str | None) -> None:
    """They are known by their first object, however it is written."""
    assert answers_in(Source.open(text.encode())) == found
