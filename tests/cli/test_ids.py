"""--id-pattern and --segments: on every command that reads runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt.cli import main

PATTERN = r"(?P<document>.+)-(?P<start>\d+)-(?P<end>\d+)"


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Judgments and a run of passages."""
    (tmp_path / "qrels").write_text("1 0 A-5-15 1\n")
    (tmp_path / "run").write_text("1 Q0 A-0-10 1 3 r\n")
    (tmp_path / "segments").write_text("A-5-15 A 5 15\nA-0-10 A 0 10\n")
    return [str(tmp_path / name) for name in ("qrels", "run", "segments")]


def test_both_options(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """They give the same scores."""
    qrels, run, segments = files
    shown = []
    for how in (["--id-pattern", PATTERN], ["--segments", segments]):
        main(["evaluate", qrels, run, "-m", "charR", "--format", "csv", *how])
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert "0.5" in shown[0]


def test_one_of_them(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Both together are refused, and a table is not written over."""
    qrels, run, segments = files
    assert main(["evaluate", qrels, run, "--id-pattern", PATTERN, "--segments", segments]) == 2
    assert main(["evaluate", qrels, run, "--segments", segments, "--output", segments]) == 2
    assert "is an input" in capsys.readouterr().err


def test_check_and_convert(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They also read passage ids, including those with a length."""
    qrels, run, segments = files
    for how in (["--id-pattern", PATTERN], ["--segments", segments]):
        assert main(["check", run, qrels, *how]) == 0
        assert "a run of spans, r: 1 result" in capsys.readouterr().out
        for name, written in ((run, "1 Q0 A 1 3 r 0 10\n"), (qrels, "1 Q0 A 10 15 -1 5:10\n")):
            assert main(["convert", name, "-", "--to", "fol", *how]) == 0
            assert capsys.readouterr().out == written
    (tmp_path / "lengths").write_text("1 Q0 doc_7_120_30 1 3 r\n")
    pattern = r"(?P<document>.+)_(?P<start>\d+)_(?P<length>\d+)"
    assert main(["convert", str(tmp_path / "lengths"), "-", "--to", "fol", "--id-pattern", pattern]) == 0
    assert capsys.readouterr().out == "1 Q0 doc_7 1 3 r 120 30\n"
    assert main(["check", run, "--id-pattern", pattern]) == 2
    assert "1 of 1 id is not matched by" in capsys.readouterr().err
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "1").write_text("1 0 A-5-15 1\n")
    assert main(["convert", str(folder), "-", "--to", "fol", "--id-pattern", PATTERN]) == 0
    assert capsys.readouterr().out == "1 Q0 A 10 15 -1 5:10\n"
