"""Search for quotes in a text: literal or folded, nearest to their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import Hashes, combines, fold_text
from excerpt.quotes.text_index import SIZE, FoldedText, SearchedText

if TYPE_CHECKING:
    from excerpt.quotes.chunk_places import Placement

#: Exact: literally, at its offset or without one. Moved: literally, elsewhere. Folded: not literally.
QuoteOccurrence: TypeAlias = Literal["exact", "moved", "folded"]
_ELLIPSIS = re.compile(r"[\[(]?\s?\.{3,}\s?[\])]?")


class QuoteMatch(NamedTuple):
    """The span of a quote in a text, and how it was found."""

    start: int
    end: int
    how: QuoteOccurrence


class QuotedText:
    r"""A text in which quotes are searched; its folded form and its n-grams are kept.

    >>> text = QuotedText("It\u2019s\n one line. It's two.")
    >>> text.find("It's"), text.find("It's one line.")
    (QuoteMatch(start=16, end=20, how='exact'), QuoteMatch(start=0, end=15, how='folded'))
    >>> text.find("it's two."), text.reason("it's two.")
    (None, 'only in another case')
    """

    def __init__(self, text: str) -> None:
        self.text, self._literal = text, SearchedText(text)

    @cached_property
    def folded(self) -> FoldedText:
        return FoldedText(self._literal.text)

    @cached_property
    def _cut(self) -> tuple[BoolArray, BoolArray]:
        """Offsets of the text, and solid characters, inside of a combining sequence or ligature."""
        inside = combines(self.folded.squeezed.text + ".")
        inside[1:-1] |= self.folded.offsets[1:] < self.folded.ends[:-1]
        return combines(self._literal.text + "."), inside

    def _occurrences(self, quote: str, start: int = -1) -> tuple[IntArray, IntArray, bool]:
        """Starts and ends of the literal, else of the folded occurrences, and whether they are literal."""
        text, folded, part = self._literal.text, self.folded, fold_text(quote)
        at = np.array([start])
        if start < 0 or not text.startswith(quote, start):
            at = self._literal.find(quote, 0, len(text))
        if len(at := at[~(self._cut[0][at] | self._cut[0][at + len(quote)])]):
            return at, at + len(quote), True
        at = folded.searched.find(part, 0, len(folded.folded)) if part else at
        low, high = folded.solid(at), folded.solid(at + len(part))
        whole = ~(self._cut[1][low] | self._cut[1][high])
        return folded.offsets[low[whole]], folded.ends[high[whole] - 1], False

    def find(self, quote: str, start: int = -1) -> QuoteMatch | None:
        """Find the literal, else the folded occurrence nearest to a start; the first one if it is -1."""
        if not quote:
            return None
        begin, end, literal = self._occurrences(quote, start)
        if not len(begin):
            return None
        row = int(np.abs(begin - max(start, 0)).argmin())
        how: QuoteOccurrence = "folded" if not literal else "exact" if start in {-1, begin[row]} else "moved"
        return QuoteMatch(int(begin[row]), int(end[row]), how)

    def find_all(self, quote: str) -> list[QuoteMatch]:
        """List the literal, else the folded occurrences of a quote that do not overlap.

        >>> QuotedText("a-a-a-a").find_all("a-a")
        [QuoteMatch(start=0, end=3, how='exact'), QuoteMatch(start=4, end=7, how='exact')]
        """
        found: list[QuoteMatch] = []
        begin, end, literal = self._occurrences(quote)
        for one in zip(begin.tolist(), end.tolist(), strict=True):
            if not found or one[0] >= found[-1].end:
                found.append(QuoteMatch(*one, "exact" if literal else "folded"))
        return found

    def find_part(self, quote: str) -> Placement:
        """Find a quote that does not occur without text of its own, such as a context in front."""
        from excerpt.quotes.chunk_places import UnplacedChunk
        from excerpt.quotes.search import Search

        return Search(self.folded).locate([UnplacedChunk(quote)])[0]

    def find_parts(self, quote: str, start: int = -1) -> list[QuoteMatch]:
        """Find a quote, else its parts around ellipses, each after the one before; none if one is missing.

        >>> QuotedText("one two three").find_parts("one [...] three")
        [QuoteMatch(start=0, end=3, how='folded'), QuoteMatch(start=8, end=13, how='folded')]
        """
        if (match := self.find(quote, start)) is not None:
            return [match]
        found: list[QuoteMatch] = []
        folded, end, parts = self.folded, 0, _parts_of(quote)
        for part in parts if parts != [fold_text(quote)] else ():
            if not len(at := folded.searched.find(part, end, len(folded.folded))[:1]):
                return []
            end = int(at[0]) + len(part)
            low, high = int(folded.solid(at)[0]), int(folded.solid(at + len(part))[0])
            found.append(QuoteMatch(int(folded.offsets[low]), int(folded.ends[high - 1]), "folded"))
        return found

    def reason(self, quote: str) -> str:
        """Say why a quote is not found, for a message; "" if nothing is known."""
        difference = self.folded.difference(fold_text(quote))
        if difference:
            return f"only in another {difference}"
        return "nor do its parts around the ellipsis, in order" if _ELLIPSIS.search(fold_text(quote)) else ""


def _parts_of(quote: str) -> list[str]:
    """Parts of a quote around its ellipses, folded."""
    return list(filter(None, map(str.strip, _ELLIPSIS.split(fold_text(quote)))))


#: A text is searched for many quotes in a row.
quoted_text = lru_cache(maxsize=4)(QuotedText)


def find_quote(text: str, quote: str, start: int = -1) -> QuoteMatch | None:
    r"""Find the occurrence of a quote nearest to its start; see `QuotedText.find`.

    >>> find_quote("a b, a b", "a b", 5), find_quote("a b, a b", "a b", 4)
    (QuoteMatch(start=5, end=8, how='exact'), QuoteMatch(start=5, end=8, how='moved'))
    >>> find_quote("a\n b", " a b"), find_quote("a b", "b a")
    (QuoteMatch(start=0, end=4, how='folded'), None)
    """
    return quoted_text(text).find(quote, start)


def find_everywhere(
    quotes: Sequence[str], documents: Iterable[tuple[str, str]], *, parts: bool = False
) -> Iterator[tuple[int, str, list[QuoteMatch]]]:
    """Yield each quote, by its number, with its places in each document; documents are pairs of id and text.

    With `parts`, a quote that leaves out text has the places of its parts.

    >>> list(find_everywhere(["b c"], [("A", "a b"), ("B", "a b c")]))
    [(0, 'B', [QuoteMatch(start=2, end=5, how='exact')])]
    """
    starts = [next(iter(_parts_of(quote) or [fold_text(quote)]))[:SIZE] for quote in quotes]
    tables = []
    for size in {*map(len, starts)} - {0}:
        numbers = np.array([number for number, start in enumerate(starts) if len(start) == size])
        joined = Hashes("".join(starts[number] for number in numbers.tolist()))
        hashes = joined.of(np.arange(len(numbers)) * size, size)
        tables.append((size, numbers, *np.unique(hashes, return_inverse=True)))
    for document, text in documents:
        quoted = QuotedText(text)
        own = Hashes(quoted.folded.folded)
        likely: list[int] = []
        for size, numbers, hashes, which in tables:
            stretches = own.stretches(size)
            row = hashes.searchsorted(stretches).clip(max=len(hashes) - 1)
            occurs = np.zeros(len(hashes), np.bool_)
            occurs[row[hashes[row] == stretches]] = True
            likely += numbers[occurs[which]].tolist()
        for number in sorted(likely):
            quote = quotes[number]
            if places := quoted.find_all(quote) or (quoted.find_parts(quote) if parts else []):
                yield number, document, places
