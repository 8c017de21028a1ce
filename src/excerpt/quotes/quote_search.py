"""Search for quotes in a text: literal, folded, or but for markup; nearest to their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import Hashes, combines, fold_text
from excerpt.quotes.text_index import SIZE, FoldedText, SearchedText

if TYPE_CHECKING:
    from excerpt.quotes.chunk_places import Placement

#: Exact: literally, at its offset or without one. Moved: literally, elsewhere. Folded: not literally.
#: Markup: without the markup of the document.
QuoteOccurrence: TypeAlias = Literal["exact", "moved", "folded", "markup"]
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

    def __init__(self, text: str, name: str | None = None) -> None:
        """Search in a text; the name of its document tells whether it has markup, without one it has none."""
        self.text, self.name, self._literal = text, name, SearchedText(text)

    @cached_property
    def folded(self) -> FoldedText:
        return FoldedText(self._literal.text)

    @cached_property
    def _marked(self) -> Any:
        """The text as a reader sees it; None if it has no markup."""
        markup: Any = None if self.name is None else offered("markup")
        kind = None if markup is None else markup.kind_of_document(self.name)
        return markup.MarkedText(self.text, kind) if kind else None

    @cached_property
    def _cut(self) -> tuple[BoolArray, BoolArray]:
        """Offsets of the text, and solid characters, inside of a combining sequence or ligature."""
        inside = combines(self.folded.squeezed.text + ".")
        inside[1:-1] |= self.folded.offsets[1:] < self.folded.ends[:-1]
        return combines(self._literal.text + "."), inside

    def _occurrences(self, quote: str, start: int = -1) -> tuple[IntArray, IntArray, QuoteOccurrence]:
        """Starts and ends of the literal, else folded occurrences, else of those but for markup, and how."""
        text, folded, part = self._literal.text, self.folded, fold_text(quote)
        at = np.array([start])
        if start < 0 or not text.startswith(quote, start):
            at = self._literal.find(quote, 0, len(text))
        if len(at := at[~(self._cut[0][at] | self._cut[0][at + len(quote)])]):
            return at, at + len(quote), "exact"
        at = folded.searched.find(part, 0, len(folded.folded)) if part else at
        low, high = folded.solid(at), folded.solid(at + len(part))
        whole = ~(self._cut[1][low] | self._cut[1][high])
        if whole.any() or self._marked is None:
            return folded.offsets[low[whole]], folded.ends[high[whole] - 1], "folded"
        return *self._marked.find(quote), "markup"

    def find(self, quote: str, start: int = -1) -> QuoteMatch | None:
        """Find the literal, else the folded occurrence nearest to a start; the first one if it is -1."""
        if not quote:
            return None
        begin, end, how = self._occurrences(quote, start)
        if not len(begin):
            return None
        row = int(np.abs(begin - max(start, 0)).argmin())
        if how == "exact" and start not in {-1, begin[row]}:
            how = "moved"
        return QuoteMatch(int(begin[row]), int(end[row]), how)

    def find_all(self, quote: str) -> list[QuoteMatch]:
        """List the literal, else the folded occurrences of a quote that do not overlap.

        >>> QuotedText("a-a-a-a").find_all("a-a")
        [QuoteMatch(start=0, end=3, how='exact'), QuoteMatch(start=4, end=7, how='exact')]
        """
        found: list[QuoteMatch] = []
        begin, end, how = self._occurrences(quote)
        for one in zip(begin.tolist(), end.tolist(), strict=True):
            if not found or one[0] >= found[-1].end:
                found.append(QuoteMatch(one[0], one[1], how))
        return found

    def find_part(self, quote: str) -> Placement:
        """Find a quote that does not occur without text of its own, such as a context in front."""
        from excerpt.quotes.chunk_places import UnplacedChunk
        from excerpt.quotes.search import Search

        chunks, scattered = [UnplacedChunk(quote)], offered("scattered")
        found = Search(self.folded, self.name).locate(chunks)
        if scattered:
            found = scattered.place_scattered(self.folded, chunks, found, self.name)
        return found[0]

    def find_parts(self, quote: str, start: int = -1) -> list[QuoteMatch]:
        """Find a quote, else its parts around ellipses, each after the one before; none if one is missing.

        >>> QuotedText("one two three").find_parts("one [...] three")
        [QuoteMatch(start=0, end=3, how='folded'), QuoteMatch(start=8, end=13, how='folded')]
        """
        if (match := self.find(quote, start)) is not None:
            return [match]
        parts = _parts_of(quote)
        if parts == [fold_text(quote)]:
            return []
        if (found := _parts_in(self.folded, parts)) or self._marked is None:
            return [QuoteMatch(start, end, "folded") for start, end in found]
        seen = self._marked.seen
        places = (seen.span(*span) for span in _parts_in(seen.folded, parts))
        return [QuoteMatch(start, end, "markup") for start, end in places]

    def nearest(self, quote: str) -> str:
        """Name the place that is nearest to a quote that is not found; "" if nothing is near."""
        find = offered("nearest")
        place = find(self.text, quote, self.name if self.name is not None else "-.txt") if find else None
        return "" if place is None else str(place)

    def reason(self, quote: str) -> str:
        """Say why a quote is not found, for a message; "" if nothing is known."""
        difference = self.folded.difference(fold_text(quote))
        if difference:
            return f"only in another {difference}"
        return "nor do its parts around the ellipsis, in order" if _ELLIPSIS.search(fold_text(quote)) else ""


def _parts_in(folded: FoldedText, parts: Sequence[str]) -> list[tuple[int, int]]:
    """Spans of parts, each after the one before; none if one is missing."""
    found, end = list[tuple[int, int]](), 0
    for part in parts:
        if not len(at := folded.searched.find(part, end, len(folded.folded))[:1]):
            return []
        end = int(at[0]) + len(part)
        low, high = int(folded.solid(at)[0]), int(folded.solid(at + len(part))[0])
        found.append((int(folded.offsets[low]), int(folded.ends[high - 1])))
    return found


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


def find_marked(
    quotes: Sequence[str], documents: Iterable[tuple[str, str]]
) -> Iterator[tuple[int, str, list[list[QuoteMatch]]]]:
    """Yield quotes that may lack the markup of a document with their places there, each in its parts.

    >>> list(find_marked(["b c"], [("A.md", "a **b** c")]))
    [(0, 'A.md', [[QuoteMatch(start=4, end=9, how='markup')]])]
    """
    for name, text in documents if quotes else ():
        quoted = QuotedText(text, name)
        for number, quote in enumerate(quotes):
            if places := [[match] for match in quoted.find_all(quote)]:
                yield number, name, places
            elif parts := quoted.find_parts(quote):
                yield number, name, [parts]
