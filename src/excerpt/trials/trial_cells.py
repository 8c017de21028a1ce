"""Cells of a trial: what one chunker and one retriever give on one rendering of the documents."""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from excerpt import __version__
from excerpt.ceilings.losses import ceiling
from excerpt.errors import ExcerptError, short, short_list
from excerpt.evaluation.reading import Judged, Reading
from excerpt.files import display_name, is_input
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.placing.chunks import Chunks
from excerpt.scores.provenance import made_with
from excerpt.trials.chunker_settings import Chunker, slug
from excerpt.trials.retriever_settings import Retriever
from excerpt.trials.user_code import reason_of

if TYPE_CHECKING:
    from excerpt.corpus import Corpus

#: Results are kept until their text fills the budget so many times: curves go on behind the budget.
REACH = 4
#: Characters of chunks that are kept for further retrievers.
_KEPT = 100_000_000


@dataclass(frozen=True, eq=False)
class Rendering:
    """Documents as one parser reads them, with the gold placed in them."""

    name: str
    corpus: Corpus
    judgments: Judgments

    @classmethod
    def of(cls, name: str, corpus: Corpus, gold: Judged, notices: Notices, **how: Any) -> Rendering:
        """Place gold in documents; raise an error if no question is about one, or has no text."""
        judgments = Reading.of(corpus=corpus, **how).judgments(gold, notices)
        shown = display_name(gold) if is_input(gold) else "gold"
        known = [corpus.resolve(document) is not None for document in judgments.documents]
        if not any(known) or not len(judgments.topics):
            message = f"no question of {short(shown)} is about a document of {short(name)}"
            named = short_list(judgments.documents, 3) or "no documents"
            raise ExcerptError(
                f"{message}, which has {short_list(itertools.islice(corpus, 4), 3)} (found {named})"
            )
        if not any(question.text for question in judgments.questions.values()):
            message = f"{short(shown)} has no questions, which retrievers need"
            raise ExcerptError(message, hint="rows of gold have question, document and quote")
        return cls(name, corpus, judgments)

    @cached_property
    def questions(self) -> dict[str, str]:
        """Text of each question, by topic."""
        own = self.judgments.questions
        return {topic: own[topic].text for topic in self.judgments.topics if topic in own and own[topic].text}

    @cached_property
    def identity(self) -> str:
        """Hash of the documents, of what the judgments mean in them, and of the questions."""
        made = made_with(self.judgments, {}, policy={}, limit=None, without_white_space=False)
        parts = (self.corpus.fingerprint(), made["judgments"], self.questions)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class TrialCell(NamedTuple):
    """A rendering, a chunker and a retriever, with the name of their run."""

    rendering: Rendering
    chunker: Chunker
    retriever: Retriever
    run: str
    budget: int

    @property
    def key(self) -> str | None:
        """What the result of the cell depends on; None if that cannot be known."""
        if self.chunker.identity is None or self.retriever.identity is None:
            return None
        chunker, retriever = self.chunker, self.retriever
        settings = [
            *(chunker.name, chunker.setting, chunker.identity, self.run, self.budget),
            *(retriever.name, retriever.setting, retriever.identity),
            *(__version__, self.rendering.identity),
        ]
        return hashlib.sha256(json.dumps(settings).encode()).hexdigest()


class CellFacts(NamedTuple):
    """What is known of a cell besides its run."""

    chunks: int
    #: Share of the text that is in no chunk.
    lost: float
    ceiling: float
    #: What no list of these chunks can exceed, which the ceiling may be below.
    upper: float
    #: Mean characters that are read within the budget.
    read: float
    seconds: float


class CellResult(NamedTuple):
    """The outcome of a cell: a run with facts, or why there is none."""

    cell: TrialCell
    run: Run | str | None = None
    facts: CellFacts | None = None
    error: str = ""


