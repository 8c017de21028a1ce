"""Verification of evidence against the text of documents, and search for quotes."""

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

#: Exact: at its offsets, or anywhere without offsets. Moved: at others, or with other whitespace.
How: TypeAlias = Literal["exact", "moved"]


class QuoteMatch(NamedTuple):
    """The span of a quote in a text, and how it was found."""

    start: int
    end: int
    how: How


def find_quote(text: str, quote: str, start: int = -1) -> QuoteMatch | None:
    r"""Find the occurrence of a quote nearest to its start; the first occurrence if that is unknown (-1).

    A quote that does not occur is searched with any whitespace instead of its own, and counts as moved.

    >>> find_quote("a b, a b", "a b", 5), find_quote("a b, a b", "a b", 4)
    (QuoteMatch(start=5, end=8, how='exact'), QuoteMatch(start=5, end=8, how='moved'))
    >>> find_quote("a\n b", " a b"), find_quote("a b", "b a")
    (QuoteMatch(start=0, end=4, how='moved'), None)
    """
    if start >= 0 and text.startswith(quote, start):
        return QuoteMatch(start, start + len(quote), "exact")
    found = text.find(quote) if start < 0 else _nearest(text, quote, start)
    if found >= 0:
        return QuoteMatch(found, found + len(quote), "exact" if start < 0 else "moved")
    words = quote.split()
    if not words or " ".join(words) not in _folded(text):
        return None
    folded = (match.span() for match in re.finditer(r"\s+".join(map(re.escape, words)), text))
    return QuoteMatch(*min(folded, key=lambda span: abs(span[0] - max(start, 0))), "moved")


@lru_cache(maxsize=1)
def _folded(text: str) -> str:
    """Return a text with single blanks; cached, since the quotes of a document are searched in a row."""
    return fold(text)


def _nearest(text: str, quote: str, start: int) -> int:
    """Return the nearest occurrence of a quote, of two the earlier; -1 if there is none."""
    before = text.rfind(quote, 0, min(start, len(text)) + len(quote))
    after = text.find(quote, min(start, len(text)))
    if before < 0 or after < 0:
        return max(before, after)
    return before if start - before <= after - start else after


def to_characters(text: str, data: bytes, offset: int) -> int | None:
    r"""Convert a byte offset in a text (given as text and as bytes) to characters; None inside a character.

    >>> to_characters("é!", "é!".encode(), 2), to_characters("é!", "é!".encode(), 1)
    (1, None)
    """
    if len(text) == len(data):
        return offset
    try:
        return len(data[:offset].decode())
    except UnicodeDecodeError:
        return None


_SHOWN = 3
#: The text of a document by its id; None if it is missing.
TextOf = Callable[[str], str | None]
_HINT = "are the offsets from another version of the text? give ⟨corpus⟩, the text that they were made for"
_TEXTS_HINT = "give ⟨corpus⟩, which has the texts"


class VerifiedSpan(NamedTuple):
    """Evidence with its verified span."""

    topic: str
    document: str
    start: int
    end: int


