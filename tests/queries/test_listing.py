"""Lists of topics: kinds, targets, faults."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import excerpt
from excerpt import ExcerptError, ExcerptWarning, Notices
from excerpt.collection import folder
from excerpt.queries import Topic, Topics
from excerpt.queries.listing import FORMS, examine, write

XML = b"""<topics>
<topic id="1" query_type="CAS"><title>//article[about(., x)]//sec[about(.,'y')]</title></topic>
<topic id="2" query_type="co"><title>words</title></topic>
<topic id="3">
  <title>both</title>
  <castitle>//(sec|p)[about(., y)]</castitle>
</topic>
</topics>"""


def test_listing() -> None:
    """Kinds as the file says, else as the texts show; queries as they are printed."""
    topics = excerpt.topics(XML)
    assert topics.listed() == (
        ("id", "kind", "target", "title", "castitle"),
        [
            ("1", "CAS", "sec", "", "//article[about(., x)]//sec[about(., y)]"),
            ("2", "CO", "", "words", ""),
            ("3", "CO+S", "sec|p", "both", "//(sec|p)[about(., y)]"),
        ],
    )
    assert topics.notes() == ("3 topics: 1 CAS, 1 CO, 1 CO+S",)
    assert repr(topics) == "<TopicList of 3 topics: 1 CAS, 1 CO, 1 CO+S>"
    assert len(excerpt.topics(XML, only="1-2")) == 2
    one = topics.to_dict()["topics"][2]
    assert list(one) == [
        *("id", "title", "text", "narrative", "castitle", "kind", "target", "keywords", "phrasetitle")
    ]
    assert (one["target"], one["castitle"]) == ("sec|p", "//(sec|p)[about(., y)]")
    assert topics.to_dict()["topics"][1]["target"] is None


def test_every_fault() -> None:
    """Broken queries, missing and repeated ids: each with its line; Python gets the first."""
    broken = XML.replace(b"sec|p", b"sec|").replace(b'id="2"', b'id="1"').replace(b"'y'", b"")
    _, faults, _ = examine(broken.replace(b"</topics>", b"<topic>who?</topic></topics>"))
    assert [str(fault) for fault in faults] == [
        "<bytes>:2: castitle of topic 1, column 37: found ')', expected a word or a phrase",
        "<bytes>:3: found topic 1 again (first in line 2), expected each id once",
        "<bytes>:6: castitle of topic 3, column 8: found ')', expected a tag",
        "<bytes>:8: the id of a topic is missing",
    ]
    with pytest.raises(ExcerptError, match="<bytes>:2: castitle of topic 1, column 37"):
        excerpt.topics(broken)
    with pytest.raises(
        ExcerptError, match="castitle of topic 1, column 1: found 'sec', expected // and a tag"
    ):
        excerpt.topics({"1": Topic("1", castitle="sec")})


def test_reading_alone_goes_on() -> None:
    """Titles can be read although a query is broken, with a warning."""
    broken = XML.replace(b"sec|p", b"sec|")
    with pytest.warns(
        ExcerptWarning, match=r"1 castitle is not valid NEXI and names no target elements \(.*column 8"
    ):
        assert excerpt.read_topics(broken)["3"].title == "both"


def test_a_folder(tmp_path: Path) -> None:
    """Faults of all files, also of topics that two of them have."""
    (tmp_path / "a.xml").write_bytes(XML)
    (tmp_path / "b.xml").write_bytes(XML.replace(b"sec|p", b"sec|"))
    _, faults, _ = examine(tmp_path)
    assert [str(fault).partition(" (")[0].rpartition("/")[2] for fault in faults] == [
        "b.xml:2: found topic 1 again",
        "b.xml:3: found topic 2 again",
        "b.xml:4: found topic 3 again",
        "b.xml:6: castitle of topic 3, column 8: found ')', expected a tag",
    ]


def test_a_kind_without_a_query() -> None:
    """A kind without the query that it needs causes a warning."""
    with pytest.warns(ExcerptWarning, match=r"1 topic of kind CO\+S has no castitle"):
        excerpt.topics(b'<topic id="1" query_type="CO+S"><title>x</title></topic>')


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
    lost = {"trec": ["without castitle"], "indri": ["without narrative", "without castitle"]}
    said = [text.partition(" written ")[2].partition(":")[0] for text in notices if "without" in text]
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
        (Topic("1", "?!"), "indri", "topic 1 has no words, which format indri needs"),
        (Topic("1", "x"), "tvs", "unknown format of topics 'tvs'; did you mean 'tsv'"),
    ],
)
def test_mistakes(topic: Topic, format_: str, said: str) -> None:
    """Topics that a format cannot store are errors."""
    with pytest.raises(ExcerptError, match=said):
        write(Topics({topic.id: topic}), format_, Notices())
