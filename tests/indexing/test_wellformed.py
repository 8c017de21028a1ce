"""Proofs against the parser, on documents that Hypothesis makes up and then spoils."""

from __future__ import annotations

import pyexpat
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.index_documents import BATCHES, NASTY, SECTIONS, UNITS, parse_documents

import excerpt
from excerpt.indexing import wellformed
from excerpt.indexing.wellformed import (
    Doubtful,
    JoinedText,
    StartTags,
    end_of_section,
    find_markup,
    is_epilog,
    is_prolog,
    prove,
    read_reference,
    select_outside,
)
from excerpt.model import spans
from excerpt.model.judgments import OffsetUnit
from excerpt.parse.text import scan_text
from excerpt.parse.tree import ElementColumns, Tags, Tape, pair_tags


def _readable(found: ElementColumns, names: Sequence[str]) -> list[tuple[str, int, int, int]]:
    roots = np.flatnonzero(found.level == 0)
    begin = np.repeat(found.start[roots], np.diff(roots, append=len(found.level)))
    start, end = (found.start - begin).tolist(), (found.end - begin).tolist()
    return list(zip([names[tag] for tag in found.tag], start, end, found.level.tolist(), strict=True))


def _is_right(documents: list[bytes], unit: OffsetUnit) -> list[int]:
    """Compare what is proven, and its text, with the parser; returns which documents are."""
    proven = prove(documents, unit, keep_text=True)
    if proven is None:
        return []
    texts = [scan_text((documents[number],), Tape(Tags()), unit=unit) for number in proven.documents]
    assert [(0, text.decode()) for text in proven.texts] == texts
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
def test_what_is_proven_is_what_the_parser_finds(documents: list[bytes], unit: OffsetUnit) -> None:
    """Nothing is proven that the parser refuses, and names, spans and levels are the parser's."""
    _is_right(documents, unit)


@pytest.mark.parametrize(("unit", "step"), [("char", 1), ("byte", 7)])
@pytest.mark.parametrize("nasty", NASTY)
def test_nasty_pieces(nasty: bytes, unit: OffsetUnit, step: int) -> None:
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
        "<a>&lt;&#9;&#xA;&#13;&#x7f;&#x80;&#x7FF;&#x800;&#xFFFD;&#65536;&#62;&gt;<b/>&amp;lt;</a>",
        "\r\n\r<a x='&#10;é'>\r\n1\r2\n<![CDATA[\r\n&amp;\r]]>\r</a>\r\n",
        '<x:a xmlns:x="urn:é" x:b=\'"é" > &quot;\'>é<x:b>日<x:c/>\U0001f600</x:b>&apos;</x:a>',
        '<!DOCTYPE a PUBLIC "p" "s.dtd">\n<?p e?><a>é<!-- é日 --><?p é > ?>日<![CDATA[\U0001f600]]>é</a>',
    ],
)
def test_the_usual_is_proven(document: str) -> None:
    """Usual markup needs no parser."""
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
    """Return whether the parser accepts it."""
    try:
        pyexpat.ParserCreate().Parse(document, True)
    except pyexpat.ExpatError:
        return False
    return True


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        (b"amp", "char", "&"),
        (b"amp", "byte", "&"),
        (b"#233", "char", "é"),
        (b"#233", "byte", ""),
        (b"#x1F", "char", ""),
        (b"#xD800", "char", ""),
        (b"#0", "char", ""),
        (b"#9", "char", "\t"),
        (b"#", "char", ""),
        (b"eacute", "char", ""),
    ],
)
def test_references(name: bytes, unit: OffsetUnit, expected: str) -> None:
    """Length of a reference, and its character if it is one of XML."""
    assert read_reference(int.from_bytes(name, "little"), unit) == (len(name) + 2, expected.encode())


