"""Retrievers as settings name them: BM25, models, functions of the user, and several together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray, IntArray
from excerpt.notices import Notices
from excerpt.placing.chunks import Chunks
from excerpt.trials.bm25 import BM25, K1, B, best_of, fused, words
from excerpt.trials.user_code import TrialSetting, UserFunction, items_of, library, one_line_of, version_of

#: A retriever as it is given: as a text, or in Python a function of a question and texts.
GivenRetriever: TypeAlias = "str | Callable[[str, list[str]], Any]"
DEFAULT = ("bm25",)
_KNOWN = ("bm25", "bm25s", "sentence-transformers:MODEL", "my.py:search", "hybrid(A,B)")
_MODEL = "sentence-transformers"
#: Ranks of each retriever that several together use.
_POOL = 100


class Ranker(Protocol):
    """Texts that are ready to be searched."""

    def rank(self, question: str, most: int, /) -> tuple[IntArray, FloatArray]:
        """Rows of the best texts and their scores, best first."""


@dataclass(frozen=True, kw_only=True)
class Retriever(TrialSetting):
    """A retriever: its setting, and how it prepares texts."""

    prepare: Callable[[Sequence[str]], Ranker] | None = None
    #: A function of the user, called once per question.
    search: Callable[[str, list[str]], Any] | None = None

    @classmethod
    def of(cls, given: GivenRetriever, name: str = "") -> Retriever:
        """Parse a retriever; an unknown name, or a file or function that is not there, is an error.

        >>> Retriever.of("hybrid(bm25, bm25)").name
        'hybrid(bm25, bm25)'
        """
        own = UserFunction.of(given, name, "retriever")
        if own is not None:
            return cls(**own.how, search=own.function)
        text = str(given).strip()
        how: dict[str, Any] = {"name": name or text, "setting": text}
        if text.startswith("hybrid(") and text.endswith(")"):
            parts = [cls.of(part) for part in _parts(text[len("hybrid(") : -1])]
            if len(parts) < 2:
                raise ExcerptError(
                    f"found {short(text)}, expected two retrievers, as in hybrid(bm25,my.py:search)"
                )
            known = [part.identity for part in parts]
            together = None if None in known else "+".join(map(str, known))
            return cls(**how, prepare=partial(_Hybrid, parts), identity=together)
        if text == "bm25":
            return cls(**how, prepare=BM25)
        if text == "bm25s":
            return cls(**how, prepare=_Bm25s, identity=version_of("bm25s"))
        word, colon, model = text.partition(":")
        if word == _MODEL and colon and model:
            return cls(**how, prepare=_Model(model), identity=version_of(_MODEL))
        raise UnknownName("retriever", text, _KNOWN)

    def ranker(self, texts: Sequence[str]) -> Ranker:
        """Prepare texts for questions, also of a function of the user."""
        if self.search is not None:
            return _Searched(self.search, texts)
        assert self.prepare is not None
        return self.prepare(texts)

    def run(self, chunks: Chunks, questions: Mapping[str, str], *, name: str, budget: int) -> Run:
        """Retrieve for every question until the text fills the budget."""
        if self.search is None:
            return _run_of(self.ranker(chunks.texts), chunks, questions, name, budget)
        function, texts = self.search, list(chunks.texts)
        found = {topic: _searched(function, topic, question, texts) for topic, question in questions.items()}
        if not any(len(items) for items in found.values()):
            raise ExcerptError("the retriever returned nothing for any question")
        return chunks.run(found, name=name, notices=Notices())


def _run_of(ranker: Ranker, chunks: Chunks, questions: Mapping[str, str], name: str, budget: int) -> Run:
    lengths, rows, scores = chunks.lengths, dict[str, IntArray](), dict[str, FloatArray]()
    mean = max(float(lengths.mean()), 1.0)
    for topic, question in questions.items():
        most, read = min(int(2 * budget / mean) + 10, len(lengths)), 0
        while True:
            found, own = ranker.rank(question, most)
            read = int(lengths[found].sum())
            if read >= budget or len(found) < most or most >= len(lengths):
                break
            most = min(2 * most, len(lengths))
        kept = int(np.searchsorted(np.cumsum(lengths[found]), budget, side="left")) + 1
        rows[topic], scores[topic] = found[:kept], own[:kept]
    if not any(len(found) for found in rows.values()):
        raise ExcerptError("the retriever returned nothing for any question")
    return chunks.run(rows, name=name, scores=scores, notices=Notices())


def _searched(
    function: Callable[[str, list[str]], Any], topic: str, question: str, texts: list[str]
) -> list[Any]:
    """What a function of the user returns for a question, as a list."""
    found, items = items_of(function, question, texts, about=f"question {short(topic)!r}")
    if items is None:
        message = f"returned {short(repr(found))} for question {short(topic)!r}"
        raise ExcerptError(f"{message}, expected a list of texts or numbers")
    return [int(item) if isinstance(item, np.integer) else item for item in items]


class _Searched:
    """A function of the user as a ranker: what it returns, by number."""

    def __init__(self, function: Callable[[str, list[str]], Any], texts: Sequence[str]) -> None:
        self._function, self._texts = function, list(texts)
        self._rows: dict[str, list[int]] = {}
        for row, text in enumerate(self._texts):
            self._rows.setdefault(text, []).append(row)

    def rank(self, question: str, most: int) -> tuple[IntArray, FloatArray]:
        """Rows of the texts that the function returns."""
        rows = [self._row(item) for item in _searched(self._function, question, question, self._texts)]
        found = np.array(list(dict.fromkeys(rows)), np.int64)[:most]
        return found, 1.0 / np.arange(1, len(found) + 1)

    def _row(self, item: Any) -> int:
        if isinstance(item, int) and not isinstance(item, bool) and 0 <= item < len(self._texts):
            return item
        if isinstance(item, str) and item in self._rows:
            return self._rows[item][0]
        raise ExcerptError(f"returned {short(repr(item))}, expected the text or number of a chunk")


class _Hybrid:
    """Several retrievers together, by reciprocal ranks."""

    def __init__(self, parts: Sequence[Retriever], texts: Sequence[str]) -> None:
        self._rankers, self._size = [part.ranker(texts) for part in parts], len(texts)

    def rank(self, question: str, most: int) -> tuple[IntArray, FloatArray]:
        """Rows by the sum of reciprocal ranks."""
        several = [ranker.rank(question, max(most, _POOL))[0] for ranker in self._rankers]
        return best_of(fused(several, self._size), most)


class _Bm25s:
    """The library bm25s, with the words and parameters of the BM25 of excerpt."""

    def __init__(self, texts: Sequence[str]) -> None:
        module = library("bm25s", "bm25s")
        self._index = module.BM25(method="lucene", k1=K1, b=B)
        tokens = [words(text) for text in texts]
        self._known = {word for own in tokens for word in own}
        if self._known:
            self._index.index(tokens, show_progress=False)

    def rank(self, question: str, most: int) -> tuple[IntArray, FloatArray]:
        """The best texts that share a word with the question."""
        own = [word for word in words(question) if word in self._known]
        if not own:
            return np.zeros(0, np.int64), np.zeros(0)
        return best_of(np.asarray(self._index.get_scores(own), np.float64), most)


class _Model:
    """A model of sentence-transformers, loaded once, that is on this machine."""

    def __init__(self, name: str) -> None:
        self._name, self._loaded = name, list[Any]()

    def __call__(self, texts: Sequence[str]) -> Ranker:
        if not self._loaded:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")  # excerpt loads nothing from the network
            module = library("sentence_transformers", "sentence-transformers")
            try:
                self._loaded.append(module.SentenceTransformer(self._name))
            except Exception as error:  # noqa: BLE001 - half a dozen libraries
                message = f"the model {short(self._name)} cannot be loaded ({one_line_of(error)})"
                hint = "models are not downloaded: give the path of one, or set HF_HUB_OFFLINE=0"
                raise ExcerptError(message, hint=hint) from None
        return _Embedded(self._loaded[0], texts)


class _Embedded:
    """Texts as vectors of a model."""

    def __init__(self, model: Any, texts: Sequence[str]) -> None:
        self._model = model
        self._vectors = self._encoded(list(texts))

    def _encoded(self, texts: list[str]) -> FloatArray:
        encoded = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(encoded, np.float64)

    def rank(self, question: str, most: int) -> tuple[IntArray, FloatArray]:
        """Rows by the cosine with the question."""
        cosine = self._vectors @ self._encoded([question])[0]
        rows, _ = best_of(cosine + 2.0, most)  # every text has a rank, also one with a negative cosine
        return rows, cosine[rows]


def _parts(text: str) -> list[str]:
    """Parts of a list, at commas outside of brackets.

    >>> _parts("bm25, hybrid(bm25,x), y")
    ['bm25', 'hybrid(bm25,x)', 'y']
    """
    found, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found]
