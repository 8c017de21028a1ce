"""Spans carried to another version of the documents, alone and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, ExcerptError, Run, align, place, read_run, write_run
from excerpt.placing.alignment import TextAlignment

OLD = """# Rent

The rent is due in May, and no later than that.

# Keys

The keys are handed over on the first day of the lease.

# End

The lease ends after two years, unless it is renewed.
"""
NEW = """# Notice

All dates are of this year.

# Rent

The rent is due in early May, and no later than that.

# End

The lease ends after two years, unless it is renewed.

# Keys

The  keys are handed over on the
first day of the lease.
"""


def at(text: str) -> tuple[int, int]:
    """The place of a text in the old version."""
    return OLD.index(text), OLD.index(text) + len(text)


@pytest.mark.parametrize(
    ("text", "how", "now", "share"),
    [
        ("The lease ends after two years", "moved", "The lease ends after two years", 1),
        ("two years", "moved", "two years", 1),
        ("# Rent", "kept", "# Rent", 1),
        ("due in May, and no later", "changed", "due in early May, and no later", 1),
        ("in May", "changed", "in early May", 1),
        ("The keys are handed over on the first day of the lease.", "kept", None, 1),
    ],
)
def test_spans(text: str, how: str, now: str | None, share: float) -> None:
    """The same text in the same surroundings is kept, in another block moved, edited inside changed."""
    found = Corpus({"A": OLD}).align({"A": NEW}).span("A", *at(text))
    there = NEW[found.start : found.end]
    assert (found.how, found.share) == (how, share)
    assert there == (now or there)
    assert " ".join(there.split()) == (now or text)


def test_gone_and_partly_there() -> None:
    """What shares a stop only is gone; the share is exact."""
    old, new = "One two three. Four five six. Seven.", "One two three. Another thing. Seven."
    alignment = Corpus({"A": old}).align({"A": new})
    assert alignment.span("A", 15, 29).how == "gone"
    half = alignment.span("A", 8, 28)
    assert (new[half.start : half.end], half.share) == ("three.", 6 / 17)
    assert alignment.span("A", 0, 13) == ("A", 0, 13, "kept", 1.0)


def test_renamed_documents() -> None:
    """The same text under another id; a long text in another document that is alone there."""
    alignment = Corpus({"A": OLD, "B": "Other."}).align({"pages/A": OLD, "B": "Other."})
    assert alignment.span("A", 0, 6) == ("pages/A", 0, 6, "moved", 1.0)
    keys = "The keys are handed over on the first day of the lease."
    split = Corpus({"A": OLD}).align({"A": OLD.replace(keys, "See keys."), "keys": f"# Keys\n\n{keys}"})
    found = split.span("A", *at(keys))
    assert (found.document, found.start, found.how) == ("keys", 8, "moved")
    assert split.span("A", *at("handed over"))[::3] == ("keys", "moved")


def test_insertion_above_keeps_everything() -> None:
    """Also where the new text begins as the old one does."""
    alignment = Corpus({"A": OLD}).align({"A": "# Notice\n\nNew.\n\n" + OLD})
    for start in range(0, len(OLD) - 20, 7):
        found = alignment.span("A", start, start + 20)
        assert (found.how, found.start) == ("kept", start + 16)


@given(st.lists(st.sampled_from(["a", "b", "c", "dd", "e.", "f,"]), max_size=30), st.data())
def test_what_is_kept_is_equal(words: list[str], data: st.DataObject) -> None:
    """Kept text is equal but for white space; the share is that of equal characters."""
    new = list(words)
    for _ in range(data.draw(st.integers(0, 4))):
        place_ = data.draw(st.integers(0, len(new)))
        new[place_ : place_ + data.draw(st.integers(0, 2))] = data.draw(
            st.lists(st.sampled_from("abxyz"), max_size=2)
        )
    old_text, new_text = " ".join(words), "  ".join(new)
    aligned = TextAlignment(old_text, new_text)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(old_text))] * 2)))
    low, high, share, kept = aligned.carry(start, end)
    span = "".join(old_text[start:end].split())
    if kept:
        assert "".join(new_text[low:high].split()) == span
    if low >= 0:
        assert 0 <= low < high <= len(new_text)
        assert 0 < share <= 1
        assert share * len(span) == pytest.approx(round(share * len(span)))
    if old_text.split() == new_text.split() and span:
        assert kept


def test_files(tmp_path: Path) -> None:
    """Runs, chunks and judgments: rows with their places now, signed; gone ones are left out."""
    corpora = Corpus({"A": OLD}), Corpus({"A": NEW})
    rows = [
        {"topic": "1", "document": "A", "start": start, "end": end}
        for start, end in (at("# Rent"), at("in May"))
    ]
    write_run(Run.of("r", rows), tmp_path / "run.jsonl", corpus=corpora[0])
    found = align(tmp_path / "run.jsonl", *corpora, tmp_path / "out.jsonl")
    assert (str(found).splitlines()[0], found.is_whole) == ("1 kept, 0 moved, 1 changed, 0 gone", False)
    run = read_run(tmp_path / "out.jsonl", corpus=corpora[1])
    assert [NEW[one.start : one.end] for one in run] == ["# Rent", "in early May"]
    with pytest.raises(ExcerptError, match=r"run.jsonl was made on another version of 1 of the 1 document"):
        align(tmp_path / "run.jsonl", corpora[1], corpora[0], tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()
    place(corpora[0], {"A": ["# Rent", "The rent is due in May"]}).write(tmp_path / "chunks.jsonl")
    align(tmp_path / "chunks.jsonl", *corpora, tmp_path / "chunks2.jsonl")
    lines = [
        json.loads(line) for line in (tmp_path / "chunks2.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [line["text"] for line in lines] == ["# Rent", "The rent is due in early May"]
    assert [line.get("was") for line in lines] == [None, "The rent is due in May"]
    write_run(Run.of("r", rows), tmp_path / "run.fol", corpus=corpora[0])
    align(tmp_path / "run.fol", *corpora, tmp_path / "run2.fol")
    assert [one.start for one in read_run(tmp_path / "run2.fol", corpus=corpora[1])] == [
        one.start for one in run
    ]


def test_gold_of_quotes(tmp_path: Path) -> None:
    """The text that stands there now; a quote that is gone is left out."""
    gold = tmp_path / "gold.jsonl"
    rows: list[dict[str, Any]] = [
        {"question": "When?", "document": "A", "quote": "due in May"},
        {
            "question": "Who?",
            "any_of": [{"document": "A", "quote": "two years"}, {"document": "A", "quote": "handed over"}],
        },
    ]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    new = NEW[: NEW.index("# Keys")]
    found = align(gold, {"A": OLD}, {"A": new}, tmp_path / "out.jsonl")
    assert found.counts == {"kept": 1, "moved": 0, "changed": 1, "gone": 1}
    spans = found.to_dict()["spans"]
    assert [one["how"] for one in spans] == ["changed", "gone"]
    assert spans[0]["now"] == "due in early May"
    assert (spans[0]["from"], spans[1]["to"]) == (list(at("due in May")), None)
    one, two = [
        json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert (one["quote"], one["was"]) == ("due in early May", "due in May")
    assert [part["quote"] for part in two["any_of"]] == ["two years"]


def test_corpora_without_a_common_document(tmp_path: Path) -> None:
    """One line, nothing written."""
    row = b'{"topic": "1", "document": "A", "start": 0, "end": 3}'
    with pytest.raises(ExcerptError, match="no document has the same id in both corpora"):
        align(row, {"A": OLD}, {"B": OLD}, tmp_path / "out.jsonl")
    with pytest.raises(ExcerptError, match=r"<bytes>:1: found document 'C', expected one of the old version"):
        align(row.replace(b'"A"', b'"C"'), {"A": OLD}, {"A": NEW}, tmp_path / "out.jsonl")
    with pytest.raises(ExcerptError, match=r"<bytes>:1: found a span from 0 to 999"):
        align(row.replace(b"3", b"999"), {"A": OLD}, {"A": NEW}, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()
