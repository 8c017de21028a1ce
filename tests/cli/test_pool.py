"""excerpt pool, as users call it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from excerpt.cli import main
from excerpt.pooling import read_pool


@pytest.fixture
def runs(tmp_path: Path) -> list[str]:
    """Two runs of one topic."""
    found = []
    for name, documents in (("a", "ABCD"), ("b", "BEAF")):
        file = tmp_path / f"{name}.fol"
        lines = [f"1 Q0 {letter} {rank} {9 - rank} {name} 0 9" for rank, letter in enumerate(documents, 1)]
        file.write_text("\n".join(lines) + "\n")
        found.append(str(file))
    return found


def documents(file: Path) -> list[str]:
    """The documents of a pool file."""
    return [item.document for item in read_pool(file).items]


def call(*arguments: object) -> int:
    """The status of a command."""
    return main(["pool", *map(str, arguments)])


def test_a_pool_is_written(runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into a file, with a line that says so; the same on standard output is the pool itself."""
    file = tmp_path / "pool.tsv"
    assert call(*runs, "--depth", 1, "--sample", 0.2, "-o", file) == 0
    assert capsys.readouterr().out == f"{file}: 3 documents on 1 topic from 2 runs\n"
    assert documents(file)[:2] == ["A", "B"]
    assert call(*runs, "--depth", 1, "--sample", 0.2) == 0
    assert capsys.readouterr().out == file.read_text()


