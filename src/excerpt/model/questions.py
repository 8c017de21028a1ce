"""What was asked, as files of judgments tell it."""

from __future__ import annotations

from typing import NamedTuple


class Question(NamedTuple):
    """A question that judgments answer; what a file does not tell is empty.

    >>> Question("7", "Who signed?").group
    ''
    """

    id: str
    text: str = ""
    #: What it belongs to, such as a corpus of several; means may be taken by it.
    group: str = ""
    #: A short name, which a file of topics gives it.
    title: str = ""
