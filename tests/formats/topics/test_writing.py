"""Topics written in one format and read again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import ExcerptError, Notices
from excerpt.collection import folder
from excerpt.formats.topics import Topic, Topics
from excerpt.formats.topics.writing import FORMS, write

TEXTS = st.text(st.sampled_from("ab <&>\"'é\u2028/\x1b]"), max_size=8).map(
    lambda text: " ".join(text.split())
)
TOPICS = st.lists(
    st.builds(
        Topic,
        st.sampled_from(["1", "10", "CU05", "q-7", "é"]),
        title=TEXTS.filter(lambda text: text[:1] != "/"),
        text=TEXTS.filter(bool),
        narrative=TEXTS,
        castitle=st.sampled_from(["", "//sec[about(., x)]", '//(a|b)[about(.//c, "y < z")]']),
        keywords=TEXTS,
        phrasetitle=TEXTS,
        kind=st.sampled_from(["", "", "VVCAS"]),
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda topic: topic.id,
)


@settings(max_examples=60)
@given(TOPICS, st.sampled_from(["tsv", "jsonl", "inex"]))
def test_nothing_is_lost(given_: list[Topic], format_: str) -> None:
    """Formats that hold everything give it back, but for control characters, which XML has not."""
    topics = Topics({topic.id: topic for topic in given_})
    notices = Notices()
    again = excerpt.read_topics(write(topics, format_, notices).encode(), notices=Notices())
    shown = [topic.to_dict() for topic in topics.values()]
    if format_ == "inex":
        shown = [
            {name: text and text.replace("\x1b", "\ufffd") for name, text in one.items()} for one in shown
        ]
    assert [topic.to_dict() for topic in again.values()] == shown
    assert list(notices) == []


@pytest.mark.parametrize("format_", FORMS)
def test_the_embedded_topics(format_: str, tmp_path: Path) -> None:
    """All formats are read again, and say what they cannot hold."""
    notices = Notices()
    topics = excerpt.topics(folder("articles") / "topics.xml", notices=notices)
    topics.write(tmp_path / "topics", format_)
    again = excerpt.topics(tmp_path / "topics")
    assert list(again.topics) == list(topics.topics)
    titles = [topic.title.lower() for topic in topics.topics.values()]
    assert [(topic.title or topic.text).lower() for topic in again.topics.values()] == titles
    lost = {"trec": ["trec has no castitle"], "indri": ["indri has no narrative", "indri has no castitle"]}
    said = [text.partition(",")[0] for text in notices if "no " in text]
    assert said == lost.get(format_, [])


def test_questions_only() -> None:
    """The plainest file of all: an id, a tab, a question."""
    assert write(Topics.of({"7": "Who?", "8": "When?"}), "tsv", Notices()) == "7\tWho?\n8\tWhen?\n"


@pytest.mark.parametrize(
    ("topic", "format_", "said"),
    [
        (Topic("a\tb", "x"), "tsv", r"found topic 'a\\tb', expected an id without tabs"),
        (Topic("a\nb", "x"), "inex", r"found topic 'a\\nb', expected an id without tabs"),
        (Topic("a\x1bb", "x"), "indri", r"found topic 'a\\x1bb', expected an id without tabs"),
        (Topic("a b", "x"), "trec", "found topic 'a b', expected an id without spaces"),
        (Topic("1", "?!"), "indri", "found no words in topic 1, expected some for indri"),
        (Topic("1", "x"), "tvs", "unknown format of topics 'tvs'; did you mean 'tsv'"),
    ],
)
def test_mistakes(topic: Topic, format_: str, said: str) -> None:
    """What a format cannot hold at all is an error."""
    with pytest.raises(ExcerptError, match=said):
        write(Topics({topic.id: topic}), format_, Notices())
