"""Documents as records: of frameworks, in memory, in JSON Lines."""

from __future__ import annotations

import gzip
import json
import pickle
import tempfile
import time
from collections import UserDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import accumulate
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus
from excerpt.corpus import records
from excerpt.corpus.document import DocumentSource
from excerpt.corpus.records import IDS, TEXTS, read_record
from excerpt.documents.storage import StoredFile
from excerpt.errors import ExcerptError, FormatError


@pytest.mark.parametrize(
    "record",
    [
        {"_id": "d", "text": "T", "title": "", "metadata": {}},
        {"id": "d", "contents": "T"},
        {"doc_id": "d", "body": "T", "text": None},
        {"docno": "d", "text": "T", "metadata": {"source": "elsewhere"}},
        {"document": "d", "text": "T"},
        {"id": None, "page_content": "T", "metadata": {"source": "d", "page": 1}},
        {"id": "4f1c", "page_content": "T", "metadata": {"source": "d"}},
        {"id": "d", "page_content": "T", "metadata": {"page": 1}},
        {"id": "4f1c", "content": "T", "meta": {"source_id": "d"}},
        {"id_": "d", "text": "T"},
        ("d", "T"),
        SimpleNamespace(page_content="T", metadata={"source": "d"}, id=None, type="Document"),
        SimpleNamespace(text="T", ref_doc_id="d", id_="4f1c", metadata={"source": "elsewhere"}),
        SimpleNamespace(text="T", ref_doc_id=None, id_="d"),
        SimpleNamespace(content="T", id="d", meta={}),
    ],
)
def test_ids_and_texts_by_every_name(record: object) -> None:
    """The document that a text is of goes before the id of the text itself, where frameworks give both."""
    assert read_record(record, "here")[:3] == ("d", "T", "")


def test_titles_kinds_and_numbers() -> None:
    """Ids may be numbers; the kind is the key `kind` or `type`."""
    assert read_record({"id": 12, "text": "", "title": " A\nb ", "type": "report"}, "x")[:4] == (
        "12",
        "",
        "A b",
        "report",
    )
    assert read_record({"id": 0, "text": "T", "kind": "a", "type": "b"}, "x").kind == "a"
    assert read_record({"id": 0, "text": "T", "type": 3}, "x").kind == ""


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {},
            r"found an empty object, expected a document with an id \(one of _id, id, doc_id, docno, doc",
        ),
        (
            {"id": "a", "words": "b"},
            r"found the keys id, words, expected a document with a text \(one of text, contents",
        ),
        ({"id": True, "text": "b"}, "with an id"),
        ({"id": "", "text": "b"}, "with an id"),
        ({"id": "a", "text": 5}, "found a value of type int as text of a document, expected text"),
        ({"id": "a", "text": "\udfff"}, "found half a surrogate pair at character 0"),
        (5, "found 5 of type int, expected a document"),
        (("a", "b", "c"), "of type tuple, expected a document"),
        (SimpleNamespace(text="T"), "found SimpleNamespace, expected a document with an id"),
    ],
)
def test_what_is_no_document(record: object, message: str) -> None:
    """One line says what was found and what was expected."""
    with pytest.raises(FormatError, match=message):
        read_record(record, "a", 2)


class Lazy(UserDict[str, str]):
    """A mapping that counts what was asked for."""

    asked = 0

    def __getitem__(self, key: str) -> str:
        self.asked += 1
        return super().__getitem__(key)


def test_a_mapping_is_read_when_it_is_asked_for() -> None:
    """Nothing is copied when it is opened."""
    texts = Lazy({"a": "x", "b": "y"})
    corpus = Corpus(texts)
    assert list(corpus) == ["a", "b"]
    assert texts.asked == 0
    assert corpus["b"] == "y"
    assert corpus.document("b") == ("b", "y", "", "", None, ())


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table])
def test_data_frames(make: Any) -> None:
    """Columns are called as in JSON Lines."""
    corpus = Corpus(make({"docno": ["a", "b"], "body": ["x", "y"], "title": ["A", None], "more": [1, 2]}))
    assert dict(corpus) == {"a": "x", "b": "y"}
    assert corpus.document("a").title == "A"
    with pytest.raises(
        ExcerptError, match=r"found a data frame with the columns name, text, expected one of _id"
    ):
        Corpus(make({"name": ["a"], "text": ["x"]}))


