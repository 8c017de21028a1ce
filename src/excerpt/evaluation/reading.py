"""Reading: how runs and judgments are read, as one value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypedDict, TypeVar, Unpack, cast, get_args

from excerpt.errors import ExcerptError, UnknownName, listed, short
from excerpt.files import Input, is_input, keep_content
from excerpt.formats import read_judgments
from excerpt.formats.reader import arrange_made, ids_of, run_from, without_quotes
from excerpt.formats.source import AnyCorpus, Index, Source, open_corpus, open_index
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments, Question, Unit
from excerpt.model.run import Order, Rows, Run, is_frame
from excerpt.model.scores import ScoreTable
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.evaluation.lengths import Checks
    from excerpt.evaluation.targets import Aim, TargetFilter
    from excerpt.formats.ids import Ids, Segments
    from excerpt.formats.topics import Topic
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex
    from excerpt.model.texts import Texts
    from excerpt.quantise import Quantisation


#: Topics as functions take them: a file of them, or themselves or their texts by id.
AnyTopics: TypeAlias = "Mapping[str, Topic | str] | Input"
V = TypeVar("V", Judgments, ScoreTable)


def with_questions(value: V, topics: AnyTopics, notices: Notices) -> V:
    """Judgments, or scores, with the titles of their topics, and the questions that they do not tell."""
    from excerpt.formats.topics import read_topics

    asked = read_topics(topics, notices=notices)
    asked.check(value.topics, notices)
    questions = dict(value.questions)
    for name in value.topics:
        told, topic = questions.get(name, Question(name)), asked.get(name)
        if topic is not None:
            text = told.text or topic.text or topic.title
            questions[name] = told._replace(text=text, title=topic.title or topic.text)
    return replace(value, questions=questions)


def name_topic(table: ScoreTable, topic: str) -> str:
    """A topic as figures name it: with its title, where a file tells it.

    >>> asked = {"1": Question("1", title="Signing")}
    >>> name_topic(replace(ScoreTable.from_scores({("r", "1", "P"): 0.5}), questions=asked), "1")
    'topic 1: Signing'
    """
    title = table.questions[topic].title if topic in table.questions else ""
    return f"topic {topic}" + (f": {short(title, 40)}" if title else "")


#: What can be mistaken for a run, or for judgments, and what to do with it.
_OURS = {"Chunks": "chunks.run(results) makes a run", "Corpus": "give it as ⟨corpus⟩"}


def reject_wrong_type(given: object) -> None:
    """An error for values of ours that are neither runs nor judgments."""
    kind = type(given)
    if kind.__name__ in _OURS and kind.__module__.startswith("excerpt."):
        raise ExcerptError(f"found {kind.__name__}, expected a run or judgments", hint=_OURS[kind.__name__])


def unreadable(given: object, expected: str) -> ExcerptError:
    """The error for what is nothing to read."""
    return ExcerptError(
        f"found a value of type {type(given).__name__}, expected {expected}, the name of a file, its bytes "
        "or an open file",
        hint=f"{expected.removeprefix('a ')}.of(…) makes one from values",
    )


#: What functions that evaluate take: judgments, runs and measures, as they are, in rows, or by name.
Judged: TypeAlias = Judgments | Input | Rows
Runs: TypeAlias = Iterable[Run | Input | Rows] | Mapping[str, Run | Input | Rows] | Run | Input | Rows
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
    id_pattern: str | re.Pattern[str] | None
    segments: Segments | None
    only: TopicIds
    exclude: TopicIds
    target: Aim | None


class GoldOptions(ReadingOptions, total=False):
    """The same with what a document is in files of questions with evidence."""

    context: Context | None


class CorpusOptions(GoldOptions, total=False):
    """The fields of `Reading`, as keyword arguments of functions that evaluate runs."""

    corpus: AnyCorpus | None
    topics: AnyTopics | None


_QUANTISATIONS = ("quantisations", "values of excerpt.quantise.Quantisation, or a TOML file")


@dataclass(frozen=True)
class Reading:
    """How runs and judgments are read.

    An `index` places element paths in the text; a `corpus` tells how long documents are. Formats are
    recognised unless they are named. `context` is what a document is in files of questions with evidence:
    a `paragraph` or an `article`. `order` puts the results of a topic in the order of the `file`, of
    their `rank` or of their `score`. `drop_tags` leaves out elements with these names, as INEX 2006 did with
    links. `quantisations` are your own, from a TOML file or as values; only these judgments know them.
    `topics` has titles, questions and queries: a file, or texts by id. Ids of passages become documents and
    offsets by `id_pattern`, a regular expression with the groups `document`, `start` and `end`, or by
    `segments`, a table `id document start end`. `only` and `exclude` choose topics, as in `201,205-210`;
    `target` keeps results that the queries of topics ask for, `strict` or `vague`.

    >>> Reading(order="file", drop_tags="weblink").drop_tags
    ('weblink',)
    """

    index: OffsetIndex | None = None
    corpus: Corpus | None = None
    corpus_checks: Checks = "all"
    topics: AnyTopics | None = None
    run_format: str | None = None
    qrels_format: str | None = None
    context: Context | None = None
    order: Order | None = None
    drop_tags: Iterable[str] = ()
    quantisations: Input | Iterable[Quantisation] = ()
    id_pattern: str | re.Pattern[str] | None = None
    segments: Segments | None = None
    only: TopicIds = None
    exclude: TopicIds = None
    target: Aim | None = None
    #: What the queries of topics ask for, where that counts.
    wanted: TargetFilter | None = None
    #: What the settings say.
    choice: TopicChoice = field(init=False, default=TopicChoice())
    ids: Ids | None = field(init=False, default=None)

    @classmethod
    def of(cls, **options: Unpack[CorpusOptions]) -> Reading:
        """The reading that keyword arguments ask for; index and corpus may be the paths of them."""
        known = {*CorpusOptions.__annotations__, *_BESIDE}
        for name in options.keys() - CorpusOptions.__annotations__:
            raise UnknownName("keyword argument", name, known)
        options["topics"] = keep_content(options.get("topics"))  # a stream may be asked again
        options["index"] = open_index(options.get("index"))
        options["corpus"] = open_corpus(options.get("corpus"), options.get("context") or "paragraph")
        return cls(**cast("dict[str, Any]", options))

    def __post_init__(self) -> None:
        if self.order is not None and self.order not in get_args(Order):
            raise UnknownName("order", str(self.order), get_args(Order))
        tags = listed(self.drop_tags, str, "drop_tags", "names of elements")
        object.__setattr__(self, "drop_tags", tags)
        own = self.quantisations
        if not isinstance(own, tuple) or own:
            from excerpt.quantise import Quantisation, read_quantisations

            made = read_quantisations(own) if is_input(own) else listed(own, Quantisation, *_QUANTISATIONS)
            object.__setattr__(self, "quantisations", made)
        if self.target is not None:
            from excerpt.evaluation.targets import check_aim

            check_aim(self.target)
        object.__setattr__(self, "choice", TopicChoice.of(self.only, self.exclude))
        ids = ids_of(self.id_pattern, self.segments)
        object.__setattr__(self, "ids", ids)
        if self.segments is not None:
            object.__setattr__(self, "segments", ids)  # a table is read once

    def aimed(self, topics: AnyTopics | None, notices: Notices) -> Reading:
        """The same with the targets that topics name, where these count."""
        if self.target in (None, "ignore") or self.wanted is not None:
            return self
        from excerpt.evaluation.targets import TargetFilter

        return replace(self, wanted=TargetFilter.of(topics, self.target, self.choice, notices))

    @cached_property
    def texts(self) -> Texts | None:
        """The texts of the corpus, for measures that ask for them."""
        if self.corpus is None:
            return None
        from excerpt.model.texts import Texts

        return Texts(self.corpus.get)

    @property
    def unit(self) -> Unit:
        """What the offsets of runs count."""
        return self.index.unit if self.index else "char"

    def judgments(self, given: Judged, notices: Notices) -> Judgments:
        """Judgments as they are, or read from a file or a folder of files."""
        if not isinstance(given, Judgments):
            given = self._made_judgments(given, notices)
            if self.ids is not None:
                given = self.ids.place_judgments(given, self.corpus)
        given = self.choice.of_judgments(given)
        if self.index is not None and given.mean_length is None:
            given = replace(given, mean_length=self.index.mean_length)
        if self.corpus is not None:
            from excerpt.evaluation.lengths import size_judgments

            given = size_judgments(given, self.corpus, notices, checks=self.corpus_checks)
        if self.topics is not None:
            given = with_questions(given, self.topics, notices)
        own = cast("tuple[Quantisation, ...]", self.quantisations)
        return replace(given, quantisations=own) if own else given

    def _made_judgments(self, given: Input | Rows, notices: Notices) -> Judgments:
        reject_wrong_type(given)
        if is_input(given):
            return read_judgments(
                given,
                format=self.qrels_format,
                index=self.index,
                corpus=self.corpus,
                context=self.context,
                notices=notices,
            )
        if not isinstance(given, Iterable) and not is_frame(given):
            raise unreadable(given, "Judgments")
        return Judgments.of(cast("Rows", given), notices=notices)

    def _made_run(self, given: Run | Input | Rows | Named, notices: Notices) -> Run:
        if isinstance(given, Named):
            reject_wrong_type(given.given)
            return self._made_run(given.given, notices)
        if is_input(given):
            opened = Source.open(given, index=self.index, corpus=self.corpus, notices=notices, kind="run")
            return run_from(opened, self.run_format, self.order, self.ids)
        run = given if isinstance(given, Run) else Run.of("run", cast("Rows", given), notices=notices)
        if self.ids is not None:
            run = self.ids.place_run(run.ordered(self.order or "file"), self.corpus, notices)
        return arrange_made(
            without_quotes(run, self.corpus, self.unit), self.order, index=self.index, notices=notices
        )

    def run(self, given: AnyRun, notices: Notices) -> Run:
        """A run, read from a file where it is one, or made from rows, in the order asked for."""
        run = self.choice.of_run(self._made_run(given, notices))
        if self.wanted is not None:
            run = self.wanted.of_run(run, self.index, notices)
        if isinstance(given, Named) and given.name is not None:
            run = replace(run, name=given.name)
        if self.corpus is None:
            return run
        from excerpt.evaluation.lengths import size_run

        return size_run(run, self.corpus, self.unit, notices, checks=self.corpus_checks)


def read_options(how: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments with those of `Reading` read, for work that evaluates twice.

    >>> read_options({"drop_tags": iter(["a", "b"]), "workers": 2})
    {'drop_tags': ('a', 'b'), 'workers': 2}
    """
    given = {name: how[name] for name in how if name in CorpusOptions.__annotations__}
    reading = Reading.of(**cast("CorpusOptions", given))
    return {**how, **{name: getattr(reading, name) for name in given}}


