"""Reading: the settings for reading runs and judgments."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    TypeAlias,
    TypedDict,
    TypeVar,
    Unpack,
    cast,
    get_args,
)

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, UnknownName, listed, short
from excerpt.files import Input, is_input, keep_content
from excerpt.formats import read_judgments
from excerpt.formats.reader import arrange_made, copied, ids_of, locate_paths, run_from, without_quotes
from excerpt.formats.source import AnyCorpus, Copies, Index, Source, Unplaced, open_corpus, open_index
from excerpt.measures import Measure
from excerpt.model.judgments import Judgments, OffsetUnit, Question
from excerpt.model.policy import Policy, PolicyOptions
from excerpt.model.run import Order, Rows, Run, is_frame
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Notices
from excerpt.scores.score_table import ScoreTable

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.corpus.text_pass import TextPass
    from excerpt.evaluation.lengths import Checks
    from excerpt.formats.passage_ids import PassageIds, SegmentTable
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex
    from excerpt.model.texts import Texts
    from excerpt.model.tokens import Tokens
    from excerpt.quantise import Quantisation
    from excerpt.queries import Topic
    from excerpt.queries.targets import Aim, TargetFilter


#: Topics as arguments: a topic file, or topics or their texts by id.
AnyTopics: TypeAlias = "Mapping[str, Topic | str] | Input"
V = TypeVar("V", Judgments, ScoreTable)


def with_questions(value: V, topics: AnyTopics, notices: Notices) -> V:
    """Add topic titles, and questions where they are missing, to judgments or scores."""
    read = offered("topics").read_topics(topics, notices=notices)
    read.check(value.topics, notices)
    questions = dict(value.questions)
    for name in value.topics:
        question, topic = questions.get(name, Question(name)), read.get(name)
        if topic is not None:
            text = question.text or topic.text or topic.title
            questions[name] = question._replace(text=text, title=topic.title or topic.text)
    return replace(value, questions=questions)


def name_topic(table: ScoreTable, topic: str) -> str:
    """Label of a topic in figures: its id, and its title if known.

    >>> titles = {"1": Question("1", title="Signing")}
    >>> name_topic(replace(ScoreTable.from_scores({("r", "1", "P"): 0.5}), questions=titles), "1")
    'topic 1: Signing'
    """
    title = table.questions[topic].title if topic in table.questions else ""
    return f"topic {topic}" + (f": {short(title, 40)}" if title else "")


#: Classes that may be mistaken for a run or for judgments, each with a hint.
_WRONG_TYPES = {"Chunks": "chunks.run(results) makes a run", "Corpus": "give it as ⟨corpus⟩"}


def reject_wrong_type(value: object) -> None:
    """Raise if a value is an object of this package that is neither a run nor judgments."""
    kind = type(value)
    if kind.__name__ in _WRONG_TYPES and kind.__module__.startswith("excerpt."):
        hint = _WRONG_TYPES[kind.__name__]
        raise ExcerptError(f"found {kind.__name__}, expected a run or judgments", hint=hint)


def unreadable(value: object, expected: str) -> ExcerptError:
    """Return the error for a value of a type that cannot be read."""
    return ExcerptError(
        f"found a value of type {type(value).__name__}, expected {expected}, a path, bytes or an open file",
        hint=f"{expected.removeprefix('a ')}.of(…) takes values",
    )


#: Arguments of functions that evaluate: judgments, runs and measures as objects, rows, paths or names.
Judged: TypeAlias = Judgments | Input | Rows
Runs: TypeAlias = Iterable[Run | Input | Rows] | Mapping[str, Run | Input | Rows] | Run | Input | Rows
Measures: TypeAlias = Iterable[Measure | str] | Measure | str

#: Other keyword arguments of functions that read runs.
_OTHER_ARGUMENTS = ("cluster", "notices", "policy", "progress", "workers")


class ReadingOptions(TypedDict, total=False):
    """The fields of `Reading` without the corpus, as keyword arguments of functions that read runs."""

    index: Index | None
    run_format: str | None
    qrels_format: str | None
    order: Order | None
    drop_tags: Iterable[str]
    quantisations: Input | Iterable[Quantisation]
    id_pattern: str | re.Pattern[str] | None
    segments: SegmentTable | None
    ids: Literal["exact", "fold"] | None
    only: TopicIds
    exclude: TopicIds
    target: Aim | None
    tokens: Tokens | None
    probabilities: Input | None


class GoldOptions(ReadingOptions, total=False):
    """The same with the unit that is a document in gold files, and the places of evidence that count."""

    context: Context | None
    copies: Copies | None
    unplaced: Unplaced | None


class CorpusOptions(GoldOptions, total=False):
    """The fields of `Reading`, as keyword arguments of functions that evaluate runs."""

    corpus: AnyCorpus | None
    topics: AnyTopics | None


class ViewOptions(GoldOptions, PolicyOptions, total=False):
    """The fields of `GoldOptions` and of `Policy`, as keyword arguments of functions that show text."""


class EvaluationOptions(CorpusOptions, PolicyOptions, total=False):
    """The fields of `Reading` and of `Policy`, as keyword arguments of functions that evaluate runs."""


_QUANTISATIONS = ("quantisations", "values of excerpt.quantise.Quantisation, or a TOML file")


@dataclass(frozen=True)
class Reading:
    """Settings for reading runs and judgments.

    An `index` locates element paths in the text; a `corpus` provides document lengths. Formats are detected
    unless they are named. `context` is the unit that is a document in gold files: a `paragraph` or an
    `article`. With `copies` `any`, every other place in the corpus with the text of relevant text is an
    alternative. `unplaced` is `drop` to leave out quotes that do not occur in their documents. `order` sorts
    the results of a topic by the `file`, by their `rank` or by their `score`.
    `drop_tags` leaves out elements with these names, as INEX 2006 did with links. `quantisations` are your
    own, from a TOML file or as values, and apply to these judgments only. `topics` has titles, questions and
    queries: a file, or texts by id. Passage ids become documents and offsets by `id_pattern`, a regular
    expression with the groups `document`, `start` and `end`, or by `segments`, a table
    `id document start end`. `ids` is `exact` to compare ids of runs and judgments as they are, or `fold` to
    join those that differ in ending, folders, case, leading zeros, Unicode form, dashes, white space around
    them or a #fragment, if that is one to one. `only` and
    `exclude` choose topics, as in `201,205-210`. `target` keeps only elements that the NEXI queries of topics
    name, `strict` or `vague`. `tokens` counts the tokens of results for `cost=tokens`, if the run has none: a
    function that returns the number or a list of the tokens of a text, or the name of a tokenizer.

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
    copies: Copies | None = None
    unplaced: Unplaced | None = None
    order: Order | None = None
    drop_tags: Iterable[str] = ()
    quantisations: Input | Iterable[Quantisation] = ()
    id_pattern: str | re.Pattern[str] | None = None
    segments: SegmentTable | None = None
    ids: Literal["exact", "fold"] | None = None
    only: TopicIds = None
    exclude: TopicIds = None
    target: Aim | None = None
    tokens: Tokens | None = None
    probabilities: Input | None = None
    #: Filter by the targets of the topics' queries, if `target` asks for it.
    wanted: TargetFilter | None = None
    #: Parsed from the settings.
    choice: TopicChoice = field(init=False, default=TopicChoice())
    passage_ids: PassageIds | None = field(init=False, default=None)
    #: Texts that were read; they are kept as long as these settings.
    texts_read: TextPass | None = field(init=False, default=None, repr=False, compare=False)

    @classmethod
    def of(cls, **options: Unpack[CorpusOptions]) -> Reading:
        """Make a `Reading` from keyword arguments; index and corpus may be paths."""
        _reject_unknown(options, CorpusOptions.__annotations__)
        options["topics"] = keep_content(options.get("topics"))  # a stream may be read again
        options["index"] = open_index(options.get("index"))
        options["corpus"] = open_corpus(options.get("corpus"), options.get("context") or "paragraph")
        return cls(**cast("dict[str, Any]", options))

    def __post_init__(self) -> None:
        if self.order is not None and self.order not in get_args(Order):
            raise UnknownName("order", str(self.order), get_args(Order))
        if self.corpus is not None:
            object.__setattr__(self, "texts_read", self.corpus.one_pass())
        tags = listed(self.drop_tags, str, "drop_tags", "names of elements")
        object.__setattr__(self, "drop_tags", tags)
        own = self.quantisations
        if not isinstance(own, tuple) or own:
            from excerpt.quantise import Quantisation, read_quantisations

            several = read_quantisations(own) if is_input(own) else listed(own, Quantisation, *_QUANTISATIONS)
            object.__setattr__(self, "quantisations", several)
        if self.target is not None:
            offered("targets").check_aim(self.target)
        if self.tokens is not None:
            from excerpt.model.tokens import load_tokenizer

            load_tokenizer(self.tokens)  # a wrong name fails before files are read
        object.__setattr__(self, "choice", TopicChoice.of(self.only, self.exclude))
        if self.ids not in (None, "exact", "fold"):
            raise UnknownName("ids", str(self.ids), ["exact", "fold"])
        ids = ids_of(self.id_pattern, self.segments)
        object.__setattr__(self, "passage_ids", ids)
        if self.segments is not None:
            object.__setattr__(self, "segments", ids)  # a table is read once

    def aimed(self, topics: AnyTopics | None, notices: Notices) -> Reading:
        """Return the same with the target filter of the topics, if `target` asks for it."""
        if self.target in (None, "ignore") or self.wanted is not None:
            return self
        wanted = offered("targets").TargetFilter.of(topics, self.target, self.choice, notices)
        return replace(self, wanted=wanted)

    @cached_property
    def texts(self) -> Texts | None:
        """Texts of the corpus, for measures that use them."""
        if self.corpus is None:
            return None
        from excerpt.model.texts import Texts

        return Texts(self.corpus.get)

    @property
    def unit(self) -> OffsetUnit:
        """Unit of the offsets of runs."""
        return self.index.unit if self.index else "char"

    def judgments(self, judged: Judged, notices: Notices) -> Judgments:
        """Return judgments, read from a file or a folder of files unless they are an object."""
        if not isinstance(judged, Judgments):
            judged = self._read_judgments(judged, notices)
            if self.passage_ids is not None:
                judged = self.passage_ids.place_judgments(judged, self.corpus)
        else:
            judged = copied(judged, self.copies, self.corpus)
        if self.probabilities is not None:
            judged = cast("Judgments", offered("pooled_probabilities")(judged, self.probabilities, notices))
        judged = self.choice.of_judgments(judged)
        if self.index is not None and judged.collection_size is None:
            mean = judged.mean_length or self.index.mean_length
            judged = replace(judged, mean_length=mean, collection_size=self.index.characters)
        if self.corpus is not None:
            from excerpt.evaluation.lengths import size_judgments

            names = self._own_ids(judged.documents)
            if names != judged.documents:
                own = dict(zip(judged.documents, names, strict=True))
                quoted = tuple(
                    one._replace(document=own.get(one.document, one.document)) for one in judged.quoted
                )
                known = {own.get(name, name): one for name, one in judged.fingerprints.items()}
                judged = replace(judged, documents=names, quoted=quoted, fingerprints=known)
            judged = size_judgments(judged, self.corpus, notices, checks=self.corpus_checks)
        if self.topics is not None:
            judged = with_questions(judged, self.topics, notices)
        quantisations = cast("tuple[Quantisation, ...]", self.quantisations)
        return replace(judged, quantisations=quantisations) if quantisations else judged

    def _own_ids(self, documents: tuple[str, ...]) -> tuple[str, ...]:
        """Return ids of documents without folders in front of all of them, if only so a corpus knows some."""
        if self.corpus is None or self.ids == "exact":
            return documents
        own = self.corpus.behind_folders(documents)
        return tuple(own.get(name, name) for name in documents) if own else documents

    def _read_judgments(self, judged: Input | Rows, notices: Notices) -> Judgments:
        reject_wrong_type(judged)
        if isinstance(judged, Run):
            raise ExcerptError("found a run, expected judgments", hint="are judgments and run swapped?")
        if not is_input(judged) and not isinstance(judged, Iterable) and not is_frame(judged):
            raise unreadable(judged, "Judgments")
        return read_judgments(
            judged,
            format=self.qrels_format,
            index=self.index,
            corpus=self.corpus,
            context=self.context,
            copies=self.copies,
            unplaced=self.unplaced,
            notices=notices,
        )

    def _read_run(self, given: Run | Input | Rows | Named, notices: Notices) -> Run:
        if isinstance(given, Named):
            _reject_no_run(given.given)
            return self._read_run(given.given, notices)
        rows: Any = None
        if not is_input(given) and not isinstance(given, Run):
            from excerpt.gold.quote_rows import retrieved_rows

            rows = retrieved_rows(given)
            if rows is None and self.corpus is not None and isinstance(given, list | tuple):
                rows = (
                    list(given) if any(isinstance(row, Mapping) and "page" in row for row in given) else None
                )
        if rows is not None or is_input(given):
            inputs: Any = given if rows is None else rows
            opened = Source.open(inputs, index=self.index, corpus=self.corpus, notices=notices, kind="run")
            return run_from(opened, self.run_format, self.order, self.passage_ids)
        if isinstance(given, Run):
            run = given
        else:
            run = locate_paths(Run.of(cast("Rows", given), notices=notices), self.index)
        if self.passage_ids is not None:
            run = self.passage_ids.place_run(run.ordered(self.order or "file"), self.corpus, notices)
        return arrange_made(
            without_quotes(run, self.corpus, self.unit, notices),
            self.order,
            index=self.index,
            notices=notices,
        )

    def run(self, given: AnyRun, notices: Notices, rename: Callable[[Run], Run] | None = None) -> Run:
        """Return a run, read from a file or made from rows, sorted by `order`, with ids by `rename`."""
        run = self._read_run(given, notices)
        if (names := self._own_ids(run.documents)) != run.documents:
            run = run.renamed(run.topics, names)
        run = self.choice.of_run(run if rename is None else rename(run))
        if self.wanted is not None:
            run = self.wanted.of_run(run, self.index, notices)
        if isinstance(given, Named) and given.name is not None:
            run = replace(run, name=given.name)
        if self.tokens is not None and "tokens" not in run.text.costs:
            from excerpt.evaluation.lengths import with_tokens

            run = with_tokens(run, self.tokens, self.corpus if self.unit == "char" else None)
        if self.corpus is None:
            return run
        from excerpt.evaluation.lengths import size_run

        return size_run(run, self.corpus, self.unit, notices, checks=self.corpus_checks)


