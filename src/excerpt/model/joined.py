"""The join of a run with judgments: what every measure reads, computed once for all topics together."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar, cast
from weakref import proxy

import numpy as np

from excerpt.errors import PolicyError
from excerpt.model.judgments import Judgments
from excerpt.model.overlap import clashes, first_clash, first_owners, owned
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import BoolArray, FloatArray, IntArray

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Joined:
    """Results on judged topics, by topic and rank, beside what was judged of their text."""

    run: Run
    judgments: Judgments
    policy: Policy
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
    _shared: dict[Hashable, object] = field(default_factory=dict, repr=False)
    #: What does not depend on which text is relevant; kept when the judgments are replaced by a sample.
    _fixed: dict[Hashable, object] = field(default_factory=dict, repr=False)

    def judged_by(self, judgments: Judgments) -> Joined:
        """The same results beside judgments of the same pairs with less relevant text (a sample)."""
        return replace(self, judgments=judgments, _shared={})

    def _keep(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._fixed:
            self._fixed[key] = compute()
        return cast("T", self._fixed[key])

    def once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The value of `compute()`, computed for the first measure that asks and kept for the others."""
        if key not in self._shared:
            self._shared[key] = compute()
        return cast("T", self._shared[key])

    def __len__(self) -> int:
        return len(self.topic)

    @property
    def topics(self) -> int:
        """The number of judged topics."""
        return len(self.judgments.topics)

    @cached_property
    def results(self) -> IntArray:
        """The number of results of each topic."""
        return np.diff(self.first)

    @cached_property
    def relevant(self) -> IntArray:
        """Relevant characters of each result, whether shown before or not."""
        # The first judgments asked for are the fullest: a sample has no relevant text elsewhere.
        near = self._keep(
            "near", lambda: np.flatnonzero(np.append(self.judgments.relevant_by_pair, 0)[self.pair])
        )
        found = np.zeros(len(self), np.int64)
        found[near] = self.judgments.spans.overlap(self.pair[near], self.start[near], self.end[near])
        return found

    @cached_property
    def _unseen(self) -> tuple[IntArray, IntArray]:
        """Characters, and relevant characters, of each result that no better result has shown."""
        again = self._again
        size, relevant = self.size, self.relevant
        if not len(again):
            return size, relevant
        segments = self._keep(
            "segments", lambda: first_owners(self.group[again], self.start[again], self.end[again])
        )
        inside = self.judgments.spans.overlap(self.pair[again][segments.owner], segments.start, segments.end)
        size, relevant = size.copy(), relevant.copy()
        fresh = owned(segments, segments.end - segments.start, len(again))
        size[again] = np.where(self.end[again] > self.start[again], fresh, size[again])
        relevant[again] = owned(segments, inside, len(again))
        return size, relevant

    @property
    def new_size(self) -> IntArray:
        """Characters of each result that no better result of the topic has shown."""
        return self._unseen[0]

    @property
    def new_relevant(self) -> IntArray:
        """Relevant characters of each result that no better result of the topic has shown."""
        return self._unseen[1]

    @cached_property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Characters read and relevant characters found by each result under the overlap policy."""
        if self.policy.overlap == "allow":
            return self.size, self.relevant
        if self.policy.overlap == "error":
            self._keep("refused", self._refuse_overlap)
            return self.size, self.relevant
        return (self.new_size if self.policy.overlap == "first" else self.size), self.new_relevant

    @property
    def _again(self) -> IntArray:
        """Results of documents in which two results share text."""
        return self._keep("again", lambda: np.flatnonzero(clashes(self.group, self.start, self.end)))

    def _refuse_overlap(self) -> None:
        clash = first_clash(self.group, self.start, self.end) if len(self._again) else None
        if clash is None:
            return
        later, earlier = clash
        raise PolicyError(
            f"topic {self.topic_name(later)}, document {self.document_name(later)}: "
            f"found result [{self.start[later]}, {self.end[later]}) overlapping "
            f"[{self.start[earlier]}, {self.end[earlier]}){self._at(earlier)}, expected no common text",
            path=self.run.source or self.run.name,
            line=int(self.run.line[later]) or None,
            hint="try ⟨overlap=first⟩ (count each character once), penalise or allow",
        )

    def _at(self, row: int) -> str:
        return f" of line {self.run.line[row]}" if self.run.line[row] else ""

    def topic_name(self, row: int) -> str:
        """The topic id of a result, for messages."""
        return self.judgments.topics[int(self.topic[row])]

    def document_name(self, row: int) -> str:
        """The document id of a result, for messages."""
        return self.run.documents[int(self.run.document[row])]

    @cached_property
    def elements(self) -> IntArray:
        """The assessed element that each result names, -1 where it names none, or one named before.

        A repeated element keeps its rank but brings nothing, unless the overlap policy is `allow`.
        """
        graded = self.judgments.elements
        if graded is None or not len(self):
            return np.full(len(self), -1, np.int64)
        if graded.row is not None and self.run.row is not None:
            found = graded.find_rows(self.pair, self.run.row)
        else:
            codes = np.append(graded.path_codes(self.run.paths), -1)
            found = graded.find(self.pair, codes[self.run.element])
        if self.policy.overlap != "allow":
            order = np.argsort(found, kind="stable")
            again = order[1:][np.diff(found[order]) == 0]
            found[again] = -1
        return found

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

    @property
    def read(self) -> IntArray:
        """Characters read up to and including each result, under the overlap policy."""
        return self._keep("read", lambda: self.running(self.counted[0]))

    @cached_property
    def articles(self) -> Articles:
        """The documents of each topic in order of first occurrence."""
        return replace(self._keep("articles", lambda: Articles.of(self)), joined=proxy(self))


@dataclass(frozen=True, eq=False)
class Articles:
    """Documents of a joined run: by topic, in order of first occurrence."""

    #: A weak reference: else the two would keep each other, and every scored run would stay in memory.
    joined: Joined
    #: Topic of each document, and where each topic's documents begin (one more at the end).
    topic: IntArray
    first: IntArray
    #: The judged pair of each document (-1 where unjudged), and its first result.
    pair: IntArray
    first_result: IntArray
    #: The document that each result belongs to.
    of_result: IntArray

    @classmethod
    def of(cls, joined: Joined) -> Articles:
        """Number the documents of a joined run."""
        topic = joined.topic[joined.opens]
        return cls(
            joined=proxy(joined),
            topic=topic,
            first=np.searchsorted(topic, np.arange(joined.topics + 1)).astype(np.int64),
            pair=joined.pair[joined.opens],
            first_result=joined.opens,
            of_result=joined.group,
        )

    def __len__(self) -> int:
        return len(self.topic)

    @cached_property
    def rank(self) -> IntArray:
        """Place of each document in its topic's list, from 1."""
        return np.arange(len(self)) - self.first[self.topic] + 1

    @cached_property
    def relevant_total(self) -> IntArray:
        """Relevant characters that each document has for its topic."""
        by_pair = self.joined.judgments.relevant_by_pair
        return np.append(by_pair, 0)[self.pair]

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

    def in_one_piece(self) -> Articles:
        """Itself; an error where a document comes back after another one, unless the policy regroups."""
        returns = np.flatnonzero(np.diff(self.of_result) < 0) + 1
        if len(returns) and self.joined.policy.interleaved == "error":
            row = int(returns[0])
            raise PolicyError(
                f"topic {self.joined.topic_name(row)}: found document {self.joined.document_name(row)} "
                "again after another one, expected the results of a document to stand together",
                path=self.joined.run.source or self.joined.run.name,
                line=int(self.joined.run.line[row]) or None,
                hint="try ⟨interleaved=regroup⟩ (documents in order of first occurrence)",
            )
        return self

    def one_result_each(self) -> Articles:
        """Itself; an error where a document has several results, unless the policy takes the first."""
        extra = np.flatnonzero(self.first_result[self.of_result] != np.arange(len(self.joined)))
        if len(extra) and self.joined.policy.overlap == "error":
            row = int(extra[0])
            raise PolicyError(
                f"topic {self.joined.topic_name(row)}: found a second result of document "
                f"{self.joined.document_name(row)}, expected one entry point per document",
                path=self.joined.run.source or self.joined.run.name,
                line=int(self.joined.run.line[row]) or None,
                hint="try ⟨overlap=first⟩ (take the first)",
            )
        return self
