"""Runs + judgments + measures → scores: the one loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError, MissingData
from excerpt.files import Input, is_input, read_once
from excerpt.formats import read_judgments, read_run
from excerpt.measures import Measure, Need, parse
from excerpt.model.join import join
from excerpt.model.joined import Joined
from excerpt.model.judgments import MISSING, Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Order, Run
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.quantise import adopt, registered_here

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex

#: What INEX reported for the focused task.
DEFAULT_MEASURES = ("iP[0.00]", "iP[0.01]", "iP[0.05]", "iP[0.10]", "MAiP")

_HOW_TO_SUPPLY: dict[Need, str] = {
    "element paths": "the run names none: give a run of paths, or --index INDEX to find elements by span",
    "graded elements": "the judgments have none: give assessments of elements, or --index INDEX",
    "element sizes": "the assessments do not tell them: give --index INDEX",
    "mean document length": "give --index INDEX, or say it as in BEPD(L=6000)",
    "highlights": "the judgments have graded elements only: give --index INDEX to place highlighted text",
    "spans": "the run has none: give --index INDEX for element paths, or a run with offset and length",
    "entry points": "the run has none: give --index INDEX for element paths",
    "document lengths": "the judgments lack some: give judgments that tell the size of relevant documents",
    "judged entry points": "the judgments have none: give FOL qrels with a sixth column, or INEX assessments",
}


def evaluate(
    judgments: Judgments | Input,
    runs: Iterable[Run | Input] | Run | Input,
    measures: Iterable[Measure | str] | Measure | str = DEFAULT_MEASURES,
    *,
    policy: Policy | None = None,
    index: OffsetIndex | None = None,
    order: Order | None = None,
    drop_tags: Iterable[str] = (),
    run_format: str | None = None,
    qrels_format: str | None = None,
    workers: int = 1,
    cluster: str | None = None,
    notices: Notices | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ScoreTable:
    """Score one or many runs (objects or files) against judgments (an object, a file or a folder of files).

    `drop_tags` leaves out elements of these names, as INEX 2006 did with links.
    Warnings are added to `notices` where it is given, and are all in the table.

    Runs are shared among `workers` processes, or among those of the Dask cluster at the address `cluster`;
    the scores are the same. A script that asks for several must have the usual `if __name__ == "__main__":`.

    The table's measures are named as they were given. Topics without relevant text, and under
    `Policy(only_run_topics=True)` topics without results, have no score and stay out of the means.

    >>> from excerpt.model import Judgments, Result, Run, Span
    >>> judgments = Judgments.of([("1", Span("A", 10, 50))])
    >>> run = Run.of("mine", [Result("1", "A", 0, 50)])
    >>> evaluate(judgments, [run], ["charP", "charR"]).means().tolist()
    [[0.8, 1.0]]
    """
    engine = Engine(workers, cluster)
    notices = notices if notices is not None else Notices()
    if not isinstance(judgments, Judgments):
        judgments = read_judgments(judgments, format=qrels_format, index=index, notices=notices)
    names, parsed = _measures([measures] if isinstance(measures, Measure | str) else measures)
    if any("graded elements" in measure.needs for measure in parsed):
        judgments = _with_elements(judgments, index, tuple(drop_tags), notices)
    job = _Job(judgments, names, parsed, policy or Policy(), index, order, run_format)
    if any("highlights" in measure.needs for measure in parsed):
        _notice_empty_topics(judgments, job.policy, notices)
    scored = _score_all(job, _listed(runs), engine, progress)
    for entry in scored:
        notices.extend(entry.notices)
    return ScoreTable(
        runs=distinct([(entry.name, entry.file) for entry in scored]),
        files=tuple(entry.file for entry in scored),
        topics=judgments.topics,
        measures=names,
        values=np.array([entry.scores for entry in scored]).reshape(
            len(scored), len(judgments.topics), len(names)
        ),
        warnings=tuple(notices),
    )


def _notice_empty_topics(judgments: Judgments, policy: Policy, notices: Notices) -> None:
    empty = np.flatnonzero(~judgments.has_relevant)
    if len(empty) and not policy.include_empty:
        where = f"topic {judgments.topics[int(empty[0])]}" + (
            f" of {judgments.source}" if judgments.source else ""
        )
        notices.add("topic has no relevant text and was left out of the means", len(empty), where=where)


def _with_elements(
    judgments: Judgments, index: OffsetIndex | None, dropped: tuple[str, ...], notices: Notices
) -> Judgments:
    """Highlighted text as elements where an index tells them; without the elements of some names."""
    from excerpt.index.elements import drop_tags, relevant_elements

    if index is not None and judgments.scale == "highlights" and len(judgments.spans):
        return relevant_elements(index, judgments, drop_tags=dropped, notices=notices)
    return drop_tags(judgments, dropped) if dropped else judgments


def _listed(runs: Iterable[Run | Input] | Run | Input) -> list[Run | Input]:
    """One run, or each of several: an open file is one, although it has lines."""
    if isinstance(runs, Run) or is_input(runs):
        return [runs]
    return list(cast("Iterable[Run | Input]", runs))


class _Scored(NamedTuple):
    name: str
    file: str
    scores: FloatArray
    notices: Notices


@dataclass(frozen=True)
class _Job:
    """Everything that is the same for all runs of a call."""

    judgments: Judgments
    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    policy: Policy
    index: OffsetIndex | None
    order: Order | None
    run_format: str | None

    def _notice_undefined(self, scores: FloatArray, joined: Joined, notices: Notices) -> None:
        """Count topics for which a measure of elements has nothing to find."""
        for place, (name, measure) in enumerate(zip(self.names, self.measures, strict=True)):
            if "graded elements" in measure.needs:
                left_out = np.isnan(scores[:, place]) & (joined.results > 0)
                message = f"topic has nothing to gain under {name} and was left out of its mean"
                where = f"topic {self.judgments.topics[int(np.argmax(left_out))]}"
                notices.add(message, int(left_out.sum()), where=where)

    def score(self, run: Run | Input) -> _Scored:
        notices = Notices()
        if not isinstance(run, Run):
            run = read_run(run, index=self.index, order=self.order, format=self.run_format, notices=notices)
        elif self.order:
            run = run.ordered(self.order)
        if self.index is not None and any("element paths" in measure.needs for measure in self.measures):
            from excerpt.index.elements import with_rows

            run = with_rows(run, self.index)
        check_needs(run, self.judgments, self.names, self.measures)
        joined = join(run, self.judgments, self.policy, notices)
        scores = np.stack([topic_scores(measure, joined) for measure in self.measures], axis=1)
        self._notice_undefined(scores, joined, notices)
        return _Scored(run.name, run.source, scores, notices)


def topic_scores(measure: Measure, joined: Joined) -> FloatArray:
    """Topics without anything relevant have no score (or 0), topics without results 0 (or no score)."""
    scores = measure.scores(joined)
    if "highlights" in measure.needs:
        scores = np.where(joined.judgments.has_relevant, scores, np.nan)
    if joined.policy.include_empty:
        scores = np.nan_to_num(scores)
    if joined.policy.only_run_topics:
        scores = np.where(joined.results == 0, np.nan, scores)
    return scores


def _measures(measures: Iterable[Measure | str]) -> tuple[tuple[str, ...], tuple[Measure, ...]]:
    given = list(dict.fromkeys(measures))
    if not given:
        raise ExcerptError("no measure was given", hint="excerpt measures lists them")
    return tuple(map(str, given)), tuple(parse(item) if isinstance(item, str) else item for item in given)


def check_needs(run: Run, judgments: Judgments, names: Sequence[str], measures: Sequence[Measure]) -> None:
    """An error where a run or judgments lack what a measure needs, with how to supply it."""
    has = _provided(run, judgments)
    for name, measure in zip(names, measures, strict=True):
        for need in sorted(measure.needs - has):
            of_run = need in {"spans", "entry points", "element paths"}
            where = (run.source or run.name) if of_run else judgments.source
            raise MissingData(f"{name} needs {need}; {_HOW_TO_SUPPLY[need]}", path=where or None)


def _provided(run: Run, judgments: Judgments) -> set[Need]:
    """What a run and judgments have of what measures may need."""
    has: set[Need] = set()
    if judgments.elements is None or len(judgments.spans):
        has.add("highlights")
    if run.kind in {"spans", "documents"}:
        has.add("spans")
    if run.kind != "elements":
        has.add("entry points")
    if not (judgments.pair_size[judgments.relevant_by_pair > 0] == MISSING).any():
        has.add("document lengths")
    if (judgments.pair_entry != MISSING).any():
        has.add("judged entry points")
    if run.row is not None or bool((run.element >= 0).any()) or not len(run):
        has.add("element paths")
    if judgments.elements is not None:
        has.add("graded elements")
        if not len(judgments.elements) or bool((judgments.elements.size > 0).any()):
            has.add("element sizes")
    if judgments.mean_length is not None:
        has.add("mean document length")
    return has


def distinct(named: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """Names of runs, given with their files; runs of one name get their file's name or a number."""
    names = [name for name, _ in named]
    shown: list[str] = []
    for given, file in named:
        name = given
        if names.count(name) > 1:
            name = f"{name} ({Path(file).name})"
        number, candidate = 2, name
        while candidate in shown:
            candidate, number = f"{name} #{number}", number + 1
        shown.append(candidate)
    return tuple(shown)


def _score_all(
    job: _Job, runs: list[Run | Input], engine: Engine, progress: Callable[[int, int], None] | None
) -> list[_Scored]:
    call = Call(_Job.score, job, partial(adopt, registered_here()))
    scored: list[_Scored] = []
    with engine.map(call, runs, here=stays_here) as results:
        for result in results:
            scored.append(result)
            if progress is not None:
                progress(len(scored), len(runs))
    return scored


def stays_here(run: Run | Input) -> bool:
    """Whether a run is to be read from standard input or a pipe, which other processes do not have."""
    return not isinstance(run, Run) and read_once(run)
