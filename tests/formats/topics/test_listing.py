"""Lists of topics: kinds, targets, faults."""

from __future__ import annotations

from pathlib import Path

import pytest

import excerpt
from excerpt import ExcerptError, ExcerptWarning
from excerpt.formats.topics import Topic
from excerpt.formats.topics.listing import examine

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
        "<bytes>:8: found a topic without id, expected one",
    ]
    with pytest.raises(ExcerptError, match="<bytes>:2: castitle of topic 1, column 37"):
        excerpt.topics(broken)
    with pytest.raises(
        ExcerptError, match="castitle of topic 1, column 1: found 'sec', expected // and a tag"
    ):
        excerpt.topics({"1": Topic("1", castitle="sec")})


def test_reading_alone_goes_on() -> None:
    """Who only wants titles gets them: a broken query is a doubt."""
    broken = XML.replace(b"sec|p", b"sec|")
    with pytest.warns(ExcerptWarning, match=r"castitle is not NEXI, so it asks for no element \(.*column 8"):
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
    """What a file says and does not have is a doubt."""
    with pytest.warns(ExcerptWarning, match=r"topic is of the kind CO\+S, but has no castitle"):
        excerpt.topics(b'<topic id="1" query_type="CO+S"><title>x</title></topic>')
