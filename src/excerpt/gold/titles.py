"""Names of documents that have only titles: the title, and a number where it has several texts."""

from __future__ import annotations

from collections.abc import Iterable


class Titles:
    """Documents by title and text, numbered in the order in which they come.

    >>> titles = Titles([("Bridges", "one"), ("Bridges", "two"), ("Locks", "three"), ("Locks", "three")])
    >>> titles.name("Bridges", "two"), titles.name("Locks", "three")
    ('Bridges#2', 'Locks')
    """

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        #: The number of each text, by title.
        self.numbers: dict[str, dict[str, int]] = {}
        for title, text in documents:
            texts = self.numbers.setdefault(title, {})
            texts.setdefault(text, len(texts) + 1)

    def name(self, title: str, text: str) -> str:
        """What a document is called."""
        return numbered(title, self.numbers[title][text], len(self.numbers[title]))


def numbered(title: str, number: int, count: int) -> str:
    """The name of one of several parts of what has a title.

    >>> numbered("Bridges", 2, 3), numbered("Bridges", 1, 1)
    ('Bridges#2', 'Bridges')
    """
    return title if count == 1 else f"{title}#{number}"
