"""excerpt judges."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Excerpt

HUMAN = "1 0 A 2\n1 0 B 0\n1 0 C 1\n2 0 A 0\n2 0 D 3\n"
MODEL = "1 0 A 1\n1 0 B 0\n1 0 C 0\n1 0 E 3\n2 0 A 0\n2 0 D 3\n"
LINES = [
    {"topic": "1", "document": "A", "spans": [[0, 10]], "size": 40, "assessors": ["ann"]},
    {"topic": "1", "document": "A", "spans": [[5, 20]], "size": 40, "assessors": ["bob"]},
    {"topic": "1", "document": "B", "spans": [], "size": 10, "assessors": ["ann"]},
    {"topic": "1", "document": "B", "spans": [[0, 2]], "size": 10, "assessors": ["bob"]},
]
HINT = "What the judges do to rankings: excerpt correlate QRELS RUN… --qrels2 QRELS\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Judgments of a person and of a model."""
    for name, text in (("human", HUMAN), ("model", MODEL)):
        (tmp_path / f"{name}.txt").write_text(text)
    return str(tmp_path / "human.txt"), str(tmp_path / "model.txt")


def test_a_model_against_people(files: tuple[str, str], excerpt: Excerpt) -> None:
    """Every number of the five common documents; means and shares are over all that each judged."""
    done = excerpt("judges", f"people={files[0]}", f"umbrela={files[1]}", "--format", "json")
    assert (done.status, done.err) == (0, "")
    assert excerpt("judges", *files).out.endswith(HINT)
    found = json.loads(done.out)
    assert found["judges"] == {
        "people": {"documents": 5, "mean_grade": 1.2, "share_relevant": 0.6},
        "umbrela": {"documents": 6, "mean_grade": 7 / 6, "share_relevant": 0.5},
    }
    pair = found["pairs"][0]
    assert (pair["judges"], pair["documents"]) == (["people", "umbrela"], 5)
    assert pair["confusion"]["2"] == {"0": 0, "1": 1, "2": 0, "3": 0}
    # Of chance 25 - (2*3 + 1*1 + 1*0 + 1*1) pairs differ; two of five documents do.
    assert pair["kappa"]["plain"] == pytest.approx(1 - (2 / 5) / (17 / 25))
    # Relevant or not: one of five differs, of ten values five are relevant.
    assert found["alpha"]["nominal"] == pytest.approx(1 - 9 * 2 / (2 * 5 * 5))
    assert found["characters"] == {"jaccard": None, "f": None, "alpha_u": None}
    assert [topic["topic"] for topic in found["topics"]] == ["1", "2"]
    keys = {"judges", "alpha", "alpha_interval", "pairs", "characters"}
    assert keys | {"topic"} == found["topics"][0].keys()
    assert keys | {"topics", "record", "warnings"} == found.keys()


def test_a_higher_grade_is_relevant(files: tuple[str, str], excerpt: Excerpt) -> None:
    """From grade 3 on all agree."""
    found = json.loads(excerpt("judges", *files, "--relevant", "3", "--format", "json").out)
    assert found["alpha"]["nominal"] == 1.0
    assert list(found["judges"]) == ["human", "model"]


def test_a_file_that_names_its_assessors(tmp_path: Path, excerpt: Excerpt) -> None:
    """It is as many judges as it names, with agreement of characters."""
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    found = json.loads(excerpt("judges", tmp_path / "q.jsonl", "--format", "json").out)
    assert list(found["judges"]) == ["ann", "bob"]
    assert found["characters"]["jaccard"] == (5 / 20 + 0) / 2
    assert found["characters"]["f"] == (10 / 25 + 0) / 2
    assert found["characters"]["alpha_u"] is not None
    text = excerpt("judges", tmp_path / "q.jsonl").out
    assert "judges, on all that each judged" in text
    assert "grades of ann (rows) and bob (columns)" in text


def test_lengths_of_the_corpus(tmp_path: Path, excerpt: Excerpt) -> None:
    """Where files have none; without either a warning says what is left out."""
    lines = [{key: value for key, value in line.items() if key != "size"} for line in LINES]
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "sized.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    (tmp_path / "docs").mkdir()
    for name, size in (("A", 40), ("B", 10)):
        (tmp_path / "docs" / f"{name}.txt").write_text("x" * size)
    without = excerpt("judges", tmp_path / "q.jsonl", "--format", "json")
    assert json.loads(without.out)["characters"]["alpha_u"] is None
    assert "2 documents have no known length" in without.err
    given = excerpt("judges", tmp_path / "q.jsonl", "--corpus", tmp_path / "docs", "--format", "json")
    sized = excerpt("judges", tmp_path / "sized.jsonl", "--format", "json")
    assert json.loads(given.out)["characters"] == json.loads(sized.out)["characters"]
    (tmp_path / "docs" / "A.txt").write_text("x" * 12)
    beyond = excerpt("judges", tmp_path / "q.jsonl", "--corpus", tmp_path / "docs")
    assert beyond.status == 2
    assert "found relevant text up to 20 by bob in topic 1 document A, expected at most 12" in beyond.err


def test_wrong_input(files: tuple[str, str], tmp_path: Path, excerpt: Excerpt) -> None:
    """One line each, and nothing is written over an input."""
    one = excerpt("judges", files[0])
    assert (one.status, one.out) == (2, "")
    assert one.err.startswith("excerpt: found 1 judge (human), expected two")
    other = tmp_path / "other.txt"
    other.write_text("9 0 Z 1\n")
    apart = excerpt("judges", files[0], other)
    assert (apart.status, "no document in common (human: topic 1 document A; " in apart.err) == (2, True)
    twice = excerpt("judges", f"a={files[0]}", f"a={files[1]}")
    assert twice.err == "excerpt: found two files of a, expected each name once\n"
    over = excerpt("judges", f"a={files[0]}", f"b={files[1]}", "-o", files[0])
    assert "is an input" in over.err
    assert Path(files[0]).read_text() == HUMAN
    assert excerpt("judges", *files, "--relevant", "x").status == 2
    assert "unknown topic '7'" in excerpt("judges", *files, "--only", "7").err
    assert excerpt("judges").status == 2
    assert "nowhere.txt" in excerpt("judges", files[0], tmp_path / "nowhere.txt").err


def test_scales_that_differ_are_said(files: tuple[str, str], tmp_path: Path, excerpt: Excerpt) -> None:
    """Grades are compared as numbers; negative ones are no judgments."""
    (tmp_path / "binary.txt").write_text("1 0 A 1\n1 0 B -1\n1 0 C 0\n")
    done = excerpt("judges", files[0], tmp_path / "binary.txt")
    assert "the scales of grades may differ: human (up to 3), but binary (up to 1)" in done.err
    assert "1 judgment has a grade below 0 and counts as not judged" in done.err
