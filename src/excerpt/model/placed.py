"""The results of a run on judged topics, each with its judged document: what is relevant plays no role."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from excerpt.errors import PolicyError, plural
from excerpt.model.judgments import Judgments
from excerpt.model.overlap import Segments, clashes, first_clash, first_owners, owned
from excerpt.model.policy import UNKNOWN_LENGTH, Policy
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Notices


@dataclass(frozen=True, eq=False)
class Placed:
    """Results on judged topics, by topic and rank, with the judged pair that each belongs to."""

    run: Run
    policy: Policy
    topics: tuple[str, ...]
    #: Topic of each result (a code of the judgments); where each topic's results begin, one more at the end.
    topic: IntArray
    first: IntArray
    #: The judged (topic, document) pair of each result, -1 where nobody judged it.
    pair: IntArray
    #: A number that two results share if and only if they have the same topic and document, by first
    #: occurrence from 0 on; and where each number first occurs.
    group: IntArray
    opens: IntArray
    start: IntArray
    end: IntArray
    #: Characters of each result; `UNKNOWN_LENGTH` where it names something that does not exist.
    size: IntArray

    def __len__(self) -> int:
        return len(self.topic)

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'result')} of {self.run.name!r} on {plural(len(self.topics), 'topic')}>"

    @cached_property
    def results(self) -> IntArray:
        """The number of results of each topic."""
        return np.diff(self.first)

    @cached_property
    def articles(self) -> Articles:
        """The documents of each topic in order of first occurrence."""
        topic = self.topic[self.opens]
        first = np.searchsorted(topic, np.arange(len(self.topics) + 1)).astype(np.int64)
        return Articles(topic, first, self.pair[self.opens], self.opens, self.group)

    @cached_property
    def repeated(self) -> IntArray:
        """Results of documents in which two results share text."""
        return np.flatnonzero(clashes(self.group, self.start, self.end))

    @cached_property
    def segments(self) -> Segments:
        """The text of the `repeated` results in pieces, each owned by the one that showed it first."""
        rows = self.repeated
        return first_owners(self.group[rows], self.start[rows], self.end[rows])

    @cached_property
    def new_size(self) -> IntArray:
        """Characters of each result that no better result of the topic has shown."""
        rows = self.repeated
        if not len(rows):
            return self.size
        fresh = owned(self.segments, self.segments.end - self.segments.start, len(rows))
        size = self.size.copy()
        size[rows] = np.where(self.end[rows] > self.start[rows], fresh, size[rows])
        return size

    @cached_property
    def counted_size(self) -> IntArray:
        """Characters read by each result under the overlap policy."""
        self.check_overlap()
        return self.new_size if self.policy.overlap == "first" else self.size

    @cached_property
    def read(self) -> IntArray:
        """Characters read up to and including each result, under the overlap policy."""
        return self.running(self.counted_size)

    def running(self, amount: IntArray) -> IntArray:
        """Sums of `amount` over the results of a topic up to and including each one."""
        total = np.cumsum(amount)
        before = np.concatenate(([0], total))[self.first[:-1]]
        running: IntArray = total - np.repeat(before, self.results)
        return running

    def sums(self, amount: IntArray, *, top: int | None = None) -> IntArray:
        """Sum of `amount` over the first `top` results of each topic (all by default)."""
        total = np.concatenate(([0], np.cumsum(amount)))
        last = self.first[1:] if top is None else np.minimum(self.first[:-1] + top, self.first[1:])
        return total[last] - total[self.first[:-1]]

    def check_overlap(self) -> None:
        """An error where two results share text, if the policy says so."""
        if self.policy.overlap != "error" or not len(self.repeated):
            return
        clash = first_clash(self.group, self.start, self.end)
        if clash is not None:
            later, earlier = clash
            line = f" of line {self.run.line[earlier]}" if self.run.line[earlier] else ""
            raise self._refuse(
                later,
                f", document {self.document_name(later)}: "
                f"found result [{self.start[later]}, {self.end[later]}) overlapping "
                f"[{self.start[earlier]}, {self.end[earlier]}){line}, expected no common text",
                "try ⟨overlap=first⟩ (count each character once), penalise or allow",
            )

    def check_in_one_piece(self) -> None:
        """An error where a document comes back after another one, unless the policy regroups."""
        returns = np.flatnonzero(np.diff(self.group) < 0) + 1
        if len(returns) and self.policy.interleaved == "error":
            row = int(returns[0])
            raise self._refuse(
                row,
                f": found document {self.document_name(row)} "
                "again after another one, expected the results of a document to stand together",
                "try ⟨interleaved=regroup⟩ (documents in order of first occurrence)",
            )

    def check_one_result_each(self) -> None:
        """An error where a document has several results, unless the policy takes the first."""
        extra = np.flatnonzero(self.opens[self.group] != np.arange(len(self)))
        if len(extra) and self.policy.overlap == "error":
            row = int(extra[0])
            raise self._refuse(
                row,
                f": found a second result of document {self.document_name(row)}, "
                "expected one entry point per document",
                "try ⟨overlap=first⟩ (take the first)",
            )

    def _refuse(self, row: int, message: str, hint: str) -> PolicyError:
        """The error for a result that the policy refuses."""
        return PolicyError(
            f"topic {self.topics[int(self.topic[row])]}{message}",
            path=self.run.source or self.run.name,
            line=int(self.run.line[row]) or None,
            hint=hint,
        )

    def document_name(self, row: int) -> str:
        """The document id of a result, for messages."""
        return self.run.documents[int(self.run.document[row])]


class Articles:
    """Documents of a run on judged topics: by topic, in order of first occurrence."""

    def __init__(
        self, topic: IntArray, first: IntArray, pair: IntArray, first_result: IntArray, of_result: IntArray
    ) -> None:
        #: Topic of each document, and where each topic's documents begin (one more at the end).
        self.topic, self.first = topic, first
        #: The judged pair of each document (-1 where unjudged), and its first result.
        self.pair, self.first_result = pair, first_result
        #: The document that each result belongs to.
        self.of_result = of_result

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def rank(self) -> IntArray:
        """Place of each document in its topic's list, from 1."""
        return np.arange(len(self)) - self.first[self.topic] + 1

    def sums(self, amount: IntArray) -> IntArray:
        """Sum of `amount` over the results of each document."""
        total = np.zeros(len(self), np.int64)
        np.add.at(total, self.of_result, amount)
        return total

    def running(self, values: FloatArray | BoolArray) -> FloatArray:
        """Sums of `values` over the documents of a topic up to and including each one, topic by topic."""
        total = np.zeros(len(self))
        for low, high in zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True):
            np.cumsum(values[low:high], out=total[low:high])
        return total


