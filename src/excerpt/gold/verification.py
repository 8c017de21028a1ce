"""Verification of evidence against the text of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from excerpt.errors import short, short_list
from excerpt.gold.file import NOWHERE, Evidence, Gold
from excerpt.model.spans import NO_PLACE
from excerpt.notices import Notices
from excerpt.quotes.quote_search import QuoteMatch, find_everywhere, find_marked, quoted_text


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
TextById = Callable[[str], str | None]
_HINT = "are the offsets from another version of the text? give ⟨corpus⟩, the text that they were made for"
_TEXTS_HINT = "give ⟨corpus⟩, which has the texts"
_QUOTES_HINT = "correct the quotes, or leave them out with ⟨unplaced=drop⟩"
_PLACES_HINT = "name the document of the quote, or let every place count with ⟨copies=any⟩"


class VerifiedSpan(NamedTuple):
    """Evidence with its verified span."""

    topic: str
    document: str
    start: int
    end: int
    #: Numbers of the need and of the alternative, as in the evidence.
    need: int = -1
    alternative: int = -1


class LostEvidence(NamedTuple):
    """Evidence that does not occur in its document."""

    evidence: Evidence
    problem: str
    hint: str


#: The document of a miss whose quote names none and occurs in none.
_NO_DOCUMENT = "(no document)"


class QuotePlace(NamedTuple):
    """A document with the parts of a quote in it; several if the quote leaves out text."""

    document: str
    parts: list[QuoteMatch]

    @property
    def is_literal(self) -> bool:
        """Whether no part is folded."""
        return all(part.how in {"exact", "moved"} for part in self.parts)


@dataclass
class Verification:
    """The outcome of verifying the evidence of a file."""

    gold: Gold
    text_of: TextById
    #: True if the texts are those of a corpus.
    has_corpus: bool
    #: The documents that are searched for quotes that name none.
    documents: Iterable[str] = ()
    #: The id that a document has in the corpus, whose ending tells its markup.
    id_of: Callable[[str], str] = str
    #: Spans of each evidence in the order of the file: none if it does not occur in its document, several
    #: if parts of the quote are left out.
    each: list[list[VerifiedSpan]] = field(default_factory=list)
    #: Evidence that occurs literally (at its offsets if it has any), elsewhere, or with other characters.
    hows: Counter[str] = field(default_factory=Counter)
    #: Evidence that was not at its offsets.
    relocated: list[Evidence] = field(default_factory=list)
    #: Evidence in documents whose text is missing.
    unverified: list[Evidence] = field(default_factory=list)
    #: Unverified evidence that is longer or shorter than its offsets say.
    wrong_length: list[Evidence] = field(default_factory=list)
    lost: list[LostEvidence] = field(default_factory=list)

    @property
    def rows(self) -> list[VerifiedSpan]:
        """Spans of all evidence."""
        return [row for spans in self.each for row in spans]

    @property
    def counts(self) -> dict[str, int]:
        """Numbers of evidence passages: exact, moved, folded, unplaced."""
        return {how: self.hows[how] for how in ("exact", "moved", "folded", "markup")} | {
            "unplaced": len(self.lost)
        }

    @property
    def unknown(self) -> set[str]:
        """Questions of which no evidence was found, although there is some: nothing is known about them."""
        return {one.evidence.topic for one in self.lost} - {row.topic for row in self.rows}

    def places(self, evidence: Evidence) -> list[QuotePlace]:
        """Return the place of evidence in the document that it names; none if it does not occur there."""
        text, start, end = self.text_of(evidence.document), evidence.start, evidence.end
        document = f"document {short(evidence.document)}"
        if text is None:
            return self._unverified(evidence)
        if self.gold.unit == "byte" and start != NOWHERE:
            data = text.encode()
            offsets = to_characters(text, data, start), to_characters(text, data, end)
            if None in offsets and not evidence.quote:
                problem = f"at bytes {start} to {end} cuts a character of {document} in two"
                return self.lose(evidence, problem, _HINT)
            start, end = (NOWHERE if offset is None else offset for offset in offsets)
        if not evidence.quote:
            if end > len(text):
                problem = f"from {start} to {end} goes beyond the end of {document} ({len(text)} long)"
                return self.lose(evidence, problem, _HINT)
            return [QuotePlace(evidence.document, [QuoteMatch(start, end, "exact")])]
        searched = quoted_text(text, self.id_of(evidence.document))
        match = searched.find(evidence.quote, start)
        parts = searched.find_parts(evidence.quote) if match is None else [match]
        if not parts:
            hint = _HINT if evidence.start != NOWHERE and not self.has_corpus else _QUOTES_HINT
            return self.lose(evidence, f"does not occur in {document}", hint)
        place = QuotePlace(evidence.document, parts)
        self._count(evidence, place, start, end)
        return [place]

    def choose(self, evidence: Evidence, places: list[QuotePlace], copies: str | None) -> list[QuotePlace]:
        """Return the only place of evidence that names no document, literal places first."""
        places = [place for place in places if place.is_literal] or places
        places = [place for place in places if place.parts[0].start == evidence.start] or places
        if not evidence.quote or not places:
            problem = "does not occur in any document" if evidence.quote else "has offsets, but no document"
            return self.lose(evidence, problem, _QUOTES_HINT)
        if len(places) > 1 and copies != "any":
            first, other = (f"at {at.parts[0].start} of document {short(at.document)}" for at in places[:2])
            problem = f"names no document and occurs at {len(places)} places, {first} and {other}"
            return self.lose(evidence, problem, _PLACES_HINT)
        self._count(evidence, places[0], evidence.start, evidence.end)
        return places

    def lose(self, evidence: Evidence, problem: str, hint: str) -> list[QuotePlace]:
        """Record a problem of evidence."""
        self.lost.append(LostEvidence(evidence, problem, hint))
        return []

    def _count(self, evidence: Evidence, place: QuotePlace, start: int, end: int) -> None:
        """Count how a quote was found; its offsets in characters are `start` and `end`."""
        moved = evidence.start != NOWHERE and (place.parts[0].start, place.parts[-1].end) != (start, end)
        self.relocated += [evidence] if moved else []
        hows = {part.how for part in place.parts}
        other = next((how for how in ("markup", "folded") if how in hows), "")
        self.hows[other or ("moved" if moved else "exact")] += 1

    def _unverified(self, evidence: Evidence) -> list[QuotePlace]:
        """Keep the offsets of evidence in a document without text, after a check of their length."""
        start, end, quote = evidence.start, evidence.end, evidence.quote
        document = f"document {short(evidence.document)}"
        if start == NOWHERE and self.has_corpus:
            return self.lose(evidence, f"is of {document}, which is not in the corpus", _QUOTES_HINT)
        if start == NOWHERE:
            return self.lose(evidence, f"has no offsets, and the text of {document} is missing", _TEXTS_HINT)
        texts = [one if self.gold.unit == "char" else one.encode() for one in (quote, quote.strip())]
        if quote and end - start not in map(len, texts):
            self.wrong_length.append(evidence)
        self.unverified.append(evidence)
        return [QuotePlace(evidence.document, [QuoteMatch(start, end, "exact")])]

    def search_all(self) -> dict[int, list[QuotePlace]]:
        """Return all places of the evidence that names no document, by its number."""
        nameless = [number for number, one in enumerate(self.gold.evidence) if not one.document]
        quotes = [self.gold.evidence[number].quote for number in nameless]
        found: dict[int, list[QuotePlace]] = {}
        texts = {name: self.text_of(name) or "" for name in (self.documents if nameless else ())}
        for row, document, matches in find_everywhere(quotes, texts.items()):
            found.setdefault(nameless[row], []).extend(QuotePlace(document, [match]) for match in matches)
        rest = [row for row, number in enumerate(nameless) if number not in found]
        by_own = {self.id_of(name): name for name in texts}
        named = ((own, texts[name]) for own, name in by_own.items())
        for at, own, places in find_marked([quotes[row] for row in rest], named):
            found.setdefault(nameless[rest[at]], []).extend(QuotePlace(by_own[own], one) for one in places)
        return {number: [] for number in nameless} | found

    def miss_lost(self) -> list[Evidence]:
        """Give each lost need the length of its quote at no place; return these quotes.

        A need with an alternative that is placed is not lost, and several that are lost are one miss.
        """
        kept = {one.need for one, spans in zip(self.gold.evidence, self.each, strict=True) if spans} - {-1}
        numbers = {id(one): number for number, one in enumerate(self.gold.evidence)}
        behind: dict[tuple[str, str], int] = {}
        missed = []
        for evidence in (one.evidence for one in self.lost):
            if evidence.need in kept:
                continue
            kept |= {evidence.need} - {-1}
            name = evidence.document or _NO_DOCUMENT
            start = behind.get((evidence.topic, name), NO_PLACE)
            end = start + (len(evidence.quote.strip()) or evidence.end - evidence.start)
            behind[evidence.topic, name] = end + 1  # apart from the next one
            self.each[numbers[id(evidence)]] = [VerifiedSpan(evidence.topic, name, start, end)]
            missed.append(evidence)
        return missed

    def report_lost(self) -> None:
        """Report evidence that does not occur in its document; the first report counts all of it."""
        reasons = self._reasons()
        for number, (evidence, problem, hint) in enumerate(self.lost):
            quote = f"evidence {short(evidence.quote)!r}" if evidence.quote else "evidence"
            message = f"{quote} of question {short(evidence.topic)} {problem}"
            message += f", {reasons[number]}" if number in reasons else ""
            message += f"; {near}" if number < _SHOWN and (near := self._nearest(evidence)) else ""
            if not number and len(self.lost) > 1:
                shown = [
                    short(one.evidence.topic) + (f" ({reasons[row]})" if row and row in reasons else "")
                    for row, one in enumerate(self.lost)
                ]
                names, count = short_list(dict.fromkeys(shown), _SHOWN), len(self.gold.evidence)
                message += f" ({len(self.lost)} of {count} passages cannot be located: question {names})"
            evidence.item.fault(message, hint)

    def _nearest(self, evidence: Evidence) -> str:
        """Name the place of its document that is nearest to a quote; "" without one."""
        text = self.text_of(evidence.document) if evidence.document and evidence.quote else None
        return quoted_text(text, self.id_of(evidence.document)).nearest(evidence.quote) if text else ""

    def _reasons(self) -> dict[int, str]:
        """Return the nearest reason why quotes do not occur: another case, another document …"""
        first = [one.evidence if one.hint != _PLACES_HINT else None for one in self.lost[:_SHOWN]]
        quoted = {number: one for number, one in enumerate(first) if one is not None and one.quote}
        texts = ((name, self.text_of(name) or "") for name in (self.documents if quoted else ()))
        found = find_everywhere([one.quote for one in quoted.values()], texts)
        others = {list(quoted)[row]: f"but in document {short(name)}" for row, name, _ in found}
        reasons = {}
        for number, one in quoted.items():
            near = map(self.text_of, [one.document] if one.document else self.documents)
            own = next(filter(None, (quoted_text(text or "").reason(one.quote) for text in near)), "")
            if reason := own or (others.get(number) if one.document else ""):
                reasons[number] = reason
        return reasons


def count_evidence(counts: Mapping[str, int]) -> str:
    """Say how many passages were found in which way; without markup if none was.

    >>> count_evidence({"exact": 2, "markup": 0, "unplaced": 1})
    '2 exact, 1 unplaced'
    """
    return ", ".join(f"{count} {how}" for how, count in counts.items() if count or how != "markup")


def verify(
    gold: Gold,
    text_of: TextById,
    notices: Notices,
    *,
    has_corpus: bool,
    documents: Iterable[str] = (),
    id_of: Callable[[str], str] = str,
    unplaced: Literal["error", "drop", "miss"] = "error",
    copies: Literal["any"] | None = None,
) -> Verification:
    """Compare all evidence with the texts of the documents; report evidence that does not occur there.

    Quotes without a document are searched in all `documents`. Lost evidence is left out if `unplaced` is
    drop, and is a miss if it is miss: its length counts as relevant, but at no place. If `copies` is any,
    all places of a quote without a document are alternatives.
    """
    verification = Verification(gold, text_of, has_corpus, documents, id_of, [[] for _ in gold.evidence])
    everywhere = verification.search_all() if has_corpus else {}
    for number, evidence in sorted(enumerate(gold.evidence), key=lambda one: one[1].document):
        if evidence.document or not has_corpus:
            places = verification.places(evidence)
        else:
            places = verification.choose(evidence, everywhere[number], copies)
        # Alternatives of the file have its numbers, places of one quote new ones.
        several = len(places) > 1
        need = number if several and evidence.need < 0 else evidence.need
        own = number if evidence.alternative < 0 else evidence.alternative
        verification.each[number] = [
            VerifiedSpan(evidence.topic, place.document, part.start, part.end, need, row if several else own)
            for row, place in enumerate(places, len(gold.evidence) * (number + 1))
            for part in place.parts
        ]
    verification.lost.sort(key=lambda one: one.evidence.item.line)
    missed = verification.miss_lost() if unplaced == "miss" else []
    if unplaced == "error":
        verification.report_lost()
    counts = "evidence: " + count_evidence(verification.counts)
    lost = [one.evidence for one in verification.lost if unplaced == "drop"]
    found = "not found and left out; " + counts
    miss = "a miss: not found, and relevant text that no result has; " + counts
    moved = "not at {} offsets and {} relocated by {} text; " + counts
    length = "longer or shorter than {} offsets say; the offsets count"
    for singular, plural, some in (
        (f"was {found}", f"were {found}", lost),
        (f"is {miss}", f"are {miss}", missed),
        (
            "was " + moved.format("its", "was", "its"),
            "were " + moved.format("their", "were", "their"),
            verification.relocated,
        ),
        (f"is {length.format('its')}", f"are {length.format('their')}", verification.wrong_length),
    ):
        names = short_list(dict.fromkeys(one.topic for one in some), _SHOWN)
        where = f"question {names} of {gold.file.name}"
        notices.add(f"evidence passage {singular}", f"evidence passages {plural}", len(some), where=where)
    unknown = sorted(verification.unknown) if unplaced == "drop" else []
    singular = "question is left out, since none of its evidence was found"
    plural = "questions are left out, since none of their evidence was found"
    where = f"question {short_list(unknown, _SHOWN)} of {gold.file.name}"
    notices.add(singular, plural, len(unknown), where=where)
    if lost:
        notices.add("evidence that is left out flatters the text that lost it; to count it, let it be a miss")
    if verification.unverified and has_corpus:
        singular = "evidence passage is not verified: its document is not in the corpus"
        plural = "evidence passages are not verified: their documents are not in the corpus"
        where = f"document {short(verification.unverified[0].document)} of {gold.file.name}"
        notices.add(singular, plural, len(verification.unverified), where=where)
    return verification
