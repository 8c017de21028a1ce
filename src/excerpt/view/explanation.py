"""Explanations of missed passages: where a run fails, and why."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, Unpack

import numpy as np

from excerpt.errors import ExcerptError, plural, short
from excerpt.evaluation.reading import GoldOptions, Judged, Reading, Runs, one_run
from excerpt.evaluation.scoring import Scoring
from excerpt.files import Input
from excerpt.formats.source import open_corpus
from excerpt.formats.topics import Topic, Topics, read_topics
from excerpt.measures import Measure, expand
from excerpt.model.display import Showable
from excerpt.model.join import Joined
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray, IntArray
from excerpt.model.texts import Texts
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunks import Chunks
from excerpt.view.library import topic_of
from excerpt.view.limitations import notice_bytes
from excerpt.view.reasons import REASONS, Ink, Missed, Passages, Pieces, Returned, count_reasons, find_missed
from excerpt.view.run_columns import Reach, cutoff_of, reach_of

if TYPE_CHECKING:
    import pandas as pd

    from excerpt.corpus import Corpus


class MissedPassage(NamedTuple):
    """A relevant passage that was not wholly read, with its context and the reason."""

    document: str
    start: int
    end: int
    #: One of `excerpt.view.reasons.REASONS`.
    reason: str
    #: The rank at which the passage is complete at last, if it ever is.
    rank: int | None
    #: Characters that are no white space, and how many of them were read.
    characters: int
    found: int
    text: str
    before: str = ""
    after: str = ""
    #: How many chunks hold some of it, and the most characters in one; None without chunks.
    chunks: int | None = None
    largest: int | None = None
    #: Whether the other run has it; None where there is none.
    other: bool | None = None
    #: Results of the document that were read: start, end, rank.
    read: tuple[tuple[int, int, int], ...] = ()


class Instead(NamedTuple):
    """A result that was returned: where it stands, how much of it is relevant, how its text begins."""

    rank: int
    document: str
    #: None where the result stands nowhere.
    start: int | None
    end: int | None
    relevant: int
    text: str


@dataclass(frozen=True)
class Failure:
    """A question with passages that were missed, and what was returned instead."""

    topic: str
    question: str
    group: str
    score: float | None
    #: The score of the other run.
    other: float | None
    passages: int
    missed: tuple[MissedPassage, ...]
    #: The first of the results that were read, and how many were.
    returned: tuple[Instead, ...]
    results: int


@dataclass(frozen=True, eq=False)
class Explanation(Showable):
    """Why a run missed what it missed: counts over all questions, and the worst of these one by one."""

    run: str
    #: The measure by the name that was given, the rank up to which it reads (None: all), and its mean.
    measure: str
    cutoff: int | None
    mean: float | None
    #: Over all questions: how many there are and how many miss something; passages; missed ones by reason.
    questions: int
    failing: int
    passages: int
    reasons: Mapping[str, int]
    #: The worst questions, worst first.
    worst: Sequence[Failure]
    #: The other run with its mean; how many passages only it has, and how many only this run has.
    other: str | None = None
    other_mean: float | None = None
    only_other: int = 0
    only_this: int = 0
    #: What everyday names of measures stand for here, as in `{"recall@5": "charR@5"}`.
    aliases: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    #: Where the texts are, for what is shown around passages, and how much of it.
    corpus: Corpus | None = field(default=None, repr=False)
    around: int = 80
    #: How many of a question's missed passages people are shown (None: all); programs get all.
    at_most: int | None = None

    @property
    def missed(self) -> int:
        """How many passages were missed, over all questions."""
        return sum(self.reasons.values())

    def __repr__(self) -> str:
        missed = f"{self.missed} of {plural(self.passages, 'passage')} missed"
        return f"<Explanation of {self.run!r} by {self.measure}: {missed}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""
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
        left = {"read", *(() if self.other is not None else ("other",))}
        left |= set() if missed.chunks is not None else {"chunks", "largest"}
        return {name: value for name, value in missed._asdict().items() if name not in left}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row for each missed passage of the worst questions."""
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
        """One row for each missed passage of the worst questions; needs pandas."""
        import pandas as pd

        columns, rows = self.listed()
        frame = pd.DataFrame(rows, columns=list(columns))
        return frame.astype({"rank": "Int64"})

    def page(self, format_: str) -> str | None:
        """Text for people, for comments on a change and for notebooks; programs get the rows."""
        pages = {"table": "page", "markdown": "markdown", "html": "page_html"}
        return f"render.explanations:{pages[format_]}" if format_ in pages else None


#: Characters of a result that are told.
_BEGINNING = 400
#: By which questions are ordered unless the user asks for another measure.
DEFAULT = "recall@5"
Chunked: TypeAlias = Chunks | str | os.PathLike[str]


@dataclass(frozen=True, eq=False)
class Looked:
    """A run beside the judgments: how far it was read, and the passages that it missed."""

    joined: Joined
    reach: Reach
    missed: Missed


