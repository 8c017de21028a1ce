"""Fingerprints of texts: in rows, compared where files meet, and beside files of columns."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from excerpt import (
    Corpus,
    ExcerptError,
    Run,
    evaluate,
    place,
    read_judgments,
    read_run,
    write_judgments,
    write_run,
)
from excerpt.records.fingerprints import OtherVersionError, are_same, compare_files

OLD = {"A": "One two. Three four.", "B": "Five six seven."}
NEW = {"A": "Note. One two. Three four.", "B": "Five six seven."}
ROWS = [
    {"topic": "1", "document": "A", "start": 9, "end": 20},
    {"topic": "1", "document": "B", "start": 0, "end": 4},
]


def lines(path: Path) -> list[dict[str, object]]:
    """The objects of a file, one per line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def hash_of(text: str) -> str:
    """The definition."""
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that was made on the old documents."""
    path = tmp_path / "run.jsonl"
    write_run(Run.of("r", ROWS), path, corpus=OLD)
    return path


def test_rows_name_the_version(run: Path) -> None:
    """The first 16 digits of the SHA-256 of the text, in every row."""
    assert [row["fingerprint"] for row in lines(run)] == [hash_of(OLD[name])[:16] for name in ("A", "B")]
    write_run(Run.of("r", ROWS), run, corpus=OLD, fingerprint=False)
    assert not any("fingerprint" in row for row in lines(run))


def test_another_version_is_an_error(run: Path) -> None:
    """Before any number, with what to do; the same version is none."""
    expected = "was made on another version of 1 of the 2 documents that it names (first: A)"
    with pytest.raises(OtherVersionError, match=r"run.jsonl was made") as caught:
        evaluate([("1", "A", 0, 3)], [run], "recall@5", corpus=NEW)
    assert expected in str(caught.value)
    assert evaluate([("1", "A", 9, 20)], [run], "recall@5", corpus=OLD).means().tolist() == [[1.0]]


def test_texts_are_placed_again(tmp_path: Path) -> None:
    """Rows with their text need no offsets: the place nearest to the old one is taken."""
    path = tmp_path / "texts.jsonl"
    row = {**ROWS[0], "text": "Three four.", "fingerprint": hash_of(OLD["A"])[:16]}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    found = read_run(path, corpus=NEW)
    assert (found[0].start, found[0].end) == (15, 26)
    assert are_same(found.fingerprints["A"], hash_of(NEW["A"]))


@pytest.mark.parametrize("key", ["fingerprint", "sha256"])
@pytest.mark.parametrize("value", ["xyz", "0123456789abcde", "g" * 16, "0" * 65, 7])
def test_what_is_no_fingerprint(tmp_path: Path, key: str, value: object) -> None:
    """One line, with the line of the file."""
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps({**ROWS[0], key: value}) + "\n", encoding="utf-8")
    with pytest.raises(ExcerptError, match=rf"odd.jsonl:1: found {key} .*, expected 16 to 64 hexadecimal"):
        read_run(path)


def test_two_versions_in_one_file(tmp_path: Path) -> None:
    """An error; a beginning of the other is the same."""
    whole = hash_of(OLD["A"])
    path = tmp_path / "two.jsonl"
    both = [{**ROWS[0], "fingerprint": whole[:16]}, {**ROWS[0], "sha256": whole}]
    path.write_text("".join(json.dumps(row) + "\n" for row in both), encoding="utf-8")
    assert read_run(path).fingerprints == {"A": whole}
    both[1] = {**ROWS[0], "fingerprint": hash_of(NEW["A"])}
    path.write_text("".join(json.dumps(row) + "\n" for row in both), encoding="utf-8")
    with pytest.raises(ExcerptError, match=r"two.jsonl:2: found fingerprint"):
        read_run(path)


def test_two_runs_without_a_corpus(run: Path, tmp_path: Path) -> None:
    """They are compared with each other; one without fingerprints is said."""
    other = tmp_path / "other.jsonl"
    write_run(Run.of("s", ROWS), other, corpus=NEW)
    judged = [("1", "A", 9, 20)]
    with pytest.raises(OtherVersionError, match=r"other.jsonl was made on another version of 1 of the 2"):
        evaluate(judged, [run, other], "recall@5")
    write_run(Run.of("s", ROWS), other)
    with pytest.warns(UserWarning, match=r"1 file has no fingerprints"):
        evaluate(judged, [run, other], "recall@5")


def test_run_and_judgments_without_a_corpus(run: Path, tmp_path: Path) -> None:
    """They are compared as well."""
    judged = read_judgments([{"topic": "1", "document": "A", "start": 15, "end": 26}])
    gold = tmp_path / "gold.jsonl"
    write_judgments(judged, gold, corpus=NEW)
    assert [row["sha256"] for row in lines(gold)] == [hash_of(NEW["A"])]
    with pytest.raises(OtherVersionError, match=r"run.jsonl was made on another version of 1 of the 1"):
        evaluate(gold, [run], "recall@5")


def test_judged_offsets_of_another_version(tmp_path: Path) -> None:
    """Without their text they are an error, with it they are located again."""
    gold = tmp_path / "gold.jsonl"
    row = {"topic": "1", "document": "A", "start": 9, "end": 20, "fingerprint": hash_of(OLD["A"])[:16]}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(OtherVersionError, match=r"gold.jsonl was made on another version of 1 of the 1"):
        read_judgments(gold, corpus=NEW)
    gold.write_text(json.dumps({**row, "quote": "Three four."}) + "\n", encoding="utf-8")
    with pytest.warns(UserWarning, match=r"1 evidence passage was not at its offsets"):
        found = read_judgments(gold, corpus=NEW)
    assert [(span.start, span.end) for span in found.highlights("1")] == [(15, 26)]


def test_columns_have_a_file_beside_them(tmp_path: Path) -> None:
    """FOL has no room for fingerprints."""
    path = tmp_path / "run.fol"
    write_run(Run.of("r", ROWS), path, corpus=OLD)
    about = json.loads((tmp_path / "run.fol.about.json").read_text(encoding="utf-8"))
    assert about["documents"] == {name: hash_of(text)[:16] for name, text in OLD.items()}
    with pytest.raises(OtherVersionError):
        read_run(path, corpus=NEW)
    assert len(read_run(path, corpus=OLD)) == 2
    path.write_text("1 Q0 A 1 1 r 0 5\n", encoding="utf-8")  # by another tool
    assert read_run(path, corpus=NEW).fingerprints == {}
    write_run(Run.of("r", ROWS), path, corpus=OLD)
    write_run(Run.of("r", ROWS), path)
    assert not (tmp_path / "run.fol.about.json").exists()


def test_runs_of_placed_chunks_know_them(tmp_path: Path) -> None:
    """Nothing is hashed before a file is written or compared."""
    corpus = Corpus(OLD)
    run = place(corpus, {"A": ["One two.", "Three four."]}).run({"1": [1, 0]})
    assert corpus._hashes == {}
    write_run(run, tmp_path / "run.jsonl")
    assert {row["fingerprint"] for row in lines(tmp_path / "run.jsonl")} == {hash_of(OLD["A"])[:16]}


def test_nothing_is_hashed_without_fingerprints() -> None:
    """No row has one."""
    corpus = Corpus(OLD)
    evaluate([("1", "A", 9, 20)], [Run.of("r", ROWS)], "recall@5", corpus=corpus)
    assert corpus._hashes == {}


def test_chunks_of_another_version(tmp_path: Path) -> None:
    """Offsets alone are an error; a text is placed again, and gets the fingerprint of now."""
    row = {"document": "A", "start": 9, "end": 20, "fingerprint": hash_of(OLD["A"])[:16]}
    with pytest.raises(OtherVersionError):
        place(NEW, [row])
    chunks = place(NEW, [{**row, "text": "Three four."}])
    chunks.write(tmp_path / "c.jsonl")
    assert lines(tmp_path / "c.jsonl")[0]["fingerprint"] == hash_of(NEW["A"])[:16]


def test_documents_in_common_are_compared() -> None:
    """Others are not."""
    compare_files([("a", {"A": "0" * 16}), ("b", {"B": "1" * 16}), ("c", {"A": "0" * 64})])
