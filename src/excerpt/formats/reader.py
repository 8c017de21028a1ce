"""Readers of runs and judgments; results in the order of file, rank or score."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, FormatError, short
from excerpt.files import Input, is_folder
from excerpt.formats.registry import judgments_format_of, run_format_of
from excerpt.formats.source import AnyCorpus, Index, Source, open_corpus, open_index
from excerpt.model.judgments import Judgments, Scale, Unit
from excerpt.model.run import Kind, Order, Run, encode
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.ids import Ids, Segments
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex


def read_run(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    order: Order | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    notices: Notices | None = None,
) -> Run:
    """Read a run: a file by its path, its bytes, or an open file; paths become spans if an index is given.

    `order` is `file`, `rank` or `score`; by default `file`, but `score` for TREC runs. Ids of passages become
    documents and offsets by `id_pattern`, a regular expression with groups `document`, `start` and `end`, or
    by `segments`, a table `id document start end`. A `corpus` tells whether texts are where a file says.
    """
    with Gathering(notices) as gathered:
        opened = Source.open(source, index=index, corpus=corpus, notices=gathered, kind="run")
        return run_from(opened, format, order, ids_of(id_pattern, segments))


def run_from(
    source: Source, name: str | None = None, order: Order | None = None, ids: Ids | None = None
) -> Run:
    """The run in a source."""
    chosen = run_format_of(source, name)
    run = chosen.read(source if ids is None else replace(source, ids=ids))
    source.faults.settle()
    if source.faults:  # kept: ranks and scores may be among what is wrong
        return run
    if ids is not None and not chosen.reads_ids:
        run = ids.place_run(run.ordered(order or chosen.order), source.corpus, source.notices)
    run = without_quotes(run, source.corpus, source.index.unit if source.index else "char")
    return arrange(run, order or chosen.order, index=source.index, notices=source.notices)


def ids_of(pattern: str | re.Pattern[str] | None, segments: Segments | None) -> Ids | None:
    """The places of ids by a pattern or by a table of segments, where there is one of them."""
    if pattern is None and segments is None:
        return None
    from excerpt.formats.ids import Ids

    return Ids.of(pattern, segments)


def without_quotes(run: Run, corpus: Corpus | None, unit: Unit) -> Run:
    """The run without its quotes, where a corpus has the texts that they should be."""
    if corpus is None or run.quotes is None:
        return run
    from excerpt.formats.quoted_text import check_quotes

    return check_quotes(run, corpus, unit)


def arrange(run: Run, order: Order, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """Put the results of each topic into the order asked for; whole documents become spans by an index."""
    name = run.source or run.name
    if order == "rank" and bool((run.rank == UNKNOWN).any()):
        raise ExcerptError(
            "found results without a rank, expected a rank for each",
            path=name,
            hint="try ⟨order=file⟩ or ⟨order=score⟩",
        )
    if order == "score" and bool(np.isnan(run.score).any()):
        raise ExcerptError(
            "found results without a score, expected a score for each",
            path=name,
            hint="try ⟨order=file⟩ or ⟨order=rank⟩",
        )
    if order == "file":
        _warn_unsorted(notices, run, "ranks", np.where(run.rank == UNKNOWN, np.nan, run.rank))
        _warn_unsorted(notices, run, "scores", -run.score)
    return _size_documents(run.ordered(order), index)


def arrange_made(run: Run, order: Order | None, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """As `arrange`, for a run that was read or made before: it may have been put in order by rank."""
    if order is not None:
        return arrange(run, order, index=index, notices=notices)
    if bool((run.rank == UNKNOWN).any()) or bool(_descents(run, run.rank).any()):
        _warn_unsorted(notices, run, "scores", -run.score)
    return _size_documents(run, index)


def _descents(run: Run, keys: IntArray | FloatArray) -> BoolArray:
    """Where a result has a smaller key than the one before it (NaN never has)."""
    falls: BoolArray = (keys[1:] < keys[:-1]) & (np.diff(run.topic) == 0)
    return falls  # no differences of keys: scores may be infinite


def _warn_unsorted(notices: Notices, run: Run, what: str, keys: FloatArray) -> None:
    """Count the topics whose results do not ascend by `keys`."""
    falling = np.zeros(len(run.topics), np.bool_)
    falling[run.topic[1:][_descents(run, keys)]] = True
    notices.add_marked(
        f"topic's results are not in the order of their {what}; the order given counts",
        falling,
        lambda topic: f"topic {short(run.topics[topic])} of {run.source or run.name}",
    )


def _size_documents(run: Run, index: OffsetIndex | None) -> Run:
    """Whole documents become spans where the index knows their length; an error where it knows none."""
    if index is None:
        return run
    codes = index.document_codes(run.documents)
    if len(codes) and not (codes >= 0).any():
        raise FormatError(
            f"found none of its documents in the index (such as {short(run.documents[0])}), "
            "expected the same corpus",
            path=run.source or run.name,
        )
    if run.kind != "documents":
        return run
    sizes = index.document_sizes(codes)
    end = sizes[run.document] if len(run) else run.document
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end, whole=True)


def read_judgments(
    source: Input,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    notices: Notices | None = None,
) -> Judgments:
    """Read judgments: a path, bytes or an open file; or all files of a folder with one file per topic.

    Questions with evidence that others made are judgments, too: their quotes are compared with the `corpus`.
    `context` says what is a document where such a file has articles of paragraphs. Ids of judged passages
    become documents and offsets as in `read_run`.
    """
    ids = ids_of(id_pattern, segments)
    with Gathering(notices) as gathered:
        opened = open_corpus(corpus, context or "paragraph")
        how: dict[str, Any] = {"index": open_index(index), "corpus": opened, "context": context}
        if isinstance(source, str | os.PathLike) and is_folder(source):
            judgments = _read_folder(os.fspath(source), format, how, gathered)
        else:
            judgments = judgments_from(Source.open(source, notices=gathered, **how), format)
    return _placed(judgments, ids, opened)


def read_gold(
    source: Input,
    corpus: AnyCorpus | None = None,
    *,
    context: Context = "paragraph",
    format: str | None = None,  # noqa: A002 - the users' word
    notices: Notices | None = None,
) -> Judgments:
    """Read questions with their evidence, in the files people have; any judgments can be read so.

    >>> gold = read_gold(b'{"tests": [{"query": "When?", "snippets": [{"file_path": "a", "span": [3, 9]}]}]}')
    >>> gold.questions["1"].text, gold.highlights("1")
    ('When?', [Span(document='a', start=3, end=9)])

    With a `corpus` (or where the file has the texts of its documents) quotes are verified: what is not where
    its offsets say is moved to its words, what stands nowhere is refused. `context` is `paragraph` or
    `article`: what a document is in the SQuAD family.
    """
    return read_judgments(source, format=format, corpus=corpus, context=context, notices=notices)


def _placed(judgments: Judgments, ids: Ids | None, corpus: Corpus | None) -> Judgments:
    return judgments if ids is None else ids.place_judgments(judgments, corpus)


def judgments_from(source: Source, name: str | None = None, ids: Ids | None = None) -> Judgments:
    """The judgments in a source."""
    judgments = judgments_format_of(source, name).read(source)
    source.faults.settle()
    # Files do not say what their offsets count; with an index they must count what it counts.
    if source.index is not None:
        _compare_lengths(judgments, source, source.index)
        judgments = replace(judgments, unit=source.index.unit, mean_length=source.index.mean_length)
    return _placed(judgments, ids, source.corpus)


def _compare_lengths(judgments: Judgments, source: Source, index: OffsetIndex) -> None:
    """Count judged documents that the index does not have, or has in another length."""
    codes = index.document_codes(judgments.documents)
    sizes = index.document_sizes(codes)
    known = judgments.document_sizes
    doubts = (
        ("judged document is not in the index", codes < 0),
        (
            f"judged document has a different length in the index ({index.unit}s); is it the same corpus?",
            (codes >= 0) & (known != UNKNOWN) & (known != sizes) & (judgments.scale != "documents"),
        ),
    )
    for message, mask in doubts:
        source.notices.add_marked(
            message, mask, lambda row: f"document {short(judgments.documents[row])} of {source.name}"
        )


def _read_folder(path: str, name: str | None, how: dict[str, Any], notices: Notices | None) -> Judgments:
    from pathlib import Path

    folder = Path(path)
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    if not files:
        raise ExcerptError("found an empty folder, expected one judgments file per topic", path=str(folder))
    parts = [judgments_from(Source.open(file, notices=notices, **how), name) for file in files]
    parts = _unique_topic_ids(parts, [file.name.partition(".")[0] for file in files])
    scale = _scale(parts, str(folder))
    return replace(Judgments.together(parts, source=str(folder)), scale=scale)


def _unique_topic_ids(parts: list[Judgments], names: Sequence[str]) -> list[Judgments]:
    """Where the questions of several files are only numbered, each is called by its file, too."""
    numbered = [tuple(map(str, range(1, len(part.topics) + 1))) for part in parts]
    if len(parts) < 2 or any(
        part.topics != known or not part.questions for part, known in zip(parts, numbered, strict=True)
    ):
        return parts
    return [
        replace(
            part,
            topics=tuple(f"{name}-{topic}" for topic in part.topics),
            questions={
                f"{name}-{topic}": question._replace(id=f"{name}-{topic}")
                for topic, question in part.questions.items()
            },
        )
        for part, name in zip(parts, names, strict=True)
    ]


def _scale(parts: Sequence[Judgments], folder: str) -> Scale:
    """The scale of all files: a topic of graded assessments may happen to have the highest grade only."""
    scales = {part.scale for part in parts}
    if "documents" in scales and len(scales) > 1:
        raise ExcerptError(
            "found judgments of whole documents beside judgments of text, expected one kind", path=folder
        )
    # A file that assesses nothing does not show its scale.
    telling = {part.scale: part.source for part in reversed(parts) if part.elements or len(part.spans)}
    if "exhaustivity 0-2" in telling:
        telling.pop("highlights", None)
    if len(telling) > 1:
        one, other = sorted(telling, key=lambda scale: telling[scale])[:2]
        raise ExcerptError(
            f"found judgments by {one} ({telling[one]}) beside judgments by {other} ({telling[other]}), "
            "expected one scale",
            path=folder,
        )
    return next(iter(telling), parts[0].scale)


class Names(NamedTuple):
    """Distinct names in order of first appearance, and the code of each row's name (-1: none)."""

    distinct: tuple[str, ...]
    code: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> Names:
        """The names of rows; an empty text is none."""
        distinct, code = encode(texts)
        if "" not in distinct:
            return cls(distinct, code)
        empty = distinct.index("")
        number = np.arange(len(distinct)) - (np.arange(len(distinct)) > empty)
        number[empty] = -1
        return cls((*distinct[:empty], *distinct[empty + 1 :]), number[code])

    def first(self) -> dict[str, int]:
        """The row in which each name appears first."""
        there = np.flatnonzero(self.code >= 0)[::-1]
        first = np.zeros(len(self.distinct), np.int64)
        first[self.code[there]] = there  # the last assignment is the first appearance
        return dict(zip(self.distinct, first.tolist(), strict=True))

    def take(self, rows: IntArray) -> Names:
        """Only these rows, in this order."""
        code = self.code[rows]
        first = np.full(len(self.distinct), len(code))
        there = np.flatnonzero(code >= 0)[::-1]
        first[code[there]] = there  # the last assignment is the first appearance
        order = np.argsort(first, kind="stable")[: int((first < len(code)).sum())]
        place = np.full(len(self.distinct) + 1, -1)
        place[order] = np.arange(len(order))
        return Names(tuple(self.distinct[name] for name in order.tolist()), place[code])

    def fit(self, odd: re.Pattern[str]) -> BoolArray:
        """Which rows have a name of one line in which nothing odd is found."""
        text = "\n".join(self.distinct)
        if text.count("\n") < len(self.distinct) and not odd.search(text):  # all at once
            return np.asarray(self.code >= 0)
        good = ["\n" not in name and not odd.search(name) for name in self.distinct]
        return np.array([*good, False], np.bool_)[self.code]


