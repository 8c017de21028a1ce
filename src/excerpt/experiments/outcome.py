"""What an experiment gives: rows, and a record from which it can be run again."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from excerpt import __version__
from excerpt.files import STDIN, read_bytes, read_once


@dataclass(frozen=True)
class Input:
    """A file that went into an experiment, with the digest of its (decompressed) content."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> Input:
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
    """Everything that decides the result of an experiment: version, seed, inputs, the command's arguments."""

    experiment: str
    seed: int | None = None
    inputs: tuple[Input, ...] = ()
    arguments: tuple[str, ...] = ()
    version: str = __version__

    def to_dict(self) -> dict[str, Any]:
        """The record as the command line prints it."""
        return {
            "version": self.version,
            "experiment": self.experiment,
            "seed": self.seed,
            "inputs": [{"path": item.path, "sha256": item.sha256} for item in self.inputs],
            "arguments": list(self.arguments),
        }

    @classmethod
    def made(
        cls,
        experiment: str,
        paths: Iterable[str | os.PathLike[str]],
        *,
        seed: int | None = None,
        arguments: Sequence[str] = (),
    ) -> Record:
        """A record of files as they are now, but for those that can be read only once."""
        inputs = tuple(Input.of(path) for path in paths if not read_once(path))
        return cls(experiment, seed, inputs, tuple(arguments))


@dataclass(frozen=True)
class Outcome:
    """The rows of an experiment (dictionaries with the same keys), its record, and warnings on the way.

    >>> outcome = Outcome(({"measure": "MAiP", "mean": 0.5},), Record("demo", seed=1))
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

    def to_dict(self) -> dict[str, Any]:
        """The object that experiments print with `--format json`."""
        return {"rows": list(self.rows), "record": self.record.to_dict(), "warnings": list(self.warnings)}

    def to_json(self) -> str:
        """The rows and the record as text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"
