"""The folder of a trial: cells that are known, by what they depend on, and the files of the last outcome."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from excerpt import __version__
from excerpt.errors import ExcerptError, short
from excerpt.files import describe, lock, write_bytes
from excerpt.formats.writer import write_run
from excerpt.model.run import Run
from excerpt.notices import Notices
from excerpt.trials.trial_cells import CellFacts, CellResult, TrialCell

_CACHE, _VERSION, _MADE, _LOCK = "cache", "version.json", "made.json", "lock"
_FORM = 1  # of the files in the cache


class TrialFolder:
    """A folder for one trial at a time; it is made when the first cell is known."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._cache = self.path / _CACHE
        self._handle = -1

    def __enter__(self) -> Self:
        """Check that the folder is new, or was made by this version, and is not in use."""
        if self.path.exists() and not self.path.is_dir():
            raise ExcerptError("is a file, expected the name of a folder", path=str(self.path))
        if not self.path.parent.is_dir():
            raise ExcerptError("cannot be written: its folder does not exist", path=str(self.path))
        if self.path.is_dir() and any(self.path.iterdir()):
            self._check_version()
            self._lock()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handle >= 0:
            os.close(self._handle)

    def _check_version(self) -> None:
        file = self._cache / _VERSION
        try:
            found = json.loads(file.read_bytes())
            known = (found["cache"], found["excerpt"])
        except FileNotFoundError:
            hint = "give a new folder, or one of an earlier excerpt try"
            raise ExcerptError("is a folder with other files", path=str(self.path), hint=hint) from None
        except (OSError, ValueError, KeyError, TypeError):
            known = (None, "an unknown version")
        if known != (_FORM, __version__):
            message = f"was written by excerpt {short(str(known[1]))}, this is {__version__}"
            hint = f"remove {self._cache}, or give another folder"
            raise ExcerptError(message, path=str(self._cache), hint=hint)

    def _lock(self) -> None:
        self._handle = os.open(self._cache / _LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        if not lock(self._handle):
            message = "is in use by another excerpt try"
            raise ExcerptError(message, path=str(self.path), hint="wait for its end, or give another folder")

    def _begin(self) -> None:
        if self._handle >= 0:
            return
        try:
            self._cache.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExcerptError(f"cannot be written: {describe(error)}", path=str(self.path)) from None
        self._lock()
        version = {"cache": _FORM, "excerpt": __version__}
        write_bytes(self._cache / _VERSION, (json.dumps(version) + "\n").encode())

    def known(self, cell: TrialCell) -> CellResult | None:
        """The result of a cell from the cache; None if it is not there, or damaged."""
        if cell.key is None:
            return None
        run = self._cache / f"{cell.key}.jsonl"
        try:
            found = json.loads((self._cache / f"{cell.key}.json").read_bytes())
            facts = CellFacts(**found["facts"])
            same = found["sha256"] == hashlib.sha256(run.read_bytes()).hexdigest()
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return CellResult(cell, str(run), facts) if same else None

    def keep(self, result: CellResult) -> CellResult:
        """Write the run and the facts of a cell into the cache, and return it with the run's file."""
        key = result.cell.key
        if not isinstance(result.run, Run) or result.facts is None or key is None:
            return result
        self._begin()
        run = self._cache / f"{key}.jsonl"
        write_run(result.run, run, notices=Notices())
        digest = hashlib.sha256(run.read_bytes()).hexdigest()
        known = {"run": result.cell.run, "sha256": digest, "facts": result.facts._asdict()}
        write_bytes(self._cache / f"{key}.json", (json.dumps(known) + "\n").encode())
        return result._replace(run=str(run))

    def made(self, whole: str) -> bytes | None:
        """The record of the last outcome, if it depends on the same and none of its files was changed."""
        found = self._made()
        if found.get("whole") != whole:
            return None
        try:
            for name, digest in found["files"].items():
                if hashlib.sha256((self.path / name).read_bytes()).hexdigest() != digest:
                    return None
            return (self.path / "record.json").read_bytes()
        except (OSError, KeyError, AttributeError, TypeError):
            return None

    def _made(self) -> dict[str, Any]:
        try:
            found = json.loads((self._cache / _MADE).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def write(self, files: Mapping[str, bytes], whole: str | None) -> None:
        """Write the files of an outcome, the record last, and remove runs of an earlier one."""
        self._begin()
        old = self._made().get("files")
        with contextlib.suppress(OSError):
            (self._cache / _MADE).unlink()
        for name in old if isinstance(old, dict) else ():
            gone = name not in files and Path(name).parent == Path("runs") and ".." not in name
            if gone:
                with contextlib.suppress(OSError):
                    (self.path / name).unlink()
        (self.path / "runs").mkdir(exist_ok=True)
        for name, content in files.items():
            write_bytes(self.path / name, content)
        if whole is not None:
            digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
            made = {"whole": whole, "files": digests}
            write_bytes(self._cache / _MADE, (json.dumps(made) + "\n").encode())