def join_names(parts: Sequence[Names], order: IntArray) -> Names:
    """The rows of all parts, put into an order."""
    distinct, code = encode([name for part in parts for name in part.distinct])
    code = np.append(code, -1)
    shifts = np.cumsum([0, *(len(part.distinct) for part in parts)])
    codes = [
        np.where(part.code < 0, -1, part.code + shift) for part, shift in zip(parts, shifts, strict=False)
    ]
    return Names(distinct, code[np.concatenate(codes)]).take(order)


def pair_names(first: Names, second: Names) -> Names:
    """Two names of each row with a blank between them."""
    base = max(len(second.distinct), 1)
    pairs, code = np.unique(first.code * base + second.code, return_inverse=True)
    ends = zip((pairs // base).tolist(), (pairs % base).tolist(), strict=True)
    texts = [f"{first.distinct[one]} {second.distinct[two]}" for one, two in ends]
    return Names(tuple(texts), code.astype(np.int64)).take(np.arange(len(code)))


#: Topic, document, path (or two pointers) or "", start, end, whether these are given, rank, score, line.
ResultRow: TypeAlias = tuple[str, str, str, int, int, bool, int, float, int]


class Results(NamedTuple):
    """Columns of a run, one row per result."""

    topics: Names
    documents: Names
    #: A path, or two pointers with a blank between them.
    paths: Names
    start: IntArray
    end: IntArray
    #: Whether the file itself says where the text is.
    has_span: BoolArray
    rank: IntArray
    score: FloatArray
    line: IntArray
    #: What some files tell of a result besides, such as `lost` and `tokens`; -1 where it is not told.
    extra: Mapping[str, IntArray] = MappingProxyType({})

    @classmethod
    def of(cls, rows: Sequence[ResultRow]) -> Results:
        """From records with as many values as there are columns."""
        topics, documents, paths, *others = list(zip(*rows, strict=True)) or [()] * _VALUES
        kinds = (np.int64, np.int64, np.bool_, np.int64, np.float64, np.int64)
        columns: list[Any] = [np.array(column, kind) for column, kind in zip(others, kinds, strict=True)]
        return cls(Names(*encode(topics)), Names(*encode(documents)), Names.of(paths), *columns)

    def merge(self, others: Results, place: IntArray) -> Results:
        """Together with others; `place` says how many of the others come before each row."""
        if not len(others.line):
            return self
        order = np.argsort(np.concatenate((place, np.arange(len(others.line)) + 0.5)), kind="stable")
        pairs: list[Any] = list(zip(self[:_VALUES], others[:_VALUES], strict=True))
        columns: list[Any] = [
            join_names([one, two], order) if isinstance(one, Names) else np.concatenate((one, two))[order]
            for one, two in pairs
        ]
        told = {}
        for name in dict.fromkeys((*self.extra, *others.extra)):
            parts = [part.extra.get(name, np.full(len(part.line), UNKNOWN)) for part in (self, others)]
            told[name] = np.concatenate(parts)[order]
        return Results(*columns)._replace(extra=told)

    def to_run(self, source: Source, name: str, kind: Kind | None = None) -> Run:
        """The run; paths become spans where there is an index, unless the kind is known."""
        _warn_blocks(source, *self.topics)
        (documents, document), (paths, element) = self.documents, self.paths
        start, end = self.start, self.end
        wanting = np.flatnonzero(~self.has_span & (element >= 0)) if kind is None else np.zeros(0, np.int64)
        if len(wanting) and source.index is not None:
            start, end = start.copy(), end.copy()
            start[wanting], end[wanting] = find_spans(
                source.index, documents, document[wanting], paths, element[wanting]
            )
        elif len(wanting):
            kind = "elements"
        return Run.grouped(
            name=name,
            topics=self.topics.distinct,
            documents=documents,
            topic=self.topics.code,
            document=document,
            start=start,
            end=end,
            score=self.score,
            rank=self.rank,
            element=element,
            paths=paths,
            kind=kind or "spans",
            source=source.name,
            line=self.line,
            beside=self.extra,
        )


#: Columns that every file has.
_VALUES = len(Results._fields) - 1


def _warn_blocks(source: Source, topics: tuple[str, ...], topic: IntArray) -> None:
    """Say which topics' results do not stand together (they are joined)."""
    opens = np.ones(len(topic), np.bool_)
    opens[1:] = np.diff(topic) != 0
    source.notices.add_marked(
        "topic's results are in several blocks, which were joined",
        np.bincount(topic[opens]) > 1,
        lambda row: f"topic {short(topics[row])} of {source.name}",
    )


def find_spans(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> tuple[IntArray, IntArray]:
    """Start and end of each (document, path); -1 where one does not exist or a range is reversed.

    A path is that of an element, or two pointers with a blank between them: the first and the last element
    of a range, or the start and the end of a passage.
    """
    codes = index.document_codes(list(documents))[document]
    start, end = np.full(len(path), -1, np.int64), np.full(len(path), -1, np.int64)
    double = np.array([" " in text for text in paths], np.bool_)[path]
    single = np.flatnonzero(~double)
    if len(single):
        found = index.resolve(codes[single], [paths[code] for code in path[single].tolist()])
        start[single], end[single] = found.start, found.end
    passages = np.flatnonzero(double)
    if len(passages):
        pointers = [paths[code].split(" ") for code in path[passages].tolist()]
        low = index.resolve_pointers(codes[passages], [pointer[0] for pointer in pointers], end=False)
        high = index.resolve_pointers(codes[passages], [pointer[1] for pointer in pointers], end=True)
        good = (low >= 0) & (high >= low)
        start[passages], end[passages] = np.where(good, low, -1), np.where(good, high, -1)
    return start, end
