"""Score tables of runs, topics and measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short, short_list
from excerpt.model.judgments import Question
from excerpt.model.spans import FloatArray, IntArray, exact_means
from excerpt.notices import Gathering
from excerpt.scores.score_outputs import ScoreOutputs

if TYPE_CHECKING:
    from excerpt.estimates.sampling_errors import SamplingErrors
    from excerpt.scores.score_views import DocumentScores


def find_measure(
    name: str, measures: Iterable[str], aliases: Mapping[str, str], others: Mapping[str, str] | None = None
) -> str | None:
    """Name of a measure in a table; None if it lacks it. `others` are aliases where the name comes from.

    >>> find_measure("iP@0.01", ["MAiP", "iP[0.01]"], {})
    'iP[0.01]'
    """
    source = aliases if others is None else others
    own = {other: _meaning(aliases.get(other, other)) for other in measures}
    # With judgments of whole documents, everyday names mean document measures.
    first = any(value_of(name) != value_of(meant) for name, meant in aliases.items())
    # A name without an alias in its own table is not an everyday name, or means a measure of text.
    for documents in [False] if name in source or others is not None else [first, not first]:
        meant = _meaning(source.get(name, name), documents=documents)
        for other, meaning in own.items():
            if meant == meaning:
                return other
            if name == other:
                raise ExcerptError(f"found {name} for two measures, {meant} and {meaning}, expected one")
    return None


def _meaning(name: str, *, documents: bool = False) -> object:
    return value_of(name, documents=documents) or name


def value_of(measure: str, *, documents: bool = False) -> object:
    """Parse the name of a measure; None if it is unknown."""
    from excerpt.measures import parse

    try:
        return parse(measure, documents=documents)
    except ExcerptError:
        return None


def alias_notes(aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Line below a table that explains everyday names.

    >>> alias_notes({"AP": "articleAP", "P@5": "articleP@5"})
    ('AP = articleAP, P@5 = articleP@5',)
    """
    return (", ".join(f"{name} = {meant}" for name, meant in aliases.items()),) if aliases else ()


def is_share(measure: str) -> bool:
    """Return whether scores of a measure are from 0 to 1, and more is better; False for amounts like `read`.

    >>> is_share("nxCG@10"), is_share("xCG@10"), is_share("my own")
    (True, False, True)
    """
    return bool(getattr(value_of(measure), "is_share", True))


#: Record of what scores were made with, or a function that makes it; empty if a file has none.
ScoreOrigin: TypeAlias = Mapping[str, Any] | Callable[[], Mapping[str, Any]] | None

#: Why a measure decides that was not chosen by the judgments.
NAMED_FIRST = "it was named first"

#: A table with more cells must not be almost empty, since every cell needs memory.
_MANY, _SPARSE = 10_000_000, 100


class Score(NamedTuple):
    """One score; NaN if it is undefined."""

    run: str
    topic: str
    measure: str
    score: float


