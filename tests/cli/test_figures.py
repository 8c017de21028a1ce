"""--figure and its options, from the command line to the files."""

from __future__ import annotations

import csv
import re
import zlib
from pathlib import Path

import pytest

from .conftest import Excerpt

CURVE = ("curve", "qrels", "run", "-m", "iP", "--points", "0:1:0.5")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--width", "3.3in"),
            "--width needs --figure FILE",
        ),
        (("--grey",), "--grey needs --figure FILE"),
        (("--data", "d.csv"), "--data needs --figure FILE"),
        (("--font-size", "7"), "--font-size needs --figure FILE"),
        (("--figure", "f.svg", "--width", "3.3px"), "found '3.3px' as length"),
        (("--figure", "f.svg", "--height", "0"), "found '0' as length, expected from 1 to 40 inches"),
        (("--figure", "f.svg", "--top", "few"), "found 'few' as number of best runs"),
        (("--figure", "f.svg", "--highlight", "nobody"), "unknown run 'nobody'; known: mine"),
        (("--figure", "f.svg", "--style", "no.mplstyle"), "no.mplstyle: cannot be read"),
        (("--figure", "f.gif"), "f.gif: found extension .gif, expected .svg, .pdf or .png"),
        (("--figure", "f.svg", "--data", "f.svg"), "f.svg: is named for two outputs"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing(
    files: Path, excerpt: Excerpt, options: tuple[str, ...], message: str
) -> None:
    """Before anything is read, where that can be; no file appears."""
    pytest.importorskip("matplotlib")
    done = excerpt(*CURVE, *options)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {message}")
    assert sorted(path.name for path in files.iterdir()) == ["qrels", "run"]


def test_files_of_a_figure(files: Path, excerpt: Excerpt) -> None:
    """The numbers are printed, the figure has the size that was asked for, and its data are those numbers."""
    pytest.importorskip("matplotlib")
    plain = excerpt(*CURVE, "--format", "csv").out
    sized = ("--width", "84mm", "--height", "2in", "--grey", "--title", "Precision & <recall>")
    for ending in ("svg", "pdf", "png"):
        done = excerpt(*CURVE, "--format", "csv", "--figure", f"f.{ending}", "--data", "d.csv", *sized)
        assert (done.status, done.out) == (0, plain)
    svg = (files / "f.svg").read_text()
    assert re.search(r'width="238\.\d+pt" height="144pt"', svg)
    assert ">Precision &amp; &lt;recall&gt;</text>" in svg
    colours = set(re.findall(r"#([0-9a-f]{6})", svg))
    assert colours
    assert all(colour[:2] == colour[2:4] == colour[4:] for colour in colours)
    pdf = (files / "f.pdf").read_bytes()
    fonts = b"".join(_unpacked(pdf)) + pdf
    assert b"/FontFile2" in fonts
    assert b"/Type3" not in fonts
    assert (files / "f.png").read_bytes()[16:24] == b"".join(n.to_bytes(4) for n in (992, 600))
    drawn = list(csv.DictReader((files / "d.csv").read_text().splitlines()))
    assert [(row["x"], row["y"]) for row in drawn] == [
        (row["x"], row["mine"]) for row in csv.DictReader(plain.splitlines())
    ]


def _unpacked(pdf: bytes) -> list[bytes]:
    """The streams of a PDF file."""
    found = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL)
    return [zlib.decompress(part) for part in found if part[:1] == b"\x78"]


def test_data_of_what_goes_to_the_output(files: Path, excerpt: Excerpt) -> None:
    """-o FILE.svg is a figure, too; experiments draw what they print."""
    pytest.importorskip("matplotlib")
    assert excerpt(*CURVE, "-o", "c.svg", "--data", "d.csv", "--width", "3").status == 0
    assert len((files / "d.csv").read_text().splitlines()) == 4
    assert 'width="216pt"' in (files / "c.svg").read_text()
    refused = excerpt("stability", "pool", "qrels", "run", "run", "--samples", "2", "--grey")
    assert "--grey needs --figure FILE" in refused.err


def test_figures_of_scores_and_bands(files: Path, excerpt: Excerpt) -> None:
    """evaluate draws what it prints, by topic or not; curve --interval draws bands and prints limits."""
    pytest.importorskip("matplotlib")
    (files / "other").write_text("1 Q0 B 1 9 other 0 40\n")
    given = ("evaluate", "qrels", "run", "other", "-m", "MAiP")
    printed = list(csv.DictReader(excerpt(*given, "--interval", "0.9", "--format", "csv").out.splitlines()))
    assert excerpt(*given, "--interval", "0.9", "--figure", "e.pdf", "--data", "e.csv").status == 0
    drawn = {row["run"]: row for row in csv.DictReader((files / "e.csv").read_text().splitlines())}
    for row in printed:
        found = drawn[row["run"]]
        assert [found[name] for name in ("mean", "low", "high")] == [
            row[name] for name in ("MAiP", "MAiP low", "MAiP high")
        ]
    assert excerpt(*given, "--per-topic", "--figure", "t.svg", "--data", "t.csv").status == 0
    assert (files / "t.csv").read_text().startswith("measure,topic,run,score\nMAiP,")
    assert excerpt(*CURVE, "--interval", "0.9", "-o", "c.svg", "--data", "c.csv").status == 0
    assert (files / "c.csv").read_text().startswith("measure,run,x,y,low,high\niP,mine,0.0,")
    assert "[" in excerpt(*CURVE, "--interval", "0.9").out
    refused = excerpt(*CURVE, "--interval", "0.9", "--topic", "1")
    assert refused.err.endswith("only means have one; leave out --interval or --topic\n")


def test_characters_that_the_font_lacks(files: Path, excerpt: Excerpt) -> None:
    """Characters that no font has are a warning; an SVG contains the characters."""
    pytest.importorskip("matplotlib")
    (files / "other").write_text("1 Q0 B 1 9 \ue6c3\ue6c4 0 40\n", encoding="utf-8")
    given = ("evaluate", "qrels", "run", "other", "-m", "MAiP", "--figure")
    told = "warning: e.png: no installed font has \ue6c3\ue6c4, drawn as boxes; install one that has them"
    assert told in excerpt(*given, "e.png").err
    assert "installed font" not in excerpt(*given, "e.svg").err
    assert "\ue6c3\ue6c4" in (files / "e.svg").read_text(encoding="utf-8")
