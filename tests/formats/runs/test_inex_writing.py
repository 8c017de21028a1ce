"""INEX submissions as they are written: escaped, read back the same, or refused."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from excerpt.errors import FormatError, MissingData
from excerpt.formats.runs import inex
from excerpt.formats.runs._inex_writing import submission_lines
from excerpt.formats.source import Source
from excerpt.model import Result, Run

Open = Callable[..., Source]


def test_write(opened: Open) -> None:
    """Elements, passages and offsets as they are, ranks and scores where they are known, all escaped."""
    results = [
        Result("1", "a&b <c>", -1, -1, 0.5, "/article[1]"),
        Result("1", "B", -1, -1, None, "/a[1] /a[2]"),
        Result('"2"', "B", 3, 9, 2.0),
    ]
    stream = io.BytesIO()
    inex.write(Run.of("'r' & \"s\"", results, kind="elements"), stream)
    assert stream.getvalue().decode().splitlines() == [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<inex-submission run-id="\'r\' &amp; &quot;s&quot;" result-type="fol">',
        '<topic topic-id="1">',
        "<result><file>a&amp;b &lt;c&gt;</file><path>/article[1]</path><rsv>0.5</rsv></result>",
        '<result><file>B</file><passage start="/a[1]" end="/a[2]"/></result>',
        "</topic>",
        '<topic topic-id="&quot;2&quot;">',
        '<result><file>B</file><fol offset="3" length="6"/><rsv>2</rsv></result>',
        "</topic>",
        "</inex-submission>",
    ]
    assert list(inex.read(opened(stream.getvalue()))) == results


def test_an_empty_run_is_written_and_read(opened: Open) -> None:
    """No results are no topics."""
    stream = io.BytesIO()
    inex.write(Run.of("r", []), stream)
    run = inex.read(opened(stream.getvalue()))
    assert (len(run), run.name, run.topics) == (0, "r", ())


def test_whole_documents_cannot_be_written() -> None:
    """A submission needs places in documents."""
    with pytest.raises(MissingData) as caught:
        inex.write(Run.of("r", [Result("1", "A", 0, 1)], kind="documents"), io.BytesIO())
    assert str(caught.value) == (
        "r: format inex needs elements or text spans, the run has whole documents of unknown length; "
        'give index=OffsetIndex.open(…), or try format="trec" or format="bep"'
    )


@pytest.mark.parametrize("name", ["a\u0001", " a", "a\n", "\uffff", "\ud800"])
def test_names_that_xml_cannot_contain(name: str) -> None:
    """An id that would come back as another one is refused."""
    with pytest.raises(FormatError, match=r"^r: found the name .*, expected one that XML can contain$"):
        inex.write(Run.of("r", [Result("1", name, 0, 1)]), io.BytesIO())


def test_the_task_is_kept(opened: Open) -> None:
    """What a submission says of its task is written, and read back."""
    run = replace(Run.of("r", [Result("1", "A", 0, 1)]), task="Focused & more")
    text = "".join(submission_lines(run, "inex-submission"))
    assert '<inex-submission run-id="r" task="Focused &amp; more" result-type="fol">' in text
    assert inex.read(opened(text)).task == "Focused & more"
