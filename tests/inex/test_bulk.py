"""Layouts: values of records that are alike in everything else, found by counting anchors."""

from __future__ import annotations

import random
import re
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.run_files import damaged, outcome, submission

from excerpt.formats.text import columns
from excerpt.index import OffsetIndex
from excerpt.inex import bulk
from excerpt.inex import submissions as inex
from excerpt.inex.bulk import Anchored, CutRecords, Layout, cut_results

DATA = b"<a:1;x><a:22;yy><b:3;z><a:4;;<a:5;v>"


def cut(data: bytes, *layouts: Layout | None) -> CutRecords:
    """Records begin at `<`; each that fits no layout so far brings the next one."""
    text = Anchored(data, b"<;")
    remaining = iter(layouts)
    return CutRecords.of(
        text, np.flatnonzero(text.codes[text.offsets] == ord("<")), lambda _: next(remaining, None)
    )


def test_layout_of_a_record() -> None:
    """Pieces are what is around the values; a layout of many bytes is none."""
    assert Layout.of(b"<a:1;x>", [("n", (3, 4)), ("t", (5, 6))]) == Layout((b"<a:", b";", b">"), ("n", "t"))
    assert Layout.of(b"<" + b"x" * 5000, []) is None


def test_values_are_cut() -> None:
    """Records of two layouts; one that has neither, because a value would contain an anchor, is left."""
    found = cut(DATA, Layout((b"<a:", b";"), ("n",)), None, Layout((b"<b:", b";z>"), ("n",)))
    assert found.matched.tolist() == [True, True, False, True, True]
    rows, values = found.fields("n")
    assert (rows.tolist(), values.texts()) == ([0, 1, 3, 4], ["1", "22", "4", "5"])
    assert found.start.tolist() == [0, 7, -1, 23, 29]
    assert found.end.tolist() == [5, 13, -1, 28, 34]
    assert not found.has("other").any()
    assert len(found.fields("other")[1]) == 0


def test_places_of_large_texts() -> None:
    """Offsets need more bytes there; everything else is the same."""
    with patch.object(columns, "_SMALL", 0):
        found = cut(DATA, Layout((b"<a:", b";"), ("n",)))
    assert found.values["n"][0].dtype == np.int64
    assert cut(DATA, Layout((b"<a:", b";"), ("n",))).values["n"][0].dtype == np.int32
    assert found.fields("n")[1].texts() == ["1", "22", "4", "5"]


def test_names_and_dropped_records() -> None:
    """Names of one record are those of no record; empty and odd ones are dropped."""
    found = cut(b"<a:x;><a:;><a:y z;><a:x;>", Layout((b"<a:", b";>"), ("n",)))
    names = found.names("n", re.compile(" "))
    assert [names.distinct[code] if code >= 0 else "" for code in names.code.tolist()] == [
        "x",
        "",
        "y z",
        "x",
    ]
    assert found.matched.tolist() == [True, False, False, True]


def test_pieces_do_not_overlap() -> None:
    """A piece that would begin inside the one before it is no match, nor is one after the end."""
    found = cut(b"<a;<a;b;", Layout((b"<a;", b"a;"), ("n",)))
    assert not found.matched.any()
    assert not cut(b"<a;b", Layout((b"<a;", b";"), ("n",))).matched.any()


def test_pieces_without_an_anchor_fit_nothing() -> None:
    """Such pieces cannot be located."""
    assert not cut(DATA, Layout((b"<a:", b">"), ("n",))).matched.any()


def test_not_more_layouts_than_are_worth_it() -> None:
    """Records that all differ are left to the parser."""
    data = b"".join(b"<%03d;" % number for number in range(100))
    found = cut(data, *(Layout((b"<%03d;" % number,), ()) for number in range(100)))
    assert found.matched.sum() == 16


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
    """Return the run that the slow reader reads, without the bulk reader."""
    with patch.object(bulk, "cut_results", lambda _: None):
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
    cut_ = cut_results(data)
    assert cut_ is not None
    assert len(cut_.results.line) == len(results)
    assert b"<file>" not in cut_.rest
    assert cut_.counts.tolist() == [len(results)]
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
    """Unusual results are parsed, keep their position, and do not slow down the others."""
    data = file(SPAN, odd, SPAN.replace("A", "B"), blank="\n\n")
    cut_ = cut_results(data)
    assert cut_ is not None
    assert cut_.counts.tolist() == [1, 1]
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
    """If results that were cut out may be comments or entities, the whole file is parsed."""
    with patch.object(inex, "_one_by_one", wraps=inex._one_by_one) as whole:
        found = outcome(inex.read, data)
    assert whole.called
    assert found == parsed(data)
