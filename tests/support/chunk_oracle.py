"""Measures of chunkers again, slowly, from their definitions: sets of characters of one topic."""

from __future__ import annotations

from fractions import Fraction

from support.oracle import Row, Topic, merge


def characters(row: Row) -> set[tuple[str, int]]:
    return {(row[0], place) for place in range(row[1], row[2])}


def ceiling(topic: Topic, chunks: list[Row]) -> Fraction:
    """Relevant characters in some chunk, over all."""
    relevant = {(document, at) for document in topic.passages for at in topic.characters(document)}
    return Fraction(len(relevant & set().union(*map(characters, chunks))), len(relevant))


def cut(topic: Topic, chunks: list[Row]) -> Fraction | None:
    """Passages of which no chunk contains all characters except whitespace, over all that have some."""
    solid = [
        {(document, at) for at in range(*span) if not topic.texts.get(document, "")[at : at + 1].isspace()}
        for document, spans in topic.passages.items()
        for span in merge(spans)
    ]
    held = [any(passage <= characters(row) for row in chunks) for passage in solid if passage]
    return Fraction(held.count(False), len(held)) if held else None


def omega(topic: Topic, chunks: list[Row], *, legacy: bool) -> Fraction:
    """Relevant characters of the chunks that hold (or touch) some, over these and what they lack."""
    relevant = {(document, at) for document in topic.passages for at in topic.characters(document)}
    passages = [(document, *span) for document, spans in topic.passages.items() for span in merge(spans)]
    shown: set[tuple[str, int]] = set()
    for row in chunks:
        touches = any(row[0] == at and row[1] <= high and row[2] >= low for at, low, high in passages)
        if characters(row) & relevant or (legacy and touches):
            shown |= characters(row)
    return Fraction(len(shown & relevant), len(shown | relevant))
