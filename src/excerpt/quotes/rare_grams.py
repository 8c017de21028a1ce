"""Which of many texts may have which of many quotes, by the rarest gram of each quote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from excerpt.model.spans import IntArray
from excerpt.model.texts import HashArray

#: Bytes of a gram, and grams of each part of a quote among which the rarest one is chosen.
_SIZE, _CHOICES = 8, 8
#: Characters of texts that are searched together; in the first ones the grams are counted.
_TOGETHER = 1 << 20
_BITS = 20
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class Needle(NamedTuple):
    """A number, and folded parts that all occur in a text that has what is looked for."""

    number: int
    parts: Sequence[str]


class RareGrams:
    """The grams of needles; a text without the rarest gram of a needle does not have it.

    >>> grams = RareGrams([Needle(0, ["two years"]), Needle(7, ["one"])])
    >>> list(grams.search([["the term is two years"], ["one year", "for one year"], ["no term"]]))
    [[0], [7], []]
    """

    def __init__(self, needles: Iterable[Needle]) -> None:
        self._needles = [one for one in needles if any(one.parts)]
        longest = [max(one.parts, key=len).encode(errors="surrogatepass") for one in self._needles]
        self._short = [place for place, part in enumerate(longest) if len(part) < _SIZE]
        self._places = [place for place, part in enumerate(longest) if len(part) >= _SIZE]
        self._table = np.zeros(1 << _BITS, np.bool_)
        self._values = np.zeros(0, np.uint64)
        self._having: list[list[int]] = []

    def search(self, texts: Iterable[Sequence[str]]) -> Iterator[list[int]]:
        """Yield for each item, some folded texts, the numbers of the needles that one of them may have."""
        for items in _batches(texts):
            yield from self._search(items)

    def _search(self, items: Sequence[Sequence[str]]) -> Iterator[list[int]]:
        texts = [*chain.from_iterable(items)]
        data = "\0".join(texts).encode(errors="surrogatepass")
        windows = _windows(data)
        if self._places and not len(self._values):
            self._choose(windows)
        found = windows[rows := np.flatnonzero(self._table[_slots(windows)])]
        at = self._values.searchsorted(found).clip(max=max(len(self._values) - 1, 0))
        same = self._values[at] == found if len(self._values) else np.zeros(0, np.bool_)
        sizes = [len(text) if text.isascii() else len(text.encode(errors="surrogatepass")) for text in texts]
        which = np.cumsum(np.array(sizes, np.int64) + 1).searchsorted(rows[same], side="right")
        likely: dict[int, set[int]] = {}
        for text, gram in np.unique(np.stack((which, at[same])), axis=1).T.tolist():
            likely.setdefault(text, set()).update(self._having[gram])
        place = 0
        for item in items:
            numbers: set[int] = set()
            for text in item:
                numbers |= {
                    self._needles[one].number
                    for one in chain(likely.get(place, ()), self._short)
                    if all(part in text for part in self._needles[one].parts)
                }
                place += 1
            yield sorted(numbers)

    def _choose(self, sample: HashArray) -> None:
        """Choose the gram of each needle that is rarest in the first texts."""
        grams = [np.concatenate([*map(_some, self._needles[place].parts)]) for place in self._places]
        every, inverse = np.unique(np.concatenate(grams), return_inverse=True)
        counts = _counted(every, sample)[inverse.ravel()]
        ends = np.cumsum([*map(len, grams)])
        rarest = [
            low + int(counts[low:high].argmin()) for low, high in zip([0, *ends], ends.tolist(), strict=False)
        ]
        self._values, having = np.unique(every[inverse.ravel()[rarest]], return_inverse=True)
        self._having = [[] for _ in self._values]
        for place, gram in zip(self._places, having.ravel().tolist(), strict=True):
            self._having[gram].append(place)
        self._table[_slots(self._values)] = True


def _batches(items: Iterable[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    batch, size = list[Sequence[str]](), 0
    for item in items:
        batch.append(item)
        size += sum(map(len, item))
        if size >= _TOGETHER:
            yield batch
            batch, size = [], 0
    yield batch


def _windows(data: bytes) -> HashArray:
    """The grams of some bytes, by position."""
    if len(data) < _SIZE:
        return np.zeros(0, np.uint64)
    return np.ndarray((len(data) - _SIZE + 1,), "<u8", data, 0, (1,)).copy()


def _some(part: str) -> HashArray:
    """Some grams of a part, from all of it."""
    windows = _windows(part.encode(errors="surrogatepass"))
    return windows[np.linspace(0, max(len(windows) - 1, 0), min(len(windows), _CHOICES)).astype(np.int64)]


def _slots(windows: HashArray) -> HashArray:
    slots: HashArray = (windows * _SPREAD) >> np.uint64(64 - _BITS)
    return slots


def _counted(grams: HashArray, sample: HashArray) -> IntArray:
    """How often grams, ascending, occur in a sample."""
    table = np.zeros(1 << _BITS, np.bool_)
    table[_slots(grams)] = True
    found = sample[table[_slots(sample)]]
    at = grams.searchsorted(found).clip(max=len(grams) - 1)
    return np.bincount(at[grams[at] == found], minlength=len(grams))
