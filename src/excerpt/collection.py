"""Example collections that ship with the package: contracts and medical articles."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from excerpt.errors import UnknownName


class Collection(NamedTuple):
    """Title, folder and type of documents of a collection, and what it has besides highlights."""

    title: str
    folder: str
    documents: str
    more: str = ""


#: The collections by name; the first is the default everywhere.
COLLECTIONS = {
    "contracts": Collection("CUAD mini", "cuad_mini", "contracts"),
    "articles": Collection(
        "Evidence mini",
        "evidence_mini",
        "articles",
        "simulated grades (assessments-2002.xml, -2004, -2005), 28 runs of elements (runs-elements)",
    ),
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


def assessments(name: str = "articles") -> dict[int, Path]:
    """Return the files of simulated grades of a collection, by the year of their scale."""
    return {int(file.stem[-4:]): file for file in sorted(folder(name).glob("assessments-*.xml"))}


def corpus(name: str = DEFAULT) -> Path:
    """Return the archive of documents of a collection."""
    return folder(name) / "docs.zip"


def topics(name: str = DEFAULT) -> Path:
    """Return the file of topics of a collection."""
    return folder(name) / "topics.xml"


def runs(task: str | None = None, name: str = DEFAULT) -> list[DemoRun]:
    """Return the runs of a collection, or those of one task."""
    root = folder(name)
    return [
        _run(row, root / "runs" / f"{row['run']}.fol.gz", with_paths if with_paths.exists() else None)
        for row in _rows(root / "runs.tsv", task)
        for with_paths in [root / "runs-xpath" / f"{row['run']}.txt.gz"]
    ]


def element_runs(task: str | None = None) -> list[DemoRun]:
    """Return the runs of elements of the articles, made for the simulated grades, or those of one task."""
    root = folder("articles")
    return [
        _run(row, path, path)
        for row in _rows(root / "runs-elements.tsv", task)
        for path in [root / "runs-elements" / f"{row['run']}.txt.gz"]
    ]


def _run(row: dict[str, str], path: Path, with_paths: Path | None) -> DemoRun:
    return DemoRun(row["run"], path, row["task"], row["unit"], row["description"], with_paths)


def _rows(table: Path, task: str | None) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if task in {None, row["task"]}]
