"""Output of trec_eval 10: its own tests, and its output for generated files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt.cli import main
from excerpt.errors import ExcerptError

DATA = Path(__file__).parents[2] / "data" / "trec_eval"
_PARAMETERS = (
    "iprec_at_recall..10,.20,.25,.75,.50 P.5,7,3 recall.20,2000 Rprec_mult.5.0,0.2,0.35 utility.2,-1,0,0 "
    "11pt_avg..25,.5,.75 ndcg.1=3,2=9,4=4.5 ndcg_cut.10,20,23.4 success.2,5,20"
)


@pytest.mark.parametrize(
    ("out", "options", "files"),
    [
        ("out.test", "", "qrels.test results.test"),
        ("out.test.a", "-m all_trec", "qrels.test results.test"),
        ("out.test.aq", "-m all_trec -q", "qrels.test results.test"),
        ("out.test.aqc", "-m all_trec -q -c", "qrels.test results.trunc"),
        ("out.test.aqcM", "-m all_trec -q -c -M100", "qrels.test results.trunc"),
        ("out.test.aql", "-m all_trec -mrelstring.20 -q -l2", "qrels.rel_level results.test"),
        (
            "out.test.meas_params",
            "-q " + " ".join(f"-m {name}" for name in _PARAMETERS.split()),
            "qrels.test results.test",
        ),
    ],
)
def test_own_tests(out: str, options: str, files: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """The tests that come with the tool, byte for byte."""
    paths = [str(DATA / f"{name}.gz") for name in files.split()]
    assert main(["trec_eval", *options.split(), *paths]) == 0
    assert capsysbinary.readouterr().out == gzip.decompress((DATA / f"{out}.gz").read_bytes())


def test_generated_files(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Output of the binary for runs with ties, unjudged documents, missing topics and all options."""
    cases: list[dict[str, Any]] = json.loads(gzip.decompress((DATA / "generated.json.gz").read_bytes()))
    assert len(cases) > 100
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    for case in cases:
        qrels.write_text(case["qrels"], encoding="utf-8")
        run.write_text(case["run"], encoding="utf-8")
        assert main(["trec_eval", *case["options"], str(qrels), str(run)]) == 0
        assert capsysbinary.readouterr().out.decode() == case["printed"], case["options"]


def test_from_python() -> None:
    """Settings have the names of Python; runs come one after the other."""
    qrels, run = b"1 0 A 1\n1 0 B 2\n2 0 A 3\n", b"1 Q0 A 1 0.9 mine\n1 Q0 C 2 0.8 mine\n"
    printed = excerpt.trec_eval(qrels, [run, b"1 Q0 B 1 1 other\n"], ["runid", "map", "num_rel"])
    assert str(printed[0]).splitlines()[0] == "runid                 \tall\tmine"
    assert [run.figures["map", "all"] for run in printed] == [0.5, 0.5]
    every = excerpt.trec_eval(qrels, run, "map", complete=True, per_topic=True, summary=False)
    assert every[0].figures == {("map", "1"): 0.5, ("map", "2"): 0.0}
    graded = excerpt.trec_eval(qrels, run, ["map", "num_ret"], level=2, most=1, judged_only=True, documents=9)
    assert graded[0].figures == {("map", "all"): 0.0, ("num_ret", "all"): 1.0}


def test_topics_without_results_are_left_out_without_c() -> None:
    """As the manual of the tool says; release 10.0 itself stops there."""
    printed = excerpt.trec_eval(b"1 0 A 1\n2 0 A 1\n", b"2 Q0 A 1 1 mine\n", ["num_q", "num_rel", "map"])
    assert list(printed[0].figures.values()) == [1, 1, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"level": -1}, "found -1 as level, expected a whole number of at least 0"),
        ({"most": 0}, "found 0 as most, expected a whole number of at least 1"),
        ({"documents": "many"}, "found 'many' as documents"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    """They are refused before anything is read."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.trec_eval(b"nonsense", b"nonsense", **settings)
