"""Scores with the ceiling of a kind of units, what each run loses below it, and the ceilings of chunkers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.ceilings.arrangement import GAIN, arrange, check_measures
from excerpt.ceilings.element_choice import element_candidates
from excerpt.ceilings.units import Unit, UnitKind, candidates, overlap_of
from excerpt.engine import Engine
from excerpt.errors import ExcerptError, UnknownName, listed
from excerpt.evaluation.reading import (
    AnyTopics,
    CorpusOptions,
    GoldOptions,
    Judged,
    Measures,
    Reading,
    Runs,
    list_runs,
)
from excerpt.evaluation.scoring import Progress, Scored, Scoring, topic_scores
from excerpt.formats.source import AnyCorpus
from excerpt.measures import Measure, parse
from excerpt.model.join import Joined, join
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray, exact_means
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunkers import MEASURES, Chunkers, OtherScores, is_chunker_measure, score_chunks
from excerpt.placing.chunks import Chunks
from excerpt.scores.score_table import ScoreTable
from excerpt.scores.score_views import LOSSES

if TYPE_CHECKING:
    import os

#: A bound this near the attained score is that score: both are sums of the same quotients.
_NEAR = 1e-9


def ceiling(
    judgments: Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    unit: Unit,
    ceiling_run: str | os.PathLike[str] | None = None,
    fingerprint: bool = True,
    policy: Policy | None = None,
    workers: int = 1,
    cluster: str | None = None,
    notices: Notices | None = None,
    progress: Progress | None = None,
    **reading: Unpack[CorpusOptions],
) -> ScoreTable:
    """Scores of runs as by `evaluate`, and of the best list of units: the last row, `ceiling (UNIT)`.

    `unit` is `elements`, `paragraphs`, `sentences`, `lines`, `window:400`, `tag:sec`, `documents`,
    `chunks=FILE`, or `Chunks`. The ceiling's score is that of a list which `ceiling_run` writes. Where no
    list is known to be the best, `gaps` has the `upper` bound, which no list exceeds. `gaps` also has what
    each run loses: `lost_unit` (from 1 to the ceiling), `lost_choice` (from there to its own results in the
    best order that was found, some left out) and `lost_ranking`; together they are 1 - score.

    >>> import excerpt
    >>> corpus = excerpt.Corpus({"A": "One two.\\n\\nThree four."})
    >>> gold = excerpt.Judgments.of([("1", "A", 0, 3)])
    >>> run = excerpt.Run.of("mine", [("1", "A", 10, 21), ("1", "A", 0, 8)])
    >>> table = ceiling(gold, [run], ["charF"], unit="paragraphs", corpus=corpus)
    >>> print(table)
    run                    charF  lost_unit  lost_choice  lost_ranking
    ------------------------------------------------------------------
    mine                  0.2727     0.4545       0.0000        0.2727
    ceiling (paragraphs)  0.5455          -            -             -
    """
    if measures is None:
        raise ExcerptError("a ceiling needs measures", hint="give ⟨measures=charF⟩")
    kind, engine = UnitKind.of(unit), Engine(workers, cluster)
    with Gathering(notices) as gathered:
        scoring = Scoring.of(
            judgments, measures, policy=policy, reading=Reading.of(**reading), notices=gathered
        )
        check_measures(scoring.measures, overlapping=False)
        units = units_of(kind, scoring)
        chunked = {name: units[name] for name in units if kind.chunks is not None and name != GAIN}
        check_measures(scoring.measures, overlapping=any(map(overlap_of, chunked.values())))
        if ceiling_run is not None and len(scoring.measures) > 1:
            message = f"found {len(scoring.measures)} measures, expected one for the list of a ceiling"
            raise ExcerptError(message, hint="each measure has its own list")
        several = list_runs(runs) if runs not in ((), []) else []
        scored = list(scoring.map(_with_best, several, engine, progress)) if several else []
        best, upper, lists = attained(scoring, units, gathered)
        own = [one.having(one.value[0]) for one in scored]
        top = Scored(f"ceiling ({kind.name})", "", best, Notices(), _no_amounts(scoring))
        table = scoring.table([*own, top], gathered)
        if ceiling_run is not None:
            from excerpt.formats import write_run

            how: dict[str, Any] = {"corpus": scoring.reading.corpus, "fingerprint": fingerprint}
            by_path = lists[0].kind == "elements" and not str(ceiling_run).endswith(".jsonl")
            write_run(lists[0], ceiling_run, "path" if by_path else None, notices=Notices(), **how)
        return replace(table, gaps=_gaps(table, upper, [one.value[1] for one in scored]))


def _no_amounts(scoring: Scoring) -> Mapping[str, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """Amounts of text for a list that is as long as it should be: never short of a budget."""
    topics = len(scoring.judgments.topics)
    return {name: np.full((2, topics), 1 << 60) for name in scoring.measures}


def _with_best(scoring: Scoring, joined: Joined, notices: Notices) -> FloatArray:
    """Scores by topic and measure: as ranked, and of the run's own results in the best order."""
    scores = scoring.scores(joined, notices)
    best = scores.copy()
    for place, measure in enumerate(scoring.measures.values()):
        arranged = arrange(measure, joined, bounded=False).rows
        own = _scores_of(scoring, measure, joined.run.take(arranged))
        best[:, place] = np.fmax(scores[:, place], np.where(np.isnan(scores[:, place]), np.nan, own))
    return np.stack((scores, best))


