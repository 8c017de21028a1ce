"""A format of gold files: how it is known and how it is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from excerpt.gold.content import Gold
from excerpt.gold.file import GoldFile


@dataclass(frozen=True)
class Kind:
    """A format of gold files."""

    name: str
    #: One line that shows what it looks like, and what it is.
    layout: str
    description: str
    #: A small file in the format.
    example: str
    read: Callable[[GoldFile], Gold]
    #: Whether a value of JSON, the first of a file, is of this format.
    fits: Callable[[Any], bool]
    #: Keys that the beginning of such a file has, by which one is known that is broken.
    keys: tuple[str, ...] = ()
    #: Whether its files have the text of the documents.
    carries: bool = False
    #: Whether documents may be paragraphs or articles.
    divides: bool = False

    def recognise(self, file: GoldFile) -> bool:
        """Whether a file is of this format."""
        if file.first is not None:
            return self.fits(file.first)
        return bool(self.keys) and all(re.search(rf'"{key}"\s*:', file.head) is not None for key in self.keys)


def list_in(value: Any, key: str) -> list[Any] | None:
    """The list under a key of an object; None where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else None


def first_has(values: list[Any] | None, *keys: str) -> bool:
    """Whether there is a list, and its first value, if any, is an object with one of these keys."""
    if values is None:
        return False
    return not values or (isinstance(values[0], dict) and any(key in values[0] for key in keys))
