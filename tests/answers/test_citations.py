"""Saved answers as runs: read, compared with the corpus, or refused in one line."""

from __future__ import annotations

import json
from typing import Any, Literal

import pytest

from excerpt import Corpus, ExcerptError, Notices, evaluate, read_run
from excerpt.answers import citations
from excerpt.answers.citations import (
    Citation,
    SentSources,
    WrongPlace,
    answers_in,
    find_citations,
)
from excerpt.checking.validation import check
from excerpt.formats.passage_ids import PassageIds, Segment
from excerpt.formats.source import Source

CORPUS = Corpus({"A": "One small step for a man, one giant leap.", "B": "Yes, it is. It is."})


def located(number: int, start: int, end: int, **more: Any) -> dict[str, Any]:
    """A citation as Anthropic has it, quoting what is there."""
    text = CORPUS["AB"[number]][start:end]
    place = {"document_index": number, "start_char_index": start, "end_char_index": end}
    return {"type": "char_location", **place, "cited_text": text, **more}


def answer(*cited: Any, topic: str = "1", **more: Any) -> dict[str, Any]:
    """A saved answer."""
    content = [{"type": "text", "text": "So.", "citations": [one]} for one in cited]
    return {"topic": topic, "documents": ["A", "B"], "response": {"id": "msg", "content": content}, **more}


def lines(*answers: dict[str, Any]) -> bytes:
    """A file of answers."""
    return "".join(json.dumps(one) + "\n" for one in answers).encode()


ANSWERS = [
    answer(located(1, 0, 4), located(0, 4, 9), located(1, 0, 4), run="mine"),
    answer(located(0, 0, 3), topic="2", run="mine"),
    answer(topic="3"),
]


@pytest.mark.parametrize("form", ["lines", "list", "pretty"])
def test_answers_are_runs(form: str) -> None:
    """The order of first citation is the order; lines, a list and an indented list say the same."""
    data = (
        lines(*ANSWERS)
        if form == "lines"
        else json.dumps(ANSWERS, indent=2 if form == "pretty" else None).encode()
    )
    notices = Notices()
    run = read_run(data, corpus=CORPUS, notices=notices)
    assert [result[:4] for result in run] == [("1", "B", 0, 4), ("1", "A", 4, 9), ("2", "A", 0, 3)]
    assert (run.name, run.kind) == ("mine", "spans")
    assert list(notices) == ["1 answer cites nothing and adds no results (<bytes>)"]
    table = evaluate([("1", "B", 0, 8), ("2", "A", 0, 3)], data, ["charR"], notices=Notices())
    assert table.values[0, :, 0].tolist() == [0.5, 1.0]


def test_the_example() -> None:
    """It is what it seems to be."""
    assert check(citations.CITATIONS_EXAMPLE.encode())
    assert [result[:4] for result in read_run(citations.CITATIONS_EXAMPLE.encode())] == [("1", "A", 0, 4)]


def test_blocks_are_compared_with_their_text() -> None:
    """Each block is a result; the quote may have other whitespace between blocks."""
    blocks = {"document": "B", "blocks": [[0, 11], [12, 18]]}
    cited = {
        "type": "content_block_location",
        "document_index": 0,
        "start_block_index": 0,
        "end_block_index": 2,
    }
    saved = answer({**cited, "cited_text": "Yes, it is.\nIt is."}, documents=[blocks])
    assert [result[1:4] for result in read_run(lines(saved), corpus=CORPUS)] == [("B", 0, 11), ("B", 12, 18)]
    with pytest.raises(ExcerptError, match=r"the cited text 'No\.' does not occur in document B"):
        read_run(lines(answer({**cited, "cited_text": "No."}, documents=[blocks])), corpus=CORPUS)


