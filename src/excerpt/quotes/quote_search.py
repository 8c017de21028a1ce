"""Search for quotes in a text: literal, folded, or but for markup; nearest to their offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import tee
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt._lazy import offered
from excerpt.model.spans import BoolArray, IntArray
from excerpt.model.texts import combines, fold_text
from excerpt.quotes.rare_grams import Needle, RareGrams
from excerpt.quotes.text_index import FoldedText, SearchedText

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
        return FoldedText(self.text)

    @cached_property
    def _marked(self) -> Any:
        """The text as a reader sees it; None if it has no markup."""
        markup: Any = None if self.name is None else offered("markup")
        kind = None if markup is None else markup.kind_of_document(self.name)
        return markup.MarkedText(self.text, kind) if kind else None

    @cached_property
    def _cut(self) -> BoolArray:
        """Offsets of the text inside of a combining sequence."""
        return combines(self.text + ".")

    @cached_property
    def _cut_solid(self) -> BoolArray:
        """The same of solid characters, and inside of ligatures."""
        inside = combines(self.folded.squeezed.text + ".")
        inside[1:-1] |= self.folded.offsets[1:] < self.folded.ends[:-1]
        return inside

    def _occurrences(self, quote: str, start: int = -1) -> tuple[IntArray, IntArray, QuoteOccurrence]:
        """Starts and ends of the literal, else folded occurrences, else of those but for markup, and how."""
        text = self.text
        at = np.array([start])
        if start < 0 or not text.startswith(quote, start):
            at = self._literal.find(quote, 0, len(text))
        if len(at) and not text.isascii():
            at = at[~(self._cut[at] | self._cut[at + len(quote)])]
        if len(at):
            return at, at + len(quote), "exact"
        folded, part = self.folded, fold_text(quote)
        at = folded.searched.find(part, 0, len(folded.folded)) if part else at
        if len(at):
            low, high = folded.solid(at), folded.solid(at + len(part))
            whole = ~(self._cut_solid[low] | self._cut_solid[high])
            at, ends = folded.offsets[low[whole]], folded.ends[high[whole] - 1]
        if len(at) or self._marked is None:
            return at, ends if len(at) else at, "folded"
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

    def seen_forms(self) -> list[str]:
        """Forms of the text, folded: the text, and what a reader sees of it if that is another one."""
        forms = [] if self._marked is None or not self._marked.differs else self._marked.forms
        return [fold_text(self.text), *(fold_text(form) for form in forms)]

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

    def find_part(self, quote: str) -> tuple[int, int]:
        """Start and end of a quote that has text of its own, such as a context in front; else -1, -1."""
        found: tuple[int, int] = offered("find_part")(self.folded, self.name, quote)
        return found

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
    if not quotes:
        return
    grams = RareGrams(Needle(number, _needed(quote)) for number, quote in enumerate(quotes))
    ahead, behind = tee(documents)
    found = grams.search([fold_text(text)] for _, text in ahead)
    for (document, text), likely in zip(behind, found, strict=True):
        quoted = QuotedText(text)
        for number in likely:
            quote = quotes[number]
            if places := quoted.find_all(quote) or (quoted.find_parts(quote) if parts else []):
                yield number, document, places


def _needed(quote: str) -> list[str]:
    """Folded parts that a text has which has a quote, or its parts around ellipses."""
    return _parts_of(quote) or [fold_text(quote)]


def find_marked(
    quotes: Sequence[str], documents: Iterable[tuple[str, str]]
) -> Iterator[tuple[int, str, list[list[QuoteMatch]]]]:
    """Yield quotes that may lack the markup of a document with their places there, each in its parts.

    >>> list(find_marked(["b c"], [("A.md", "a **b** c")]))
    [(0, 'A.md', [[QuoteMatch(start=4, end=9, how='markup')]])]
    """
    if not quotes:
        return
    markup: Any = offered("markup")
    forms = (
        [{quote, *(markup.seen_of(quote, kind) for kind in ("markdown", "html"))} for quote in quotes]
        if markup
        else [{quote} for quote in quotes]
    )
    grams = RareGrams(Needle(number, _needed(form)) for number, some in enumerate(forms) for form in some)
    ahead, behind = tee((name, QuotedText(text, name)) for name, text in documents)
    for (name, quoted), likely in zip(
        behind, grams.search(one.seen_forms() for _, one in ahead), strict=True
    ):
        for number in likely:
            quote = quotes[number]
            if places := [[match] for match in quoted.find_all(quote)]:
                yield number, name, places
            elif found := quoted.find_parts(quote):
                yield number, name, [found]
