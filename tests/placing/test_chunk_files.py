"""Placed chunks in files."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest

import excerpt
from excerpt import Chunks, Corpus, ExcerptError
from excerpt.records import rows

CORPUS = Corpus({"A": "One two.  Three.", "B": "Four."})
GIVEN = [
    {"doc_id": "A", "text": "One two.", "start": 3, "topic": ["x"]},
    {"source": "A", "page_content": "two. Three."},
    {"document": "B", "text": "Zero.", "start": 0},
]


def test_round_trip(tmp_path: Path) -> None:
    """Written chunks are read again, with all their data."""
    path = tmp_path / "words.jsonl"
    chunks = CORPUS.place(GIVEN, lost="count")
    chunks.write(path, fingerprint=False)
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert lines == [
        {
            "document": "A",
            "doc_id": "A",
            "text": "One two.",
            "start": 0,
            "end": 8,
            "how": "moved",
            "topic": ["x"],
        },
        {
            "document": "A",
            "source": "A",
            "page_content": "two. Three.",
            "start": 4,
            "end": 16,
            "how": "folded",
        },
        {"document": "B", "text": "Zero.", "how": "lost"},
    ]
    again = Chunks.read(path, CORPUS)
    assert list(again) == list(chunks)
    assert (again.name, again.covered, again.lost) == ("words", chunks.covered, "count")
    assert Chunks.read(path).covered is None


def test_what_is_no_json_is_left_out(tmp_path: Path) -> None:
    """The chunk itself is written, and all else it came with."""
    odd = {"vector": {1, 2}, "weight": float("nan"), (1, 2): 3, "odd": "\ud800"}
    CORPUS.place([{"document": "B", "text": "Four.", "id": 7, **odd}]).write(
        tmp_path / "c", fingerprint=False
    )
    assert json.loads((tmp_path / "c").read_text(encoding="utf-8")) == {
        "document": "B",
        "text": "Four.",
        "id": 7,
        "odd": "\ud800",
        "start": 0,
        "end": 5,
        "how": "exact",
    }
    assert Chunks.read(tmp_path / "c", CORPUS).ids == ("7",)


def test_many_lines_are_read_as_few_are(tmp_path: Path) -> None:
    """What the faster parser refuses goes to the json module: NaN, long numbers, broken lines."""
    lines = [
        '{"document": "A", "text": "One", "x": NaN}',
        "",
        '{"document": "A", "text": "two", "n": 1' + "0" * 30 + "}",
    ]
    lines += ['{"doc": "B", "body": "Four.", "metadata": {"start": 0.0}}']
    file = tmp_path / "c.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    few = excerpt.place(CORPUS, file)
    with patch.object(rows, "_MANY", 0):
        many = excerpt.place(CORPUS, file)
    assert (list(many), many.claims, str(many.given)) == (list(few), few.claims, str(few.given))
    file.write_text("\n".join([*lines, "", "[1]", '{"text": ""}']), encoding="utf-8")
    for least in (0, 5000):
        with patch.object(rows, "_MANY", least), pytest.raises(ExcerptError) as caught:
            excerpt.place(CORPUS, file)
        assert str(caught.value) == f"{file}:6: found '[1]', expected one JSON object per line"


def test_chunks_of_other_forms(tmp_path: Path) -> None:
    """A JSON list, CSV and TSV have the same chunks; their rows are named in faults."""
    (tmp_path / "c.json").write_text(
        '[{"doc_id": "A", "body": "One"}, {"doc_id": "B", "body": "Four."}]', encoding="utf-8"
    )
    (tmp_path / "c.csv").write_text('doc_id,body\nA,One\nB,"Four."\n', encoding="utf-8")
    (tmp_path / "c.tsv").write_text("doc_id\tbody\nA\tOne\nB\tFour.\n", encoding="utf-8")
    for name in ("c.json", "c.csv", "c.tsv"):
        found = excerpt.place(CORPUS, tmp_path / name)
        assert [chunk[:4] for chunk in found] == [("A", 0, 3, "exact"), ("B", 0, 5, "exact")], name
        assert found.name.startswith("c")
    (tmp_path / "c.json").write_text('[{"doc_id": "A", "body": ""}]', encoding="utf-8")
    with pytest.raises(ExcerptError, match=r"c\.json: row 1: the text of the chunk is empty"):
        excerpt.place(CORPUS, tmp_path / "c.json")


def test_chunks_that_were_offsets(tmp_path: Path) -> None:
    """Their text is written, so that they can be read."""
    CORPUS.place([{"document": "B", "start": 0, "end": 3}]).write(tmp_path / "c")
    assert Chunks.read(tmp_path / "c", CORPUS).texts == ["Fou"]


def test_text_under_another_key(tmp_path: Path) -> None:
    """Placed chunks are read again."""
    given = {"document": "A", "text": "two.", "metadata": {"window": "One two. Three."}}
    chunks = CORPUS.place([given], text="window")
    chunks.write(tmp_path / "c")
    assert list(Chunks.read(tmp_path / "c", CORPUS)) == list(chunks)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[]", "c.jsonl:1: found '[]', expected one JSON object per line"),
        ('{"document": "A"}', "c.jsonl:1: key how is missing, expected one of exact, moved"),
        (
            '{"document": "A", "how": "exact"}',
            "c.jsonl:1: found a chunk without a position, expected start < end",
        ),
        (
            '{"document": "A", "how": "exact", "start": 0, "end": 2}',
            "c.jsonl:1: the text is missing, expected",
        ),
        ('{"text": "A", "how": "lost"}', "c.jsonl:1: the document is missing, expected"),
        (
            '{"document": "A", "text": "x", "how": "exact", "start": 0.5, "end": 2}',
            "c.jsonl:1: found start 0.5, expected",
        ),
        (
            '{"document": "C", "text": "x", "how": "exact", "start": 0, "end": 2}',
            "c.jsonl:1: found the document 'C', expected one of the corpus",
        ),
        (
            '{"document": "A", "text": "x", "how": "exact", "start": 0, "end": 2}',
            "c.jsonl: 1 of 1 chunk is not at its position (line 1: 'x'), expected",
        ),
    ],
)
def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, message: str) -> None:
    """One sentence each."""
    monkeypatch.chdir(tmp_path)
    Path("c.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(ExcerptError) as caught:
        Chunks.read("c.jsonl", CORPUS)
    assert str(caught.value).startswith(message)