def _reject_unknown(options: Iterable[str], known: Iterable[str]) -> None:
    """Raise if a name is none of the known keyword arguments."""
    for name in {*options} - {*known}:
        raise UnknownName("keyword argument", name, {*known, *_OTHER_ARGUMENTS} - {name})


def settings_of(policy: Policy | None, options: Mapping[str, Any]) -> tuple[Policy, Reading]:
    """Return the policy and the reading settings of a call; the policy may be given by its fields.

    >>> policy, reading = settings_of(None, {"overlap": "first", "order": "file"})
    >>> policy.overlap, reading.order
    ('first', 'file')
    """
    _reject_unknown(options, EvaluationOptions.__annotations__)
    reading = {name: value for name, value in options.items() if name not in PolicyOptions.__annotations__}
    return Policy.of(policy, options), Reading.of(**cast("CorpusOptions", reading))


def read_options(how: Mapping[str, Any]) -> dict[str, Any]:
    """Read the arguments of `Reading` once, for callers that evaluate twice.

    >>> read_options({"drop_tags": iter(["a", "b"]), "workers": 2})
    {'drop_tags': ('a', 'b'), 'workers': 2}
    """
    given = {name: how[name] for name in how if name in CorpusOptions.__annotations__}
    reading = Reading.of(**cast("CorpusOptions", given))
    return {**how, **{name: getattr(reading, name) for name in given}}


