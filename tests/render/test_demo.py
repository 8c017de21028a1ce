"""The demonstration: three tasks, best run first."""

from __future__ import annotations

import json
import warnings

import pytest

from excerpt.render.demo import demo


def test_tasks_and_order() -> None:
    """Each task has a table whose first measure falls from run to run; the warnings come once."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = demo("json")
    shown = json.loads(page.text)
    assert list(shown) == ["focused", "ric", "bic"]
    assert len(page.warnings) == len(set(page.warnings)) == 1
    blocks = demo().text.split("\n\n")
    lines = blocks[2].splitlines()[2:]
    scores = [float(line[24:32]) for line in lines if line]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == len(shown["focused"]["runs"])


@pytest.mark.parametrize(("format_", "start"), [("latex", "\\begin{tabular}"), ("markdown", "| run |")])
def test_other_formats(format_: str, start: str) -> None:
    """Tables for papers have no heading of the collection."""
    assert demo(format_).text.startswith(start)
