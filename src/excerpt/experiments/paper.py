"""The study of the paper: pool sampling, topic sampling and error rates from one reading of the runs.

S. Pal, M. Mitra, A. Chakraborty: "Stability of INEX 2007 Evaluation Measures".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Unpack

from excerpt.errors import UnknownName
from excerpt.evaluation.reading import Judged, Measures, Runs
from excerpt.experiments.options import Options
from excerpt.experiments.outcome import Outcome, Record
from excerpt.experiments.pool_sampling import Pools
from excerpt.experiments.samples import LEVELS
from excerpt.experiments.study import Evaluating, Study
from excerpt.experiments.table import EXPERIMENTS
from excerpt.experiments.topic_sampling import check_errors, errors, topics
from excerpt.model.scores import ScoreTable
from excerpt.notices import Notices


def stability(
    experiment: str,
    scores: ScoreTable | Judged,
    runs: Runs = (),
    measures: Measures | None = None,
    **options: Any,
) -> Outcome:
    """One of the experiments by its name: `pool`, `topics`, `errors`, `depth` or `unpooled`.

    `options` are those of the experiment's own function, and of `evaluate`. A table of scores is enough for
    `topics` and `errors`; the others need judgments and runs.

    >>> table = ScoreTable.from_scores({(run, t, "P"): len(run) / 9 for run in ("a", "bb") for t in "123"})
    >>> stability("topics", table, levels=(50,), samples=3).rows[0]["mean"]
    1.0
    """
    known = {name.split()[1]: name for name in EXPERIMENTS if name.startswith("stability ")}
    if experiment not in known:
        raise UnknownName("experiment", experiment, known)
    entry = EXPERIMENTS[known[experiment]]
    kind: type[Options] = entry.load("options")
    own = {item.name: options[item.name] for item in fields(kind) if item.name in options}
    checked = {name: getattr(kind.of(own), name) for name in own}
    outcome: Outcome = entry.load("function")(scores, runs, measures, **options | checked)
    return outcome


def whole_study(
    judgments: Judged,
    runs: Runs,
    measures: Measures | None = None,
    *,
    levels: Sequence[int] = LEVELS,
    samples: int = 10,
    least: int = 10,
    fuzziness: float = 0.05,
    absolute: bool = False,
    disjoint: bool = False,
    seed: int = 1,
    records: Mapping[str, Record] | None = None,
    **how: Unpack[Evaluating],
) -> dict[str, Outcome]:
    """The outcomes of `pool`, `topics` and `errors`, by name; each run is read and joined once."""
    check_errors(samples, fuzziness, disjoint=disjoint)  # before hours of reading, not after
    study = Study.of(judgments, runs, measures, **how)
    drawn = Pools.draw(study.judgments, levels, samples, least, seed)
    names, scores, table = study.scores_and_table(drawn.masks)
    kept = records or {}
    same: dict[str, Any] = {"levels": levels, "samples": samples, "seed": seed, "notices": Notices()}
    fuzzy: dict[str, Any] = {"fuzziness": fuzziness, "absolute": absolute, "disjoint": disjoint}
    return {
        "pool": drawn.outcome(study, names, scores, kept.get("pool"), how),
        "topics": topics(table, record=kept.get("topics"), **same),
        "errors": errors(table, record=kept.get("errors"), **same, **fuzzy),
    }
