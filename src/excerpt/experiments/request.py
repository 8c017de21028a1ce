"""An experiment on files, as the command line asks for it and a record keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from excerpt.errors import ExcerptError, UnknownName
from excerpt.experiments.given import Evaluating
from excerpt.experiments.options import Options
from excerpt.experiments.outcome import InputFile, Outcome, Record
from excerpt.experiments.table import EXPERIMENTS
from excerpt.files import read_once
from excerpt.model.policy import Policy
from excerpt.model.run import Order

#: How runs are read: names of options, each a text or nothing.
_READING = ("index", "run_format", "qrels_format", "order", "quantisations")
_POLICY = tuple(item.name for item in fields(Policy))
_FILES = ("quantisations", "groups", "qrels2")


@dataclass(frozen=True)
class Request:
    """Which experiment, on which files, by which measures, with which options."""

    experiment: str
    qrels: str
    runs: tuple[str, ...]
    measures: tuple[str, ...]
    options: Options
    #: Index, formats, order, quantisations: as texts.
    reading: dict[str, str | None] = field(default_factory=dict)
    drop_tags: tuple[str, ...] = ()
    policy: Policy = Policy()

    @classmethod
    def of(cls, experiment: str, given: Mapping[str, Any]) -> Request:
        """A request from options by name, each of them checked; unknown ones are refused."""
        if experiment not in EXPERIMENTS:
            raise UnknownName("experiment", experiment, EXPERIMENTS)
        kind: type[Options] = EXPERIMENTS[experiment].load("options")
        files = {"qrels", "runs", "measures", "drop_tags", *_READING, *_POLICY}
        own = {name: value for name, value in given.items() if name not in files}
        for name in ("qrels", *_READING):
            if not isinstance(given.get(name), str) and (name == "qrels" or given.get(name) is not None):
                raise ExcerptError(f"found {given.get(name)!r} as {name}, expected a text")
        return cls(
            experiment,
            given["qrels"],
            _texts(given, "runs"),
            _texts(given, "measures"),
            kind.of(own),
            {name: given.get(name) for name in _READING},
            _texts(given, "drop_tags"),
            Policy(**{name: given[name] for name in _POLICY if name in given}),
        )

    def to_dict(self) -> dict[str, Any]:
        """What `of` takes, in a form that JSON has."""
        own = asdict(self.options)
        files = {"qrels": self.qrels, "runs": self.runs, "measures": self.measures}
        reading = {**self.reading, "drop_tags": self.drop_tags, **asdict(self.policy)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in {**files, **own, **reading}.items()
        }

    def record(self, inputs: tuple[InputFile, ...] | None = None) -> Record:
        """The record of this request; `inputs` are its files, where they were read already."""
        asked = self.to_dict()
        if inputs is None:  # what can be read only once has no digest
            inputs = tuple(InputFile.of(path) for path in self.files() if not read_once(path))
        return Record(self.experiment, asked.get("seed"), inputs, asked)

    def files(self) -> list[str]:
        """Every file that is read."""
        asked = self.to_dict()
        paths = [self.qrels, *self.runs, *(asked[name] for name in _FILES if asked.get(name))]
        if asked["index"]:
            paths.append(str(Path(asked["index"]) / "index.json"))  # which has the check sums of the others
        return paths

    def run(self, **more: Any) -> Outcome:
        """Do it; `more` are a record, and workers, cluster and progress, which change only the time."""
        outcome: Outcome = EXPERIMENTS[self.experiment].load("function")(
            self.qrels, self.runs, self.measures, **asdict(self.options), **self.how(), **more
        )
        return outcome

    def how(self) -> Evaluating:
        """How runs are read and scored, with the index opened."""
        names = self.reading
        how = Evaluating(
            policy=self.policy,
            run_format=names.get("run_format"),
            qrels_format=names.get("qrels_format"),
            order=cast("Order | None", names.get("order")),
            quantisations=names.get("quantisations") or (),
        )
        if names.get("index"):
            from excerpt.index import OffsetIndex

            how["index"] = OffsetIndex.open(str(names["index"]))
        if self.drop_tags:
            how["drop_tags"] = self.drop_tags
        return how


def _texts(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = given.get(name) or ()
    if not isinstance(found, list | tuple) or not all(isinstance(text, str) for text in found):
        raise ExcerptError(f"found {found!r} as {name}, expected a list of texts")
    return tuple(found)
