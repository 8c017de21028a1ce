"""Documents for the tests of indexing: usual ones, odd ones and spoilt ones; and what the parser finds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st

from excerpt.documents.entry import Entry
from excerpt.indexing.batch import IndexedBatch, index_batch
from excerpt.model.judgments import OffsetUnit
from excerpt.parse.expat import Malformed, scan
from excerpt.parse.tree import BatchColumns, Tags, Tape

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


BATCHES = st.lists(st.one_of(_USUAL, _GOOD, _spoilt()), min_size=1, max_size=6)
UNITS = st.sampled_from(["char", "char", "byte"])


def parse_documents(
    documents: Sequence[bytes], unit: OffsetUnit
) -> tuple[Tape, list[int], list[tuple[int, int, str]]]:
    """The events of what the parser accepts, and the line and message of what it does not."""
    tape, good, broken = Tape(Tags()), [], []
    for number, document in enumerate(documents):
        try:
            scan((document,), tape, unit=unit)
            good.append(number)
        except Malformed as error:
            broken.append((number, error.line, error.message))
    return tape, good, broken


def readable_columns(rows: BatchColumns, tags: Sequence[str]) -> list[list[tuple[object, ...]]]:
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


def index_documents(
    documents: Sequence[bytes], unit: OffsetUnit = "char", *, keep_text: bool = False
) -> IndexedBatch:
    entries = [Entry(str(n), str(n), len(d), d, 0) for n, d in enumerate(documents)]
    return index_batch(entries, unit, keep_text=keep_text)