@dataclass(frozen=True, eq=False)
class ScoreTable(ScoreOutputs):
    """Scores of runs on topics by measures; NaN if a topic does not count for a run and a measure.

    >>> table = ScoreTable(("r",), ("r.fol",), ("1", "2"), ("MAiP",), np.array([[[0.5], [0.25]]]))
    >>> table.mean("r", "MAiP"), table["r", "1", "MAiP"]
    (0.375, 0.5)
    >>> ScoreTable.from_json(table.to_json()).mean("r", "MAiP")
    0.375
    """

    runs: tuple[str, ...]
    files: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray
    warnings: tuple[str, ...] = ()
    #: Meanings of everyday names, by the names that were given: `charR@5` for `recall@5`.
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Questions by topic, if the judgments have them.
    questions: Mapping[str, Question] = field(default_factory=dict)
    #: Document of each topic that has relevant text in one document only.
    single_documents: Mapping[str, str] = field(default_factory=dict)
    #: Default set of measures that the judgments chose (empty if measures were given), and why its first
    #: measure decides.
    set: str = ""
    why: str = NAMED_FIRST
    #: Source of `made_with`; None for a table that was made by hand.
    origin: ScoreOrigin = None
    #: Share of the questions in which results end before a budget, by run and measure with a budget.
    short: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    #: Topics with relevant text that a run does not have, by run; an empty list of results is not missing.
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    unplaced: int = 0  # number of quotes of the judgments that were not found and left out
    #: Whether whole documents were judged: everyday names then have their usual meaning, without a note.
    documents_judged: bool = False
    #: Scores of the same runs and topics for a second opinion on the headline.
    beside: ScoreTable | None = None
    #: What is known of the means besides, by run, key and measure: of ceilings `upper` (no list exceeds it),
    #: `lost_unit`, `lost_choice`, `lost_ranking`; of samples `estimate` and its errors. Not saved.
    gaps: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    sampling: SamplingErrors | None = None  # errors of estimates from sampled judgments; not saved
    #: Function that scores the documents of the runs, if a measure does; neither saved nor pickled.
    score_documents: Callable[[ScoreTable], DocumentScores] | None = None

    @property
    def measure_note(self) -> str:
        """Default set of measures and the reason for it, as a line of text; empty if measures were given."""
        return f"measures: {self.set}, since {self.why}" if self.set else ""

    @property
    def headline(self) -> str:
        """The measure that decides: the first one."""
        return self.measures[0] if self.measures else ""

    @property
    def decisive(self) -> tuple[str, ...]:
        """Measures of comparisons and gates: the headline of a default set, else all that were named."""
        return self.measures[:1] if self.set else self.measures

    def decided(self) -> dict[str, str | None]:
        """Set, headline and why, as in JSON; the set is None if measures were given."""
        return {"set": self.set or None, "headline": self.headline, "why": self.why}

    @property
    def made_with(self) -> dict[str, Any] | None:
        """Judgments and settings of the scores, or None if unknown.

        `judgments` and `topics` have SHA-256 hashes of the meaning of the judgments; further keys are
        `policy`, `limit`, `white_space`, `measures` and `excerpt`, the version.
        """
        record = self.origin() if callable(self.origin) else self.origin
        if not record:
            return None
        parts = {
            name: {key: record[name][key] for key in keys if key in record[name]}
            for name, keys in (("topics", self.topics), ("measures", self.measures))
        }
        return {**record, **parts}

    @property
    def short_of_budget(self) -> dict[str, float]:
        """Largest share of the questions in which a run's results end before the budget of a measure."""
        shares = {
            run: [share for name, share in self.short.get(run, {}).items() if name in self.measures]
            for run in self.runs
        }
        return {run: max(several) for run, several in shares.items() if several}

    def mean(self, run: str, measure: str) -> float:
        """Mean over the topics with a defined score; NaN if there is none."""
        scores = self.values[self.place("run", run), :, self.place("measure", measure)]
        return float(exact_means(scores[None])[0])

    def means(self) -> FloatArray:
        """Means over topics, a row per run, a column per measure."""
        return exact_means(np.moveaxis(self.values, 1, 2))

    def select(self, measures: Iterable[str]) -> ScoreTable:
        """Return the table of some of its measures, in any spelling."""
        places = list(dict.fromkeys(self.place("measure", name) for name in measures))
        names = tuple(self.measures[place] for place in places)
        aliases = {name: meant for name, meant in self.aliases.items() if name in names}
        why, values = NAMED_FIRST, self.values[:, :, places]
        return replace(self, measures=names, values=values, aliases=aliases, set="", why=why)

    def of_topics(self, places: Sequence[int] | IntArray) -> ScoreTable:
        """Return the table of the topics at some positions."""
        topics = tuple(self.topics[place] for place in places)
        beside = self.beside and self.beside.of_topics(places)
        return replace(self, topics=topics, values=self.values[:, places], beside=beside)

    def of_runs(self, places: Sequence[int] | IntArray) -> ScoreTable:
        """Return the table of the runs at some positions, without scores of documents."""
        runs, files = (tuple(names[place] for place in places) for names in (self.runs, self.files))
        values, beside = self.values[places], self.beside and self.beside.of_runs(places)
        return replace(self, runs=runs, files=files, values=values, score_documents=None, beside=beside)

    def __add__(self, other: ScoreTable) -> ScoreTable:
        """Combine runs and measures of two tables of the same topics."""
        return self.join(other) if isinstance(other, ScoreTable) else NotImplemented

    def join(self, other: ScoreTable, *, changed_judgments: str = "error") -> ScoreTable:
        """Combine runs and measures of two tables of the same topics, judgments and settings, as `+` does.

        `changed_judgments="allow"` keeps only the topics whose judgments did not change.
        """
        from excerpt.scores.provenance import reconcile  # few evaluations need it

        with Gathering(None) as notices:
            table = join_tables(*reconcile([self, other], changed_judgments, notices))
        return replace(table, warnings=(*table.warnings, *notices))

    def rename(self, names: Mapping[str, str]) -> ScoreTable:
        """Rename runs: `table.rename({"bm25": "main"})`."""
        return rename_runs(self, names)

    @overload
    def __getitem__(self, key: str) -> dict[str, float]: ...
    @overload
    def __getitem__(self, key: tuple[str, str, str]) -> float: ...
    def __getitem__(self, key: str | tuple[str, str, str]) -> dict[str, float] | float:
        """Return the score of a run on a topic by a measure; for a run alone, its means by measure."""
        if isinstance(key, str):
            row = self.means()[self.place("run", key)]
            return dict(zip(self.measures, row.tolist(), strict=True))
        if not isinstance(key, tuple) or len(key) != 3:
            raise ExcerptError(f"found {key!r}, expected a run, or a run, a topic and a measure")
        run, topic, measure = key
        places = self.place("run", run), self.place("topic", topic), self.place("measure", measure)
        return float(self.values[places])

    def place(self, axis: Literal["run", "topic", "measure"], name: str) -> int:
        """Position of a run, a topic or a measure (in any spelling) on its axis."""
        names = {"run": self.runs, "topic": self.topics, "measure": self.measures}[axis]
        if name in names:
            return names.index(name)
        own = find_measure(name, names, self.aliases) if axis == "measure" else None
        if own is None:
            raise UnknownName(axis, name, names)
        return names.index(own)

    def __iter__(self) -> Iterator[Score]:
        for i, run in enumerate(self.runs):
            for j, topic in enumerate(self.topics):
                for k, measure in enumerate(self.measures):
                    yield Score(run, topic, measure, float(self.values[i, j, k]))

    def notes(self) -> tuple[str, ...]:
        """Lines below the table: the default set of measures, and the meanings of everyday names."""
        default = (self.measure_note,) if self.measure_note else ()
        own = {name: meant for name, meant in self.aliases.items() if name in self.measures}
        names = () if self.documents_judged else alias_notes(own)
        return (*default, *(self.sampling.remarks if self.sampling else ()), *names)

    def documents(self) -> DocumentScores:
        """Scores of every document that the runs return, by the table's gP or AgP.

        The runs are read again, unless they are objects in memory.

        >>> import excerpt
        >>> gold = excerpt.Judgments.of([("1", excerpt.Span("A", 0, 40))])
        >>> run = excerpt.Run.of("r", [("1", "B", 0, 9), ("1", "A", 20, 60)])
        >>> print(excerpt.evaluate(gold, run, "gP@10").documents())
        run  topic  rank  document       P       R       F   score      gP
        ------------------------------------------------------------------
        r    1      1     B         0.0000  0.0000  0.0000  0.0000  0.0000
        r    1      2     A         0.5000  0.5000  0.5000  0.5000  0.2500
        """
        if self.score_documents is not None:
            return self.score_documents(self)
        if any(getattr(value_of(name), "document_score", None) for name in self.measures):
            message = "saved scores do not include those of documents"
            raise ExcerptError(message, hint="give the judgments and the runs")
        found = f"found {short_list(self.measures, 3)}"
        raise ExcerptError(f"{found}, expected a measure that scores documents: gP or AgP")

    def __getstate__(self) -> dict[str, Any]:
        # Functions refer to judgments and runs, which may be open files.
        return {**self.__dict__, "score_documents": None, "origin": self.made_with or self.origin}

    def __repr__(self) -> str:
        shape = f"{plural(len(self.runs), 'run')}, {plural(len(self.topics), 'topic')}"
        return f"<ScoreTable: {shape}, {short(', '.join(self.measures))}>"

    @classmethod
    def from_scores(cls, scores: Mapping[tuple[str, str, str], float | None]) -> ScoreTable:
        """Make a table from scores by (run, topic, measure); missing scores are undefined."""
        runs, topics, measures = (tuple(dict.fromkeys(key[axis] for key in scores)) for axis in range(3))
        cells = len(runs) * len(topics) * len(measures)
        if cells > max(_MANY, _SPARSE * len(scores)):
            raise ExcerptError(
                f"found {len(scores)} scores for {cells} cells ({plural(len(runs), 'run')}, "
                f"{plural(len(topics), 'topic')}, {plural(len(measures), 'measure')}), expected most of them"
            )
        values = np.full((len(runs), len(topics), len(measures)), np.nan)
        places = [{name: i for i, name in enumerate(axis)} for axis in (runs, topics, measures)]
        for (run, topic, measure), score in scores.items():
            if score is not None:
                values[places[0][run], places[1][topic], places[2][measure]] = score
        return cls(runs, runs, topics, measures, values)


