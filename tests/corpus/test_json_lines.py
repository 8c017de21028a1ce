"""Documents in JSON Lines."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus
from excerpt.corpus import json_lines
from excerpt.corpus.records import IDS, TEXTS, read_record
from excerpt.errors import ExcerptError, FormatError


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


@given(RECORDS, st.randoms(), st.booleans())
def test_the_quick_id_is_the_id_of_the_record(record: dict[str, Any], random: Any, escape: bool) -> None:
    """Where the beginning of a line tells an id, it is the one that the whole line has."""
    items = list(record.items())
    random.shuffle(items)
    line = json.dumps(dict(items), ensure_ascii=escape).encode()
    quick = json_lines._quick_id(line)
    if quick:
        assert read_record({**dict(items), "text": "always"}, "x").id == quick


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
        '{"text": "x"}': "c.jsonl:2: found the keys text, expected a document with its id",
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
    """What is behind the lines is not what it was."""
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
