"""A stand-in for MLflow 3: `log_table` writes rows without their index, inside a run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pandas as pd

#: Tables of the run that is open, as JSON by name.
_open: dict[str, str] | None = None


@contextmanager
def start_run() -> Iterator[None]:
    """Open a run."""
    global _open  # noqa: PLW0603  as MLflow has one run at a time
    _open = {}
    yield
    _open = None


def log_metrics(metrics: dict[str, float]) -> None:
    """Take names of letters, digits and a few marks only."""
    assert _open is not None, "no run is open"
    assert all(re.fullmatch(r"[\w\-./: ]+", name) for name in metrics), metrics
    assert all(isinstance(value, float) for value in metrics.values())


def log_table(data: pd.DataFrame, artifact_file: str) -> None:
    """Keep a table; JSON must be able to hold it."""
    assert _open is not None, "no run is open"
    assert artifact_file.endswith((".json", ".parquet"))
    _open[artifact_file] = data.to_json(orient="split", index=False)
