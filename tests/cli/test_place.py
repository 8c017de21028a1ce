"""excerpt place: chunks in, the same chunks with their places out."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import pytest

from .conftest import Excerpt

CHUNKS = """{"source": "a.txt", "page_content": "One two.", "metadata": {"start_index": -1}, "k": 1}

{"doc_id": "a", "text": "Three.", "start": 0, "vector": [0.5]}
{"document": "b.md", "content": "Four. five"}
{"document": "b.md", "text": "Zero.", "start": 3, "end": 8}
"""


@pytest.fixture
def chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two documents and four chunks, one of which is lost."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("One two.  Three.", encoding="utf-8")
    Path("docs/b.md").write_text("Four.\n\nfive", encoding="utf-8")
    Path("chunks.jsonl").write_text(CHUNKS, encoding="utf-8")
    return tmp_path


def test_place(chunks: Path, excerpt: Excerpt) -> None:
    """Line for line the same objects, with document, start, end and how; stdout has the counts."""
    done = excerpt(
        "place",
        "docs",
        "chunks.jsonl",
        "-o",
        "placed.jsonl",
        "--lost",
        "count",
        "--format",
        "json",
        "--no-fingerprint",
    )
    assert done.status == 0
    assert json.loads(done.out) == {
        "chunks": 4,
        "exact": 1,
        "moved": 1,
        "folded": 1,
        "markup": 0,
        "trimmed": 0,
        "lost": 1,
        "covered": 1.0,
        "own": 0.0,
    }
    assert done.err == (
        "excerpt: warning: 1 chunk does not occur in its document and counts as text that is not relevant "
        "(line 5 of b.md)\n"
    )
    lines = [json.loads(line) for line in Path("placed.jsonl").read_text(encoding="utf-8").splitlines()]
    given = [json.loads(line) for line in CHUNKS.splitlines() if line]
    del given[3]["start"], given[3]["end"]
    assert lines == [
        {**given[0], "document": "a.txt", "start": 0, "end": 8, "how": "exact"},
        {**given[1], "document": "a.txt", "start": 10, "end": 16, "how": "moved"},
        {**given[2], "document": "b.md", "start": 0, "end": 11, "how": "folded"},
        {**given[3], "document": "b.md", "how": "lost"},
    ]


def test_lost_chunks_are_an_error(chunks: Path, excerpt: Excerpt) -> None:
    """Nothing is written, and the error says what to do."""
    done = excerpt("place", "docs", "chunks.jsonl", "-o", "placed.jsonl")
    assert (done.status, done.out) == (2, "")
    assert done.err == (
        "excerpt: chunks.jsonl: 1 of 4 chunks does not occur in its document (line 5 of 'b.md': "
        "'Zero.', 5 characters); was another version of the text chunked, or is a chunk only context? "
        "--text original takes the text from a key, --lost count counts these chunks as text "
        "that is not relevant, --lost drop leaves them out\n"
    )
    assert not Path("placed.jsonl").exists()


def test_drop(chunks: Path, excerpt: Excerpt) -> None:
    """Lost chunks are left out and counted."""
    done = excerpt("place", "docs", "chunks.jsonl", "--lost", "drop", "-o", "-")
    assert len(done.out.splitlines()) == 3
    assert done.err.splitlines()[0] == (
        "excerpt: 4 chunks: 1 exact, 1 moved, 1 folded, 0 trimmed, 1 lost, 100 % of the text covered"
    )


def test_another_text(chunks: Path, excerpt: Excerpt) -> None:
    """Text and document id may have other keys."""
    line = {"text": "two.", "metadata": {"window": "One two. Three.", "file": "a"}}
    Path("windows.jsonl").write_text(json.dumps(line), encoding="utf-8")
    done = excerpt("place", "docs", "windows.jsonl", "--text", "window", "--document", "file")
    assert done.out.startswith("1 chunk: 0 exact, 0 moved, 1 folded")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            '{"document": "c", "text": "x"}',
            "bad.jsonl:1: found the document 'c', expected a document of the corpus",
        ),
        ('{"text": "x"}', "bad.jsonl:1: the chunk names no document, expected a document of the corpus"),
        ('{"document": "a", "text": ""}', "bad.jsonl:1: the text of the chunk is empty; leave out"),
        ('{"document": "a"}', "bad.jsonl:1: found the key document, expected a text (text, page_content"),
        ('{"document": "a", "text": "One", "start": 1.5}', "bad.jsonl:1: found start 1.5, expected a"),
        ('{"document": "a", "text": "One", "start": -2}', "bad.jsonl:1: found start -2, expected"),
        ('{"document": "a", "text": "One", "start": 3, "end": 1}', "bad.jsonl:1: found end 1 before start 3"),
        (
            '{"document": "a", "start": 3, "end": 99}',
            "bad.jsonl:1: found the offsets 3 and 99, expected 0 <= start",
        ),
        ('{"document": "a", "text": "One" ', 'bad.jsonl:1: found \'{"document": "a", "text": "One"\', exp'),
        ("[1]", "bad.jsonl:1: found '[1]', expected one JSON object per line"),
        ('{"document": "b", "text": "Something else."}', "bad.jsonl: 1 of 1 chunk does not occur"),
    ],
)
def test_bad_chunks(chunks: Path, excerpt: Excerpt, line: str, message: str) -> None:
    """One sentence each, with the line."""
    Path("bad.jsonl").write_text(line, encoding="utf-8")
    done = excerpt("place", "docs", "bad.jsonl", "-o", "out.jsonl")
    assert done.status == 2
    assert done.err.startswith(f"excerpt: {message}")
    assert done.err.count("\n") == 1
    assert not Path("out.jsonl").exists()


def test_inputs_are_kept(chunks: Path, excerpt: Excerpt) -> None:
    """Inputs are not overwritten, and standard input is read once."""
    done = excerpt("place", "docs", "chunks.jsonl", "-o", "chunks.jsonl", "--lost", "drop")
    assert "is an input; choose another name for the output" in done.err
    assert "standard input can only be read once" in excerpt("place", "-", "-").err


@pytest.mark.parametrize(("tokenizer", "counts"), [("words", [2, 4]), ("tokenizers:own.json", [9, 16])])
def test_tokenizers(
    tokenizer: str, counts: list[int], tmp_path: Path, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Placed files keep the tokens, and runs are read with the same tokenizer."""

    class Tokenizer:
        """A tokenizer of characters, in place of the library."""

        from_file = classmethod(lambda cls, name: cls())

        def encode(self, text: str, *, add_special_tokens: bool) -> list[str]:
            assert not add_special_tokens
            return list(text)

    module = types.ModuleType("tokenizers")
    module.Tokenizer = Tokenizer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", module)
    (tmp_path / "a.txt").write_text("Rain it. The river is it.", encoding="utf-8")
    (tmp_path / "c.jsonl").write_text('{"text": "Rain it. "}\n{"text": "The river is it."}')
    (tmp_path / "gold").write_text('{"topic": "1", "document": "a", "start": 0, "end": 8}')
    (tmp_path / "run.jsonl").write_text('{"topic": "1", "document": "a", "start": 0, "end": 9, "rank": 1}')
    option, out = ("--tokenizer", tokenizer), tmp_path / "out"
    assert excerpt("place", tmp_path / "a.txt", tmp_path / "c.jsonl", "-o", out, *option).status == 0
    assert [json.loads(line)["tokens"] for line in out.read_text().splitlines()] == counts
    corpus = ("--corpus", tmp_path / "a.txt", "-m", "read(cost=tokens)")
    done = excerpt(
        "evaluate", tmp_path / "gold", tmp_path / "run.jsonl", *corpus, *option, "--format", "json"
    )
    assert json.loads(done.out)["runs"][0]["scores"] == {"read(cost=tokens)": counts[0]}


@pytest.mark.parametrize(
    "row",
    [
        {"node": {"id_": "n", "text": "Three.", "metadata": {"file_name": "a.txt"}}, "score": 0.3},
        {"lc": 1, "id": ["Document"], "kwargs": {"page_content": "Three.", "metadata": {"source": "a.txt"}}},
    ],
)
def test_what_a_framework_wrapped_stays_wrapped(
    chunks: Path, excerpt: Excerpt, row: dict[str, object]
) -> None:
    """The place is beside it."""
    (chunks / "wrapped.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert excerpt("place", "docs", "wrapped.jsonl", "-o", "placed.jsonl", "--no-fingerprint").status == 0
    (placed,) = (chunks / "placed.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(placed) == {**row, "document": "a.txt", "start": 10, "end": 16, "how": "exact"}