class Named(NamedTuple):
    """A run (object, file or rows) with the caller's name for it."""

    name: str | None
    given: Run | Input | Rows


#: A run as returned by `list_runs`, to be read by `Reading.run`.
AnyRun: TypeAlias = Run | Input | Named


def _reject_no_run(given: object) -> None:
    """Raise if a value is an object of this package, but no run."""
    if isinstance(given, Judgments):
        raise ExcerptError("found judgments, expected a run", hint="are judgments and run swapped?")
    reject_wrong_type(given)


def list_runs(runs: Runs) -> list[AnyRun]:
    """List one run or several; an open file, a list of rows, or texts by question are one run.

    >>> list_runs({"mine": "a.fol"}), list_runs([("1", "A", 0, 50)])
    ([Named(name='mine', given='a.fol')], [Named(name=None, given=[('1', 'A', 0, 50)])])
    >>> list_runs({"Who pays?": ["The tenant pays.", "In May."]})
    [Named(name=None, given={'Who pays?': ['The tenant pays.', 'In May.']})]
    """
    _reject_no_run(runs)
    if isinstance(runs, Mapping) and (_is_scores(runs) or _is_columns(runs) or _is_by_topic(runs)):
        several: list[Any] = [Named(None, runs)]
    elif isinstance(runs, Mapping):
        several = [Named(str(name), keep_content(run)) for name, run in runs.items()]
    elif isinstance(runs, Run) or is_input(runs):
        several = [runs]
    elif is_frame(runs):
        several = [Named(None, cast("Rows", runs))]
    elif isinstance(runs, Iterable):
        several = list(runs)
        if several and all(map(_is_row, several)):
            several = [Named(None, several)]
    else:
        raise unreadable(runs, "a Run")
    if not several:
        raise ExcerptError("no run given", hint="a run without results is {name: []}")
    return list(map(_one_run, several))


