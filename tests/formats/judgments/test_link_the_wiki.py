"""Judged links: pages with entry points, anchors, and what measures make of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import excerpt
from excerpt.errors import FormatError
from excerpt.formats.reading import judgments_from
from excerpt.formats.source import Source
from excerpt.model import Span

Open = Callable[..., Source]

JUDGED = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<ltwResultsetType>
<ltw_Topic name="Fender  Stratocaster" id="10">
<outgoingLinks>
<outLink aname="tremolo" aoffset="85" alength="7" boffset="12">20</outLink>
<outLink aname="arm" aoffset="90" alength="6" boffset="40">20</outLink>
<outLink>30</outLink>
</outgoingLinks>
<incomingLinks><inLink>65</inLink></incomingLinks>
</ltw_Topic>
<ltw_Topic name="" id="11"><outgoingLinks/></ltw_Topic>
</ltwResultsetType>
"""
RUN = b"""<inexltw-submission run-id="r" task="LTW_A2B"><topic file="10.xml" name="x"><outgoing>
<anchor offset="85" length="3" name=""><tobep offset="112">20</tobep><tobep offset="0">99</tobep></anchor>
</outgoing></topic></inexltw-submission>"""


def test_pages_with_entry_points(opened: Open) -> None:
    """The character at each entry point is relevant, the first one is that of the page; names are kept."""
    source = opened(JUDGED)
    found = judgments_from(source)
    assert (found.topics, found.scale) == (("10", "11"), "highlights")
    assert found.highlights("10") == [Span("20", 12, 13), Span("20", 40, 41), Span("30", 0, 1)]
    assert (found.pair_entry.tolist(), found.highlights("11")) == ([12, 0], [])
    assert {topic: question.text for topic, question in found.questions.items()} == {
        "10": "Fender Stratocaster"
    }
    assert len(list(source.notices)) == 1


def test_anchors(opened: Open) -> None:
    """Overlapping anchors are one stretch of the topic's own text."""
    source = opened(JUDGED)
    found = judgments_from(source, "link-anchors")
    assert found.highlights("10") == [Span("10", 85, 96)]
    assert "link has no anchor and was left out (f)" in list(source.notices)


def test_scores() -> None:
    """File to file by documents, file to BEP by distance, anchors by characters."""
    measures = ["articleP", "articleR", "BEPD(A=0.1, L=1000)"]
    table = excerpt.evaluate(JUDGED.encode(), RUN, measures, policy=excerpt.Policy(include_empty=False))
    assert table.means().tolist() == [[0.5, 0.5, 0.25]]
    name = "link-anchors"
    anchors = excerpt.evaluate(JUDGED.encode(), RUN, ["charP", "charR"], run_format=name, qrels_format=name)
    assert anchors.means()[0].tolist() == pytest.approx([1.0, 3 / 11])


def test_faults(opened: Open) -> None:
    """A topic without id, another root."""
    with pytest.raises(FormatError, match="f:3: found a topic without id, expected the page"):
        judgments_from(opened(JUDGED.replace('id="10"', "")))
    with pytest.raises(FormatError, match="f:1: found root element <a>, expected <ltwResultsetType>"):
        judgments_from(opened("<a/>"), "link-the-wiki")
