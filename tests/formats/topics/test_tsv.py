"""Topics in columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, Notices, read_topics

#: A cell that is no header and reads back the same.
CELLS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Z"]), min_size=1).filter(str.strip)
IDS = CELLS.filter(lambda text: text[0] not in "<{" and "id" not in text.lower())


@given(st.dictionaries(IDS.map(str.strip), st.tuples(CELLS.map(str.strip), CELLS.map(str.strip)), min_size=1))
def test_three_columns_read_back(topics: dict[str, tuple[str, str]]) -> None:
    """Id, title and text, in the order of the file."""
    lines = [f"{name}\t{title}\t{text}x\n" for name, (title, text) in topics.items()]
    read = read_topics("".join(lines).encode())
    assert [(topic.id, topic.title, topic.text) for topic in read.values()] == [
        (name, title, text + "x") for name, (title, text) in topics.items()
    ]
    assert [topic.line for topic in read.values()] == list(range(1, len(topics) + 1))


def test_two_columns_are_id_and_text() -> None:
    """The text is a question, not a title; blank lines, a byte order mark and CR LF mean nothing."""
    topics = read_topics(b"\xef\xbb\xbf1\twhat?\r\n\r\n2\twho?\r\n")
    assert [(topic.id, topic.title, topic.text, topic.line) for topic in topics.values()] == [
        ("1", "", "what?", 1),
        ("2", "", "who?", 3),
    ]


def test_a_first_line_may_name_the_columns() -> None:
    """In any order behind the id; those that mean nothing here are ignored, and said."""
    notices = Notices()
    topics = read_topics(b"qid\tquestion\ttitle\tanswer\n1\twhat?\tOne\t42\n", notices=notices)
    assert (topics["1"].title, topics["1"].text) == ("One", "what?")
    assert list(notices) == ["unknown columns were ignored: answer (<bytes>)"]
    # A topic may well be called so, if the rest of the line says nothing.
    assert list(read_topics(b"topic\tsun\n")) == ["topic"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\ta\n2\tb\tc\n", "<bytes>:2: found 3 columns, expected 2 as before"),
        (b"1\ta\n2 b\n", "<bytes>:2: found '2 b' without a tab, expected 2 as before"),
        (b"1\ta\n\tb\n", "<bytes>:2: found a topic without id, expected one"),
        (b"1\ta\n1\tb\n", "<bytes>:2: found topic 1 again (first in line 1)"),
        (b"1\ta\n2\t\n", "<bytes>:2: found no text of topic 2"),
        (b"1\ta\n2\t\xff\n", "<bytes>:2: found byte 0xff, expected UTF-8 text"),
        (b"id\ttext\n", "<bytes>: found no topics, expected id TAB text"),
    ],
)
def test_faults_have_a_line(content: bytes, message: str) -> None:
    """What is wrong, where, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content)
    assert str(caught.value).startswith(message)
