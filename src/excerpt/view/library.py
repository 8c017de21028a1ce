"""Documents and topics of an evaluation, with their texts and titles."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from excerpt.documents.front_matter import front_matter
from excerpt.errors import ExcerptError, UnknownName, short
from excerpt.model.judgments import Judgments
from excerpt.model.spans import NO_PLACE, UNKNOWN, AnyArray, BoolArray, IntArray
from excerpt.notices import Notices
from excerpt.queries import Topic, Topics
from excerpt.view.run_columns import RunColumns

if TYPE_CHECKING:
    from excerpt.corpus import Corpus, Document


#: Function that returns the blocks of a document as rows.
Blocks: TypeAlias = Callable[["Document"], list[list[Any]]]

#: Of more than `_FEW` documents, lazy libraries read only the first `_AT_ONCE` of a list.
_FEW = 2000
_AT_ONCE = 200
#: Documents whose texts are read together.
_AHEAD = 1024

#: Documents that a warning names.
_SHOWN = 3

_UNREADABLE = (
    "document cannot be read: its text is missing",
    "documents cannot be read: their texts are missing",
)
_NO_CORPUS = "No corpus was given."
_MISSING = "The corpus does not contain this document."
#: Reason why a report without text has none.
LEFT_OUT = "This report was made without text."


@dataclass(eq=False)
class Library:
    """Documents by number: first those of the judgments, then those that only runs return."""

    names: Sequence[str]
    #: Lengths according to the judgments (-1: unknown); largest ends of judged text and of results.
    sizes: IntArray
    judged: IntArray
    returned: IntArray
    corpus: Corpus | None = None
    text: bool = True
    blocks: Blocks | None = None
    #: Whether documents are read only when shown; otherwise all listed documents are read for their titles.
    lazy: bool = False
    #: Title, kind and text length (-1: not read) of the documents read so far.
    _titles: AnyArray = field(init=False)
    _kinds: AnyArray = field(init=False)
    _lengths: IntArray = field(init=False)
    #: Errors of documents that could not be read.
    _faults: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._titles = np.full(len(self.names), "", object)
        self._kinds = self._titles.copy()
        self._lengths = np.full(len(self.names), UNKNOWN, np.int64)

    @classmethod
    def of(cls, judgments: Judgments, kept: Sequence[RunColumns], names: Sequence[str]) -> Library:
        """Documents of judgments and runs, without a corpus."""
        sizes = np.full(len(names), UNKNOWN, np.int64)
        sizes[: len(judgments.documents)] = judgments.document_sizes
        spans = judgments.spans
        here = spans.start < NO_PLACE
        judged = _reaches(len(names), [(judgments.pair_document[spans.group[here]], spans.end[here])])
        return cls(names, sizes, judged, _reaches(len(names), (run.ends() for run in kept)))

    @cached_property
    def reaches(self) -> IntArray:
        """Minimum length of each document, known without reading it."""
        return np.maximum(self.sizes, np.maximum(self.judged, self.returned))

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def _names(self) -> AnyArray:
        column = np.empty(len(self.names), object)
        column[:] = self.names
        return column

    @cached_property
    def _own_ids(self) -> list[str | None]:
        """Id of each document in the corpus; None if the corpus does not contain it."""
        corpus = self.corpus
        return [None if corpus is None else corpus.resolve(name) for name in self.names]

    @cached_property
    def _missing(self) -> BoolArray:
        return np.array([own is None for own in self._own_ids], np.bool_)

    @cached_property
    def _canonical(self) -> dict[str, int]:
        """Number of each document by its id in the corpus."""
        return self.once(range(len(self.names)))

    def once(self, numbers: Iterable[int]) -> dict[str, int]:
        """Numbers by id in the corpus; of several names of one document only the first counts."""
        by_id: dict[str, int] = {}
        for number in numbers:
            if (own := self._own_ids[number]) is not None:
                by_id.setdefault(own, number)
        return by_id

    def find(self, name: str) -> int:
        """Number of a document by any name of it; raise `UnknownName` for an unknown name."""
        if name in self.numbers:
            return self.numbers[name]
        own = self.corpus.resolve(name) if self.corpus is not None else None
        if own is None or own not in self._canonical:
            raise UnknownName("document", name, self.names)
        return self._canonical[own]

    def spellings(self, number: int) -> tuple[str, ...]:
        """All names of a document; the first one is displayed."""
        own = self._own_ids[number]
        others = () if self.corpus is None or own is None else self.corpus.names(own)
        return tuple(dict.fromkeys((self.names[number], *others)))

    def describe(self, numbers: IntArray) -> dict[str, Any]:
        """Columns of names, titles, lengths (an array) and kinds of documents.

        A large lazy library reads only the first ones: titles and kinds of the others are empty.
        """
        included = np.ones(len(numbers), np.bool_)
        if self.lazy and len(self.names) > _FEW:
            included[_AT_ONCE:] = False
        if self.corpus is not None:
            unread = numbers[included & (self._lengths[numbers] == UNKNOWN) & ~self._missing[numbers]]
            for number in unread.tolist():
                self.read(number)
        lengths = np.where(included, self._lengths[numbers], UNKNOWN)
        empty = [""] * len(numbers) if self.corpus is None else None
        return {
            "id": self._names[numbers].tolist(),
            "title": empty or np.where(included, self._titles[numbers], "").tolist(),
            "size": np.where(self.sizes[numbers] == UNKNOWN, lengths, self.sizes[numbers]),
            "kind": empty or np.where(included, self._kinds[numbers], "").tolist(),
        }

    def document(self, number: int) -> dict[str, Any]:
        """Data of a document for its page."""
        return self.page(number, self.read(number))

    def page(self, number: int, content: Document | None) -> dict[str, Any]:
        """Data of a document that was read."""
        size, shown = int(self.sizes[number]), content if self.text else None
        return {
            "id": self.names[number],
            "title": self._titles[number],
            "size": int(self._lengths[number]) if size == UNKNOWN else size,
            "kind": self._kinds[number],
            "text": None if shown is None else shown.text,
            "why": self._why(number, content),
            "blocks": self.blocks(shown) if shown is not None and self.blocks is not None else [],
            "names": list(self.spellings(number)),
            **({"front": front} if (front := front_matter(shown and shown.elements).end) else {}),
            **({"pages": list(map(list, shown.pages))} if shown is not None and shown.pages else {}),
        }

    def texts(self, number: int, spans: Sequence[tuple[int, int]]) -> list[str]:
        """Texts of spans of a document; empty if it has no text."""
        content = self.read(number) if self.text else None
        return ["" if content is None else content.text[start:end] for start, end in spans]

    def text_of(self, number: int) -> str | None:
        """Text of a document, or None."""
        content = self.read(number)
        return None if content is None else content.text

    def plain_text(self, number: int) -> str | None:
        """Text of a document, or None; a lazy library does not record faults."""
        if not self.lazy:
            return self.text_of(number)
        own = None if self.corpus is None else self._own_ids[number]
        try:
            return None if self.corpus is None or own is None else self.corpus[own]
        except ExcerptError:  # reported when the text is shown
            return None

    def ahead(self, numbers: Sequence[int]) -> Iterator[int]:
        """Yield the numbers of documents that are read next; their texts are read many at once."""
        corpus, rest = self.corpus, iter(numbers)
        while some := list(islice(rest, _AHEAD)):
            texts = None if corpus is None else corpus.one_pass()  # kept until the next ones
            if corpus is not None:
                own = [name for name in map(self._own_ids.__getitem__, some) if name]
                deque(corpus.texts(own, strict=False), maxlen=0)
            yield from some
            del texts

    def read(self, number: int) -> Document | None:
        """Read a document and note its title, kind and length; None if that is not possible."""
        own = None if self.corpus is None else self._own_ids[number]
        if self.corpus is None or own is None:
            return None
        try:
            content = self.corpus.document(own)
        except ExcerptError as error:  # broken, changed or deleted; other documents can be read
            fault = error.message.removeprefix("cannot be read: ")
            self._faults[number] = f"it {fault}" if fault.startswith("has ") else fault
            self._missing[number] = True
            return None
        self._faults.pop(number, None)
        self._titles[number], self._kinds[number] = content.title if self.text else "", content.kind
        self._lengths[number] = len(content.text)
        return content

    def text_warnings(self) -> Notices:
        """Warnings about the documents read so far; lengths are checked only in a lazy library."""
        notices = Notices()
        wrong = {_UNREADABLE: sorted(self._faults)}
        if self.lazy:
            for what, reach in (("relevant passage", self.judged), ("result", self.returned)):
                beyond = (self._lengths != UNKNOWN) & (reach > self._lengths)
                ends = f"before a {what} in"
                messages = f"document ends {ends} it", f"documents end {ends} them"
                wrong[messages] = np.flatnonzero(beyond).tolist()
        for (one, many), numbers in wrong.items():
            where = ", ".join(short(self.names[number]) for number in numbers[:_SHOWN])
            notices.add(one, many, len(numbers), where=where)
        return notices

    def _why(self, number: int, content: Document | None) -> str:
        """Reason why there is no text, or why spans do not fit the text."""
        if not self.text:
            return LEFT_OUT
        if fault := self._faults.get(number):
            return f"This document of the corpus cannot be read: {fault}."
        if content is None:
            return _NO_CORPUS if self.corpus is None else _MISSING
        length, judged, returned = len(content.text), int(self.judged[number]), int(self.returned[number])
        if judged > length:
            return f"The document has {length} characters, but judged text ends at {judged}."
        if returned > length:
            return f"The document has {length} characters, but a result ends at {returned}."
        return ""


def _reaches(count: int, parts: Iterable[tuple[AnyArray, IntArray]]) -> IntArray:
    """Largest end of spans in each document, from pairs of documents and ends."""
    reach = np.zeros(count, np.int64)
    for document, end in parts:
        np.maximum.at(reach, document, end)
    return reach


def topic_of(name: str, judgments: Judgments, topics: Topics | None = None) -> Topic:
    """A topic with its texts: from `topics`, or with the question of the judgments.

    >>> from dataclasses import replace
    >>> from excerpt.model.judgments import Question
    >>> judgments = replace(Judgments.of([("7", "A", 0, 5)]), questions={"7": Question("7", "Who signed?")})
    >>> topic_of("7", judgments).text
    'Who signed?'
    """
    topic = None if topics is None else topics.get(name)
    if topic is not None and (topic.title or topic.text):
        return topic
    question = judgments.questions.get(name)
    return Topic(name, text="" if question is None else question.text)
