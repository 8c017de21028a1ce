"""Example collections that ship with the package: contracts and medical articles."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from excerpt.errors import UnknownName


class Collection(NamedTuple):
    """Title, folder and type of documents of a collection."""

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
    """A run of a collection: its file, task, retrieval unit and description.

    If its results are elements, `with_paths` may be a file of the same results with element paths.
    """

    name: str
    path: Path
    task: str
    unit: str
    description: str
    with_paths: Path | None = None


def folder(name: str = DEFAULT) -> Path:
    """Return the folder of a collection."""
    if name not in COLLECTIONS:
        raise UnknownName("collection", name, COLLECTIONS)
    return Path(__file__).parent / "data" / COLLECTIONS[name].folder


def qrels(name: str = DEFAULT) -> Path:
    """Return the file of judgments of a collection."""
    return folder(name) / "qrels.fol"


def corpus(name: str = DEFAULT) -> Path:
    """Return the archive of documents of a collection."""
    return folder(name) / "docs.zip"


def topics(name: str = DEFAULT) -> Path:
    """Return the file of topics of a collection."""
    return folder(name) / "topics.xml"


def runs(task: str | None = None, name: str = DEFAULT) -> list[DemoRun]:
    """Return the runs of a collection, or those of one task."""
    root = folder(name)
    with (root / "runs.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [
        DemoRun(
            row["run"],
            root / "runs" / f"{row['run']}.fol.gz",
            row["task"],
            row["unit"],
            row["description"],
            with_paths if with_paths.exists() else None,
        )
        for row in rows
        for with_paths in [root / "runs-xpath" / f"{row['run']}.txt.gz"]
        if task in {None, row["task"]}
    ]