def test_a_series_of_texts() -> None:
    """Its index has the ids."""
    assert dict(Corpus(pd.Series({"a": "x", 2: "y"}))) == {"a": "x", "2": "y"}


def test_documents_of_frameworks() -> None:
    """An iterable of them, in order."""
    found = Corpus(SimpleNamespace(page_content=text, metadata={"source": text}) for text in "ba")
    assert list(found) == ["b", "a"]
    assert found["a"] == "a"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "the corpus contains no documents"),
        ([], "the corpus contains no documents"),
        ({1.5: "x"}, "found 1.5 as id of a document, expected text"),
        ({"1": "x", 1: "y"}, "two documents have the id '1'"),
        ([("a", "x"), ("a", "y")], "two documents have the id 'a': document number 1 and document number 2"),
        ("docs", "found 'docs' of type str, expected a mapping .*; Corpus.read"),
        (5, "found 5 of type int, expected a mapping of ids to texts, a data frame, or documents"),
        ([5], "document number 1: found 5 of type int"),
    ],
)
def test_what_is_no_corpus(given: object, message: str) -> None:
    """One sentence, whatever was given."""
    with pytest.raises(ExcerptError, match=message):
        Corpus(given)


def test_values_that_are_no_text() -> None:
    """An error when they are asked for, with the document."""
    with pytest.raises(ExcerptError, match=r"document 'a': found a value of type bytes as text"):
        Corpus({"a": b"x"})["a"]


def read(tmp_path: Path, *lines: str | bytes, name: str = "c.jsonl") -> Corpus:
    """A corpus of these lines."""
    data = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    (tmp_path / name).write_bytes(data)
    return Corpus.read(tmp_path / name)


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        **{
            name: st.one_of(TEXT, st.integers(-5, 10**20), st.none(), st.booleans())
            for name in ("ref_doc_id", *IDS, *TEXTS)
        },
        "content": TEXT,
        "metadata": st.fixed_dictionaries({}, optional={"source": TEXT}),
        "title": TEXT,
    },
)


@given(st.lists(RECORDS, max_size=3), st.randoms(), st.booleans())
def test_quick_ids_are_the_ids_of_the_records(some: list[dict[str, Any]], random: Any, escape: bool) -> None:
    """An id read from the beginning of a line is the id of the whole line, whatever other lines contain."""
    shuffled = [dict(random.sample(list(record.items()), len(record))) for record in some]
    lines = [json.dumps(record, ensure_ascii=escape).encode() + b"\n" for record in shuffled]
    ends = list(accumulate(map(len, lines)))
    quick = records._quick_ids(b"".join(lines), [0, *ends[:-1]][: len(ends)], ends)
    alone = [records._quick_ids(line, [0], [len(line)])[0] for line in lines]
    assert quick == alone
    for record, name in zip(shuffled, quick, strict=True):
        assert not name or name == read_record({**record, "text": "always"}, "x").id


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        # A later key takes precedence in one line, the leading keys of the others differ.
        (['{"id": "1", "x": 0}', '{"doc_id": "2", "_id": "no"}', '{"_id": "3"}'], ["1", "", "3"]),
        (['{"_id": "1"}', '{"id": "2", "content": "x"}'], ["1", ""]),
        (['{"_id": "1", "content": "x"}', '{"docno": "2", "id": "no"}'], ["", ""]),
        (['{"id": "a\ufffd"}', '{"id": 0}', ""], ["a\ufffd", "0", ""]),
        (['{"id": "\udcff"}', '{"id": "é\ufffd"}', '{"id": "b"}'], ["", "é\ufffd", "b"]),
        ([], []),
    ],
)
def test_quick_ids_of_single_lines(lines: list[str], ids: list[str]) -> None:
    """Those that need a parser are empty; bytes that are not UTF-8 make no id, U+FFFD may be in one."""
    parts = [f"{line}\n".encode(errors="surrogateescape") for line in lines]
    ends = list(accumulate(map(len, parts)))
    assert records._quick_ids(b"".join(parts), [0, *ends[:-1]][: len(ends)], ends) == ids


