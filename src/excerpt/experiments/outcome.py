"""Requests, records and outcomes of experiments, and their repetition."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shlex
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NoReturn, cast

from excerpt import __version__
from excerpt._lazy import offered
from excerpt.corpus import Corpus
from excerpt.datasets.catalogue import is_dataset
from excerpt.errors import ExcerptError, FormatError, UnknownName, json_text, plural, short
from excerpt.experiments.parameters import WITHIN, Options, is_pattern
from excerpt.experiments.study import Evaluating
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import OPENINGS, STDIN, Input, display_name, read_bytes, read_once
from excerpt.model.display import Showable
from excerpt.model.policy import Policy
from excerpt.options import OPENING, READING, SAVED
from excerpt.score_files.saved_scores import load_all, load_scores
from excerpt.score_files.score_rows import is_scores

#: Name in the records of `excerpt try`, which is no experiment of the table.
TRIAL = "try"
_READING = tuple(option.dest for option in READING)
_POLICY = tuple(item.name for item in fields(Policy))
_SAVED = {option.dest: option.default for option in SAVED}


@dataclass(frozen=True)
class InputFile:
    """A file that went into an experiment, with the digest of its (decompressed) content."""

    path: str
    sha256: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """Compute the digest of a file, or of all files of a folder in the order of their names."""
        name = os.fspath(path)
        if noted := OPENINGS.digest(name, unpacked=True):
            return cls(name, noted)
        digest = hashlib.sha256()
        folder = name != STDIN and Path(name).is_dir()
        for file in sorted(Path(name).iterdir()) if folder else [Path(name)]:
            if not folder or (file.is_file() and not file.name.startswith(".")):
                digest.update(read_bytes(file))
        return cls(name, digest.hexdigest())

    @classmethod
    def of_corpus(cls, options: Mapping[str, Any]) -> InputFile:
        """Compute the digest of the documents of the corpus that options name."""
        return cls(options["corpus"], open_corpus(options).fingerprint())


@cache
def versions() -> dict[str, str]:
    """Versions of Python and of the packages that compute; scipy only if it is installed."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in ("numpy", "scipy"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


