"""The official tool's own output, reproduced to the last digit."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import cast

import pytest

from excerpt import collection
from excerpt.official import Options, evaluate_run, read_qrels
from excerpt.official.run import Task

ROOT = Path(__file__).parents[2]
OFFICIAL = ROOT / "tests" / "data" / "official"
SHARED = ROOT.parent / "shared" / "data"


def lines_of(path: Path) -> list[str]:
    """The lines of a stored output, without the heading that names the file."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return [line for line in text.splitlines() if not line.startswith("<eval")]


def compare(qrels: Path, runs: Path, official: Path) -> int:
    """Compare every stored output of a folder; give the number of files compared."""
    judged, compared = read_qrels(qrels), 0
    for stored in sorted(path for path in official.iterdir() if ".txt" in path.name):
        name, task = stored.name.split(".")[:2]
        run = next(path for path in (runs / f"{name}.fol", runs / f"{name}.fol.gz") if path.exists())
        outcome = evaluate_run(judged, run, Options(task=cast("Task", task), per_topic=True))
        found = [line for line in outcome.lines if not line.startswith("<eval")]
        assert found == lines_of(stored), stored.name
        compared += 1
    return compared


def test_embedded_collection() -> None:
    """All tasks on the runs that ship with the package."""
    assert compare(collection.qrels(), collection.folder() / "runs", OFFICIAL) > 30


@pytest.mark.parametrize("name", ["cuad-mini", "cuad", "evidence", "ragtext"])
def test_shared_collections(name: str) -> None:
    """All stored outputs of the larger collections, where they are at hand."""
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"the collection {name} is not beside this checkout")
    assert compare(folder / "qrels.fol", folder / "runs", folder / "official") > 5