def test_a_mapping_is_read_by_one_thread_at_a_time() -> None:
    """It may be a database that is not made for several; a corpus of it is still pickled."""
    inside = most = 0

    class Slow(UserDict[str, str]):
        def __getitem__(self, key: str) -> str:
            nonlocal inside, most
            inside += 1
            most = max(most, inside)
            time.sleep(0.001)
            inside -= 1
            return str(super().__getitem__(key))

    corpus = Corpus(Slow({str(number): "text" for number in range(20)}))
    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(corpus.__getitem__, map(str, range(20)))) == {"text"}
    assert most == 1
    plain = Corpus(UserDict({"a": "text"}))
    assert pickle.loads(pickle.dumps(plain))["a"] == "text"
    assert pickle.loads(pickle.dumps(records.Mapped({"a": "text"}))).text(0) == "text"


def test_documents_of_beir_pyserini_and_langchain(tmp_path: Path) -> None:
    """With titles and kinds; blank lines and a byte order mark are no documents."""
    corpus = read(
        tmp_path,
        '\ufeff{"_id": "1", "title": "One", "text": "first\\r\\n", "metadata": {}}\r',
        "",
        '{"contents": "second é", "id": 2}',
        '{"page_content": "third", "metadata": {"source": "a/b.txt"}, "type": "Document"}',
        "  ",
    )
    assert dict(corpus) == {"1": "first\r\n", "2": "second é", "a/b.txt": "third"}
    assert [corpus.document(name)[2:4] for name in corpus] == [
        ("One", "jsonl"),
        ("", "jsonl"),
        ("", "Document"),
    ]
    assert corpus.names("2") == ("2",)
    assert corpus.length("2") == 8


def test_nodes_of_llamaindex(tmp_path: Path) -> None:
    """They are called by the document that they are of, wherever the line says it."""
    corpus = read(
        tmp_path, '{"id": "n1", "ref_doc_id": "doc", "text": "first"}', '{"id": "n2", "text": "second"}'
    )
    assert dict(corpus) == {"doc": "first", "n2": "second"}


def test_packed_lines(tmp_path: Path) -> None:
    """Compressed files are unpacked once."""
    path = tmp_path / "c.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n'))
    assert dict(Corpus.read(path)) == {"a": "x", "b": "y"}


def test_faults_are_told_with_their_line(tmp_path: Path) -> None:
    """A line that is no document is an error where it is fetched, or before where its id is not known."""
    corpus = read(tmp_path, '{"id": "a", "text": "x"}', '{"id": "b", "text": "x}', '{"id": "c", "words": ""}')
    with pytest.raises(FormatError, match=r"c.jsonl:2: is not JSON: "):
        corpus["b"]
    with pytest.raises(FormatError, match=r"c.jsonl:3: found the keys id, words, expected"):
        corpus["c"]
    assert corpus["a"] == "x"
    faults: dict[str | bytes, str] = {
        "[1]": r"c.jsonl:2: found \[1\], expected an object",
        '{"text": "x"}': "c.jsonl:2: found the key text, expected a document with an id",
        b'{"text": "\xff"}': "c.jsonl:2: found 0xff at byte 10, expected UTF-8",
        "[" * 100_000: "c.jsonl:2: is not JSON: nested too deeply",
    }
    for line, message in faults.items():
        with pytest.raises(FormatError, match=rf"{message}.*; .*leave it out$"):
            read(tmp_path, '{"id": "a", "text": "x"}', line)


