"""What the choice of the assessor does to the ranking of runs: tau, and the pairs of runs that turn."""

from __future__ import annotations

import glob
import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from excerpt.assess.comparing import Shared
from excerpt.assess.merging import Opinion
from excerpt.assess.procedures import Procedure
from excerpt.errors import ExcerptError, plural, short_list
from excerpt.evaluation import evaluate
from excerpt.evaluation.reading import CorpusOptions, Measures, Runs, list_runs
from excerpt.experiments.outcome import InputFile
from excerpt.files import keep_content
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.model.spans import FloatArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall

if TYPE_CHECKING:
    from excerpt.assess.campaign import Campaign
    from excerpt.pooling import PoolInput

MEASURES = ("MAiP", "iP[0.01]")
MEASURES_OF_ELEMENTS = ("MAep",)
LEFT_OUT = "the ranking of runs was left out"
#: A doubt of evaluating that is said here in another way: most topics may not be judged by both.
_OF_TOPICS = "topic has no relevant text"


def default_measures(procedure: Procedure) -> tuple[str, ...]:
    """What runs are scored by unless somebody says otherwise."""
    return MEASURES if procedure.marks else MEASURES_OF_ELEMENTS


def find_runs(campaign: Campaign) -> tuple[list[str], list[str]]:
    """The files of the runs that the pool was made from, as far as they are what they were; and the others.

    They are looked for where the pool says, then beside the campaign's folder and in the folders there.
    """
    found, missing = [], []
    for given in campaign.inputs:
        there = next((place for place in _places(campaign, given) if _is_same(place, given.sha256)), None)
        if there is not None:
            found.append(str(there))
        else:
            missing.append(given.name)
    return found, missing


def _places(campaign: Campaign, given: PoolInput) -> Iterator[Path]:
    """Where the file of a run may be; most pools know its name only."""
    if given.path:
        name, around = Path(given.path).name, Path(campaign.folder).absolute().parent
        yield from (Path(given.path), around / name)
        yield from sorted(around.glob(f"*/{glob.escape(name)}"))


def _is_same(place: Path, sha256: str) -> bool:
    try:
        return place.is_file() and InputFile.of(place).sha256 == sha256
    except (ExcerptError, OSError, ValueError):
        return False


def compare_rankings(
    shared: Sequence[Shared],
    judgments: Callable[[Sequence[Opinion]], Judgments],
    runs: Runs,
    measures: Measures,
    *,
    notices: Notices,
    policy: Policy | None = None,
    **reading: Unpack[CorpusOptions],
) -> list[dict[str, Any]]:
    """For every two assessors and measure: how alike their judgments of common pairs rank the runs.

    Means are over topics for which both found something relevant; the others are counted.
    """
    several = [keep_content(run) for run in list_runs(runs)]  # read for every two
    if len(several) < 2:
        raise ExcerptError(f"found {plural(len(several), 'run')}, expected at least 2 to rank")
    rows = []
    doubts: dict[str, None] = {}
    for two in shared:
        tables = []
        for opinions in zip(*two.opinions, strict=True):
            seen = Notices()
            made = judgments(opinions)
            tables.append(evaluate(made, several, measures, policy=policy, notices=seen, **reading))
            doubts |= dict.fromkeys(doubt for doubt in seen if not doubt.startswith(_OF_TOPICS))
        rows += _rows(two, tables[0], tables[1], notices)
    for doubt in doubts:  # every two would tell them again
        notices.add(doubt)
    return rows


def _rows(two: Shared, one: ScoreTable, other: ScoreTable, notices: Notices) -> list[dict[str, Any]]:
    rows = []
    for place, measure in enumerate(one.measures):
        first, second = _common(one, other, place)
        topics = first.shape[1]
        lost = len({opinion.pair.topic for opinion, _ in two.opinions}) - topics
        notices.add(
            f"topic has no score by both assessors and was left out of the rankings by {measure}", lost
        )
        row: dict[str, Any] = {"assessors": two.name, "measure": measure, "topics": topics}
        row |= {"runs": len(one.runs), "tau": None, "turned": 0, "pairs": []}
        if topics:
            row |= _compare(one.runs, exact_means(first), exact_means(second))
        rows.append(row)
    return rows


def _common(one: ScoreTable, other: ScoreTable, place: int) -> tuple[FloatArray, FloatArray]:
    """The scores of all runs on topics that have them on both sides."""
    topics = [topic for topic in one.topics if topic in other.topics]
    first = one.values[:, [one.topics.index(topic) for topic in topics], place]
    second = other.values[:, [other.topics.index(topic) for topic in topics], place]
    both = ~(np.isnan(first).any(axis=0) | np.isnan(second).any(axis=0))
    return first[:, both], second[:, both]


def _compare(runs: Sequence[str], first: FloatArray, second: FloatArray) -> dict[str, Any]:
    tau = kendall(first, second)
    turned = [
        [runs[i], runs[j]] if first[i] > first[j] else [runs[j], runs[i]]
        for i, j in combinations(range(len(runs)), 2)
        if (first[i] - first[j]) * (second[i] - second[j]) < 0
    ]
    return {"tau": None if math.isnan(tau) else tau, "turned": len(turned), "pairs": turned}


def told_missing(missing: Sequence[str]) -> str:
    """Why there is no ranking of runs."""
    names = short_list(missing, 4)
    return f"{LEFT_OUT}: {names} of the pool not found as they were; give the runs"
