"""Requests, records and rows of experiments; rerun."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn, cast

from excerpt import __version__
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, FormatError, UnknownName, json_text, plural, short
from excerpt.experiments.parameters import Options
from excerpt.experiments.study import Evaluating
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import STDIN, Input, display_name, is_scores, read_bytes, read_once
from excerpt.formats.datasets import is_dataset
from excerpt.model.display import Showable
from excerpt.model.policy import Policy
from excerpt.model.saved_scores import load_all, load_scores
from excerpt.options import CUTTING, READING


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

    @classmethod
    def of_corpus(cls, options: Mapping[str, Any]) -> InputFile:
        """The digest of the documents of the corpus that options name, wherever they are."""
        return cls(options["corpus"], open_corpus(options).fingerprint())


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

    def page(self, format_: str) -> str | None:
        """What shows the outcome of this experiment to people, where that is not its rows."""
        experiment = EXPERIMENTS.get(self.record.experiment)
        if experiment is None or not self.details:
            return None
        return {"table": experiment.page, "latex": experiment.latex}.get(format_)

    def notes(self) -> tuple[str, ...]:
        """How numbers are meant that their names do not tell."""
        return tuple(self.details.get("notes", ()))

    def figure(self) -> str | None:
        """What draws the outcome of this experiment."""
        experiment = EXPERIMENTS.get(self.record.experiment)
        return experiment.figure if experiment else None

    def __repr__(self) -> str:
        return f"<Outcome of {self.record.experiment}: {plural(len(self.rows), 'row')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that experiments print as JSON."""
        return {"rows": list(self.rows), "record": self.record.to_dict(), "warnings": list(self.warnings)}

    def to_json(self) -> str:
        """The rows and the record as text."""
        return json_text(self.to_dict(), indent=2) + "\n"


_READING = tuple(option.dest for option in READING)
_POLICY = tuple(item.name for item in fields(Policy))


@dataclass(frozen=True)
class Request:
    """Which experiment, on which files, by which measures, with which options."""

    experiment: str
    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    options: Options
    #: How runs are read, as the table of options has it.
    reading: dict[str, Any] = field(default_factory=dict)
    policy: Policy = Policy()

    @classmethod
    def of(cls, experiment: str, given: Mapping[str, Any]) -> Request:
        """A request from options by name, each of them checked; unknown ones are refused."""
        if experiment not in EXPERIMENTS:
            raise UnknownName("experiment", experiment, EXPERIMENTS)
        kind: type[Options] = EXPERIMENTS[experiment].load("options")
        files = {"qrels", "runs", "measures", *_READING, *_POLICY}
        own = {name: value for name, value in given.items() if name not in files}
        lists = {option.dest for option in READING if option.default == ()}
        for name in ("qrels", *_READING):
            wanted = name == "qrels" or given.get(name) is not None
            if wanted and name not in lists and not isinstance(given.get(name), str):
                raise ExcerptError(f"found {given.get(name)!r} as {name}, expected text")
        return cls(
            experiment,
            given["qrels"],
            _texts(given, "runs"),
            _texts(given, "measures"),
            kind.of(own),
            {name: _texts(given, name) if name in lists else given.get(name) for name in _READING},
            Policy(**{name: given[name] for name in _POLICY if name in given}),
        )

    def to_dict(self) -> dict[str, Any]:
        """What `of` takes, in a form that JSON has."""
        files = {"qrels": self.qrels, "runs": self.runs, "measures": self.measures}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in {
                **files,
                **asdict(self.options),
                **self.reading,
                **asdict(self.policy),
            }.items()
        }

    def record(self, inputs: tuple[InputFile, ...] | None = None) -> Record:
        """The record of this request; `inputs` are its files, where they were read already."""
        asked = self.to_dict()
        if inputs is None:  # what can be read only once has no digest, nor has what a library keeps
            files = [path for path in self.files() if not is_dataset(path) and not read_once(path)]
            inputs = tuple(map(InputFile.of, files))
            if asked["corpus"]:
                inputs += (InputFile.of_corpus(asked),)
        return Record(self.experiment, asked.get("seed"), inputs, asked)

    def files(self) -> list[str]:
        """Every file that is read, but for those of a corpus; of an index that with the check sums of all."""
        asked = self.to_dict()
        read = [option for option in (*READING, *self.options.options()) if option.role == "reads"]
        paths = [self.qrels, *self.runs]
        paths += [asked[each.dest] for each in read if each.holds == "file" and asked[each.dest]]
        indexes = [asked[each.dest] for each in read if each.holds == "index" and asked[each.dest]]
        return [*paths, *(str(Path(index) / "index.json") for index in indexes)]

    def run(self, **more: Any) -> Outcome:
        """Do it; `more` are a record, and workers, cluster and progress, which change only the time."""
        function, options = EXPERIMENTS[self.experiment].load("function"), asdict(self.options)
        outcome: Outcome
        if not is_scores(self.qrels):
            outcome = function(self.qrels, self.runs, self.measures, **options, **self.how(), **more)
            return outcome
        if options.get("qrels2"):
            options["qrels2"] = load_scores(options["qrels2"])
        told = {name: value for name, value in more.items() if name in {"record", "notices", "progress"}}
        told |= {name: self.reading[name] for name in ("topics", "only", "exclude") if self.reading.get(name)}
        table = load_all([self.qrels, *self.runs])
        outcome = function(table, measures=self.measures or None, **options, **told)
        return outcome

    def how(self) -> Evaluating:
        """How runs are read and scored, with index and corpus opened."""
        cutting = {option.dest for option in CUTTING}
        how = {name: value for name, value in self.reading.items() if value and name not in cutting}
        if "index" in how:
            from excerpt.index import OffsetIndex

            how["index"] = OffsetIndex.open(how["index"])
        if "corpus" in how:
            how["corpus"] = open_corpus(self.reading)
        return cast("Evaluating", {**how, "policy": self.policy})


def open_corpus(options: Mapping[str, Any]) -> Corpus:
    """The corpus that options name, its files cut as they say."""
    return Corpus.read(
        options["corpus"],
        context=options.get("context") or "paragraph",
        document_tag=options.get("document_tag"),
        id_from=options.get("id_from"),
    )


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = given.get(name) or ()
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise ExcerptError(f"found {found!r} as {name}, expected a list of texts")
    return tuple(found)


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
