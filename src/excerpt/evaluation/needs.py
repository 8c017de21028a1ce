"""Checks before scoring: inputs that measures need."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple, Protocol

from excerpt.errors import ExcerptError, MissingData, UnknownName, short
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, FloatArray, IntArray
from excerpt.notices import Notices


class RunTopics(Protocol):
    """A run on judged topics, by the number of its results of each."""

    @property
    def run(self) -> Run: ...
    @property
    def judgments(self) -> Judgments: ...
    @property
    def policy(self) -> Policy: ...
    @property
    def results(self) -> IntArray: ...


def warn_missing_topics(joined: RunTopics, notices: Notices, scores: FloatArray | None = None) -> None:
    """Warn about judged topics without results; they score 0 unless `scores` differ."""
    if joined.policy.only_run_topics:
        return
    judgments = joined.judgments
    missing = joined.results == 0
    if len(judgments.spans) and not joined.policy.include_empty:
        missing &= judgments.has_relevant
    zero = scores is None or not scores[missing].any()
    notices.add_marked(
        "judged topic has no results in a run" + (" and scores 0 there" if zero else ""),
        "judged topics have no results in a run" + (" and score 0 there" if zero else ""),
        missing,
        lambda topic: f"topic {judgments.topics[topic]} of {joined.run.source or joined.run.name}",
    )


class MeasureNeed(NamedTuple):
    """An input that measures may need: its owner, a test for it, what is lacking and how to supply it."""

    owner: Literal["run", "judgments"]
    provided: Callable[[Run, Judgments], bool]
    lack: str
    supply: str


def _has_sizes(_: Run, judgments: Judgments) -> bool:
    graded = judgments.elements
    return graded is not None and (not len(graded) or bool((graded.size > 0).any()))


#: Needs by name; a measure lists the names of its needs.
NEEDS = {
    "spans": MeasureNeed(
        "run",
        lambda run, _: run.kind in {"spans", "documents"},
        "the run has none",
        "give ⟨index⟩ for element paths, or a run with offset and length",
    ),
    "entry points": MeasureNeed(
        "run", lambda run, _: run.kind != "elements", "the run has none", "give ⟨index⟩ for element paths"
    ),
    "element paths": MeasureNeed(
        "run",
        lambda run, _: run.row is not None or bool((run.element >= 0).any()) or not len(run),
        "the run has none",
        "give a run with element paths, or ⟨index⟩ to look up elements by span",
    ),
    "highlights": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.elements is None or len(judgments.spans) > 0,
        "the judgments have graded elements only",
        "give judgments of text, or ⟨index⟩ to locate the passages of INEX 2005 to 2007",
    ),
    "grades of documents": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.grades is not None,
        "these are judgments of text",
        "give TREC qrels, or leave out rel",
    ),
    "probabilities": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.inclusion is not None,
        "the judgments have none",
        "give prels, rows with probability, or the pool as ⟨probabilities⟩",
    ),
    "document lengths": MeasureNeed(
        "judgments",
        lambda _, judgments: not (judgments.pair_size[judgments.relevant_by_pair > 0] == UNKNOWN).any(),
        "the judgments lack some of them",
        "give ⟨corpus⟩, or judgments with the size of every relevant document",
    ),
    "judged entry points": MeasureNeed(
        "judgments",
        lambda _, judgments: bool((judgments.pair_entry != UNKNOWN).any()),
        "the judgments have none",
        "give FOL qrels with a sixth column, or INEX assessments",
    ),
    "graded elements": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.elements is not None,
        "the judgments have none",
        "give assessments of elements, or ⟨index⟩",
    ),
    "element sizes": MeasureNeed("judgments", _has_sizes, "the assessments lack them", "give ⟨index⟩"),
    "collection size": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.collection_size is not None,
        "it is unknown",
        "give ⟨index⟩, or set it, as in inex_eval_ng(extrapolate=true, collection_size=1000000)",
    ),
    "mean document length": MeasureNeed(
        "judgments",
        lambda _, judgments: judgments.mean_length is not None,
        "it is unknown",
        "give ⟨index⟩ or ⟨corpus⟩, or set it, as in BEPD(L=6000)",
    ),
}


def check_text(
    run: Run, judgments: Judgments, measures: Iterable[tuple[str, Measure]], *, chosen: bool = False
) -> None:
    """Raise if a measure of text is used with judgments of whole documents, or a run without any text."""
    for shown, measure in measures:
        if "spans" in measure.needs and len(run) and bool(run.is_empty.all()) and not chosen:
            message, line = f"every result has length 0, but {shown} needs text", int(run.line.min()) or None
            hint = "are start and end the same column?"
            raise ExcerptError(message, path=run.source or run.name, line=line, hint=hint)
        if "spans" in measure.needs and run.kind == "spans" and not run.whole and judgments.only_documents:
            message = f"{shown} needs judgments of text, but these are of whole documents"
            hint = "give judgments of text, or use a measure of documents such as articleAP"
            raise MissingData(message, path=judgments.source or None, hint=hint)
        if measure.needs & {"spans", "entry points"} and _is_unplaced(run):
            path = run.paths[int(run.element[0])] if run.element[0] >= 0 else ""
            if path:
                fault = f"none of the run's paths (such as {short(path)}) is in the index"
                hint = "was the index made from the same corpus?"
            else:
                from excerpt.records.record import nowhere

                fault = "found offset X or -1 in every result"
                hint = nowhere(-1)
            raise MissingData(f"{fault}, but {shown} needs text", path=run.source, hint=hint)


def _is_unplaced(run: Run) -> bool:
    """Return whether no result of a file is located or known to be lost; runs of Python are not checked."""
    placed = run.kind in {"spans", "entry points"} and not run.whole
    return placed and len(run) > 0 and bool(run.source) and not run.known.any() and run.text.lost is None


def nothing_relevant(judgments: Judgments) -> bool:
    """Return whether no document, text or element is relevant for any topic."""
    graded = judgments.elements
    if graded is None or judgments.has_relevant.any():
        return not judgments.has_relevant.any()
    grades = graded.relevant if judgments.scale == "highlights" else graded.exhaustivity
    return not grades.any()


#: Measures for a run that has only entry points.
_FOR_POINTS = "entry points are scored by MAgP(score=BEP) and BEPD, their documents by AP or articleR"


def check_needs(run: Run, judgments: Judgments, measures: Iterable[tuple[str, Measure]]) -> None:
    """Raise if a run or judgments lack an input that a measure needs, and suggest how to supply it."""
    has = {name for name, need in NEEDS.items() if need.provided(run, judgments)}
    for shown, measure in measures:
        for name in sorted(measure.needs - has):
            if name not in NEEDS:
                raise UnknownName(f"need of {shown}", name, NEEDS)
            need = NEEDS[name]
            where = (run.source or run.name) if need.owner == "run" else judgments.source
            if need.owner == "judgments" and nothing_relevant(judgments):
                message = f"{shown} needs {name}, but the judgments have nothing relevant"
                raise MissingData(message, path=where or None, hint="are these the right judgments?")
            supply = _FOR_POINTS if name == "spans" and run.kind == "entry points" else need.supply
            raise MissingData(f"{shown} needs {name}, but {need.lack}", path=where or None, hint=supply)
