"""How much of a corpus chunks cover: the one number that shows every failure of placing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from excerpt.model.run import encode
from excerpt.model.spans import IntArray, KeyedSpans
from excerpt.model.texts import Texts
from excerpt.placing.chunks import TextsById


def count_seen(
    corpus: TextsById, documents: Sequence[str], document: IntArray, start: IntArray, end: IntArray
) -> tuple[int, int]:
    """The characters of a corpus, white space not counted, that some chunk covers, and all.

    `documents` are own ids of the corpus.

    >>> from excerpt.corpus import Corpus
    >>> corpus = Corpus({"A": "a b c", "B": "d"})
    >>> count_seen(corpus, ["A"], np.array([0, 0]), np.array([0, 2]), np.array([3, 4]))
    (2, 4)
    """
    names, which = encode(documents)
    codes = {name: code for code, name in enumerate(names)}
    spans = KeyedSpans.union(which[document] if len(document) else document, start, end)
    bounds = np.searchsorted(spans.group, np.arange(len(names) + 1))
    part = whole = 0
    for own in corpus:
        text = corpus[own]
        counting = Texts({own: text}.get)
        whole += int(counting.count(own, np.array([0]), np.array([len(text)]))[0])
        if (code := codes.get(own)) is not None:
            some = slice(bounds[code], bounds[code + 1])
            part += int(counting.count(own, spans.start[some], spans.end[some]).sum())
    return part, whole