def test_moved_and_unread_citations() -> None:
    """Quotes at other offsets are relocated and counted; unverified quotes cause a warning."""
    notices = Notices()
    moved = answer(located(0, 4, 9, start_char_index=5, end_char_index=10), located(1, 0, 4))
    run = read_run(lines(moved), corpus=CORPUS, notices=notices)
    assert [result[1:4] for result in run] == [("A", 4, 9), ("B", 0, 4)]
    assert next(iter(notices)).startswith(
        "1 citation was not at its offsets and was relocated by its text; "
        "citations: 1 exact, 1 moved, 0 unplaced"
    )
    other = answer(located(0, 4, 9, end_char_index=11), documents=["C", "D"])
    notices = Notices()
    read_run(lines(other), corpus=CORPUS, notices=notices)
    assert [text.split(" (")[0] for text in notices] == [
        "1 citation is not verified: its document is not in the corpus",
        "1 citation quotes more or less text than its offsets say; the offsets count",
    ]


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        (
            answer(located(0, 4, 9, cited_text="large")),
            "f:1: the cited text 'large' does not occur in document A",
        ),
        (
            answer(located(0, 4, 9), documents=[]),
            "found a citation of number 0 of the documents, but the line has 0 documents",
        ),
        (
            answer({"type": "page_location"}),
            "found a citation which names pages, not characters, expected offsets",
        ),
        (
            answer({"type": "file_citation", "file_id": "f"}),
            "found a citation of f, whose offsets count the answer",
        ),
        (
            {"documents": ["A"], "response": {}},
            "qid, q_id, query and 1 more); the row has documents, response",
        ),
        ({"topic": "1", "documents": ["A"], "content": [{"type": "citation"}]}, "not the source (LangChain)"),
    ],
)
def test_what_is_refused(saved: dict[str, Any], said: str) -> None:
    """One line that says why."""
    from io import BytesIO

    stream = BytesIO(lines(saved))
    stream.name = "f"
    with pytest.raises(ExcerptError) as caught:
        read_run(stream, corpus=CORPUS)
    assert said in str(caught.value)


def test_answers_that_name_chunks() -> None:
    """Through a table of the line, or through segments and id patterns."""
    cohere = {"start": 0, "end": 3, "text": "So.", "sources": [{"id": "c1"}, {"id": "A-0-3"}]}
    saved = answer(cohere, chunks={"c1": ["B", 0, 4], "A-0-3": ["A", 0, 3]})
    assert [result[1:4] for result in read_run(lines(saved))] == [("B", 0, 4), ("A", 0, 3)]
    notices = Notices()
    segments = {"c1": ("B", 0, 4), "A-0-3": ("A", 0, 3)}
    assert len(read_run(lines(answer(cohere)), segments=segments, notices=notices)) == 2
    assert list(notices) == []


def test_other_files_are_no_answers() -> None:
    """Runs whose lines have text stay what they are."""
    run = read_run(
        b'{"topic": "1", "document": "A", "start": 0, "end": 4, "content": "text", "response": "x"}\n',
        notices=Notices(),
    )
    assert [result[:4] for result in run] == [("1", "A", 0, 4)]


def test_another_answer_to_a_question() -> None:
    """Is refused, with the line of the first."""
    line = b'{"topic": "q", "documents": ["A"], "response": {"citations": ['
    line += b'{"type": "char_location", "document_index": 0, "start_char_index": 0, "end_char_index": 4}]}}\n'
    with pytest.raises(ExcerptError, match=r":2: found another answer to question q \(first in line 1\)"):
        read_run(line + line)


def blocks(of: Literal["documents", "search_results"], number: int, first: int, last: int) -> Citation:
    """Cited blocks."""
    return Citation(number, first, last, of=of, blocks=True)


def chunk(names: tuple[Any, ...], why: str) -> Citation:
    """A cited chunk."""
    return Citation(names=names, why=why)


