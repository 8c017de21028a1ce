"""Titles of 2002 in the language of later years."""

from __future__ import annotations

import pytest

from excerpt.formats.topics._terms_of_2002 import castitle_of, words_of
from excerpt.nexi import Target, parse_nexi


@pytest.mark.parametrize(
    ("marked", "castitle"),
    [
        ([("cw", "bridge")], "//article[about(., bridge)]"),
        ([("te", "article"), ("cw", "a (b)"), ("ce", "abs, kwd")], "//article[about(.//(abs|kwd), a b)]"),
        ([("te", "article/fm/au, bb/au"), ("cw", "x")], "//article[about(., x)]//au"),
        ([("te", "sec|p"), ("cw", "x"), ("cw", ""), ("ce", "bdy")], "//article[about(., x)]//(sec|p)"),
        ([("te", "sec")], ""),
        ([("cw", '",+')], ""),
    ],
)
def test_castitles(marked: list[tuple[str, str]], castitle: str) -> None:
    """Whatever stands between the marks, what comes out is NEXI, or nothing."""
    assert castitle_of(marked) == castitle
    if castitle:
        assert str(parse_nexi(castitle)) == castitle
        assert Target.of(parse_nexi(castitle)).tags


def test_words() -> None:
    """Words are the title."""
    assert words_of([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "")]) == "QBIC"
