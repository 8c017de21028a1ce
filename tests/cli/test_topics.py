"""excerpt topics: listing, checking, converting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

TOPICS = """<inex-topic-file>
<topic id="201"><title>stone &amp; arch</title><castitle>//article//sec[about(.,stone)]</castitle></topic>
<topic id="205"><title>bridges</title></topic>
</inex-topic-file>
"""


@pytest.fixture
def file(files: Path) -> Path:
    """Two topics."""
    path = files / "topics.xml"
    path.write_text(TOPICS)
    return path


def test_listing(file: Path, excerpt: Excerpt) -> None:
    """Topics are listed with their questions."""
    done = excerpt("topics", "topics.xml")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "id   kind  target  title         castitle",
        "----------------------------------------------------------------",
        "201  CO+S  sec     stone & arch  //article//sec[about(., stone)]",
        "205  CO            bridges",
        "",
        "2 topics: 1 CO, 1 CO+S",
    ]
    printed = json.loads(excerpt("topics", "topics.xml", "--only", "201", "--format", "json").out)
    assert [(topic["id"], topic["target"]) for topic in printed["topics"]] == [("201", "sec")]
    assert excerpt("topics", "topics.xml", "--exclude", "201", "--format", "csv").out == (
        "id,kind,title\n205,CO,bridges\n"
    )


def test_converting(file: Path, excerpt: Excerpt) -> None:
    """To a file, or to standard output; what is lost is said."""
    assert excerpt("topics", "topics.xml", "--to", "jsonl", "-o", "topics.jsonl").out == ""
    assert excerpt("topics", "topics.jsonl").out == excerpt("topics", "topics.xml").out
    done = excerpt("topics", "topics.xml", "--to", "trec")
    assert done.out.startswith("<top>\n<num> Number: 201\n<title> stone &amp; arch\n</top>\n")
    assert "warning: 1 topic is written without castitle: format trec has none" in done.err


def test_formats_are_those_that_are_written() -> None:
    """The command knows them without loading what writes them."""
    from excerpt.cli import listings
    from excerpt.queries.listing import FORMS

    assert tuple(FORMS) == listings._FORMATS


def test_assessments_and_parameters(files: Path, excerpt: Excerpt) -> None:
    """Other files that hold topics."""
    Path("indri.xml").write_text(
        "<parameters><index>/i</index><query><type>indri</type><number>7</number>"
        "<text>#combine(stone arch)</text></query></parameters>"
    )
    assert (
        excerpt("topics", "indri.xml", "--format", "csv").out == "id,kind,title\n7,CO,#combine(stone arch)\n"
    )
    Path("assessed.xml").write_text(
        '<all><assessments topic="31"><inex_topic topic_id="31"><title>stone</title></inex_topic>'
        '<file file="a/b"><path path="/article[1]" exhaustiveness="3" specificity="3"/></file></assessments>'
        '<assessments topic="32"><file file="a/b"/></assessments></all>'.replace("all>", "topics>")
    )
    assert excerpt("topics", "assessed.xml", "--format", "csv").out == "id,kind,title\n31,CO,stone\n32,CO,\n"
    Path("one.xml").write_text('<assessments topic="33"><file file="a/b"/></assessments>')
    assert excerpt("topics", "one.xml", "--format", "csv").out == "id,kind,title\n33,CO,\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("topics.xml", "--to", "tsv", "--format", "csv"), ["--to and --format cannot be combined"]),
        (("topics.xml", "--to", "tsv", "--safe-csv"), ["--to and --safe-csv cannot be combined"]),
        (("topics.xml", "--to", "tsv", "--label", "x"), ["--label needs --format"]),
        (("topics.xml", "--only", "202"), ["unknown topic '202'; did you mean '201'? known: 201, 205"]),
        (("topics.xml", "--to", "tsv", "-o", "topics.xml"), ["topics.xml: is an input"]),
        (("qrels",), ["qrels:1: found judgments, expected topics"]),
        (("nothing",), ["nothing: cannot be read"]),
        (
            ("bad.xml",),
            [
                "bad.xml:2: castitle of topic 201, column 20: found 'about', expected one of",
                "bad.xml:3: found topic 201 again (first in line 2)",
            ],
        ),
    ],
)
def test_mistakes(file: Path, excerpt: Excerpt, arguments: tuple[str, ...], said: list[str]) -> None:
    """A line for each, status 2, nothing on standard output."""
    Path("bad.xml").write_text(TOPICS.replace("about(.", "./x about(.").replace("205", "201"))
    done = excerpt("topics", *arguments)
    assert (done.status, done.out) == (2, "")
    lines = done.err.splitlines()
    assert len(lines) == len(said)
    assert all(text in line for text, line in zip(said, lines, strict=True)), lines


def test_ids_that_a_format_cannot_contain(file: Path, excerpt: Excerpt) -> None:
    """The message names the file of the topics."""
    Path("spaced.tsv").write_text("two words\tWho pays?\n")
    done = excerpt("topics", "spaced.tsv", "--to", "trec")
    assert (done.status, done.out) == (2, "")
    assert (
        done.err == "excerpt: spaced.tsv: found topic 'two words', expected an id without spaces for trec\n"
    )


def test_several_files_are_one_list(file: Path, excerpt: Excerpt) -> None:
    """Also files and folders together; an id that two files have is a fault of the second one."""
    more = file.with_name("more.xml")
    more.write_text(TOPICS.replace("201", "301").replace("205", "305"))
    done = excerpt("topics", "topics.xml", "more.xml", "--format", "json")
    assert [topic["id"] for topic in json.loads(done.out)["topics"]] == ["201", "205", "301", "305"]
    twice = excerpt("topics", "more.xml", "topics.xml", "topics.xml")
    assert (twice.status, twice.out) == (2, "")
    assert "topics.xml:2: found topic 201 again (first in topics.xml)" in twice.err
    more.write_text("401\twords\n")
    mixed = excerpt("topics", "topics.xml", "more.xml")
    assert (mixed.status, mixed.err.count("\n")) == (2, 1)
    assert "expected one kind" in mixed.err
