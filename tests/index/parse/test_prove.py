"""Proofs against the parser, on documents that Hypothesis makes up and then spoils."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from excerpt.index import numbers
from excerpt.index.build.batch import IndexedBatch, index_batch
from excerpt.index.build.tree import BatchColumns, Elements, lay_out, pair_tags
from excerpt.index.corpus.entries import LARGE, Entry, FilePart
from excerpt.index.lookup import lower_bound
from excerpt.index.parse import words
from excerpt.index.parse.expat import Malformed, Tags, Tape, scan
from excerpt.index.parse.prove import prove
from excerpt.model import distinct
from excerpt.model.judgments import Unit

_ODD_NAMES = ("é", "日本", "a" * 65)
_SIMPLE_NAMES = (
    "a", "b", "p", "ns:a", "sec-1", "_x", ":y", "eight-ch", "eight-chx", "sixteen-letters-",
    "seventeen-letters", "seventeen-letterz", "x" * 24, "x" * 25,
)  # fmt: skip
_USUAL_NAMES, _NAMES = st.sampled_from(_SIMPLE_NAMES), st.sampled_from((*_SIMPLE_NAMES, *_ODD_NAMES))
#: Sections whose content looks like markup, or like their own end.
SECTIONS = (
    "<!-- c -->", "<!-- é日 -->", "<!---->", '<!-- " -->', "<!-- a > b & <c d='>'> -->", "<!-- </a><a> -->",
    "<!-- <![CDATA[ -->", "<!-- - - -->", "<!-- ]]> ?> -->", "<![CDATA[x]]>", "<![CDATA[]]>",
    "<![CDATA[<b>&amp;</a>]]>", "<![CDATA[é日 > & \" ' ]]]>", "<![CDATA[]]]]>", "<![CDATA[<!-- ]]>",
    "<![CDATA[\r\n\r]]>", "<![CDATA[ ]] > ]]>", "<?pi x?>", "<?pi?>", "<?pi > <b> & ' ?>", "<?p ]]> --> ? ?>",
    "<?xml-x <a>?>",
)  # fmt: skip
_TEXTS = st.sampled_from(
    ["hello ", "\n", "é", "日本語", "\U0001f600", "&amp;", "&lt;", "&#233;", "&#x1F600;", "&#13;", "\r\n",
     "\r", "]]", "]", "\t", " > ", ">", "'", '"', '"quoted"', "\x7f", "\x85", "=", "/", "--", "!", "?",
     "\ufeff", "x" * 70, *SECTIONS]
)  # fmt: skip
_VALUES = st.sampled_from(
    ["", "1", "é", "日 ", "&amp;", "\n", "/", "]]", "--", "=", "'", '"', ">", "a > b", "/>", "]]>",
     "it's > 'x'", 'say "so" >', "x='1'", 'y="2"', "<!-- -->", "?>", ">>", " a='>' "]
)  # fmt: skip
_ATTRIBUTE_NAMES = st.sampled_from(["x", "y", "z", "xml:lang", "xmlns:a"])
_GAPS = st.sampled_from([" ", " ", "\n", "  ", "\t"])
_QUOTES = st.sampled_from('""\'')
_EQUALS = st.sampled_from(["=", "=", " = ", "=\n"])


def _attribute(name: str, gap: str, equals: str, value: str, quote: str) -> str:
    return f"{gap}{name}{equals}{quote}{value}{quote}"


def _usual_attribute(name: str, gap: str, equals: str, value: str, quote: str) -> str:
    """One whose value is a value: neither the quote nor `<` is in it."""
    return _attribute(name, gap, equals, value.replace("<", "").replace(quote, ""), quote)


@st.composite
def _attributes(draw: st.DrawFn, *, usual: bool) -> str:
    names = draw(st.lists(_ATTRIBUTE_NAMES, max_size=4, unique=usual))
    build = _usual_attribute if usual else _attribute
    return "".join(
        build(name, draw(_GAPS), draw(_EQUALS), draw(_VALUES), draw(st.sampled_from('""\'')))
        for name in names
    )


def _element(content: st.SearchStrategy[str], *, usual: bool) -> st.SearchStrategy[str]:
    inner = st.lists(content, max_size=5).map("".join)
    names, attributes = _USUAL_NAMES if usual else _NAMES, st.one_of(st.just(""), _attributes(usual=usual))
    gaps = st.sampled_from(["", "", " "])
    full = st.builds("<{0}{1}{3}>{2}</{0}>".format, names, attributes, inner, gaps)
    return st.one_of(full, full, st.builds("<{}{}{}/>".format, names, attributes, gaps))


def _root(*, usual: bool) -> st.SearchStrategy[str]:
    inner = st.recursive(_TEXTS, lambda inner: st.one_of(_TEXTS, _element(inner, usual=usual)), max_leaves=12)
    return _element(inner, usual=usual)


#: Most of these are proven, whatever is in their values and sections.
_USUAL = st.builds(
    "{}<r>{}</r>{}".format,
    st.sampled_from(["", '<?xml version="1.0"?>\n', "<!-- <a> -->", "<!DOCTYPE a SYSTEM 'x.dtd'>\n"]),
    _root(usual=True),
    st.sampled_from(["", "\n", "<!-- </a> -->", "<?pi?>"]),
).map(str.encode)
_PROLOGS = st.sampled_from(
    ["", "", "", '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="UTF-8"?>', "\n", "<!-- c -->",
     "<?xml version='1.0' encoding='us-ascii'?>", '<?xml version="1.0" encoding="ISO-8859-1"?>', "\ufeff",
     "<!DOCTYPE a SYSTEM 'x.dtd'>\n", '<!DOCTYPE a [<!ENTITY foo "bar">]>', "<!-- é -->", "x", "&amp;"]
)  # fmt: skip
_EPILOGS = st.sampled_from(["", "", "\n", "<!-- end -->", "<!-- end --->", "<?pi?>", "x", "é", "<b></b>"])
_GOOD = st.builds("{}{}{}".format, _PROLOGS, _root(usual=False), _EPILOGS).map(str.encode)

NASTY = [
    b"]]>", b"--", b"<!--", b"<!--->", b"<!-- -- -->", b"<!-- x --->", b"&#0;", b"&#xD800;", b"&#x110000;",
    b"&#xFFFE;", b"&#8;", b"&#x;", b"&;", b"&", b"&amp", b"& amp;", b"&foo;", b"&#00000065;", b"&#x00000041;",
    b"<a b='1' b=\"2\">", b'<a b="1" b="2"/>', b"<a b=1>", b"<a/ >", b"</a x>", b"</a >", b"<1a>", b"< a>",
    b"<>", b"</>", b"< />", b"<a//>", b"<a  />", b'<a b="1"c="2"/>', b'<a b="<"/>', b'<a b=">"/>',
    b"<a b='\"' c='\"' d=\"1\"/>", b'<a b="&"/>', b'<a b="/>', b'<a "/>', b'<a ""/>', b'<a =""/>',
    b'<a b==""/>', b'<a b""/>', b'<a b="1" "2"/>', b"\xc0\xaf", b"\xed\xa0\x80", b"\xef\xbf\xbe",
    b"\xef\xbf\xbf", b"\xef\xbb\xbf", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xe9", b"\0", b"\x08", b"\x0b",
    b"\x0c", b"\x0e", b"\x1f", b"<?xml version='1.0'?>", b"<?pi?>", b"<?", b"<!", b"<!DOCTYPE a>",
    b"<![CDATA[", b"<a>", b"</a>", b"<", b">", b'"', b"'", b"<\xe2\x80\x93a x?>", b"<\xe2\x80\x93>",
    b"<!-- <", b"-->", b"<![CDATA[<", b"<![CDATA[]]", b"]]><![CDATA[", b"<?p <", b"?>", b"<?p", b"<?<",
    b"<?a<b?>",
    b"<a b='>' c=\">\">", b"<a b='>", b'<a b="\'>', b"<a b='\"' c=\">\"'/>", b"<a b='1\" c=\"2'/>",
    b"<a b='1'c=\"2\"/>", b"<a b='>' b=\">\"/>", b'<a b=">" <b/>', b"<a '>'/>", b"<a b='<!-- -->'/>",
    b"<!-- <!-- -->", b"<!DOCTYPE a [",
    b'<a x\xe2\x80\x93="1"/>', b"&a\xe2\x80\x93;", b"</p><p>", b"</p></p><p><p>",
]  # fmt: skip


@st.composite
def _spoilt(draw: st.DrawFn) -> bytes:
    document = draw(st.one_of(_USUAL, _GOOD))
    for _ in range(draw(st.integers(0, 2))):
        at = draw(st.integers(0, len(document)))
        stop = at + draw(st.integers(0, 3))
        new = draw(st.one_of(st.sampled_from(NASTY), st.binary(max_size=1), st.just(document[at:stop] * 2)))
        document = document[:at] + new + document[stop if draw(st.booleans()) else at :]
    return document


_BATCHES = st.lists(st.one_of(_USUAL, _GOOD, _spoilt()), min_size=1, max_size=6)
_UNITS = st.sampled_from(["char", "char", "byte"])


def _parsed(documents: Sequence[bytes], unit: Unit) -> tuple[Tape, list[int], list[tuple[int, int, str]]]:
    """The events of what the parser accepts, and the line and message of what it does not."""
    tape, good, broken = Tape(Tags()), [], []
    for number, document in enumerate(documents):
        try:
            scan((document,), tape, unit=unit)
            good.append(number)
        except Malformed as error:
            broken.append((number, error.line, error.message))
    return tape, good, broken


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
    tape, good, broken = _parsed([documents[number] for number in proven.documents], unit)
    assert (broken, len(good)) == ([], len(proven.documents))
    expected = pair_tags(tape.events())
    assert _readable(proven.elements, [name.decode() for name in proven.names]) == _readable(
        expected, list(tape.tags)
    )
    assert proven.elements.by_level.tolist() == expected.by_level.tolist()
    return proven.documents


def _spans(rows: BatchColumns, tags: Sequence[str]) -> list[list[tuple[object, ...]]]:
    """For every document its groups, with names in place of numbers."""
    paths: list[str] = []
    for parent, tag in zip(rows.path_parent.tolist(), rows.path_tag.tolist(), strict=True):
        paths.append((paths[parent] if parent >= 0 else "") + "/" + tags[tag])
    groups = np.cumsum([0, *rows.document_groups.tolist()]).tolist()
    firsts = np.cumsum([0, *rows.document_elements.tolist()]).tolist()
    documents = []
    for (low, high), first in zip(pairwise(groups), firsts, strict=False):
        found: list[tuple[object, ...]] = []
        for group in range(low, high):
            begin = first + rows.group_first[group]
            place = slice(begin, begin + rows.group_count[group])
            parent = paths[rows.group_path[low + rows.group_parent[group]]]
            numbers = [column[place].tolist() for column in (rows.parent, rows.start, rows.end)]
            found.append((paths[rows.group_path[group]], parent, *numbers))
        documents.append(sorted(found, key=str))
    return documents


def _index(documents: Sequence[bytes], unit: Unit = "char") -> IndexedBatch:
    return index_batch([Entry(str(n), str(n), len(d), d, 0) for n, d in enumerate(documents)], unit)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=_BATCHES, unit=_UNITS)
def test_what_is_proven_is_what_the_parser_finds(documents: list[bytes], unit: Unit) -> None:
    """Nothing is proven that the parser refuses, and names, spans and levels are the parser's."""
    _is_right(documents, unit)


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=_BATCHES, unit=_UNITS)
def test_whole_batches_are_what_the_parser_finds(documents: list[bytes], unit: Unit) -> None:
    """Whichever way a document goes: verdict, line, message and every column are those of the parser."""
    batch = _index(documents, unit)
    tape, good, broken = _parsed(documents, unit)
    assert [(int(b.document), b.line, b.message) for b in batch.broken] == broken
    assert [int(name) for name in batch.ids] == good
    assert (batch.columns is None) == (not good)
    if batch.columns is not None:
        expected = lay_out(pair_tags(tape.events()), np.arange(len(good)))
        assert _spans(batch.columns, batch.tags) == _spans(expected, list(tape.tags))
        assert batch.columns.document_size.tolist() == expected.document_size.tolist()


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


