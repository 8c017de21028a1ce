"""Keys: every spelling has one meaning, and unknown keys that look like locations are reported."""

from __future__ import annotations

import pytest
from excerpt.model.field_names import KEYS, SPELLINGS, location_keys, nowhere, rename


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_means_its_key(spelling: str) -> None:
    """A value is found under the key that its spelling means."""
    assert rename({spelling: 7, "else": 8}) == {"else": 8, SPELLINGS[spelling]: 7}


def test_no_spelling_means_two_things() -> None:
    """Each is listed once."""
    assert len(SPELLINGS) == sum(map(len, KEYS.values()))


def test_the_first_spelling_with_a_value_counts() -> None:
    """Terrier has its own numbers as well as ids of documents; None is no value, but a key."""
    assert rename({"docid": 3, "docno": "A"}) == {"document": "A"}
    assert rename({"start": None, "begin": 4}) == {"start": 4}
    assert rename({"start_char_idx": None}) == {"start": None}


def test_what_frameworks_keep_one_level_down() -> None:
    """It is used if the row itself lacks the key; its other keys mean nothing."""
    row = {"page_content": "x", "metadata": {"source": "A", "start_index": 3, "page": 7}}
    assert rename(row) == {"page_content": "x", "document": "A", "start": 3}
    assert rename({"document": "B", **row})["document"] == "B"
    assert rename({"meta": 7}) == {"meta": 7}


def test_keys_that_tell() -> None:
    """They are listed by name; grades matter only for judgments."""
    assert location_keys(["start", "endPos", "relevance", "text", "x"]) == ["endPos", "text"]
    assert location_keys(["start", "endPos", "relevance", "text", "x"], graded=True) == [
        "endPos",
        "relevance",
    ]


def test_offsets_that_are_none() -> None:
    """A value that a tool writes instead of an offset is explained with the name of the tool."""
    assert "LangChain writes -1" in nowhere(-1)
    assert "LlamaIndex writes None" in nowhere(None)
    assert "pandas writes nan" in nowhere(float("nan"))
    assert nowhere(7) == nowhere("x") == ""
