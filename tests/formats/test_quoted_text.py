"""excerpt.place: corpora and chunks as they are, or as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import excerpt
from excerpt import Corpus, ExcerptError
from excerpt.checking.offset_readings import OffsetSample, _by_sizes, _of_bytes, _of_utf_16
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


def test_texts_without_offsets_are_located() -> None:
    """In the corpus, at their first place; without one, the error names the command that locates chunks."""
    import excerpt

    corpus, gold = {"A": "One two. One two. Six."}, excerpt.Judgments.of([("1", "A", 0, 8)])
    line = b'{"topic": "1", "document": "A", "text": "One two."}\n'
    notices = excerpt.Notices()
    run = excerpt.read_run(line, corpus=corpus, notices=notices)
    assert (run.start.tolist(), run.end.tolist()) == ([0], [8])
    assert "occurs several times; its first place counts" in str(next(iter(notices)))
    with pytest.raises(ExcerptError, match=r"'Five' of document A.* locates chunks") as caught:
        excerpt.evaluate(gold, line.replace(b"One two.", b"Five"), ["recall"], corpus=corpus)
    assert "the text of 1 of 1 result does not occur in its document" in str(caught.value)
    with pytest.raises(ExcerptError, match=r"found text without its offsets.*place"):
        excerpt.read_run(line)


def contextual(*, offsets: bool) -> list[dict[str, object]]:
    """Two results with 62 characters of context in front of what occurs in the document."""
    context = "This chunk is about a flood and a river in a town somewhere.\n\n"
    spans = ((0, 44), (45, 90))
    rows: list[dict[str, object]] = [
        {"topic": "1", "document": "A", "rank": rank + 1, "text": context + FLOOD[low:high]}
        | ({"start": low, "end": high} if offsets else {})
        for rank, (low, high) in enumerate(spans)
    ]
    return rows


FLOOD = "Rain fell on Monday. The river rose by noon. Nobody was hurt in the flood that came later. The end."
COSTS = ["read@2", "read(cost=words)", "recall(budget=80)", "recall(budget=106)", "read(cost=tokens)"]


@pytest.mark.parametrize("offsets", [True, False])
@pytest.mark.parametrize("form", ["file", "rows", "frame"])
def test_own_text_of_results_is_read(offsets: bool, form: str, tmp_path: Path) -> None:
    """With a corpus, texts with context are placed, and what is read are their own texts."""
    rows = contextual(offsets=offsets)
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = {"file": str(tmp_path / "run.jsonl"), "rows": rows, "frame": pd.DataFrame(rows)}[form]
    gold = excerpt.Judgments.of([("1", "A", 21, 44)])
    table = excerpt.evaluate(gold, {"r": run}, COSTS, corpus={"A": FLOOD}, tokens=len)
    assert table.means().tolist() == [[213, 44, 0, 1, 213]]


def test_own_text_is_no_excuse_for_wrong_offsets() -> None:
    """Offsets of another part of the text, or of a part of a text that occurs, are errors."""
    gold = excerpt.Judgments.of([("1", "A", 21, 44)])
    for text, start, end in ((FLOOD[:44], 0, 30), (str(contextual(offsets=True)[0]["text"]), 3, 47)):
        row = {"topic": "1", "document": "A", "start": start, "end": end, "text": text}
        with pytest.raises(excerpt.ExcerptError, match="is not at its offsets"):
            excerpt.evaluate(gold, {"r": [row]}, ["read"], corpus={"A": FLOOD})


def test_rows_of_texts_need_the_documents() -> None:
    """Without a corpus the message says how texts are located."""
    gold = excerpt.Judgments.of([("1", "A", 21, 44)])
    with pytest.raises(excerpt.ExcerptError, match="the texts of 2 results have no start and end") as caught:
        excerpt.evaluate(gold, {"r": contextual(offsets=False)}, ["read"])
    assert "corpus.place(chunks) locates texts" in str(caught.value)


@pytest.mark.parametrize("corpus", [None, {"A": FLOOD}])
def test_placed_chunks_are_results(corpus: dict[str, str] | None, tmp_path: Path) -> None:
    """Lines that `excerpt place` wrote, some of them trimmed, keep what is read."""
    texts = [str(row["text"]) for row in contextual(offsets=False)] + [FLOOD[91:]]
    chunks = excerpt.Corpus({"A": FLOOD}).place({"A": texts})
    assert [chunk.how for chunk in chunks] == ["trimmed", "trimmed", "exact"]
    chunks.write(tmp_path / "placed.jsonl")
    placed = [json.loads(line) for line in (tmp_path / "placed.jsonl").read_text().splitlines()]
    lines = [json.dumps({"topic": "1", "rank": rank, **row}) for rank, row in enumerate(placed, 1)]
    (tmp_path / "run.jsonl").write_text("\n".join(lines))
    gold = excerpt.Judgments.of([("1", "A", 21, 44)])
    for run in (str(tmp_path / "run.jsonl"), [json.loads(line) for line in lines]):
        table = excerpt.evaluate(gold, {"r": run}, ["read@3", "recall(budget=80)"], corpus=corpus)
        assert table.means().tolist() == [[221, 0]]


def test_scores_say_how_tokens_were_counted() -> None:
    """Tables that count tokens differently are not compared."""
    gold = excerpt.Judgments.of([("1", "A", 21, 44)])
    run = [("1", "A", 0, 44)]
    one, two, other = (
        excerpt.evaluate(gold, {name: run}, ["read(cost=tokens)"], corpus={"A": FLOOD}, tokens=tokens)
        for name, tokens in (("a", "words"), ("b", "words"), ("c", len))
    )
    assert (one + two).means().tolist() == [[9], [9]]
    with pytest.raises(excerpt.ExcerptError, match="tokenizer: words and function"):
        one + other


@given(st.lists(st.text("ab é中😀", max_size=8), min_size=1, max_size=4), st.data())
def test_offsets_in_other_units(texts: list[str], data: st.DataObject) -> None:
    """As many characters as end before an offset; offsets of ASCII texts stay as they are."""
    places = st.tuples(st.integers(0, len(texts) - 1), st.integers(0, 20), st.integers(0, 20))
    which, *ends = zip(*data.draw(st.lists(places, min_size=1)), strict=True)
    for encoding, size, units in (("utf-8", 1, _of_bytes), ("utf-16-le", 2, _of_utf_16)):
        found = _by_sizes(units)(OffsetSample(texts, np.array(which), np.array(ends), ()))
        for column, number in enumerate(which):
            text = texts[number]
            after = [len(text[:end].encode(encoding)) // size for end in range(1, len(text) + 1)]
            beyond = [some[column] > (after[-1] if after else 0) for some in ends]
            expected = [sum(end <= some[column] for end in after) for some in ends]
            assert found[:, column].tolist() == [one + far for one, far in zip(expected, beyond, strict=True)]
