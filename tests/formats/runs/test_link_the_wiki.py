"""Runs of links, in the forms of all years: entry points of pages, and anchors."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import FormatError
from excerpt.formats.reading import run_from
from excerpt.formats.runs import inex, link_the_wiki
from excerpt.formats.source import Source
from excerpt.model import Result

Open = Callable[..., Source]

OF_2008 = """<inex-submission participant-id="4" run-id="r" task="LinkTheWiki" format="FOL">
<details><machine><cpu>x</cpu></machine><time>1</time></details>
<collections><collection>wikipedia</collection></collections>
<topic file="10.xml" name="Ten"><outgoing>
<link><anchor><file>10.xml</file><offset>85</offset><length>7</length></anchor>
<linkto><file>20.xml</file><bep>12</bep></linkto><linkto><file>30.xml</file><bep>0</bep></linkto></link>
<link><anchor><file>10.xml</file><offset>0</offset><length>0</length></anchor>
<linkto><file>20.xml</file><bep>99</bep></linkto></link>
</outgoing><incoming>
<link><anchor><file>65.xml</file><offset>4</offset><length>2</length></anchor><linkto><bep>1</bep></linkto></link>
</incoming></topic></inex-submission>
"""
OF_2009 = """<inexltw-submission participant-id="4" run-id="r" task="LTW_A2B" format="FOL">
<topic file="10" name="Ten"><outgoing>
<anchor offset="85" length="7" name="tremolo"><tobep offset="12">20</tobep>
<tobep offset="0">30</tobep></anchor>
<anchor offset="-1" length="0" name=""><tobep offset="99">20</tobep></anchor>
</outgoing><incoming>
<bep offset="1"><fromanchor offset="4" length="2" file="65">x</fromanchor></bep></incoming>
</topic></inexltw-submission>
"""
CROSS = OF_2009.replace("inexltw", "crosslink").replace("tobep offset", 'tofile lang="zh" bep_offset')
CROSS = CROSS.replace("</tobep>", "</tofile>")


@pytest.mark.parametrize("text", [OF_2008, OF_2009, CROSS], ids=["2008", "2009", "crosslink"])
def test_entry_points_and_anchors(opened: Open, text: str) -> None:
    """The three forms say the same; a page counts where it is first linked, an anchor once."""
    source = opened(text)
    run = run_from(source)
    assert (run.name, run.kind, run.topics, bool(run.task)) == ("r", "entry points", ("10",), True)
    assert list(run) == [Result("10", "20", 12, 12), Result("10", "30", 0, 0)]
    assert list(source.notices) == [
        "link comes in from another page and was left out, since only outgoing links are read (f)",
        "link leads to a page that its topic links before; the first one counts (f)",
    ]
    anchors = opened(text)
    assert list(run_from(anchors, "link-anchors")) == [Result("10", "10", 85, 92)]
    assert "link has no anchor and was left out (f)" in list(anchors.notices)
    assert (inex.recognise(opened(text)), link_the_wiki.recognise(opened(text))) == (0, 1000)


def test_file_to_file(opened: Open) -> None:
    """Lists of pages lead to their beginnings."""
    text = (
        "<inexltw-submission run-id='r' task='LTW_F2F'><topic file='1' name='x'><outgoing>"
        "<linkto>20, 30,40.xml</linkto></outgoing></topic></inexltw-submission>"
    )
    assert [result[1:4] for result in run_from(opened(text))] == [("20", 0, 0), ("30", 0, 0), ("40", 0, 0)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('file="10"', "", "f:2: found a topic without file, expected the page that links go from"),
        (">20<", "> <", "f:3: found a link to no page, expected the id of one"),
        ('"85"', '"x"', "f:3: found offset of an anchor 'x', expected a whole number"),
        (
            'length="7"',
            'length="-7"',
            "f:3: found length of an anchor '-7', expected a number that is not negative",
        ),
        ('"12"', '"1e3"', "f:3: found entry point '1e3', expected a whole number"),
        ("</anchor>", "", "f:6: found XML that is broken here (mismatched tag), expected well-formed XML"),
    ],
)
def test_faults(opened: Open, old: str, new: str, message: str) -> None:
    """Each with its line."""
    with pytest.raises(FormatError) as caught:
        run_from(opened(OF_2009.replace(old, new)), "link-the-wiki")
    assert str(caught.value) == message


def test_a_link_outside_of_a_topic(opened: Open) -> None:
    """It is a fault; a file without any link is a doubt."""
    with pytest.raises(FormatError, match="found a link outside a topic, expected it in one"):
        run_from(opened("<inexltw-submission><outgoing><linkto>1</linkto></outgoing></inexltw-submission>"))
    source = opened("<inexltw-submission run-id='r'><topic file='1'/></inexltw-submission>")
    assert (len(run_from(source)), list(source.notices)) == (0, ["there are no outgoing links (f)"])
