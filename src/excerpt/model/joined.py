"""The join of a run with judgments: what every measure reads, computed once for all topics together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import FormatError
from excerpt.model.distinct import distinct
from excerpt.model.judgments import Judgments
from excerpt.model.overlap import owned
from excerpt.model.placed import Articles, Placed, limits_of, spans_of
from excerpt.model.policy import UNKNOWN_LENGTH, Policy
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, IntArray
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.model.rankings import Rankings
    from excerpt.model.texts import Texts


def join(
    run: Run,
    judgments: Judgments,
    policy: Policy,
    notices: Notices,
    *,
    lengths: bool = True,
    texts: Texts | None = None,
) -> Joined:
    """Put each result of a judged topic beside its judgments.

    Without `lengths` it does not matter how long whole documents are: nobody will ask for their text.
    """
    return Joined(_place(run, judgments, policy, notices, lengths=lengths), judgments, texts)


@dataclass(frozen=True, eq=False)
class Joined:
    """Results on judged topics, by topic and rank, beside what was judged of their text."""

    placed: Placed
    judgments: Judgments
    #: The text of the documents, where there is a corpus.
    texts: Texts | None = None

    def judged_by(self, judgments: Judgments) -> Joined:
        """The same results beside judgments of the same pairs with less relevant text (a sample)."""
        return Joined(self.placed, judgments, self.texts)

    def __len__(self) -> int:
        return len(self.placed)

    def __repr__(self) -> str:
        return f"<{self.placed!r} beside {self.judgments!r}>"

    @cached_property
    def relevant(self) -> IntArray:
        """Relevant characters of each result, whether shown before or not."""
        near = np.flatnonzero(np.append(self.judgments.relevant_by_pair, 0)[self.pair])
        found = np.zeros(len(self), np.int64)
        found[near] = self.judgments.spans.overlap(self.pair[near], self.start[near], self.end[near])
        return found

    @cached_property
    def new_relevant(self) -> IntArray:
        """Relevant characters of each result that no better result of the topic has shown."""
        rows = self.placed.repeated
        if not len(rows):
            return self.relevant
        segments = self.placed.segments
        inside = self.judgments.spans.overlap(self.pair[rows][segments.owner], segments.start, segments.end)
        relevant = self.relevant.copy()
        relevant[rows] = owned(segments, inside, len(rows))
        return relevant

    @cached_property
    def counted(self) -> tuple[IntArray, IntArray]:
        """Characters read and relevant characters found by each result under the overlap policy."""
        size = self.placed.counted_size
        once = self.policy.overlap in {"first", "penalise"}
        return size, (self.new_relevant if once else self.relevant)

    @cached_property
    def relevant_by_article(self) -> IntArray:
        """Relevant characters that each document of `articles` has for its topic."""
        return np.append(self.judgments.relevant_by_pair, 0)[self.articles.pair]

    @cached_property
    def rankings(self) -> Rankings:
        """The documents of `articles` with their grades: 1 beside highlighted text."""
        from excerpt.model.rankings import OUTSIDE, UNJUDGED, Rankings  # here: few measures need it

        judgments, articles = self.judgments, self.articles
        given = 1 if judgments.grades is None else judgments.grades
        grade = np.where(judgments.relevant_by_pair > 0, given, 0)
        if judgments.grades is not None:
            grade[judgments.grades < 0] = UNJUDGED
        return Rankings(
            topics=judgments.topics,
            topic=articles.topic,
            grade=np.append(grade, OUTSIDE)[articles.pair],
            first=articles.first,
            judged_topic=judgments.pair_topic,
            judged_grade=grade,
            level=1,
        )

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

    # What the judgments do not change, as `Placed` explains it.

    @property
    def run(self) -> Run:
        return self.placed.run

    @property
    def policy(self) -> Policy:
        return self.placed.policy

    @property
    def topics(self) -> int:
        return len(self.placed.topics)

    @property
    def topic(self) -> IntArray:
        return self.placed.topic

    @property
    def first(self) -> IntArray:
        return self.placed.first

    @property
    def results(self) -> IntArray:
        return self.placed.results

    @property
    def pair(self) -> IntArray:
        return self.placed.pair

    @property
    def group(self) -> IntArray:
        return self.placed.group

    @property
    def start(self) -> IntArray:
        return self.placed.start

    @property
    def end(self) -> IntArray:
        return self.placed.end

    @property
    def size(self) -> IntArray:
        return self.placed.size

    @property
    def new_size(self) -> IntArray:
        return self.placed.new_size

    @property
    def read(self) -> IntArray:
        return self.placed.read

    @property
    def articles(self) -> Articles:
        return self.placed.articles

    def running(self, amount: IntArray) -> IntArray:
        return self.placed.running(amount)

    def sums(self, amount: IntArray, *, top: int | None = None) -> IntArray:
        return self.placed.sums(amount, top=top)


def _place(run: Run, judgments: Judgments, policy: Policy, notices: Notices, *, lengths: bool) -> Placed:
    """Put each result of a judged topic beside its judged document."""
    codes = np.array([judgments.topic_codes.get(topic, -1) for topic in run.topics], np.int64)
    name, given = run.source or run.name, run.topics
    notices.add_marked(
        "topic is not in the judgments; its results were left out",
        codes < 0,
        lambda row: f"topic {given[row]} of {name}",
    )
    run, topic = _on_judged_topics(run, codes)
    first = np.searchsorted(topic, np.arange(len(judgments.topics) + 1)).astype(np.int64)
    run, topic, first = _limit(run, topic, first, policy, notices)
    known = judgments.document_codes
    documents = np.fromiter(map(known.get, run.documents, repeat(-1)), np.int64, len(run.documents))
    document = documents[run.document] if len(run) else run.document
    start, end, size = spans_of(run, judgments, document, policy if lengths else None, notices)
    opens, group = distinct(topic * len(run.documents) + run.document)
    placed = Placed(
        run=run,
        policy=policy,
        topics=judgments.topics,
        topic=topic,
        first=first,
        pair=judgments.pairs(topic, document),
        group=group,
        opens=opens,
        start=start,
        end=end,
        size=size,
    )
    beyond = lengths or run.kind == "entry points" or policy.unknown == "error"
    limits = limits_of(run, judgments, document) if beyond else np.full(len(run), UNKNOWN)
    _check_bounds(placed, limits, notices)
    return placed


def _on_judged_topics(run: Run, codes: IntArray) -> tuple[Run, IntArray]:
    """The results of judged topics, in the order of the judgments' topics; and the topic of each."""
    topic = codes[run.topic] if len(run) else run.topic
    if len(topic) and (bool((topic < 0).any()) or bool((np.diff(topic) < 0).any())):
        rows = np.argsort(topic, kind="stable")
        rows = rows[topic[rows] >= 0]
        return run.take(rows), topic[rows]
    return run, topic