class Named(NamedTuple):
    """A run, or what it is made from, under the name that it was given."""

    name: str | None
    given: Run | Input | Rows


#: A run as `list_runs` gives it, to be read by `Reading.run`.
AnyRun: TypeAlias = Run | Input | Named


def list_runs(runs: Runs) -> list[AnyRun]:
    """One run, or each of several: an open file, and rows, are one, although they have several lines.

    >>> list_runs({"mine": "a.fol"}), list_runs([("1", "A", 0, 50)])
    ([Named(name='mine', given='a.fol')], [Named(name=None, given=[('1', 'A', 0, 50)])])
    """
    reject_wrong_type(runs)
    if isinstance(runs, Mapping) and _is_scores(runs):
        found: list[Any] = [Named(None, runs)]
    elif isinstance(runs, Mapping):
        found = [Named(str(name), keep_content(run)) for name, run in runs.items()]
    elif isinstance(runs, Run) or is_input(runs):
        found = [runs]
    elif is_frame(runs):
        found = [Named(None, cast("Rows", runs))]
    elif isinstance(runs, Iterable):
        found = list(runs)
        if found and all(map(_is_row, found)):
            found = [Named(None, found)]
    else:
        raise unreadable(runs, "a Run")
    if not found:
        raise ExcerptError("no run was given", hint="a run that finds nothing is {name: []}")
    return list(map(_one_run, found))


