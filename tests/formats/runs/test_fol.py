"""FOL runs: offsets and lengths become spans."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest

from excerpt.errors import ExcerptError, MissingData
from excerpt.formats.runs import fol
from excerpt.formats.source import Source
from excerpt.model import Result, Run

Open = Callable[..., Source]

RUN = """2009001 Q0 9996 1 0.9999 I09UniXRun1 465 3426
2009001 Q0 9997 2 0.5 I09UniXRun1 X 7
7 Q0 9996 1 -1e3 I09UniXRun1 -1 x
"""


def test_columns_of_the_format_notes(opened: Open) -> None:
    """Offset and length are a half-open span; X and -1 are results that do not exist."""
    run = fol.read(opened(RUN))
    assert (run.name, run.kind, run.topics) == ("I09UniXRun1", "spans", ("2009001", "7"))
    assert list(run) == [
        Result("2009001", "9996", 465, 3891, 0.9999),
        Result("2009001", "9997", -1, -1, 0.5),
        Result("7", "9996", -1, -1, -1000.0),
    ]
    assert run.rank.tolist() == [1, 2, 1]
    assert run.place(2) == "f:3"


def test_recognise(opened: Open) -> None:
    """Eight columns, but neither two paths nor passages of judgments."""
    assert fol.recognise(opened(RUN)) == 3
    assert fol.recognise(opened("1 Q0 d 1 1 t /a[1] /a[2]\n")) == 0
    assert fol.recognise(opened("1 Q0 d 9 20 0 0:5 6:4\n")) == 0
    assert fol.recognise(opened("1 Q0 d 1 1 t 7\n")) == 0


def test_write(opened: Open) -> None:
    """Ranks and scores stay, results that do not exist get the offset X."""
    stream = io.BytesIO()
    fol.write(fol.read(opened(RUN)), stream)
    assert stream.getvalue().decode().splitlines() == [
        "2009001 Q0 9996 1 0.9999 I09UniXRun1 465 3426",
        "2009001 Q0 9997 2 0.5 I09UniXRun1 X 0",
        "7 Q0 9996 1 -1000 I09UniXRun1 X 0",
    ]


def test_write_fills_in_what_is_missing() -> None:
    """A run without ranks and scores gets ranks in order and scores that fall."""
    stream = io.BytesIO()
    fol.write(
        Run.of("my run", [Result("1", "A", 0, 5), Result("1", "B", 2, 2), Result("2", "A", 1, 2)]), stream
    )
    assert stream.getvalue().decode().splitlines() == [
        "1 Q0 A 1 -1.0 my_run 0 5",
        "1 Q0 B 2 -2.0 my_run 2 0",
        "2 Q0 A 1 -1.0 my_run 1 1",
    ]


def test_elements_cannot_be_written_as_offsets() -> None:
    """Paths that were not looked up have no offsets."""
    run = Run.of("r", [Result("1", "A", -1, -1, path="/a[1]")], kind="elements")
    with pytest.raises(MissingData) as caught:
        fol.write(run, io.BytesIO())
    assert (
        str(caught.value)
        == "r: format fol needs text spans, the run has element paths; give index=OffsetIndex.open(…)"
    )


@pytest.mark.parametrize("name", ["a b", "a\tb", "", "a\u0000", "\ud800"])
def test_ids_that_are_not_one_column(name: str) -> None:
    """A document id with a blank would shift the columns; it is refused."""
    with pytest.raises(
        ExcerptError, match=r"expected an id without blanks, as columns need it; try format=\"jsonl\"$"
    ):
        fol.write(Run.of("r", [Result("1", name, 0, 5)]), io.BytesIO())
