"""Chunks of documents that repeat sentences: what chunks share with the text, and what continues them."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from excerpt import Corpus
from excerpt.placing.search import words_in

_LETTERS = "abcdefghijklmnop"


def sentences(draw: random.Random, words: list[str], count: int = 200) -> list[str]:
    """Sentences of which half come from a small pool."""

    def one() -> str:
        return " ".join(draw.choice(words) for _ in range(draw.randint(3, 11))).capitalize() + "."

    pool = [one() for _ in range(25)]
    return [draw.choice(pool) if draw.random() < 0.5 else one() for _ in range(count)]


def documents() -> list[tuple[random.Random, list[str], list[str]]]:
    """Some documents as lists of chunks, each with the generator and the words to go on with."""
    draw = random.Random(7)
    words = ["".join(draw.choice(_LETTERS) for _ in range(draw.randint(2, 9))) for _ in range(400)]
    made = []
    for _ in range(12):
        rest, chunks = sentences(draw, words), []
        while rest:
            size = draw.randint(1, 3)
            chunks.append(" ".join(rest[:size]))
            rest = rest[size:]
        made.append((draw, words, chunks))
    return made


def plain(_: random.Random, __: list[str], chunk: str) -> str:
    """The chunk itself."""
    return chunk


def with_keywords(draw: random.Random, words: list[str], chunk: str) -> str:
    """Words behind."""
    return f"{chunk}\nKeywords: {', '.join(draw.choice(words) for _ in range(6))}"


def with_context(draw: random.Random, words: list[str], chunk: str) -> str:
    """A sentence in front."""
    return f"This part is about {' '.join(draw.choice(words) for _ in range(8))}.\n\n{chunk}"


def with_footer(draw: random.Random, words: list[str], chunk: str) -> str:
    """A title in front and a footer that differs."""
    return f"My Title\n\n{chunk}\n\nPage {draw.randint(1, 999)} of {draw.choice(words)}"


@pytest.mark.parametrize(
    ("change", "first", "most"),
    [
        (plain, "", 0),
        (with_keywords, "", 0.01),
        (with_context, "", 0.01),
        (with_footer, "All of this is said first. ", 0),
    ],
)
def test_repetitive_documents(
    change: Callable[[random.Random, list[str], str], str], first: str, most: float
) -> None:
    """At most 1 % lost, and at most 1 % elsewhere; shared first sentences, titles and footers: none."""
    lost = elsewhere = count = 0
    for draw, words, chunks in documents():
        wanted, text, given = [], "", []
        for chunk in chunks:
            text += "\n\n" if text else ""
            wanted.append((len(text), len(text) + len(first + chunk)))
            text += first + chunk
            given.append(change(draw, words, first + chunk))
        placed = Corpus({"d.txt": text}).place({"d.txt": given}, lost="count")
        lost += sum(one.how == "lost" for one in placed)
        elsewhere += sum(
            one.how != "lost" and (one.start, one.end) != place
            for one, place in zip(placed, wanted, strict=True)
        )
        count += len(wanted)
    assert lost <= most * count
    assert elsewhere <= most * count


def test_what_is_shared_and_in_the_text_is_given_back() -> None:
    """The first sentence belongs to each chunk, the title to none."""
    text = "Read this first. One is here today.\n\nRead this first. Two is there now."
    given = [
        f"Guide\nRead this first. {rest}\nfoot {number}"
        for number, rest in enumerate(("One is here today.", "Two is there now."))
    ]
    chunks = Corpus({"A.txt": text}).place({"A.txt": given})
    assert [text[one.start : one.end] for one in chunks] == text.split("\n\n")


def test_words_in() -> None:
    """Folded, with their places in the source."""
    assert [(one.text, one.start, one.end) for one in words_in("a “b”  c", 1, 9)] == [
        ('"b"', 2, 5),
        ("c", 7, 8),
    ]