def test_tags_are_numbered_by_appearance() -> None:
    """The numbers of tags do not tell which documents were proven; those of the handlers come first."""
    documents = [b"<a><b></b></a>", b"<c d='1'></c>", b"<e><a/></e>", b"<![CDATA[", b"<f><?p?></f>"]
    assert _index(documents).tags == ["a", "b", "c", "e", "f"]
    assert _index([*documents, b"<t><u/></t >"]).tags == ["t", "u", "a", "b", "c", "e", "f"]


def test_a_large_document_among_others(tmp_path: Path) -> None:
    """A document that comes in pieces is read in its turn."""
    large = b"<l>" + b"x" * LARGE + b"</l>"
    (tmp_path / "l.xml").write_bytes(large)
    small = [Entry(name, name, 9, f"<{name}>x</{name}>".encode(), 0) for name in ("s", "t")]
    part = FilePart(str(tmp_path / "l.xml"))
    batch = index_batch([small[0], Entry("l", "l", len(large), part, 0), small[1]], "char")
    assert batch.columns is not None
    assert (batch.ids, batch.tags) == (["s", "l", "t"], ["l", "s", "t"])
    assert batch.columns.document_size.tolist() == [1, LARGE, 1]
    assert [name for name, _ in batch.digests] == ["s", "l", "t"]