@pytest.mark.parametrize(
    "piece", [b"", b"\n", b"<!-- c -->", b"<!-- -- -->", b"x", b"<?p?>", b"<!DOCTYPE a>", b"\xff", b"<b/>"]
)
def test_what_stands_around_a_root(piece: bytes) -> None:
    """It is accepted only if the parser accepts it."""
    assert not is_prolog(piece, "char") or accepts(piece + b"<a/>")
    assert not is_epilog(piece) or accepts(b"<a/>" + piece)
    assert is_prolog(b"<!-- c -->\n", "char")
    assert is_epilog(b"<!-- c -->\n")


def test_doubts_belong_to_documents() -> None:
    """A position gives its document, also at the very edges."""
    joined = JoinedText([b"ab", b"c", b"def"])
    assert joined.documents_at(np.array([0, 1, 2, 3, 5])).tolist() == [0, 0, 1, 2, 2]
    joined.require_no_doubts()
    joined.doubt(np.array([2], np.int64))
    with pytest.raises(Doubtful) as caught:
        joined.require_no_doubts()
    assert caught.value.documents.tolist() == [False, True, False]


@given(
    places=st.sets(st.integers(0, 40)),
    cuts=st.lists(st.integers(0, 40), max_size=8, unique=True).filter(lambda cuts: len(cuts) % 2 == 0),
)
def test_places_outside_of_ranges(places: set[int], cuts: list[int]) -> None:
    """Those that are in no range, in order."""
    ranges = sorted(cuts)
    begin, end = np.array(ranges[::2], np.int64), np.array(ranges[1::2], np.int64)
    found = select_outside(np.array(sorted(places), np.int64), begin, end)
    inside = {place for low, high in zip(begin, end, strict=True) for place in range(low, high)}
    assert found.tolist() == sorted(places - inside)


_PIECES = st.binary(max_size=wellformed.LONGEST).map(lambda piece: piece.replace(b"\0", b"x"))


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(_PIECES, max_size=40), copies=st.integers(1, 3))
@pytest.mark.parametrize("factors", [spans._MULTIPLIERS, (0, 0)])
def test_equal_pieces_have_equal_numbers(factors: tuple[int, ...], pieces: list[bytes], copies: int) -> None:
    """Numbers are those of a dictionary, even where all pieces share one slot of the table."""
    pieces = pieces * copies
    data = b"".join((*pieces, wellformed.PADDING))
    length = np.array([len(piece) for piece in pieces], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "_MULTIPLIERS", factors)
        patch.setattr(spans, "_FEW", 0)
        number, first = wellformed.number_pieces(data, np.cumsum(length) - length, length)
    known: dict[bytes, int] = {}
    assert number.tolist() == [known.setdefault(piece, len(known)) for piece in pieces]
    assert first.tolist() == [pieces.index(piece) for piece in known]


@settings(max_examples=100, deadline=None)
@given(
    pieces=st.lists(_PIECES.filter(len), min_size=1, max_size=9),
    spoil=st.integers(0, wellformed.LONGEST - 1),
)
def test_pieces_are_compared_to_their_last_byte(pieces: list[bytes], spoil: int) -> None:
    """A piece is itself, and no longer so with another byte anywhere in it."""
    length = np.array([len(piece) for piece in pieces])
    which, begin = np.arange(len(pieces)), np.cumsum(length) - length
    others = [
        piece[:spoil] + b"\xff" + piece[spoil + 1 :] if spoil < len(piece) else piece for piece in pieces
    ]
    for texts in (pieces, others):
        found = wellformed.are_equal(
            wellformed.words_of(b"".join((*texts, wellformed.PADDING))), begin, length, pieces, which
        )
        assert found.tolist() == [text == piece for text, piece in zip(texts, pieces, strict=True)]


@pytest.mark.parametrize(
    ("piece", "expected"), [(b"amp;xxxx", b"amp"), (b";amp;amp", b""), (b"#x1F600;", b"#x1F600")]
)
def test_a_word_is_cut_at_the_first_mark(piece: bytes, expected: bytes) -> None:
    """Text after the first semicolon is removed."""
    found, has_none = wellformed.cut(wellformed.words_of(piece), b";")
    assert int(found[0]).to_bytes(8, "little").rstrip(b"\0") == expected
    assert not has_none[0]
    assert wellformed.cut(wellformed.words_of(b"no marks"), b";")[1].tolist() == [True]


