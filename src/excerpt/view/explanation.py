"""Explanations of missed passages: the worst questions of a run and the reasons."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.evaluation.reading import Judged, Runs, ViewOptions, one_run, settings_of
from excerpt.evaluation.scoring import Scoring, cutoff_of
from excerpt.files import Input
from excerpt.formats.source import open_corpus
from excerpt.measures import Measure, expand
from excerpt.model.display import Showable
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.spans import FloatArray, IntArray
from excerpt.model.texts import Texts
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks
from excerpt.queries import Topic, Topics, read_topics
from excerpt.scores.score_table import ScoreTable
from excerpt.view import reasons
from excerpt.view.counterfactuals import Counterfactuals, counterfactuals_of, has_counterfactuals
from excerpt.view.library import topic_of
from excerpt.view.limitations import warn_byte_offsets
from excerpt.view.reasons import REASONS, ChunkSpans, Missed, MissedSearch, Passages, Positions, RankedResults
from excerpt.view.run_columns import MeasureReach, reach_of

if TYPE_CHECKING:
    import pandas as pd

    from excerpt.corpus import Corpus


class MissedPassage(NamedTuple):
    """A relevant passage that the run did not find completely, with its context and the reason."""

    document: str
    start: int
    end: int
    #: One of `excerpt.view.reasons.REASONS`.
    reason: str
    #: Rank of the result that completes the passage; None if no result does.
    rank: int | None
    #: Characters of the passage, and those found, both without whitespace.
    characters: int
    found: int
    text: str
    before: str = ""
    after: str = ""
    #: Number of chunks that contain a part of it, and most characters in one chunk; None without chunks.
    chunks: int | None = None
    largest: int | None = None
    #: Whether the other run found it; None without another run.
    other: bool | None = None
    #: Examined results of the document: start, end, rank.
    read: tuple[tuple[int, int, int], ...] = ()


class ReturnedResult(NamedTuple):
    """A result of a run: its span, its relevant characters, the beginning of its text."""

    rank: int
    document: str
    #: None for a result that does not occur in its document.
    start: int | None
    end: int | None
    relevant: int
    text: str


@dataclass(frozen=True)
class Failure:
    """A question with missed passages, and the results returned for it."""

    topic: str
    question: str
    group: str
    score: float | None
    #: Score of the other run.
    other: float | None
    passages: int
    missed: tuple[MissedPassage, ...]
    #: The first examined results, and the number of all examined results.
    returned: tuple[ReturnedResult, ...]
    results: int


@dataclass(frozen=True, eq=False)
class Explanation(Showable):
    """Reasons why a run missed passages: counts over all questions, and details of the worst questions."""

    run: str
    #: Name of the measure as given, its cut-off (None: no cut-off), and its mean.
    measure: str
    cutoff: int | None
    mean: float | None
    #: Over all questions: their number, those with missed passages, all passages, missed passages by reason.
    questions: int
    failing: int
    passages: int
    reasons: Mapping[str, int]
    #: The worst questions, worst first.
    worst: Sequence[Failure]
    #: The other run and its mean; numbers of passages that only it found, and that only this run found.
    other: str | None = None
    other_mean: float | None = None
    only_other: int = 0
    only_this: int = 0
    #: Full names of measures given by an alias, such as `{"recall@5": "charR@5"}`.
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Why one of the two runs beats the other, by counterfactuals; None for measures that have none.
    causes: Counterfactuals | None = None
    warnings: tuple[str, ...] = ()
    #: Texts for the context of passages, and the characters of context on each side.
    corpus: Corpus | None = field(default=None, repr=False)
    around: int = 80
    #: Missed passages printed per question (None: all); JSON and CSV have all of them.
    at_most: int | None = None

    @property
    def missed(self) -> int:
        """Number of missed passages over all questions."""
        return sum(self.reasons.values())

    def __repr__(self) -> str:
        missed = f"{self.missed} of {plural(self.passages, 'passage')} missed"
        return f"<Explanation of {self.run!r} by {self.measure}: {missed}>"

    def to_dict(self) -> dict[str, Any]:
        """Data of the JSON output."""
        compared = {
            "against": self.other,
            "against_mean": self.other_mean,
            "only_against": self.only_other,
            "only_run": self.only_this,
        }
        return {
            "run": self.run,
            "measure": self.measure,
            **({"aliases": dict(self.aliases)} if self.aliases else {}),
            "cutoff": self.cutoff,
            "mean": self.mean,
            **(compared if self.other is not None else {}),
            "counts": {
                "questions": self.questions,
                "failing": self.failing,
                "passages": self.passages,
                "missed": self.missed,
            },
            "reasons": dict(self.reasons),
            "questions": [self._question(each) for each in self.worst],
            **({} if self.causes is None else self.causes.causes_dict()),
            "warnings": list(self.warnings),
        }

    def _question(self, failure: Failure) -> dict[str, Any]:
        return {
            "topic": failure.topic,
            "text": failure.question,
            "group": failure.group,
            "score": failure.score,
            **({"against": failure.other} if self.other is not None else {}),
            "passages": failure.passages,
            "missed": [self._missed(each) for each in failure.missed],
            "returned": [each._asdict() for each in failure.returned],
            "results": failure.results,
        }

    def _missed(self, missed: MissedPassage) -> dict[str, Any]:
        omitted = {"read", *(() if self.other is not None else ("other",))}
        omitted |= set() if missed.chunks is not None else {"chunks", "largest"}
        return {name: value for name, value in missed._asdict().items() if name not in omitted}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Columns and rows: one row per missed passage of the worst questions."""
        columns = ["topic", "question", "score", "document", "start", "end", "reason", "rank"]
        columns += ["characters", "found", "text"]
        compared = self.other is not None
        rows = [
            (
                *(failure.topic, failure.question, failure.score, *missed[:5]),
                *(missed.characters, missed.found, missed.text),
                *((failure.other, missed.other) if compared else ()),
            )
            for failure in self.worst
            for missed in failure.missed
        ]
        return (*columns, *(("against", "found_against") if compared else ())), rows

    def to_pandas(self) -> pd.DataFrame:
        """Data frame with one row per missed passage of the worst questions; needs pandas."""
        import pandas as pd

        columns, rows = self.listed()
        frame = pd.DataFrame(rows, columns=list(columns))
        return frame.astype({"rank": "Int64"})


