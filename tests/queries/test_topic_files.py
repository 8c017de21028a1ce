"""Topics from anywhere, recognised by their content."""

from __future__ import annotations

import gzip
import io
import json
import shutil
import sys
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import ExcerptError, Notices, read_topics
from excerpt.collection import folder, qrels, runs
from excerpt.errors import FormatError
from excerpt.nexi import Target, parse_nexi
from excerpt.queries import Topic
from excerpt.queries.topic_files import castitle_of

SAMPLES = (
    b"1\tone\n2\ttwo\n",
    b'{"id": "1", "text": "one"}\n{"id": "2", "title": "two"}\n',
    b"<topics><topic id='1'><title>one</title></topic><topic id='2'>two</topic></topics>",
    b"<top>\n<num> Number: 1\n<title> one\n</top>\n<top>\n<num> Number: 2\n<title> two\n</top>\n",
)


@pytest.mark.parametrize("content", SAMPLES)
def test_every_format_comes_from_everywhere(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes, a file, a compressed one, an open one, standard input."""
    path = tmp_path / "topics"
    path.write_bytes(content)
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(content))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    for given_ in (content, path, str(packed), io.BytesIO(content), io.StringIO(content.decode()), "-"):
        assert [topic.title or topic.text for topic in read_topics(given_).values()] == ["one", "two"]
    assert read_topics(path).source == str(path)


def test_texts_by_id_are_topics() -> None:
    """As Python has them."""
    assert read_topics({"1": "one"})["1"].text == "one"


def test_a_folder_of_files(root: Path, tmp_path: Path) -> None:
    """One topic per file, in the order of file names; a DTD is skipped."""
    samples = tmp_path / "topics"
    shutil.copytree(root / "tests" / "data" / "topics" / "inex-folder", samples)
    assert list(read_topics(samples)) == ["05", "203"]
    shutil.copy(samples / "inex-2005.xml", samples / "z.xml")
    with pytest.raises(ExcerptError, match=r"z\.xml:3: found topic 203 again \(first in .*inex-2005\.xml\)"):
        read_topics(samples)
    (samples / "z.xml").write_bytes(SAMPLES[0])
    with pytest.raises(ExcerptError, match=r"found topics in columns \(.*z\.xml\) and topics in XML \("):
        read_topics(samples)


def test_folders_without_topics(tmp_path: Path) -> None:
    """Empty, or with a DTD only."""
    with pytest.raises(ExcerptError, match="the folder contains no files"):
        read_topics(tmp_path)
    (tmp_path / "a.dtd").write_text("x")
    with pytest.raises(ExcerptError, match="the folder contains no topic files"):
        read_topics(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            qrels().read_bytes(),
            "<bytes>:1: found judgments, expected topics; topics are lines of id TAB text",
        ),
        (runs()[0].path.read_bytes(), "<bytes>:1: found a run, expected topics"),
        (b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "<bytes>:1: found judgments, expected topics"),
        (b"q1\td1\t1\nq1\td2\t0\n", "<bytes>:1: found 'q1\\td1\\t1', expected topics"),
        (b"  \n", "<bytes>: the file is empty, expected topics"),
        (
            b"Once upon a time\nthere was\n",
            "<bytes>:1: found 'Once upon a time' without an id, expected topics",
        ),
        (b"[1]", "<bytes>:1: found a JSON list instead of one object per line, expected topics"),
        (b"\x89PNG\0\0", "<bytes>:1: found binary data, expected text; is it the right file?"),
        (
            "ä\tb\n".encode("latin-1"),
            "<bytes>:1: found byte 0xe4, expected UTF-8 text; convert it to UTF-8 first",
        ),
    ],
)
def test_what_holds_no_topics_is_called_what_it_is(content: bytes, message: str) -> None:
    """A run or judgments instead of topics, and unknown files."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content)
    assert str(caught.value).startswith(message)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    """With its name."""
    with pytest.raises(ExcerptError, match="nowhere: cannot be read: no such file"):
        read_topics(tmp_path / "nowhere")


@given(
    st.sampled_from([*SAMPLES, (folder() / "topics.xml").read_bytes()[:900]]),
    st.lists(st.tuples(st.integers(0, 900), st.binary(max_size=3), st.integers(0, 5)), max_size=4),
)
def test_damaged_files_give_topics_or_one_line(content: bytes, damage: list[tuple[int, bytes, int]]) -> None:
    """Whatever is put in or cut out."""
    for place, more, less in damage:
        content = content[:place] + more + content[place + less :]
    try:
        topics = read_topics(content)
    except ExcerptError as error:
        assert "\n" not in str(error)  # noqa: PT017 - either outcome is fine
    else:
        assert all(name and topic.id == name for name, topic in topics.items())


TEXTS = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cc", "Cs", "Cn"])).map(
    lambda text: " ".join(text.split())
)


