"""Tables of documents: CSV, TSV, JSON, Parquet."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from excerpt import Corpus
from excerpt.errors import ExcerptError

_ROWS = [
    {"doc_id": "a", "contents": "One, two", "title": "T"},
    {"doc_id": "b", "contents": "Three", "title": ""},
]


def _write(folder: Path, name: str) -> Path:
    """Write the rows in the form that an ending names."""
    path = folder / name
    frame = pd.DataFrame(_ROWS)
    if name.endswith(".parquet"):
        frame.to_parquet(path)
    elif name.endswith(".json"):
        path.write_text(json.dumps(_ROWS, indent=1))
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in _ROWS))
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    return path


@pytest.mark.parametrize("name", ["c.csv", "c.csv.gz", "c.tsv", "c.json", "c.jsonl", "c.parquet"])
def test_every_form_gives_the_same(tmp_path: Path, name: str) -> None:
    """A row is a document; another column may have the texts."""
    path = _write(tmp_path, name)
    corpus = Corpus.read(path)
    assert dict(corpus) == {"a": "One, two", "b": "Three"}
    assert corpus.document("a").title == "T"
    assert dict(Corpus.read(f"{path}@title")) == {"a": "T", "b": ""}
    with pytest.raises(
        ExcerptError, match=r"found the columns doc_id, contents, title, expected a column body"
    ):
        Corpus.read(f"{path}@body")


def test_a_table_of_a_folder_is_no_document(tmp_path: Path) -> None:
    """It is read if it is named."""
    _write(tmp_path, "c.csv")
    (tmp_path / "a.txt").write_text("x")
    assert list(Corpus.read(tmp_path)) == ["a.txt"]


def test_rows_without_ids_are_numbered(tmp_path: Path) -> None:
    """From 1."""
    (tmp_path / "c.csv").write_text('text\n"One\ntwo"\nThree\n')
    assert dict(Corpus.read(tmp_path / "c.csv")) == {"1": "One\ntwo", "2": "Three"}


def test_an_object_of_ids_and_texts(tmp_path: Path) -> None:
    """On one line, or on several."""
    for text in ('{"a": "One", "b": "Two"}', '{\n "a": "One",\n "b": "Two"\n}'):
        (tmp_path / "c.json").write_text(text)
        assert dict(Corpus.read(tmp_path / "c.json")) == {"a": "One", "b": "Two"}


@pytest.mark.parametrize(
    ("name", "text"), [("c.csv", "a,b\n1,2\n"), ("c.json", '{"a": {"b": 1}}'), ("c.json", "[1, 2]")]
)
def test_data_without_texts_is_a_text(tmp_path: Path, name: str, text: str) -> None:
    """As code is, if it is named."""
    (tmp_path / name).write_text(text)
    assert dict(Corpus.read(tmp_path / name)) == {name: text}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "c.csv",
            "id,words\n1,x\n",
            r"c.csv: found the columns id, words, expected one of text, .*c.csv@words",
        ),
        ("c.csv", "id,text\n1\n", "c.csv:2: expected 2 fields, as in the first line, found 1"),
        ("c.parquet", "PAR1 no", "c.parquet: found a broken Parquet file"),
        ("c.json", '[{"id": "1", "text": 7}]', "c.json:1: found a value of type int as text of a document"),
        ("c.csv", "id,text\n1,x\n1,y\n", "two documents have the id '1'"),
    ],
)
def test_broken_tables(tmp_path: Path, name: str, text: str, message: str) -> None:
    """One line each."""
    (tmp_path / name).write_text(text)
    with pytest.raises(ExcerptError, match=message):
        Corpus.read(tmp_path / name)
