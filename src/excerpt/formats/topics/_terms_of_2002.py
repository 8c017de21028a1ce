"""Titles of INEX 2002: `<te>` what is asked for, `<cw>` words, `<ce>` the elements that they should be in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from excerpt.nexi import About, Clauses, Query, Step, Term

#: The tags inside of such a title.
MARKS = {"te", "cw", "ce"}
_NO_WORD = re.compile(r'[\s"()\[\],]+')
_NO_TAG = re.compile(r"[\s,|()]+")


def words_of(marked: Sequence[tuple[str, str]]) -> str:
    """The words, without the elements.

    >>> words_of([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "image retrieval")])
    'QBIC image retrieval'
    """
    return " ".join(text for tag, text in marked if tag == "cw" and text)


def castitle_of(marked: Sequence[tuple[str, str]]) -> str:
    """The same in NEXI: articles that fit, and inside of them what is asked for.

    >>> castitle_of([("te", "tig"), ("cw", "QBIC"), ("ce", "bibl"), ("cw", "image retrieval")])
    '//article[about(.//bibl, QBIC) and about(., image retrieval)]//tig'
    """
    wanted = _tags(" ".join(text for tag, text in marked if tag == "te"))
    abouts: list[About] = []
    for place, (tag, text) in enumerate(marked):
        words = [Term(word) for word in _NO_WORD.split(text) if word.strip("+-")]
        if tag != "cw" or not words:
            continue
        follows = marked[place + 1] if place + 1 < len(marked) else ("", "")
        inside = _tags(follows[1]) if follows[0] == "ce" else ()
        abouts.append(About((Step(inside),) if inside else (), tuple(words)))
    if not abouts:
        return ""
    filter_ = abouts[0] if len(abouts) == 1 else Clauses("and", tuple(abouts))
    article = Step(("article",), filters=(filter_,))
    if wanted in ((), ("article",)):
        return str(Query((article,)))
    return str(Query((article, Step(wanted))))


def _tags(text: str) -> tuple[str, ...]:
    """Names of elements; of a path its last one."""
    paths = [path.rstrip("/").rpartition("/")[2] for path in _NO_TAG.split(text)]
    return tuple(dict.fromkeys(name for name in paths if re.fullmatch(r"[^\W\d][\w.:-]*|\*", name)))
