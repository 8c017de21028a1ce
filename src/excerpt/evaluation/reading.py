"""How runs and judgments are read: one value, whoever asks for it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack, cast, get_args

from excerpt.errors import ExcerptError, UnknownName, listed
from excerpt.evaluation.lengths import Checks, size_judgments, size_run
from excerpt.files import Input, is_input
from excerpt.formats import read_judgments, read_run
from excerpt.formats.reading import arrange_made
from excerpt.formats.source import Index, open_index
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments
from excerpt.model.run import Order, Run
from excerpt.notices import Notices
from excerpt.quantise import Quantisation, read_quantisations

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.index import OffsetIndex


#: What functions that evaluate take: judgments, runs and measures, as they are or by name.
Judged: TypeAlias = Judgments | Input
Runs: TypeAlias = Iterable[Run | Input] | Run | Input
Measures: TypeAlias = Iterable[Measure | str] | Measure | str

#: What the functions that read runs are told besides.
_BESIDE = ("cluster", "notices", "policy", "progress", "workers")


class ReadingOptions(TypedDict, total=False):
    """The fields of `Reading` but for the corpus, as keyword arguments of functions that read runs."""

    index: Index | None
    run_format: str | None
    qrels_format: str | None
    order: Order | None
    drop_tags: Iterable[str]
    quantisations: Input | Iterable[Quantisation]


class CorpusOptions(ReadingOptions, total=False):
    """The fields of `Reading`, as keyword arguments of functions that evaluate runs."""

    corpus: Corpus | str | os.PathLike[str] | Mapping[str, str] | None


_QUANTISATIONS = ("quantisations", "values of excerpt.quantise.Quantisation, or a TOML file")


@dataclass(frozen=True)
class Reading:
    """How runs and judgments are read.

    An `index` places element paths in the text; a `corpus` tells how long documents are. Formats are
    recognised unless they are named. `order` puts the results of a topic in the order of the `file`, of
    their `rank` or of their `score`. `drop_tags` leaves out elements with these names, as INEX 2006 did with
    links. `quantisations` are your own, from a TOML file or as values; only these judgments know them.

    >>> Reading(order="file", drop_tags="weblink").drop_tags
    ('weblink',)
    """

    index: OffsetIndex | None = None
    corpus: Corpus | None = None
    corpus_checks: Checks = "all"
    run_format: str | None = None
    qrels_format: str | None = None
    order: Order | None = None
    drop_tags: Iterable[str] = ()
    quantisations: Input | Iterable[Quantisation] = ()

    @classmethod
    def of(cls, **options: Unpack[CorpusOptions]) -> Reading:
        """The reading that keyword arguments ask for; index and corpus may be the paths of them."""
        known = {*CorpusOptions.__annotations__, *_BESIDE}
        for name in options.keys() - CorpusOptions.__annotations__:
            raise UnknownName("keyword argument", name, known)
        options["index"] = open_index(options.get("index"))
        options["corpus"] = open_corpus(options.get("corpus"))
        return cls(**cast("dict[str, Any]", options))

    def __post_init__(self) -> None:
        if self.order is not None and self.order not in get_args(Order):
            raise UnknownName("order", str(self.order), get_args(Order))
        tags = listed(self.drop_tags, str, "drop_tags", "names of elements")
        object.__setattr__(self, "drop_tags", tags)
        own = self.quantisations
        made = read_quantisations(own) if is_input(own) else listed(own, Quantisation, *_QUANTISATIONS)
        object.__setattr__(self, "quantisations", made)

    def judgments(self, given: Judged, notices: Notices) -> Judgments:
        """Judgments as they are, or read from a file or a folder of files."""
        if not isinstance(given, Judgments):
            if not is_input(given):
                raise _unreadable(given, "Judgments")
            given = read_judgments(given, format=self.qrels_format, index=self.index, notices=notices)
        if self.index is not None and given.mean_length is None:
            given = replace(given, mean_length=self.index.mean_length)
        if self.corpus is not None:
            given = size_judgments(given, self.corpus, notices, checks=self.corpus_checks)
        own = cast("tuple[Quantisation, ...]", self.quantisations)
        return replace(given, quantisations=own) if own else given

    def run(self, given: Run | Input, notices: Notices) -> Run:
        """A run, read from a file where it is one, in the order asked for."""
        if not isinstance(given, Run) and not is_input(given):
            raise _unreadable(given, "a Run")
        how: dict[str, Any] = {"index": self.index, "order": self.order, "notices": notices}
        run = (
            arrange_made(given, **how)
            if isinstance(given, Run)
            else read_run(given, format=self.run_format, **how)
        )
        if self.corpus is None:
            return run
        unit = self.index.unit if self.index else "char"
        return size_run(run, self.corpus, unit, notices, checks=self.corpus_checks)


def open_corpus(given: Corpus | str | os.PathLike[str] | Mapping[str, str] | None) -> Corpus | None:
    """A corpus as it is, or opened where its path is given, or made from texts by id."""
    if given is None:
        return None
    from excerpt.corpus import Corpus

    if isinstance(given, Corpus):
        return given
    return Corpus.read(given) if isinstance(given, str | os.PathLike) else Corpus(given)


def read_options(how: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments with those of `Reading` read, for work that evaluates twice.

    >>> read_options({"drop_tags": iter(["a", "b"]), "workers": 2})
    {'drop_tags': ('a', 'b'), 'workers': 2}
    """
    given = {name: how[name] for name in how if name in CorpusOptions.__annotations__}
    reading = Reading.of(**cast("CorpusOptions", given))
    return {**how, **{name: getattr(reading, name) for name in given}}


def list_runs(runs: Runs) -> list[Run | Input]:
    """One run, or each of several: an open file is one, although it has lines."""
    if isinstance(runs, Run) or is_input(runs):
        runs = [runs]
    if isinstance(runs, dict) or not isinstance(runs, Iterable):
        raise _unreadable(runs, "a Run")
    found = list(cast("Iterable[Run | Input]", runs))
    if not found:
        raise ExcerptError("no run was given")
    # Views of bytes cannot travel to workers.
    return [bytes(run) if isinstance(run, bytearray | memoryview) else run for run in found]


def _unreadable(given: object, expected: str) -> ExcerptError:
    return ExcerptError(
        f"found a value of type {type(given).__name__}, expected {expected}, the name of a file, its bytes "
        "or an open file",
        hint=f"{expected.removeprefix('a ')}.of(…) makes one from values",
    )