@dataclass(frozen=True)
class Record:
    """Record of an experiment: version, seed, inputs and options, which decide its result."""

    experiment: str
    seed: int | None = None
    inputs: tuple[InputFile, ...] = ()
    #: Options of the command line by name: files, measures, reading, scoring and those of the experiment.
    options: dict[str, Any] = field(default_factory=dict)
    version: str = __version__
    #: Versions of Python, numpy and scipy, by name; they do not decide the result.
    versions: dict[str, str] = field(default_factory=versions, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The record as an object of JSON."""
        return {"version": self.version, **asdict(self), "inputs": list(map(asdict, self.inputs))}


@dataclass(frozen=True)
class Outcome(Showable):
    """Rows of an experiment (dictionaries with the same keys), its record and its warnings.

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
        """The columns, and the values of every row."""
        return self.columns, [tuple(row.values()) for row in self.rows]

    def shown_as(self) -> tuple[str, ...]:
        own = (self.record.experiment,) if self.details else ()
        return (*own, "Outcome") if self.rows else own

    def drawn_as(self) -> str:
        return self.record.experiment

    def notes(self) -> tuple[str, ...]:
        """Lines that explain the columns."""
        return tuple(self.details.get("notes", ()))

    @property
    def verdict(self) -> str:
        """The verdict of a comparison in one sentence; empty for other experiments."""
        said = self.details.get("verdict")
        return said.sentence if said else ""

    def __repr__(self) -> str:
        return f"<Outcome of {self.record.experiment}: {plural(len(self.rows), 'row')}>"

    def to_dict(self) -> dict[str, Any]:
        """The object that experiments print as JSON."""
        short = self.details.get("short_of_budget")
        more: dict[str, Any] = {"short_of_budget": short} if short else {}
        more |= {"notes": list(self.notes())} if self.notes() else {}
        if self.verdict:
            more |= {**self.details["decided"], "verdict": self.verdict}
        record, warnings = self.record.to_dict(), list(self.warnings)
        return {"rows": list(self.rows), "record": record, "warnings": warnings, **more}

    def to_json(self) -> str:
        """The rows and the record as text."""
        return json_text(self.to_dict(), indent=2) + "\n"


@dataclass(frozen=True)
class Request:
    """Request of an experiment: its name, files, measures and options."""

    experiment: str
    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    options: Options
    #: Options of reading runs, by their names in the table of options.
    reading: dict[str, Any] = field(default_factory=dict)
    policy: Policy = Policy()
    saved: dict[str, Any] = field(default_factory=dict)  # options of saved scores that are not the default

    @classmethod
    def of(cls, experiment: str, given: Mapping[str, Any]) -> Request:
        """Make a request from options by name; raise an error for an unknown or invalid one."""
        if experiment not in EXPERIMENTS:
            raise UnknownName("experiment", experiment, EXPERIMENTS)
        kind: type[Options] = EXPERIMENTS[experiment].load("options")
        shared = {"qrels", "runs", "measures", *_SAVED, *_READING, *_POLICY}
        own = {name: value for name, value in given.items() if name not in shared}
        lists = {option.dest for option in READING if option.default == ()}
        for name in ("qrels", *_READING):
            required = name == "qrels" or given.get(name) is not None
            if required and name not in lists and not isinstance(given.get(name), str):
                raise ExcerptError(f"found {given.get(name)!r} as {name}, expected text")
        return cls(
            experiment,
            given["qrels"],
            _texts(given, "runs"),
            _texts(given, "measures"),
            kind.of(own),
            {name: _texts(given, name) if name in lists else given.get(name) for name in _READING},
            Policy(**{name: given[name] for name in _POLICY if name in given}),
            {name: given[name] for name, usual in _SAVED.items() if given.get(name, usual) != usual},
        )

    def to_dict(self) -> dict[str, Any]:
        """The arguments of `of` as values of JSON."""
        files = {"qrels": self.qrels, "runs": self.runs, "measures": self.measures}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in {
                **files,
                **{option.dest: getattr(self.options, option.dest) for option in self.options.options()},
                **self.reading,
                **asdict(self.policy),
                **self.saved,
            }.items()
        }

    def record(self, inputs: tuple[InputFile, ...] | None = None) -> Record:
        """The record of this request; `inputs` are its files, if they were read already."""
        options = self.to_dict()
        if inputs is None:  # streams, and datasets of other libraries, have no digest
            files = [path for path in self.files() if not is_dataset(path) and not read_once(path)]
            inputs = tuple(map(InputFile.of, files))
            if options["corpus"]:
                inputs += (InputFile.of_corpus(options),)
        return Record(self.experiment, options.get("seed"), inputs, options)

    def files(self) -> list[str]:
        """Files that are read, except those of a corpus; of an index the file with its checksums."""
        values = self.to_dict()
        read = [option for option in (*READING, *self.options.options()) if option.role == "reads"]
        paths = [self.qrels, *self.runs]
        files = [values[each.dest] for each in read if each.holds == "file" and values[each.dest]]
        paths += [name for name in files if name not in WITHIN and not is_pattern(name)]
        indexes = [values[each.dest] for each in read if each.holds == "index" and values[each.dest]]
        return [*paths, *(str(Path(index) / "index.json") for index in indexes)]

    def run(self, **more: Any) -> Outcome:
        """Run the experiment; `more` has a record, workers, cluster and progress, and changes no score."""
        function, options = EXPERIMENTS[self.experiment].load("function"), asdict(self.options)
        outcome: Outcome
        if not is_scores(self.qrels):
            measures = self.measures or None
            outcome = function(self.qrels, self.runs, measures, **options, **self.how(), **more)
            return outcome
        if options.get("qrels2"):
            options["qrels2"] = load_scores(options["qrels2"])
        kept = {name: value for name, value in more.items() if name in {"record", "notices", "progress"}}
        kept |= {name: self.reading[name] for name in ("topics", "only", "exclude") if self.reading.get(name)}
        table = load_all([self.qrels, *self.runs], **self.saved)
        outcome = function(table, measures=self.measures or None, **options, **kept)
        return outcome

    def how(self) -> Evaluating:
        """Options of reading and scoring runs, with index and corpus opened."""
        opening = {option.dest for option in OPENING}
        how = {name: value for name, value in self.reading.items() if value and name not in opening}
        if "index" in how:
            from excerpt.index import OffsetIndex

            how["index"] = OffsetIndex.open(how["index"])
        if "corpus" in how:
            how["corpus"] = open_corpus(self.reading)
        return cast("Evaluating", {**how, "policy": self.policy})


def open_corpus(options: Mapping[str, Any]) -> Corpus:
    """Open the corpus that options name, split into documents by the options."""
    return Corpus.read(
        options["corpus"],
        context=options.get("context") or "paragraph",
        document_tag=options.get("document_tag"),
        id_from=options.get("id_from"),
        include=tuple(options.get("include") or ()),
        encoding=options.get("encoding"),
    )


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    texts = given.get(name) or ()
    if not isinstance(texts, list | tuple) or not all(isinstance(text, str) for text in texts):
        raise ExcerptError(f"found {texts!r} as {name}, expected a list of texts")
    return tuple(texts)