CHARACTERS: dict[str, Any] = {
    "type": "char_location",
    "document_index": 1,
    "start_char_index": 3,
    "end_char_index": 7,
    "cited_text": "text",
}
CASES: dict[str, tuple[Any, list[Citation]]] = {
    "anthropic": ({"content": [{"citations": [CHARACTERS]}]}, [Citation(1, 3, 7, "text")]),
    "anthropic blocks": (
        {"type": "content_block_location", "document_index": 0, "start_block_index": 1, "end_block_index": 3},
        [blocks("documents", 0, 1, 3)],
    ),
    "anthropic search results": (
        {
            "type": "search_result_location",
            "search_result_index": 2,
            "start_block_index": 0,
            "end_block_index": 1,
        },
        [blocks("search_results", 2, 0, 1)],
    ),
    "anthropic pages": ({"type": "page_location"}, [Citation(why="which names pages, not characters")]),
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
            Citation(1, 3, 7, "text"),
            blocks("documents", 0, 1, 3),
            blocks("search_results", 2, 0, 1),
            Citation(0, why="which names pages, not characters"),
        ],
    ),
    "longcite": (
        {
            "statements_with_citations": [
                {"citation": [{"start_char_idx": 3, "end_char_idx": 7, "cite": "text"}]}
            ]
        },
        [Citation(0, 3, 7, "text")],
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
            Citation(1, 3, 7),
            chunk(("t", None), "whose offsets count the answer, not the source (LangChain)"),
        ],
    ),
    "openai": (
        {"annotations": [{"type": "file_citation", "file_id": "f", "filename": "n", "index": 9}]},
        [chunk(("f", "n", None), "whose offsets count the answer, not the source (OpenAI)")],
    ),
    "openai assistants": (
        {"type": "file_citation", "start_index": 1, "file_citation": {"file_id": "f"}},
        [chunk(("f", None, None), "whose offsets count the answer, not the source (OpenAI)")],
    ),
    "cohere": (
        {
            "citations": [
                {"start": 0, "end": 4, "text": "Yes.", "sources": [{"id": "s", "document": {"id": "d"}}]}
            ]
        },
        [chunk(("s", "d"), "whose offsets count the answer, not the source (Cohere)")],
    ),
    "cohere v1": (
        {"start": 0, "end": 4, "document_ids": ["d", "e"]},
        [chunk((name, None), "whose offsets count the answer, not the source (Cohere)") for name in "de"],
    ),
    "gemini": (
        {"groundingSupports": [{"segment": {"endIndex": 4}, "groundingChunkIndices": [0, 2]}]},
        [chunk((n,), "whose offsets count the answer, not the source (Gemini, in bytes)") for n in (0, 2)],
    ),
    "odd values": (
        [
            {"type": {}, "file_citation": {}},
            {"location": {"documentChar": 7}, "sourceContent": 7},
            {"groundingSupports": [7, {"groundingChunkIndices": 7}]},
            {"start": 0, "end": 1, "sources": 7},
        ],
        [
            *[chunk((None,), "whose offsets count the answer, not the source (Gemini, in bytes)")] * 2,
            chunk((None, None), "whose offsets count the answer, not the source (Cohere)"),
        ],
    ),
    "nothing": ({"type": "text", "text": "Yes.", "citations": None, "location": 7}, []),
}


@pytest.mark.parametrize("name", CASES)
def test_citations(name: str) -> None:
    """Citations of every service, in their order."""
    given, found = CASES[name]
    assert list(find_citations(given)) == found


