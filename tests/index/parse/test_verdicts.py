"""Verdicts: a yes is never wrong."""

from __future__ import annotations

import pyexpat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_documents import SECTIONS

from excerpt.index.parse.verdicts import end_of_section, is_epilog, is_prolog, reference_excess
from excerpt.model.judgments import Unit


def accepts(document: bytes) -> bool:
    """Whether the parser does."""
    try:
        pyexpat.ParserCreate().Parse(document, True)
    except pyexpat.ExpatError:
        return False
    return True


_PIECES = st.lists(
    st.sampled_from(
        [
            b"<!--",
            b"-->",
            b"--",
            b"-",
            b">",
            b"<![CDATA[",
            b"]]>",
            b"]",
            b"<?",
            b"?>",
            b"p",
            b" ",
            b"xml",
            b"<a/>",
        ]
    ),
    max_size=9,
).map(b"".join)


@settings(max_examples=300)
@given(_PIECES)
def test_a_section_is_one_for_the_parser_too(pieces: bytes) -> None:
    """What ends where the answer says is accepted between two tags, and stands for no element."""
    end = end_of_section(pieces, 0, len(pieces))
    if end:
        elements: list[str] = []
        parser = pyexpat.ParserCreate()
        parser.StartElementHandler = lambda name, _: elements.append(name)
        parser.Parse(b"<r>" + pieces[:end] + b"</r>", True)
        assert elements == ["r"]


@pytest.mark.parametrize("section", SECTIONS)
def test_sections_end_where_they_end(section: str) -> None:
    """Whatever follows; and not where the limit comes before."""
    data = section.encode()
    assert end_of_section(data + b"-->]]>?>", 0, len(data) + 8) == len(data)
    assert end_of_section(data, 0, len(data) - 1) == 0


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        (b"amp", "char", 4),
        (b"amp", "byte", 4),
        (b"#233", "char", 5),
        (b"#233", "byte", 0),
        (b"#x1F", "char", 0),
        (b"#xD800", "char", 0),
        (b"#0", "char", 0),
        (b"#9", "char", 3),
        (b"#", "char", 0),
        (b"eacute", "char", 0),
    ],
)
def test_references(name: bytes, unit: Unit, expected: int) -> None:
    """How much longer than one character, if the character is one of XML."""
    assert reference_excess(int.from_bytes(name, "little"), unit) == expected


@pytest.mark.parametrize(
    "piece", [b"", b"\n", b"<!-- c -->", b"<!-- -- -->", b"x", b"<?p?>", b"<!DOCTYPE a>", b"\xff", b"<b/>"]
)
def test_what_stands_around_a_root(piece: bytes) -> None:
    """It is accepted only if the parser accepts it."""
    assert not is_prolog(piece, "char") or accepts(piece + b"<a/>")
    assert not is_epilog(piece) or accepts(b"<a/>" + piece)
    assert is_prolog(b"<!-- c -->\n", "char")
    assert is_epilog(b"<!-- c -->\n")
