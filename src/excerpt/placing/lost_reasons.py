"""Why a chunk does not occur in its document, for messages."""

from __future__ import annotations

import re
from functools import lru_cache

from excerpt.errors import short
from excerpt.model.texts import fold_text
from excerpt.placing.scattered import words_of
from excerpt.quotes.text_index import FoldedText

#: A cell of a table as docling's chunker writes it: `row, column = value`.
_TRIPLET = re.compile(r"[^,=\n.][^,=\n]*, [^=\n]+? = ")
_LEAST_TRIPLETS = 2
#: Most lines of a chunk that are searched one by one, and share of them that is nearly all.
_MOST_LINES, _NEARLY_ALL = 200, 0.9
_SHOWN = 60

_NOTHING = "none of its words stands beside another one of them there"

_folded = lru_cache(maxsize=2)(FoldedText)


def why_lost(text: str, chunk: str, name: str | None = None) -> str:
    """Say why a chunk is not found in the text of a document of this name; "" of a single word that lacks.

    >>> why_lost("One.\\nThe term is two years.", "the term is two years")
    'it occurs only in another case'
    >>> why_lost("Nothing of it.", "Other words stand in this one.")
    'none of its words stands beside another one of them there'
    """
    folded, part = _folded(text), fold_text(chunk)
    if difference := folded.difference(part):
        return f"it occurs only in another {difference}"
    if len(_TRIPLET.findall(chunk)) >= _LEAST_TRIPLETS:
        return "it is a table, each cell with the names of its row and column (triplets)"
    lines = [line for line in map(fold_text, chunk.splitlines()) if line][:_MOST_LINES]
    there = sum(line in folded.folded for line in lines)
    if len(lines) > 1 and there == len(lines):
        return f"its {len(lines)} lines occur, but apart, as where headings are joined"
    place = words_of(text, name).nearest(chunk)
    if place is None:
        return "" if len(part.split()) < 2 else _NOTHING
    line = text.count("\n", 0, place.start) + 1
    shown = short(" ".join(text[place.start : place.end].split()), _SHOWN)
    return f'nearest: line {line} "{shown}" ({100 * place.share:.0f} % of its words are there)'
