"""Documents of one topic of one run, with relevant and retrieved text."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, MissingData, PolicyError, UnknownName, one_line, short_list
from excerpt.evaluation.scoring import Scoring, topic_scores
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.queries import Topic, Topics
from excerpt.view.library import topic_of

if TYPE_CHECKING:
    from excerpt.corpus import Corpus, Document


#: Relevant and retrieved; only relevant; retrieved, not relevant; retrieved from an unjudged document.
PieceState: TypeAlias = Literal["hit", "missed", "vain", "unjudged"]


class TextPiece(NamedTuple):
    """Text from `start` to `end` in one state, with the ranks of all results that contain it."""

    start: int
    end: int
    state: PieceState
    ranks: tuple[int, ...]

    @property
    def again(self) -> bool:
        """Return whether the text was retrieved more than once."""
        return len(self.ranks) > 1

    @property
    def relevant(self) -> bool:
        """Return whether the text is relevant."""
        return self.state in {"hit", "missed"}


class _Edge(NamedTuple):
    """Start or end of relevant text (rank 0) or of a result."""

    offset: int
    rank: int
    begins: bool


def pieces(
    relevant: Iterable[tuple[int, int]],
    results: Iterable[tuple[int, int, int]],
    size: int,
    *,
    judged: bool = True,
) -> list[TextPiece]:
    """Relevant or retrieved text, split wherever its state changes; `results` are start, end and rank.

    Text beyond `size` is left out.

    >>> [(piece.state, piece.start, piece.end) for piece in pieces([(0, 4)], [(2, 9, 1)], 7)]
    [('missed', 0, 2), ('hit', 2, 4), ('vain', 4, 7)]
    """
    edges = sorted([*_edges(((*span, 0) for span in relevant), size), *_edges(results, size)])
    merged: list[TextPiece] = []
    active: list[int] = []  # ranks, ascending; 0 first
    for edge, following in pairwise([*edges, _Edge(size, 0, False)]):
        if edge.begins:
            insort(active, edge.rank)
        else:
            del active[bisect_left(active, edge.rank)]
        if active and edge.offset < following.offset:
            piece = _piece(edge.offset, following.offset, active, judged=judged)
            if merged and merged[-1].end == piece.start and merged[-1][2:] == piece[2:]:
                piece = merged.pop()._replace(end=piece.end)  # adjacent and in the same state
            merged.append(piece)
    return merged


def _edges(spans: Iterable[tuple[int, int, int]], size: int) -> Iterator[_Edge]:
    for start, end, rank in spans:
        if start < min(end, size):
            yield _Edge(start, rank, True)
            yield _Edge(min(end, size), rank, False)


def _piece(start: int, end: int, active: list[int], *, judged: bool) -> TextPiece:
    relevant = active[0] == 0
    ranks = tuple(dict.fromkeys(active[bisect_left(active, 1) :]))
    if relevant:
        return TextPiece(start, end, "hit" if ranks else "missed", ranks)
    return TextPiece(start, end, "vain" if judged else "unjudged", ranks)


_SHOWN = 3  # documents that a warning names
_LACKING = "the corpus does not contain it"
_UNREADABLE = "it cannot be read: "
_MISSING = "document is not in the corpus", "documents are not in the corpus"
_BROKEN = "document cannot be read", "documents cannot be read"
_SHORTER = "document ends before judged or returned text", "documents end before judged or returned text"


@dataclass(frozen=True)
class DocumentView:
    """A document with its relevant spans (start, end) and its results (start, end, rank)."""

    id: str
    judged: bool
    relevant: Sequence[tuple[int, int]]
    results: Sequence[tuple[int, int, int]]
    document: Document | None = None
    #: Reason why there is no text, or why it does not fit the relevant spans.
    why: str = ""

    @cached_property
    def pieces(self) -> list[TextPiece]:
        """Marked text; without a text, up to the last relevant or retrieved character."""
        size = self.reach if self.document is None else len(self.document.text)
        return pieces(self.relevant, self.results, size, judged=self.judged)

    @property
    def reach(self) -> int:
        """Largest end of relevant and retrieved text."""
        return max([end for _, end in self.relevant] + [end for _, end, _ in self.results], default=0)

    def count(self, *states: str) -> int:
        """Number of characters in these states."""
        return sum(piece.end - piece.start for piece in self.pieces if piece.state in states)

    @property
    def best(self) -> int | None:
        """Best rank of a result; None without results."""
        return min((rank for _, _, rank in self.results), default=None)


@dataclass(frozen=True)
class OneTopic:
    """A topic with the scores of a run, and its documents, best rank first."""

    topic: Topic
    run: str
    judged: bool
    scores: Mapping[str, float | None]
    documents: Sequence[DocumentView]
    #: Number of results of the topic, and ranks of results whose document or span does not exist.
    results: int
    nowhere: Sequence[int] = ()
    #: Number of documents that are not shown.
    left: int = 0
    #: Whether only one document is shown.
    single: bool = False
    warnings: Sequence[str] = field(default_factory=list)


def view_topic(
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
    """The topic with its documents: those with relevant text or among the first `top` results."""
    judgments = scoring.judgments
    names = {*judgments.topics, *run.topics}
    if topic not in names:
        raise UnknownName("topic", topic, names)
    own = np.array([name == topic for name in run.topics], np.bool_)[run.topic_code]
    run = run.take(np.flatnonzero(own)[: scoring.policy.limit_of(run)])
    views, nowhere = _document_views(judgments, run, topic, corpus)
    chosen = _single(views, document, corpus) if document is not None else _choose(views, top)
    read = [_read(view, corpus) for view in chosen]
    _warn_missing_texts(read, notices)
    scores = _scores(scoring, run, topic, notices)
    return OneTopic(
        topic=topic_of(topic, judgments, topics),
        run=run.name,
        judged=topic in judgments.topic_codes,
        scores=scores,
        documents=read,
        results=len(run),
        nowhere=nowhere,
        left=len(views) - len(chosen) if document is None else 0,
        single=document is not None,
        warnings=list(notices),
    )


def _document_views(
    judgments: Judgments, run: Run, topic: str, corpus: Corpus
) -> tuple[dict[str, DocumentView], tuple[int, ...]]:
    """All documents of the topic by id, without text; and the ranks of unplaced results."""
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
    views = {
        name: DocumentView(name, name in relevant, relevant.get(name, []), results.get(name, []))
        for name in [*results, *relevant]
    }
    return views, tuple(nowhere)


def _length(corpus: Corpus, name: str, relevant: Mapping[str, Sequence[tuple[int, int]]]) -> int:
    """Length of a document, -1 if it is missing; the last relevant offset if it cannot be read."""
    if name not in corpus:
        return -1
    try:
        return corpus.length(name)
    except ExcerptError:  # reported when its text is read
        return max((end for _, end in relevant.get(name, ())), default=0)


def _choose(views: Mapping[str, DocumentView], top: int) -> list[DocumentView]:
    """Documents with relevant text or among the first results, best rank first, those not retrieved last."""
    chosen = [view for view in views.values() if view.relevant or (view.best or top + 1) <= top]
    return sorted(chosen, key=lambda view: view.best or len(views) + 10**9)


def _single(views: Mapping[str, DocumentView], name: str, corpus: Corpus) -> list[DocumentView]:
    """One document by any of its names in the corpus."""
    if name in views:
        return [views[name]]
    own = corpus.resolve(name)
    if own is None:
        raise UnknownName("document", name, views)
    same = (view for other, view in views.items() if corpus.resolve(other) == own)
    return [next(same, DocumentView(own, judged=False, relevant=(), results=()))]


def _read(view: DocumentView, corpus: Corpus) -> DocumentView:
    """A document with its text, or the reason why there is none or why it is too short."""
    if corpus.resolve(view.id) is None:
        return replace(view, why=_LACKING)
    try:
        document = corpus.document(view.id)
    except ExcerptError as error:  # broken, changed or deleted; other documents can be read
        return replace(view, why=f"{_UNREADABLE}{one_line(error.message.removeprefix('cannot be read: '))}")
    size, judged = len(document.text), max((end for _, end in view.relevant), default=0)
    why = f"it has {size} characters, but judged text ends at {judged}" if judged > size else ""
    return replace(view, document=document, why=why)


def _warn_missing_texts(views: Iterable[DocumentView], notices: Notices) -> None:
    """Warn about documents without text, and about texts that end before judged or returned text."""
    warned: dict[tuple[str, str], list[str]] = {what: [] for what in (_MISSING, _BROKEN, _SHORTER)}
    for view in views:
        if view.document is None:
            warned[_MISSING if view.why == _LACKING else _BROKEN].append(view.id)
        elif view.reach > len(view.document.text):
            warned[_SHORTER].append(view.id)
    for (one, many), names in warned.items():
        notices.add(one, many, len(names), where=short_list(names, _SHOWN))


def _scores(scoring: Scoring, run: Run, topic: str, notices: Notices) -> dict[str, float | None]:
    """Scores of the topic; None with a warning if a measure or the policy rejects the run."""
    scores: dict[str, float | None] = dict.fromkeys(scoring.measures)
    code = scoring.judgments.topic_codes.get(topic)
    for name, measure in scoring.measures.items() if code is not None else ():
        try:
            joined = replace(scoring, measures={name: measure}).join(run, Notices())
            score = float(topic_scores(measure, joined)[code])
        except (PolicyError, MissingData) as error:
            if run.kind == "elements":  # element paths have no offsets without an index
                raise
            notices.add(f"no {name}: {one_line(error.message)}")
            continue
        scores[name] = None if np.isnan(score) else score
    return scores


def to_dict(shown: OneTopic) -> dict[str, Any]:
    """Data of the JSON output; `pieces` include their text, and `unplaced` is an alias of `nowhere`."""
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
        "unplaced": list(shown.nowhere),
        "documents": [_document_data(view) for view in shown.documents],
        "left": shown.left,
        "warnings": list(shown.warnings),
    }


def _document_data(view: DocumentView) -> dict[str, Any]:
    document = view.document
    return {
        "id": view.id,
        "title": document.title if document else "",
        "judged": view.judged,
        "size": len(document.text) if document else None,
        "why": view.why,
        "relevant": [list(span) for span in view.relevant],
        "results": [{"rank": rank, "start": start, "end": end} for start, end, rank in view.results],
        "pieces": [
            {
                **piece._asdict(),
                "ranks": list(piece.ranks),
                "text": document.text[piece.start : piece.end] if document else None,
            }
            for piece in view.pieces
        ],
    }
