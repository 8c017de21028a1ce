"""Reading XML safely: no other file is opened, entities cannot blow up, every fault has its line."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from excerpt.checking.validation import check
from excerpt.formats.source import Source
from excerpt.inex import submissions, xml_events

Open = Callable[..., Source]


def submission(document: str, doctype: str = "") -> str:
    """A submission with one result, its document on line 3."""
    result = f"<result>\n<file>{document}</file><path>/a[1]</path></result>"
    return f"{doctype}<inex-submission run-id='r'>\n<topic topic-id='1'>{result}</topic></inex-submission>"


def test_an_external_entity_is_not_opened(opened: Open, tmp_path: Path) -> None:
    """The other file is named in a fault and its content is nowhere."""
    secret = tmp_path / "secret"
    secret.write_text("SECRET", encoding="utf-8")
    doctype = f"<!DOCTYPE x [<!ENTITY other SYSTEM '{secret.as_uri()}'>]>"
    source = opened(submission("A&other;", doctype), keep=True)
    run = submissions.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        f"f:3: found a reference to another file ({secret.as_uri()}), expected all text in this file"
    ]
    assert [result.document for result in run] == ["A"]


def test_an_external_dtd_is_not_opened(opened: Open, tmp_path: Path) -> None:
    """A document type elsewhere is ignored; entities that only it may declare are faults."""
    dtd = tmp_path / "x.dtd"
    dtd.write_text("<!ENTITY known 'B'>", encoding="utf-8")
    doctype = f"<!DOCTYPE inex-submission SYSTEM '{dtd.as_uri()}'>"
    assert submissions.read(opened(submission("A", doctype)))[0].document == "A"
    source = opened(submission("A&known;", doctype), keep=True)
    submissions.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        "f:3: found entity &known;, expected an entity that the file declares"
    ]


def test_a_bomb_of_entities_is_refused(opened: Open) -> None:
    """Ten levels of ten references are 10**10 characters; expat stops long before."""
    levels = "".join(f"<!ENTITY e{n} '{f'&e{n - 1};' * 10}'>" for n in range(1, 11))
    doctype = f"<!DOCTYPE x [<!ENTITY e0 'ten letter'>{levels}]>"
    source = opened(submission("&e10;", doctype), keep=True)
    submissions.read(source)
    assert [fault.line for fault in source.faults.found] == [3]
    assert "limit on input amplification factor" in source.faults.found[0].message


def test_an_old_expat_reads_no_entities(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an old expat, files that declare entities are rejected."""
    monkeypatch.setattr("pyexpat.version_info", (2, 4, 0))
    source = opened(submission("&a;", "<!DOCTYPE x [<!ENTITY a 'A'>]>"), keep=True)
    assert len(submissions.read(source)) == 0
    assert [fault.line for fault in source.faults.found] == [1]
    assert "entities are not read with expat" in source.faults.found[0].message
    assert len(submissions.read(opened(submission("A")))) == 1


def test_entities_of_the_file_are_read(opened: Open) -> None:
    """An internal document type may declare entities, also those that every XML file has."""
    doctype = "<!DOCTYPE x [<!ENTITY lt '&#38;#60;'><!ENTITY who 'A'>]>"
    assert submissions.read(opened(submission("&who;&lt;&#x42;", doctype)))[0].document == "A<B"


@pytest.mark.parametrize(("encoding", "said"), [("klingon", "unknown encoding"), ("utf-7", "not supported")])
def test_unknown_encodings(opened: Open, encoding: str, said: str) -> None:
    """An unsupported encoding is a fault of the first line."""
    source = opened(f"<?xml version='1.0' encoding='{encoding}'?>" + submission("A"), keep=True)
    submissions.read(source)
    assert [fault.line for fault in source.faults.found] == [1]
    assert said in str(source.faults.found[0])


def test_bytes_that_are_not_utf8(opened: Open) -> None:
    """The line of the bad byte is named."""
    source = opened(submission("A").encode().replace(b"A", b"\xff"), keep=True)
    submissions.read(source)
    assert [str(fault) for fault in source.faults.found] == [
        "f:3: found XML that is broken here (not well-formed (invalid token)), expected well-formed XML"
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(opened: Open, end: str) -> None:
    """Lines are counted alike whatever ends them."""
    assert submissions.read(opened(submission("A").replace("\n", end))).line.tolist() == [2]


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("<a/>", "a"),
        ("\ufeff<?xml version='1.0'?><!-- <b> --><!DOCTYPE c [<!ELEMENT d ANY>]><e x='1'>", "e"),
        ("<!-- only a comment -->", ""),
        ("<?xml version='1.0' encoding='klingon'?><a/>", ""),
        ("<", ""),
        ("a <b>", ""),
        ("", ""),
    ],
)
def test_root_name(opened: Open, text: str, root: str) -> None:
    """The first element counts, not what looks like one."""
    assert xml_events.root_name(opened(text)) == root


def test_long_text_comes_in_one_piece(opened: Open) -> None:
    """Text longer than expat's buffer, and text around an entity, is put together."""
    document = "x" * 100_000 + "&amp;" + "y" * 100_000
    assert submissions.read(opened(submission(document)))[0].document == document.replace("&amp;", "&")


def test_default_attributes_are_limited(opened: Open) -> None:
    """Declared defaults that every element would get are refused, many short ones and a few long ones."""
    for declared in (
        " ".join(f"a{number} CDATA 'x'" for number in range(1000)),
        f"a CDATA '{'x' * 100_000}'",
    ):
        doctype = f"<!DOCTYPE inex-submission [<!ATTLIST result {declared}>]>"
        source = opened(submission("A", doctype), keep=True)
        submissions.read(source)
        assert [fault.message for fault in source.faults.found] == [
            "found too many default attributes of <result>, expected up to 32"
        ]
    source = opened(submission("A", "<!DOCTYPE x [<!ATTLIST result a CDATA 'x' b CDATA #IMPLIED>]>"))
    assert len(submissions.read(source)) == 1


def test_limits_hold_for_streams_too() -> None:
    """Entities that blow up are refused wherever the bytes come from."""
    entities = "".join(f"<!ENTITY e{n + 1} '{f'&e{n};' * 10}'>" for n in range(9))
    bomb = f"<!DOCTYPE x [<!ENTITY e0 'xxxxxxxxxx'>{entities}]>"
    found = check(io.BytesIO(submission("&e9;", bomb).encode()))
    assert [fault.path for fault in found.faults] == ["<stream>"]
    assert "expected well-formed XML" in found.faults[0].message or "entities" in found.faults[0].message
