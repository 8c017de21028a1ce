"""One topic of one run as plain data."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, MissingData, PolicyError, UnknownName, one_line, plural, short_list
from excerpt.evaluation.scoring import Scoring, topic_scores
from excerpt.formats.topics import Topic, Topics
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.view.library import topic_of

if TYPE_CHECKING:
    from excerpt.corpus import Corpus, Document


#: Relevant and retrieved, relevant only, retrieved only; `unjudged` is what was retrieved of a document that
#: nobody judged.
State: TypeAlias = Literal["hit", "missed", "vain", "unjudged"]


class Piece(NamedTuple):
    """Text from `start` to `end` in one state, with the ranks of all results that show it."""

    start: int
    end: int
    state: State
    ranks: tuple[int, ...]

    @property
    def again(self) -> bool:
        """Whether the text was retrieved more than once."""
        return len(self.ranks) > 1

    @property
    def relevant(self) -> bool:
        """Whether the text is relevant."""
        return self.state in {"hit", "missed"}


class _Edge(NamedTuple):
    """Where a stretch of text begins or ends; the rank of relevant text is 0."""

    place: int
    rank: int
    begins: bool


def pieces(
    relevant: Iterable[tuple[int, int]],
    results: Iterable[tuple[int, int, int]],
    size: int,
    *,
    judged: bool = True,
) -> list[Piece]:
    """Text that is relevant or retrieved, cut where anything changes; `results` are start, end and rank.

    What lies beyond `size` is left out, as is text that is neither.

    >>> [(piece.state, piece.start, piece.end) for piece in pieces([(0, 4)], [(2, 9, 1)], 7)]
    [('missed', 0, 2), ('hit', 2, 4), ('vain', 4, 7)]
    """
    edges = sorted([*_edges(((*span, 0) for span in relevant), size), *_edges(results, size)])
    found: list[Piece] = []
    active: list[int] = []  # ranks, ascending; 0 first
    for edge, following in pairwise([*edges, _Edge(size, 0, False)]):
        if edge.begins:
            insort(active, edge.rank)
        else:
            del active[bisect_left(active, edge.rank)]
        if active and edge.place < following.place:
            piece = _piece(edge.place, following.place, active, judged=judged)
            if found and found[-1].end == piece.start and found[-1][2:] == piece[2:]:
                piece = found.pop()._replace(end=piece.end)  # they touch and are alike
            found.append(piece)
    return found


def _edges(spans: Iterable[tuple[int, int, int]], size: int) -> Iterator[_Edge]:
    for start, end, rank in spans:
        if start < min(end, size):
            yield _Edge(start, rank, True)
            yield _Edge(min(end, size), rank, False)


def _piece(start: int, end: int, active: list[int], *, judged: bool) -> Piece:
    relevant = active[0] == 0
    ranks = tuple(dict.fromkeys(active[bisect_left(active, 1) :]))
    if relevant:
        return Piece(start, end, "hit" if ranks else "missed", ranks)
    return Piece(start, end, "vain" if judged else "unjudged", ranks)


_SHOWN = 3  # documents that a warning names
_LACKING = "the corpus does not have it"
_UNREADABLE = "it cannot be read: "
_MISSING, _BROKEN = "the corpus does not have", "the text cannot be read of"
_SHORTER = "the text of the corpus ends before judged or returned text in"


@dataclass(frozen=True)
class Look:
    """A document with what is relevant in it (start, end) and what was retrieved (start, end, rank)."""

    id: str
    judged: bool
    relevant: Sequence[tuple[int, int]]
    results: Sequence[tuple[int, int, int]]
    document: Document | None = None
    #: Why there is no text, or where it does not fit what is relevant.
    why: str = ""

    @cached_property
    def pieces(self) -> list[Piece]:
        """What is marked in the text; without a text as far as anything reaches."""
        size = self.reach if self.document is None else len(self.document.text)
        return pieces(self.relevant, self.results, size, judged=self.judged)

    @property
    def reach(self) -> int:
        """How far relevant and retrieved text reach."""
        return max([end for _, end in self.relevant] + [end for _, end, _ in self.results], default=0)

    def count(self, *states: str) -> int:
        """Characters in these states."""
        return sum(piece.end - piece.start for piece in self.pieces if piece.state in states)

    @property
    def best(self) -> int | None:
        """The best rank of a result."""
        return min((rank for _, _, rank in self.results), default=None)


@dataclass(frozen=True)
class OneTopic:
    """What was asked, how well the run did, and the documents, best rank first."""

    topic: Topic
    run: str
    judged: bool
    scores: Mapping[str, float | None]
    documents: Sequence[Look]
    #: Results of the topic, and the ranks of those that name nothing that exists.
    results: int
    nowhere: Sequence[int] = ()
    #: How many more documents were retrieved.
    left: int = 0
    #: Whether one document was asked for.
    single: bool = False
    warnings: Sequence[str] = field(default_factory=list)


def look_at(
    scoring: Scoring,
    run: Run,
    topic: str,
    document: str | None,
    *,
    corpus: Corpus,
    topics: Topics | None,
    top: int,
    notices: Notices,
) -> OneTopic:
    """The topic with the documents that have relevant text or are among the first `top` results."""
    judgments = scoring.judgments
    known = {*judgments.topics, *run.topics}
    if topic not in known:
        raise UnknownName("topic", topic, known)
    own = np.array([name == topic for name in run.topics], np.bool_)[run.topic]
    run = run.take(np.flatnonzero(own)[: scoring.policy.limit_of(run)])
    looks, nowhere = _looks(judgments, run, topic, corpus)
    chosen = _single(looks, document, corpus) if document is not None else _choose(looks, top)
    read = [_read(look, corpus) for look in chosen]
    _notice_texts(read, notices)
    scores = _scores(scoring, run, topic, notices)
    return OneTopic(
        topic=topic_of(topic, judgments, topics),
        run=run.name,
        judged=topic in judgments.topic_codes,
        scores=scores,
        documents=read,
        results=len(run),
        nowhere=nowhere,
        left=len(looks) - len(chosen) if document is None else 0,
        single=document is not None,
        warnings=list(notices),
    )


def _looks(
    judgments: Judgments, run: Run, topic: str, corpus: Corpus
) -> tuple[dict[str, Look], tuple[int, ...]]:
    """Every document of the topic by id, without text; and the ranks of results that name nothing."""
    relevant: dict[str, list[tuple[int, int]]] = {}
    code = judgments.topic_codes.get(topic)
    if code is not None:
        for number in judgments.pair_document[judgments.pair_topic == code].tolist():
            relevant[judgments.documents[number]] = []
        for document, start, end in judgments.highlights(topic):
            relevant[document].append((start, end))
    results: dict[str, list[tuple[int, int, int]]] = {}
    nowhere = []
    for rank, result in enumerate(run, 1):
        start, end = result.start, result.end
        if run.kind == "documents":
            start, end = 0, _length(corpus, result.document, relevant)
        if end < 0:
            nowhere.append(rank)
        else:
            results.setdefault(result.document, []).append((start, end, rank))
    looks = {
        name: Look(name, name in relevant, relevant.get(name, []), results.get(name, []))
        for name in [*results, *relevant]
    }
    return looks, tuple(nowhere)


def _length(corpus: Corpus, name: str, relevant: Mapping[str, Sequence[tuple[int, int]]]) -> int:
    """How long a document is, -1 where there is none; one that cannot be read has what is relevant in it."""
    if name not in corpus:
        return -1
    try:
        return corpus.length(name)
    except ExcerptError:  # said where its text is read
        return max((end for _, end in relevant.get(name, ())), default=0)


def _choose(looks: Mapping[str, Look], top: int) -> list[Look]:
    """Documents with relevant text or among the first results, best rank first; those never found last."""
    found = [look for look in looks.values() if look.relevant or (look.best or top + 1) <= top]
    return sorted(found, key=lambda look: look.best or len(looks) + 10**9)


def _single(looks: Mapping[str, Look], name: str, corpus: Corpus) -> list[Look]:
    """One document by any name that the corpus accepts."""
    if name in looks:
        return [looks[name]]
    own = corpus.resolve(name)
    if own is None:
        raise UnknownName("document", name, looks)
    same = (look for known, look in looks.items() if corpus.resolve(known) == own)
    return [next(same, Look(own, judged=False, relevant=(), results=()))]


def _read(look: Look, corpus: Corpus) -> Look:
    """A document with its text, or why the corpus has none or less than what is relevant in it."""
    if corpus.resolve(look.id) is None:
        return replace(look, why=_LACKING)
    try:
        document = corpus.document(look.id)
    except ExcerptError as error:  # broken, changed or gone; the others can be read
        return replace(look, why=f"{_UNREADABLE}{one_line(error.message.removeprefix('cannot be read: '))}")
    size, judged = len(document.text), max((end for _, end in look.relevant), default=0)
    why = f"the corpus has {size} characters of it, judged are {judged}" if judged > size else ""
    return replace(look, document=document, why=why)


def _notice_texts(looks: Iterable[Look], notices: Notices) -> None:
    """Say which documents have no text, and which have less than was judged or returned."""
    found: dict[str, list[str]] = {what: [] for what in (_MISSING, _BROKEN, _SHORTER)}
    for look in looks:
        if look.document is None:
            found[_MISSING if look.why == _LACKING else _BROKEN].append(look.id)
        elif look.reach > len(look.document.text):
            found[_SHORTER].append(look.id)
    for what, names in found.items():
        if names:
            notices.add(f"{what} {plural(len(names), 'document')}: {short_list(names, _SHOWN)}")


def _scores(scoring: Scoring, run: Run, topic: str, notices: Notices) -> dict[str, float | None]:
    """The scores of the topic; where a measure or the policy refuses the run none, and a warning why."""
    scores: dict[str, float | None] = dict.fromkeys(scoring.measures)
    code = scoring.judgments.topic_codes.get(topic)
    for name, measure in scoring.measures.items() if code is not None else ():
        try:
            joined = replace(scoring, measures={name: measure}).join(run, Notices())
            score = float(topic_scores(measure, joined)[code])
        except (PolicyError, MissingData) as error:
            if run.kind == "elements":  # without an index nothing can be placed
                raise
            notices.add(f"no {name}: {one_line(error.message)}")
            continue
        scores[name] = None if np.isnan(score) else score
    return scores


def to_dict(shown: OneTopic) -> dict[str, Any]:
    """The topic as JSON has it; pieces come with their text."""
    return {
        "topic": {
            "id": shown.topic.id,
            "title": shown.topic.title,
            "text": shown.topic.text,
            "narrative": shown.topic.narrative,
        },
        "run": shown.run,
        "scores": dict(shown.scores),
        "results": shown.results,
        "nowhere": list(shown.nowhere),
        "documents": [_document_data(look) for look in shown.documents],
        "left": shown.left,
        "warnings": list(shown.warnings),
    }


def _document_data(look: Look) -> dict[str, Any]:
    document = look.document
    return {
        "id": look.id,
        "title": document.title if document else "",
        "judged": look.judged,
        "size": len(document.text) if document else None,
        "why": look.why,
        "relevant": [list(span) for span in look.relevant],
        "results": [{"rank": rank, "start": start, "end": end} for start, end, rank in look.results],
        "pieces": [
            {
                "start": piece.start,
                "end": piece.end,
                "state": piece.state,
                "ranks": list(piece.ranks),
                "text": document.text[piece.start : piece.end] if document else None,
            }
            for piece in look.pieces
        ],
    }
