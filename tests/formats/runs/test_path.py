"""Runs of element paths: alone or with an index, single elements and ranges."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, FormatError
from excerpt.formats.runs import path
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex
from excerpt.model import Result, Run

Open = Callable[..., Source]

RUN = """t Q0 A 1 0.9 r /article[1]/bdy[1]/p[1]
t Q0 A 2 0.8 r /article[1]/name[1] /article[1]/bdy[1]/p[1]
t Q0 A 3 0.7 r /article[1]/bdy[1]/p[1]/text()[2].1 /article[1]/bdy[1]/p[2]
t Q0 A 4 0.6 r /article[1]/bdy[1]/p[3]
t Q0 Z 5 0.5 r /article[1]
"""


def test_without_an_index_paths_stay_paths(opened: Open) -> None:
    """Nothing is known about the text, and the run says so."""
    run = path.read(opened(RUN))
    assert run.kind == "elements"
    assert run.start.tolist() == run.end.tolist() == [-1] * 5
    assert run[1].path == "/article[1]/name[1] /article[1]/bdy[1]/p[1]"


def test_with_an_index_paths_are_spans(opened: Open, index: OffsetIndex) -> None:
    """An element, a range with both ends included, a passage; unknown elements and documents are -1."""
    run = path.read(opened(RUN, index=index))
    assert run.kind == "spans"
    assert run.start.tolist() == [5, 0, 15, -1, -1]
    assert run.end.tolist() == [20, 20, 22, -1, -1]
    assert run[0].path == "/article[1]/bdy[1]/p[1]"


def test_a_reversed_range_does_not_exist(opened: Open, index: OffsetIndex) -> None:
    """The end of a range is not before its start."""
    run = path.read(opened("t Q0 A 1 1 r /article[1]/bdy[1]/p[2] /article[1]/name[1]\n", index=index))
    assert (run[0].start, run[0].end) == (-1, -1)


def test_what_is_no_path_is_a_fault(opened: Open) -> None:
    """Both columns must be paths."""
    with pytest.raises(FormatError) as caught:
        path.read(opened("t Q0 A 1 1 r /a[1]\nt Q0 A 1 1 r /a[1] 25\n"))
    assert str(caught.value) == "f:2: found path '/a[1] 25', expected one such as /article[1]/p[2]"


def test_recognise(opened: Open) -> None:
    """One path is an element, two are a range."""
    assert path.recognise(opened(RUN)) == 3
    assert path.recognise_range(opened(RUN)) == 2


def test_write_keeps_paths(opened: Open, index: OffsetIndex) -> None:
    """What was read with or without an index is written the same."""
    for source in (opened(RUN), opened(RUN, index=index)):
        stream = io.BytesIO()
        path.write(path.read(source), stream)
        assert stream.getvalue().decode() == RUN


def test_spans_cannot_be_written_as_paths() -> None:
    """A result without a path is refused, with what to do instead."""
    with pytest.raises(ExcerptError) as caught:
        path.write(Run.of("r", [Result("1", "A", 0, 5)]), io.BytesIO())
    assert str(caught.value) == (
        'r: found results without an element path, expected a path for each; try format="fol"'
    )
