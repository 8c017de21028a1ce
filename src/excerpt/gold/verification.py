"""Verification of evidence against the texts, and search for quotes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from excerpt.errors import short, short_list
from excerpt.gold.content import NOWHERE, Evidence, Gold
from excerpt.model.texts import fold
from excerpt.notices import Notices

#: At its place, or anywhere where it has none; at another place, or with other white space.
How: TypeAlias = Literal["exact", "moved"]


class QuoteMatch(NamedTuple):
    """Where a quote stands."""

    start: int
    end: int
    how: How


def find_quote(text: str, quote: str, start: int = -1) -> QuoteMatch | None:
    r"""The occurrence of a quote nearest to where it should start; the first where that is not known (-1).

    A quote that is nowhere is looked for with any white space where it has some; it is moved then, too.

    >>> find_quote("a b, a b", "a b", 5), find_quote("a b, a b", "a b", 4)
    (QuoteMatch(start=5, end=8, how='exact'), QuoteMatch(start=5, end=8, how='moved'))
    >>> find_quote("a\n b", " a b"), find_quote("a b", "b a")
    (QuoteMatch(start=0, end=4, how='moved'), None)
    """
    if start >= 0 and text.startswith(quote, start):
        return QuoteMatch(start, start + len(quote), "exact")
    place = text.find(quote) if start < 0 else _nearest(text, quote, start)
    if place >= 0:
        return QuoteMatch(place, place + len(quote), "exact" if start < 0 else "moved")
    words = quote.split()
    if not words or " ".join(words) not in _folded(text):
        return None
    folded = (match.span() for match in re.finditer(r"\s+".join(map(re.escape, words)), text))
    return QuoteMatch(*min(folded, key=lambda span: abs(span[0] - max(start, 0))), "moved")


@lru_cache(maxsize=1)
def _folded(text: str) -> str:
    """A text with one blank for each white space in it; quotes of one document come together."""
    return fold(text)


def _nearest(text: str, quote: str, start: int) -> int:
    """The occurrence whose start is nearest; the earlier one of two; -1 where there is none."""
    before = text.rfind(quote, 0, min(start, len(text)) + len(quote))
    after = text.find(quote, min(start, len(text)))
    if before < 0 or after < 0:
        return max(before, after)
    return before if start - before <= after - start else after


def to_characters(text: str, data: bytes, place: int) -> int | None:
    r"""The character at a byte of a text, which is given in both ways; None inside of a character.

    >>> to_characters("é!", "é!".encode(), 2), to_characters("é!", "é!".encode(), 1)
    (1, None)
    """
    if len(text) == len(data):
        return place
    try:
        return len(data[:place].decode())
    except UnicodeDecodeError:
        return None


_SHOWN = 3
#: The text of a document by its id; None where it is not there.
TextOf = Callable[[str], str | None]
_WORDS = "its words in the text"
_VERSION = "are the offsets of another version of the text? give ⟨corpus⟩, the text that they were made for"


class VerifiedSpan(NamedTuple):
    """Evidence at its place."""

    topic: str
    document: str
    start: int
    end: int


@dataclass
class Verification:
    """What came of the evidence of a file."""

    rows: list[VerifiedSpan] = field(default_factory=list)
    #: The same in the order of the file, None for evidence whose words are nowhere.
    each: list[VerifiedSpan | None] = field(default_factory=list)
    #: Evidence that stands where the file says, and that was moved to its words.
    exact: int = 0
    moved: list[Evidence] = field(default_factory=list)
    #: Evidence that could not be compared: without its words, or without the text of its document.
    unverified: list[Evidence] = field(default_factory=list)
    #: Of these, what is longer or shorter than its offsets say.
    wrong_length: list[Evidence] = field(default_factory=list)
    unquoted: int = 0
    #: Evidence whose words are nowhere, what is to be said of it, and what was expected.
    lost: list[tuple[Evidence, str, str]] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """The numbers."""
        return {"exact": self.exact, "moved": len(self.moved), "unplaced": len(self.lost)}


def verify(gold: Gold, text_of: TextOf, notices: Notices, *, has_corpus: bool) -> Verification:
    """Compare all evidence with the texts of the documents; what stands nowhere is a fault."""
    verification = Verification(each=[None] * len(gold.evidence))
    for number, evidence in sorted(enumerate(gold.evidence), key=lambda one: one[1].document):
        row = _verify(verification, gold, evidence, text_of(evidence.document))
        if row is not None:
            verification.each[number] = row
            verification.rows.append(row)
    _report_lost(verification, gold)
    counts = ", ".join(f"{count} {how}" for how, count in verification.counts.items())
    for message, some in (
        (f"evidence is not where its offsets say and was moved to its words ({counts})", verification.moved),
        (
            "evidence has more or fewer words than its offsets say; without its text the offsets count",
            verification.wrong_length,
        ),
    ):
        notices.add(message, len(some), where=f"{_names(some)} of {gold.file.name}")
    if verification.unverified and has_corpus:
        notices.add(
            "evidence was not verified, since the corpus lacks its document",
            len(verification.unverified),
            where=f"document {short(verification.unverified[0].document)} of {gold.file.name}",
        )
    return verification


def _verify(verification: Verification, gold: Gold, evidence: Evidence, text: str | None) -> VerifiedSpan | None:
    """Where evidence stands; None if nowhere."""
    if text is None:
        return _keep_unverified(verification, gold, evidence)
    start, end = evidence.start, evidence.end
    if gold.unit == "byte" and start != NOWHERE:
        data = text.encode()
        places = to_characters(text, data, start), to_characters(text, data, end)
        if None in places and not evidence.quote:
            verification.lost.append((evidence, f"bytes {start} to {end}, which cut a character in two", _WORDS))
            return None
        start, end = (NOWHERE if place is None else place for place in places)
    if not evidence.quote:
        if end > len(text):
            what = f"a passage from {start} to {end}, beyond the end of"
            verification.lost.append(
                (evidence, f"{what} document {short(evidence.document)} ({len(text)} long)", _WORDS)
            )
            return None
        verification.unquoted += 1
        found: QuoteMatch | None = QuoteMatch(start, end, "exact")
    else:
        found = _find(text, evidence.quote, start, end, claimed=evidence.start != NOWHERE)
    if found is None:
        where = f"nowhere in document {short(evidence.document)}"
        verification.lost.append((evidence, f"{short(evidence.quote)!r} {where}", _WORDS))
        return None
    if evidence.quote and found.how == "exact":
        verification.exact += 1
    elif evidence.quote:
        verification.moved.append(evidence)
    return VerifiedSpan(evidence.topic, evidence.document, found.start, found.end)


def _find(text: str, quote: str, start: int, end: int, *, claimed: bool) -> QuoteMatch | None:
    """A quote in a text; where its offsets say more or less than it, it was moved."""
    found = find_quote(text, quote, start)
    if found is not None and claimed and (found.start, found.end) != (start, end):
        return found._replace(how="moved")
    return found


def _keep_unverified(verification: Verification, gold: Gold, evidence: Evidence) -> VerifiedSpan | None:
    """Evidence in a document whose text is not there: its offsets should at least be as long as its words."""
    start, end, quote = evidence.start, evidence.end, evidence.quote
    if start == NOWHERE:
        document = f"document {short(evidence.document)}"
        what = f"{short(quote)!r} without offsets, and no text of {document}"
        verification.lost.append((evidence, what, "the texts of the documents"))
        return None
    lengths = {len(part) if gold.unit == "char" else len(part.encode()) for part in (quote, quote.strip())}
    if quote and end - start not in lengths:
        verification.wrong_length.append(evidence)
    verification.unverified.append(evidence)
    return VerifiedSpan(evidence.topic, evidence.document, start, end)


def _report_lost(verification: Verification, gold: Gold) -> None:
    """Report evidence that stands nowhere; with the first it is said how much there is of it."""
    lost = sorted(verification.lost, key=lambda one: one[0].item.line) if verification.lost else []
    for number, (evidence, what, wanted) in enumerate(lost):
        message = f"found evidence of question {short(evidence.topic)}, {what}, expected {wanted}"
        if not number and len(lost) > 1:
            names = _names([one for one, _, _ in lost])
            message += f"; so are {len(lost)} of {len(gold.evidence)} passages ({names})"
        evidence.item.fault(message, _VERSION if wanted == _WORDS else "give ⟨corpus⟩, which has them")


def _names(some: list[Evidence]) -> str:
    return "question " + short_list(dict.fromkeys(one.topic for one in some), _SHOWN)
