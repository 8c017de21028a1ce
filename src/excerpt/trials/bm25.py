"""BM25 over chunks, as Lucene scores it: k1 = 1.2, b = 0.75, no stop words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from excerpt.model.spans import FloatArray, IntArray

K1, B = 1.2, 0.75
#: Scripts whose words no space separates: Thai, Lao, Tibetan, Myanmar, Khmer, Han, Kana; Hangul has spaces.
_UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_TOKEN = re.compile(rf"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])\w)+")
_PLAIN = re.compile(r"\w+")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")


def words(text: str) -> list[str]:
    r"""Words of a text, `\w+` with folded case; of scripts without spaces pairs of characters.

    >>> words("Die Straße, 2 km"), words("東京都で Tea")
    (['die', 'strasse', '2', 'km'], ['東京', '京都', '都で', 'tea'])
    """
    folded = text.casefold()
    if folded.isascii() or not _HAS_UNSPACED.search(folded):
        return _PLAIN.findall(folded)
    found = list[str]()
    for token in _TOKEN.findall(folded):
        if _HAS_UNSPACED.match(token) and len(token) > 1:
            found += (token[at : at + 2] for at in range(len(token) - 1))
        else:
            found.append(token)
    return found


class BM25:
    """An index of texts, by word: the texts that have it, and its weight in each.

    The weight of a word with frequency f in a text of n words is idf f / (f + k1 (1 - b + b n / mean)), with
    idf = ln(1 + (N - d + 1/2) / (d + 1/2)) for a word in d of N texts. A word that a question repeats counts
    as often.

    >>> index = BM25(["the cat sat", "the dog", "a bird"])
    >>> index.rank("Which cat?", 10)[0].tolist()
    [0]
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = len(texts)
        self._codes: dict[str, int] = {}
        term, text, length = self._postings(texts)
        order = np.lexsort((text, term)) if len(term) else np.zeros(0, np.int64)
        term, text = term[order], text[order]
        fresh = np.ones(len(term), np.bool_)
        fresh[1:] = (term[1:] != term[:-1]) | (text[1:] != text[:-1])
        first = np.flatnonzero(fresh)
        frequency = np.diff(np.append(first, len(term))).astype(np.float64)
        self._of_text, term = text[first], term[first]
        counts = np.bincount(term, minlength=len(self._codes))
        self._first = np.concatenate(([0], np.cumsum(counts)))
        idf = np.log(1 + (self._texts - counts + 0.5) / (counts + 0.5))
        mean = length.mean() if self._texts and length.any() else 1.0
        damping = K1 * (1 - B + B * length / mean)
        self._weight = idf[term] * frequency / (frequency + damping[self._of_text])

    def _postings(self, texts: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """Code of every word, the number of its text, and the number of words of each text."""
        codes, blocks, lengths = self._codes, list[np.ndarray[tuple[int], np.dtype[np.int32]]](), list[int]()
        for text in texts:
            own = words(text)
            for word in set(own).difference(codes):
                codes[word] = len(codes)
            blocks.append(np.fromiter(map(codes.__getitem__, own), np.int32, len(own)))
            lengths.append(len(own))
        length = np.array(lengths, np.int64)
        term = np.concatenate([np.zeros(0, np.int32), *blocks])
        return term.astype(np.int64), np.repeat(np.arange(len(texts)), length), length

    def scores(self, question: str) -> FloatArray:
        """Score of every text."""
        found = np.zeros(self._texts)
        for word, count in sorted(Counter(words(question)).items()):
            code = self._codes.get(word)
            if code is not None:
                rows = slice(self._first[code], self._first[code + 1])
                found[self._of_text[rows]] += count * self._weight[rows]
        return found

    def rank(self, question: str, most: int) -> tuple[IntArray, FloatArray]:
        """The best texts that share a word with the question, and their scores; equal ones in their order."""
        return best_of(self.scores(question), most)


def best_of(scores: FloatArray, most: int) -> tuple[IntArray, FloatArray]:
    """Rows with the highest scores above 0, at most `most`, best first, equal ones in their order.

    >>> best_of(np.array([0.5, 0.0, 0.9, 0.5]), 2)[0].tolist()
    [2, 0]
    """
    rows = np.flatnonzero(scores > 0)
    if len(rows) > most:
        own = scores[rows]
        least = np.partition(own, len(own) - most)[len(own) - most]
        above = rows[own > least]
        rows = np.concatenate((above, rows[own == least][: most - len(above)]))
    order = np.lexsort((rows, -scores[rows]))
    return rows[order], scores[rows[order]]


def fused(rankings: Iterable[IntArray], size: int, constant: int = 60) -> FloatArray:
    """Sum of reciprocal ranks, 1 / (constant + rank), of each of `size` texts over several rankings.

    >>> fused([np.array([1, 0]), np.array([1])], 3).round(4).tolist()
    [0.0161, 0.0328, 0.0]
    """
    found = np.zeros(size)
    for rows in rankings:
        found[rows] += 1 / (constant + np.arange(1, len(rows) + 1))
    return found
