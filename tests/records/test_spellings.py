"""The table of spellings: every spelling has one meaning in a kind of row; what other keys resemble."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import excerpt
from excerpt import ExcerptError, Notices
from excerpt.records.record import by_role
from excerpt.records.spellings import EXACT, ROLES, RowKeys, RowKind, distance

KINDS: list[RowKind] = list(ROLES)
SPELLINGS = [(kind, role, name) for kind in KINDS for role, names in ROLES[kind].items() for name in names]
SPELLINGS.remove(("segment", "document", "docid"))  # the id of a segment, which has that of its document
RESULTS = RowKeys("result")


@pytest.mark.parametrize(("kind", "role", "spelling"), SPELLINGS)
def test_every_spelling_means_its_role(kind: RowKind, role: str, spelling: str) -> None:
    """A value is found under the role that its spelling means, in the row itself and in its metadata."""
    words = RowKeys(kind)
    assert words.meaning[spelling] == role
    assert words.knows(spelling)
    assert by_role({spelling: "7", "else": 8}, words)[role] == "7"
    assert by_role({"metadata": {spelling: "7"}}, words)[role] == "7"


@pytest.mark.parametrize("kind", KINDS)
def test_no_spelling_means_two_things(kind: RowKind) -> None:
    """Each is listed once in a kind of row."""
    names = [name for one, _, name in SPELLINGS if one == kind]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("key", "role"),
    [
        *(("Document", "document"), ("DOC-ID", "document"), ("docId", "document"), ("queryID", "topic")),
        *(
            ("Start", "start"),
            ("startIndex", "start"),
            ("end-index", "end"),
            ("strat", "start"),
            ("scroe", "score"),
        ),
        *(("docment", "document"), ("simliarity", "score"), ("relevanse", None), ("tkens", "tokens")),
        *(
            ("startPos", "start"),
            ("end_offset", "end"),
            ("from", "start"),
            ("to", "end"),
            ("char_range", "start"),
        ),
        *(
            ("span", "start"),
            ("xpath", "path"),
            ("chunkText", "text"),
            ("raw_text", "text"),
            ("full_content", "text"),
        ),
    ],
)
def test_keys_that_resemble(key: str, role: str | None) -> None:
    """Another case or separator, letters that differ, and words for places and texts."""
    assert (RESULTS.meant(key) or (None,))[0] == role
    assert not RESULTS.knows(key)


@pytest.mark.parametrize(
    "key",
    [
        *("page", "Page", "date", "lang", "hash", "name", "title", "year", "line", "note", "level", "type"),
        *("id", "ids", "tok", "ran", "nd", "x", "", "tone", "friend", "colour", "chunk_index", "position"),
        *("query_text", "question_text", "title_text", "metadata", "meta", "embedding", "author", "7"),
    ],
)
def test_keys_that_resemble_nothing(key: str) -> None:
    """Usual metadata, short names, and texts of other things."""
    assert RESULTS.meant(key) is None


def test_grades_matter_in_judgments() -> None:
    """In a run nobody looks for them."""
    for key in ("relevanceGrade", "rel_score", "judgement", "qrel", "labels2", "relevanse"):
        assert (RowKeys("judgment").meant(key) or ("",))[0] == "grade", key
        assert (RESULTS.meant(key) or ("",))[0] != "grade"


@pytest.mark.parametrize(
    ("one", "other", "far"),
    [
        ("start", "strat", 1),
        ("start", "tsart", 1),
        ("a", "a", 0),
        ("", "ab", 2),
        ("abc", "xyz", 3),
        ("abcd", "a", 3),
    ],
)
def test_distance(one: str, other: str, far: int) -> None:
    """Letters to insert, delete, exchange or swap; at most one more than asked for."""
    assert distance(one, other) == distance(other, one) == far


PLACE: dict[str, Any] = {"topic": "q", "document": "A", "start": 4, "end": 9}
RESEMBLING = [
    (
        {"topic": "q", "document": "A", "startPos": 4, "endPos": 9},
        "found unknown key startPos, expected start",
    ),
    ({"topic": "q", "document": "A", "Start": 4, "End": 9}, "found unknown key Start, expected start"),
    ({"topic": "q", "document": "A", "raw_text": "x"}, "found unknown key raw_text, expected text"),
    (
        {"topic": "q", "document": "A", "place": {"start": 4, "end": 9}},
        "found start inside of place, expected it in the row itself, or in metadata",
    ),
    (
        {"topic": "q", "document": "A", "hit": {"content": "x"}},
        "found content inside of hit, expected it in the row itself, or in metadata",
    ),
]


def read_all(row: dict[str, Any], kind: str, notices: Notices) -> list[Any]:
    """A row as JSON Lines, and as a dictionary."""
    if kind == "run":
        return [
            excerpt.read_run(json.dumps(row).encode(), notices=notices),
            excerpt.Run.of("r", [row], notices=notices),
        ]
    read: Any = excerpt.read_judgments
    return [read(json.dumps(row).encode(), notices=notices), read([row], notices=notices)]


@pytest.mark.parametrize("kind", ["run", "judgments"])
@pytest.mark.parametrize(("row", "said"), RESEMBLING)
def test_a_row_that_lacks_what_a_key_resembles(row: dict[str, Any], said: str, kind: str) -> None:
    """A fault with the key that was meant, in a file and in Python."""
    reads: list[Any] = [excerpt.read_judgments, excerpt.Judgments.of]
    if kind == "run":
        reads = [excerpt.read_run, lambda rows: excerpt.Run.of("r", rows)]
    for read, given in zip(reads, (json.dumps(row).encode(), [row]), strict=True):
        with pytest.raises(ExcerptError, match=re.escape(said)):
            read(given)


@pytest.mark.parametrize("key", ["startPos", "Document", "colour", "scroes2", "page"])
@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_a_row_that_has_what_a_key_resembles(key: str, kind: str) -> None:
    """One note, and nothing else."""
    notices = Notices()
    read_all({**PLACE, key: "7"}, kind, notices)
    assert [notice.split(" (")[0] for notice in notices] == [f"unknown keys are ignored: {key}"]


def test_a_place_inside_beside_a_place() -> None:
    """A row that has a place may have another one inside of an object; that is a note."""
    notices = Notices()
    read_all({**PLACE, "hit": {"start": 3, "text": "x"}}, "run", notices)
    assert [notice.split(" (")[0] for notice in notices] == ["unknown keys are ignored: hit"]


def test_exact_roles_are_roles() -> None:
    """Roles whose spellings may not contradict each other exist in the table."""
    assert set(EXACT) <= {role for kind in KINDS for role in ROLES[kind]}
