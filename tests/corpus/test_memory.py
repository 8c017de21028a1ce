"""Documents at hand."""

from __future__ import annotations

from collections import UserDict
from types import SimpleNamespace
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from excerpt import Corpus
from excerpt.errors import ExcerptError


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
    assert corpus.document("b") == ("b", "y", "", "", None)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
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
        ({}, "found an empty corpus, expected documents"),
        ([], "found an empty corpus, expected documents"),
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
