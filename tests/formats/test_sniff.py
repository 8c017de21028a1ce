"""Is a file a run or judgments?"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.errors import FormatError
from excerpt.formats.sniff import kind_of
from excerpt.formats.source import Source

Open = Callable[..., Source]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("1 Q0 A 1 1.5 r 0 5\n", "run"),
        ("1 Q0 A 1 1.5 r /a[1]\n", "run"),
        ("1 Q0 A 1 1.5 r\n", "run"),
        ("1 Q0 A 1 1.5 r 7\n", "run"),
        ("<inex-submission/>", "run"),
        ('{"topic": 1, "document": 2, "rank": 1}', "run"),
        ("1 Q0 A 5 20 0 0:5\n", "judgments"),
        ("1 Q0 A 0 20\n", "judgments"),
        ("1 Q0 A 5 20 0 0:5 7:2 12:1\n", "judgments"),
        ("1 0 A 1\n", "judgments"),
        ("<assessments topic='1'/>", "judgments"),
        ('{"topic": 1, "document": 2, "size": 1}', "judgments"),
        ('{"topic": 1, "document": 2, "start": 1, "end": 4}', "judgments"),
    ],
)
def test_content_decides(opened: Open, content: str, kind: str) -> None:
    """The format that fits is that of a run or of judgments."""
    assert kind_of(opened(content)) == kind


def test_the_user_decides(opened: Open) -> None:
    """What the user says is not questioned; the name of a format may say it."""
    assert kind_of(opened("1 0 A 1\n"), kind="run") == "run"
    assert kind_of(opened("1 0 A 1\n"), format_="bep") == "run"
    assert kind_of(opened("1 Q0 A 1 1.5 r\n"), format_="trec") == "run"
    assert kind_of(opened("1 0 A 1\n"), format_="trec") == "judgments"


def test_neither(opened: Open) -> None:
    """Something else is an error that shows it."""
    with pytest.raises(
        FormatError, match=r"^f:1: found 'hello world', expected a run or judgments in a known format"
    ):
        kind_of(opened("hello world\n"))
