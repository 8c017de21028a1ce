"""Documents and topics of an evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.formats.topics import Topic, Topics
from excerpt.model.judgments import Judgments
from excerpt.model.spans import UNKNOWN, AnyArray, BoolArray, IntArray
from excerpt.notices import Notices
from excerpt.view.run_columns import Kept

if TYPE_CHECKING:
    from excerpt.corpus import Corpus, Document


#: The structure of a document as rows of blocks.
Blocks: TypeAlias = Callable[["Document"], list[list[Any]]]

#: Where reading waits and there are more documents than `_FEW`, the first of a list that are read for it.
_FEW = 2000
_AT_ONCE = 200

#: Documents that a warning names.
_SHOWN = 3

_NO_CORPUS = "No corpus was given."
_MISSING = "The corpus does not have this document."
_LEFT_OUT = "This report was made without text."


@dataclass(eq=False)
class Library:
    """Documents by number: those of the judgments, then those that only runs have."""

    names: Sequence[str]
    #: Lengths by the judgments, -1 where they do not tell; how far judged text and results reach.
    sizes: IntArray
    judged: IntArray
    returned: IntArray
    corpus: Corpus | None = None
    text: bool = True
    blocks: Blocks | None = None
    #: Whether documents are read only when asked for; else all that a list names, to know their titles.
    lazy: bool = False
    #: What documents said of themselves when they were read: title, kind, length of the text (-1: not read).
    _titles: AnyArray = field(init=False)
    _kinds: AnyArray = field(init=False)
    _lengths: IntArray = field(init=False)
    #: Why some could not be read.
    _faults: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._titles = np.full(len(self.names), "", object)
        self._kinds = self._titles.copy()
        self._lengths = np.full(len(self.names), UNKNOWN, np.int64)

    @classmethod
    def of(cls, judgments: Judgments, kept: Sequence[Kept], names: Sequence[str]) -> Library:
        """The documents of judgments and runs, without a corpus."""
        sizes = np.full(len(names), UNKNOWN, np.int64)
        sizes[: len(judgments.documents)] = judgments.document_sizes
        spans = judgments.spans
        judged = _reaches(len(names), [(judgments.pair_document[spans.group], spans.end)])
        return cls(names, sizes, judged, _reaches(len(names), (run.ends() for run in kept)))

    @cached_property
    def reaches(self) -> IntArray:
        """How long each document is at least, as far as it is known without a look at it."""
        return np.maximum(self.sizes, np.maximum(self.judged, self.returned))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _names(self) -> AnyArray:
        column = np.empty(len(self.names), object)
        column[:] = self.names
        return column

    @cached_property
    def _own_ids(self) -> list[str | None]:
        """What the corpus calls each document; None where it has none."""
        corpus = self.corpus
        return [None if corpus is None else corpus.resolve(name) for name in self.names]

    @cached_property
    def _missing(self) -> BoolArray:
        return np.array([own is None for own in self._own_ids], np.bool_)

    @cached_property
    def _canonical(self) -> dict[str, int]:
        """The number of each document of the corpus that is here."""
        return self.once(range(len(self.names)))

    def once(self, numbers: Iterable[int]) -> dict[str, int]:
        """Those that the corpus has, by its names; of several names of one document only the first."""
        found: dict[str, int] = {}
        for number in numbers:
            if (own := self._own_ids[number]) is not None:
                found.setdefault(own, number)
        return found

    def find(self, name: str) -> int:
        """The number of a document by any name that judgments, runs or corpus know; an error else."""
        if name in self.numbers:
            return self.numbers[name]
        own = self.corpus.resolve(name) if self.corpus is not None else None
        if own is None or own not in self._canonical:
            raise UnknownName("document", name, self.names)
        return self._canonical[own]

    def spellings(self, number: int) -> tuple[str, ...]:
        """Every name of a document, the one that is shown first."""
        own = self._own_ids[number]
        others = () if self.corpus is None or own is None else self.corpus.names(own)
        return tuple(dict.fromkeys((self.names[number], *others)))

    def describe(self, numbers: IntArray) -> dict[str, Any]:
        """Name, title, length (an array) and kind of some documents.

        Where reading waits, of many only the first ones are read for that: titles and kinds of the others are
        empty, whatever was read before.
        """
        known = np.ones(len(numbers), np.bool_)
        if self.lazy and len(self.names) > _FEW:
            known[_AT_ONCE:] = False
        if self.corpus is not None:
            unread = numbers[known & (self._lengths[numbers] == UNKNOWN) & ~self._missing[numbers]]
            for number in unread.tolist():
                self._read(number)
        lengths = np.where(known, self._lengths[numbers], UNKNOWN)
        nothing = [""] * len(numbers) if self.corpus is None else None
        return {
            "id": self._names[numbers].tolist(),
            "title": nothing or np.where(known, self._titles[numbers], "").tolist(),
            "size": np.where(self.sizes[numbers] == UNKNOWN, lengths, self.sizes[numbers]),
            "kind": nothing or np.where(known, self._kinds[numbers], "").tolist(),
        }

    def document(self, number: int) -> dict[str, Any]:
        """A document as its page reads it."""
        found = self._read(number)
        told = {name: column[0] for name, column in self.describe(np.array([number])).items()}
        told["size"] = int(told["size"])
        shown = found if self.text else None
        return {
            **told,
            "text": None if shown is None else shown.text,
            "why": self._why(number, found),
            "blocks": self.blocks(shown) if shown is not None and self.blocks is not None else [],
            "names": list(self.spellings(number)),
        }

    def without_text(self, numbers: IntArray) -> dict[str, Any]:
        """What there is to say of documents whose text is not shown."""
        return {"sizes": self.describe(numbers)["size"].tolist(), "why": _LEFT_OUT}

    def texts(self, number: int, spans: Sequence[tuple[int, int]]) -> list[str]:
        """The text of spans of a document; nothing where there is no text."""
        found = self._read(number) if self.text else None
        return ["" if found is None else found.text[start:end] for start, end in spans]

    def text_of(self, number: int) -> str | None:
        """The text of a document, if there is one."""
        found = self._read(number)
        return None if found is None else found.text

    def plain_text(self, number: int) -> str | None:
        """The same without a look at anything else; nothing is said of what cannot be read."""
        own = None if self.corpus is None else self._own_ids[number]
        try:
            return None if self.corpus is None or own is None else self.corpus[own]
        except ExcerptError:  # said where its text is to be shown
            return None

    def _read(self, number: int) -> Document | None:
        own = None if self.corpus is None else self._own_ids[number]
        if self.corpus is None or own is None:
            return None
        try:
            found = self.corpus.document(own)
        except ExcerptError as error:  # broken, changed or gone; the others can be read
            said = error.message.removeprefix("cannot be read: ")
            self._faults[number] = f"it {said}" if said.startswith("has ") else said
            self._missing[number] = True
            return None
        self._faults.pop(number, None)
        self._titles[number], self._kinds[number] = found.title if self.text else "", found.kind
        self._lengths[number] = len(found.text)
        return found

    def doubts(self) -> Notices:
        """What was wrong with documents that were read; their lengths only where nobody compared them yet."""
        found = Notices()
        wrong = {"document of the corpus could not be read when it was to be shown": sorted(self._faults)}
        if self.lazy:
            for what, reach in (("relevant passage", self.judged), ("result", self.returned)):
                beyond = (self._lengths != UNKNOWN) & (reach > self._lengths)
                message = f"document of the corpus is shorter than a {what} in it"
                wrong[message] = np.flatnonzero(beyond).tolist()
        for message, numbers in wrong.items():
            where = ", ".join(short(self.names[number]) for number in numbers[:_SHOWN])
            found.add(message, len(numbers), where=where)
        return found

    def _why(self, number: int, found: Document | None) -> str:
        """Why there is no text, or where spans and text do not fit."""
        if not self.text:
            return _LEFT_OUT
        if number in self._faults:
            return f"This document of the corpus cannot be read: {self._faults[number]}."
        if found is None:
            return _NO_CORPUS if self.corpus is None else _MISSING
        length, judged, returned = len(found.text), int(self.judged[number]), int(self.returned[number])
        if judged > length:
            return f"The corpus has {length} characters of it, but text up to {judged} was judged."
        if returned > length:
            return f"The corpus has {length} characters of it, but a result ends at {returned}."
        return ""


def _reaches(count: int, parts: Iterable[tuple[AnyArray, IntArray]]) -> IntArray:
    """How far spans reach in each document, from pairs of documents and ends."""
    reach = np.zeros(count, np.int64)
    for document, end in parts:
        np.maximum.at(reach, document, end)
    return reach


def topic_of(name: str, judgments: Judgments, topics: Topics | None = None) -> Topic:
    """A topic with its texts: as `topics` have it, else with the question that the judgments tell.

    >>> from dataclasses import replace
    >>> from excerpt.model.judgments import Question
    >>> judgments = replace(Judgments.of([("7", "A", 0, 5)]), questions={"7": Question("7", "Who signed?")})
    >>> topic_of("7", judgments).text
    'Who signed?'
    """
    found = None if topics is None else topics.get(name)
    if found is not None and (found.title or found.text):
        return found
    question = judgments.questions.get(name)
    return Topic(name, text="" if question is None else question.text)
