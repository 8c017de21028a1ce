"""excerpt stability: experiments from files to rows, record and figure."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from excerpt import collection

from .conftest import Excerpt

RUNS = [str(run.path) for run in collection.runs("focused")][:5]
COMMON = (str(collection.qrels()), *RUNS, "-m", "MAiP", "-m", "iP@0.01")


@pytest.mark.parametrize("experiment", ["pool", "topics", "errors", "depth", "unpooled"])
def test_every_experiment(experiment: str, files: Path, excerpt: Excerpt) -> None:
    """Rows and record as JSON, the same for the same seed; a table and CSV of the same rows."""
    drawn = experiment in {"pool", "topics", "errors"}
    options = ("--samples", "3", "--levels", "80,20", "--seed", "4") if drawn else ()
    done = excerpt("stability", experiment, *COMMON, *options, "--format", "json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert found["record"]["seed"] == (4 if drawn else None)
    assert [item["path"] for item in found["record"]["inputs"]] == [str(collection.qrels()), *RUNS]
    assert all(len(item["sha256"]) == 64 for item in found["record"]["inputs"])
    assert found["record"]["experiment"] == f"stability {experiment}"
    assert found["record"]["options"]["measures"] == ["MAiP", "iP@0.01"]
    measures = {row["measure"] for row in found["rows"]}
    assert len(measures) == 2
    if experiment in {"pool", "topics"}:
        assert set(found["rows"][0]) == {"measure", "level", "samples", "mean", "standard_error", "values"}
    again = excerpt("stability", experiment, *COMMON, *options, "--format", "json")
    assert json.loads(again.out)["rows"] == found["rows"]
    lines = excerpt("stability", experiment, *COMMON, *options, "--format", "csv").out.splitlines()
    assert len(lines) == 1 + len(found["rows"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "pool", "errors"),
    [
        (
            ("--overlap", "first", "--levels", "50,20", "--include-empty", "--format", "json"),
            (),
            ("--disjoint",),
        ),
        (("--only-run-topics", "--workers", "2", "--seed", "7"), ("--least", "3"), ("--absolute",)),
        (("--within", "difficulty", "--ranks", "1-3,5", "--samples", "2"), (), ("--replacement",)),
    ],
)
def test_the_whole_study_writes_what_its_parts_write(
    options: tuple[str, ...], pool: tuple[str, ...], errors: tuple[str, ...], files: Path, excerpt: Excerpt
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

    done = excerpt("stability", "all", *common, *pool, *errors, *named(""))
    assert done.status == 0, done.err
    together = {path.name: path.read_bytes() for path in files.glob("*-*.*")}
    assert len(together) == 9
    warned = ""
    for part in ("-pool", "-topics", "-errors"):
        own = {"-pool": pool, "-errors": errors}.get(part, ())
        alone = excerpt("stability", part[1:], *common, *own, *named(part))
        assert alone.status == 0, alone.err
        warned += alone.err
    assert _warnings(done.err) == _warnings(warned)
    assert {path.name: path.read_bytes() for path in files.glob("*-*.*")} == together
    again = excerpt("rerun", "kept-errors.json", "--check")
    assert again.status == 0, again.err


def _warnings(said: str) -> list[str]:
    """Lines without the notes that options leave a command, which name it."""
    return [line for line in said.splitlines() if " in this version only; " not in line]


def test_a_record_beside_the_table(files: Path, excerpt: Excerpt) -> None:
    """Whatever is printed, rows and record can be kept, and the experiment run again from them."""
    done = excerpt("stability", "errors", *COMMON, "--record", "kept.json")
    assert done.out.startswith("measure")
    before = (files / "kept.json").read_bytes()
    again = excerpt("rerun", "kept.json", "--check")
    assert (again.status, again.out) == (0, "kept.json: 8 rows, the same as before\n")
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
        (("pools",), "excerpt: unknown experiment 'pools'; did you mean 'pool'?"),
        (("pool", *COMMON, "--levels", "0"), "excerpt: argument --levels: found '0'"),
        (
            ("pool", *COMMON, "--levels", "120"),
            "excerpt: argument --levels: found level 120, expected a percentage",
        ),
        (
            ("pool", *COMMON, "-m", "nxCG@5"),
            f"excerpt: {RUNS[0]}: nxCG@5 needs element paths, but the run has none; give",
        ),
        (
            ("topics", str(collection.qrels()), RUNS[0]),
            "excerpt: found 1 run, expected at least 2 to compare",
        ),
        (
            ("unpooled", *COMMON, "--groups", "qrels"),
            "excerpt: qrels:1: found 8 columns, expected run and group",
        ),
        (("pool", *COMMON, "--fuzziness", "0.1"), "excerpt: unknown argument --fuzziness 0.1"),
        (
            ("pool", *COMMON, "--drop-tags", "p"),
            "excerpt: --drop-tags needs an element measure",
        ),
        (("topics", *COMMON, "--least", "9"), "excerpt: unknown argument --least 9"),
        (("depth", *COMMON, "--levels", "80"), "excerpt: unknown argument --levels 80"),
        (("unpooled", *COMMON, "--groups", "blank"), "excerpt: blank:3: found 1 column, expected run and"),
        (("all", *COMMON), "excerpt: stability all writes three files: give -o FILE"),
        (
            ("all", *COMMON, "-o", "x", "--record", "-"),
            "excerpt: stability all writes three files: give -o FILE",
        ),
        (("all", *COMMON, "-o", "."), "excerpt: .: found a folder or a device, expected the name of a file"),
        (("all", *COMMON, "-o", "x/"), "excerpt: x/: found a folder or a device, expected the name of"),
        (("all", *COMMON, "-o", "/dev/null"), "excerpt: /dev/null: found a folder or a device, expected"),
        (("all", *COMMON, "-o", "no/x"), "excerpt: no/x: cannot be written: no such file or directory"),
        (
            ("all", *COMMON, "-o", "x", "--fuzziness", "2"),
            "excerpt: argument --fuzziness: found '2', expected a number from 0 to",
        ),
        (
            ("all", *COMMON, "-o", "x", "--levels", "101"),
            "excerpt: argument --levels: found level 101, expected a percentage",
        ),
        (
            ("--limit", "all", "all", *COMMON, "-o", "x"),
            "excerpt: unknown experiment '--limit'; known: all, depth",
        ),
        (("all", *COMMON[:2], "-o", "x"), "excerpt: found 1 run, expected at least 2 to compare"),
        (
            ("topics", *COMMON, "--within", "kind"),
            "excerpt: groups by kind need topics; give --topics FILE",
        ),
        (("errors", *COMMON, "--within", "missing"), "excerpt: missing: cannot be read: no such file"),
        (("pool", *COMMON, "--within", "blank"), "excerpt: blank:3: found 1 column, expected run or topic"),
        (("topics", *COMMON, "--within", "groups"), "excerpt: groups: unknown run in the groups 'nobody'"),
        (
            ("errors", *COMMON, "--disjoint", "--replacement"),
            "excerpt: --disjoint and --replacement cannot be combined",
        ),
    ],
)
def test_mistakes(options: tuple[str, ...], message: str, files: Path, excerpt: Excerpt) -> None:
    """One line and exit status 2."""
    (files / "blank").write_text("\n\nx\n")
    (files / "groups").write_text("nobody one\n")
    done = excerpt("stability", *options)
    assert done.status == 2
    assert done.err.startswith(message)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("experiment", ["pool", "topics", "errors"])
def test_groups_of_a_file(experiment: str, files: Path, excerpt: Excerpt) -> None:
    """A column and a line for each group; the record has the digest of the file, and is repeated."""
    pytest.importorskip("matplotlib")
    names = [run.name for run in collection.runs("focused")][:5]
    (files / "groups").write_text("".join(f"{name} {'ab'[place % 2]}\n" for place, name in enumerate(names)))
    options = ("--within", "groups", "--levels", "80,20", "--samples", "3", "--quiet", "--format", "json")
    drawn = ("--figure", "f.svg", "--data", "f.csv", "-o", "r.json")
    assert excerpt("stability", experiment, *COMMON, *options, *drawn).status == 0
    written = json.loads((files / "r.json").read_text())
    assert [row["group"] for row in written["rows"]] == ["a", "a", "b", "b"] * 2
    assert "groups" in [item["path"] for item in written["record"]["inputs"]]
    assert (files / "f.csv").read_text().startswith("measure,group,level,")
    legend = ("MAiP, a", "MAiP, b", "iP@0.01, a", "iP@0.01, b")
    assert all(f">{name}</text>" in (files / "f.svg").read_text() for name in legend)
    assert excerpt("rerun", "r.json", "--check", "--quiet").out == "r.json: 8 rows, the same as before\n"
    (files / "groups").write_text("changed\n")
    assert "groups: found digest" in excerpt("rerun", "r.json", "--check").err
    same = excerpt("stability", experiment, *COMMON, *options, "-o", "groups")
    assert (same.status, same.err[:25]) == (2, "excerpt: groups: is an in")


@pytest.mark.parametrize("experiment", ["depth", "unpooled"])
def test_pools_of_standard_input(experiment: str, excerpt: Excerpt, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are read twice, one on standard input too: the rows are those of its file."""
    asked = ("stability", experiment, str(collection.qrels()), RUNS[0])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(Path(RUNS[1]).read_bytes())))
    piped = excerpt(*asked, "-", "--format", "csv")
    assert (piped.status, piped.out) == (0, excerpt(*asked, RUNS[1], "--format", "csv").out)
