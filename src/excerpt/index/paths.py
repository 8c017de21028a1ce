"""Path strings to numbers: `/a[1]/sec[2]/text()[1].6` is a tag path, positions, a text node and an offset."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.model.run import encode
from excerpt.model.spans import IntArray

_STEP = re.compile(r"([^\[\]/\s]+)(?:\[([0-9]{1,15})\])?")
_TEXT = re.compile(r"text\(\)(?:\[([0-9]{1,15})\])?(?:\.([0-9]{1,15}))?")
_ROOT = -1
_UNKNOWN = -2


class Pointer(NamedTuple):
    """A parsed path; `text` is the number of a text node or 0, `offset` what follows the dot or -1."""

    path: int
    positions: tuple[int, ...]
    text: int = 0
    offset: int = -1


_NOWHERE = Pointer(_UNKNOWN, ())
_START = Pointer(_ROOT, ())


class Pointers(NamedTuple):
    """Many parsed paths: `which` gives the row of each in the other columns, which hold distinct ones."""

    which: IntArray
    path: IntArray
    depth: IntArray
    text: IntArray
    offset: IntArray
    positions: list[tuple[int, ...]]


class PathParser:
    """Reads path strings against the tag paths of an index; never fails, a path nobody has is just unknown.

    >>> parser = PathParser(["article", "sec"], np.array([-1, 0]), np.array([0, 1]))
    >>> parser.parse("/article[1]/sec[2]")
    Pointer(path=1, positions=(1, 2), text=0, offset=-1)
    >>> parser.parse("/article/sec[2]/text()[3].14")
    Pointer(path=1, positions=(1, 2), text=3, offset=14)
    >>> parser.parse("article").path
    -2
    """

    def __init__(self, tags: Sequence[str], parents: npt.ArrayLike, names: npt.ArrayLike) -> None:
        rows = zip(np.asarray(parents).tolist(), np.asarray(names).tolist(), strict=True)
        self._paths = {(parent, tags[name]): number for number, (parent, name) in enumerate(rows)}

    def parse(self, path: str) -> Pointer:
        """One path."""
        return _Reading(self._paths).pointer(path)

    def parse_all(self, paths: Sequence[str]) -> Pointers:
        """Many paths, each distinct one parsed once."""
        reading = _Reading(self._paths)
        distinct, which = encode(paths)
        parsed = [reading.pointer(path) for path in distinct]
        columns = np.array([(p.path, len(p.positions), p.text, p.offset) for p in parsed], np.int64)
        path, depth, text, offset = columns.reshape(-1, 4).T
        return Pointers(which, path, depth, text, offset, [p.positions for p in parsed])


class _Reading:
    """Remembers steps and parents while many paths are read: siblings share all but their last step."""

    def __init__(self, paths: dict[tuple[int, str], int]) -> None:
        self._paths = paths
        self._steps: dict[str, tuple[str, int]] = {}
        self._heads: dict[str, Pointer] = {"": _START}

    def pointer(self, path: str) -> Pointer:
        head, slash, step = path.rpartition("/")
        if not slash:
            return _NOWHERE
        parent = self._heads.get(head)
        if parent is None:
            parent = self._heads[head] = self._walk(head)
        if step.startswith("text()"):
            return _text(parent, step)
        return self._child(parent, step)

    def _walk(self, head: str) -> Pointer:
        # Only whole heads are remembered: all prefixes of a very deep path would fill the memory.
        first, *steps = head.split("/")
        place = _START if not first else _NOWHERE
        positions: list[int] = []
        for step in steps:
            place = self._child(place, step)
            positions += place.positions[-1:]
            place = Pointer(place.path, ())
        return Pointer(place.path, tuple(positions)) if place.path >= 0 else _NOWHERE

    def _child(self, parent: Pointer, step: str) -> Pointer:
        known = self._steps.get(step)
        if known is None:
            known = self._steps[step] = _step(step)
        path = self._paths.get((parent.path, known[0]), _UNKNOWN)
        return Pointer(path, (*parent.positions, known[1])) if path >= 0 and known[1] else _NOWHERE


def _step(step: str) -> tuple[str, int]:
    match = _STEP.fullmatch(step)
    return (match[1], int(match[2] or 1)) if match else ("", 0)


def _text(parent: Pointer, step: str) -> Pointer:
    match = _TEXT.fullmatch(step)
    if match is None or parent.path < 0 or (match[1] and not int(match[1])):
        return _NOWHERE
    return parent._replace(text=int(match[1] or 1), offset=int(match[2] or -1))
