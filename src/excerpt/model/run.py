"""Runs: ranked results per topic, as columns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, TypeVar, get_args

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short, short_list
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Faults, Gathering, Notices

if TYPE_CHECKING:
    from excerpt.records.results import ResultColumns

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
class Run:
    """Results of one system, in rank order inside each topic, topics in order of first appearance.

    >>> run = Run.of("demo", [Result("1", "A", 0, 50, 0.9), Result("1", "B", 20, 60, 0.8)])
    >>> len(run), run.topics, run[1].document
    (2, ('1',), 'B')
    """

    name: str
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: Of each result: places of its topic in `topics` and of its document in `documents`, …
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
    #: Fingerprints of the documents' texts to which the offsets belong, as far as they are known.
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, name: str, results: Rows, *, kind: ResultKind | None = None, notices: Notices | None = None
    ) -> Run:
        """Make a run from results, tuples, dictionaries or a data frame, with topics in any order.

        Keys and columns may have any name that JSON Lines may have; `{topic: rows}` and `{topic: {document:
        score}}` are also runs. Results without offsets are whole documents. Warnings go to `notices`, else to
        Python's `warnings`.

        >>> rows = [{"query_id": "1", "doc_id": "A", "start_index": 0, "end_index": 50, "tokens": 12}]
        >>> run, other = Run.of("demo", rows), Run.of("other", {"1": {"A": 0.5, "B": 0.7}})
        >>> run[0].end, run.costs["tokens"].tolist(), other[0].document
        (50, [12], 'B')
        """
        from excerpt.records.objects import python_rows
        from excerpt.records.record import Records, list_names
        from excerpt.records.results import read_results

        if kind is not None and kind not in get_args(ResultKind):
            raise UnknownName("kind of run", str(kind), get_args(ResultKind))
        table, faults = python_rows(results, "result", Result._fields, _result, _EXPECTED), Faults("")
        faults.unit = "row"
        with Gathering(notices) as gathered:
            found = read_results(Records(table, "result", faults), gathered, "", searched=True)
        faults.settle()
        if len(found.names) > 1:
            message = f"found rows of the runs {short_list(found.names, 3)}, expected rows of one run"
            raise ExcerptError(message, hint="give {name: rows} with the rows of each")
        (topics, topic), (documents, document) = found.topics, found.documents
        paths, element = encode(found.paths)
        has_path = np.array([bool(path) for path in paths], np.bool_)[element]
        made_of, start, end = _kind_of(kind, found, has_path)
        run = cls.grouped(
            name=list_names([name], "name of a run")[0],
            topics=topics,
            documents=documents,
            topic=topic,
            document=document,
            start=start,
            end=end,
            score=found.score,
            rank=found.rank,
            element=np.where(has_path, element, -1),
            paths=paths,
            kind=made_of,
            beside=found.extra,
            quotes=found.quotes,
        )
        run = replace(run, fingerprints=found.fingerprints)
        by_score = isinstance(results, Mapping) and any(isinstance(row, Mapping) for row in results.values())
        return run.ordered("score") if by_score else run

    @classmethod
    def grouped(
        cls,
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
        costs = dict(beside or {})
        lost = costs.pop("lost", None)
        if (own := costs.get("characters")) is not None:
            size = end - start if lost is None else np.maximum(end - start, lost)
            costs["characters"] = np.where(own < 0, size, own)
        if "lead" in costs:
            costs["lead"] = np.maximum(costs["lead"], 0)
        run = cls(
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
            lost=None if lost is None else np.maximum(lost, 0),
            costs=costs,
            quotes=quotes,
        )
        if bool((topic[1:] < topic[:-1]).any()):
            run = run.take(np.argsort(topic, kind="stable"))
        return run

    def take(self, rows: IntArray) -> Run:
        """Return the run with only these results, in this order, which must keep topics together."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        taken = {name: column[rows] for name, column in columns.items() if column is not None}
        return replace(self, **taken, costs={name: column[rows] for name, column in self.costs.items()})

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
            return self._sorted(self.rank)
        if self.kind != "documents" and not self.whole:
            return self._sorted(-self.score)
        return self._sorted(-single(self.score))._ties_by_id()  # noqa: SLF001 - ours

    def ranked_anew(self) -> Run:
        """Number the ranks from 1 if they do not increase with the order of the results."""
        if not bool(((np.diff(self.rank) < 0) & (np.diff(self.topic_code) == 0)).any()):
            return self
        first = np.searchsorted(self.topic_code, self.topic_code)
        return replace(self, rank=np.arange(1, len(self) + 1) - first)

    def _sorted(self, keys: IntArray | FloatArray) -> Run:
        """Sort each topic's results by ascending keys, stably; most runs are sorted already."""
        ascends = (keys[:-1] <= keys[1:]) | (
            self.topic_code[:-1] < self.topic_code[1:]
        )  # False for a missing score
        return self if ascends.all() else self.take(np.lexsort((keys, self.topic_code)))

    def _ties_by_id(self) -> Run:
        """Sort results of equal score by descending document id, in a run sorted by score."""
        score = single(self.score)
        one, other = score[:-1], score[1:]
        ties = ((one == other) | (np.isnan(one) & np.isnan(other))) & (
            self.topic_code[:-1] == self.topic_code[1:]
        )
        if not ties.any():
            return self
        rows = np.flatnonzero(np.append(ties, False) | np.append(False, ties))
        block = np.cumsum(np.append(True, ~ties))[rows]
        codes, which = np.unique(self.document_code[rows], return_inverse=True)
        names = [self.documents[code] for code in codes.tolist()]
        places = np.empty(len(names), np.int64)
        places[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
        order = np.arange(len(self))
        order[rows] = rows[np.lexsort((-places[which], block))]
        return self.take(order)

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
        return run._sorted(run.topic_code)  # noqa: SLF001 - ours

    def __len__(self) -> int:
        return len(self.topic_code)

    def __getitem__(self, row: int) -> Result:
        score = float(self.score[row])
        element = int(self.element[row])
        return Result(
            self.topics[int(self.topic_code[row])],
            self.documents[int(self.document_code[row])],
            int(self.start[row]),
            int(self.end[row]),
            None if np.isnan(score) else score,
            self.paths[element] if element >= 0 else None,
        )

    def __iter__(self) -> Iterator[Result]:
        return (self[row] for row in range(len(self)))

    def __repr__(self) -> str:
        topics = plural(len(self.topics), "topic")
        return f"<Run {self.name!r}: {plural(len(self), 'result')} ({self.kind}) on {topics}>"

    def place(self, row: int) -> str:
        """Location of a result in its file, as `file:line`, for messages."""
        source = self.source or self.name
        return f"{source}:{self.line[row]}" if self.line[row] else source


#: Columns with a value for each result; the last four are optional.
_COLUMNS = (
    *("topic_code", "document_code", "start", "end", "score", "rank", "element", "line"),
    *("row", "lost", "quotes", "chunk"),
)


def is_frame(value: object) -> bool:
    """Return whether a value is a data frame, by its attributes: no library is imported."""
    kind = type(value)
    named = hasattr(kind, "columns") or hasattr(value, "column_names")  # the latter in Arrow and Hugging Face
    return named and hasattr(kind, "__getitem__")


def columns_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a data frame of pandas, polars or Arrow."""
    names = getattr(frame, "column_names", None)  # the name in Arrow
    return list(frame.columns if names is None else names)


def _kind_of(
    kind: ResultKind | None, found: ResultColumns, has_path: BoolArray
) -> tuple[ResultKind, IntArray, IntArray]:
    """Kind, start and end of results; those without a place are elements by their path, or documents."""
    start, end, known = found.start, found.end, found.placed | has_path
    if len(known) and not known.any():
        if kind not in (None, "documents"):
            where = (
                f"in document {short(found.documents.distinct[0])} of topic {short(found.topics.distinct[0])}"
            )
            raise ExcerptError(f"start and end are missing {where}")
        return "documents", np.zeros_like(start), np.ones_like(end)
    if kind == "elements" and len(start) and bool((start >= 0).all()):
        kind = "spans"  # with paths: the offsets of elements are unknown
    return kind or ("elements" if bool((~found.placed & has_path).any()) else "spans"), start, end


def single(scores: FloatArray) -> FloatArray:
    """Return scores in single precision, in which trec_eval compares them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)


_EXPECTED = "results: topic, document, start, end, and perhaps score and path"


def _result(row: Any) -> tuple[Any, ...]:
    if isinstance(row, Result):
        return row
    if isinstance(row, tuple | list) and 4 <= len(row) <= len(Result._fields):
        return Result(*row)
    raise ExcerptError(
        f"found {row!r:.80} as a result, expected topic, document, start, end, and perhaps score and path"
    )


def encode(names: Sequence[_Name]) -> tuple[tuple[_Name, ...], IntArray]:
    """Return the distinct names in order of first appearance, and the code of each name.

    >>> encode(["b", "a", "b"])[0], encode(["b", "a", "b"])[1].tolist()
    (('b', 'a'), [0, 1, 0])
    """
    codes: defaultdict[_Name, int] = defaultdict(count().__next__)
    column = np.fromiter(map(codes.__getitem__, names), np.int64, len(names))
    return tuple(codes), column
