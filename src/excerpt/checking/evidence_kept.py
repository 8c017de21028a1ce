"""Which text keeps the evidence: quotes of gold in several corpora, such as those of several parsers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import Input, display_name
from excerpt.formats.judgments.gold_files import verify_in
from excerpt.formats.source import Copies, Source, open_corpus
from excerpt.gold.verification import Verification
from excerpt.model.display import Showable

if TYPE_CHECKING:
    from excerpt.formats.source import AnyCorpus
    from excerpt.gold.file import Context, Evidence

_WORD = re.compile(r"\w+")
#: Levels of likeness that each column counts.
_LEVELS = {"exact": ("exact", "moved"), "folded": ("folded", "trimmed"), "markup": ("markup",)}
_COLUMNS = ("corpus", *_LEVELS, "lost", "characters", "kept")


@dataclass(frozen=True)
class LostQuote:
    """A quote that a text does not have, and what stands there instead; empty if nothing is like it."""

    topic: str
    document: str
    quote: str
    instead: str


@dataclass(frozen=True)
class Keeping:
    """What one corpus keeps of the evidence: quotes by likeness, their characters, and the share of all."""

    exact: int
    folded: int
    markup: int
    lost: int
    characters: int
    kept: float
    missing: tuple[LostQuote, ...]


@dataclass(frozen=True, repr=False)
class KeptEvidence(Showable):
    """What each corpus keeps of the evidence of a gold file."""

    source: str
    corpora: Mapping[str, Keeping]
    warnings: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<KeptEvidence {self.source}: {', '.join(self.corpora)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the lost quotes of each corpus."""
        return {
            "corpora": {
                name: {**vars(one), "missing": [vars(lost) for lost in one.missing]}
                for name, one in self.corpora.items()
            }
        }

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """A row for each corpus."""
        return _COLUMNS, [
            (name, *(getattr(one, column) for column in _COLUMNS[1:])) for name, one in self.corpora.items()
        ]

    def notes(self) -> tuple[str, ...]:
        """The lost quotes, with what stands there instead."""
        return tuple(
            f"{name}: {lost.topic} · {lost.document}: “{_flat(lost.quote)}” is lost"
            + (f"; there is “{_flat(lost.instead)}”" if lost.instead else "")
            for name, one in self.corpora.items()
            for lost in one.missing
        )


def kept_evidence(
    gold: Input,
    corpora: Mapping[str, AnyCorpus],
    *,
    context: Context | None = None,
    copies: Copies | None = None,
) -> KeptEvidence:
    """Place the quotes of a gold file in several corpora, by name: which parser keeps the evidence?"""
    if not corpora:
        raise ExcerptError("no corpus given, expected one or several by name")
    kept = {name: _keeping(gold, corpus, context, copies) for name, corpus in corpora.items()}
    return KeptEvidence(display_name(gold), kept)


def _keeping(given: Input, corpus: AnyCorpus, context: Context | None, copies: Copies | None) -> Keeping:
    opened = open_corpus(corpus, context or "paragraph")
    assert opened is not None
    source = Source.open(
        given, corpus=opened, context=context, copies=copies, unplaced="drop", kind="judgments"
    )
    kind = source.gold_kind
    if kind is None:
        message = "found no quotes, expected gold: rows of question, document and quote"
        raise FormatError(message, path=source.name)
    read = kind.read(source.gold_file)
    source.faults.settle()
    quotes = [one for one in read.evidence if one.quote]
    if not quotes:
        raise FormatError("found no quotes, expected at least one to look for", path=source.name)
    read.evidence = quotes
    verification = verify_in(source, read, lambda name: opened.get(name) if name else None)
    return _counted(verification)


def _counted(verification: Verification) -> Keeping:
    evidence = verification.gold.evidence
    lost = {id(one.evidence) for one in verification.lost}
    total = sum(len(one.quote) for one in evidence)
    kept = total - sum(len(one.quote) for one in evidence if id(one) in lost)
    counts = {column: sum(verification.hows[level] for level in levels) for column, levels in _LEVELS.items()}
    missing = tuple(_missing(one.evidence, verification) for one in verification.lost)
    return Keeping(**counts, lost=len(missing), characters=kept, kept=kept / total, missing=missing)


def _missing(evidence: Evidence, verification: Verification) -> LostQuote:
    names = [evidence.document] if evidence.document else list(verification.documents)
    texts = ((name, verification.text_of(name) or "") for name in names)
    found = max(((*nearest(evidence.quote, text), name) for name, text in texts), default=(0, "", ""))
    return LostQuote(evidence.topic, evidence.document, evidence.quote, found[1])


def nearest(quote: str, text: str) -> tuple[int, str]:
    """Return the number of words that a text shares with a quote in one run, and the text around them.

    >>> nearest("the rent is due in May", "Pay. The rent is  due in Mai, not later.")
    (5, 'The rent is  due in Mai')
    >>> nearest("something else", "Nothing of it.")
    (0, '')
    """
    wanted = [match[0].casefold() for match in _WORD.finditer(quote)]
    words = list(_WORD.finditer(text))
    places: dict[str, list[int]] = {}
    known = set(wanted)
    for number, word in enumerate(words):
        if (folded := word[0].casefold()) in known:
            places.setdefault(folded, []).append(number)
    best, ends = (0, 0, 0), dict[int, int]()
    for at, wanted_word in enumerate(wanted):
        runs = {place: ends.get(place - 1, 0) + 1 for place in places.get(wanted_word, ())}
        best = max([best, *((size, -at, -place) for place, size in runs.items())])
        ends = runs
    size, at, place = best[0], -best[1], -best[2]
    if not size:
        return 0, ""
    first = max(place - at, 0)
    last = min(first + len(wanted), len(words)) - 1
    return size, text[words[first].start() : words[last].end()]


def _flat(text: str, most: int = 120) -> str:
    """Return a text on one line, shortened."""
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 1] + "…"


def named_corpora(given: Sequence[str]) -> dict[str, str]:
    """Return corpora by name: `NAME=DOCS`, else the path is the name.

    >>> named_corpora(["plain=docs", "docs@markitdown"])
    {'plain': 'docs', 'docs@markitdown': 'docs@markitdown'}
    """
    found: dict[str, str] = {}
    for one in given:
        name, path = split_name(one)
        if name in found:
            raise ExcerptError(f"found the corpus {name} twice, expected a name for each: NAME=DOCS")
        found[name] = path
    return found


def split_name(given: str) -> tuple[str, str]:
    """Split `NAME=DOCS`; a path that exists is taken whole."""
    name, equals, path = given.partition("=")
    if not equals or not name or not path or "/" in name or Path(given).exists():
        return given, given
    return name, path