#: Characters of a result's text that are kept.
_BEGINNING = 400
#: Default measure, which ranks the questions.
DEFAULT = "recall@5"
Chunked: TypeAlias = Chunks | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Examined:
    """A run joined with the judgments, the results that its measure reads, and the passages it missed."""

    joined: Joined
    reach: MeasureReach
    missed: Missed


@dataclass(frozen=True, eq=False)
class _Explainer:
    """Inputs of an explanation; `top` results are listed per question."""

    scoring: Scoring
    corpus: Corpus
    chunks: Chunked | None
    topics: Topics | None
    top: int
    around: int

    @property
    def judgments(self) -> Judgments:
        return self.scoring.judgments

    @cached_property
    def texts(self) -> Texts:
        return Texts(self.corpus.get)

    @cached_property
    def passages(self) -> Passages:
        """All relevant passages; their queries are topics."""
        spans, pair = self.judgments.spans, self.judgments.spans.group
        document = self.judgments.pair_document[pair]
        return Passages(self.judgments.pair_topic[pair], document, spans.start, spans.end)

    @cached_property
    def counted(self) -> IntArray:
        """Numbers of the passages that contain more than whitespace."""
        positions = Positions(self.texts, self.judgments.documents)
        low, high = (positions.at(self.passages.document, offset) for offset in self.passages[2:])
        return np.flatnonzero(high > low)

    def _failure(
        self, topic: int, mine: Examined, other: Examined | None, scores: Sequence[float | None]
    ) -> Failure:
        """A question by its number, with the scores of the run and of the other run."""
        name = self.judgments.topics[topic]
        asked, gold = topic_of(name, self.judgments, self.topics), self.judgments.questions.get(name)
        rows = np.flatnonzero(self.passages.query[mine.missed.passage] == topic)
        results = int(mine.reach.results[topic])
        return Failure(
            topic=name,
            question=asked.text or asked.title,
            group="" if gold is None else gold.group,
            score=scores[0],
            other=scores[1],
            passages=int((self.passages.query[self.counted] == topic).sum()),
            missed=tuple(self._missed(row, mine, other) for row in rows.tolist()),
            returned=tuple(self._result(mine, topic, rank) for rank in range(1, 1 + min(results, self.top))),
            results=results,
        )

    def _missed(self, row: int, mine: Examined, other: Examined | None) -> MissedPassage:
        passage, reason, rank, characters, found = (int(column[row]) for column in mine.missed)
        number, start, end = (int(column[passage]) for column in self.passages[1:])
        name = self.judgments.documents[number]
        text = self.texts.read(name) or ""
        parts = None if self._chunk_spans is None else self._parts(self._chunk_spans, number, start, end)
        return MissedPassage(
            document=name,
            start=start,
            end=end,
            reason=REASONS[reason],
            rank=rank or None,
            characters=characters,
            found=found,
            text=text[start:end],
            before=text[max(start - self.around, 0) : start],
            after=text[end : end + self.around],
            chunks=None if parts is None else len(parts),
            largest=None if parts is None else max(parts.tolist(), default=0),
            other=None if other is None else passage not in other.missed.passage,
            read=self._read(mine, int(self.judgments.spans.group[passage])),
        )

    def _parts(self, chunks: ChunkSpans, number: int, start: int, end: int) -> IntArray:
        """Characters of a passage without whitespace in each chunk that contains a part of it."""
        rows = np.flatnonzero((chunks.document == number) & (chunks.start < end) & (chunks.end > start))
        low, high = np.maximum(chunks.start[rows], start), np.minimum(chunks.end[rows], end)
        counts = self.texts.count(self.judgments.documents[number], low, high)
        return counts[counts > 0]

    def _read(self, mine: Examined, pair: int) -> tuple[tuple[int, int, int], ...]:
        """Start, end and rank of the examined results of a judged document."""
        joined, topic = mine.joined, int(self.judgments.pair_topic[pair])
        first = int(joined.first[topic])
        rows = first + np.flatnonzero(joined.pair[first : first + int(mine.reach.results[topic])] == pair)
        return tuple((int(joined.start[row]), int(joined.end[row]), row - first + 1) for row in rows.tolist())

    def _result(self, mine: Examined, topic: int, rank: int) -> ReturnedResult:
        joined = mine.joined
        row = int(joined.first[topic]) + rank - 1
        name = joined.placed.document_name(row)
        if joined.run.kind != "documents" and not joined.run.known[row]:
            return ReturnedResult(rank, name, None, None, 0, "")
        start, end = int(joined.start[row]), int(joined.end[row])
        text = (self.texts.read(name) or "")[start:end]
        shown = text if len(text) <= _BEGINNING else text[:_BEGINNING] + "…"
        return ReturnedResult(rank, name, start, end, int(joined.relevant[row]), shown)

    @cached_property
    def _chunk_spans(self) -> ChunkSpans | None:
        """Spans of the chunks of judged documents, which are identified by any of their names."""
        chunks = self.chunks
        if chunks is None:
            return None
        if isinstance(chunks, str | os.PathLike):
            chunks = Chunks.read(chunks, self.corpus)
        numbers: dict[str, int] = {}
        for number, name in enumerate(self.judgments.documents):
            numbers.setdefault(self.corpus.resolve(name) or name, number)
        codes = [numbers.get(self.corpus.resolve(name) or name, -1) for name in chunks.documents]
        document = np.array([*codes, -1], np.int64)[chunks.document]
        rows = np.flatnonzero((document >= 0) & (chunks.start >= 0))
        return ChunkSpans(document[rows], chunks.start[rows], chunks.end[rows])

    def warn_foreign_results(self, joined: Joined, notices: Notices) -> None:
        """Warn about results that are not chunks: the chunks may come from another chunker."""
        if self._chunk_spans is None:
            return
        chunks = set(zip(*(column.tolist() for column in self._chunk_spans), strict=True))
        document = joined.judgments.pair_document[joined.pair]
        results = zip(document.tolist(), joined.start.tolist(), joined.end.tolist(), strict=True)
        foreign = [
            pair >= 0 and result not in chunks for pair, result in zip(joined.pair, results, strict=True)
        ]
        notices.add_marked(
            "result is not one of the chunks; was the run made from other chunks?",
            "results are not among the chunks; was the run made from other chunks?",
            np.array(foreign, np.bool_) & joined.run.known,
            joined.run.place,
        )

    def examine(self, _: Scoring, joined: Joined, notices: Notices) -> tuple[FloatArray, Examined]:
        """Scores of one run, and the passages it missed."""
        (measure,) = self.scoring.measures.values()
        scores, reach = self.scoring.scores(joined, notices), reach_of(measure, joined)
        codes = dict(self.judgments.document_codes)
        for name in joined.run.documents:
            codes.setdefault(name, len(codes))
        document = np.array([*(codes[name] for name in joined.run.documents), -1])[joined.run.document_code]
        rank = np.arange(1, len(joined) + 1) - joined.first[joined.topic]
        within = rank <= reach.results[joined.topic]
        length = joined.end - joined.start
        read = np.where(rank == reach.results[joined.topic], reach.last[joined.topic], length)
        returned = RankedResults(
            *(joined.topic, document, joined.start, joined.end, rank, within),
            until=joined.start + np.minimum(read, length),
        )
        search = MissedSearch(self.passages, returned, Positions(self.texts, tuple(codes)))
        return scores, Examined(joined, reach, search.missed(self._chunk_spans))

    def explanation(self, examined: Sequence[Examined], table: ScoreTable, worst: int | None) -> Explanation:
        """Explanation with its counts and the worst questions."""
        ((name, measure),) = self.scoring.measures.items()
        mine, other = examined[0], examined[1] if len(examined) > 1 else None
        scores = table.values[:, :, 0]  # noqa: PD011 - a table of scores, no data frame
        means = [_value(mean) for mean in table.means()[:, 0].tolist()]
        theirs = np.zeros(0, np.int64) if other is None else other.missed.passage
        topics = _worst_first(self.passages.query[mine.missed.passage], mine, table)
        return Explanation(
            run=table.runs[0],
            measure=name,
            cutoff=cutoff_of(measure),
            mean=means[0],
            questions=int(self.judgments.has_relevant.sum()),
            failing=len(topics),
            passages=len(self.counted),
            reasons=reasons.count_reasons(mine.missed.reason, chunks=self.chunks is not None),
            worst=[
                self._failure(
                    *(topic, mine, other),
                    scores=(_value(scores[0, topic]), None if other is None else _value(scores[1, topic])),
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
            around=self.around,
        )


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
    **reading: Unpack[ViewOptions],
) -> Explanation:
    """Explain why a run missed relevant passages: counts of the reasons, and the `worst` questions.

    A passage is missed if the results that the measure reads do not contain all of it; whitespace is ignored.
    `corpus` is a `Corpus`, a mapping of texts or a path. `chunks` are the chunks that the run was made from,
    or the file written by `excerpt place`. `against` is another run: questions that lose most against it come
    first, and `causes` says why one of the two beats the other. The explanation lists the first `top` results
    of each question and `around` characters of context of each passage; `worst=None` includes all questions.
    Printed text has the first `passages` missed passages of each question (None: all), the data have all.
    `topics` adds questions to the judgments.

    >>> gold, run = [("1", "A", 4, 9), ("1", "B", 0, 4)], [("1", "A", 0, 7), ("1", "A", 7, 15)]
    >>> explanation = explain(gold, run, "recall@1", corpus={"A": "One small step.", "B": "Two."})
    >>> [(each.document, each.reason, each.rank) for each in explanation.worst[0].missed]
    [('A', 'at rank k+1…n', 2), ('B', 'document not found', None)]
    """
    if not isinstance(measure, Measure | str) or len(expand([measure])) > 1:
        raise ExcerptError(f"found {short(repr(measure))} as measure, expected one measure or its name")
    if chunks is not None and not isinstance(chunks, Chunks | str | os.PathLike):
        raise ExcerptError(f"found {short(repr(chunks))} as chunks, expected Chunks or a path")
    numbers = {"worst": worst, "top": top, "around": around, "passages": passages}
    for name, value in numbers.items():
        if value is not None and not (isinstance(value, int) and value >= 0):
            raise ExcerptError(f"found {short(repr(value))} as {name}, expected a whole number of at least 0")
    opened = open_corpus(corpus, reading.get("context") or "paragraph")
    if opened is None:
        raise ExcerptError("no corpus given, so there is no text to show", hint="give ⟨corpus⟩")
    policy, read = settings_of(policy, {**reading, "corpus": opened})
    with Gathering(notices) as gathered:
        named = None if topics is None else read_topics(topics, notices=gathered)
        read = read.aimed(named, gathered)
        scoring = Scoring.of(judgments, measure, policy=policy, reading=read, notices=gathered)
        for name, chosen in scoring.measures.items():
            if not chosen.is_share:  # such a measure cannot rank questions from worst to best
                raise ExcerptError(
                    f"{name} cannot rank questions: it is not a score from 0 to 1",
                    hint="give a measure from 0 to 1, such as recall@5",
                )
        warn_byte_offsets(scoring, gathered)
        if named is not None:
            named.check(scoring.judgments.topics, gathered)
        explainer = _Explainer(scoring, opened, chunks, named, top, around)
        runs = [one_run(run), *([] if against is None else [one_run(against, "the other run")])]
        scored = [scoring.apply(explainer.examine, each) for each in runs]
        examined = [entry.value[1] for entry in scored]
        explainer.warn_foreign_results(examined[0].joined, gathered)
        table = scoring.table([entry.having(entry.value[0]) for entry in scored], gathered)
        causes = None
        if against is not None and has_counterfactuals(next(iter(scoring.measures.values()))):
            joined, scores = [one.joined for one in examined], [entry.value[0][:, 0] for entry in scored]
            causes = counterfactuals_of(scoring, joined, scores, table.runs)
            causes = replace(causes, aliases=table.aliases, at_most=worst)
        return replace(explainer.explanation(examined, table, worst), at_most=passages, causes=causes)


def _value(score: float) -> float | None:
    return None if math.isnan(score) else float(score)


def _worst_first(topic: IntArray, mine: Examined, table: ScoreTable) -> list[int]:
    """Topics sorted by their loss against the other run or by their score, then by missed characters."""
    scores = table.values[:, :, 0]  # noqa: PD011 - a table of scores, no data frame
    by = scores[0] if len(scores) == 1 else scores[0] - scores[1]
    lost = np.bincount(topic, mine.missed.characters - mine.missed.found, minlength=len(by))
    failing = np.unique(topic)
    order = np.lexsort((failing, -lost[failing], scores[0][failing], by[failing]))
    return [int(number) for number in failing[order]]