@dataclass
class Verification:
    """The outcome of verifying the evidence of a file."""

    rows: list[VerifiedSpan] = field(default_factory=list)
    #: The same in the order of the file; None for evidence that does not occur in its document.
    each: list[VerifiedSpan | None] = field(default_factory=list)
    #: Evidence at its offsets, and evidence that was relocated by its text.
    exact: int = 0
    moved: list[Evidence] = field(default_factory=list)
    #: Evidence in documents whose text is missing.
    unverified: list[Evidence] = field(default_factory=list)
    #: Unverified evidence that is longer or shorter than its offsets say.
    wrong_length: list[Evidence] = field(default_factory=list)
    unquoted: int = 0
    #: Evidence that does not occur in its document, the problem, and a hint.
    lost: list[tuple[Evidence, str, str]] = field(default_factory=list)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of evidence passages: exact, moved, unplaced."""
        return {"exact": self.exact, "moved": len(self.moved), "unplaced": len(self.lost)}


def verify(gold: Gold, text_of: TextOf, notices: Notices, *, has_corpus: bool) -> Verification:
    """Compare all evidence with the texts of the documents; report evidence that does not occur there."""
    verification = Verification(each=[None] * len(gold.evidence))
    for number, evidence in sorted(enumerate(gold.evidence), key=lambda one: one[1].document):
        row = _verify(verification, gold, evidence, text_of(evidence.document))
        if row is not None:
            verification.each[number] = row
            verification.rows.append(row)
    _report_lost(verification, gold)
    counts = ", ".join(f"{count} {how}" for how, count in verification.counts.items())
    notices.add(
        f"evidence passage was not at its offsets and was relocated by its text; evidence: {counts}",
        f"evidence passages were not at their offsets and were relocated by their text; evidence: {counts}",
        len(verification.moved),
        where=f"{_names(verification.moved)} of {gold.file.name}",
    )
    notices.add(
        "evidence passage is longer or shorter than its offsets say; the offsets count",
        "evidence passages are longer or shorter than their offsets say; the offsets count",
        len(verification.wrong_length),
        where=f"{_names(verification.wrong_length)} of {gold.file.name}",
    )
    if verification.unverified and has_corpus:
        notices.add(
            "evidence passage is not verified: its document is not in the corpus",
            "evidence passages are not verified: their documents are not in the corpus",
            len(verification.unverified),
            where=f"document {short(verification.unverified[0].document)} of {gold.file.name}",
        )
    return verification


def _verify(
    verification: Verification, gold: Gold, evidence: Evidence, text: str | None
) -> VerifiedSpan | None:
    """Return the span of evidence in a text; None if it does not occur there."""
    if text is None:
        return _keep_unverified(verification, gold, evidence)
    start, end = evidence.start, evidence.end
    document = f"document {short(evidence.document)}"
    if gold.unit == "byte" and start != NOWHERE:
        data = text.encode()
        offsets = to_characters(text, data, start), to_characters(text, data, end)
        if None in offsets and not evidence.quote:
            problem = f"at bytes {start} to {end} cuts a character of {document} in two"
            verification.lost.append((evidence, problem, _HINT))
            return None
        start, end = (NOWHERE if offset is None else offset for offset in offsets)
    if not evidence.quote:
        if end > len(text):
            problem = f"from {start} to {end} goes beyond the end of {document} ({len(text)} long)"
            verification.lost.append((evidence, problem, _HINT))
            return None
        verification.unquoted += 1
        match: QuoteMatch | None = QuoteMatch(start, end, "exact")
    else:
        match = _find(text, evidence.quote, start, end, claimed=evidence.start != NOWHERE)
    if match is None:
        verification.lost.append((evidence, f"does not occur in {document}", _HINT))
        return None
    if evidence.quote and match.how == "exact":
        verification.exact += 1
    elif evidence.quote:
        verification.moved.append(evidence)
    return VerifiedSpan(evidence.topic, evidence.document, match.start, match.end)


def _find(text: str, quote: str, start: int, end: int, *, claimed: bool) -> QuoteMatch | None:
    """Find a quote in a text; it counts as moved if its span differs from its offsets."""
    match = find_quote(text, quote, start)
    if match is not None and claimed and (match.start, match.end) != (start, end):
        return match._replace(how="moved")
    return match


def _keep_unverified(verification: Verification, gold: Gold, evidence: Evidence) -> VerifiedSpan | None:
    """Keep the offsets of evidence in a document without text, after a check of their length."""
    start, end, quote = evidence.start, evidence.end, evidence.quote
    if start == NOWHERE:
        problem = f"has no offsets, and the text of document {short(evidence.document)} is missing"
        verification.lost.append((evidence, problem, _TEXTS_HINT))
        return None
    lengths = {len(part) if gold.unit == "char" else len(part.encode()) for part in (quote, quote.strip())}
    if quote and end - start not in lengths:
        verification.wrong_length.append(evidence)
    verification.unverified.append(evidence)
    return VerifiedSpan(evidence.topic, evidence.document, start, end)


def _report_lost(verification: Verification, gold: Gold) -> None:
    """Report evidence that does not occur in its document; the first report counts all of it."""
    lost = sorted(verification.lost, key=lambda one: one[0].item.line) if verification.lost else []
    for number, (evidence, problem, hint) in enumerate(lost):
        quote = f"evidence {short(evidence.quote)!r}" if evidence.quote else "evidence"
        message = f"{quote} of question {short(evidence.topic)} {problem}"
        if not number and len(lost) > 1:
            names = _names([one for one, _, _ in lost])
            message += f" ({len(lost)} of {len(gold.evidence)} passages cannot be located: {names})"
        evidence.item.fault(message, hint)


def _names(some: list[Evidence]) -> str:
    return "question " + short_list(dict.fromkeys(one.topic for one in some), _SHOWN)