def rerun(
    record: Input,
    *,
    workers: int = 1,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Outcome:
    """Run an experiment again from its JSON output; its files must be unchanged.

    A cluster is used only if `cluster` names one, even if the experiment used one before.
    """
    return SavedOutcome.read(record).run(workers=workers, cluster=cluster, progress=progress)


@dataclass(frozen=True)
class SavedOutcome:
    """Rows and record of an experiment from its JSON output, and the name of that file."""

    rows: tuple[dict[str, Any], ...]
    record: Record
    path: str

    @classmethod
    def parse(cls, text: str, path: str = "record") -> SavedOutcome:
        """Parse the JSON output of an experiment.

        >>> outcome = Outcome(({"measure": "MAiP", "mean": 0.5},), Record("demo", seed=1))
        >>> read = SavedOutcome.parse(outcome.to_json())
        >>> read.rows == outcome.rows, read.record == outcome.record
        (True, True)
        """
        try:
            saved = json.loads(text)
        except (ValueError, RecursionError) as error:
            _reject(path, f"found invalid JSON ({error})")
        try:
            return cls(tuple(map(dict, saved["rows"])), _record(saved["record"], path), path)
        except (KeyError, TypeError, ValueError, AttributeError):
            _reject(path, "found JSON without the rows and the record of an experiment")

    @classmethod
    def read(cls, given: Input) -> SavedOutcome:
        """Read the JSON output of an experiment from a file (`-` is standard input)."""
        return cls.parse(read_bytes(given).decode("utf-8", "replace"), display_name(given))

    def request(self) -> Request:
        """The request of the experiment; raise an error if it cannot be repeated."""
        if not self.record.options:
            raise ExcerptError(
                "the record has no options, so the experiment cannot be repeated from it",
                path=self.path,
                hint="it was made by a call from Python: repeat that call",
            )
        try:
            # Tests were one-sided before there was an option.
            before = {"sides": 1} if self.record.experiment == "compare" else {}
            request = Request.of(self.record.experiment, {**before, **self.record.options})
        except ExcerptError as error:
            raise ExcerptError(error.message, path=self.path, hint=error.hint) from None
        if any(map(read_once, request.files())):
            raise ExcerptError(
                "the experiment read standard input or a pipe and cannot be repeated", path=self.path
            )
        return request

    def require_inputs(self) -> None:
        """Raise an error that names the first input file that has changed or is missing."""
        corpus = self.record.options.get("corpus")
        for item in self.record.inputs:
            is_corpus = item.path == corpus
            noun = "corpus" if is_corpus else "file"
            now = InputFile.of_corpus(self.record.options) if is_corpus else InputFile.of(item.path)
            if now.sha256 != item.sha256:
                raise ExcerptError(
                    f"found digest {now.sha256[:12]}…, expected {item.sha256[:12]}… as in {self.path}",
                    path=item.path,
                    hint=f"the {noun} has changed since the experiment",
                )

    def run(self, **more: Any) -> Outcome:
        """Repeat the experiment with its record; `more` has workers, cluster and progress."""
        if self.record.experiment == TRIAL:
            return cast("Outcome", offered("try_again")(self.record, self.path, **more))
        request = self.request()
        self.require_inputs()
        return request.run(record=self.record, **more)


def first_difference(found: tuple[dict[str, Any], ...], expected: tuple[dict[str, Any], ...]) -> str:
    """First difference between two lists of rows, in words; empty if there is none.

    >>> first_difference(({"recall": 0.5},), ({"recall": 0.25},))
    'row 1: found recall 0.5, expected 0.25'
    >>> first_difference(({"recall": 0.5},), ())
    'found 1 row, expected 0'
    """
    for number, (row, other) in enumerate(zip_longest(found, expected), start=1):
        if row is None or other is None:
            return f"found {plural(len(found), 'row')}, expected {len(expected)}"
        if list(row) != list(other):
            found_columns, other_columns = ", ".join(map(str, row)), ", ".join(map(str, other))
            return f"row {number}: found the columns {found_columns}, expected {other_columns}"
        for column, value in row.items():
            both = [short(json.dumps(each, ensure_ascii=False)) for each in (value, other[column])]
            if json.dumps(value) != json.dumps(other[column]):  # Python takes 1, 1.0 and true for equal
                return f"row {number}: found {column} {both[0]}, expected {both[1]}"
    return ""


def _reject(path: str, found: str) -> NoReturn:
    raise FormatError(
        f"{found}, expected the JSON output of an experiment",
        path=path,
        hint="make it with ⟨output_format=json⟩",
    ) from None


def _record(saved: Any, path: str) -> Record:
    """Rebuild a record from `Record.to_dict`; raise ValueError, KeyError or TypeError for anything else."""
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
    made_with = saved.get("versions", {})
    if not all(map(_is_plain, options.values())) or not all(
        isinstance(text, str) for text in made_with.values()
    ):
        raise ValueError
    return Record(saved["experiment"], seed, inputs, dict(options), saved["version"], dict(made_with))


def _is_plain(value: Any, depth: int = 2) -> bool:
    """Return whether a value is one of options: a text, a number, a list of them, or a list of such lists."""
    if isinstance(value, list) and depth:
        return all(_is_plain(each, depth - 1) for each in value)
    return not isinstance(value, dict | list)