def _scores_of(scoring: Scoring, measure: Measure, run: Run) -> FloatArray:
    """Scores by topic of a run that is read already."""
    policy, texts = scoring.policy, scoring.texts
    lengths = "spans" in measure.needs
    return topic_scores(
        measure, join(run, scoring.judgments, policy, Notices(), lengths=lengths, texts=texts)
    )


def units_of(kind: UnitKind, scoring: Scoring) -> dict[str, Run]:
    """Units by the name of the measure that has units of its own, and those of all others under no name."""
    names = {measure.name for measure in scoring.measures.values()}
    units = {}
    if names - {GAIN}:
        units[""] = candidates(kind, scoring.judgments, scoring.reading)
    if GAIN in names:
        units[GAIN] = element_candidates(kind.name, kind.takes, scoring.judgments)
    return units


def attained(
    scoring: Scoring, units: Mapping[str, Run], notices: Notices
) -> tuple[FloatArray, FloatArray, list[Run]]:
    """Scores of the best lists by topic and measure, their bounds, and the list for each measure."""
    policy = replace(scoring.policy, limit=None)
    all_joined = {
        name: join(
            scoring.read(run, notices),
            scoring.judgments,
            policy,
            Notices(),
            lengths=not name,
            texts=scoring.texts,
        )
        for name, run in units.items()
    }
    found, bounds, lists = [], [], []
    for measure in scoring.measures.values():
        joined = all_joined[GAIN if measure.name == GAIN else ""]
        arranged = arrange(measure, joined)
        run = _ranked(joined.run.take(arranged.rows))
        scores = _scores_of(scoring, measure, run)
        upper = np.where(np.isnan(scores), np.nan, arranged.upper)
        near = upper <= scores + _NEAR
        found.append(scores)
        bounds.append(np.where(near, scores, upper))
        lists.append(run)
    return np.stack(found, axis=1), np.stack(bounds, axis=1), lists


def _ranked(run: Run) -> Run:
    """Number the ranks of each topic from 1, with scores that fall."""
    first = np.searchsorted(run.topic_code, np.arange(len(run.topics)))
    rank = np.arange(len(run)) - first[run.topic_code] + 1
    return replace(run, rank=rank, score=1.0 / rank)


def _gaps(
    table: ScoreTable, upper: FloatArray, best: list[FloatArray]
) -> dict[str, dict[str, dict[str, float]]]:
    """Bounds of the ceiling, and losses of the runs, by run, key and measure."""
    means, top = table.means(), table.runs[-1]
    attained, gaps = means[-1], dict[str, dict[str, dict[str, float]]]()
    for run, scores, own in zip(table.runs, means, best, strict=False):
        chosen = exact_means(np.ascontiguousarray(own.T))
        lost = (1 - attained, attained - chosen, chosen - scores)
        gaps[run] = {
            name: dict(zip(table.measures, values.tolist(), strict=True))
            for name, values in zip(LOSSES, lost, strict=True)
        }
    return {**gaps, top: _open_bounds(table, top, upper, table.measures)}


