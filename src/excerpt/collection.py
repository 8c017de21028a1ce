"""The collection that ships with the package: 40 contracts of CUAD with 41 clause types as topics."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple


class DemoRun(NamedTuple):
    """A run of the collection: its file, the task it was made for, its retrieval unit and how it was made."""

    name: str
    path: Path
    task: str
    unit: str
    description: str


def folder() -> Path:
    """Where the collection lies."""
    return Path(__file__).parent / "data" / "cuad_mini"


def qrels() -> Path:
    """The judgments of the collection."""
    return folder() / "qrels.fol"


def corpus() -> Path:
    """The documents of the collection."""
    return folder() / "docs.zip"


def topics() -> Path:
    """Titles and questions of the topics of the collection."""
    return folder() / "topics.xml"


def runs(task: str | None = None) -> list[DemoRun]:
    """The runs of the collection, or those made for one task."""
    with (folder() / "runs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        DemoRun(
            row["run"],
            folder() / "runs" / f"{row['run']}.fol.gz",
            row["task"],
            row["unit"],
            row["description"],
        )
        for row in rows
        if task in {None, row["task"]}
    ]
