"""What an experiment printed, read back and run again: are its files the same, and are its rows?"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NoReturn

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.experiments.outcome import InputFile, Outcome, Record, Request
from excerpt.files import Input, display_name, read_bytes, read_once


def rerun(
    record: Input,
    *,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Run an experiment again from what it printed as JSON; its files must be the same.

    Who did the work the first time does not matter: a cluster is asked only where `cluster` names one.
    """
    return Printed.read(record).run(workers=workers, cluster=cluster, progress=progress)


@dataclass(frozen=True)
class Printed:
    """The rows and the record of an experiment as it printed them in JSON, and the file they are in."""

    rows: tuple[dict[str, Any], ...]
    record: Record
    path: str

    @classmethod
    def parse(cls, text: str, path: str = "record") -> Printed:
        """The rows and the record in a text that an experiment printed.

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
            return cls(tuple(map(dict, printed["rows"])), _record(printed["record"], path), path)
        except (KeyError, TypeError, ValueError, AttributeError):
            _refuse(path, "found JSON without the rows and the record of an experiment")

    @classmethod
    def read(cls, given: Input) -> Printed:
        """The rows and the record in a file (`-` is standard input)."""
        return cls.parse(read_bytes(given).decode("utf-8", "replace"), display_name(given))

    def request(self) -> Request:
        """What was asked for; an error of the user's where it cannot be asked again."""
        if not self.record.options:
            raise ExcerptError(
                "found a record without options, expected one that the command line wrote",
                path=self.path,
                hint="it is of a call from Python: repeat that call",
            )
        try:
            request = Request.of(self.record.experiment, self.record.options)
        except ExcerptError as error:
            raise ExcerptError(error.message, path=self.path, hint=error.hint) from None
        if any(map(read_once, request.files())):
            raise ExcerptError(
                "found an experiment on standard input or a pipe, expected one on files", path=self.path
            )
        return request

    def require_inputs(self) -> None:
        """An error of the user's that names the first file that has changed since, or is gone."""
        corpus = self.record.options.get("corpus")
        for item in self.record.inputs:
            is_corpus = item.path == corpus
            what = "corpus" if is_corpus else "file"
            now = InputFile.of_corpus(self.record.options) if is_corpus else InputFile.of(item.path)
            found = now.sha256
            if found != item.sha256:
                raise ExcerptError(
                    f"found digest {found[:12]}…, expected {item.sha256[:12]}… as in {self.path}",
                    path=item.path,
                    hint=f"the {what} has changed since the experiment",
                )

    def run(self, **more: Any) -> Outcome:
        """The experiment again, with the record that it had; `more` is who does the work, and progress."""
        request = self.request()
        self.require_inputs()
        return request.run(record=self.record, **more)


def first_difference(found: tuple[dict[str, Any], ...], expected: tuple[dict[str, Any], ...]) -> str:
    """Where two lists of rows first differ, in words; empty where they are the same.

    >>> first_difference(({"recall": 0.5},), ({"recall": 0.25},))
    'row 1: found recall 0.5, expected 0.25'
    >>> first_difference(({"recall": 0.5},), ())
    'found 1 row, expected 0'
    """
    for number, (row, wanted) in enumerate(zip_longest(found, expected), start=1):
        if row is None or wanted is None:
            return f"found {plural(len(found), 'row')}, expected {len(expected)}"
        if list(row) != list(wanted):
            found_columns, wanted_columns = ", ".join(map(str, row)), ", ".join(map(str, wanted))
            return f"row {number}: found the columns {found_columns}, expected {wanted_columns}"
        for column, value in row.items():
            if json.dumps(value) != json.dumps(wanted[column]):  # else 1, 1.0 and true were the same
                return f"row {number}: found {column} {_shown(value)}, expected {_shown(wanted[column])}"
    return ""


def _shown(value: object) -> str:
    return short(json.dumps(value, ensure_ascii=False))


def _refuse(path: str, found: str) -> NoReturn:
    raise FormatError(
        f"{found}, expected the JSON output of an experiment",
        path=path,
        hint="make it with ⟨output_format=json⟩",
    ) from None


def _record(saved: Any, path: str) -> Record:
    """The record that `Record.to_dict` gave; ValueError, KeyError or TypeError for anything else."""
    if "options" not in saved and saved["arguments"]:
        raise ExcerptError(
            "found a record in the form of excerpt 0.1.0, expected one with options",
            path=path,
            hint=f"run it again: excerpt {shlex.join(map(str, saved['arguments']))}",
        )
    seed, options = saved["seed"], saved["options"]
    inputs = tuple(InputFile(item["path"], item["sha256"]) for item in saved["inputs"])
    texts = [saved["experiment"], saved["version"]]
    texts += [text for item in inputs for text in (item.path, item.sha256)]
    if not all(isinstance(text, str) for text in texts) or not (seed is None or isinstance(seed, int)):
        raise ValueError
    return Record(saved["experiment"], seed, inputs, dict(options), saved["version"])
