"""Printouts of official tools."""

from __future__ import annotations

import pytest

import excerpt
from excerpt.errors import ExcerptError
from excerpt.official.printout import Printout, Printouts


def test_figures_by_name_and_topic() -> None:
    """Names may be padded; what is no number is no figure."""
    lines = ("runid                 \tall\tmine", "map                   \t1\t0.2500", "AiP\t\tall\tNaN")
    printed = Printout("run", lines)
    assert list(printed.figures) == [("map", "1"), ("AiP", "all")]
    assert printed.values["map", "1"] == 0.25
    assert printed.figures is printed.values
    assert repr(printed) == "<Printout of 'run': 2 values>"
    assert Printout("run", lines, fault="no").figures == {}


def test_what_files_contain_cannot_control_the_terminal() -> None:
    """Control characters are shown; tabs and lines are the tool's own."""
    assert str(Printout("run", ("a\tb", "Ω\t\x1b[31m"))) == "a\tb\nΩ\t\\x1b[31m"
    assert str(Printouts((Printout("one", ("a\tb",)), Printout("two", ("c",))))) == "a\tb\nc"


@pytest.mark.parametrize(("runs", "message"), [(5, "found int, expected a path"), ((), "no run given")])
def test_runs_that_are_none(runs: object, message: str) -> None:
    """Both tools say so before they read anything."""
    with pytest.raises(ExcerptError, match=message):
        excerpt.inex_eval("nowhere", runs, "f")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match=message):
        excerpt.trec_eval("nowhere", runs)  # type: ignore[arg-type]
