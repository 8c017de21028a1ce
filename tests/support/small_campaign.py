"""A small campaign for tests: XML and plain text with emoji, CR LF and entities, two topics, two runs."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path
from typing import Any

from excerpt.assess.campaign import Campaign
from excerpt.assess.procedures import PROCEDURES, Dimension, Procedure
from excerpt.pooling import Pool, PoolItem
from excerpt.pooling.pools import PoolUnit

ARTICLE = (
    '<?xml version="1.0"?><!DOCTYPE article [<!ENTITY eacute "é">]>\n'
    "<article><title>Rents &amp; caf&eacute;s 😀</title><body><sec><st>Paying</st>"
    "<p>The tenant shall pay the rent 𝒎 on the first day. Late &lt;rent&gt; costs more.</p>"
    "<p>It is <it>never</it> waived.</p></sec><sec><st>Other</st><p>Nothing of interest.&#13;\n"
    "But two lines.</p><fig/></sec></body></article>"
)
SECOND = "<article><title>Cafés</title><body><p>A café has no tenant.</p></body></article>"
PLAIN = "First line 😀 with an emoji.\r\nThe tenant, e.g. Mr. Smith, pays.\r\n\r\nThe end: 👩\u200d🔬!"
LETTER = "Dear tenant,\npay.\n" + "The rent is due. " * 100
FILES = {"a.xml": ARTICLE, "b.xml": SECOND, "plain.txt": PLAIN, "letter.txt": LETTER}
TOPICS = b"7\tWho pays the rent?\n8\tWhat is a caf\xc3\xa9?\n"
#: Names of documents as the pool has them.
XML = ("a", "b")
ALL = ("a", "plain.txt", "b", "letter.txt")

#: A procedure of known parts that is not in the table: tests add it.
USEFUL = Procedure(
    "useful",
    "highlight what is relevant, set one best entry point, and say how useful elements are",
    entry=True,
    scale=(Dimension("Usefulness", "", ((2, "3"), (1, "2"), ("?", "1"))),),
    expected="2, 1, ? or null",
    exports="exhaustivity 0-2",
    about="3 = very useful, 2 = useful, 1 = hardly.",
    nothing="Of no use",
)


def write_corpus(folder: Path) -> Path:
    """Write the documents as files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in FILES.items():
        (folder / name).write_bytes(text.encode())
    return folder


def small_pool(documents: tuple[str, ...] = ALL, unit: PoolUnit = "document") -> Pool:
    """A pool of both topics with all documents, and two runs."""
    passages = (((1, 0, 9),), ((1, 4, 12), (2, 20, 24)))
    items = (
        PoolItem(topic, document, order, "depth", Fraction(1), ("one", "two"), passages)
        for topic in ("7", "8")
        for order, document in enumerate(documents, 1)
    )
    return Pool.of(items, unit=unit)


class Clock:
    """A clock that advances by a second with each call."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self.now = start

    def __call__(self) -> float:
        """The current time."""
        self.now += 1.0
        return self.now


def small_campaign(folder: Path, *, documents: tuple[str, ...] | None = None, **how: Any) -> Campaign:
    """A new open campaign with its documents next to it; procedures of elements get XML only."""
    graded = how.get("procedure") in {name for name, known in PROCEDURES.items() if known.scale}
    chosen = documents or (XML if graded else ALL)
    corpus = write_corpus(folder.parent / f"{folder.name}-documents")
    given = {"corpus": corpus, "topics": TOPICS, "pool": small_pool(chosen), "clock": Clock(), **how}
    return Campaign.create(folder, **given)


_numbers = itertools.count(1)


def event(campaign: Campaign, kind: str, *span: int, base: int = 0, **fields: Any) -> dict[str, Any]:
    """An event on document `a` of topic 7 unless `fields` say otherwise; a span is quoted from its text."""
    found = {"id": f"event-{next(_numbers)}", "topic": "7", "document": "a", "base": base, "kind": kind}
    found |= fields
    if span:
        found |= {"start": span[0]}
    if len(span) == 2:
        text = campaign.corpus[str(found["document"])]
        found |= {"end": span[1], "quote": text[span[0] : span[1]]}
    return {**found, **fields}


def do(campaign: Campaign, name: str, kind: str, *span: int, **fields: Any) -> dict[str, Any]:
    """Record an event on the current version and return the state."""
    topic, document = fields.get("topic", "7"), fields.get("document", "a")
    base = campaign.recorder.history((topic, document, name)).version
    answer = campaign.record(name, event(campaign, kind, *span, base=base, **fields))
    state: dict[str, Any] = answer["state"]
    return state
