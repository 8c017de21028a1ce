"""Readers of runs and judgments, and the order of results: by file, rank or score."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

import numpy as np

from excerpt._lazy import offered
from excerpt.errors import ExcerptError, FormatError, UnknownName, in_python, plural, short
from excerpt.files import Input, is_folder, is_input
from excerpt.formats.registry import RECORDS, Format, judgments_format_of, run_format_of
from excerpt.formats.source import AnyCorpus, Copies, Index, Source, Unplaced, open_corpus, open_index
from excerpt.model.judgments import Judgments, OffsetUnit
from excerpt.model.run import Order, ResultKind, Rows, Run, encode, group_results, single
from excerpt.model.spans import UNKNOWN, BoolArray, FloatArray, IntArray
from excerpt.notices import Gathering, Notices

#: Bytes of judgments from which on they are read in groups of lines.
GROUPED_BYTES = 12 << 20

if TYPE_CHECKING:
    from excerpt.corpus import Corpus
    from excerpt.formats.passage_ids import PassageIds, SegmentTable
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
    segments: SegmentTable | None = None,
    notices: Notices | None = None,
) -> Run:
    """Read a run from a path, bytes, or an open file; paths become spans if an index is given.

    `order` is `file`, `rank` or `score`; by default `file`, but `score` for TREC runs. Ids of passages become
    documents and offsets by `id_pattern`, a regular expression with groups `document`, `start` and `end`, or
    by `segments`, a table `id document start end`. With a `corpus`, quoted texts are checked against it.
    """
    with Gathering(notices) as gathered:
        opened = Source.open(source, index=index, corpus=corpus, notices=gathered, kind="run")
        return run_from(opened, format, order, ids_of(id_pattern, segments))


def run_from(
    source: Source, name: str | None = None, order: Order | None = None, ids: PassageIds | None = None
) -> Run:
    """Read the run in a source."""
    chosen = run_format_of(source, name)
    run = chosen.read(source if ids is None else replace(source, ids=ids))
    if source.form in {"columns", "xml"} and (known := _beside(source.name)):
        run = replace(run, fingerprints=known)
    source.faults.settle()
    if source.faults:  # the faults are kept; ranks and scores may be wrong
        return run
    if not len(run) and source.form in RECORDS:
        message = f"found no result, expected at least one ({chosen.layout})"
        raise FormatError(message, path=source.name, line=source.first_line[0])
    if ids is not None and not chosen.reads_ids:
        run = ids.place_run(run.ordered(order or chosen.order), source.corpus, source.notices)
    return arranged(run, source, chosen, order)


def arranged(run: Run, source: Source, chosen: Format[Run], order: Order | None) -> Run:
    """Return a run as it was read without its quotes, in the order of its format or another one."""
    unit = source.index.unit if source.index else "char"
    run = without_quotes(run, source.corpus, unit, source.notices)
    if order is None and chosen.order == "score" and len(run):
        _warn_contradictions(run, source.notices)
    return arrange(run, order or chosen.order, index=source.index, notices=source.notices)


def ids_of(pattern: str | re.Pattern[str] | None, segments: SegmentTable | None) -> PassageIds | None:
    """Return the mapping of passage ids by a pattern or a table of segments; None without either."""
    if pattern is None and segments is None:
        return None
    from excerpt.formats.passage_ids import PassageIds

    return PassageIds.of(pattern, segments)


def without_quotes(run: Run, corpus: Corpus | None, unit: OffsetUnit, notices: Notices) -> Run:
    """Check the quotes of a run against the corpus, else their lengths, and return the run without them."""
    changed = () if corpus is None or not run.fingerprints else _changed(run, corpus)
    if run.text.quotes is None:
        return run
    from excerpt.formats.quoted_text import check_quotes, warn_lengths

    if corpus is not None:
        run = check_quotes(run, corpus, unit, notices, changed)
        now = {name: corpus.hash(name) for name in changed}
        return replace(run, fingerprints={**run.fingerprints, **now}) if now else run
    warn_lengths(run, unit, notices)
    known = run.known if run.text.lost is None else run.known | (run.text.lost > 0)
    lacks = (run.text.quotes != None) & ~known & (run.element < 0)  # noqa: E711
    if run.kind == "spans" and not run.whole and lacks.any():
        raise ExcerptError(
            f"the texts of {plural(int(lacks.sum()), 'result')} have no start and end",
            path=run.source or run.name,
            hint="⟨command=place⟩ locates texts, and so does ⟨corpus⟩",
        )
    return run.with_text(quotes=None)


def _changed(run: Run, corpus: Corpus) -> list[str]:
    """Documents of another version; raise if results without their text are in them."""
    from excerpt.records.fingerprints import OtherVersionError, differing

    if run.kind == "documents" or run.whole or getattr(run.fingerprints, "corpus", None) is corpus:
        return []
    found = differing(run.fingerprints, corpus.known_hash, run.documents)
    if found:
        bare = run.known if run.text.quotes is None else run.known & (run.text.quotes == None)  # noqa: E711 - by element
        named = {run.documents[code] for code in np.unique(run.document_code[bare]).tolist()}
        if differ := [name for name in found if name in named]:
            raise OtherVersionError(run.source or run.name, differ, len(run.documents))
    return found


def _beside(name: str) -> dict[str, str]:
    """Fingerprints in the file beside one in columns."""
    if not os.path.isfile(f"{name}.about.json"):  # noqa: PTH113 - pathlib is not loaded for it
        return {}
    from excerpt.records.fingerprints import beside

    return beside(name)


def arrange(run: Run, order: Order, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """Sort the results of each topic; with an index, whole documents become spans."""
    name = run.source or run.name
    if order == "rank" and bool((run.rank == UNKNOWN).any()):
        message = "some results have no rank; order by rank needs one for each"
        raise ExcerptError(message, path=name, hint="try ⟨order=file⟩ or ⟨order=score⟩")
    if order == "score" and bool(np.isnan(run.score).any()):
        message = "some results have no score; order by score needs one for each"
        raise ExcerptError(message, path=name, hint="try ⟨order=file⟩ or ⟨order=rank⟩")
    if order == "file":
        _warn_unsorted(notices, run, "rank", np.where(run.rank == UNKNOWN, np.nan, run.rank))
        _warn_unsorted(notices, run, "score", -run.score)
    _warn_empty(run, notices)
    return _size_documents(run.ordered(order), index)


def arrange_made(run: Run, order: Order | None, *, index: OffsetIndex | None, notices: Notices) -> Run:
    """Sort as `arrange` does, but take a run that is sorted by rank as it is, without a warning."""
    if order is not None:
        return arrange(run, order, index=index, notices=notices)
    if bool((run.rank == UNKNOWN).any()) or bool(_descents(run, run.rank).any()):
        _warn_unsorted(notices, run, "score", -run.score)
    _warn_empty(run, notices)
    return _size_documents(run, index)


def locate_paths(run: Run, index: OffsetIndex | None) -> Run:
    """Return elements as spans by their paths in the index, as readers of files do."""
    if index is None or run.kind != "elements":
        return run
    rows = np.flatnonzero((run.start < 0) & (run.element >= 0))
    start, end = run.start.copy(), run.end.copy()
    places = run.documents, run.document_code[rows], run.paths, run.element[rows]
    start[rows], end[rows] = find_spans(index, *places)
    return replace(run, kind="spans", start=start, end=end)


def _warn_empty(run: Run, notices: Notices) -> None:
    one, many = "result has length 0 and contains no text", "results have length 0 and contain no text"
    notices.add_marked(one, many, run.is_empty, run.place)


def _warn_contradictions(run: Run, notices: Notices) -> None:
    """Warn about topics with a score above that of a better rank, or with one score for all ranks."""
    score, rank, topic = single(run.score), run.rank, run.topic_code
    contradicted, same = np.zeros(len(run.topics), np.bool_), topic[1:] == topic[:-1]
    if bool((same & ((rank[1:] < rank[:-1]) | (score[1:] > score[:-1]))).any()):
        by_rank = np.lexsort((-score, rank, topic))
        score, topic = score[by_rank], topic[by_rank]
        contradicted[topic[1:][same & (score[1:] > score[:-1])]] = True
    first, after = (np.searchsorted(topic, np.arange(len(run.topics)), side) for side in ("left", "right"))
    varied = contradicted | (score[np.minimum(first, len(run) - 1)] != score[after - 1])
    if not varied.all():  # the order by document id may be that of the ranks
        ordered = run.ordered("score")
        tied = ordered.topic_code[1:][_descents(ordered, ordered.rank)]
        contradicted[tied[~varied[tied]]] = True
    if not contradicted.any():
        return
    say = offered("option") or in_python
    effect = f"ordered by score, as trec_eval does; {say('order', 'rank')} takes the ranks"
    notices.add_marked(
        f"topic where scores contradict the ranks is {effect}",
        f"topics where scores contradict the ranks are {effect}",
        contradicted,
        lambda topic: f"topic {short(run.topics[topic])} of {run.source or run.name}",
    )


def _descents(run: Run, keys: IntArray | FloatArray) -> BoolArray:
    """Return which results have a smaller key than the result before them (NaN never has)."""
    descents: BoolArray = (keys[1:] < keys[:-1]) & (np.diff(run.topic_code) == 0)
    return descents  # keys are compared, not subtracted: scores may be infinite


def _warn_unsorted(notices: Notices, run: Run, column: str, keys: FloatArray) -> None:
    unsorted = np.zeros(len(run.topics), np.bool_)
    unsorted[run.topic_code[1:][_descents(run, keys)]] = True
    notices.add_marked(
        f"topic is not sorted by {column}; the given order is used, and order {column} would sort it",
        f"topics are not sorted by {column}; the given order is used, and order {column} would sort them",
        unsorted,
        lambda topic: f"topic {short(run.topics[topic])} of {run.source or run.name}",
    )


def _size_documents(run: Run, index: OffsetIndex | None) -> Run:
    """Return whole documents as spans by their lengths in the index; raise if it has none of them."""
    if index is None:
        return run
    codes = index.document_codes(run.documents)
    if len(codes) and not (codes >= 0).any():
        message = f"none of the run's documents (such as {short(run.documents[0])}) is in the index"
        raise FormatError(message, path=run.source or run.name, hint="was it made from the same corpus?")
    if run.kind != "documents":
        return run
    sizes = index.document_sizes(codes)
    end = sizes[run.document_code] if len(run) else run.document_code
    return replace(run, kind="spans", start=np.where(end < 0, -1, 0), end=end, whole=True)


def read_judgments(
    source: Input | Rows,
    *,
    format: str | None = None,  # noqa: A002 - the users' word
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    copies: Copies | None = None,
    unplaced: Unplaced | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: SegmentTable | None = None,
    topic: str | None = None,
    layer: str | None = None,
    notices: Notices | None = None,
) -> Judgments:
    """Read judgments from a path, bytes, an open file, a folder with one file per topic, or rows.

    Gold files (questions with evidence, such as SQuAD) are read as well; their quotes are compared with the
    `corpus`. If such a file has articles of paragraphs, `context` says which of the two a document is. Ids of
    judged passages become documents and offsets as in `read_run`. With `copies="any"` every other place in
    the corpus with the text of relevant text is an alternative. In files of annotation tools `topic` is that
    of highlights which name none, and `layer` chooses those of UIMA.
    """
    ids = ids_of(id_pattern, segments)
    given: Any = source
    with Gathering(notices) as gathered:
        if not is_input(given):
            from excerpt.records.values import judged_rows

            given = [row for _, row in judged_rows(given).rows()]
            if not given:
                return Judgments.of(())
        opened = open_corpus(corpus, context or "paragraph")
        settings: dict[str, Any] = {"index": open_index(index), "corpus": opened, "context": context}
        settings |= {"copies": copies, "unplaced": unplaced, "topic": topic, "layer": layer}
        if isinstance(given, str | os.PathLike) and is_folder(given):
            judgments = _read_folder(os.fspath(given), format, settings, gathered)
        else:
            one = Source.open(given, notices=gathered, kind="judgments", **settings)
            judgments = judgments_from(one, format)
            judgments = replace(judgments, source="") if isinstance(given, list) else judgments
    return _placed(judgments, ids, opened)


def read_gold(
    source: Input | Rows,
    corpus: AnyCorpus | None = None,
    *,
    context: Context = "paragraph",
    copies: Copies | None = None,
    unplaced: Unplaced | None = None,
    format: str | None = None,  # noqa: A002 - the users' word
    notices: Notices | None = None,
) -> Judgments:
    """Read a gold file: questions with their evidence; other judgments can also be read.

    >>> gold = read_gold(b'{"tests": [{"query": "When?", "snippets": [{"file_path": "a", "span": [3, 9]}]}]}')
    >>> gold.questions["1"].text, gold.highlights("1")
    ('When?', [Span(document='a', start=3, end=9)])

    With a `corpus` (or if the file has the texts of its documents) quotes are verified: evidence that is not
    at its offsets is relocated by its text, evidence that does not occur in its document is an error, or is
    left out and counted with `unplaced="drop"`. `context` is `paragraph` or `article`: what a document is in
    the SQuAD family. With `copies="any"` every other place of the same text (40 characters or more, white
    space folded) is an alternative.
    """
    return read_judgments(
        source,
        format=format,
        corpus=corpus,
        context=context,
        copies=copies,
        unplaced=unplaced,
        notices=notices,
    )


def _placed(judgments: Judgments, ids: PassageIds | None, corpus: Corpus | None) -> Judgments:
    return judgments if ids is None else ids.place_judgments(judgments, corpus)


def judgments_from(source: Source, name: str | None = None, ids: PassageIds | None = None) -> Judgments:
    """Read the judgments in a source."""
    chosen = judgments_format_of(source, name)
    groups = offered("judgment_groups") if len(source.data) >= GROUPED_BYTES else None
    judgments = chosen.read(source) if groups is None else groups.read_judgments(source, chosen)
    source.faults.settle()
    if source.form == "columns" and (known := _beside(source.name)) and judgments.scale != "documents":
        from excerpt.records.fingerprints import compare_texts

        if source.corpus is not None:
            compare_texts(source.name, known, source.corpus.known_hash, judgments.documents)
        judgments = replace(judgments, fingerprints=known)
    # Files do not name the unit of their offsets; with an index it must be the unit of the index.
    if source.index is not None:
        _compare_lengths(judgments, source, source.index)
        judgments = replace(judgments, unit=source.index.unit, mean_length=source.index.mean_length)
    return copied(_placed(judgments, ids, source.corpus), source.copies, source.corpus)


def copied(judgments: Judgments, copies: Copies | None, corpus: Corpus | None) -> Judgments:
    """Return judgments with all places of their text in the corpus as alternatives, if `copies` is `any`."""
    if copies is None:
        return judgments
    if copies != "any":
        raise UnknownName("copies", str(copies), ["any"])
    path = judgments.source or None
    if corpus is None:
        raise ExcerptError("copies need the documents", path=path, hint="give ⟨corpus⟩")
    if judgments.scale != "highlights" or judgments.elements is not None or judgments.unit != "char":
        raise ExcerptError("copies need judgments of text, with offsets in characters", path=path)
    judged = {corpus.resolve(name) for name in judgments.documents}
    judgments = replace(judgments, quoted=())  # all places are alternatives
    others = (name for name in corpus if name not in judged)
    found: Judgments = offered("copies").with_copies(judgments, others, corpus.get)
    return found


def _compare_lengths(judgments: Judgments, source: Source, index: OffsetIndex) -> None:
    codes = index.document_codes(judgments.documents)
    sizes = index.document_sizes(codes)
    given = judgments.document_sizes

    def place(row: int) -> str:
        return f"document {short(judgments.documents[row])} of {source.name}"

    one = "judged document is not in the index; its length is not checked"
    many = "judged documents are not in the index; their lengths are not checked"
    source.notices.add_marked(one, many, codes < 0, place)
    end = f"another length in the index (in {index.unit}s), which is not used; is it the same corpus?"
    source.notices.add_marked(
        f"judged document has {end}",
        f"judged documents have {end}",
        (codes >= 0) & (given != UNKNOWN) & (given != sizes) & (judgments.scale != "documents"),
        place,
    )


def _read_folder(path: str, name: str | None, settings: dict[str, Any], notices: Notices | None) -> Judgments:
    from pathlib import Path

    folder = Path(path)
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    bridge = offered("read_folder")
    found = None if bridge is None else bridge(folder, name, {**settings, "notices": notices})
    if found is not None:
        return cast("Judgments", found)
    if not files:
        raise ExcerptError("the folder is empty, expected one judgments file per topic", path=str(folder))
    parts = [judgments_from(Source.open(file, notices=notices, **settings), name) for file in files]
    return join_judgments(parts, [file.name for file in files], str(folder))


def join_judgments(parts: Sequence[Judgments], files: Sequence[str], source: str) -> Judgments:
    """Return the judgments of several files together, by the names of the files."""
    parts = _unique_topic_ids(parts, [name.rpartition("/")[2].partition(".")[0] for name in files])
    from excerpt.model.judgment_parts import combine

    return combine(parts, source=source)


def _unique_topic_ids(parts: Sequence[Judgments], names: Sequence[str]) -> Sequence[Judgments]:
    """Put the names of files before the ids of questions, if all files number their questions from 1."""
    numbered = [tuple(map(str, range(1, len(part.topics) + 1))) for part in parts]
    alike = [part.topics == own and part.questions for part, own in zip(parts, numbered, strict=True)]
    if len(parts) < 2 or not all(alike):
        return parts
    made = []
    for part, name in zip(parts, names, strict=True):
        ids = {topic: f"{name}-{topic}" for topic in part.topics}
        needs = {ids[topic]: several for topic, several in part.alternatives.items()}
        questions = {ids[topic]: one._replace(id=ids[topic]) for topic, one in part.questions.items()}
        quoted = tuple(one._replace(topic=ids[one.topic]) for one in part.quoted if one.topic in ids)
        made.append(
            replace(part, topics=tuple(ids.values()), alternatives=needs, questions=questions, quoted=quoted)
        )
    return made


class NameColumn(NamedTuple):
    """Distinct names in order of first appearance, and the code of each row's name (-1: none)."""

    distinct: tuple[str, ...]
    code: IntArray

    @classmethod
    def of(cls, texts: Sequence[str]) -> NameColumn:
        """Return the names of rows; an empty text means no name."""
        if not any(texts):
            return cls((), np.full(len(texts), -1))
        distinct, code = encode(texts)
        if "" not in distinct:
            return cls(distinct, code)
        empty = distinct.index("")
        number = np.arange(len(distinct)) - (np.arange(len(distinct)) > empty)
        number[empty] = -1
        return cls((*distinct[:empty], *distinct[empty + 1 :]), number[code])

    def first(self) -> dict[str, int]:
        """Return the row in which each name appears first."""
        named = np.flatnonzero(self.code >= 0)[::-1]
        first = np.zeros(len(self.distinct), np.int64)
        first[self.code[named]] = named  # the last assignment is the first appearance
        return dict(zip(self.distinct, first.tolist(), strict=True))

    def take(self, rows: IntArray) -> NameColumn:
        """Return only these rows, in this order."""
        code = self.code[rows]
        first = np.full(len(self.distinct), len(code))
        named = np.flatnonzero(code >= 0)[::-1]
        first[code[named]] = named  # the last assignment is the first appearance
        order = np.argsort(first, kind="stable")[: int((first < len(code)).sum())]
        new_code = np.full(len(self.distinct) + 1, -1)
        new_code[order] = np.arange(len(order))
        return NameColumn(tuple(self.distinct[name] for name in order.tolist()), new_code[code])

    def fit(self, odd: re.Pattern[str]) -> BoolArray:
        """Return which rows have a name of one line that does not match `odd`."""
        text = "\n".join(self.distinct)
        if text.count("\n") < len(self.distinct) and not odd.search(text):  # all at once
            return np.asarray(self.code >= 0)
        good = ["\n" not in name and not odd.search(name) for name in self.distinct]
        return np.array([*good, False], np.bool_)[self.code]