def found(*documents: str) -> list[str]:
    """Everything that is taken for markup."""
    joined = JoinedText([document.encode() for document in documents])
    markup = find_markup(joined)
    places = zip(markup.opens.tolist(), markup.closes.tolist(), strict=True)
    return [joined.data[low : high + 1].decode() for low, high in places]


@pytest.mark.parametrize(
    "pieces",
    [
        ["<a>", "1 > 0 >", "</a>"],
        ["<a b='>'>", "</a>"],
        ["<a b='>' c=\"x > y\">", ">>", "<b d='/>'/>", "</a>"],
        ["<a>", "<!-- <b> > -->", "x", "<![CDATA[<b>]]>", ">", "<?p <b> ?>", "</a>"],
        ["<!-- <a> -->", "<a>", "</a>", "<!-- </a> -->"],
        ["<a>", "<![CDATA[]]]]>", "</a>"],
    ],
)
def test_markup_is_known_by_place(pieces: list[str]) -> None:
    """Brackets in sections, values and text are none of it, in this document or in its neighbours."""
    document = "".join(pieces)
    expected = [piece for piece in pieces if piece.startswith("<")]
    assert found(document) == expected
    assert found("<x></x>", document, "<y></y>") == ["<x>", "</x>", *expected, "<y>", "</y>"]


@pytest.mark.parametrize(
    "document",
    [
        "",
        "text",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a><!-- </a>",
        "<a><![CDATA[</a>",
        "<a><?p</a>",
        "<a",
        "<a><b</a>",
        ">",
        "<a></a><",
        "<a><?xml?></a>",
    ],
)
def test_brackets_that_do_not_fit_are_doubtful(document: str) -> None:
    """Only the document that has them, not its neighbours."""
    with pytest.raises(Doubtful) as caught:
        found("<x></x>", document, "<y></y>")
    assert caught.value.documents.tolist() == [False, True, False]


_MARKUP_PIECES = st.lists(
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
@given(_MARKUP_PIECES)
def test_a_section_is_one_for_the_parser_too(pieces: bytes) -> None:
    """Text that ends at the given end is accepted between two tags, and makes no element."""
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


def names(document: str) -> list[str]:
    """The names of the start tags, in order."""
    joined = JoinedText([document.encode()])
    quotes = np.flatnonzero((joined.text == ord("'")) | (joined.text == ord('"')))
    tags = StartTags(joined, find_markup(joined), quotes)
    joined.require_no_doubts()
    return [tags.names[code].decode() for code in tags.codes.tolist()]


@pytest.mark.parametrize(
    "tag",
    [
        "a",
        "a ",
        "a b='1'",
        'a b="1" c="2" d="3"',
        "a b='1' c=\"2\"",
        "a b='\"' c=\"'\"",
        'a b="it\'s"',
        "a\nb = ''",
        "a b='x=\"1\"' c=\"y='2'\" d=''",
    ],
)
def test_good_tags(tag: str) -> None:
    """Values in quotes of either kind, with quotes of the other kind in them."""
    assert names(f"it's <x><{tag}>\"</a><{tag}/></x>") == ["x", "a", "a"]


@pytest.mark.parametrize(
    "tag",
    [
        "a b",
        "a b=1",
        "a b='1",
        "a b='1'c='2'",
        "a b='1' b=\"2\"",
        "a b='1' c='2' b='3'",
        "a 'b'",
        "a ='b'",
        "1a",
        "",
        " a",
        "a b='1' '2'",
        "a b=\"1'",
        "a b='1''2'",
        f"{'a' * 65}",
        "é",
    ],
)
def test_doubtful_tags(tag: str) -> None:
    """Whatever is wrong with a tag, or only unusual, is a doubt."""
    with pytest.raises(Doubtful):
        names(f"<x><{tag}></x>")