def test_what_was_written_as_json(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--format is the format of the summary; without one it is rejected."""
    file = tmp_path / "pool.tsv"
    assert call(*runs, "--depth", 1, "-o", file, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == {"path": str(file), "documents": 2, "topics": 1, "runs": 2}
    assert call(*runs, "--depth", 1, "-o", file, "--format", "csv") == 2
    assert call(*runs, "--depth", 1, "--format", "json") == 2
    assert "a pool is always written as TSV" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--documents", 3), ["A", "B", "E"]),
        (("--take", 2), ["B", "A"]),
        (("--take", 1, "--floor", 1), ["A", "B"]),
        (("--only-runs", "b"), ["B", "E", "A", "F"]),
        (("--depth", 1, "--unit", "passage"), ["A", "B"]),
    ],
)
def test_rules(options: tuple[object, ...], found: list[str], runs: list[str], tmp_path: Path) -> None:
    """Each rule by its option."""
    assert call(*runs, *options, "-o", tmp_path / "pool.tsv") == 0
    assert documents(tmp_path / "pool.tsv") == found


def test_tasks_of_a_file(runs: list[str], tmp_path: Path) -> None:
    """Only the runs of a task are pooled."""
    (tmp_path / "tasks").write_text("a focused\nb thorough\n")
    assert call(*runs, "--task", "thorough", "--tasks", tmp_path / "tasks", "-o", tmp_path / "pool.tsv") == 0
    assert documents(tmp_path / "pool.tsv") == ["B", "E", "A", "F"]


def test_adaptive_orders(runs: list[str], tmp_path: Path) -> None:
    """Nothing has a probability then."""
    assert call(*runs, "--order", "max-mean", "--seed", 2, "-o", tmp_path / "pool.tsv") == 0
    assert {item.probability for item in read_pool(tmp_path / "pool.tsv").items} == {None}


def test_warnings_come_last(runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, one line each."""
    assert call(*runs, "--take", 1, "--floor", 2, "-o", tmp_path / "pool.tsv") == 0
    assert capsys.readouterr().err == (
        "excerpt: warning: 1 topic has more floor items than the 1 to take; all of them are in the pool "
        "(topic 1)\n"
    )


def test_info_of_a_file(runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Alone, with runs at another depth, in other formats and into a file."""
    file = tmp_path / "pool.tsv"
    assert call(*runs, "--depth", 2, "-o", file) == 0
    capsys.readouterr()
    assert call("--info", file, "--format", "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["items"], told["depth"], told["overlap"]) == (3, 2, [[2, 1], [1, 2]])
    assert [row["judged"] for row in told["runs"]] == [1.0, 1.0]
    assert call(runs[0], file, "--info", "--depth", 4, "--format", "csv") == 0
    assert "judged@4,a,,0.5\n" in capsys.readouterr().out
    assert call("--info", file, "-o", tmp_path / "info.json") == 0
    assert json.loads((tmp_path / "info.json").read_text()) == told
    assert call("--info", file, "--depth", 3) == 0
    assert "the pool file does not contain the proportion judged at depth 3" in capsys.readouterr().err


def test_info_of_the_pool_made(runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--info is printed instead of the pool, or also if the pool goes to a file, at its own depth."""
    file = tmp_path / "pool.tsv"
    assert call(*runs, "--take", 2, "--depth", 2, "--info") == 0
    text = capsys.readouterr().out
    assert text.startswith("2 documents on 1 topic (take 2, ")
    assert "judged@2" in text
    assert call(*runs, "--take", 2, "--depth", 2, "--info", "-o", file) == 0
    assert capsys.readouterr().out == text
    assert documents(file) == ["B", "A"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--depth", 2, "--take", 2), "--depth and --take cannot be combined"),
        (("--sample", "much"), "found 'much' as sample, expected a number from 0 to 1"),
        (("--floor", 3), "--floor needs --take; try --take 300"),
        (("--depth", 0), "argument --depth: found '0', expected a whole number of at least 1"),
        (("--only-runs", "c"), "unknown run 'c'; known: a, b"),
        (("--tasks", "tasks"), "tasks of runs need the task to keep; try --task NAME"),
        (("--unit", "word"), "argument --unit: found 'word', expected one of: "),
    ],
)
def test_mistakes(
    arguments: tuple[object, ...],
    message: str,
    runs: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line, status 2, nothing written."""
    assert call(*runs, *arguments, "-o", tmp_path / "pool.tsv") == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"excerpt: {message}")
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert not (tmp_path / "pool.tsv").exists()


def test_mistakes_with_pool_files(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two pool files, rules with a pool file, damaged and overwritten pool files, a file that is no run."""
    one, two, bad = (tmp_path / name for name in ("one.tsv", "two.tsv", "bad.tsv"))
    for file in (one, two):
        call(*runs, "-o", file)
    bad.write_text(one.read_text().replace("\tdepth\t1\t", "\tdepth\t7\t", 1))
    capsys.readouterr()
    for arguments, message in (
        (("--info", one, two), f"{two}: found a second pool file, expected one"),
        (("--info", one, "--take", 3), "--take and a pool file cannot be combined"),
        (("--info", bad), f"{bad}:11: found probability '7', expected a number above 0 and up to 1, or -; e"),
        ((*runs, "-o", runs[0]), f"{runs[0]}: is an input; choose another name for the output"),
        (("--info", tmp_path / "none"), f"{tmp_path / 'none'}: cannot be read: no such file or directory"),
    ):
        assert call(*arguments) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"excerpt: {message}")
        assert (captured.out, captured.err.count("\n")) == ("", 1)


def test_stability_takes_the_file(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`stability depth` and `unpooled` use the pool file; runs outside the pool are a warning."""
    (tmp_path / "qrels").write_text("1 Q0 A 9 20 0 0:9\n1 Q0 E 9 20 0 0:9\n1 Q0 F 9 20 0 0:9\n")
    file = tmp_path / "pool.tsv"
    assert call(*runs, "--depth", 2, "-o", file) == 0
    capsys.readouterr()
    asked = [str(tmp_path / "qrels"), *runs, "-m", "charR", "--pool", str(file), "--format", "json"]
    assert main(["stability", "depth", *asked, "--depths", "1,2,9"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["passages"] for row in told["rows"]] == [1, 2, 2]
    assert str(file) in [item["path"] for item in told["record"]["inputs"]]
    assert main(["stability", "unpooled", *asked]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["run"]: row["unpooled_score"] for row in told["rows"]} == {"a": 0.0, "b": 1.0}


def test_standard_input(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run or a pool file may come from standard input, which --info reads once."""
    call(*runs, "--depth", 2, "-o", tmp_path / "pool.tsv.gz")
    capsys.readouterr()
    told = []
    for given in (runs[0], tmp_path / "pool.tsv.gz"):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(given).read_bytes())))
        assert call("-", "--info", "--format", "json") == 0
        told.append(json.loads(capsys.readouterr().out))
    assert [(one["items"], one["depth"]) for one in told] == [(4, 100), (3, 2)]


def test_help_loads_no_numbers() -> None:
    """Help is printed before anything heavy is loaded."""
    code = (
        "import sys, excerpt.cli\n"
        "try: excerpt.cli.main(['pool', '--help'])\n"
        "except SystemExit: pass\n"
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
