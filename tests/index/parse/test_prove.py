"""Proofs against the parser, on documents that Hypothesis makes up and then spoils."""

from __future__ import annotations

import pyexpat
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from index_documents import BATCHES, NASTY, UNITS, parse_documents

import excerpt
from excerpt.index.build.tree import Elements, pair_tags
from excerpt.index.parse.prove import is_epilog, is_prolog, prove, reference_excess
from excerpt.model.judgments import Unit


def _readable(found: Elements, names: Sequence[str]) -> list[tuple[str, int, int, int]]:
    roots = np.flatnonzero(found.level == 0)
    begin = np.repeat(found.start[roots], np.diff(roots, append=len(found.level)))
    start, end = (found.start - begin).tolist(), (found.end - begin).tolist()
    return list(zip([names[tag] for tag in found.tag], start, end, found.level.tolist(), strict=True))


def _is_right(documents: list[bytes], unit: Unit) -> list[int]:
    """Compare what is proven with the parser; returns which documents are."""
    proven = prove(documents, unit)
    if proven is None:
        return []
    tape, good, broken = parse_documents([documents[number] for number in proven.documents], unit)
    assert (broken, len(good)) == ([], len(proven.documents))
    expected = pair_tags(tape.events())
    assert _readable(proven.elements, [name.decode() for name in proven.names]) == _readable(
        expected, list(tape.tags)
    )
    assert proven.elements.by_level.tolist() == expected.by_level.tolist()
    return proven.documents


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=BATCHES, unit=UNITS)
def test_what_is_proven_is_what_the_parser_finds(documents: list[bytes], unit: Unit) -> None:
    """Nothing is proven that the parser refuses, and names, spans and levels are the parser's."""
    _is_right(documents, unit)


@pytest.mark.parametrize(("unit", "step"), [("char", 1), ("byte", 7)])
@pytest.mark.parametrize("nasty", NASTY)
def test_nasty_pieces(nasty: bytes, unit: Unit, step: int) -> None:
    """Wherever a piece is put: right or doubtful, and its neighbours are proven all the same."""
    good = '<?xml version="1.0"?>\n<p x="1" y="é">té&amp;xt<a>日</a><a/></p>\n'.encode()
    for at in range(0, len(good) + 1, step):
        proven = _is_right([good, good[:at] + nasty + good[at:], good], unit)
        assert {0, 2} <= {*proven}, at


@pytest.mark.parametrize(
    "document",
    [
        "<a></a>",
        '<?xml version="1.0" encoding="utf-8" standalone="yes"?>\n<!-- c -->\n<a>\n</a>\n<!-- d -->\n',
        '<!DOCTYPE article SYSTEM "../article.dtd">\r\n<article>\r\n</article>\r\n',
        '<a>1 > 0, -- ]] and "so" it\'s = / ! ? \ufeff</a>',
        "<a>&amp;&lt;&gt;&quot;&apos;&#233;&#xE9;&#x1F600;</a>",
        '<a x="1" y = "&lt;\n\'" ><b/><b z=""/><b /></a>',
        "<a><!-- é -->日本<!----><?page?><?page 1 ? é日?></a>",
        "<a x='1' y = '\"' ><b/><b z=''/><b x=\"'\"/></a>",
        f"<{'x' * 60}><{'x' * 61}></{'x' * 61}></{'x' * 60}>",
        "<a>" * 10_000 + "</a>" * 10_000,
        f"<a>{'<b/>' * 20_000}</a>",
        "<a b='1' c=\"2\"></a>",
        "<a b='\"' c=\"'\" d='it' e=\"'\"></a>",
        "<a b='>' c=\"a > b\">1 > 0<b x='/>'/></a>",
        '<a x="]]>"><b y=">>"/>></a>',
        "<a><!-- <b> & 'c' --></a>",
        "<!-- <b> --><a></a><!-- </b> -->",
        "<a><![CDATA[<b> & ]] > é日]]>x<![CDATA[]]>&amp;<b></b></a>",
        "<a><?p <b> > ?><b></b></a>",
    ],
)
def test_the_usual_is_proven(document: str) -> None:
    """What most documents are made of needs no parser."""
    assert _is_right([document.encode()], "char") == [0]


@pytest.mark.parametrize(
    "document",
    ["<é></é>", "<a></a >", "<a/>", "<a>&foo;</a>", "<a>\x01</a>", "\ufeff<a></a>", "<!DOCTYPE a [ ]><a></a>",
     "<a>" * 10_001 + "</a>" * 10_001, "<a>" * 10_000 + "<b/>" + "</a>" * 10_000],
)  # fmt: skip
def test_the_unusual_is_doubtful(document: str) -> None:
    """The parser reads what is not usual, broken or not."""
    assert prove([document.encode()], "char") is None


def test_proofs_have_one_door() -> None:
    """Nothing outside uses what is behind `prove`, so it may go without a trace."""
    behind = {"joined_text", "markup", "start_tags"}
    package = Path(excerpt.__file__).parent
    for path in package.rglob("*.py"):
        used = set(re.findall(r"from excerpt\.index\.parse\.(\w+) import", path.read_text(encoding="utf-8")))
        if path.stem not in {*behind, "prove"}:
            assert not used & behind, path


def accepts(document: bytes) -> bool:
    """Whether the parser does."""
    try:
        pyexpat.ParserCreate().Parse(document, True)
    except pyexpat.ExpatError:
        return False
    return True


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
