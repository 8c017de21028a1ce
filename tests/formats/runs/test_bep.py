"""Runs of entry points: an offset is an empty span."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from excerpt.errors import MissingData
from excerpt.formats.runs import bep
from excerpt.formats.source import Source
from excerpt.model import Result, Run

Open = Callable[..., Source]


def test_read(opened: Open) -> None:
    """The line of the format notes is an empty span at its offset."""
    run = bep.read(opened("2009001 Q0 9996 4 0.9996 I09UniXRun1 1500\n"))
    assert run.kind == "entry points"
    assert list(run) == [Result("2009001", "9996", 1500, 1500, 0.9996)]


def test_recognise(opened: Open) -> None:
    """Seven columns that end in neither a path nor a passage."""
    assert bep.recognise(opened("1 Q0 d 1 1 t 1500\n1 Q0 d 1 1 t /a[1]\n1 Q0 d 9 20 0 0:5\n")) == 1


def test_spans_become_entry_points(opened: Open) -> None:
    """The start of a span is where it is entered; what does not exist is written as X, and read so."""
    stream = io.BytesIO()
    bep.write(Run.of("r", [Result("1", "A", 7, 9, 1.5), Result("1", "B", -1, -1, 1.0)]), stream)
    assert stream.getvalue() == b"1 Q0 A 1 1.5 r 7\n1 Q0 B 2 1 r X\n"
    again = bep.read(opened(stream.getvalue().decode()))
    assert [(result.document, result.start) for result in again] == [("A", 7), ("B", -1)]


def test_elements_have_no_entry_points() -> None:
    """Paths that were not looked up have no positions."""
    with pytest.raises(
        MissingData, match="format bep needs positions in the text, the run has element paths"
    ):
        bep.write(Run.of("r", [Result("1", "A", -1, -1, path="/a[1]")], kind="elements"), io.BytesIO())
