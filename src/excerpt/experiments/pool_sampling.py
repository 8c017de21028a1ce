"""stability pool: is the ranking of systems the same with fewer relevant passages?

S. Pal, M. Mitra, A. Chakraborty: "Stability of INEX 2007 Evaluation Measures", Figure 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from excerpt.errors import ExcerptError
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.samples import LEVELS, check_levels, draw_passages, passages_of, summarise
from excerpt.experiments.study import Evaluating, Study, tell
from excerpt.model.judgments import Judgments
from excerpt.model.scores import exact_means
from excerpt.model.spans import BoolArray, FloatArray
from excerpt.notices import Notices
from excerpt.stats.correlation import kendall_many


def pool(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = 10,
    seed: int = 1,
    record: Record | None = None,
    **how: Unpack[Evaluating],
) -> Outcome:
    """Rank the systems on samples of the relevant passages; how far is that from the full ranking?

    Per topic `level` per cent of the passages are drawn without replacement; topics with fewer than `least`
    passages are left out on both sides. A row has Kendall's tau-b of each sample, their mean and its standard
    error.
    """
    study = Study.of(judgments, runs, measures, **how)
    drawn = Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores = study.scores(drawn.masks)
    return drawn.outcome(study, names, scores, record, how)


@dataclass(frozen=True)
class Pools:
    """Samples of the relevant passages, before any run is read."""

    levels: tuple[int, ...]
    samples: int
    least: int
    seed: int
    #: The topics with enough passages.
    chosen: BoolArray
    #: All passages, then the samples, level by level.
    masks: BoolArray

    @classmethod
    def draw(cls, judgments: Judgments, levels: Sequence[int], samples: int, least: int, seed: int) -> Pools:
        """Choose the passages of each sample."""
        levels = check_levels(levels, samples)
        topic, passages = passages_of(judgments)
        chosen = passages >= least
        if not chosen.any():
            raise ExcerptError(
                f"found no topic with {least} relevant passages, expected some", hint="try ⟨least=1⟩"
            )
        masks = [np.ones(len(topic), np.bool_)]
        masks += [
            draw_passages(judgments, level, (seed, number)) for level in levels for number in range(samples)
        ]
        return cls(levels, samples, least, seed, chosen, np.array(masks))

    def outcome(
        self,
        study: Study,
        names: tuple[str, ...],
        scores: FloatArray,
        record: Record | None,
        how: Evaluating,
    ) -> Outcome:
        """Rows from the scores of the runs in each sample."""
        means = exact_means(np.moveaxis(scores[:, :, self.chosen], -2, -1))
        rows = []
        for place, measure in enumerate(study.measures):
            taus = kendall_many(means[1:, :, place], means[0, :, place])
            rows += [
                {"measure": measure, "level": level, **summarise(tau)}
                for level, tau in zip(self.levels, taus.reshape(-1, self.samples), strict=True)
            ]
        left_out = int((~self.chosen & study.judgments.has_relevant).sum())
        doubts = Notices()
        doubts.add(f"topic with fewer than {self.least} relevant passages was left out", left_out)
        return Outcome(
            tuple(rows),
            record or Record("stability pool", self.seed),
            tell(doubts, how, study.notices),
            {"runs": names, "means": means},
        )
