"""stability topics: is the ranking of systems the same on fewer topics?

S. Pal, M. Mitra, A. Chakraborty: "Stability of INEX 2007 Evaluation Measures", Figure 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from excerpt.experiments.complete import complete_scores
from excerpt.experiments.given import Evaluating, Judged, Measures, Runs, table_of, tell
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.samples import LEVELS, check_levels, draw_topics, sample_means, summarise
from excerpt.model.scores import ScoreTable, exact_means
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall_many


def topics(
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the systems on samples of the topics; how far is that from the ranking on all topics?"""
    table = table_of(scores, runs, measures, how)
    doubts = Notices()
    values = complete_scores(table, doubts)
    levels = check_levels(levels, samples)
    drawn = {level: draw_topics(values.shape[1], level, samples, seed) for level in levels}
    rows = []
    for place, measure in enumerate(table.measures):
        by_topic = values[:, :, place]
        full = exact_means(by_topic)
        for level in levels:
            taus = kendall_many(sample_means(by_topic, drawn[level]), full)
            rows.append({"measure": measure, "level": level, **summarise(taus)})
    warnings = (*table.warnings, *tell(doubts, how))
    return Outcome(tuple(rows), record or Record("stability topics", seed), warnings)