def _is_scores(given: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one run: numbers by document, by topic."""
    inner = [value for value in given.values() if isinstance(value, Mapping)]
    numbers = [value for one in inner for value in one.values()]
    return len(inner) == len(given) and bool(numbers) and all(isinstance(value, Real) for value in numbers)


def _is_row(given: object) -> bool:
    """Whether something is one result, not a run: a list of results has no name first."""
    if isinstance(given, list):
        return bool(given) and isinstance(given[0], str | int)
    return isinstance(given, Mapping | tuple) and not isinstance(given, Named)


def one_run(given: Runs, what: str = "the run") -> AnyRun:
    """The run where one is taken, also one without results; an error names `what` was given several.

    >>> one_run({"mine": "a.fol"})
    Named(name='mine', given='a.fol')
    """
    nothing = isinstance(given, list | tuple) and not given
    runs = [Named(None, [])] if nothing else list_runs(given)
    if len(runs) > 1:
        raise ExcerptError(f"found {len(runs)} runs as {what}, expected one")
    return runs[0]


def _one_run(given: Any) -> AnyRun:
    reject_wrong_type(given)
    if isinstance(given, bytearray | memoryview):
        return bytes(given)  # views cannot travel to workers
    if isinstance(given, Run | Named) or is_input(given):
        return given
    if is_frame(given) or (isinstance(given, Iterable) and not isinstance(given, Mapping)):
        return Named(None, given if is_frame(given) else list(given))
    raise unreadable(given, "a Run")
