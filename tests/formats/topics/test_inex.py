"""Topics in XML: INEX of all years and our own."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, read_topics
from excerpt.collection import folder
from excerpt.formats.topics import Topic

TEXTS = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cc", "Cs", "Cn"])).map(
    lambda text: " ".join(text.split())
)


@pytest.fixture
def data(root: Path) -> Path:
    """Where samples lie."""
    return root / "tests" / "data" / "topics"


def test_topic_of_2002(data: Path) -> None:
    """Other names of tags and attributes, a title of terms and elements, a DTD that is not opened."""
    assert dict(read_topics(data / "inex-2002.xml")) == {
        "05": Topic(
            "05",
            "bridge",
            "Articles on building bridges.",
            "Only bridges that carry traffic count.",
            3,
            castitle="//article[about(.//title, bridge)]",
            keywords="bridge, arch",
            kind="CAS",
        )
    }


def test_content_only_of_2002() -> None:
    """Words without elements are a title, not a query."""
    text = b'<INEX-Topic topic-id="31" query-type="CO"><Title><cw>stone arch</cw></Title></INEX-Topic>'
    (topic,) = read_topics(text).values()
    assert (topic.kind, topic.title, topic.castitle, topic.target) == ("CO", "stone arch", "", None)


def test_topic_of_2005(data: Path) -> None:
    """With a title in NEXI, kept as it is; white space of texts is folded, markup inside of them ignored."""
    (topic,) = read_topics(data / "inex-2005.xml").values()
    assert topic == Topic(
        "203",
        'stone "arch bridges"',
        "How are arches of stone built?",
        "A section is relevant if it says how centring works.",
        3,
        castitle="//article[about(., bridges)]//sec[about(., stone & arch)]",
    )


def test_topics_of_2009(data: Path) -> None:
    """Many in a file, with ids as in the judgments."""
    topics = read_topics(data / "inex-2009.xml")
    assert [(topic.id, topic.title, topic.line) for topic in topics.values()] == [
        ("2009001", "Nobel prize", 3),
        ("2009002", "best movie", 10),
    ]
    assert topics["2009001"].phrasetitle == '"Nobel prize"'


def test_topics_of_the_embedded_collection() -> None:
    """Our own form."""
    topics = read_topics(folder() / "topics.xml")
    assert len(topics) == 41
    assert (topics["CU02"].title, topics["CU02"].text) == (
        "Parties",
        "The two or more parties who signed the contract",
    )


def test_other_places_of_id_and_text() -> None:
    """As an element; the text of a topic without elements is its question."""
    topics = read_topics(
        b"<topics><topic number='1'>\n A man\n</topic><topic><num>2</num><query>q</query>x</topic></topics>"
    )
    assert [(topic.id, topic.title, topic.text) for topic in topics.values()] == [
        ("1", "", "A man"),
        ("2", "q", "x"),
    ]


@given(st.dictionaries(TEXTS.filter(bool), st.tuples(TEXTS.filter(bool), TEXTS, TEXTS), min_size=1))
def test_topics_read_back(topics: dict[str, tuple[str, str, str]]) -> None:
    """Whatever the characters."""
    written = "".join(
        f"<topic id={quoteattr(name)}><title>{escape(title)}</title><description>{escape(text)}</description>"
        f"<narrative>{escape(narrative)}</narrative></topic>"
        for name, (title, text, narrative) in topics.items()
    )
    read = read_topics(f"<topics>{written}</topics>".encode())
    found = {name: (topic.title, topic.text, topic.narrative) for name, topic in read.items()}
    assert found == topics


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<topics>\n<topic><title>a</title></topic></topics>", ":2: found a topic without id"),
        ("<topics>\n<topic id='1'><narrative>a</narrative></topic></topics>", ":2: found no text of topic 1"),
        (
            "<topics><topic id='1'>a</topic>\n<topic id=' 1 '>b</topic></topics>",
            ":2: found topic 1 again (first in line 1)",
        ),
        ("<topics>\n</topics>", ": found no topic in it, expected <inex_topic topic_id="),
        ("<topics>\n<topic id='1'>a", ":2: found XML that is broken here (no element found)"),
        (
            "<topic id='1'>\n<topic id='2'>a</topic></topic>",
            ":2: found <topic> inside of <topic>, expected one after the other",
        ),
        (
            "<!DOCTYPE topic [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>\n<topic id='1'>&e;</topic>",
            ":2: found a reference to another file (file:///etc/passwd)",
        ),
        ("<article><p>a</p></article>", ":1: found root element <article>, a document of a corpus, expected"),
    ],
)
def test_faults_have_a_line(content: str, message: str) -> None:
    """What is wrong, where, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content.encode())
    assert str(caught.value).startswith(f"<bytes>{message}")
