"""Ids of ir_datasets: qrels with and without places, runs, and the library missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

import excerpt
from excerpt.cli import main
from excerpt.datasets.catalogue import dataset_lines, is_dataset
from excerpt.errors import ExcerptError
from excerpt.model import Span


class Passage(NamedTuple):
    """As those of TREC Genomics are there."""

    query_id: str
    doc_id: str
    start: int
    length: int
    relevance: int


class Grade(NamedTuple):
    """A grade of a document."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class Scored(NamedTuple):
    """A document with a score."""

    query_id: str
    doc_id: str
    score: float


class Dataset:
    """A dataset with qrels, and perhaps scored documents."""

    def __init__(self, qrels: list[Any], scored: list[Any]) -> None:
        self._rows = {"qrels": qrels, "scoreddocs": scored}

    def has_qrels(self) -> bool:
        """Return whether there are any."""
        return bool(self._rows["qrels"])

    def has_scoreddocs(self) -> bool:
        """Return whether there are any."""
        return bool(self._rows["scoreddocs"])

    def qrels_iter(self) -> Iterator[Any]:
        """One after the other."""
        return iter(self._rows["qrels"])

    def scoreddocs_iter(self) -> Iterator[Any]:
        """One after the other."""
        return iter(self._rows["scoreddocs"])


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fake library with two datasets that downloads nothing."""
    passages = [
        Passage("160", "123", 10, 20, 2),
        Passage("160", "123", 90, 5, 0),
        Passage("160", "45", 0, 9, 0),
    ]
    grades = [Grade("1", "A", 1, "0"), Grade("2", "A", 1, "0")]
    scored = [Scored("1", "B", 2.5), Scored("1", "A", 2.0), Scored("2", "A", 2.0)]
    known = {
        "highwire/trec-genomics-2006": Dataset(passages, []),
        "some/set": Dataset(grades, scored),
        "no/internet": None,
    }

    def load(name: str) -> Dataset:
        found = known[name]
        if found is None:
            raise RuntimeError("no connection")
        return found

    monkeypatch.setitem(sys.modules, "ir_datasets", SimpleNamespace(load=load, registry=known))


def test_qrels_with_places() -> None:
    """Passages in bytes, what is not relevant judged; with and without the mark of an id."""
    for name in ("irds:highwire/trec-genomics-2006", "highwire/trec-genomics-2006"):
        judgments = excerpt.read_judgments(name)
        assert (judgments.unit, judgments.highlights("160")) == ("byte", [Span("123", 10, 30)])
        assert (judgments.documents, judgments.source) == (("123", "45"), name)


def test_grades_and_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Whole documents; a run is named after its dataset."""
    assert excerpt.read_judgments("irds:some/set").scale == "documents"
    run = excerpt.read_run("some/set")
    assert (run.name, [result.document for result in run]) == ("some/set", ["B", "A", "A"])
    assert excerpt.evaluate("irds:some/set", "irds:some/set", ["AP"]).means().tolist() == [[0.75]]
    assert main(["evaluate", "irds:some/set", "irds:some/set", "-m", "AP", "--format", "csv"]) == 0
    assert "0.75" in capsys.readouterr().out
    assert main(["convert", "irds:some/set", "-", "--to", "trec", "--kind", "run"]) == 0
    assert capsys.readouterr().out == "1 Q0 B 1 2.5 some/set\n1 Q0 A 2 2 some/set\n2 Q0 A 1 2 some/set\n"
    assert main(["check", "highwire/trec-genomics-2006"]) == 0


def test_wherever_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Experiments accept dataset ids, without a digest in their records, and so does trec_eval."""
    other = tmp_path / "run"
    other.write_text("1 Q0 A 1 2 x\n2 Q0 A 1 2 x\n")
    asked = ["compare", "irds:some/set", "some/set", str(other), "-m", "AP", "--test", "sign"]
    assert main([*asked, "--format", "json"]) == 0
    assert str(other) in capsys.readouterr().out
    assert main(["trec_eval", "irds:some/set", str(other)]) == 0


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "irds:no/such",
            "irds:no/such: found 'no/such', expected the id of a dataset of ir_datasets",
        ),
        ("irds:no/internet", "irds:no/internet: cannot be loaded by ir_datasets: no connection"),
    ],
)
def test_faults(name: str, message: str) -> None:
    """One line each."""
    with pytest.raises(ExcerptError) as caught:
        dataset_lines(name, "judgments")
    assert str(caught.value) == message
    with pytest.raises(ExcerptError, match=r"this dataset has no run \(scored documents\)"):
        excerpt.read_run("irds:highwire/trec-genomics-2006")


def test_files_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of that name is read; a name that is neither is a file that is missing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "some").mkdir()
    (tmp_path / "some" / "set").write_text("7 Q0 A 5 9 0 0:5\n")
    assert excerpt.read_judgments("some/set").topics == ("7",)
    assert not is_dataset("no/such")
    assert not is_dataset(b"irds:some/set")
    with pytest.raises(ExcerptError, match="no/such: cannot be read: no such file"):
        excerpt.read_judgments("no/such")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is needed for ids only, and the error names it."""
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    assert not is_dataset("some/set")
    with pytest.raises(ExcerptError) as caught:
        excerpt.read_judgments("irds:some/set")
    assert str(caught.value) == (
        "irds:some/set: dataset ids need ir_datasets, which is not installed; pip install ir_datasets"
    )