@dataclass(frozen=True, eq=False)
class _Work:
    """What runs are explained by; of a question the first `top` results are told."""

    scoring: Scoring
    corpus: Corpus
    chunks: Chunked | None
    topics: Topics | None
    top: int
    around: int

    @property
    def judgments(self) -> Judgments:
        """The judgments that runs are scored against."""
        return self.scoring.judgments

    @cached_property
    def texts(self) -> Texts:
        """The texts of the corpus."""
        return Texts(self.corpus.get)

    @cached_property
    def passages(self) -> Passages:
        """Every relevant passage once; the queries are topics."""
        spans, pair = self.judgments.spans, self.judgments.spans.group
        document = self.judgments.pair_document[pair]
        return Passages(self.judgments.pair_topic[pair], document, spans.start, spans.end)

    @cached_property
    def counted(self) -> IntArray:
        """The passages that are more than white space."""
        ink = Ink(self.texts, self.judgments.documents)
        low, high = (ink.at(self.passages.document, place) for place in self.passages[2:])
        return np.flatnonzero(high > low)

    def _failure(
        self, topic: int, mine: Looked, other: Looked | None, scores: tuple[float | None, float | None]
    ) -> Failure:
        """One question, by its number; with the scores of the run and of the other."""
        name = self.judgments.topics[topic]
        asked, known = topic_of(name, self.judgments, self.topics), self.judgments.questions.get(name)
        rows = np.flatnonzero(self.passages.query[mine.missed.passage] == topic)
        results = int(mine.reach.results[topic])
        return Failure(
            topic=name,
            question=asked.text or asked.title,
            group="" if known is None else known.group,
            score=scores[0],
            other=scores[1],
            passages=int((self.passages.query[self.counted] == topic).sum()),
            missed=tuple(self._missed(row, mine, other) for row in rows.tolist()),
            returned=tuple(self._instead(mine, topic, rank) for rank in range(1, 1 + min(results, self.top))),
            results=results,
        )

    def _missed(self, row: int, mine: Looked, other: Looked | None) -> MissedPassage:
        passage, reason, rank, characters, found = (int(column[row]) for column in mine.missed)
        number, start, end = (int(column[passage]) for column in self.passages[1:])
        name = self.judgments.documents[number]
        text = self.texts.read(name) or ""
        parts = None if self._pieces is None else self._parts(self._pieces, number, start, end)
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

    def _parts(self, pieces: Pieces, number: int, start: int, end: int) -> IntArray:
        """Characters of a passage, white space not counted, in each chunk that has some of it."""
        rows = np.flatnonzero((pieces.document == number) & (pieces.start < end) & (pieces.end > start))
        low, high = np.maximum(pieces.start[rows], start), np.minimum(pieces.end[rows], end)
        held = self.texts.count(self.judgments.documents[number], low, high)
        return held[held > 0]

    def _read(self, mine: Looked, pair: int) -> tuple[tuple[int, int, int], ...]:
        """Start, end and rank of the results of a judged document that were read."""
        joined, topic = mine.joined, int(self.judgments.pair_topic[pair])
        first = int(joined.first[topic])
        rows = first + np.flatnonzero(joined.pair[first : first + int(mine.reach.results[topic])] == pair)
        return tuple((int(joined.start[row]), int(joined.end[row]), row - first + 1) for row in rows.tolist())

    def _instead(self, mine: Looked, topic: int, rank: int) -> Instead:
        joined = mine.joined
        row = int(joined.first[topic]) + rank - 1
        name = joined.placed.document_name(row)
        if joined.run.kind != "documents" and not joined.run.known[row]:
            return Instead(rank, name, None, None, 0, "")
        start, end = int(joined.start[row]), int(joined.end[row])
        text = (self.texts.read(name) or "")[start:end]
        shown = text if len(text) <= _BEGINNING else text[:_BEGINNING] + "…"
        return Instead(rank, name, start, end, int(joined.relevant[row]), shown)

    @cached_property
    def _pieces(self) -> Pieces | None:
        """The chunks of judged documents, whatever these are called."""
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
        codes = dict(self.judgments.document_codes)
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
        missed = find_missed(self.passages, returned, Ink(self.texts, tuple(codes)), self._pieces)
        return scores, Looked(joined, reach, missed)

    def explanation(self, looks: Sequence[Looked], table: ScoreTable, worst: int | None) -> Explanation:
        """The counts, and the worst questions."""
        ((name, measure),) = self.scoring.measures.items()
        mine, other = looks[0], looks[1] if len(looks) > 1 else None
        scores = table.values[:, :, 0]  # noqa: PD011 - a table of scores, no data frame
        means = [_known(mean) for mean in table.means()[:, 0].tolist()]
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
            reasons=count_reasons(mine.missed.reason, chunks=self.chunks is not None),
            worst=[
                self._failure(
                    *(topic, mine, other),
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
        for name, asked in scoring.measures.items():
            if not asked.is_share:  # then questions have no order from worst to best
                raise ExcerptError(
                    f"found {name}, which is not a share, expected a measure from 0 to 1",
                    hint="more or less to read is neither better nor worse",
                )
        notice_bytes(scoring, gathered)
        if named is not None:
            named.check(scoring.judgments.topics, gathered)
        work = _Work(scoring, opened, chunks, named, top, around)
        runs = [one_run(run), *([] if against is None else [one_run(against, "the other run")])]
        scored = [scoring.apply(work.look, each) for each in runs]
        looks = [entry.value[1] for entry in scored]
        work.notice_strangers(looks[0].joined, gathered)
        table = scoring.table([entry.having(entry.value[0]) for entry in scored], gathered)
        return replace(work.explanation(looks, table, worst), at_most=passages)


def _known(score: float) -> float | None:
    return None if math.isnan(score) else float(score)


def _worst_first(topic: IntArray, mine: Looked, table: ScoreTable) -> list[int]:
    """Topics by what they lose against the other run, or by their score; then those that miss most."""
    scores = table.values[:, :, 0]  # noqa: PD011 - a table of scores, no data frame
    by = scores[0] if len(scores) == 1 else scores[0] - scores[1]
    lost = np.bincount(topic, mine.missed.characters - mine.missed.found, minlength=len(by))
    found = np.unique(topic)
    order = np.lexsort((found, -lost[found], scores[0][found], by[found]))
    return [int(number) for number in found[order]]