@pytest.mark.parametrize("size", [0, 3, 11, 12, 13, 500, 2 * LARGE])
def test_a_file_of_another_size(tmp_path: Path, size: int) -> None:
    """A file that grew or shrank since it was found is read to its end."""
    (tmp_path / "a.xml").write_bytes(b"<a>seven</a>")
    batch = index_batch([Entry("a", "a", size, FilePart(str(tmp_path / "a.xml")), 0)], "char")
    assert batch.columns is not None
    assert batch.columns.document_size.tolist() == [5]


def test_an_instruction_that_looks_like_a_declaration() -> None:
    """`<?xml-stylesheet` may hold anything, tags too."""
    batch = _index([b"<?xml-stylesheet x=\"<b></c><\"?>\n<a x='1'>yz</a>"])
    assert (batch.broken, batch.tags) == ([], ["a"])


_PIECES = st.binary(max_size=words.LONGEST).map(lambda piece: piece.replace(b"\0", b"x"))


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(_PIECES, max_size=40), copies=st.integers(1, 3))
@pytest.mark.parametrize("factors", [distinct._MULTIPLIERS, (0, 0)])
def test_equal_pieces_have_equal_numbers(factors: tuple[int, ...], pieces: list[bytes], copies: int) -> None:
    """Numbers are those of a dictionary, even where all pieces share one slot of the table."""
    pieces = pieces * copies
    data = b"".join((*pieces, words.PADDING))
    length = np.array([len(piece) for piece in pieces], np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_MULTIPLIERS", factors)
        patch.setattr(distinct, "_FEW", 0)
        number, first = words.number_pieces(data, np.cumsum(length) - length, length)
    known: dict[bytes, int] = {}
    assert number.tolist() == [known.setdefault(piece, len(known)) for piece in pieces]
    assert first.tolist() == [pieces.index(piece) for piece in known]


@settings(max_examples=100, deadline=None)
@given(pieces=st.lists(_PIECES.filter(len), min_size=1, max_size=9), spoil=st.integers(0, words.LONGEST - 1))
def test_pieces_are_compared_to_their_last_byte(pieces: list[bytes], spoil: int) -> None:
    """A piece is itself, and no longer so with another byte anywhere in it."""
    length = np.array([len(piece) for piece in pieces])
    which, begin = np.arange(len(pieces)), np.cumsum(length) - length
    others = [
        piece[:spoil] + b"\xff" + piece[spoil + 1 :] if spoil < len(piece) else piece for piece in pieces
    ]
    for texts in (pieces, others):
        found = words.are(words.words_of(b"".join((*texts, words.PADDING))), begin, length, pieces, which)
        assert found.tolist() == [text == piece for text, piece in zip(texts, pieces, strict=True)]


@settings(max_examples=200, deadline=None)
@given(
    values=st.lists(st.sampled_from([0, 1, 2**8, 2**16 - 1, 2**16, 2**16 + 1, 2**32 - 1, 2**32, 2**40])),
    largest=st.sampled_from([2**8, 2**16, 2**32, 2**41]),
)
def test_rows_are_sorted_by_numbers_of_any_size(values: list[int], largest: int) -> None:
    """Equal numbers stay in their order, whichever way they are sorted."""
    values = [value for value in values if value < largest]
    expected = sorted(range(len(values)), key=values.__getitem__)
    assert numbers.stable_order(np.array(values, np.int64)).tolist() == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 9), max_size=12), st.integers(-1, 11)), max_size=20))
def test_bisection_in_slices(queries: list[tuple[list[int], int]]) -> None:
    """The first number of each slice that is not below what is asked for, as the library finds it."""
    slices = [sorted(numbers) for numbers, _ in queries]
    counts = np.array([len(numbers) for numbers in slices], np.int64)
    ends = np.cumsum(counts)
    begins = ends - counts
    column = np.array([number for numbers in slices for number in numbers], np.int64)
    found = lower_bound(column, begins, ends, np.array([value for _, value in queries], np.int64))
    expected = [bisect_left(numbers, value) for numbers, (_, value) in zip(slices, queries, strict=True)]
    assert (found - begins).tolist() == expected
