"""What an experiment gives: rows, and a record from which it can be run again."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from excerpt import __version__
from excerpt.errors import json_text, plural
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import STDIN, read_bytes
from excerpt.model.showable import Showable


@dataclass(frozen=True)
class InputFile:
    """A file that went into an experiment, with the digest of its (decompressed) content."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """The digest of a file, or of all files of a folder in the order of their names."""
        name = os.fspath(path)
        digest = hashlib.sha256()
        folder = name != STDIN and Path(name).is_dir()
        for file in sorted(Path(name).iterdir()) if folder else [Path(name)]:
            if not folder or (file.is_file() and not file.name.startswith(".")):
                digest.update(read_bytes(file))
        return cls(name, digest.hexdigest())


@dataclass(frozen=True)
class Record:
    """Everything that decides the result of an experiment: version, seed, inputs, and what was asked."""

    experiment: str
    seed: int | None = None
    inputs: tuple[InputFile, ...] = ()
    #: What was asked of the command line: files, measures, how runs are read and scored, options by name.
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """The record as the command line prints it."""
        return {
            "version": self.version,
            "experiment": self.experiment,
            "seed": self.seed,
            "inputs": [{"path": item.path, "sha256": item.sha256} for item in self.inputs],
            "options": self.options,
        }


@dataclass(frozen=True)
class Outcome(Showable):
    """The rows of an experiment (dictionaries with the same keys), its record, and warnings on the way.

    >>> outcome = Outcome(({"measure": "MAiP", "mean": 0.5},), Record("demo", seed=1))
    >>> print(outcome)
    measure    mean
    ---------------
    MAiP     0.5000
    >>> outcome.columns, outcome.to_dict()["rows"]
    (('measure', 'mean'), [{'measure': 'MAiP', 'mean': 0.5}])
    """

    rows: tuple[dict[str, Any], ...]
    record: Record
    warnings: tuple[str, ...] = ()
    #: Further tables or arrays for figures and for Python, by name.
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of the rows."""
        return tuple(self.rows[0]) if self.rows else ()

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """What is shown: the columns, and the values of every row."""
        return self.columns, [tuple(row.values()) for row in self.rows]

    def page(self) -> str | None:
        """What shows the outcome of this experiment to people, where that is not its rows."""
        experiment = EXPERIMENTS.get(self.record.experiment)
        return experiment.page if experiment is not None and self.details else None

    def figure(self) -> str | None:
        """What draws the outcome of this experiment."""
        experiment = EXPERIMENTS.get(self.record.experiment)
        return experiment.figure if experiment is not None else None

    def __repr__(self) -> str:
        return f"<Outcome of {self.record.experiment}: {plural(len(self.rows), 'row')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that experiments print as JSON."""
        return {"rows": list(self.rows), "record": self.record.to_dict(), "warnings": list(self.warnings)}

    def to_json(self) -> str:
        """The rows and the record as text."""
        return json_text(self.to_dict(), indent=2) + "\n"
