"""Start tags of a joined text: each is good by itself, or its document is doubtful."""

from __future__ import annotations

import re

import numpy as np

from excerpt.index.parse.joined_text import LONGEST, JoinedText, number_pieces
from excerpt.index.parse.markup import NAME, Markup
from excerpt.model.spans import BoolArray, IntArray

_SIMPLE = re.compile(NAME)
# What is outside of the values of attributes: from `<` or a closing quote to the next opening quote.
_BEFORE_VALUE = re.compile(rb"(?:<(%b)|[\"'])\s+(%b)\s*=\s*" % (NAME, NAME))
_MOST_QUOTES = 1000  # of a tag with quotes inside of values
_QUOTE, _APOSTROPHE = b"\"'"


class StartTags:
    """The code and the length of the name of each start tag, and the names by code."""

    def __init__(self, joined: JoinedText, markup: Markup, quotes: IntArray) -> None:
        self.names: list[bytes] = []
        self._joined = joined
        self._known: dict[bytes, int] = {}
        self._opens = markup.opens[markup.starts]
        stop = markup.closes[markup.starts] - markup.is_empty[markup.starts]
        stop -= joined.text[stop - 1] <= ord(" ")  # one blank may be before the end
        self._stop = stop
        last = joined.text[stop - 1]
        has_values = (last == _QUOTE) | (last == _APOSTROPHE)
        self.codes = np.empty(len(stop), np.int64)
        self.name_length = np.empty(len(stop), np.int64)
        self._take_simple(np.flatnonzero(~has_values))
        if has_values.any():
            self._take_with_values(np.flatnonzero(has_values), quotes)

    def _take_simple(self, rows: IntArray) -> None:
        """Tags that end with their name, or else are doubtful."""
        begin = self._opens[rows] + 1
        number, pieces = self._number(begin, self._stop[rows] - begin)
        self._name(rows, number, [piece if _SIMPLE.fullmatch(piece) else None for piece in pieces])

    def _take_with_values(self, rows: IntArray, quotes: IntArray) -> None:
        """Tags that end with the value of an attribute."""
        quotes, pairs = self._quotes_around_values(rows, quotes)
        opening, closing = quotes[::2], quotes[1::2]
        first = np.cumsum(pairs) - pairs
        begin = np.empty_like(opening)
        begin[1:] = closing[:-1]
        begin[first] = self._opens[rows]
        number, pieces = self._number(begin, opening - begin)
        matches = [_BEFORE_VALUE.fullmatch(piece) for piece in pieces]
        is_good = np.array([match is not None for match in matches])
        self._joined.doubt(begin[~is_good[number]])
        self._name(rows, number[first], [match and match[1] for match in matches])
        if len(number) > len(rows):
            names = [match[2] if match else b"" for match in matches]
            self._check_distinct(names, number, pairs, self._opens[rows])

    def _quotes_around_values(self, rows: IntArray, quotes: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes around values, an opening and a closing one in turn, and how many pairs each tag has.

        The first quote of a tag opens a value. If the next one is of the same kind it closes it, and so on;
        few tags have quotes inside of a value.
        """
        low, high = (np.searchsorted(quotes, places) for places in (self._opens[rows], self._stop[rows]))
        count = high - low
        if int(count.sum()) < len(quotes):
            change = np.zeros(len(quotes) + 1, np.int8)
            change[low] += 1
            change[high] -= 1
            quotes = quotes[np.cumsum(change[:-1], dtype=np.int8) > 0]
        kind = self._joined.text[quotes]
        if (count % 2).any() or (kind[::2] != kind[1::2]).any():
            quotes, count = self._pair_mixed(rows, quotes, count)
        return quotes, count // 2

    def _pair_mixed(self, rows: IntArray, quotes: IntArray, count: IntArray) -> tuple[IntArray, IntArray]:
        """The quotes without those inside of values: a walk through all tags with such at once."""
        kind = self._joined.text[quotes]
        first = np.cumsum(count) - count
        is_around = np.ones(len(quotes), np.bool_)
        inside = np.zeros(len(count), np.uint8)  # the quote that a value began with, 0 outside of values
        left = np.flatnonzero(self._are_mixed(quotes, count))
        self._joined.doubt(self._opens[rows[left[count[left] > _MOST_QUOTES]]])
        self._joined.settle()
        for step in range(int(count[left].max(initial=0))):
            left = left[count[left] > step]
            place, current = first[left] + step, inside[left]
            is_around[place] = meets = (current == 0) | (kind[place] == current)
            inside[left] = np.where(meets, np.where(current == 0, kind[place], 0), current)
        self._joined.doubt(self._opens[rows[inside != 0]])
        self._joined.settle()
        tag = np.repeat(np.arange(len(count)), count)
        return quotes[is_around], np.bincount(tag[is_around], minlength=len(count))

    def _are_mixed(self, quotes: IntArray, count: IntArray) -> BoolArray:
        """Which tags have a quote whose partner, by its place, is missing or of the other kind."""
        kind = self._joined.text[quotes]
        tag = np.repeat(np.arange(len(count)), count)
        first = np.flatnonzero((np.arange(len(tag)) - (np.cumsum(count) - count)[tag]) % 2 == 0)
        second = np.minimum(first + 1, len(tag) - 1)
        wrong = (first == second) | (tag[first] != tag[second]) | (kind[first] != kind[second])
        is_mixed = np.zeros(len(count), np.bool_)
        is_mixed[tag[first[wrong]]] = True
        return is_mixed

    def _number(self, begin: IntArray, length: IntArray) -> tuple[IntArray, list[bytes]]:
        data = self._joined.data
        is_long = length > LONGEST
        if is_long.any():
            self._joined.doubt(begin[is_long])
            length = np.minimum(length, LONGEST)
        number, first = number_pieces(data, begin, length)
        places = zip(begin[first].tolist(), length[first].tolist(), strict=True)
        return number, [data[at : at + size] for at, size in places]

    def _name(self, rows: IntArray, number: IntArray, names: list[bytes | None]) -> None:
        """Give rows the names of their numbers; where there is none the tag is doubtful."""
        codes = [self._known.setdefault(name, len(self._known)) if name else -1 for name in names]
        self.names = list(self._known)
        self.codes[rows] = np.array(codes, np.int64)[number]
        self.name_length[rows] = np.array([len(name or b"") for name in names], np.int64)[number]
        if -1 in codes:
            self._joined.doubt(self._opens[rows][self.codes[rows] < 0])

    def _check_distinct(self, names: list[bytes], number: IntArray, pairs: IntArray, opens: IntArray) -> None:
        """No tag has two attributes of one name."""
        known: dict[bytes, int] = {}
        codes = np.array([known.setdefault(name, len(known)) for name in names])
        first = np.cumsum(pairs) - pairs
        two = first[pairs == 2]  # most tags with several have two
        self._joined.doubt(opens[pairs == 2][codes[number[two]] == codes[number[two + 1]]])
        many = np.repeat(pairs > 2, pairs)
        tag = np.repeat(np.arange(len(pairs)), pairs)[many]
        keys = np.sort(tag * len(known) + codes[number[many]])
        self._joined.doubt(opens[keys[1:][keys[1:] == keys[:-1]] // len(known)])
