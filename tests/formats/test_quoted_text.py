"""excerpt.place: corpora and chunks as they are, or as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt import Corpus, ExcerptError
from excerpt.errors import FormatError
from excerpt.formats.quoted_text import check_quotes
from excerpt.model import Run
from excerpt.notices import Notices

LINES = b'{"document": "a", "text": "Two."}'


def test_place(tmp_path: Path) -> None:
    """Objects and files give the same; a file gives its name."""
    (tmp_path / "a.txt").write_text("One. Two.", encoding="utf-8")
    (tmp_path / "words.jsonl").write_bytes(LINES)
    one = excerpt.place(tmp_path / "a.txt", tmp_path / "words.jsonl")
    two = excerpt.place(Corpus({"a": "One. Two."}), [json.loads(LINES)], name="mine")
    assert list(one) == list(two)
    assert (one.name, two.name, excerpt.place({"a": "Two."}, ["Two."]).name) == ("words", "mine", "chunks")


def test_no_corpus() -> None:
    """One sentence."""
    with pytest.raises(ExcerptError, match="no corpus given, expected a Corpus, its path, or texts by id"):
        excerpt.place(None, LINES)  # type: ignore[arg-type]


TEXT = "One two three.\n\nFour five six."
CORPUS = Corpus({"d": TEXT, "é": "été"})
GOLD = [("q", "d", 0, 5)]


def row(start: int, end: int, text: str, **more: Any) -> dict[str, Any]:
    """A result of question q."""
    return {"topic": "q", "document": "d", "start": start, "end": end, "text": text, **more}


def file(*rows: dict[str, Any]) -> bytes:
    """Rows as a file."""
    return "".join(json.dumps(one) + "\n" for one in rows).encode()


GOOD = [
    row(0, 14, "One two three."),
    row(8, 20, "three. Four", how="folded"),
    row(16, 25, "Numbers: Four five", how="trimmed"),
    row(16, 25, "Four five", document="unknown"),
    row(0, 3, "\u00e9t\u00e9", document="é"),
]
#: The second has an escape, so lines are not all read at once.
BAD = [row(0, 7, "two three"), row(0, 3, "Six\\"), row(4, 1300, "two three"), row(0, 2, "One")]


def test_texts_at_their_places() -> None:
    """Whitespace may differ; missing documents cannot be compared; afterwards the quotes are gone."""
    notices = Notices()
    run = excerpt.read_run(file(*GOOD), corpus=CORPUS, notices=notices)
    assert (len(run), run.quotes, list(notices)) == (5, None, [])
    table = excerpt.evaluate(GOLD, {"r": GOOD}, ["recall@5"], corpus=CORPUS, notices=Notices())
    assert table.means().tolist() == [[1.0]]


@pytest.mark.parametrize("how", ["file", "rows", "run"])
def test_texts_elsewhere_are_refused(how: str) -> None:
    """The error has the number of results, the first three, and a hint."""
    rows = [*GOOD, *BAD]
    given = {"file": file(*rows), "rows": {"r": rows}, "run": Run.of("r", rows)}[how]
    with pytest.raises(FormatError) as caught:
        excerpt.evaluate(GOLD, given, ["recall@5"], corpus=CORPUS, notices=Notices())  # type: ignore[arg-type]
    assert caught.value.line == (6 if how == "file" else None)
    said = str(caught.value)
    assert "the text of 4 of 9 results is not at its offsets ('two three' at 0 to 7" in said
    assert "document d; 'Six\\\\' at 0 to 3 of document d; 'two three' at 4 to 1300 of document d)" in said
    assert said.endswith("corpus.place(chunks) locates chunks")


def test_without_a_corpus_nothing_is_compared() -> None:
    """And files are read without their texts."""
    run = excerpt.read_run(file(*BAD))
    assert (len(run), run.quotes) == (4, None)


def test_bytes() -> None:
    """Byte offsets are compared in bytes."""
    run = Run.of("r", [row(0, 3, "ét", document="é")])
    assert check_quotes(run, CORPUS, "byte").quotes is None
    with pytest.raises(FormatError, match="the text of 1 of 1 result is not at its offsets"):
        check_quotes(run, CORPUS)
