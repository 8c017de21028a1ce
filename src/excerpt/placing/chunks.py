"""Chunks with their positions; coverage."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from excerpt.errors import plural
from excerpt.model.run import Run, encode
from excerpt.model.spans import IntArray, KeyedSpans
from excerpt.model.texts import Texts
from excerpt.notices import Notices

#: How a chunk stands in its document; see `Chunks`.
How: TypeAlias = Literal["exact", "moved", "folded", "trimmed", "lost"]
HOWS: Final[tuple[How, ...]] = ("exact", "moved", "folded", "trimmed", "lost")


class WantedChunk(NamedTuple):
    """A chunk to place: its text, and where it is said to start and to end."""

    text: str
    start: int | None = None
    end: int | None = None
    #: Whether it is nothing but its offsets, so that it can stand nowhere else.
    fixed: bool = False

    def at(self, start: int) -> Place:
        """The place of the chunk where it stands literally.

        >>> WantedChunk("ab", 3).at(3), WantedChunk("ab", 3).at(7)
        (Place(start=3, end=5, how='exact'), Place(start=7, end=9, how='moved'))
        """
        end = start + len(self.text)
        claimed = self.start in {None, start} and self.end in {None, end}
        return Place(start, end, "exact" if claimed else "moved")


class Place(NamedTuple):
    """Where a chunk stands; -1 where it is lost."""

    start: int
    end: int
    how: How


LOST = Place(-1, -1, "lost")


#: What happens to chunks that stand nowhere: an error, left out, or kept as text that is read in vain.
Lost: TypeAlias = Literal["error", "drop", "count"]


class TextsById(Protocol):
    """The texts of documents by id, such as a corpus."""

    def __getitem__(self, identifier: str, /) -> str:
        """The text of a document."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The ids of all documents."""
        ...

    def __len__(self) -> int:
        """How many documents there are."""
        ...

    def resolve(self, identifier: str, /) -> str | None:
        """The own id of the document that an id means; None where there is none."""
        ...


class Chunk(NamedTuple):
    """One chunk, for humans and tests; -1, -1 where it is lost."""

    document: str
    start: int
    end: int
    how: How
    text: str