def join_tables(first: ScoreTable, second: ScoreTable) -> ScoreTable:
    """Combine comparable tables; each run needs scores by each measure, and common scores must agree."""
    from excerpt.scores.provenance import merged

    second, own = _aligned(first, second)
    names = (*first.measures, *(name for name, in_first in own.items() if in_first is None))
    runs = tuple(dict.fromkeys(first.runs + second.runs))
    values = np.full((len(runs), len(first.topics), len(names)), np.nan)
    filled = np.zeros((len(runs), len(names)), np.bool_)
    for table in (first, second):
        for place, name in enumerate(table.measures):
            measure = names.index(name if table is first else own[name] or name)
            for number, run in enumerate(table.runs):
                row = runs.index(run)
                scores = table.values[number, :, place]
                same = np.array_equal(values[row, :, measure], scores, equal_nan=True)
                if filled[row, measure] and not same:
                    found = f"found other scores of run {short(run)} by {name} in the second table"
                    hint = 'different runs need different names: table.rename({"old": "new"})'
                    raise ExcerptError(f"{found}, expected the same scores", hint=hint)
                values[row, :, measure], filled[row, measure] = scores, True
    if not filled.all():
        row, measure = np.argwhere(~filled)[0].tolist()
        fault = f"run {short(runs[row])} has no scores by {names[measure]}"
        raise ExcerptError(f"{fault}; every run needs scores by every measure")
    files = dict(zip(second.runs + first.runs, second.files + first.files, strict=True))
    return ScoreTable(
        runs,
        tuple(files[run] for run in runs),
        first.topics,
        names,
        values,
        tuple(dict.fromkeys(first.warnings + second.warnings)),
        aliases={**second.aliases, **first.aliases},
        questions={**second.questions, **first.questions},
        single_documents={**second.single_documents, **first.single_documents},
        origin=merged([first, second]),
        missing={**second.missing, **first.missing},
        short={
            run: {
                **{own[name] or name: share for name, share in second.short.get(run, {}).items()},
                **first.short.get(run, {}),
            }
            for run in runs
        },
    )


