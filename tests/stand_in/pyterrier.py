"""A stand-in for PyTerrier, which only the environment of `--thorough` has: it asks ir_measures as that does.

Results of all topics at once, or batches with the judgments of their topics; means by the aggregator of each
measure or, beside a baseline, over the topics of the judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import ir_measures
import pandas as pd

_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}


class Transformer(NamedTuple):
    """Results by topic."""

    results: pd.DataFrame

    @classmethod
    def from_df(cls, results: pd.DataFrame) -> Transformer:
        """One that knows its results."""
        return cls(results)


def Experiment(  # noqa: N802  its name
    systems: Sequence[Any],
    topics: pd.DataFrame,
    qrels: pd.DataFrame,
    measures: Sequence[Any],
    *,
    names: Sequence[str],
    baseline: int | None = None,
    perquery: bool = False,
    batch_size: int | None = None,
) -> pd.DataFrame:
    """A table of means, with a baseline also the topics that became better or worse; or one by topic."""
    needed = set(ir_measures.run_inputs(measures))
    judged = qrels.rename(columns=_NAMES)
    rows: list[dict[str, Any]] = []
    scored: list[dict[tuple[str, Any], float]] = []
    for name, system in zip(names, systems, strict=True):
        found = getattr(system, "results", system).rename(columns=_NAMES)
        assert needed <= {*found.columns}
        batches = _batches(found, topics, judged, batch_size)
        metrics = [metric for pair in batches for metric in ir_measures.iter_calc(measures, *pair)]
        if perquery:
            keys = ("name", "qid", "measure", "value")
            rows += [
                dict(zip(keys, (name, metric.query_id, str(metric.measure), metric.value), strict=True))
                for metric in metrics
            ]
            continue
        scored.append({(metric.query_id, metric.measure): metric.value for metric in metrics})
        rows.append({"name": name} | _means(measures, metrics, judged, baseline))
    if baseline is not None:
        for row, scores in zip(rows, scored, strict=True):
            for measure in measures:
                gains = [value - scored[baseline][key] for key, value in scores.items() if key[1] == measure]
                row[f"{measure} +"] = sum(gain > 0 for gain in gains)
                row[f"{measure} -"] = sum(gain < 0 for gain in gains)
    return pd.DataFrame(rows)


def _batches(
    found: pd.DataFrame, topics: pd.DataFrame, judged: pd.DataFrame, size: int | None
) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    if size is None:
        yield judged, found
        return
    for first in range(0, len(topics), size):
        some = topics["qid"][first : first + size]
        yield judged[judged.query_id.isin(some)], found[found.query_id.isin(some)]


def _means(
    measures: Sequence[Any], metrics: Sequence[Any], judged: pd.DataFrame, baseline: int | None
) -> dict[str, float]:
    means = {}
    for measure in measures:
        values = [metric.value for metric in metrics if metric.measure == measure]
        aggregator = measure.aggregator()
        for value in values:
            aggregator.add(value)
        topics = judged["query_id"].nunique()
        means[str(measure)] = aggregator.result() if baseline is None else sum(values) / topics
    return means