def test_the_order_of_citations() -> None:
    """They are found in the order in which the answer has them."""
    one, two, three, four = ({**CHARACTERS, "document_index": number} for number in range(4))
    answer = [{"a": [{"b": one}], "c": two}, {"a": [{"b": three}], "c": four}]
    assert [cited.number for cited in find_citations(answer)] == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"topic": "1", "response": {}}\n', "citations"),
        ('[\n {"topic": "1",\n  "content": []}\n]', "citations"),
        ('{"topic": "1", "answer": [{"text": "x", "citations": []}]}\n', "trec-rag"),
        ('{"topic": "1", "document": "A", "content": "text"}\n', None),
        ('{"topic": "1", "answer": ["citations"]}\n', None),
        ('["response"]', None),
        ('{"topic": "1", "answer": "no"}\n{"topic": "2", "answer": "x", "citations": []}\n', "citations"),
        ('[{"topic": "1", "answer": "no"}, {"topic": "2", "claims": [{"quote": "x"}]}]', "citations"),
        ('{"topic": "1", "document": "A"}\n{"quote": ', None),
        ('{"response": [', None),
        ("1 Q0 response 1 1 r", None),
    ],
)
def test_files_of_answers(text: str, found: str | None) -> None:
    """They are known by their first object, however it is written."""
    assert answers_in(Source.open(text.encode())) == found


SENT = SentSources.of(
    {
        "documents": [
            "A",
            {"document": "B", "blocks": [[0, 5], [5, 9], {"document": "C", "start": 1, "end": 2}, 7]},
        ],
        "search_results": [{"source": "D", "blocks": [[3, 4]]}, {"title": "t"}],
        "chunks": {"doc_0": ["A", 3, 9], "bad": 7},
    },
    PassageIds.of(r"(?P<document>.+)@(?P<start>\d+)-(?P<end>\d+)", None),
)


def test_places() -> None:
    """Characters, blocks and chunks."""
    assert SENT.segments(Citation(0, 2, 4)) == [Segment("A", 2, 4)]
    assert SENT.segments(blocks("documents", 1, 1, 3)) == [Segment("B", 5, 9), Segment("C", 1, 2)]
    assert SENT.segments(blocks("search_results", 0, 0, 1)) == [Segment("D", 3, 4)]
    assert SENT.segments(chunk((None, "doc_0"), "")) == [Segment("A", 3, 9)]
    assert SENT.segments(chunk(("E@1-5",), "")) == [Segment("E", 1, 5)]


def test_other_tables() -> None:
    """One document, and chunks by number."""
    chunks = [["A", 0, 3], {"doc": "B", "start": 1, "end": 2}]
    sent = SentSources.of({"document": "A", "chunks": chunks}, None)
    assert sent.segments(Citation(0, 2, 4)) == [Segment("A", 2, 4)]
    assert sent.segments(Citation(None, 2, 4)) == [Segment("A", 2, 4)]
    only = SentSources.of({"documents": None, "document": {"id": "A", "blocks": [[2, 4]]}}, None)
    assert only.segments(Citation(None, 0, 1, blocks=True)) == [Segment("A", 2, 4)]
    assert sent.segments(chunk((1,), "")) == [Segment("B", 1, 2)]


@pytest.mark.parametrize(
    ("cited", "said"),
    [
        (
            Citation(2, 0, 1),
            "found a citation of number 2 of the documents, but the line has 2 documents",
        ),
        (
            Citation(None, 0, 1),
            "found a citation without a document, expected its id or its number in documents",
        ),
        (Citation(0, 5, 1), "found a citation from 5 to 1, expected whole numbers"),
        (Citation(0, 0.5, 1), "found a citation from 0.5 to 1, expected whole numbers"),
        (
            blocks("documents", 0, 0, 1),
            "a citation of blocks of A needs a table of its blocks",
        ),
        (
            blocks("documents", 1, 0, 5),
            "found a citation of blocks 0 to 5, expected some of the 4 blocks of B",
        ),
        (
            blocks("documents", 1, 1, 1),
            "found a citation of blocks 1 to 1, expected some of the 4 blocks of B",
        ),
        (
            Citation("A", 0, 1, blocks=True),
            "a citation of blocks of A needs a table of its blocks",
        ),
        (blocks("documents", 1, 3, 4), "found the block 7, expected .start, end."),
        (blocks("search_results", 1, 0, 1), "among the search_results, expected the id of a document"),
        (
            chunk(("x",), "of Cohere"),
            "found a citation of x, of Cohere, expected one that names a chunk with offsets",
        ),
        (
            chunk((None,), "of Cohere"),
            "found a citation of Cohere, expected one that names a chunk with offsets",
        ),
        (chunk(("bad",), "of Cohere"), "expected one that names a chunk with offsets"),
    ],
)
def test_what_was_not_sent(cited: Any, said: str) -> None:
    """The message says what was found and what there is."""
    with pytest.raises(WrongPlace, match=said):
        SENT.segments(cited)