def grid(
    renderings: Sequence[Rendering], chunkers: Sequence[Chunker], retrievers: Sequence[Retriever], budget: int
) -> list[TrialCell]:
    """All cells in a fair order: until each level was tried once, the next cell has a level that was not."""
    sides = (renderings, chunkers, retrievers)
    places = [tuple(at % len(side) for side in sides) for at in range(max(map(len, sides)))]
    places += itertools.product(*(range(len(side)) for side in sides))
    several, taken, cells = len(renderings) > 1, set[str](), list[TrialCell]()
    for one, two, three in dict.fromkeys(places):
        rendering, chunker, retriever = renderings[one], chunkers[two], retrievers[three]
        words = ([slug(rendering.name)] if several else []) + [slug(chunker.name), slug(retriever.name)]
        name = base = "-".join(words)
        for number in itertools.count(2):
            if name.casefold() not in taken:
                break
            name = f"{base}-{number}"
        taken.add(name.casefold())
        cells.append(TrialCell(rendering, chunker, retriever, name, budget))
    return cells


class CutChunks(NamedTuple):
    """Chunks of a chunker with what is known of them, or why there are none."""

    chunks: Chunks | None = None
    lost: float = 0.0
    ceiling: float = 0.0
    upper: float = 0.0
    seconds: float = 0.0
    error: str = ""


class Kitchen:
    """Cells that are computed: chunks are cut once for all retrievers, as long as there is room."""

    def __init__(self, measure: str) -> None:
        self._measure = measure
        self._cut: dict[tuple[str, str], CutChunks] = {}

    def result(self, cell: TrialCell) -> CellResult:
        """Cut, retrieve, and count; an error of a chunker or a retriever is the result of its cell."""
        cut = self._chunks(cell)
        if cut.chunks is None:
            return CellResult(cell, error=cut.error)
        begin = time.perf_counter()
        try:
            run = cell.retriever.run(
                cut.chunks, cell.rendering.questions, name=cell.run, budget=REACH * cell.budget
            )
        except Exception as error:  # noqa: BLE001 - code of a library
            return CellResult(cell, error=f"retriever {cell.retriever.name}: {reason_of(error)}")
        seconds = cut.seconds + time.perf_counter() - begin
        read = _read(run, cell.budget, len(cell.rendering.judgments.topics))
        facts = CellFacts(len(cut.chunks), cut.lost, cut.ceiling, cut.upper, read, round(seconds, 3))
        return CellResult(cell, run, facts)

    def _chunks(self, cell: TrialCell) -> CutChunks:
        place = (cell.rendering.name, cell.chunker.name)
        if place not in self._cut:
            kept = sum(int(one.chunks.lengths.sum()) for one in self._cut.values() if one.chunks is not None)
            if kept > _KEPT:
                self._cut.clear()
            self._cut[place] = self._made(cell)
        return self._cut[place]

    def _made(self, cell: TrialCell) -> CutChunks:
        begin = time.perf_counter()
        try:
            chunks = cell.chunker.cut(cell.rendering.corpus)
        except Exception as error:  # noqa: BLE001 - code of a library
            return CutChunks(error=f"chunker {cell.chunker.name}: {reason_of(error)}")
        seconds = time.perf_counter() - begin
        part, whole = chunks.seen
        best, upper = self._ceiling(cell.rendering, chunks)
        return CutChunks(chunks, (whole - part) / whole if whole else 0.0, best, upper, seconds)

    def _ceiling(self, rendering: Rendering, chunks: Chunks) -> tuple[float, float]:
        """Best recall within the budget that a list of these chunks reaches, and a bound of it."""
        judgments, corpus = rendering.judgments, rendering.corpus
        table = ceiling(judgments, (), [self._measure], unit=chunks, corpus=corpus, notices=Notices())
        best = table.mean(table.runs[-1], self._measure)
        return best, table.gaps[table.runs[-1]].get("upper", {}).get(self._measure, best)


def _read(run: Run, budget: int, topics: int) -> float:
    """Mean characters that are read until the budget is full."""
    costs = run.text.costs.get("characters", run.end - run.start)
    by_topic = np.bincount(run.topic_code, weights=costs, minlength=len(run.topics))
    return float(np.minimum(by_topic, budget).sum() / max(topics, 1))
