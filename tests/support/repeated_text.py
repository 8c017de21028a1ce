"""Documents full of repeats, and chunks of them whose true places are known."""

from __future__ import annotations

import random
import re
from typing import NamedTuple


class Cut(NamedTuple):
    """A chunk, its claimed start, and its true position (without whitespace at its borders)."""

    text: str
    claim: int | None
    start: int
    end: int


def repeated_text(seed: int, size: int) -> str:
    """Paragraphs of which most are copies of others, with whitespace of every kind between them."""
    rng = random.Random(seed)
    words = ["alpha", "beta", "gamma", "delta", "the", "of", "a", "report", "2024", "total", "item", "x"]
    lines = [" ".join(rng.choices(words, k=rng.randint(2, 12))) + "." for _ in range(20)]
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        kind = rng.random()
        if kind < 0.5:
            parts.append(rng.choice(lines))
        elif kind < 0.7:
            parts.append("\n".join([rng.choice(lines)] * rng.randint(2, 6)))
        else:
            parts.append(" ".join(rng.choices(words, k=rng.randint(3, 30))) + f" {rng.randint(0, 99)}.")
        parts.append(rng.choice(["\n\n", "\n\n\n\n", " ", "\n", "  \n"]))
    return "".join(parts)


def cut(text: str, size: int, overlap: int, seed: int, *, fold: str = "", claims: str = "") -> list[Cut]:
    """Chunks of up to so many characters that end at words; `fold` changes whitespace, `claims` starts.

    `fold` is `strip` (borders only), `lines` (empty lines are collapsed, too) or `all` (runs become one
    space); `claims` is `true`, `some` (a third is missing) or `first` (those of the first copy, as LangChain
    has them).
    """
    rng = random.Random(seed)
    ends = [match.end() for match in re.finditer(r"\S+", text)]
    starts = [match.start() for match in re.finditer(r"\S+", text)]
    found, word = [], 0
    while word < len(starts):
        last = word
        while last + 1 < len(ends) and ends[last + 1] - starts[word] <= size:
            last += 1
        start, end = starts[word], ends[last]
        part = text[start:end]
        if fold == "lines":
            part = re.sub(r"\n\s*\n", "\n\n", part)
        elif fold == "all":
            part = re.sub(r"\s+", " ", part)
        claim = {"true": start, "some": rng.choice([start, start, -1]), "first": text.find(part)}.get(claims)
        found.append(Cut(part, claim, start, end))
        if last + 1 == len(ends):
            return found
        again = last + 1
        while again - 1 > word and ends[last] - starts[again - 1] <= overlap:
            again -= 1
        word = again
    return found
