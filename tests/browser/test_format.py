"""Numbers and names as they are written on the page."""

from __future__ import annotations

import pytest
from support.browsing import Modules

DASH, MINUS, THIN, FIXED = "\u2013", "\u2212", "\u202f", "\u00a0"
NUMBERS: dict[str, dict[float | None, str]] = {
    "score": {0.25106: "0.2511", 0: "0.0000", 1: "1.0000", None: DASH, -0.5: f"{MINUS}0.5000"},
    "heat": {0.25: ".25", 0.0099: "<.01", 0.01: ".01", 0: "0", 1: "1", None: DASH},
    "whole": {
        0: "0",
        999: "999",
        5090: f"5{THIN}090",
        1234567: f"1{THIN}234{THIN}567",
        -1234: f"{MINUS}1{THIN}234",
    },
    "signed": {0.047: "+0.0470", -0.122: f"{MINUS}0.1220", 0: "0", 0.00001: "+0.0000", None: DASH},
    "percent": {
        0: f"0{FIXED}%",
        0.9: f"90{FIXED}%",
        1: f"100{FIXED}%",
        None: DASH,
        0.001: f"<1{FIXED}%",
        0.999: f">99{FIXED}%",
    },
}


@pytest.mark.parametrize("name", NUMBERS)
def test_how_numbers_are_written(js: Modules, name: str) -> None:
    """Nothing undefined looks like a number, nothing that is not 0 or 1 like 0 or 1."""
    cases = NUMBERS[name]
    assert js("format", name, [[number] for number in cases]) == list(cases.values())


def test_things_are_counted(js: Modules) -> None:
    """One thing has no s."""
    counted = js("format", "count", [[0, "run"], [1, "run"], [2000, "run"]])
    assert counted == ["0 runs", "1 run", f"2{THIN}000 runs"]


def test_long_names_are_cut_in_the_middle(js: Modules) -> None:
    """Runs differ at the end; characters of two units are not torn."""
    cut = js("format", "middle", [["short", 5], ["system-variant-0001", 9], ["😀😀😀😀😀", 3]])
    assert cut == ["short", "syst…0001", "😀…😀"]