def _limit(
    run: Run, topic: IntArray, first: IntArray, policy: Policy, notices: Notices
) -> tuple[Run, IntArray, IntArray]:
    """The first results of each topic, as many as the policy allows."""
    counts, limit = np.diff(first), policy.limit_of(run)
    if limit is None or int(counts.max(initial=0)) <= limit:
        return run, topic, first
    notices.add(
        f"topic has more than {limit} results, the rest was cut off",
        int((counts > limit).sum()),
        where=run.source or run.name,
    )
    rows = np.flatnonzero(np.arange(len(topic)) - first[topic] < limit)
    kept = np.concatenate(([0], np.cumsum(np.minimum(counts, limit))))
    return run.take(rows), topic[rows], kept


def _check_bounds(placed: Placed, limit: IntArray, notices: Notices) -> None:
    """Count results beyond their document's end and results that do not exist, or refuse them."""
    run = placed.run
    faults = (
        (
            "result reaches beyond the end of its document, counted in full",
            (limit >= 0) & (placed.end > limit),
        ),
        (
            f"result is not in its document or the index, counted as {UNKNOWN_LENGTH} irrelevant characters",
            ~run.known & (not run.whole) & (True if run.lost is None else run.lost == 0),
        ),
    )
    for message, mask in faults if run.kind in {"spans", "entry points"} else ():
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        row = int(rows[0])
        if placed.policy.unknown == "error":
            raise FormatError(
                f"topic {placed.topics[int(placed.topic[row])]}, document {placed.document_name(row)}: "
                + message.partition(",")[0],
                path=run.source or run.name,
                line=int(run.line[row]) or None,
                hint="try ⟨unknown=count⟩, which counts it as irrelevant text",
            )
        notices.add(message, len(rows), where=run.place(row))
