"""`excerpt.explain`: where a run fails, and why, question by question."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, Unpack

import numpy as np

from excerpt.errors import ExcerptError, short
from excerpt.evaluation.reading import GoldOptions, Judged, Reading, Runs, one_run
from excerpt.evaluation.scoring import Scoring
from excerpt.files import Input
from excerpt.formats.source import open_corpus
from excerpt.formats.topics import Topic, Topics, read_topics
from excerpt.measures import Measure, expand
from excerpt.model.join import Joined
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray, IntArray
from excerpt.model.texts import Texts
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks
from excerpt.view.doubts import notice_bytes
from excerpt.view.explanation import Explanation
from excerpt.view.failures import Failures, Looked
from excerpt.view.ink import Ink
from excerpt.view.reaching import cutoff_of, reach_of
from excerpt.view.reasons import Pieces, Returned, count_reasons, find_missed

if TYPE_CHECKING:
    from excerpt.corpus import Corpus


#: By which questions are ordered unless the user asks for another measure.
DEFAULT = "recall@5"

Chunked: TypeAlias = Chunks | str | os.PathLike[str]


def explain(
    judgments: Judged,
    run: Runs,
    measure: Measure | str = DEFAULT,
    *,
    corpus: Any = None,
    chunks: Chunked | None = None,
    against: Runs | None = None,
    worst: int | None = 20,
    top: int = 5,
    around: int = 80,
    passages: int | None = 5,
    topics: Topics | Mapping[str, Topic | str] | Input | None = None,
    policy: Policy | None = None,
    notices: Notices | None = None,
    **reading: Unpack[GoldOptions],
) -> Explanation:
    """Why a run missed relevant passages: the reasons counted, and the `worst` questions one by one.

    A passage is missed where the results that the measure reads do not have all of it, white space not
    counted. `corpus` is a `Corpus`, what makes one, or the path of one; `chunks` are those that the run was
    made from, or the file that `excerpt place` wrote; `against` is another run: then the questions that lose
    most against it come first. Of each question the first `top` results are told, and of each passage the
    characters `around` it; `worst=None` tells all questions. What is printed has the first `passages` of
    each question (None: all), the data have all. `topics` has questions that the judgments lack.

    >>> gold, run = [("1", "A", 4, 9), ("1", "B", 0, 4)], [("1", "A", 0, 7), ("1", "A", 7, 15)]
    >>> found = explain(gold, run, "recall@1", corpus={"A": "One small step.", "B": "Two."})
    >>> [(each.document, each.reason, each.rank) for each in found.worst[0].missed]
    [('A', 'at rank k+1…n', 2), ('B', 'document not found', None)]
    """
    if not isinstance(measure, Measure | str) or len(expand([measure])) > 1:
        raise ExcerptError(f"found {short(repr(measure))} as measure, expected one measure or its name")
    if chunks is not None and not isinstance(chunks, Chunks | str | os.PathLike):
        raise ExcerptError(f"found {short(repr(chunks))} as chunks, expected Chunks or the name of a file")
    numbers = {"worst": worst, "top": top, "around": around, "passages": passages}
    for name, value in numbers.items():
        if value is not None and not (isinstance(value, int) and value >= 0):
            raise ExcerptError(f"found {short(repr(value))} as {name}, expected a whole number from 0 on")
    opened = open_corpus(corpus, reading.get("context") or "paragraph")
    if opened is None:
        raise ExcerptError("found no corpus, expected the text that offsets count in", hint="give ⟨corpus⟩")
    with Gathering(notices) as gathered:
        named = None if topics is None else read_topics(topics, notices=gathered)
        read = Reading.of(corpus=opened, **reading).aimed(named, gathered)
        scoring = Scoring.of(judgments, measure, policy=policy, reading=read, notices=gathered)
        _check(scoring.measures)
        notice_bytes(scoring, gathered)
        if named is not None:
            named.check(scoring.judgments.topics, gathered)
        failures = Failures(scoring.judgments, Texts(opened.get), named, top, around)
        work = _Work(scoring, opened, failures, chunks)
        runs = [one_run(run), *([] if against is None else [one_run(against, "the other run")])]
        scored = [scoring.apply(work.look, each) for each in runs]
        looks = [entry.value[1] for entry in scored]
        work.notice_strangers(looks[0].joined, gathered)
        table = scoring.table([entry.having(entry.value[0]) for entry in scored], gathered)
        return replace(work.explanation(looks, table, worst), at_most=passages)


@dataclass(frozen=True, eq=False)
class _Work:
    """What runs are explained by."""

    scoring: Scoring
    corpus: Corpus
    failures: Failures
    chunks: Chunked | None

    @cached_property
    def _pieces(self) -> Pieces | None:
        """The chunks of judged documents, whatever these are called."""
        chunks = self.chunks
        if chunks is None:
            return None
        if isinstance(chunks, str | os.PathLike):
            chunks = Chunks.read(chunks, self.corpus)
        numbers: dict[str, int] = {}
        for number, name in enumerate(self.scoring.judgments.documents):
            numbers.setdefault(self.corpus.resolve(name) or name, number)
        codes = [numbers.get(self.corpus.resolve(name) or name, -1) for name in chunks.documents]
        document = np.array([*codes, -1], np.int64)[chunks.document]
        rows = np.flatnonzero((document >= 0) & (chunks.start >= 0))
        return Pieces(document[rows], chunks.start[rows], chunks.end[rows])

    def notice_strangers(self, joined: Joined, notices: Notices) -> None:
        """Say how many results of a run are none of the chunks: then these are those of another chunker."""
        if self._pieces is None:
            return
        known = set(zip(*(column.tolist() for column in self._pieces), strict=True))
        document = joined.judgments.pair_document[joined.pair]
        results = zip(document.tolist(), joined.start.tolist(), joined.end.tolist(), strict=True)
        strange = [
            pair >= 0 and result not in known for pair, result in zip(joined.pair, results, strict=True)
        ]
        notices.add_marked(
            "result is none of the chunks; are they those that the run was made of?",
            np.array(strange, np.bool_) & joined.run.known,
            joined.run.place,
        )

    def look(self, _: Scoring, joined: Joined, notices: Notices) -> tuple[FloatArray, Looked]:
        """Work on one run: its scores, and what it missed."""
        (measure,) = self.scoring.measures.values()
        scores, reach = self.scoring.scores(joined, notices), reach_of(measure, joined)
        codes = dict(self.scoring.judgments.document_codes)
        for name in joined.run.documents:
            codes.setdefault(name, len(codes))
        document = np.array([*(codes[name] for name in joined.run.documents), -1])[joined.run.document]
        rank = np.arange(1, len(joined) + 1) - joined.first[joined.topic]
        within = rank <= reach.results[joined.topic]
        length = joined.end - joined.start
        read = np.where(rank == reach.results[joined.topic], reach.last[joined.topic], length)
        returned = Returned(
            *(joined.topic, document, joined.start, joined.end, rank, within),
            until=joined.start + np.minimum(read, length),
        )
        ink = Ink(self.failures.texts, tuple(codes))
        missed = find_missed(self.failures.passages, returned, ink, self._pieces)
        return scores, Looked(joined, reach, missed)

    def explanation(self, looks: Sequence[Looked], table: ScoreTable, worst: int | None) -> Explanation:
        """The counts, and the worst questions."""
        ((name, measure),) = self.scoring.measures.items()
        mine, other = looks[0], looks[1] if len(looks) > 1 else None
        scores, means = table.values[:, :, 0], [_known(mean) for mean in table.means()[:, 0].tolist()]
        passages = self.failures.passages
        theirs = np.zeros(0, np.int64) if other is None else other.missed.passage
        topics = _worst_first(passages.query[mine.missed.passage], mine, table)
        return Explanation(
            run=table.runs[0],
            measure=name,
            cutoff=cutoff_of(measure),
            mean=means[0],
            questions=int(self.scoring.judgments.has_relevant.sum()),
            failing=len(topics),
            passages=len(self.failures.counted),
            reasons=count_reasons(mine.missed.reason, chunks=self.chunks is not None),
            worst=[
                self.failures.tell(
                    *(topic, mine, other, self._pieces),
                    scores=(_known(scores[0, topic]), None if other is None else _known(scores[1, topic])),
                )
                for topic in topics[:worst]
            ],
            other=None if other is None else table.runs[1],
            other_mean=None if other is None else means[1],
            only_other=0 if other is None else len(np.setdiff1d(mine.missed.passage, theirs)),
            only_this=0 if other is None else len(np.setdiff1d(theirs, mine.missed.passage)),
            aliases=table.aliases,
            warnings=table.warnings,
            corpus=self.corpus,
            around=self.failures.around,
        )


def _check(measures: Mapping[str, Measure]) -> None:
    """An error where questions have no order from worst to best."""
    for name, measure in measures.items():
        if not measure.is_share:
            raise ExcerptError(
                f"found {name}, which is not a share, expected a measure from 0 to 1",
                hint="more or less to read is neither better nor worse",
            )


def _known(score: float) -> float | None:
    return None if math.isnan(score) else float(score)


def _worst_first(topic: IntArray, mine: Looked, table: ScoreTable) -> list[int]:
    """Topics by what they lose against the other run, or by their score; then those that miss most."""
    scores = table.values[:, :, 0]
    by = scores[0] if len(scores) == 1 else scores[0] - scores[1]
    lost = np.bincount(topic, mine.missed.characters - mine.missed.found, minlength=len(by))
    found = np.unique(topic)
    order = np.lexsort((found, -lost[found], scores[0][found], by[found]))
    return [int(number) for number in found[order]]
