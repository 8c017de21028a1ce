"""Nuggets of TREC RAG by hand: scores, means, warnings and faults."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from excerpt.errors import ExcerptError
from excerpt.official import nuggets

WORDS = {"+": "support", "~": "partial_support", "-": "not_support", "?": "failed"}


def record(qid: Any, vital: str = "", okay: str = "") -> bytes:
    """A record whose nuggets are assigned by signs."""
    some = [("vital", sign) for sign in vital] + [("okay", sign) for sign in okay]
    given = [{"text": "t", "importance": kind, "assignment": WORDS[sign]} for kind, sign in some]
    return json.dumps({"qid": qid, "nuggets": given}).encode() + b"\n"


def test_by_hand() -> None:
    """Topics without nuggets score 0 and count; a partial one is a half."""
    printed = nuggets(record("1", "+~", "+-") + record(2))[0]
    assert printed.lines[0] == (
        '{"qid": "1", "strict_vital_score": 0.5, "strict_all_score": 0.5, '
        '"vital_score": 0.75, "all_score": 0.625}'
    )
    assert json.loads(printed.lines[1]) == {
        "qid": 2,
        **dict.fromkeys(("strict_vital_score", "strict_all_score", "vital_score", "all_score"), 0.0),
    }
    assert list(json.loads(printed.lines[2]).values()) == ["all", 0.25, 0.25, 0.375, 0.3125]
    assert printed.values["vital_score", "1"] == 0.75


def test_exact_mean() -> None:
    """The mean of three thirds is a third, rounded once."""
    printed = nuggets(b"".join(record(str(number), "+--") for number in range(3)))[0]
    assert printed.values["vital_score", "all"] == 1 / 3


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (record("1", "+") + record("2", "", "+"), "1 record has no vital nugget; it scores 0 and counts in"),
        (record("1", "+") + record("2", "-") + record("1", "+"), "1 record has the qid of an earlier one"),
    ],
)
def test_surprises(text: bytes, warning: str) -> None:
    """A rule that changes a mean gives one warning, with a count and the first line."""
    [found] = nuggets(text)[0].warnings
    assert found.startswith(warning)
    assert re.search(r"\(<bytes>:[23]\)$", found)


def test_no_surprise_without_an_effect() -> None:
    """Repeated records with equal scores, and means of zeros, give no warning."""
    assert nuggets(record("1", "+") + record("1", "+"))[0].warnings == ()
    assert nuggets(record("1", "-") + record("2", "", "-"))[0].warnings == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"nuggets": []}', ":1: key qid is missing"),
        (b'{"qid": "1"}', ":1: key nuggets is missing"),
        (b'{"qid": "1", "nuggets": [{"assignment": "support"}]}', ":1: key importance is missing"),
        (
            b'{"qid": "1", "nuggets": [{"text": "x", "importance": "vital"}]}',
            ":1: found a nugget without assign",
        ),
        (record("1") + b"\n", ":2: found an empty line"),
        (b"", ": the file is empty"),
        (b"nonsense\n", ":1: found 'nonsense'"),
    ],
)
def test_faults(text: bytes, message: str) -> None:
    """What stops the program is an error with its line; gold is named."""
    with pytest.raises(ExcerptError, match=re.escape(f"<bytes>{message}")) as raised:
        nuggets(text)
    assert ("is gold" in str(raised.value)) == ("without assign" in message)