@dataclass(frozen=True, eq=False)
class Chunks:
    """Chunks of documents, in the order given, each with its place in the text of its document.

    `how` says how a chunk stands there: `exact`, literally, where it was said to be or without a word on
    that; `moved`, literally, but elsewhere; `folded`, but for its white space; `trimmed`, the longest part of
    it, at least a half; `lost`, not at all (-1, -1). Start and end count characters of the document.
    """

    name: str
    documents: tuple[str, ...]
    document: IntArray
    start: IntArray
    end: IntArray
    #: How each chunk stands in its document.
    how: tuple[How, ...]
    #: What the model reads of each chunk.
    texts: tuple[str, ...]
    #: Characters of the corpus that are no white space: those in some chunk, and all; 0 where not known.
    seen: tuple[int, int] = (0, 0)
    #: What is done with chunks that stand nowhere.
    lost: Lost = "error"
    #: The chunks that were left out because they stand nowhere.
    left_out: Chunks | None = None
    #: What the texts are called among all that chunks came with, where they are not their own.
    text_key: str | None = None
    #: Each chunk as it was given.
    given: tuple[object, ...] = ()
    #: Own ids of chunks, and the starts they were said to have; frameworks return these with results.
    ids: tuple[str | None, ...] = ()
    claims: tuple[int | None, ...] = ()

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> Chunk:
        document = self.documents[int(self.document[row])]
        return Chunk(document, int(self.start[row]), int(self.end[row]), self.how[row], self.texts[row])

    def __iter__(self) -> Iterator[Chunk]:
        return (self[row] for row in range(len(self)))

    @property
    def dropped(self) -> int:
        """How many chunks were left out because they stand nowhere."""
        return 0 if self.left_out is None else len(self.left_out)

    @property
    def covered(self) -> float | None:
        """The share of the corpus' characters, white space not counted, that some chunk covers."""
        part, whole = self.seen
        return part / whole if whole else None

    @cached_property
    def lengths(self) -> IntArray:
        """How many characters the text of each chunk has."""
        return np.array([len(text) for text in self.texts], np.int64)

    @cached_property
    def words(self) -> IntArray:
        """How many words the text of each chunk has."""
        return np.array([len(text.split()) for text in self.texts], np.int64)

    def take(self, rows: IntArray) -> Chunks:
        """Some of the chunks."""
        columns = {name: getattr(self, name)[rows] for name in ("document", "start", "end")}
        for name in ("how", "texts", "given", "ids", "claims"):
            values = getattr(self, name)
            columns[name] = tuple(values[row] for row in rows.tolist())
        return replace(self, **columns)

    @cached_property
    def counts(self) -> dict[str, Any]:
        """How many chunks were given and how they stand, and the share of the corpus that they cover."""
        found: dict[str, int] = {how: self.how.count(how) for how in HOWS}
        found["lost"] += self.dropped
        return {"chunks": len(self) + self.dropped, **found, "covered": self.covered}

    def to_dict(self) -> dict[str, Any]:
        """What the command line prints as JSON."""
        return self.counts

    def __str__(self) -> str:
        covered = "" if self.covered is None else f", {_percent(*self.seen)} of the text covered"
        counts = self.counts
        ways = ", ".join(f"{counts[how]} {how}" for how in HOWS)
        return f"{plural(counts['chunks'], 'chunk')}: {ways}{covered}"

    def __repr__(self) -> str:
        return f"<Chunks {self.name!r}: {self}>"

    def to_pandas(self) -> Any:
        """A data frame with a row for each chunk: document, start, end, how, text."""
        import pandas as pd

        return pd.DataFrame(
            {
                "document": [self.documents[code] for code in self.document.tolist()],
                "start": self.start,
                "end": self.end,
                "how": self.how,
                "text": self.texts,
            }
        )

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], corpus: TextsById | None = None, *, text: str | None = None
    ) -> Chunks:
        """The chunks of a file that `write` or `excerpt place` wrote; with a corpus texts are compared."""
        from excerpt.placing.chunk_files import read_placed

        return read_placed(path, corpus, text)

    def write(self, path: str | os.PathLike[str]) -> None:
        """One chunk a line, in JSON: what it came with, and document, start, end and how."""
        from excerpt.placing.chunk_files import write_placed

        write_placed(self, path)

    def run(
        self,
        results: object,
        *,
        name: str | None = None,
        scores: object = None,
        topics: Sequence[str] | None = None,
        notices: Notices | None = None,
    ) -> Run:
        """A run of these chunks: the results of each question, in the order given.

        A result is the number of a chunk (from 0, as in `texts`), its text, its id, an object of a framework
        or a dictionary, or one of these with its score, as a pair. `results` has them by question:
        a dictionary, or a list or matrix with a row for each of `topics` (default: 1, 2, …), -1 where there
        are fewer; `scores` has the same form. The run is called as the chunks unless it has a `name`.
        """
        from excerpt.placing.retrieved import make_run

        return make_run(self, results, name=name, scores=scores, topics=topics, notices=notices)

    def texts_of(self, run: Run) -> list[str]:
        """What the model reads of each result of a run of these chunks."""
        from excerpt.placing.retrieved import texts_of

        return texts_of(self, run)


def _percent(part: int, whole: int) -> str:
    """A share in percent; rounded, but nothing but all is 100.

    >>> _percent(1, 3), _percent(6, 39), _percent(99999, 100000), _percent(2, 2)
    ('33.3 %', '15.4 %', '99.9 %', '100 %')
    """
    tenths = (2000 * part + whole) // (2 * whole)
    return "100 %" if part == whole else f"{min(tenths, 999) / 10} %"


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
