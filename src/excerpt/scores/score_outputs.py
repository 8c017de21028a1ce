"""What a table of scores gives: views, comparisons, text that is saved, and data frames."""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from excerpt._lazy import offered
from excerpt.errors import ExcerptError
from excerpt.model.display import Showable

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from excerpt.experiments.outcome import Outcome
    from excerpt.scores.score_table import ScoreTable
    from excerpt.scores.score_views import By, Method, ScoreView


class ScoreOutputs(Showable):
    """The part of a `ScoreTable` that shows, compares and writes its scores."""

    @property
    def _table(self) -> ScoreTable:
        return cast("ScoreTable", self)

    def to_dict(self, *, per_topic: bool = False) -> dict[str, Any]:
        """Return the object that `excerpt evaluate --format json` prints; an undefined score is None."""
        return self._view(per_topic=per_topic).to_dict()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Heading and rows of the table: means of each run."""
        return self._view().listed()

    def by_topic(self) -> ScoreView:
        """View of the scores per topic."""
        return self._view(per_topic=True)

    def by_group(self, by: By = "group", *, interval: float | None = None) -> ScoreView:
        """View of means per group of topics: by `group` (such as a `corpus`), or by `document`.

        >>> from dataclasses import replace
        >>> from excerpt.model.judgments import Question
        >>> from excerpt.scores.score_table import ScoreTable
        >>> questions = {"1": Question("1", group="law"), "2": Question("2", group="news")}
        >>> scores = ScoreTable.from_scores({("r", "1", "P"): 0.5, ("r", "2", "P"): 0.25})
        >>> print(replace(scores, questions=questions).by_group("corpus"))
        run  corpus  topics       P
        ---------------------------
        r    law     1       0.5000
        r    news    1       0.2500
        r    all     2       0.3750
        """
        return self._view(by=by, interval=interval)

    def with_intervals(
        self, level: float = 0.95, samples: int = 10_000, seed: int = 1, method: Method = "bootstrap"
    ) -> ScoreView:
        """View of the means with their confidence intervals."""
        return self._view(interval=level, samples=samples, seed=seed, method=method)

    def intervals(
        self, level: float = 0.95, samples: int = 10_000, seed: int = 1, method: Method = "bootstrap"
    ) -> dict[str, dict[str, tuple[float, float] | None]]:
        """Limits of each mean's confidence interval by run and measure, by the bootstrap over topics or `t`.

        >>> from excerpt.scores.score_table import ScoreTable
        >>> scores = ScoreTable.from_scores({("r", str(topic), "P"): topic % 2 for topic in range(100)})
        >>> scores.intervals()["r"]["P"]
        (0.4, 0.6)
        """
        view = self._view(interval=level, samples=samples, seed=seed, method=method)
        return {
            run: {
                name: None if math.isnan(low) else (low, high)
                for name, (low, high) in zip(view.table.measures, rows, strict=True)
            }
            for run, rows in zip(view.table.runs, view.limits().tolist(), strict=True)
        }

    def metrics(self, run: str | None = None) -> dict[str, float]:
        """Means of a run by names that MLflow, W&B and Prometheus take, such as `recall_at_5`."""
        return cast("dict[str, float]", offered("metrics")(self._table, run))

    def compare(
        self, measures: Iterable[str] | str, baseline: str | Iterable[str] | None = None, **options: Any
    ) -> Outcome:
        """Compare the runs by `excerpt.compare`: all pairs, or each run with the `baseline` (or several)."""
        return cast("Outcome", offered("compare")(self, measures, baseline=baseline, **options))

    def _view(self, **shown: Any) -> ScoreView:
        from excerpt.scores.score_views import ScoreView  # which imports this module

        return ScoreView(self._table, **shown)

    def _repr_html_(self) -> str:
        """HTML that a notebook shows: means with their intervals."""
        return self.with_intervals()._repr_html_()

    def to_json(self) -> str:
        """Write the table as JSON; `from_json` reads back exactly the same scores."""
        return str(_saved().to_json(self))

    @classmethod
    def from_json(cls, text: str) -> ScoreTable:
        """Read a table that `to_json` wrote."""
        return cast("ScoreTable", _saved().from_json(text))

    def to_csv(self) -> str:
        """Write one line per run, topic and measure; an undefined score is an empty field."""
        return str(_saved().to_csv(self))

    @classmethod
    def from_csv(cls, text: str) -> ScoreTable:
        """Read a table that `to_csv` wrote (without files and warnings)."""
        return cast("ScoreTable", _saved().from_csv(text))

    def columns(self) -> dict[str, list[Any]]:
        """Columns of the long form: run, topic, measure, score."""
        return cast("dict[str, list[Any]]", _saved().columns(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas data frame in long form: run, topic, measure, score."""
        return frames("pandas").DataFrame(self.columns())

    def wide(self) -> pd.DataFrame:
        """Return a pandas data frame of means: a row per run, a column per measure."""
        table = self._table
        columns = list(table.measures)
        return frames("pandas").DataFrame(table.means(), index=list(table.runs), columns=columns)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars data frame in long form: run, topic, measure, score."""
        return frames("polars").DataFrame(self.columns())


def _saved() -> Any:
    """Return the app that reads and writes files of scores."""
    return offered("score_files")


def frames(library: str) -> Any:
    """Import a library of data frames; raise with a hint if it is not installed."""
    try:
        return importlib.import_module(library)
    except ImportError:
        raise ExcerptError(f"{library} is not installed", hint="pip install 'excerpt[frames]'") from None
