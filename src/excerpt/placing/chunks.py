"""Chunks with their positions in documents, and the coverage of a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import plural
from excerpt.model.display import InNotebook
from excerpt.model.run import Run
from excerpt.model.spans import IntArray
from excerpt.model.texts import count_words, squeeze
from excerpt.notices import Notices
from excerpt.placing.chunk_places import HOWS, ChunkOccurrence

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

#: Treatment of lost chunks: an error, left out, or counted as retrieved text that is not relevant.
LostTreatment: TypeAlias = Literal["error", "drop", "count"]


class Chunk(NamedTuple):
    """One chunk with its position; -1, -1 if it is lost."""

    document: str
    start: int
    end: int
    how: ChunkOccurrence
    text: str


@dataclass(frozen=True, eq=False)
class Chunks(InNotebook):
    """Chunks of documents, in the order given, each with its position in the text of its document.

    `how` a chunk occurs there: `exact`, literally, at its claimed offsets or without any; `moved`, literally,
    at other offsets; `folded`, with other whitespace, quotation marks, dashes or Unicode forms; `markup`,
    without the markup of its document; `trimmed`, without text of its own, such as a title in front; `lost`,
    not at all (-1, -1). Start and end count characters of the document.
    """

    name: str
    documents: tuple[str, ...]
    document: IntArray
    start: IntArray
    end: IntArray
    #: Characters of the text of each chunk in front of the part that is at this position.
    lead: IntArray
    #: How each chunk occurs in its document.
    how: tuple[ChunkOccurrence, ...]
    #: The text of each chunk that the model reads.
    texts: list[str]
    #: Characters of the corpus, without whitespace: those in some chunk, and all; 0 if unknown.
    seen: tuple[int, int] = (0, 0)
    #: Treatment of lost chunks.
    lost: LostTreatment = "error"
    #: The lost chunks that were left out.
    left_out: Chunks | None = None
    #: The key of the texts in the fields of chunks, if it was chosen.
    text_key: str | None = None
    #: Each chunk as it was given.
    given: tuple[object, ...] = ()
    #: Own ids and claimed starts of chunks, which frameworks return with results.
    own_ids: tuple[str | None, ...] = ()
    claims: tuple[int | None, ...] = ()
    #: Tokens of the text of each chunk; None if they are unknown.
    tokens: IntArray | None = None
    #: Why each chunk is lost, empty if it is not; none if that is not known.
    why: tuple[str, ...] = ()
    #: Fingerprints of the documents' texts to which the positions belong, as far as they are known.
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, row: int) -> Chunk:
        document = self.documents[int(self.document[row])]
        return Chunk(document, int(self.start[row]), int(self.end[row]), self.how[row], self.texts[row])

    def __iter__(self) -> Iterator[Chunk]:
        return (self[row] for row in range(len(self)))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Ids by which results may name the chunks: their own, or their numbers."""
        return tuple(str(row) if name is None else name for row, name in enumerate(self.own_ids))

    @property
    def dropped(self) -> int:
        """Number of lost chunks that were left out."""
        return 0 if self.left_out is None else len(self.left_out)

    @property
    def covered(self) -> float | None:
        """Proportion of the corpus' characters, without whitespace, that some chunk covers."""
        part, whole = self.seen
        return part / whole if whole else None

    @cached_property
    def lengths(self) -> IntArray:
        """Characters of the text of each chunk."""
        return np.array([len(text) for text in self.texts], np.int64)

    @property
    def own(self) -> float:
        """Proportion of the characters of chunks that trimmed chunks have beside those of their documents."""
        added = np.maximum(self.lengths - (self.end - self.start), 0)
        return float(added[np.array(self.how) == "trimmed"].sum() / max(1, self.lengths.sum()))

    @cached_property
    def words(self) -> IntArray:
        """Words of the text of each chunk."""
        return np.array([count_words(text) for text in self.texts], np.int64)

    def take(self, rows: IntArray) -> Chunks:
        """Select chunks by row."""
        columns = {name: getattr(self, name)[rows] for name in ("document", "start", "end", "lead")}
        for name in ("how", "texts", "given", "own_ids", "claims"):
            values = getattr(self, name)
            columns[name] = type(values)(values[row] for row in rows.tolist())
        if self.why:
            columns["why"] = tuple(self.why[row] for row in rows.tolist())
        return replace(self, **columns, tokens=None if self.tokens is None else self.tokens[rows])

    @cached_property
    def counts(self) -> dict[str, Any]:
        """Number of chunks, in all and by `how`, the proportion of the corpus they cover, and of own text."""
        by_how: dict[str, int] = {how: self.how.count(how) for how in HOWS}
        by_how["lost"] += self.dropped
        return {"chunks": len(self) + self.dropped, **by_how, "covered": self.covered, "own": self.own}

    @property
    def missing(self) -> list[dict[str, str]]:
        """Document and text of each lost chunk of which it is known why it is lost, and why."""
        own = [
            {"document": chunk.document, "text": chunk.text, "why": why}
            for chunk, why in zip(self, self.why, strict=False)
            if why
        ]
        return own + (self.left_out.missing if self.left_out is not None else [])

    def to_dict(self) -> dict[str, Any]:
        """Return the counts that the command line prints as JSON, and what is `missing`, if anything is."""
        missing = self.missing
        return {**self.counts, "missing": missing} if missing else self.counts

    def __str__(self) -> str:
        covered = "" if self.covered is None else f", {_percent(*self.seen)} of the text covered"
        counts = self.counts
        ways = ", ".join(f"{counts[how]} {how}" for how in HOWS if counts[how] or how != "markup")
        own = f", {max(1, round(100 * self.own))} % of it their own" if self.own else ""
        return f"{plural(counts['chunks'], 'chunk')}: {ways}{covered}{own}"

    def __repr__(self) -> str:
        return f"<Chunks {self.name!r}: {self}>"

    def to_pandas(self) -> Any:
        """Return a data frame with a row for each chunk: document, start, end, how, text, known tokens."""
        import pandas as pd

        return pd.DataFrame(
            {
                "document": [self.documents[code] for code in self.document.tolist()],
                "start": self.start,
                "end": self.end,
                "how": self.how,
                "text": self.texts,
                **({} if self.tokens is None else {"tokens": self.tokens}),
            }
        )

    @classmethod
    def read(
        cls, path: str | os.PathLike[str], corpus: Corpus | None = None, *, text: str | None = None
    ) -> Chunks:
        """Read chunks that `write` or `excerpt place` wrote; with a corpus, their texts are verified."""
        from excerpt.placing.chunk_files import read_placed

        return read_placed(path, corpus, text)

    def write(self, path: str | os.PathLike[str], *, fingerprint: bool = True) -> None:
        """Write one chunk per line, in JSON: its fields, id and tokens, and document, start, end and how.

        The fingerprint of its document's text is kept, if it is known; `fingerprint=False` leaves it out.
        """
        from excerpt.placing.chunk_files import write_placed

        write_placed(self if fingerprint else replace(self, fingerprints={}), path)

    def run(
        self,
        results: object,
        *,
        name: str | None = None,
        scores: object = None,
        topics: Sequence[str] | None = None,
        notices: Notices | None = None,
    ) -> Run:
        """Make a run of these chunks from the results of each question, in the order given.

        A result is the number of a chunk (from 0, as in `texts`), its text, its id as in `ids`, an object of
        a framework or a dictionary, or a pair of one of these and its score. Results of a question are a
        list of these, or what a retriever returns: a response of LlamaIndex, the dictionary of Haystack,
        points of Qdrant, a data frame or an Arrow table. `results` are by question: a dictionary, or a list
        or matrix with a row for each of `topics` (default: 1, 2, …), filled with -1; what Chroma's `query`
        returns; or a data frame with a column of questions, such as `query_id`. `scores` have the form of
        `results`. The run has the name of the chunks unless `name` is given.
        """
        from excerpt.placing.retrieved import make_run

        return make_run(self, results, name=name, scores=scores, topics=topics, notices=notices)

    def texts_of(self, run: Run) -> list[str]:
        """Return the text that the model reads for each result of a run of these chunks."""
        from excerpt.placing.retrieved import texts_of

        return texts_of(self, run)


def _percent(part: int, whole: int) -> str:
    """Format a proportion in percent; only the whole is 100 %.

    >>> _percent(1, 3), _percent(6, 39), _percent(99999, 100000), _percent(2, 2)
    ('33.3 %', '15.4 %', '99.9 %', '100 %')
    """
    tenths = (2000 * part + whole) // (2 * whole)
    return "100 %" if part == whole else f"{min(tenths, 999) / 10} %"


def seen_of(text: str, spans: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Count the characters of a text, without whitespace: those in some span, and all.

    >>> seen_of("a b c", [(2, 4), (0, 3), (-1, -1)])
    (2, 3)
    """
    whole, missed, reach = len(squeeze(text)), 0, 0
    for start, end in sorted(spans):
        missed += len(squeeze(text[reach : max(start, 0)]))
        reach = max(reach, end)
    return whole - missed - len(squeeze(text[reach:])), whole
