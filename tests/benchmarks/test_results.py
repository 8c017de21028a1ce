"""Tables and pages of the benchmarks."""

from __future__ import annotations

import math
import platform
from pathlib import Path

import machine
import pytest
import run as command
from figure import draw
from measuring import Samples, Usage
from results import Figure, Part, Row, Target, markdown, number, targets_table

USED = Samples([Usage(0.5, 1.0, 20.0, 0.0)])


def example() -> Part:
    """A part with one row measured and one that could not be."""
    return Part(
        "b",
        "Title",
        "What it is.",
        base="peer",
        rows=[Row.of("excerpt", USED, USED), Row("ranx", note="not installed")],
        figures=[Figure("speed", 12.345, "MB/s")],
        targets=[
            Target("CPU", 0.4, 0.5, "s"),
            Target("ratio", 1, 1.0),
            Target("less", 1, 1.0, strictly=True),
        ],
        notes=["a note"],
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, ""), (0.0, "0"), (0.01234, "0.0123"), (1.0, "1.00"), (12.345, "12.3"), (2038.4, "2,038")],
)
def test_three_digits(value: float | None, text: str) -> None:
    """Numbers have three digits that count."""
    assert number(value) == text


def test_targets_are_computed() -> None:
    """A limit is met at most, or strictly below; what could not be measured is not met."""
    assert [target.met for target in example().targets] == [False, True, False]
    assert not Target("none", 1, math.nan).met
    losses = [Target("lost", 0, number) for number in (0, 2)]
    assert [(target.met, target.share) for target in losses] == [(True, 0), (False, 2)]
    table = targets_table([example()])
    assert "| b    | CPU    | ≤ 0.400 s | 0.500 s  | **missed** (1.25 x the limit) |" in table
    assert table.count("met  ") == 1


def test_a_section() -> None:
    """A missing peer keeps its row, with the reason; columns without content are left out."""
    text = markdown(example())
    assert text.startswith("## (b) Title\n\nWhat it is.\n\n| what ")
    assert "| excerpt | 0.500 |" in text
    assert next(line for line in text.splitlines() if line.startswith("| ranx")).endswith("not installed |")
    assert text.endswith("- speed: 12.3 MB/s\n- a note\n")
    assert "CPU / peer" in text
    without = Part("x", "T", "A.", rows=[Row.of("only", USED)])
    assert "CPU /" not in markdown(without)


def test_the_report_tells_no_place(tmp_path: Path) -> None:
    """The machine is described without host name and paths; report and figure are written."""
    about = machine.describe()
    assert about["cores"].isdigit()
    assert platform.node() not in about.values()
    text = command.page([example()], about)
    assert str(Path.home()) not in text
    assert text.index("## Targets") < text.index("## (b)") < text.index("## The machine")
    command.write(tmp_path, text, [example()])
    assert (tmp_path / "RESULTS.md").read_text(encoding="utf-8") == text
    assert (tmp_path / "results.svg").read_bytes() == draw([example()], "svg")


def test_only_some_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """Parts are asked for by letter, in any order; an unknown letter is refused."""
    assert command.parse(["--only", "c,a"]).only == ["a", "c"]
    assert command.parse([]).only == list("abcdefghijklmnopqrst")
    with pytest.raises(SystemExit):
        command.parse(["--only", "a,z"])
    assert "found part 'z', expected some of a,b,c" in capsys.readouterr().err