PATTERN = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"


def saved(*cited: Any, **more: Any) -> dict[str, Any]:
    """An answer with a sentence for each list of citations."""
    sentences = [{"text": "So.", "citations": one} for one in cited]
    return {"metadata": {"team_id": "t", "run_id": "mine", "topic_id": 7}, "responses": sentences, **more}


def data(*answers: dict[str, Any]) -> bytes:
    """A file of answers."""
    return "".join(json.dumps(one) + "\n" for one in answers).encode()


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (saved(["B-0-5"], ["A-0-9", "B-0-5"]), ["B-0-5", "A-0-9"]),
        (saved([1], [0], references=["A-0-9", "B-0-5"]), ["B-0-5", "A-0-9"]),
        (saved({"A-0-9": 0.5}, {"B-0-5": 0.9, "A-0-9": 0.1}), ["B-0-5", "A-0-9"]),
        ({"topic_id": "7", "run_id": "mine", "answer": [{"text": "x", "citations": ["A-0-9"]}]}, ["A-0-9"]),
        (
            {
                "metadata": {"request_id": "7", "run_id": "mine"},
                "responses": [{"text": "x", "citations": ["A"]}],
            },
            ["A"],
        ),
    ],
)
def test_cited_ids(answer: dict[str, Any], found: list[str]) -> None:
    """By first citation, by number, or by score."""
    run = read_run(data(answer))
    assert [(result.topic, result.document) for result in run] == [("7", name) for name in found]
    assert (run.name, run.kind) == ("mine", "documents")


def test_segments_and_patterns_place_them() -> None:
    """Then they are spans of documents."""
    answers = data(saved(["B-0-5"], ["A-0-9", "B-0-5"]))
    ways: list[dict[str, Any]] = [
        {"id_pattern": PATTERN},
        {"segments": {"B-0-5": ("B", 0, 5), "A-0-9": ("A", 0, 9)}},
    ]
    for how in ways:
        run = read_run(answers, **how)
        assert [result[:4] for result in run] == [("7", "B", 0, 5), ("7", "A", 0, 9)]
    gold = [("7", "A", 0, 18)]
    assert evaluate(gold, answers, ["charR"], id_pattern=PATTERN, notices=Notices()).means().tolist() == [
        [0.5]
    ]


def test_the_example_and_silence() -> None:
    """An answer without citations causes a warning."""
    assert [result.document for result in read_run(citations.TREC_RAG_EXAMPLE.encode())] == ["A", "B"]
    notices = Notices()
    read_run(data(saved(["A"]), saved([], [])), notices=notices)
    assert list(notices) == ["1 answer cites nothing and adds no results (<bytes>)"]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            saved([3], references=["A"]),
            "found 3 as a citation, expected an id, or the number of one of 1 references",
        ),
        (saved({"A": "x"}), "found 'x' as the score of a citation, expected a number"),
        (saved(7), "among the responses, expected a text with its citations"),
        ({"responses": [{"citations": ["A"]}]}, "; the row has responses"),
        ({"topic": "1", "responses": 7}, "responses are missing, expected a list (also called answer)"),
    ],
)
def test_answers_that_are_wrong(answer: dict[str, Any], said: str) -> None:
    """The line and what is wrong in it."""
    with pytest.raises(ExcerptError) as caught:
        read_run(data(answer), format="trec-rag")
    assert str(caught.value).startswith("<bytes>:1: ")
    assert said in str(caught.value)
