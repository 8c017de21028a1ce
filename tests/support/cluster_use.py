"""Helpers of the tests of clusters: output and errors of commands, and a worker that is killed."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support.loopback import Loopback

from excerpt import collection
from excerpt.cli import main
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError


class Killer:
    """Kills a worker at the first sign of progress, once; used as the progress bar of commands."""

    def __init__(self, cluster: Loopback) -> None:
        self.cluster = cluster
        self.killed: str | None = None

    def __call__(self, *_: object) -> None:
        if self.killed is None:
            self.killed = self.cluster.kill_a_busy_worker()


def output(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Output of a command."""
    status = main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def demo_files() -> list[str]:
    """Judgments and runs of the collection that comes with the package."""
    return [str(collection.qrels()), *(str(run.path) for run in collection.runs())]


def files_of(folder: Path) -> dict[str, bytes]:
    """Everything in an index."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def error_of(engine: Engine, call: Call[Any, int, Any], items: Iterable[int] = range(5)) -> str:
    """The error that ends the work."""
    with pytest.raises(ExcerptError) as caught, engine.map(call, items) as results:
        list(results)
    return str(caught.value)