def _is_scores(runs: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one run: topics to documents to scores."""
    topics = [documents for documents in runs.values() if isinstance(documents, Mapping)]
    scores = [score for documents in topics for score in documents.values()]
    return len(topics) == len(runs) and bool(scores) and all(isinstance(score, Real) for score in scores)


def _is_columns(runs: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one run: a column under each name."""
    if any(isinstance(column, Run) or is_input(column) for column in runs.values()):
        return False
    from excerpt.records.objects import is_columns

    return is_columns(runs, "result")


def _is_by_topic(runs: Mapping[Any, Any]) -> bool:
    """Return whether a mapping is one run: topics to texts, or to rows and objects that name no topic."""
    firsts = [rows[0] for rows in runs.values() if isinstance(rows, list) and rows]
    if not firsts or not all(isinstance(rows, list) for rows in runs.values()):
        return False
    from excerpt.records.objects import as_mapping
    from excerpt.records.record import by_role
    from excerpt.records.spellings import RowKeys

    def names_no_topic(row: object) -> bool:
        fields = None if isinstance(row, tuple | list) else as_mapping(row, "result")
        return fields is not None and by_role(fields, RowKeys("result")).get("topic") is None

    return all(isinstance(row, str) or names_no_topic(row) for row in firsts)


def _is_row(value: object) -> bool:
    """Return whether a value is one result: a row begins with a topic id, a list of results does not."""
    if isinstance(value, list):
        return bool(value) and isinstance(value[0], str | int)
    if isinstance(value, Mapping | tuple):
        return not isinstance(value, Named)
    if type(value).__module__.startswith("excerpt.") or is_input(value) or is_frame(value):
        return False
    from excerpt.records.objects import as_mapping

    return as_mapping(value, "result") is not None


def one_run(given: Runs, what: str = "the run") -> AnyRun:
    """Return the only run, which may have no results; the error for several names the argument `what`.

    >>> one_run({"mine": "a.fol"})
    Named(name='mine', given='a.fol')
    """
    empty = isinstance(given, list | tuple) and not given
    runs = [Named(None, [])] if empty else list_runs(given)
    if len(runs) > 1:
        raise ExcerptError(f"found {len(runs)} runs as {what}, expected one")
    return runs[0]


def _one_run(given: Any) -> AnyRun:
    _reject_no_run(given)
    if isinstance(given, bytearray | memoryview):
        return bytes(given)  # views cannot travel to workers
    if isinstance(given, Run | Named) or is_input(given):
        return given
    if is_frame(given) or (isinstance(given, Iterable) and not isinstance(given, Mapping)):
        return Named(None, given if is_frame(given) else list(given))
    raise unreadable(given, "a Run")
