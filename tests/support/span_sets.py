"""Texts, and sets of their characters as spans, for tests: strategies, and the same as sets of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hypothesis import strategies as st

Spans = list[list[int]]
END = 30
SPAN = st.tuples(st.integers(0, END), st.integers(0, 8)).map(
    lambda pair: [pair[0], min(pair[0] + pair[1], END)]
)
SPANS: st.SearchStrategy[Spans] = st.lists(SPAN, max_size=8)

#: Characters of one and of two units, combining ones, from right to left, ends of lines, signs of XML.
PIECES = ["a", "é", "e\u0301", "😀", "\U00010000", "\U0010ffff", "𝒎", "👩\u200d🔬", "\u05d0\u05d1", "\u202e"]
PIECES += ["\r\n", "\r", "\n", "\t", "\u00a0", "\u2028", "&amp;", "</p>", "\ufeff", "\ue000", "\uffff", "中"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=40
)


def characters(spans: Spans) -> set[int]:
    """The characters that spans hold."""
    return {at for start, end in spans for at in range(start, end)}


def spans_of(chosen: set[int]) -> Spans:
    """The fewest spans that hold exactly these characters, in order."""
    starts = sorted(at for at in chosen if at - 1 not in chosen)
    ends = sorted(at + 1 for at in chosen if at + 1 not in chosen)
    return [list(pair) for pair in zip(starts, ends, strict=True)]


def tidy(spans: Spans) -> tuple[tuple[int, int], ...]:
    """Spans as opinions of assessors have them: sorted, disjoint, not touching."""
    return tuple((start, end) for start, end in spans_of(characters(spans)))


def painting_of(
    relevant: Sequence[Sequence[int]], runs: Sequence[Sequence[Sequence[int]]], *, judged: bool
) -> dict[str, set[int]]:
    """The characters that should be painted by each name; names without any are left out."""
    wanted = {at for start, end in relevant for at in range(start, end)}
    length = max((end for spans in [relevant, *runs] for _, end in spans), default=0)
    counts = [[sum(start <= at < end for start, end in run) for run in runs] for at in range(length)]
    returned = {at for at, found in enumerate(counts) if any(found)}
    sets = {"hit": wanted & returned, "missed": wanted - returned}
    rest = returned - wanted
    if len(runs) == 1:
        sets |= {
            "vain" if judged else "unjudged": rest,
            "again": {at for at in returned if counts[at][0] > 1},
        }
    else:
        for at in returned:
            level = math.ceil(8 * sum(map(bool, counts[at])) / len(runs))
            sets.setdefault(f"runs-{level}", set()).add(at)
    return {name: chosen for name, chosen in sets.items() if chosen}
