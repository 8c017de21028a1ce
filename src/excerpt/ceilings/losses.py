"""Scores with the ceiling of a kind of units, and what each run loses by unit, choice and ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.ceilings.arrangement import GAIN, arrange, check_measures
from excerpt.ceilings.element_choice import element_candidates
from excerpt.ceilings.units import Unit, UnitKind, candidates, overlap_of
from excerpt.engine import Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation.reading import CorpusOptions, Judged, Measures, Reading, Runs, list_runs
from excerpt.evaluation.scoring import Progress, Scored, Scoring, topic_scores
from excerpt.measures import Measure
from excerpt.model.join import Joined, join
from excerpt.model.policy import Policy
from excerpt.model.run import Run
from excerpt.model.spans import FloatArray, exact_means
from excerpt.notices import Gathering, Notices
from excerpt.scores.score_table import ScoreTable

if TYPE_CHECKING:
    import os

#: A bound this near the attained score is that score: both are sums of the same quotients.
_NEAR = 1e-9
_CHUNKS = "chunks="


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
        listed = list_runs(runs) if runs not in ((), []) else []
        scored = list(scoring.map(_with_best, listed, engine, progress)) if listed else []
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
    means, bounds = table.means(), exact_means(np.ascontiguousarray(upper.T))
    attained, gaps = means[-1], dict[str, dict[str, dict[str, float]]]()

    def named(values: FloatArray) -> dict[str, float]:
        return dict(zip(table.measures, values.tolist(), strict=True))

    for run, scores, own in zip(table.runs, means, best, strict=False):
        chosen = exact_means(np.ascontiguousarray(own.T))
        lost = (1 - attained, attained - chosen, chosen - scores)
        gaps[run] = dict(zip(("lost_unit", "lost_choice", "lost_ranking"), map(named, lost), strict=True))
    open_ = {name: bound for name, bound in named(bounds).items() if bound > table.mean(table.runs[-1], name)}
    gaps[table.runs[-1]] = {"upper": open_} if open_ else {}
    return gaps
