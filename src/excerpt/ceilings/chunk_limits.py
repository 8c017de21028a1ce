"""Chunkers without a retriever: measures of chunks alone, and the ceilings of measures of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Unpack

from excerpt.ceilings.arrangement import check_measures
from excerpt.ceilings.losses import attained, units_of
from excerpt.ceilings.units import UnitKind, overlap_of
from excerpt.errors import ExcerptError, UnknownName, listed
from excerpt.evaluation.reading import AnyTopics, GoldOptions, Judged, Reading
from excerpt.evaluation.scoring import Scoring
from excerpt.formats.source import AnyCorpus
from excerpt.measures import parse
from excerpt.model.judgments import Judgments
from excerpt.model.spans import FloatArray, exact_means
from excerpt.notices import Gathering, Notices
from excerpt.placing.chunkers import MEASURES, Chunkers, OtherScores, is_chunker_measure, score_chunks
from excerpt.placing.chunks import Chunks
from excerpt.scores.score_table import ScoreTable


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
        return replace(table, gaps=_gaps(table, limits, bounds), warnings=tuple(gathered))


def _is_of_runs(name: str) -> bool:
    """Return whether a name is that of a measure of runs; if it is unknown it is none."""
    try:
        parse(name)
    except UnknownName:
        return False
    return True


def _gaps(
    table: ScoreTable, names: list[str], bounds: list[FloatArray]
) -> dict[str, dict[str, dict[str, float]]]:
    """What chunks lose, and their bounds where they are higher than what a list attains."""
    gaps = {}
    for run, upper in zip(table.runs, bounds, strict=False):
        means = {name: table.mean(run, name) for name in names}
        most = dict(zip(names, exact_means(upper.T.copy()).tolist(), strict=True))
        open_ = {name: bound for name, bound in most.items() if bound > means[name]}
        lost = {"lost_unit": {name: 1 - mean for name, mean in means.items()}}
        gaps[run] = lost | ({"upper": open_} if open_ else {})
    return gaps


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
