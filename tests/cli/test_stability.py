"""excerpt stability: experiments from files to rows, record and figure."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from excerpt import collection

from .conftest import Excerpt

RUNS = [str(run.path) for run in collection.runs("focused")][:5]
COMMON = (str(collection.qrels()), *RUNS, "-m", "MAiP", "-m", "iP@0.01")


@pytest.mark.parametrize("experiment", ["pool", "topics", "errors", "depth", "unpooled"])
def test_every_experiment(experiment: str, files: Path, excerpt: Excerpt) -> None:
    """Rows and record as JSON, the same for the same seed; a table and CSV of the same rows."""
    options = ("--samples", "3", "--levels", "80,20", "--depths", "5,20")
    done = excerpt("stability", experiment, *COMMON, *options, "--format", "json", "--seed", "4")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["record"]["seed"] == 4
    assert [item["path"] for item in found["record"]["inputs"]] == [str(collection.qrels()), *RUNS]
    assert all(len(item["sha256"]) == 64 for item in found["record"]["inputs"])
    assert found["record"]["arguments"][:2] == ["stability", experiment]
    measures = {row["measure"] for row in found["rows"]}
    assert len(measures) == 2
    if experiment in {"pool", "topics"}:
        assert set(found["rows"][0]) == {"measure", "level", "samples", "mean", "standard_error", "values"}
    again = excerpt("stability", experiment, *COMMON, *options, "--format", "json", "--seed", "4")
    assert json.loads(again.out)["rows"] == found["rows"]
    lines = excerpt("stability", experiment, *COMMON, *options, "--format", "csv").out.splitlines()
    assert len(lines) == 1 + len(found["rows"])


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--overlap", "first", "--levels", "50,20", "--disjoint", "--include-empty", "--format", "json"),
        ("--only-run-topics", "--workers", "2", "--seed", "7", "--least", "3", "--absolute"),
    ],
)
def test_the_whole_study_writes_what_its_parts_write(
    options: tuple[str, ...], files: Path, excerpt: Excerpt
) -> None:
    """One reading of the runs: tables, records, figures and warnings of three commands, byte for byte."""
    pytest.importorskip("matplotlib")
    common = (*COMMON, "-m", "EPRUM(L=6000)", *options, "--samples", "3")

    def named(part: str) -> tuple[str, ...]:
        return (
            "-o",
            f"rows{part}.txt.gz",
            "--record",
            f"./kept{part}.json",
            f"--figure={files}/drawn{part}.svg",
        )

    done = excerpt("stability", "all", *common, *named(""))
    assert done.status == 0, done.err
    together = {path.name: path.read_bytes() for path in files.glob("*-*.*")}
    assert len(together) == 9
    warned = ""
    for part in ("-pool", "-topics", "-errors"):
        alone = excerpt("stability", part[1:], *common, *named(part))
        assert alone.status == 0, alone.err
        warned += alone.err
    assert done.err == warned
    assert {path.name: path.read_bytes() for path in files.glob("*-*.*")} == together
    again = excerpt("rerun", "kept-errors.json", "--check")
    assert again.status == 0, again.err


def test_a_record_beside_the_table(files: Path, excerpt: Excerpt) -> None:
    """Whatever is printed, rows and record can be kept, and the experiment run again from them."""
    done = excerpt("stability", "errors", *COMMON, "--record", "kept.json")
    assert done.out.startswith("measure")
    before = (files / "kept.json").read_bytes()
    again = excerpt("rerun", "kept.json", "--check")
    assert (again.status, again.out) == (0, "kept.json: the rows are the same (8)\n")
    assert (files / "kept.json").read_bytes() == before


def test_figures(files: Path, excerpt: Excerpt) -> None:
    """The same seed draws the same bytes."""
    pytest.importorskip("matplotlib")
    for name in ("one.svg", "two.svg"):
        done = excerpt("stability", "pool", *COMMON, "--samples", "2", "--figure", name)
        assert done.status == 0, done.err
    assert (files / "one.svg").read_bytes() == (files / "two.svg").read_bytes()
    bad = excerpt("stability", "pool", *COMMON, "--samples", "2", "--figure", "one.bmp")
    assert (bad.status, bad.out) == (2, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("pools",), "excerpt: argument EXPERIMENT: invalid choice"),
        (("pool", *COMMON, "--levels", "0"), "excerpt: argument --levels: found '0'"),
        (("pool", *COMMON, "--levels", "120"), "excerpt: found level 120, expected per cent"),
        (
            ("pool", *COMMON, "-m", "nxCG@5"),
            "excerpt: found nxCG@5, expected measures that read highlighted text",
        ),
        (("topics", str(collection.qrels()), RUNS[0]), "excerpt: found 1 runs and 35 topics"),
        (
            ("unpooled", *COMMON, "--groups", "qrels"),
            "excerpt: qrels:1: found 8 columns, expected run and group",
        ),
        (("all", *COMMON), "excerpt: found standard output for three experiments, expected -o FILE"),
        (
            ("all", *COMMON, "-o", "x", "--record", "-"),
            "excerpt: found standard output for three experiments",
        ),
        (("all", *COMMON, "-o", "."), "excerpt: .: found a folder or a device, expected the name of a file"),
        (("all", *COMMON, "-o", "x/"), "excerpt: x/: found a folder or a device, expected the name of"),
        (("all", *COMMON, "-o", "/dev/null"), "excerpt: /dev/null: found a folder or a device, expected"),
        (("all", *COMMON, "-o", "no/x"), "excerpt: no/x: cannot be written: no such file or directory"),
        (("all", *COMMON, "-o", "x", "--fuzziness", "2"), "excerpt: found fuzziness 2.0 and 10 samples"),
        (("all", *COMMON, "-o", "x", "--levels", "101"), "excerpt: found level 101, expected per cent"),
        (
            ("--limit", "all", "all", *COMMON, "-o", "x"),
            "excerpt: found --limit, expected all as the first argument of excerpt stability",
        ),
        (("all", *COMMON[:2], "-o", "x"), "excerpt: found 1 run, expected at least 2 to rank"),
    ],
)
def test_mistakes(options: tuple[str, ...], message: str, files: Path, excerpt: Excerpt) -> None:
    """One line and exit status 2."""
    done = excerpt("stability", *options)
    assert done.status == 2
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("experiment", ["depth", "unpooled"])
@pytest.mark.parametrize("name", ["-", "/dev/fd/9"])
def test_pools_are_made_of_files(experiment: str, name: str, excerpt: Excerpt) -> None:
    """Runs are read twice, so one that can be read once only is refused before anybody waits for it."""
    status, _, printed = excerpt("stability", experiment, str(collection.qrels()), RUNS[0], name)
    what = "standard input" if name == "-" else name
    assert (status, printed) == (2, f"excerpt: found {what}, which can be read once only, expected files\n")
