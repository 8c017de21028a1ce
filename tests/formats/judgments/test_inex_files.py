"""What INEX assessments have in common: which kind they are of, what every file must have."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.formats.judgments._inex_files import CERTAIN, LIKELY, fit
from excerpt.formats.judgments.inex import read
from excerpt.formats.source import Source

Open = Callable[..., Source]


@pytest.mark.parametrize(
    ("content", "graded", "later"),
    [
        ("<assessments><file file='A'><path path='/a'/></file></assessments>", CERTAIN, 0),
        ("<assessments><file name='A'><element path='/a'/></file></assessments>", 0, CERTAIN),
        ("<assessments><file file='A'/></assessments>", CERTAIN, 0),
        ("<assessments><file name='A'/></assessments>", 0, CERTAIN),
        ("<assessments><!-- <path x='1'/> --><file name='A'/></assessments>", 0, CERTAIN),
        ("<all><assessments><file name='A'/></assessments></all>", 0, LIKELY),
        ("<all/>", 0, 0),
        ("assessments", 0, 0),
    ],
)
def test_which_kind(opened: Open, content: str, graded: int, later: int) -> None:
    """The first thing assessed tells it; where nothing is, the attribute that names files."""
    assert (fit(opened(content), graded=True), fit(opened(content), graded=False)) == (graded, later)


def test_the_topic_text_is_no_assessment(opened: Open) -> None:
    """Elements of a topic that is repeated in the file mean nothing."""
    source = opened(
        "<assessments topic='1'><inex_topic><file name='x'/></inex_topic><file name='A'/></assessments>"
    )
    assert read(source).documents == ("A",)