@pytest.fixture
def data(root: Path) -> Path:
    """The folder of samples."""
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
    """With a title in NEXI, kept as it is; whitespace of texts is folded, markup in them ignored."""
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
        ("<topics>\n<topic><title>a</title></topic></topics>", ":2: the id of a topic is missing"),
        ("<topics>\n<topic id='1'><narrative>a</narrative></topic></topics>", ":2: topic 1 has no text"),
        (
            "<topics><topic id='1'>a</topic>\n<topic id=' 1 '>b</topic></topics>",
            ":2: found topic 1 again (first in line 1)",
        ),
        ("<topics>\n</topics>", ": the file contains no topics, expected elements with an id"),
        ("<topics>\n<topic id='1'>a", ":2: found XML that is broken here (no element found)"),
        (
            "<topic id='1'>\n<topic id='2'>a</topic></topic>",
            ":2: found <topic> in a <topic>, expected one after the other",
        ),
        (
            "<!DOCTYPE topic [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>\n<topic id='1'>&e;</topic>",
            ":2: found a reference to another file (file:///etc/passwd)",
        ),
        ("<article><p>a</p></article>", ":1: found root element <article>, a document of a corpus, expected"),
    ],
)
def test_faults_have_a_line(content: str, message: str) -> None:
    """Each fault has its line, the value, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content.encode())
    assert str(caught.value).startswith(f"<bytes>{message}")


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
def test_trec_topics_read_back(topics: dict[int, tuple[str, str, str]], end_tags: bool, labels: bool) -> None:
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
        ("<top>\n<title> a\n</top>", ":1: the id of a topic is missing"),
        ("<top><num> Number: 1\n</top>\n<top>\n", ":1: topic 1 has no text"),
        ("<top>\n<num> 1\n<title> a\n<top>\n<num> 1\n<title> b\n</top>", ":4: found topic 1 again"),
        ("<top>\n<num> 1 2\n<title> a\n</top>", ":1: found <num> '1 2', expected one id"),
    ],
)
def test_trec_faults_have_a_line(content: str, message: str) -> None:
    """Each fault has its line, the value, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content.encode())
    assert str(caught.value).startswith(f"<bytes>{message}")


JSONL_TEXTS = st.text(st.characters(exclude_categories=["Cs"])).map(str.strip)


@given(
    st.dictionaries(
        JSONL_TEXTS.filter(bool), st.tuples(JSONL_TEXTS, JSONL_TEXTS.filter(bool), JSONL_TEXTS), min_size=1
    ),
    st.booleans(),
)
def test_objects_read_back(topics: dict[str, tuple[str, str, str]], ascii_only: bool) -> None:
    """Whatever the characters; text stays as it is, line ends inside too."""
    lines = [
        json.dumps(
            {"id": name, "title": title, "text": text, "narrative": narrative}, ensure_ascii=ascii_only
        )
        for name, (title, text, narrative) in topics.items()
    ]
    read = read_topics("\n".join(lines).encode())
    found = {name: (topic.title, topic.text, topic.narrative) for name, topic in read.items()}
    assert found == topics


