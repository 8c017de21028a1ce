"""The index against a slow walk over the tree, on documents that Hypothesis makes up."""

from __future__ import annotations

import filecmp
import gzip
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.dom import Node, expatbuilder, minidom

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from excerpt.documents import walk
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index
from excerpt.parse.expat import HEAD, scan
from excerpt.parse.tree import TagEvents, Tags, Tape

_NAMES = st.sampled_from(
    [
        "a",
        "b",
        "p",
        "ns:a",
        "sec-1",
        "é",
        "b.1",
        "eight-ch",
        "nine-char",
        "sixteen-letters-",
        "seventeen-letters",
    ]
)
_CHARACTERS = st.characters(
    codec="utf-8", exclude_characters="<&>\r", min_codepoint=0x20, exclude_categories=("Cs", "Cn")
).filter(lambda character: ord(character) not in (0xFFFE, 0xFFFF))
_WORDS = st.text(_CHARACTERS, max_size=6).map(lambda text: text.replace("]]", "]"))
_UNDECLARED = "&eacute;"
_EXTERNAL = ("SYSTEM", "PUBLIC")
_INSIDE = "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY eacute 'vvvv'>\"> %p;]>"  # declares it, two steps deep
_PIECES = st.one_of(
    _WORDS,
    st.sampled_from(
        [
            _UNDECLARED, "\r<!-- c -->\n", "\r<?p?>\n", "\r<![CDATA[\n]]>", "\r<![CDATA[]]>\n",
            "<![CDATA[\r]]>\n",
            "]]<!-- c -->>", "]]<?p?>>", "]<![CDATA[]]>]>", "]]<![CDATA[>]]>", "]]",
            "&amp;", "&lt;", "&#233;", "&#x1F600;", "&#10;", "\n", "\r\n", "\r", "\U0001f600", "é€", "  ",
            ">",
            "<!-- a > b & <c> -->", "<!---->", "<?pi some > data?>", "<![CDATA[<b>&amp;]]>", "<![CDATA[]]>",
        ]
    ),
)  # fmt: skip
_ATTRIBUTES = st.sampled_from(
    ["", "", ' x="1"', " y='a > b &amp; c'", ' z="/"', f' k="a>{_UNDECLARED}"', "\n x='é' y=\"&#60;\""]
)


