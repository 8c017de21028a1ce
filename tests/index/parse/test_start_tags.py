"""Start tags: names and attributes, or a doubt."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.index.parse.joined_text import Doubtful, JoinedText
from excerpt.index.parse.markup import find_markup
from excerpt.index.parse.start_tags import StartTags


def names(document: str) -> list[str]:
    """The names of the start tags, in order."""
    joined = JoinedText([document.encode()])
    quotes = np.flatnonzero((joined.text == ord("'")) | (joined.text == ord('"')))
    tags = StartTags(joined, find_markup(joined), quotes)
    joined.settle()
    return [tags.names[code].decode() for code in tags.codes.tolist()]


@pytest.mark.parametrize(
    "tag",
    [
        "a",
        "a ",
        "a b='1'",
        'a b="1" c="2" d="3"',
        "a b='1' c=\"2\"",
        "a b='\"' c=\"'\"",
        'a b="it\'s"',
        "a\nb = ''",
        "a b='x=\"1\"' c=\"y='2'\" d=''",
    ],
)
def test_good_tags(tag: str) -> None:
    """Values in quotes of either kind, with quotes of the other kind in them."""
    assert names(f"it's <x><{tag}>\"</a><{tag}/></x>") == ["x", "a", "a"]


@pytest.mark.parametrize(
    "tag",
    [
        "a b",
        "a b=1",
        "a b='1",
        "a b='1'c='2'",
        "a b='1' b=\"2\"",
        "a b='1' c='2' b='3'",
        "a 'b'",
        "a ='b'",
        "1a",
        "",
        " a",
        "a b='1' '2'",
        "a b=\"1'",
        "a b='1''2'",
        f"{'a' * 65}",
        "é",
    ],
)
def test_doubtful_tags(tag: str) -> None:
    """Whatever is wrong with a tag, or only unusual, is a doubt."""
    with pytest.raises(Doubtful):
        names(f"<x><{tag}></x>")