def join_names(parts: Sequence[NameColumn], order: IntArray) -> NameColumn:
    """Return the rows of all parts, in this order."""
    distinct, code = encode([name for part in parts for name in part.distinct])
    code = np.append(code, -1)
    shifts = np.cumsum([0, *(len(part.distinct) for part in parts)])
    codes = [
        np.where(part.code < 0, -1, part.code + shift) for part, shift in zip(parts, shifts, strict=False)
    ]
    return NameColumn(distinct, code[np.concatenate(codes)]).take(order)


def pair_names(first: NameColumn, second: NameColumn) -> NameColumn:
    """Return the two names of each row, joined by a blank."""
    base = max(len(second.distinct), 1)
    pairs, code = np.unique(first.code * base + second.code, return_inverse=True)
    ends = zip((pairs // base).tolist(), (pairs % base).tolist(), strict=True)
    texts = [f"{first.distinct[one]} {second.distinct[two]}" for one, two in ends]
    return NameColumn(tuple(texts), code.astype(np.int64)).take(np.arange(len(code)))


#: Topic, document, path (or two pointers) or "", start, end, whether these are given, rank, score, line.
ResultRow: TypeAlias = tuple[str, str, str, int, int, bool, int, float, int]


class ResultTable(NamedTuple):
    """Columns of a run, one row per result."""

    topics: NameColumn
    documents: NameColumn
    #: A path, or two pointers with a blank between them.
    paths: NameColumn
    start: IntArray
    end: IntArray
    #: True if the file itself gives offsets.
    has_span: BoolArray
    rank: IntArray
    score: FloatArray
    line: IntArray
    #: Optional columns by name, such as `lost` and `tokens`; -1 if a result has no value.
    extra: Mapping[str, IntArray] = MappingProxyType({})

    @classmethod
    def of(cls, rows: Sequence[ResultRow]) -> ResultTable:
        """Return the columns of records, which have a value for each column."""
        topics, documents, paths, *others = list(zip(*rows, strict=True)) or [()] * _VALUES
        kinds = (np.int64, np.int64, np.bool_, np.int64, np.float64, np.int64)
        columns: list[Any] = [np.array(column, kind) for column, kind in zip(others, kinds, strict=True)]
        return cls(
            NameColumn(*encode(topics)), NameColumn(*encode(documents)), NameColumn.of(paths), *columns
        )

    def merge(self, others: ResultTable, place: IntArray) -> ResultTable:
        """Merge with other results; `place` is the number of the others that come before each row."""
        if not len(others.line):
            return self
        order = np.argsort(np.concatenate((place, np.arange(len(others.line)) + 0.5)), kind="stable")
        pairs: list[Any] = list(zip(self[:_VALUES], others[:_VALUES], strict=True))
        columns: list[Any] = [
            join_names([one, two], order)
            if isinstance(one, NameColumn)
            else np.concatenate((one, two))[order]
            for one, two in pairs
        ]
        extra = {}
        for name in dict.fromkeys((*self.extra, *others.extra)):
            parts = [part.extra.get(name, np.full(len(part.line), UNKNOWN)) for part in (self, others)]
            extra[name] = np.concatenate(parts)[order]
        return ResultTable(*columns)._replace(extra=extra)

    def to_run(self, source: Source, name: str, kind: ResultKind | None = None) -> Run:
        """Return the run; with an index, paths become spans unless the kind is given."""
        _warn_blocks(source, *self.topics, self.line)
        (documents, document), (paths, element) = self.documents, self.paths
        start, end = self.start, self.end
        by_path = np.flatnonzero(~self.has_span & (element >= 0)) if kind is None else np.zeros(0, np.int64)
        if len(by_path) and source.index is not None:
            start, end = start.copy(), end.copy()
            places = documents, document[by_path], paths, element[by_path]
            start[by_path], end[by_path] = find_spans(source.index, *places)
        elif len(by_path):
            kind = "elements"
        return group_results(
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
_VALUES = len(ResultTable._fields) - 1


def _warn_blocks(source: Source, topics: tuple[str, ...], topic: IntArray, line: IntArray) -> None:
    opens = np.ones(len(topic), np.bool_)
    opens[1:] = topic[1:] != topic[:-1]
    if source.gathered is not None:
        number, behind_another = source.gathered
        opens |= behind_another[np.searchsorted(number, line)]
    source.notices.add_marked(
        "topic has its results in several blocks, which are joined",
        "topics have their results in several blocks, which are joined",
        np.bincount(topic[opens]) > 1,
        lambda row: f"topic {short(topics[row])} of {source.name}",
    )


def find_spans(
    index: OffsetIndex, documents: Sequence[str], document: IntArray, paths: Sequence[str], path: IntArray
) -> tuple[IntArray, IntArray]:
    """Return start and end of each (document, path, or two pointers with a blank between them); else -1."""
    codes = index.document_codes(list(documents))[document]
    start, end = np.full(len(path), -1, np.int64), np.full(len(path), -1, np.int64)
    double = np.array([" " in text for text in paths], np.bool_)[path]
    single = np.flatnonzero(~double)
    if len(single):
        spans = index.resolve(codes[single], [paths[code] for code in path[single].tolist()])
        start[single], end[single] = spans.start, spans.end
    passages = np.flatnonzero(double)
    if len(passages):
        pointers = [paths[code].split(" ") for code in path[passages].tolist()]
        low = index.resolve_pointers(codes[passages], [pointer[0] for pointer in pointers], end=False)
        high = index.resolve_pointers(codes[passages], [pointer[1] for pointer in pointers], end=True)
        good = (low >= 0) & (high >= low)
        start[passages], end[passages] = np.where(good, low, -1), np.where(good, high, -1)
    return start, end