def _aligned(first: ScoreTable, second: ScoreTable) -> tuple[ScoreTable, dict[str, str | None]]:
    """Sort the topics of the second table as in the first; also map its measures to names in the first."""
    same_topics(first, second)
    places = {topic: place for place, topic in enumerate(second.topics)}
    known = first.measures, first.aliases, second.aliases
    own = {name: find_measure(name, *known) for name in second.measures}
    return second.of_topics([places[topic] for topic in first.topics]), own


def other_runs(first: ScoreTable, second: ScoreTable) -> list[str]:
    """List the runs that have other scores in the second table, so that they are different runs."""
    second, own = _aligned(first, second)
    common = [(first.place("measure", name), place) for place, name in enumerate(own.values()) if name]
    mine, theirs = (list(columns) for columns in zip(*common, strict=True)) if common else ([], [])
    others = []
    for run, scores in zip(second.runs, second.values[:, :, theirs], strict=True):
        if run in first.runs:
            own_scores = first.values[first.runs.index(run)][:, mine]
            others += [] if np.array_equal(own_scores, scores, equal_nan=True) else [run]
    return others


def same_topics(first: ScoreTable, second: ScoreTable) -> None:
    """Raise if two tables do not have the same topics."""
    for one, other, where in ((first, second, "first"), (second, first, "second")):
        others = set(other.topics)
        only = [topic for topic in one.topics if topic not in others]
        if only:
            raise ExcerptError(
                f"found topic{'s' if len(only) > 1 else ''} {short_list(only, 3)} only in the {where} table, "
                "expected the same topics in both"
            )


def rename_runs(table: ScoreTable, names: Mapping[str, str]) -> ScoreTable:
    """Rename some runs of a table."""
    for name in names:
        table.place("run", name)
    runs = tuple(names.get(run, run) for run in table.runs)
    if len(set(runs)) < len(runs):
        twice = next(name for name in runs if runs.count(name) > 1)
        raise ExcerptError(f"found the name {short(twice)} for two runs, expected different names")
    shares = {names.get(run, run): several for run, several in table.short.items()}
    gaps = {names.get(run, run): several for run, several in table.gaps.items()}
    sampling = table.sampling and table.sampling.renamed(names)
    missing = {names.get(run, run): topics for run, topics in table.missing.items()}
    beside = table.beside and replace(table.beside, runs=runs)
    return replace(
        table, runs=runs, short=shares, beside=beside, missing=missing, gaps=gaps, sampling=sampling
    )