def test_an_id_twice(tmp_path: Path) -> None:
    """In two lines it names both; in one line it is an error when the document is fetched."""
    with pytest.raises(ExcerptError, match=r"the id 'a': .*c.jsonl:1 and .*c.jsonl:3; keep one of them"):
        read(tmp_path, '{"id": "a", "text": ""}', "", '{"id": "a", "text": ""}')
    corpus = read(tmp_path, '{"id": "a", "text": "", "id": "b"}')
    with pytest.raises(ExcerptError, match=r"c.jsonl:1: found a line with several ids"):
        corpus["a"]


def test_a_file_that_changed(tmp_path: Path) -> None:
    """A file that changed after it was opened is an error."""
    corpus = read(tmp_path, '{"id": "a", "text": "x"}')
    (tmp_path / "c.jsonl").write_text('{"id": "a", "text": "other"}')
    with pytest.raises(ExcerptError, match=r"has changed since the corpus was opened"):
        corpus["a"]


def test_the_fingerprint_is_of_the_lines(tmp_path: Path) -> None:
    """Another text in a line is another corpus; an empty line is no document."""
    file = tmp_path / "docs.jsonl"
    line = '{"id": "a", "text": "one"}\n'
    file.write_text(line)
    before = Corpus.read(file).fingerprint()
    file.write_text(f"\n{line}\n")
    assert Corpus.read(file).fingerprint() == before
    file.write_text(line.replace("one", "two"))
    assert Corpus.read(file).fingerprint() != before


PARTS = (
    *(
        "a",
        "é",
        "中",
        "😀",
        '"',
        "\\",
        "\\\\",
        "\n",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud800",
        "\\u12",
        "\\x",
        "\x01",
    ),
    *(
        "\\n",
        '\\"',
        "\\/",
        "\t",
        '", "text": "b',
        '"}',
        "{",
        " ",
        "\\udc00",
        "\\uD7FF",
        "\\uDBFF",
        "\\\\\\n",
        "\\\\n",
    ),
)
LINES = (
    '{{"_id": "{0}", "title": "{1}", "text": "{2}"}}',
    '{{"_id": "{0}", "title": "{1}", "text": "{2}"}}\r',
    '{{"text": "{1}", "metadata": {{"source": "{2}"}}, "id": "{0}"}}',
    '{{"id": "{0}", "page_content": "{1}", "metadata": {{"source": "{2}"}}, "page": 3}}',
    '{{"id": "{0}", "text": "{1}", "id": "{2}"}}',
    '{{"id": "{0}", "content": "{1}", "text": "{2}"}}',
    '{{"id": 7, "text": "{1}"}}',
    '{{"id": "{0}", "text": "{1}"',
    '{{"id": "{0}", "te\\u0078t": "{1}"}}',
    " ",
)


STRINGS = st.lists(st.sampled_from(PARTS), max_size=5).map("".join)
TWO = st.tuples(STRINGS, STRINGS)


def described(path: Path) -> object:
    """Ids, places and lengths of all lines of a file, or the error; lengths are those of the texts."""
    try:
        source = records.JsonLines(StoredFile(str(path)))
    except ExcerptError as error:
        return str(error)
    lengths = [outcome(partial(DocumentSource.length, source), number) for number in range(len(source))]
    found = source.lengths(np.arange(len(source))).tolist()
    assert all(one in (-1, other) for one, other in zip(found, lengths, strict=True))
    places = [(source.location(number), source.stored(number)) for number in range(len(source))]
    return list(source.ids()), lengths, places


@pytest.mark.parametrize("layout", LINES)
@pytest.mark.parametrize("part", PARTS)
def test_lengths_are_those_of_the_texts(tmp_path: Path, layout: str, part: str) -> None:
    """Also with escapes and with errors, in a line of any layout."""
    path = tmp_path / "c.jsonl"
    for place in range(3):
        strings = ["1", "x", "y"]
        strings[place] += f"{part}z"
        path.write_text('{"id": "0", "text": ""}\n' + layout.format(*strings), encoding="utf-8")
        described(path)