def _element(content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    inner = st.lists(content, max_size=5).map("".join)
    full = st.builds(lambda name, more, text: f"<{name}{more}>{text}</{name}>", _NAMES, _ATTRIBUTES, inner)
    empty = st.builds(
        lambda name, more, gap: f"<{name}{more}{gap}/>", _NAMES, _ATTRIBUTES, st.sampled_from(["", " "])
    )
    return st.one_of(full, full, empty)


_CONTENT = st.recursive(_PIECES, lambda inner: st.one_of(_PIECES, _element(inner)), max_leaves=25)
_PROLOGS = st.sampled_from(
    [
        "<!DOCTYPE a>",
        _INSIDE,
        "<!DOCTYPE a [<!-- it's ]> --><!ENTITY e 'a>\"b'><?p ]> '?><!ATTLIST a x CDATA \"]>\"> ] >",
        '<!DOCTYPE a SYSTEM "[x>y]">\n',
        "<!DOCTYPE a PUBLIC '-//X//Y' 'a<!--.dtd' >",
        '<!DOCTYPE a [<!ENTITY amp "&#38;#38;">]>',
        "<?xml version='1.0'?><!-- <!DOCTYPE a [ --><!DOCTYPE a>",
        "",
        '<?xml version="1.0"?>\n',
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!-- <x> -->\n",
        "\n \n",
    ]
)
_EPILOGS = st.sampled_from(["", "\n", "<!-- end -->", "<?end?>\r\n"])

_NO_TEXT = re.compile(r"(<!\[CDATA\[.*?\]\]>)|\]\]>", re.DOTALL)


def _document(prolog: str, root: str, epilog: str) -> str:
    root = _NO_TEXT.sub(lambda match: match[1] or "]]&gt;", root)
    if prolog != _INSIDE and not any(word in prolog for word in _EXTERNAL):
        root = root.replace(_UNDECLARED, "&#233;")  # nobody could have declared it
    return prolog + root + epilog


DOCUMENTS = st.builds(_document, _PROLOGS, _element(_CONTENT), _EPILOGS)


class Spans(NamedTuple):
    """Paths and half-open spans, in document order."""

    text: str
    elements: dict[str, tuple[int, int]]
    text_nodes: dict[str, tuple[int, int]]


def spans(document: str | bytes) -> Spans:
    """Everything there is to know about one document."""
    if isinstance(document, str):
        document = document.encode()
    # minidom forgets references that it cannot follow.
    known = "vvvv" if _INSIDE.encode() in document else "\N{REPLACEMENT CHARACTER}"
    document = document.replace(_UNDECLARED.encode(), known.encode())
    found = Spans("", {}, {})
    with expatbuilder.parseString(document, namespaces=False) as tree:
        root = tree.documentElement
        assert root is not None
        text = _walk(root, f"/{root.tagName}[1]", 0, found)
    return found._replace(text=text)


def _walk(element: minidom.Element, path: str, start: int, found: Spans) -> str:
    found.elements[path] = (start, start)
    text, run, number, seen = "", 0, 0, Counter[str]()
    for child in [*element.childNodes, None]:
        if child is None or child.nodeType == Node.ELEMENT_NODE:
            if run:
                number += 1
                found.text_nodes[f"{path}/text()[{number}]"] = (start + len(text) - run, start + len(text))
            run = 0
        if child is None:
            break
        if child.nodeType == Node.ELEMENT_NODE:
            assert isinstance(child, minidom.Element)
            seen[child.tagName] += 1
            inner = f"{path}/{child.tagName}[{seen[child.tagName]}]"
            text += _walk(child, inner, start + len(text), found)
        elif child.nodeType in (Node.TEXT_NODE, Node.CDATA_SECTION_NODE):
            assert isinstance(child, minidom.Text)
            text += child.data
            run += len(child.data)
    found.elements[path] = (start, start + len(text))
    return text


def _write(folder: Path, documents: Sequence[str]) -> None:
    for number, document in enumerate(documents):
        (folder / f"{number:05}.xml").write_bytes(document.encode())


def _agrees(index: OffsetIndex, code: int, expected: Spans) -> None:
    wanted = expected.elements | expected.text_nodes
    found = index.resolve(np.full(len(wanted), code), list(wanted))
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == list(wanted.values())
    count = len(expected.elements)
    assert index.path(found.element[:count]) == list(expected.elements)
    assert len(set(found.element[:count].tolist())) == count
    assert index.document_sizes([code]).tolist() == [len(expected.text)]


def _has_nothing_else(index: OffsetIndex, code: int, expected: Spans) -> None:
    others = [
        f"{path.rpartition('[')[0]}[{n}]"
        for path in expected.elements | expected.text_nodes
        for n in (1, 2, 3, 9)
    ]
    unknown = [path for path in others if path not in expected.elements and path not in expected.text_nodes]
    found = index.resolve(np.full(len(unknown), code), unknown)
    assert set(found.start.tolist()) | set(found.element.tolist()) <= {-1}


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=6))
def test_every_span_of_every_document(documents: list[str]) -> None:
    """Elements, text nodes and paths are those of the slow walk, and there are no others."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), documents)
        report = build_index(folder, Path(folder) / "index")
        index = OffsetIndex.open(Path(folder) / "index")
        for code, document in enumerate(documents):
            expected = spans(document.encode())
            _agrees(index, code, expected)
            _has_nothing_else(index, code, expected)
    assert report.broken == ()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_bytes_are_characters_encoded(documents: list[str]) -> None:
    """With unit="byte" every span is that of the encoded text."""
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), documents)
        build_index(folder, Path(folder) / "index", unit="byte")
        index = OffsetIndex.open(Path(folder) / "index")
        for code, document in enumerate(documents):
            expected = spans(document.encode())
            place = np.cumsum([0, *(len(character.encode()) for character in expected.text)])
            paths = expected.elements | expected.text_nodes
            found = index.resolve(np.full(len(paths), code), list(paths))
            assert found.start.tolist() == place[[start for start, _ in paths.values()]].tolist()
            assert found.end.tolist() == place[[end for _, end in paths.values()]].tolist()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(documents=st.lists(DOCUMENTS, min_size=1, max_size=3))
def test_other_encodings_change_nothing(documents: list[str]) -> None:
    """The same documents in UTF-16 go another way through the parser and come out the same."""
    with tempfile.TemporaryDirectory() as folder:
        for number, document in enumerate(documents):
            text = document.removeprefix('<?xml version="1.0" encoding="utf-8"?>')
            (Path(folder) / f"{number}.xml").write_bytes(text.encode("utf-16"))
        build_index(folder, Path(folder) / "index")
        index = OffsetIndex.open(Path(folder) / "index")
        for code, document in enumerate(documents):
            _agrees(index, code, spans(document.encode()))


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(document=DOCUMENTS, size=st.integers(1, 9), encoding=st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_pieces_change_nothing(document: str, size: int, encoding: str) -> None:
    """A document fed in small pieces gives the events of the whole."""
    # The head of a document is always looked at as a whole; what is to be cut comes after it.
    document = f"<!--{'x' * HEAD}-->" + re.sub(r"^<\?xml.*?\?>", "", document)
    data = document.encode(encoding)
    whole, pieces = Tape(Tags()), Tape(Tags())
    scan((data,), whole, unit="char")
    scan((data[at : at + size] for at in range(0, len(data), size)), pieces, unit="char")
    assert _events(pieces.events()) == _events(whole.events())


def _events(events: TagEvents) -> list[tuple[int, int]]:
    """Tags in order, with positions relative to the first: text before the root does not matter."""
    return list(zip(events.codes.tolist(), (events.positions - events.positions[0]).tolist(), strict=True))


def _many(count: int) -> list[str]:
    """Documents whose tag paths come in another order in every batch."""
    documents = []
    for number in range(count):
        tags = [(f"t{number * k % 7}", k) for k in range(1, number % 9 + 2)]
        documents.append("".join(["<r>", *(f"<{tag}>{'é' * k}<i/>{k}</{tag}>" for tag, k in tags), "</r>"]))
    return documents


def test_batches_and_workers(tmp_path: Path) -> None:
    """Over several batches every span is right, and two workers write the same bytes as one."""
    documents = _many(3 * walk.BATCH_DOCUMENTS + 5)
    folder = tmp_path / "corpus"
    folder.mkdir()
    _write(folder, documents)
    reports = [build_index(folder, tmp_path / f"index{workers}", workers=workers) for workers in (1, 2)]
    assert reports[0] == reports[1]
    names = sorted(file.name for file in (tmp_path / "index1").iterdir())
    assert names == sorted(file.name for file in (tmp_path / "index2").iterdir())
    equal, different, odd = filecmp.cmpfiles(tmp_path / "index1", tmp_path / "index2", names, shallow=False)
    assert (sorted(equal), different, odd) == (names, [], [])
    index = OffsetIndex.open(tmp_path / "index2")
    for code in range(0, len(documents), 7):
        _agrees(index, code, spans(documents[code]))


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["cuad", "evidence"])
def test_runs_with_paths_are_runs_with_offsets(tmp_path: Path, shared: Path, collection: str) -> None:
    """Every line of every run given by paths has the offset and length of the same line given by offsets."""
    folder = shared / collection
    report = build_index(folder / "docs.tar.gz", tmp_path / "index")
    assert report.broken == ()
    index = OffsetIndex.open(tmp_path / "index")
    runs = sorted((folder / "runs-xpath").glob("*.txt.gz"))
    assert runs
    for run in runs:
        by_path = _rows(run)
        by_offset = _rows(folder / "runs" / run.name.replace(".txt.gz", ".fol.gz"))
        found = index.resolve(index.document_codes([row[2] for row in by_path]), [row[6] for row in by_path])
        assert [row[:4] for row in by_path] == [row[:4] for row in by_offset]
        assert found.start.tolist() == [int(row[6]) for row in by_offset]
        assert (found.end - found.start).tolist() == [int(row[7]) for row in by_offset]


def _rows(file: Path) -> list[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [line.split() for line in lines]