def _open_bounds(
    table: ScoreTable, run: str, upper: FloatArray, names: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Bounds of the best list of a run by measure, where they are higher than what it attains."""
    bounds = zip(names, exact_means(np.ascontiguousarray(upper.T)).tolist(), strict=True)
    higher = {name: bound for name, bound in bounds if bound > table.mean(run, name)}
    return {"upper": higher} if higher else {}


def evaluate_chunks(
    gold: Judged,
    chunks: Chunkers,
    corpus: AnyCorpus | None = None,
    *,
    measures: Iterable[str] | str = MEASURES,
    topics: AnyTopics | None = None,
    notices: Notices | None = None,
    **reading: Unpack[GoldOptions],
) -> ScoreTable:
    """Score chunkers without a retriever: `ceiling`, `cut` and `omega` per question.

    `ceiling` is the recall if every chunk were returned. `cut` is the proportion of the relevant passages
    that no single chunk contains, ignoring whitespace. `omega` is the precision of all chunks with relevant
    text together (`omega(legacy=true)` also counts chunks that only touch it, as chunking_evaluation does).
    A measure of runs such as `recall(budget=4000)` gives the best score that any retriever reaches with these
    chunks (see `ceiling`); `gaps` has `lost_unit`, what is missing to 1, and an `upper` bound where no list
    is known to be the best.

    `gold` are judgments or a file of judgments. `chunks` are `Chunks`, a file that `excerpt place` wrote,
    several of these, or several by name. The `corpus` is used to ignore whitespace, to verify the chunks of
    files, and to match document ids of gold and chunks. `topics` has titles and questions; `only` and
    `exclude` choose topics. `tokens` is accepted, as in `evaluate`; these measures count characters.

    >>> from excerpt import Corpus, Judgments, Span
    >>> corpus = Corpus({"A": "Rain fell. The river rose."})
    >>> gold = Judgments.of([("1", Span("A", 0, 10)), ("1", Span("A", 15, 26))])
    >>> chunks = corpus.place([{"document": "A", "text": text} for text in ("Rain fell. The", "river")])
    >>> print(evaluate_chunks(gold, chunks, corpus))
    run     ceiling     cut   omega
    -------------------------------
    chunks   0.7143  0.5000  0.6000
    >>> print(evaluate_chunks(gold, chunks, corpus, measures="recall(budget=14)"))
    run     recall(budget=14)  lost_unit
    ------------------------------------
    chunks             0.6667     0.3333
    """
    names = list(dict.fromkeys(listed(measures, str, "measure", "the name of a measure of chunkers")))
    if not names:
        raise ExcerptError("no measure given", hint=f"try {', '.join(MEASURES)}")
    limits = [name for name in names if not is_chunker_measure(name) and _is_of_runs(name)]
    bounds: list[FloatArray] = []
    with Gathering(notices) as gathered:

        def ceilings(judgments: Judgments, read: Reading) -> OtherScores:
            scoring = Scoring.of(judgments, limits, reading=read, notices=gathered)
            check_measures(scoring.measures, overlapping=False)

            def of_chunks(chunked: Chunks) -> FloatArray:
                units = units_of(UnitKind.of(chunked), scoring)
                check_measures(scoring.measures, overlapping=any(map(overlap_of, units.values())))
                values, upper, _ = attained(scoring, units, Notices())
                bounds.append(upper)
                return values

            return of_chunks

        table = score_chunks(
            gold,
            chunks,
            corpus,
            measures=[name for name in names if name not in limits],
            others=limits,
            score_others=ceilings if limits else None,
            topics=topics,
            notices=gathered,
            **reading,
        )
        order = [table.measures.index(name) for name in names]
        table = replace(table, measures=tuple(names), values=table.values[:, :, order])
        gaps = {
            run: {
                "lost_unit": {name: 1 - table.mean(run, name) for name in limits},
                **_open_bounds(table, run, upper, limits),
            }
            for run, upper in zip(table.runs, bounds, strict=False)
        }
        return replace(table, gaps=gaps, warnings=tuple(gathered))


def _is_of_runs(name: str) -> bool:
    """Return whether a name is that of a measure of runs; if it is unknown it is none."""
    try:
        parse(name)
    except UnknownName:
        return False
    return True


def limits_said(table: ScoreTable) -> Iterator[str]:
    """Yield a sentence for each measure of which chunks have a ceiling: what no retriever exceeds."""
    for name in table.measures:
        limits = {
            run: gaps.get("upper", {}).get(name, table.mean(run, name))
            for run, gaps in table.gaps.items()
            if name in gaps.get("lost_unit", {})
        }
        if limits:
            best = max(limits, key=lambda run: limits[run])
            whose = (
                "these chunks" if len(limits) == 1 else f"the chunks of {best}, the best of {len(limits)},"
            )
            measure = parse(name)
            budget, unit = getattr(measure, "budget", None), getattr(measure, "cost", "characters")
            where = "" if budget is None else f" at {budget:,} {unit}"
            yield f"{name}: no retriever can get above {limits[best]:.4f} with {whose}{where}"
