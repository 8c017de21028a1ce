"""An experiment on files, from what is asked (`Request`) to what it gives: rows and a `Record` of it all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from excerpt import __version__
from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, UnknownName, json_text, plural
from excerpt.experiments.options import Options
from excerpt.experiments.study import Evaluating
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import STDIN, is_scores, read_bytes, read_once
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
