"""Results that are cut out of a submission all at once are those that the parser finds, whatever the file."""

from __future__ import annotations

import random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run_files import damaged, outcome, submission

from excerpt.formats.bulk import submissions
from excerpt.formats.bulk.submissions import cut_results
from excerpt.formats.runs import inex
from excerpt.index import OffsetIndex

PATH = "<file>A</file><path>/article[1]/bdy[1]/p[1]</path>"
PASSAGE = "<file>A</file><passage start='/article[1]/bdy[1]/p[1]/text()[1].1' end='/article[1]/bdy[1]/p[2]'/>"
SPAN = "<file>A</file><fol offset='3' length='4'/>"


def file(*results: str, head: str = "", blank: str = "\n") -> bytes:
    """A submission of these results, between which there are blanks."""
    inside = "".join(f"<result>{result}</result>{blank}" for result in results)
    return (
        f"{head}<inex-submission run-id='r'><topic topic-id='1'>{inside}</topic></inex-submission>".encode()
    )


def parsed(data: bytes, **options: Any) -> tuple[Any, ...]:
    """What is found where the door to the bulk reader is shut."""
    with patch.object(submissions, "cut_results", lambda _: None):
        return outcome(inex.read, data, **options)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_usual_and_unusual_files(seed: int, keep: bool) -> None:
    """Both ways see the same columns, notices and faults."""
    data = submission(random.Random(seed))
    assert outcome(inex.read, data, keep=keep) == parsed(data, keep=keep)


@settings(max_examples=300)
@given(st.integers(0, 2**64), st.booleans())
def test_damaged_files(seed: int, keep: bool) -> None:
    """Both ways see the same, and above all the same faults, in files that were damaged."""
    rng = random.Random(seed)
    data = damaged(rng, submission(rng))
    assert outcome(inex.read, data, keep=keep) == parsed(data, keep=keep)


@pytest.mark.parametrize(
    "results",
    [
        (PATH, PATH.replace("A", "B")),
        (SPAN, SPAN),
        (PASSAGE, PASSAGE.replace("p[2]", "p[1]")),
        (PATH, PASSAGE, SPAN, PATH, PASSAGE),
        (f"<rank>1</rank>{SPAN}<rsv>0.5</rsv>", f"<rank>2</rank>{SPAN}<rsv>1e-7</rsv>", SPAN),
        (f"<in>wiki</in>\n <collection>x</collection>{SPAN}",),
        (SPAN.replace("/>", "></fol>"), SPAN.replace("A", "Süß"), SPAN.replace("A", "日本")),
    ],
)
@pytest.mark.parametrize("blank", ["", "\n", "\r\n  ", "\r"])
@pytest.mark.parametrize(
    "head", ["", "\ufeff<?xml version='1.0' encoding='utf-8'?>", "<!DOCTYPE inex-submission SYSTEM 'x.dtd'>"]
)
def test_what_tools_write_is_cut(results: tuple[str, ...], blank: str, head: str, index: OffsetIndex) -> None:
    """Nothing of it is left to the parser, and both ways agree, with an index as well."""
    data = file(*results, head=head, blank=blank)
    bulk = cut_results(data)
    assert bulk is not None
    assert len(bulk.results.line) == len(results)
    assert b"<file>" not in bulk.rest
    assert bulk.counts.tolist() == [len(results)]
    for given_index in (None, index):
        with patch.object(inex, "_one_by_one", None):
            found = outcome(inex.read, data, index=given_index)
        assert found == parsed(data, index=given_index)


@pytest.mark.parametrize(
    "odd",
    [
        "<file>A&amp;B</file><path>/a</path>",
        "<file> B </file><fol offset='3' length='4'/>",
        "<file>A<!-- x --></file><path>/a</path>",
        "<file>A</file><path>/a /b</path>",
        "<file>A</file><path>/a\u00a0/b</path>",
        "<file>A</file><fol length = '4' offset='3'/>",
        "<file>A</file><fol offset='X' length='4'/>",
        "<file>A</file><fol offset='007' length='00000000000000000004'/>",
        "<file>A</file>text<path>/a</path>",
        "<file>A</file><path>/a</path><rank>1</rank><rank>2</rank>",
        "<file>A</file><path>/a</path><rsv>-inf</rsv><x y='z'/>",
    ],
)
def test_other_results_keep_their_place(odd: str) -> None:
    """What is unusual is parsed, stays between the others, and does not slow them down."""
    data = file(SPAN, odd, SPAN.replace("A", "B"), blank="\n\n")
    bulk = cut_results(data)
    assert bulk is not None
    assert bulk.counts.tolist() == [1, 1]
    with patch.object(inex, "_one_by_one", None):
        found = outcome(inex.read, data)
    assert found == parsed(data)
    assert found[1][-1] == [1, 3, 5]


@pytest.mark.parametrize("value", ["{}<x/>", "{}A&amp;B", "A{}<x/>", "{}A{}&amp;", "{}A{}"])
def test_very_many_blanks(value: str) -> None:
    """Blanks are not tried in all ways, which would take hours."""
    blanks = value.replace("{}", " " * 1500)
    data = file(*(f"<file>{blanks}</file><path>/a[1]</path>" for _ in range(40)))
    assert outcome(inex.read, data) == parsed(data)


@pytest.mark.parametrize(
    "data",
    [
        file(SPAN, head="<?xml version='1.0' encoding='windows-1252'?>"),
        file(SPAN.replace("A", "Ä"), head="<?xml version='1.0' encoding='iso-8859-1'?>"),
        file(SPAN, head="<!DOCTYPE inex-submission [<!ATTLIST result x CDATA 'y'>]>"),
        file(SPAN, head=f'<!DOCTYPE inex-submission [<!ENTITY r "<result>{SPAN}</result>">]>'),
        file(SPAN).replace(b"<topic", b"<!-- <topic").replace(b"</topic>", b"</topic> -->"),
        file(SPAN).replace(b"<topic", b"<x><![CDATA[<topic").replace(b"</topic>", b"</topic>]]></x>"),
        file(SPAN).replace(b"<topic topic-id='1'>", b"").replace(b"</topic>", b""),
        file(SPAN)
        .replace(b"<topic topic-id='1'>", b"<topic topic-id='1'><result>")
        .replace(b"</t", b"</result></t"),
        file(SPAN).replace(b"</topic>", b""),
        file(SPAN) + b"<x/>",
        file(SPAN).replace(b"</topic>", b"<excerpt-results/></topic>"),
        file(SPAN.replace("A", "A\x01")),
        file(SPAN.replace("A", "A\uffff")),
        file(SPAN).replace(b"A", b"\xff"),
        file(SPAN).decode().encode("utf-16"),
        f"<result>{SPAN}</result>".encode(),
        b"<",
    ],
)
def test_doubtful_files_are_parsed(data: bytes) -> None:
    """Where what was cut out may not be what it seems, nothing of it counts."""
    with patch.object(inex, "_one_by_one", wraps=inex._one_by_one) as whole:
        found = outcome(inex.read, data)
    assert whole.called
    assert found == parsed(data)
