"""Paths and spans of the elements of a document, by the standard library."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET


def elements_of(root: ET.Element) -> Iterator[tuple[str, int, int]]:
    """Path, start and end of every element of a document."""
    position = 0

    def walk(element: ET.Element, path: str) -> Iterator[tuple[str, int, int]]:
        nonlocal position
        start, counts = position, dict[str, int]()
        position += len(element.text or "")
        for child in element:
            name = child.tag.rpartition("}")[2]
            counts[name] = counts.get(name, 0) + 1
            yield from walk(child, f"{path}/{name}[{counts[name]}]")
            position += len(child.tail or "")
        yield path, start, position

    return walk(root, f"/{root.tag}[1]")
