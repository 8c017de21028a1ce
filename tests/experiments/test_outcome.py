"""Outcomes: rows, record, what they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import Corpus, collection
from excerpt.errors import UnknownName
from excerpt.experiments import EXPERIMENTS, InputFile, Outcome, Record
from excerpt.experiments.outcome import Request
from excerpt.model import Policy

ROW = {"measure": "MAiP", "mean": 0.5, "values": [0.25, None]}
OUTCOME = Outcome((ROW,), Record("stability topics", 3), ("a doubt",))


def test_json() -> None:
    """Rows, record and warnings, as the command line prints them."""
    printed = json.loads(OUTCOME.to_json())
    assert printed["rows"] == [ROW]
    assert {"version", "seed", "inputs", "options"} <= set(printed["record"])
    assert printed["warnings"] == ["a doubt"]
    assert "\x9b" not in Outcome(({"run": "\x9b"},), Record("x")).to_json()


def test_print() -> None:
    """A table for people; a line in a console; nothing at all is an empty table."""
    assert str(OUTCOME) == "measure    mean\n---------------\nMAiP     0.5000"
    assert repr(OUTCOME) == "<Outcome of stability topics: 1 row>"
    assert str(Outcome((), Record("x"))).strip() == ""


def test_digests(tmp_path: Path) -> None:
    """Of a file, and of a folder's files in the order of their names, but for hidden ones."""
    (tmp_path / "b").write_text("two")
    (tmp_path / "a").write_text("one")
    both = InputFile.of(tmp_path).sha256
    (tmp_path / ".hidden").write_text("x")
    assert InputFile.of(tmp_path).sha256 == both
    (tmp_path / "whole").write_text("onetwo")
    assert InputFile.of(tmp_path / "whole").sha256 == both


GIVEN = {"qrels": "q", "runs": ["a", "b"], "measures": ["MAiP"]}


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_there_and_back(experiment: str) -> None:
    """Every experiment's request survives JSON, with the defaults of its options."""
    request = Request.of(experiment, GIVEN)
    assert Request.of(experiment, json.loads(json.dumps(request.to_dict()))) == request
    assert request.policy == Policy()


def test_what_was_asked_is_kept() -> None:
    """Reading, policy and options are in the record under the names of their keywords."""
    more = {
        "overlap": "first",
        "limit": None,
        "order": "rank",
        "drop_tags": ("b",),
        "levels": (50,),
        "seed": 3,
    }
    request = Request.of("stability pool", {**GIVEN, **more})
    kept = request.to_dict()
    assert {name: kept[name] for name in more} == {**more, "levels": [50], "drop_tags": ["b"]}
    how = request.how()
    assert how["policy"] == Policy(overlap="first", limit=None)
    assert how["order"] == "rank"


def test_files_have_digests(tmp_path: Path) -> None:
    """Every file that is read is in the record, but for what can be read only once."""
    (tmp_path / "groups").write_text("a g\n")
    given = {
        **GIVEN,
        "qrels": str(collection.qrels()),
        "runs": [str(run.path) for run in collection.runs("focused")[:2]] + ["-"],
        "groups": str(tmp_path / "groups"),
    }
    record = Request.of("stability unpooled", given).record()
    assert [item.path for item in record.inputs] == [given["qrels"], *given["runs"][:2], given["groups"]]
    assert record.seed is None
    assert record.experiment == "stability unpooled"


def test_a_corpus_has_a_digest(tmp_path: Path) -> None:
    """The record has the corpus beside the files; runs are read with it."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("text")
    given = {"qrels": str(collection.qrels()), "runs": [], "measures": [], "corpus": str(folder)}
    request = Request.of("compare", given)
    corpus = request.how()["corpus"]
    assert isinstance(corpus, Corpus)
    assert corpus["a"] == "text"
    last = request.record().inputs[-1]
    assert last == InputFile(str(folder), corpus.fingerprint())
    assert request.record().options["corpus"] == str(folder)


def test_unknown_experiments() -> None:
    """The known ones are named."""
    with pytest.raises(UnknownName, match="unknown experiment 'stability'; did you mean 'stability pool'"):
        Request.of("stability", GIVEN)
