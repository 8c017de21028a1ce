"""Runs: ranked results per topic, as columns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    NamedTuple,
    Protocol,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    get_args,
    overload,
)

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, UnknownName, plural, short
from excerpt.model.display import InNotebook
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import os

    from excerpt.model.topic_choice import TopicIds
    from excerpt.notices import Notices

#: Text of each row, None if it has none.
Quotes: TypeAlias = np.ndarray[tuple[int], np.dtype[np.object_]]
#: Kinds of results. `elements` are paths whose offsets are unknown.
ResultKind: TypeAlias = Literal["spans", "documents", "entry points", "elements"]
Order: TypeAlias = Literal["file", "rank", "score"]
_Name = TypeVar("_Name", bound=Hashable)


class Frame(Protocol):
    """A data frame of pandas, polars, Arrow or another library, with columns by name."""

    def __getitem__(self, name: Any, /) -> Any: ...


#: Input of runs and judgments: rows, rows by topic, numbers by topic and document, or a data frame.
Rows: TypeAlias = Iterable[Mapping[str, Any] | tuple[Any, ...]] | Mapping[Any, Any] | Frame


class Result(NamedTuple):
    """One returned element, passage, entry point or document, for humans and tests."""

    topic: str
    document: str
    start: int
    end: int
    score: float | None = None
    path: str | None = None


@dataclass(frozen=True, eq=False)
class RetrievedText:
    """What readers, tokenizers and chunkers know of the text of results beside its places.

    Each column has a value for each result.
    """

    #: Number of characters of each result that does not occur in its document; 0 if it occurs.
    lost: IntArray | None = None
    #: Cost of reading each result by unit, such as `words` or `tokens`. `characters` are those of its own
    #: text, if some texts differ from their spans, and `lead` those in front of the span.
    costs: Mapping[str, IntArray] = field(default_factory=dict)
    #: Quoted text of each result, until it is compared with a corpus.
    quotes: Quotes | None = None
    #: Number of each result's chunk, if the run was made from chunks.
    chunk: IntArray | None = None
    #: Texts of all these chunks, which the model reads.
    texts: Sequence[str] | None = None

    @classmethod
    def of(cls, beside: Mapping[str, IntArray], size: IntArray, quotes: Quotes | None) -> RetrievedText:
        """Make it from `lost` and costs, -1 where a result has no value, sizes of the spans, and quotes."""
        costs = dict(beside)
        lost = costs.pop("lost", None)
        if (own := costs.get("characters")) is not None:
            size = size if lost is None else np.maximum(size, lost)
            costs["characters"] = np.where(own < 0, size, own)
        if "lead" in costs:
            costs["lead"] = np.maximum(costs["lead"], 0)
        return cls(None if lost is None else np.maximum(lost, 0), costs, quotes)

    def take(self, rows: IntArray) -> RetrievedText:
        """Return that of only these results, in this order."""
        return RetrievedText(
            None if self.lost is None else self.lost[rows],
            {name: column[rows] for name, column in self.costs.items()},
            None if self.quotes is None else self.quotes[rows],
            None if self.chunk is None else self.chunk[rows],
            self.texts,
        )


@dataclass(frozen=True, eq=False)
class Run(InNotebook):
    """Results of one system, in rank order inside each topic, topics in order of first appearance.

    A run is a sequence of `Result`; a slice, `topic`, `head`, `only` and `filter` give runs of some results.

    >>> run = Run.of("demo", [("1", "A", 0, 50, 0.9), ("1", "B", 20, 60, 0.8), ("2", "C", 0, 9, 0.7)])
    >>> len(run), run.topics, run[1].document, len(run[:2]), [result.document for result in run.topic("2")]
    (3, ('1', '2'), 'B', 2, ['C'])
    """

    name: str
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: Columns with a value for each result: positions of its topic and its document in the names above, …
    topic_code: IntArray
    document_code: IntArray
    start: IntArray
    end: IntArray
    score: FloatArray
    rank: IntArray
    element: IntArray
    paths: tuple[str, ...] = ()
    kind: ResultKind = "spans"
    source: str = ""
    line: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    #: Row of each result's element in the offset index (-1: none); None if it was not looked up.
    row: IntArray | None = None
    #: True if the results are whole documents, made spans by an index; -1 if a document is not in it.
    whole: bool = False
    #: Length of each document by a corpus, -1 if unknown; None without a corpus.
    lengths: IntArray | None = None
    #: Task that a submission names; other files have none.
    task: str = ""
    text: RetrievedText = field(default_factory=RetrievedText)
    #: Topics with an empty list of results: they are answered, not missing.
    empty: tuple[str, ...] = ()
    #: Fingerprints of the documents' texts to which the offsets belong, as far as they are known.
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        name: str | Rows,
        results: Rows | None = None,
        *,
        kind: ResultKind | None = None,
        notices: Notices | None = None,
    ) -> Run:
        """Make a run from results, tuples, dictionaries or a data frame, with topics in any order.

        Keys and columns may have any name that JSON Lines may have; `{topic: rows}` and `{topic: {document:
        score}}` are also runs. Without a name the run has that of its rows, else `run`. Results without
        offsets are whole documents. Warnings go to `notices`, else to Python's `warnings`.

        >>> rows = [{"query_id": "1", "doc_id": "A", "start_index": 0, "end_index": 50, "tokens": 12}]
        >>> run, other = Run.of("demo", rows), Run.of("other", {"1": {"A": 0.5, "B": 0.7}})
        >>> run[0].end, run.to_dicts()[0]["tokens"], other[0].document
        (50, 12, 'B')
        """
        from excerpt.records.values import run_of

        if results is None and isinstance(name, str):
            hint = "give (name, rows); read_run(path) reads a file"
            raise ExcerptError(f"found no results for the run {short(name)!r}", hint=hint)
        given = ([], name) if results is None else ([name], results)
        return run_of(*given, kind, notices)

    def with_text(self, **columns: Any) -> Run:
        """Return the run with other fields of its `text`."""
        return replace(self, text=replace(self.text, **columns))

    def take(self, rows: IntArray) -> Run:
        """Return the run with only these results, in this order, which must keep topics together."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        taken = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, **taken, text=self.text.take(rows))

    def ordered(self, order: Order) -> Run:
        """Sort each topic's results by rank or descending score, stably.

        Scores of a run of whole documents are compared as by trec_eval: in single precision, ties by
        descending document id.
        """
        if order not in get_args(Order):
            raise UnknownName("order", str(order), get_args(Order))
        if order == "file":
            return self
        if order == "rank":
            return _sorted(self, self.rank)
        if self.kind != "documents" and not self.whole:
            return _sorted(self, -self.score)
        return _ties_by_id(_sorted(self, -single(self.score)))

    def ranked_anew(self) -> Run:
        """Number the ranks from 1 if they do not increase with the order of the results."""
        if not bool(((np.diff(self.rank) < 0) & (np.diff(self.topic_code) == 0)).any()):
            return self
        return replace(self, rank=self._place_in_topic() + 1)

    @property
    def known(self) -> BoolArray:
        """Mask of the results that exist in their document."""
        return self.start >= 0

    @property
    def is_empty(self) -> BoolArray:
        """Mask of the passages of length 0; elements named by their path may be empty."""
        empty = (self.start == self.end) & (self.element < 0) & self.known
        return empty if self.kind == "spans" else np.zeros(len(self), np.bool_)

    def renamed(self, topics: Sequence[str], documents: Sequence[str]) -> Run:
        """Return the run with other ids of its topics and documents; those with equal ids become one."""
        own = zip(self.documents, documents, strict=True) if self.fingerprints else ()
        known = {new: self.fingerprints[old] for old, new in own if old in self.fingerprints}
        (topics, topic), (documents, document) = encode(topics), encode(documents)
        run = replace(self, topics=topics, documents=documents, fingerprints=known)
        run = replace(run, topic_code=topic[self.topic_code], document_code=document[self.document_code])
        return _sorted(run, run.topic_code)

    def __len__(self) -> int:
        return len(self.topic_code)

    @overload
    def __getitem__(self, row: SupportsIndex) -> Result: ...
    @overload
    def __getitem__(self, row: slice | str) -> Run: ...
    def __getitem__(self, row: SupportsIndex | slice | str) -> Result | Run:
        """Return a result by its number; or a run: of a slice of the results, or of a topic."""
        if isinstance(row, str):
            return self.topic(row)
        if isinstance(row, slice):
            return _part(self, np.arange(len(self))[forward(row)])
        try:
            number = range(len(self))[row]
        except TypeError:
            found = f"found {short(repr(row))}, expected a number, a slice or a topic"
            raise TypeError(f"{found}; filter(function) chooses results") from None
        except IndexError:
            raise IndexError(f"found {row}, expected the number of one of {len(self)} results") from None
        return next(_results(self, [number]))

    def __iter__(self) -> Iterator[Result]:
        return _results(self, slice(None))

    def topic(self, name: str) -> Run:
        """Return the results of a topic."""
        from excerpt.model.topic_choice import place_of  # it imports this module

        return _part(self, np.flatnonzero(self.topic_code == place_of(name, self.topics)))

    def head(self, count: int = 10) -> Run:
        """Return the first results of each topic."""
        if not isinstance(count, int) or count < 0:
            raise ExcerptError(f"found {short(repr(count))}, expected a number of results")
        return _part(self, np.flatnonzero(self._place_in_topic() < count))

    def only(self, topics: TopicIds = None, *, exclude: TopicIds = None) -> Run:
        """Return the results of some topics, or of all but some: ids, or text such as `201,205-210`."""
        from excerpt.model.topic_choice import TopicChoice

        mask = TopicChoice.of(topics, exclude).mask(self.topics, known=True)
        return _part(self, np.flatnonzero(mask[self.topic_code]))

    def filter(self, keep: Callable[[Result], object]) -> Run:
        """Return the results for which a function is true."""
        return _part(self, np.array([row for row, result in enumerate(self) if keep(result)], np.int64))

    def _place_in_topic(self) -> IntArray:
        return np.arange(len(self)) - np.searchsorted(self.topic_code, self.topic_code)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each result, with the keys of JSON Lines; `Run.of` reads them."""
        from excerpt.model.dictionaries import result_rows

        return list(result_rows(self))

    def save(
        self,
        path: str | os.PathLike[str],
        format: str | None = None,  # noqa: A002 - the users' word
        *,
        notices: Notices | None = None,
    ) -> None:
        """Write the run to a file, as `excerpt.write_run` does."""
        offered("write_run")(self, path, format, notices=notices)

    def equals(self, other: object) -> bool:
        """Return whether another run has the same name and the same results, in the same order."""
        if not isinstance(other, Run) or (self.kind, self.whole) != (other.kind, other.whole):
            return False
        return len(self) == len(other) and self.to_dicts() == other.to_dicts()

    def __repr__(self) -> str:
        topics = plural(len(self.topics), "topic")
        return f"<Run {self.name!r}: {plural(len(self), 'result')} ({self.kind}) on {topics}>"

    def place(self, row: int) -> str:
        """Location of a result in its file, as `file:line`, for messages."""
        source = self.source or self.name
        return f"{source}:{self.line[row]}" if self.line[row] else source


#: Columns with a value for each result; the last one is optional.
_COLUMNS = (*("topic_code", "document_code", "start", "end", "score", "rank", "element", "line"), "row")


def group_results(
    *,
    name: str,
    topics: tuple[str, ...],
    documents: tuple[str, ...],
    topic: IntArray,
    document: IntArray,
    start: IntArray,
    end: IntArray,
    score: FloatArray | None = None,
    rank: IntArray | None = None,
    element: IntArray | None = None,
    paths: tuple[str, ...] = (),
    kind: ResultKind = "spans",
    source: str = "",
    line: IntArray | None = None,
    beside: Mapping[str, IntArray] | None = None,
    quotes: Quotes | None = None,
) -> Run:
    """Make a run from columns in file order, and those `beside`: `lost`, and the costs of results."""
    rows = len(topic)
    run = Run(
        name=name,
        topics=topics,
        documents=documents,
        topic_code=topic,
        document_code=document,
        start=start,
        end=end,
        score=np.full(rows, np.nan) if score is None else score,
        rank=np.full(rows, UNKNOWN, np.int64) if rank is None else rank,
        element=np.full(rows, -1, np.int64) if element is None else element,
        paths=paths,
        kind=kind,
        source=source,
        line=np.zeros(rows, np.int64) if line is None else line,
        text=RetrievedText.of(beside or {}, end - start, quotes),
    )
    if bool((topic[1:] < topic[:-1]).any()):
        run = run.take(np.argsort(topic, kind="stable"))
    return run


def _results(run: Run, rows: slice | list[int]) -> Iterator[Result]:
    """Yield some results of a run; a score of NaN is none, and so is a path with code -1."""
    columns = (run.topic_code, run.document_code, run.start, run.end, run.score, run.element)
    paths = (*run.paths, None)
    for topic, document, start, end, score, element in zip(
        *(column[rows].tolist() for column in columns), strict=True
    ):
        known = None if math.isnan(score) else score
        yield Result(run.topics[topic], run.documents[document], start, end, known, paths[element])


def _part(run: Run, rows: IntArray) -> Run:
    """Return some results in their order, without the names of other topics and documents."""
    run = run.take(rows)
    (topics, topic), (documents, document) = used(run.topic_code), used(run.document_code)
    return replace(
        run,
        topics=tuple(run.topics[code] for code in topics.tolist()),
        documents=tuple(run.documents[code] for code in documents.tolist()),
        topic_code=topic,
        document_code=document,
        lengths=None if run.lengths is None else run.lengths[documents],
    )


def _sorted(run: Run, keys: IntArray | FloatArray) -> Run:
    """Sort each topic's results by ascending keys, stably; most runs are sorted already."""
    ascends = (keys[:-1] <= keys[1:]) | (run.topic_code[:-1] < run.topic_code[1:])  # False: missing score
    return run if ascends.all() else run.take(np.lexsort((keys, run.topic_code)))


