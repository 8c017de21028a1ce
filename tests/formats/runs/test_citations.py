"""Saved answers as runs: read, compared with the corpus, or refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from excerpt import Corpus, ExcerptError, Notices, evaluate, read_run
from excerpt.formats.checking import check
from excerpt.formats.runs import citations

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
    assert list(notices) == ["answer cites nothing (<bytes>)"]
    table = evaluate([("1", "B", 0, 8), ("2", "A", 0, 3)], data, ["charR"], notices=Notices())
    assert table.values[0, :, 0].tolist() == [0.5, 1.0]


def test_the_example() -> None:
    """It is what it seems to be."""
    assert check(citations.EXAMPLE.encode())
    assert [result[:4] for result in read_run(citations.EXAMPLE.encode())] == [("1", "A", 0, 4)]


def test_blocks_are_compared_with_their_text() -> None:
    """Each is a result; what is quoted may have other white space between them."""
    blocks = {"document": "B", "blocks": [[0, 11], [12, 18]]}
    cited = {
        "type": "content_block_location",
        "document_index": 0,
        "start_block_index": 0,
        "end_block_index": 2,
    }
    saved = answer({**cited, "cited_text": "Yes, it is.\nIt is."}, documents=[blocks])
    assert [result[1:4] for result in read_run(lines(saved), corpus=CORPUS)] == [("B", 0, 11), ("B", 12, 18)]
    with pytest.raises(ExcerptError, match=r"found the cited text 'No\.' nowhere in document B"):
        read_run(lines(answer({**cited, "cited_text": "No."}, documents=[blocks])), corpus=CORPUS)


def test_moved_and_unread_citations() -> None:
    """Words that stand elsewhere are found there, and counted; what cannot be compared is said."""
    notices = Notices()
    moved = answer(located(0, 4, 9, start_char_index=5, end_char_index=10), located(1, 0, 4))
    run = read_run(lines(moved), corpus=CORPUS, notices=notices)
    assert [result[1:4] for result in run] == [("A", 4, 9), ("B", 0, 4)]
    assert next(iter(notices)).startswith(
        "citation is not where its offsets say and was moved to its words (1 exact, 1 moved, 0 unplaced)"
    )
    other = answer(located(0, 4, 9, end_char_index=11), documents=["C", "D"])
    notices = Notices()
    read_run(lines(other), corpus=CORPUS, notices=notices)
    assert [text.split(" (")[0] for text in notices] == [
        "citation was not verified, since the corpus lacks its document",
        "citation has more or fewer characters than its offsets say; the offsets count",
    ]


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        (
            answer(located(0, 4, 9, cited_text="large")),
            "f:1: found the cited text 'large' nowhere in document A",
        ),
        (
            answer(located(0, 4, 9), documents=[]),
            "found a citation of number 0 of the documents, expected one of 0",
        ),
        (
            answer({"type": "page_location"}),
            "found a citation which names pages, not characters, expected offsets",
        ),
        (
            answer({"type": "file_citation", "file_id": "f"}),
            "found a citation of f, whose offsets count the answer",
        ),
        ({"documents": ["A"], "response": {}}, "found no topic among documents, response"),
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