@pytest.mark.parametrize("key", ["_id", "id", "topic", "qid", "topic_id", "query_id"])
@pytest.mark.parametrize("text", ["text", "query", "question", "description"])
def test_spellings(key: str, text: str) -> None:
    """Spellings of BEIR, MS MARCO and others; numbers are ids."""
    topics = read_topics(json.dumps({key: 7, text: "Who?", "title": None}).encode())
    assert topics["7"].text == "Who?"
    assert not topics["7"].title


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a"}', "key id is missing (also called _id, topic, qid, topic_id,"),
        (
            "{}",
            "key id is missing (also called _id, topic, qid, topic_id, query_id",
        ),
        ('{"id": true, "text": "a"}', "found id true, expected a string"),
        ('{"id": "2", "text": ["a"]}', 'found text ["a"], expected a string'),
        ('{"id": "2", "text": "\\ud800"}', 'found text "\\ud800", expected a string'),
        ('{"id": "2"}', "topic 2 has no text"),
        ('{"id": "1", "text": "b"}', "found topic 1 again (first in line 1)"),
        ('{"id": "2", "text"', 'found \'{"id": "2", "text"\', expected one JSON object per line'),
        ("2\ttext", "found '2\\ttext', expected one JSON object per line"),
    ],
)
def test_jsonl_faults_have_a_line(line: str, message: str) -> None:
    """Each fault has its line, the value, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(f'{{"id": "1", "text": "a"}}\n{line}\n'.encode())
    assert str(caught.value).startswith(f"<bytes>:2: {message}")


def test_results_are_no_topics() -> None:
    """A run or judgments in JSON Lines are called so."""
    with pytest.raises(ExcerptError, match="found a run, expected topics"):
        read_topics(b'{"topic": "1", "document": "A", "start": 0, "end": 5, "score": 1.0}\n')
    with pytest.raises(ExcerptError, match="found judgments, expected topics"):
        read_topics(b'{"topic": "1", "document": "A", "spans": [[0, 5]]}\n')


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
    """Columns may be in any order after the id; unknown ones are ignored with a warning."""
    notices = Notices()
    topics = read_topics(b"qid\tquestion\ttitle\tanswer\n1\twhat?\tOne\t42\n", notices=notices)
    assert (topics["1"].title, topics["1"].text) == ("One", "what?")
    assert list(notices) == ["unknown columns are ignored: answer (<bytes>)"]
    # A topic may well be called so, if the rest of the line says nothing.
    assert list(read_topics(b"topic\tsun\n")) == ["topic"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"1\ta\n2\tb\tc\n", "<bytes>:2: found 3 columns, expected 2 as in earlier lines"),
        (b"1\ta\n2 b\n", "<bytes>:2: found '2 b' without a tab, expected 2 as in earlier lines"),
        (b"1\ta\n\tb\n", "<bytes>:2: the id of a topic is missing"),
        (b"1\ta\n1\tb\n", "<bytes>:2: found topic 1 again (first in line 1)"),
        (b"1\ta\n2\t\n", "<bytes>:2: topic 2 has no text"),
        (b"1\ta\n2\t\xff\n", "<bytes>:2: found byte 0xff, expected UTF-8 text"),
        (b"id\ttext\n", "<bytes>: the file contains no topics, expected id TAB text"),
    ],
)
def test_tsv_faults_have_a_line(content: bytes, message: str) -> None:
    """Each fault has its line, the value, and what was expected."""
    with pytest.raises(ExcerptError) as caught:
        read_topics(content)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("marked", "castitle"),
    [
        ([("cw", "bridge")], "//article[about(., bridge)]"),
        ([("te", "article"), ("cw", "a (b)"), ("ce", "abs, kwd")], "//article[about(.//(abs|kwd), a b)]"),
        ([("te", "article/fm/au, bb/au"), ("cw", "x")], "//article[about(., x)]//au"),
        ([("te", "sec|p"), ("cw", "x"), ("cw", ""), ("ce", "bdy")], "//article[about(., x)]//(sec|p)"),
        ([("te", "sec")], ""),
        ([("cw", '",+')], ""),
    ],
)
def test_castitles(marked: list[tuple[str, str]], castitle: str) -> None:
    """Whatever text is marked, the castitle is valid NEXI, or empty."""
    assert castitle_of(marked) == castitle
    if castitle:
        assert str(parse_nexi(castitle)) == castitle
        assert Target.of(parse_nexi(castitle)).tags


def test_words() -> None:
    """Words are the title."""
    title = b"<title><te>tig</te><cw>QBIC</cw><ce>bibl</ce><cw></cw></title>"
    assert read_topics(b'<inex_topic topic_id="1">' + title + b"</inex_topic>")["1"].title == "QBIC"


#: Topics of other tracks, and the id, title and text of each.
TRACKS = {
    "TREC Web": (
        b"""<webtrack2009>
