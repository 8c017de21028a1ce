"""The collection that ships with the package: all of it is there."""

from __future__ import annotations

import zipfile

from excerpt import collection


def test_everything_is_there() -> None:
    """Judgments, documents, and the file of every run that the table names, each once."""
    runs = collection.runs()
    assert all(run.path.is_file() for run in runs)
    assert len({run.name for run in runs}) == len(runs) == len(list((collection.folder() / "runs").iterdir()))
    assert collection.qrels().is_file()
    assert collection.topics().is_file()
    with zipfile.ZipFile(collection.corpus()) as archive:
        assert sum(name.endswith(".xml") for name in archive.namelist()) == 40


def test_runs_by_task() -> None:
    """Every run is made for one task."""
    tasks = sorted({run.task for run in collection.runs()})
    assert {"bic", "focused", "ric"} <= set(tasks)
    assert sum(len(collection.runs(task)) for task in tasks) == len(collection.runs())
    assert collection.runs("nosuch") == []
