"""Topics of TREC."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, read_topics
from excerpt.formats.topics import Topic

WORDS = st.lists(st.text("abcÄß漢0;,", min_size=1), min_size=1).map(" ".join)


def test_topics_without_end_tags(root: Path) -> None:
    """Labels are no text, other fields are left out, a number is written as in the judgments."""
    topics = read_topics(root / "tests" / "data" / "topics" / "trec.txt")
    assert list(topics.values()) == [
        Topic(
            "301",
            "Bridges & arches",
            "Find documents that say how arches of stone are built.",
            "A document counts if 3 < n < 5 holds.",
            1,
        ),
        Topic("51", "Old bridges", "Who built them?", "", 15),
    ]


def test_end_tags_and_a_root_are_fine() -> None:
    """Some files have them; comments are no text."""
    topics = read_topics(
        b"<?xml version='1.0'?>\n<topics>\n<!-- <top> -->\n<top><num>MB01</num><title>a<!-- b --></title>"
        b"<desc>c</desc></top></topics>"
    )
    assert dict(topics) == {"MB01": Topic("MB01", "a", "c", line=4)}


@given(
    st.dictionaries(st.integers(1), st.tuples(WORDS, WORDS, WORDS), min_size=1), st.booleans(), st.booleans()
)
def test_topics_read_back(topics: dict[int, tuple[str, str, str]], end_tags: bool, labels: bool) -> None:
    """With and without end tags and labels."""

    def field(tag: str, label: str, text: str) -> str:
        return f"<{tag}> {label if labels else ''} {text}\n" + (f"</{tag}>\n" if end_tags else "\n")

    written = "".join(
        "<top>\n"
        + field("num", "Number:", str(name))
        + field("title", "", title)
        + field("desc", "Description:\n", text)
        + field("narr", "Narrative:\n", narrative)
        + "</top>\n\n"
        for name, (title, text, narrative) in topics.items()
    )
    read = read_topics(written.encode())
    found = {int(name): (topic.title, topic.text, topic.narrative) for name, topic in read.items()}
    assert found == topics


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<top>\n<title> a\n</top>", ":1: found a topic without id"),
        ("<top><num> Number: 1\n</top>\n<top>\n", ":1: found no text of topic 1"),
        ("<top>\n<num> 1\n<title> a\n<top>\n<num> 1\n<title> b\n</top>", ":4: found topic 1 again"),
        ("<top>\n<num> 1 2\n<title> a\n</top>", ":1: found <num> '1 2', expected one id"),
    ],
)
def test_faults_have_a_line(content: str, message: str) -> None:
    """What is wrong, where, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content.encode())
    assert str(caught.value).startswith(f"<bytes>{message}")
