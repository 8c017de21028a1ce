"""The collections that ship with the package: contracts with clause types, articles with medical outcomes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from excerpt.errors import UnknownName


class Collection(NamedTuple):
    """What a collection is called, the folder it lies in, and what its documents are."""

    title: str
    folder: str
    documents: str


#: The collections by name; the first is the default everywhere.
COLLECTIONS = {
    "contracts": Collection("CUAD mini", "cuad_mini", "contracts"),
    "articles": Collection("Evidence mini", "evidence_mini", "articles"),
}
DEFAULT = next(iter(COLLECTIONS))


class DemoRun(NamedTuple):
    """A run of a collection: its file, the task it was made for, its retrieval unit and how it was made.

    Where its results are elements, `with_paths` may be a file of the same results with their paths.
    """

    name: str
    path: Path
    task: str
    unit: str
    description: str
    with_paths: Path | None = None


def folder(name: str = DEFAULT) -> Path:
    """Where a collection lies."""
    if name not in COLLECTIONS:
        raise UnknownName("collection", name, COLLECTIONS)
    return Path(__file__).parent / "data" / COLLECTIONS[name].folder


def qrels(name: str = DEFAULT) -> Path:
    """The judgments of a collection."""
    return folder(name) / "qrels.fol"


def corpus(name: str = DEFAULT) -> Path:
    """The documents of a collection."""
    return folder(name) / "docs.zip"


def topics(name: str = DEFAULT) -> Path:
    """Titles and questions of the topics of a collection."""
    return folder(name) / "topics.xml"


def runs(task: str | None = None, name: str = DEFAULT) -> list[DemoRun]:
    """The runs of a collection, or those made for one task."""
    place = folder(name)
    with (place / "runs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        DemoRun(
            row["run"],
            place / "runs" / f"{row['run']}.fol.gz",
            row["task"],
            row["unit"],
            row["description"],
            with_paths if with_paths.exists() else None,
        )
        for row in rows
        for with_paths in [place / "runs-xpath" / f"{row['run']}.txt.gz"]
        if task in {None, row["task"]}
    ]