def _ties_by_id(run: Run) -> Run:
    """Sort results of equal score by descending document id, in a run sorted by score."""
    score, topic = single(run.score), run.topic_code
    one, other = score[:-1], score[1:]
    ties = ((one == other) | (np.isnan(one) & np.isnan(other))) & (topic[:-1] == topic[1:])
    if not ties.any():
        return run
    rows = np.flatnonzero(np.append(ties, False) | np.append(False, ties))
    block = np.cumsum(np.append(True, ~ties))[rows]
    codes, which = np.unique(run.document_code[rows], return_inverse=True)
    names = [run.documents[code] for code in codes.tolist()]
    places = np.empty(len(names), np.int64)
    places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    order = np.arange(len(run))
    order[rows] = rows[np.lexsort((-places[which], block))]
    return run.take(order)


def forward(part: slice) -> slice:
    """Return a slice; raise if it would turn the order."""
    if part.step is not None and not (isinstance(part.step, int) and part.step > 0):
        raise ExcerptError(f"found the step {part.step!r}, expected at least 1: the order stays")
    return part


def used(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the codes that occur, ascending, and the position of each row's code among them.

    >>> [column.tolist() for column in used(np.array([4, 1, 4]))]
    [[1, 4], [1, 0, 1]]
    """
    distinct, place = np.unique(codes, return_inverse=True)
    return distinct, place.astype(np.int64)


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame, by its attributes: no library is imported."""
    kind = type(value)
    named = hasattr(kind, "columns") or hasattr(value, "column_names")  # the latter in Arrow and Hugging Face
    return named and hasattr(kind, "__getitem__")


def columns_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a data frame of pandas, polars or Arrow."""
    names = getattr(frame, "column_names", None)  # the name in Arrow
    return list(frame.columns if names is None else names)


def single(scores: FloatArray) -> FloatArray:
    """Return scores in single precision, in which trec_eval compares them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


def encode(names: Sequence[_Name]) -> tuple[tuple[_Name, ...], IntArray]:
    """Return the distinct names in order of first appearance, and the code of each name.

    >>> encode(["b", "a", "b"])[0], encode(["b", "a", "b"])[1].tolist()
    (('b', 'a'), [0, 1, 0])
    """
    codes: defaultdict[_Name, int] = defaultdict(count().__next__)
    column = np.fromiter(map(codes.__getitem__, names), np.int64, len(names))
    return tuple(codes), column