<topic number="1" type="faceted"><query>family tree</query><description>Find it.</description>
<subtopic number="1" type="nav">Find photos</subtopic></topic>
</webtrack2009>""",
        [("1", "family tree", "Find it.")],
    ),
    "TREC Microblog": (
        b"<top>\n<num> Number: MB001 </num>\n<query> staff cuts </query>\n<querytime> x </querytime>\n</top>",
        [("MB001", "staff cuts", "")],
    ),
    "FIRE": (
        b'<topics>\n<top lang="en">\n<num>76</num>\n<title>Clash</title>\n<desc>Why?</desc>\n</top></topics>',
        [("76", "Clash", "Why?")],
    ),
    "NTCIR WWW": (
        b"""<?xml version="1.0"?>
<queries>
<query><qid>0001</qid><content>halloween</content><description>Pictures</description></query>
<query><qid>0002</qid><content>ashes</content><description>Cricket</description></query>
</queries>""",
        [("0001", "halloween", "Pictures"), ("0002", "ashes", "Cricket")],
    ),
    "TREC CAsT": (
        b"""[{"number": 31, "title": "cancer", "turn": [
  {"number": 1, "raw_utterance": "What is it?"}, {"number": 2, "raw_utterance": "Is it treatable?"}]}]""",
        [("31_1", "", "What is it?"), ("31_2", "", "Is it treatable?")],
    ),
    "EPIC-QA": (
        b'[{"question_id": "CQ001", "question": "what is the origin?", "background": "b"}]',
        [("CQ001", "", "what is the origin?")],
    ),
    "the repeated element": (
        b'<set id="9"><title>All</title><x id="5"><text>a</text></x><x id="6"><text>b</text></x></set>',
        [("5", "", "a"), ("6", "", "b")],
    ),
    "its own text": (
        b'<queries><query id="1">one</query><query id="2">two</query></queries>',
        [("1", "", "one"), ("2", "", "two")],
    ),
    "other ids in JSON": (b'[{"num": 1, "desc": "a"}]', [("1", "", "a")]),
    "an element of any name": (
        b'<set><need qid="a"><text>pets</text><part><id>x</id><title>y</title></part></need></set>',
        [("a", "", "pets")],
    ),
}


@pytest.mark.parametrize("track", TRACKS)
def test_one_rule_reads_topics_of_all_tracks(track: str) -> None:
    """An element or object with an id and a text is a topic."""
    data, expected = TRACKS[track]
    assert [(topic.id, topic.title, topic.text) for topic in read_topics(data).values()] == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"query\tdescription\na\tb\n", "<bytes>:1: found columns query, description and no ids"),
        (b"first query\nsecond query\n", "<bytes>:1: found 'first query' without an id, expected topics"),
        (b'[{"id": 1, "text": "a"},\n 5]', "<bytes>:2: found 5 in the list, expected objects"),
        (b'[{"id": 1, "text": "a"}, {', "<bytes>: found damaged JSON, expected a list of topics"),
        (b'[{"id": 1, "text": "a"},\n {"text": "b"}]', "<bytes>:2: key id is missing"),
        (b'[{"number": 1, "title": "a", "turn": [3]}]', "<bytes>:1: found 3 in the list, expected objects"),
        (b"<set><need><title>y</title></need></set>", "<bytes>:1: found root element <set>"),
    ],
)
def test_topics_without_ids(data: bytes, message: str) -> None:
    """The message names the line and what is missing."""
    with pytest.raises(FormatError) as caught:
        read_topics(data)
    assert str(caught.value).startswith(message)
