"""What an experiment printed, read back: are its files the same, and are its rows?"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NoReturn

from excerpt.errors import ExcerptError, FormatError
from excerpt.experiments.outcome import Input, Record
from excerpt.files import display_name, read_bytes, read_once

#: Options whose argument is a file to write, not one that was read.
_WRITTEN = ("-o", "--output", "--figure", "--record")


@dataclass(frozen=True)
class Printed:
    """The rows and the record of an experiment as `--format json` printed them, and the file they are in."""

    rows: tuple[dict[str, Any], ...]
    record: Record
    path: str

    @classmethod
    def parse(cls, text: str, path: str = "record") -> Printed:
        """The rows and the record in a text that an experiment printed.

        >>> from excerpt.experiments import Outcome
        >>> outcome = Outcome(({"measure": "MAiP", "mean": 0.5},), Record("demo", seed=1))
        >>> read = Printed.parse(outcome.to_json())
        >>> read.rows == outcome.rows, read.record == outcome.record
        (True, True)
        """
        try:
            printed = json.loads(text)
        except (ValueError, RecursionError) as error:
            _refuse(path, f"found something that is not JSON ({error})")
        try:
            return cls(tuple(map(dict, printed["rows"])), _record(printed["record"]), path)
        except (KeyError, TypeError, ValueError):
            _refuse(path, "found JSON without the rows and the record of an experiment")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Printed:
        """The rows and the record in a file (`-` is standard input)."""
        return cls.parse(read_bytes(path).decode("utf-8", "replace"), display_name(path))

    def require_inputs(self) -> None:
        """An error of the user's that names the first file that has changed since, or is gone."""
        if _reads_once(self.record.arguments):
            raise ExcerptError(
                "found an experiment on standard input or a pipe, expected one on files", path=self.path
            )
        for item in self.record.inputs:
            found = Input.of(item.path).sha256
            if found != item.sha256:
                raise ExcerptError(
                    f"found content of digest {found[:12]}…, expected {item.sha256[:12]}… as in {self.path}",
                    path=item.path,
                    hint="the file is not the one that the experiment read",
                )


def first_difference(found: tuple[dict[str, Any], ...], expected: tuple[dict[str, Any], ...]) -> str:
    """Where two lists of rows first differ, in words; empty where they are the same.

    >>> first_difference(({"recall": 0.5},), ({"recall": 0.25},))
    'row 1: found recall 0.5, expected 0.25'
    >>> first_difference(({"recall": 0.5},), ())
    'found 1 rows, expected 0'
    """
    for number, (row, wanted) in enumerate(zip_longest(found, expected), start=1):
        if row is None or wanted is None:
            return f"found {len(found)} rows, expected {len(expected)}"
        if list(row) != list(wanted):
            return f"row {number}: found the columns {', '.join(row)}, expected {', '.join(wanted)}"
        for column, value in row.items():
            if json.dumps(value) != json.dumps(wanted[column]):  # else 1, 1.0 and true were the same
                return f"row {number}: found {column} {_shown(value)}, expected {_shown(wanted[column])}"
    return ""


def with_arguments(printed: bytes, arguments: tuple[str, ...]) -> bytes:
    """What an experiment printed, with other arguments in its record and all else as it was."""
    outcome = json.loads(printed)
    outcome["record"]["arguments"] = list(arguments)
    return (json.dumps(outcome, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


def _refuse(path: str, found: str) -> NoReturn:
    raise FormatError(
        f"{found}, expected what an experiment prints", path=path, hint="make it with --format json -o FILE"
    ) from None


def _record(saved: Any) -> Record:
    """The record that `Record.to_dict` gave; ValueError, KeyError or TypeError for anything else."""
    seed, arguments = saved["seed"], saved["arguments"]
    inputs = tuple(Input(item["path"], item["sha256"]) for item in saved["inputs"])
    texts = [saved["experiment"], saved["version"], *arguments]
    texts += [text for item in inputs for text in (item.path, item.sha256)]
    if not all(isinstance(text, str) for text in texts) or not (seed is None or isinstance(seed, int)):
        raise ValueError
    return Record(saved["experiment"], seed, inputs, tuple(arguments), saved["version"])


def _reads_once(arguments: tuple[str, ...]) -> bool:
    """Is one of the arguments `-` or a pipe, other than as a place to write to?"""
    split = [text.split("=", 1) if text.startswith("--") else [text] for text in arguments]
    texts = [text for pair in split for text in pair]
    before = ("", *texts)
    return any(
        read_once(text) and option not in _WRITTEN for option, text in zip(before, texts, strict=False)
    )