@given(st.data())
def test_lines_that_are_read_together(data: st.DataObject) -> None:
    """Ids, lengths, texts and errors are those of lines that are read one by one."""
    lines = [
        data.draw(st.sampled_from(LINES)).format(f"{number}{data.draw(STRINGS)}", *data.draw(TWO))
        for number in range(data.draw(st.integers(1, 6)))
    ]
    content = "\n".join(lines).encode() + data.draw(st.sampled_from([b"", b"\n", b"\r\n\n", b"\xff"]))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "c.jsonl"
        path.write_bytes(content)
        patch.setattr(records, "_BLOCK", data.draw(st.sampled_from([50, 1 << 18])))
        together = described(path)
        patch.setattr(records, "_BLOCK", 1)
        assert together == described(path)


@pytest.mark.parametrize(
    ("line", "length"),
    [
        ('{"_id": "a", "title": "\\u00e9", "text": "\\u00e9\\n\\\\n\\"é中😀"}', 8),
        ('{"_id":"a","text":"x","metadata":{"url":"y"}}\r', 1),
        ('{ "id" : 7 , "contents" : "" , "metadata" : { } }', 0),
        ('{"id": "a", "text": "\\ud83d\\ude00"}', -1),
        ('{"text": "x", "id": "a"}', -1),
        ('{"id": "a", "text": "x", "text": "xy"}', -1),
        ('{"id": "a", "text": "\\x"}', -1),
        ('{"id": "a", "text": "\\u12"}', -1),
        ('{"id": "a", "text": "\t"}', -1),
    ],
)
def test_lengths_without_parsing(tmp_path: Path, line: str, length: int) -> None:
    """They are found for plain lines; others are parsed."""
    path = tmp_path / "c.jsonl"
    path.write_text(f"{line}\n\n", encoding="utf-8", newline="")
    source = records.JsonLines(StoredFile(str(path)))
    assert source.lengths(np.arange(1)).tolist() == [length]


def outcome(ask: Callable[[int], int], number: int) -> int | str:
    """An answer, or the error."""
    try:
        return ask(number)
    except ExcerptError as error:
        return str(error)


def test_numbers_of_names(tmp_path: Path) -> None:
    """Lengths are kept by them; a file that has changed is an error, and has no other lengths."""
    lines = ('{"_id": "a", "text": "\\u00e9\\n"}', '{"_id": "b", "text": "x"}', '{"text": "xyz", "_id": "c"}')
    corpus = read(tmp_path, *lines)
    names = ("c", "none", "a")
    assert corpus.numbers(names).tolist() == [2, -1, 0]
    assert corpus.numbers(names) is corpus.numbers(names)
    assert corpus.length("c") == 3
    assert corpus.lengths(np.array([2, -1, 0])).tolist() == [3, -1, 2]
    (tmp_path / "c.jsonl").write_text("")
    assert corpus.lengths(np.array([0, 1])).tolist() == [2, -1]
    with pytest.raises(ExcerptError, match="has changed since the corpus was opened"):
        corpus.length("b")


def test_all_lengths_are_read_after_many(tmp_path: Path) -> None:
    """Of two files; a line that is not plain does not hide others."""
    for file in "ab":
        lines = [f'{{"_id": "{file}{number}", "text": "{"x" * number}"}}' for number in range(8)]
        lines[3] = f'{{"text": "xyz", "_id": "{file}3"}}'
        (tmp_path / f"{file}.jsonl").write_text("\n".join(lines))
    corpus = Corpus.read(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert corpus.lengths(np.array([9, 2, 15])).tolist() == [1, 2, 7]
    for _ in range(2):
        assert corpus.lengths(np.arange(16)).tolist() == [0, 1, 2, -1, 4, 5, 6, 7] * 2
    assert corpus.length("b3") == 3
    assert corpus.lengths(corpus.numbers(("b3", "a7"))).tolist() == [3, 7]
