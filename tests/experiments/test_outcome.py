"""Outcomes: rows, record, what they print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Corpus, collection
from excerpt.errors import ExcerptError, FormatError, UnknownName
from excerpt.experiments import EXPERIMENTS, InputFile, Outcome, Record
from excerpt.experiments.outcome import Request, SavedOutcome, first_difference, rerun
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
    """The record has the corpus and the files; runs are read with it."""
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


def test_keys_of_records_stay() -> None:
    """Names of what was asked are in the order of 0.2.0; those of further options come between them."""
    asked = Request.of("compare", {"qrels": "q", "runs": ["a", "b"], "measures": ["MAiP"]}).to_dict()
    names = "qrels runs measures alpha samples seed test sides correction plus_one baseline per_topic ranks "
    names += "index corpus document_tag id_from run_format qrels_format context order quantisations "
    names += "id_pattern segments "
    names += "topics only exclude target drop_tags ids copies unplaced tokens overlap interleaved "
    names += "unknown unknown_length limit only_run_topics include_empty limit_documents"
    assert [name for name in asked if name in names.split()] == names.split()
    assert (asked["runs"], asked["drop_tags"], asked["index"], asked["limit"]) == (["a", "b"], [], None, 1500)


VALUES = (
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.booleans()
)
ROWS = st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), max_size=4).map(tuple)


@given(ROWS, st.integers(0, 99), st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_what_was_printed_is_read_back(
    rows: tuple[dict[str, Any], ...], seed: int, options: dict[str, Any]
) -> None:
    """Rows and record survive, to the last bit."""
    outcome = Outcome(rows, Record("agreement", seed, (), options))
    read = SavedOutcome.parse(outcome.to_json())
    assert read.record == outcome.record
    assert first_difference(read.rows, rows) == ""


@given(ROWS, ROWS)
def test_a_difference_is_found_where_there_is_one(
    one: tuple[dict[str, Any], ...], two: tuple[dict[str, Any], ...]
) -> None:
    """No difference means the same text."""
    assert (first_difference(one, two) == "") == (json.dumps(one) == json.dumps(two))


def test_differences_in_words() -> None:
    """Number of rows, columns, values; a whole number is not a fraction, and long values are cut."""
    assert first_difference(({"a": 1},), ({"a": 1}, {"a": 2})) == "found 1 row, expected 2"
    assert first_difference(({"a": 1},), ({"b": 1},)) == "row 1: found the columns a, expected b"
    assert first_difference(({"a": 1},), ({"a": 1.0},)) == "row 1: found a 1, expected 1.0"
    assert (
        first_difference(({"a": None},), ({"a": "x" * 99},)) == f'row 1: found a null, expected "{"x" * 58}…'
    )


def test_files_that_changed_or_are_gone(tmp_path: Path) -> None:
    """The error names the file and the record; the same content compressed is the same."""
    (tmp_path / "q").write_text("one")
    printed = SavedOutcome((), Record("agreement", 1, (InputFile.of(tmp_path / "q"),)), "saved.json")
    printed.require_inputs()
    (tmp_path / "q").write_text("two")
    with pytest.raises(ExcerptError, match=r"q: found digest 3fc4ccfe7458…, expected .* saved\.json"):
        printed.require_inputs()
    (tmp_path / "q").unlink()
    with pytest.raises(ExcerptError, match="q: cannot be read: no such file"):
        printed.require_inputs()


def test_a_corpus_that_changed(tmp_path: Path) -> None:
    """The digest is that of its documents, in all folders; the error names the corpus."""
    folder = tmp_path / "docs"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "a.txt").write_text("one")
    recorded = InputFile.of_corpus({"corpus": str(folder)})
    printed = SavedOutcome((), Record("agreement", 1, (recorded,), {"corpus": str(folder)}), "saved.json")
    printed.require_inputs()
    (folder / "inner" / "a.txt").write_text("two")
    with pytest.raises(ExcerptError, match=r"docs: found digest .* saved\.json; the corpus has changed"):
        printed.require_inputs()


def test_a_record_from_python_is_a_record() -> None:
    """The helper of the next test makes what is read where nothing is wrong with it."""
    assert SavedOutcome.parse(_record()).record == Record("agreement", 1)


@pytest.mark.parametrize("option", ["qrels", "runs", "quantisations"])
def test_standard_input_cannot_be_read_again(option: str) -> None:
    """A dash or a pipe among the files is refused."""
    good = {"qrels": "q", "runs": ["a", "b"], "measures": ["MAiP", "charF"]}
    assert SavedOutcome((), Record("agreement", options=good), "x").request().runs == ("a", "b")
    for name in ("-", "/dev/fd/63"):
        bad = {**good, option: [name] if option == "runs" else name}
        with pytest.raises(
            ExcerptError, match="x: the experiment read standard input or a pipe and cannot be repeated"
        ):
            SavedOutcome((), Record("agreement", options=bad), "x").request()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "x: the record has no options"),
        ({"runs": ["a"]}, "x: found None as qrels, expected text"),
        ({"qrels": 3}, "x: found 3 as qrels"),
        ({"qrels": "q", "runs": "a"}, "x: found 'a' as runs, expected a list"),
        ({"qrels": "q", "runs": [1]}, r"x: found \[1\] as runs, expected a list"),
        ({"qrels": "q", "index": 1}, "x: found 1 as index, expected text"),
        ({"qrels": "q", "corpus": ["c"]}, r"x: found \['c'\] as corpus, expected text"),
        ({"qrels": "q", "cluster": "tcp://somewhere:1"}, "x: unknown option 'cluster'"),
        ({"qrels": "q", "test": ["t"]}, "x: unknown test"),
        ({"qrels": "q", "alpha": {}}, "x: alpha: found {}, expected a number between 0 and 1"),
        ({"qrels": "q", "alpha": 10**400}, "x: alpha: found 1000.*…, expected a number between 0 and 1"),
        ({"qrels": "q", "min_difference": 10**400}, "x: min_difference: found 1000.*…, expected a number"),
        ({"qrels": "q", "samples": True}, "x: samples: found true, expected a whole number"),
        ({"qrels": "q", "overlap": "sometimes"}, "x: unknown policy for overlap 'sometimes'"),
        ({"qrels": "q", "limit": "all"}, "x: found limit all"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    """Options of a record are checked like a command line; no cluster is connected."""
    with pytest.raises(ExcerptError, match=message) as caught:
        SavedOutcome((), Record("agreement", options=options), "x").request()
    assert "\n" not in str(caught.value)


def test_a_record_of_a_command_line() -> None:
    """Records of 0.1.0 had the arguments of a command: one line says how to make them anew."""
    text = json.dumps(
        {
            "rows": [],
            "record": {
                "version": "0.1.0",
                "experiment": "stability",
                "seed": 1,
                "inputs": [],
                "arguments": ["stability", "pool", "my qrels", "r"],
            },
        }
    )
    with pytest.raises(ExcerptError, match="run it again: excerpt stability pool 'my qrels' r") as caught:
        rerun(text.encode())
    assert "\n" not in str(caught.value)


def _record(**values: Any) -> str:
    """No rows, and a record with other values."""
    return json.dumps({"rows": [], "record": Record("agreement", 1).to_dict() | values})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "invalid JSON"),
        ("rows", "invalid JSON"),
        ("[" * 99999, "invalid JSON"),
        ("[]", "without the rows"),
        ("3", "without the rows"),
        ('{"rows": []}', "without the rows"),
        ('{"rows": [3], "record": {}}', "without the rows"),
        (_record(options=[7]), "without the rows"),
        (_record(seed="a"), "without the rows"),
        (_record(inputs=["q"]), "without the rows"),
        (_record(options={"runs": 0}).replace("0}", "[" * 100_000 + "]" * 100_000 + "}"), "invalid JSON"),
        (_record(options={"per_topic": 0}).replace("0}", "[" * 600 + "]" * 600 + "}"), "without the rows"),
        (_record(options={"qrels": {"a": 1}}), "without the rows"),
        ('{"measures": ["MAiP"], "runs": [], "warnings": []}', "without the rows"),
    ],
)
def test_what_is_no_record(text: str, message: str) -> None:
    """Anything else is refused with the place and what was expected."""
    with pytest.raises(
        FormatError, match=f"a.json: found .*{message}.*expected the JSON output of an experiment"
    ):
        SavedOutcome.parse(text, "a.json")


ANYTHING: st.SearchStrategy[Any] = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
@given(data=st.data())
def test_records_of_any_values(experiment: str, data: st.DataObject) -> None:
    """Any content of a record is a request or a one-line error."""
    good = {"qrels": "q", "runs": ["a", "b"], "measures": ["MAiP", "charF"]}
    known = Request.of(experiment, good).to_dict()
    for name in data.draw(st.lists(st.sampled_from(sorted(known)), min_size=1, max_size=3)):
        known[name] = data.draw(ANYTHING)
    text = json.dumps({"rows": [], "record": Record(experiment, 1, (), known).to_dict()})
    said = ""
    try:
        SavedOutcome.parse(text, "a.json").request()
    except ExcerptError as error:
        said = str(error)
    assert not said or said.startswith("a.json: ")
    assert "\n" not in said


def test_a_record_names_what_computed() -> None:
    """Versions of Python and numpy, which do not decide whether records are equal; old ones have none."""
    import platform

    import numpy as np

    printed = json.loads(OUTCOME.to_json())
    made = printed["record"]["versions"]
    assert (made["python"], made["numpy"]) == (platform.python_version(), np.__version__)
    del printed["record"]["versions"]
    old = SavedOutcome.parse(json.dumps(printed))
    assert (old.record.versions, old.record == OUTCOME.record) == ({}, True)
    printed["record"]["versions"] = {"python": 3}
    with pytest.raises(ExcerptError, match="without the rows and the record"):
        SavedOutcome.parse(json.dumps(printed))