def limits_of(run: Run, judgments: Judgments, document: IntArray) -> IntArray:
    """How long the document of each result is, as the judgments tell it, else a corpus; -1: not known."""
    limits: IntArray = np.append(judgments.document_sizes, UNKNOWN)[document]
    if run.lengths is None or not len(run):
        return limits
    return np.where(limits == UNKNOWN, run.lengths[run.document], limits)


def spans_of(
    run: Run, judgments: Judgments, document: IntArray, policy: Policy | None, notices: Notices
) -> tuple[IntArray, IntArray, IntArray]:
    """Start, end and size of each result; results that do not exist are empty spans of a fixed size.

    `document` is the judged document of each. Without a policy nobody asks how long whole documents are.
    """
    known = run.known
    if run.kind == "documents" or run.whole:
        size = limits_of(run, judgments, document)
        size = np.where(known, run.end, size) if run.whole else size
        unknown = np.flatnonzero(size == UNKNOWN)
        size[unknown] = 1  # where documents are what is judged, each is one thing to read
        if len(unknown) and policy is not None and judgments.scale != "documents":
            size[unknown] = _lengths(run, judgments, document, unknown, policy, notices)
        return np.zeros(len(run), np.int64), size, size
    start, end = np.where(known, run.start, 0), np.where(known, run.end, 0)
    nowhere = UNKNOWN_LENGTH if run.lost is None else np.where(run.lost > 0, run.lost, UNKNOWN_LENGTH)
    return start, end, np.where(known, end - start, nowhere)


def _lengths(
    run: Run, judgments: Judgments, document: IntArray, rows: IntArray, policy: Policy, notices: Notices
) -> IntArray:
    """How long to take the documents of some results to be; never too short for what is relevant there."""
    known = judgments.document_sizes[judgments.document_sizes != UNKNOWN]
    length = policy.unknown_length
    if length == "error" or (length == "mean" and not len(known)):
        row = int(rows[0])
        name = run.documents[int(run.document[row])]
        where = f"topic {run.topics[int(run.topic[row])]}, document {name}"
        raise PolicyError(
            f"found {plural(len(rows), 'whole document')} of unknown length (first: {where}), "
            "expected the length of " + ("at least one document" if length == "mean" else "each"),
            path=run.source or run.name,
            line=int(run.line[row]) or None,
            hint="give ⟨corpus⟩ or ⟨index⟩, or try "
            + ("⟨unknown_length=mean⟩ (the mean of the known lengths) or " if len(known) else "")
            + "⟨unknown_length=6000⟩ (a number of characters)",
        )
    taken = (2 * int(known.sum()) + len(known)) // (2 * len(known)) if length == "mean" else int(length)
    notices.add(
        f"result is a document of unknown length, taken as {taken} characters",
        len(rows),
        where=run.place(int(rows[0])),
    )
    reach = np.zeros(len(judgments.documents) + 1, np.int64)
    np.maximum.at(reach, judgments.pair_document[judgments.spans.group], judgments.spans.end)
    return np.maximum(reach[document[rows]], taken)
