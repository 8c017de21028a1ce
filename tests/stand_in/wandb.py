"""A stand-in for W&B: a table of a data frame, logged by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Self

import pandas as pd


class Table:
    """Columns and rows of a data frame, without its index."""

    def __init__(self, *, dataframe: pd.DataFrame) -> None:
        """Take the columns, whose names must be text."""
        self.columns = list(dataframe.columns)
        assert all(isinstance(column, str) for column in self.columns)
        self.data = dataframe.to_numpy().tolist()


@dataclass
class Run:
    """A run that keeps what it logs."""

    project: str
    logged: dict[str, Table] = field(default_factory=dict)

    def __enter__(self) -> Self:
        """Open the run."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the run."""

    def log(self, data: dict[str, Table]) -> None:
        """Keep tables by their names."""
        self.logged |= data


def init(*, project: str) -> Run:
    """Begin a run."""
    return Run(project)
