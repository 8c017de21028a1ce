"""Validation and conversion of files; descriptions of unsupported formats for errors."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from excerpt.checking.offset_readings import check_run as check_offsets
from excerpt.checking.task_rules import YEARS, Task, breaches, task_of
from excerpt.errors import ExcerptError, FormatError, UnknownName, plural, short
from excerpt.files import Input, is_folder
from excerpt.formats.judgments.qrels import is_passage
from excerpt.formats.passage_ids import PassageIds, SegmentTable
from excerpt.formats.reader import judgments_from, read_judgments, run_from
from excerpt.formats.registry import (
    FileKind,
    is_column_list,
    judgments_format_of,
    judgments_formats,
    kind_of,
    run_format_of,
    run_formats,
)
from excerpt.formats.source import HEAD_BYTES, HEAD_LINES, AnyCorpus, Copies, Index, Source, Unplaced
from excerpt.formats.writer import score_documents, write_judgments, write_run
from excerpt.gold.verification import count_evidence
from excerpt.inex.xml_events import is_entity_bomb, root_name
from excerpt.model.join import clashes
from excerpt.model.judgments import Judgments
from excerpt.model.run import Order, Run
from excerpt.model.spans import IntArray, distinct
from excerpt.model.topic_choice import TopicChoice, TopicIds
from excerpt.notices import Gathering, Notices

if TYPE_CHECKING:
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex


@dataclass(frozen=True)
class Examination:
    """The outcome of a check: faults by line, warnings, and a summary of the file."""

    name: str
    summary: str
    #: The first faults, and the number of all faults.
    faults: tuple[ExcerptError, ...]
    count: int
    warnings: tuple[str, ...]
    #: The judgments that were read; None for a run.
    judgments: Judgments | None = None
    #: Fingerprints of the documents that the file names, as far as it has them.
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Return whether there are no faults."""
        return not self.count

    def __str__(self) -> str:
        return f"{self.name}: {self.summary}" if self else "\n".join(map(str, self.faults))


def _keep(source: Source, fault: FormatError) -> None:
    """Keep the fault of a file, if it has no other; raise that of a document."""
    if fault.path not in (None, source.name):
        raise fault
    if not source.faults:
        source.faults.add(fault.line, fault.message, fault.hint)


def check(
    source: Input,
    *,
    kind: FileKind | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    copies: Copies | None = None,
    unplaced: Unplaced | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: SegmentTable | None = None,
    most: int = 100,
    task: Task | None = None,
    year: int | None = None,
) -> Examination:
    """Check a run or judgments (a path, bytes or an open file); with an index also that all results exist.

    Quotes of gold files are compared with the `corpus` (see `read_gold`). Ids of passages become documents
    and offsets as in `read_run`. At most `most` faults are listed; all are counted. A run is held against the
    `task` that it declares, or that you give: thorough, focused, relevant-in-context or best-in-context; with
    the INEX `year` 2002 a topic may have 100 results, else 1500.

    >>> print(check(b"1 Q0 A 1 0.5 mine 0 50"))
    <bytes>: a run of spans, mine: 1 result, 1 topic, 1 document; no faults
    """
    if run_format and qrels_format:
        raise ExcerptError("run_format and qrels_format cannot be combined")
    if kind not in (None, *get_args(FileKind)):
        raise UnknownName("kind", str(kind), get_args(FileKind))
    if task not in (None, *get_args(Task)):
        raise UnknownName("task", str(task), get_args(Task))
    if year not in (None, *YEARS):
        raise ExcerptError(f"found {short(repr(year))} as year, expected one from {YEARS[0]} to {YEARS[-1]}")
    if not isinstance(most, int) or most < 1:
        raise ExcerptError(f"found {short(repr(most))} as most, expected a whole number of at least 1")
    ids = PassageIds.of(id_pattern, segments)
    part: FileKind | None = "run" if run_format else kind
    texts: dict[str, Any] = {"index": index, "corpus": corpus, "context": context, "copies": copies}
    texts["unplaced"] = unplaced
    opened = Source.open(source, keep_faults=most, kind=part, **texts)
    summary, judgments = "", None
    known: Mapping[str, str] = {}
    try:
        named: FileKind | None = "run" if run_format else "judgments" if qrels_format else kind
        if kind_of(opened, kind=named) == "run":
            run = run_from(opened, run_format, ids=ids)
            summary, known = _describe_run(run), run.fingerprints
            held = None if opened.faults else _check_task(run, opened, task, year)
            _check_run(run, opened, held)
        elif task or year:
            raise ExcerptError("tasks and years are for runs, but the file has judgments", path=opened.name)
        else:
            judgments = judgments_from(opened, qrels_format, ids)
            describe = judgments_format_of(opened, qrels_format).summary or _describe_judgments
            summary, known = describe(judgments), judgments.fingerprints
    except FormatError as fault:
        _keep(opened, fault)
    faults = opened.faults
    summary += "; " * bool(summary) + (plural(faults.count, "fault") if faults else "no faults")
    found, warnings = tuple(faults.found), tuple(opened.notices)
    return Examination(opened.name, summary, found, faults.count, warnings, judgments, known)


def _describe_run(run: Run) -> str:
    return (
        f"a run of {run.kind}, {short(run.name)}: {plural(len(run), 'result')}, "
        f"{plural(len(run.topics), 'topic')}, {plural(len(run.documents), 'document')}"
    )


def _describe_judgments(judgments: Judgments) -> str:
    elements = judgments.elements
    if elements is None or len(judgments.spans):
        text = (
            f"{plural(len(judgments.topics), 'topic')}, {judgments.has_relevant.sum()} with relevant text; "
            f"{plural(len(judgments), 'judged document')}, {(judgments.relevant_by_pair > 0).sum()} with "
            f"{plural(len(judgments.spans), 'relevant passage')}"
        )
    else:
        text = f"{plural(len(judgments.topics), 'topic')}; {plural(len(judgments), 'judged document')}"
    if elements is not None:
        documents = len(np.unique(elements.pair))
        text += f"; {plural(len(elements), 'element')} of {plural(documents, 'document')}"
        text += f" assessed by {judgments.scale}"
    if judgments.evidence:
        text += f"; evidence: {count_evidence(judgments.evidence)}"
    asked = int(judgments.has_relevant.sum())
    if judgments.is_gold and asked > 1:
        text += f"; {say_visible_drop(asked)}"
    return f"judgments: {text}"


#: Assumed standard deviation, over questions, of the differences between the scores of two runs.
_SPREAD = 0.3
#: Quantiles of the normal distribution: of a one-sided test at 0.05, and of a power of 0.8.
_QUANTILES = 1.6448536269514722 + 0.8416212335729143


def visible_drop(questions: int) -> float:
    """Smallest drop that a gate detects 80 % of the time, if two runs differ by question with that spread.

    >>> round(visible_drop(35), 3)
    0.126
    """
    return _QUANTILES * _SPREAD / math.sqrt(questions)


def say_visible_drop(questions: int) -> str:
    """Say which drop a gate detects with so many questions, and what that assumes.

    >>> say_visible_drop(35)
    'a gate sees drops from 0.13 on, assuming a spread of 0.3 between the scores of two runs'
    """
    drop, spread = f"{visible_drop(questions):.2g}", f"{_SPREAD:g}"
    return f"a gate sees drops from {drop} on, assuming a spread of {spread} between the scores of two runs"


def _check_task(run: Run, source: Source, given: Task | None, year: int | None) -> Task | None:
    """Report results that break the rules of the run's task, and return the task."""
    declared = task_of(run.task)
    if given and declared and given != declared:
        raise ExcerptError(f"the run declares task {short(run.task)}, not {given}", path=source.name)
    task = given or declared
    if task not in {None, "best-in-context"} and run.kind == "entry points":
        raise ExcerptError(f"task {task} needs text, but the run has entry points only", path=source.name)
    if run.task and not task:
        source.notices.add(f"task {short(run.task)} is unknown; its rules are not checked", where=source.name)
    for rows, describe in breaches(run, task, year) if task or year else ():
        _add(source, run, rows, partial(_at_topic, run, describe))
    return task


def _at_topic(run: Run, describe: Callable[[int], str], row: int) -> str:
    return f"topic {short(run.topics[run.topic_code[row]])}: {describe(row)}"


def _check_run(run: Run, source: Source, task: Task | None) -> None:
    """Report results that do not exist; warn of overlap, which some tasks allow."""
    if run.kind == "elements":
        source.notices.add("element paths are not checked: that needs an index", where=source.name)
        return
    if source.index is not None:
        _check_bounds(run, source, source.index)
    if source.corpus is not None and (source.index is None or source.index.unit == "char"):
        check_offsets(run, source.corpus, source.notices)

    def describe(row: int) -> str:
        result = run[row]
        if result.path:
            return f"found path {short(result.path)}, expected one that document {short(result.document)} has"
        if run.whole:
            return f"found document {short(result.document)}, expected one of the index"
        expected = "an offset" if run.kind == "entry points" else "offset and length"
        return f"found offset X or -1 (the result does not exist), expected {expected}"

    _add(source, run, np.flatnonzero(~run.known), describe)
    empty = np.flatnonzero(run.is_empty)
    _add(source, run, empty, lambda row: f"found a result of length 0 at {run.start[row]}, expected text")
    known = np.flatnonzero(run.known)
    group = distinct(run.topic_code * max(len(run.documents), 1) + run.document_code).codes[known]
    overlapping = np.flatnonzero(clashes(group, run.start[known], run.end[known]))
    if len(overlapping) and task in {None, "thorough"}:  # else it was reported
        source.notices.add(
            f"pair of topic and document has overlapping results; {_REJECTED}",
            f"pairs of topic and document have overlapping results; {_REJECTED}",
            len(np.unique(group[overlapping])),
            where=run.place(int(known[overlapping[0]])),
        )


_REJECTED = "focused and in-context measures reject such runs"


def _check_bounds(run: Run, source: Source, index: OffsetIndex) -> None:
    sizes = index.document_sizes(index.document_codes(run.documents))[run.document_code]
    beyond = np.flatnonzero(run.known & (run.end > sizes))

    def describe(row: int) -> str:
        document = short(run[row].document)
        if sizes[row] < 0:
            return f"found document {document}, expected one of the index"
        return f"found end {run.end[row]}, expected at most {sizes[row]}, the length of document {document}"

    _add(source, run, beyond, describe)


def _add(source: Source, run: Run, rows: IntArray, describe: Callable[[int], str]) -> None:
    """Report a fault for each row, by line; `describe(row)` is its message."""
    rows = rows[np.argsort(run.line[rows], kind="stable")]
    source.faults.add_all(run.line[rows], lambda number: describe(int(rows[number])))


#: The mark of a result without offsets, in the formats that have offsets.
_UNPLACED_MARKS = {"fol": "offset X", "bep": "offset X", "inex": "offset X", "jsonl": "start -1"}


def convert(
    source: Input,
    target: str | os.PathLike[str],
    format: str,  # noqa: A002 - the users' word
    *,
    source_format: str | None = None,
    kind: FileKind | None = None,
    order: Order | None = None,
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    copies: Copies | None = None,
    unplaced: Unplaced | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: SegmentTable | None = None,
    topic: str | None = None,
    layer: str | None = None,
    only: TopicIds = None,
    exclude: TopicIds = None,
    fingerprint: bool = True,
    notices: Notices | None = None,
) -> None:
    """Convert a run or judgments (a path, bytes or an open file; judgments may be a folder) to a format.

    `kind` (run or judgments) and `source_format` are detected by default. `corpus` and `context` are for gold
    files (see `read_gold`), `id_pattern` and `segments` for ids of passages (see `read_run`), `topic` and
    `layer` for files of annotation tools (see `read_judgments`). `only` and `exclude` choose topics. With a
    `corpus` the fingerprints of its texts are kept unless `fingerprint` is False.
    """
    formats = {*run_formats(), *judgments_formats()}
    for name in filter(None, (format, source_format)):
        if name not in formats and (name is format or not is_column_list(name)):
            raise UnknownName("format", name, formats)
    choice = TopicChoice.of(only, exclude)
    texts: dict[str, Any] = {"index": index, "corpus": corpus, "context": context, "copies": copies}
    texts |= {"unplaced": unplaced, "topic": topic, "layer": layer}
    ids = PassageIds.of(id_pattern, segments)
    with Gathering(notices) as gathered:
        if is_folder(source):
            judgments = read_judgments(source, format=source_format, segments=ids, notices=gathered, **texts)
            kept = choice.of_judgments(judgments)
            texts = {"index": index, "corpus": corpus, "fingerprint": fingerprint}
            write_judgments(kept, target, format, **texts, notices=gathered)
            return
        opened = Source.open(source, notices=gathered, kind=kind, **texts)
        if kind_of(opened, kind=kind, name=source_format) == "judgments":
            judgments = choice.of_judgments(judgments_from(opened, source_format, ids))
            if format != "jsonl" and not judgments.documents:
                message = "the judgments name no documents, expected at least one"
                raise ExcerptError(message, path=opened.name)
            texts = {"index": opened.index, "corpus": opened.corpus, "fingerprint": fingerprint}
            write_judgments(judgments, target, format, **texts, notices=gathered)
            return
        run = run_from(opened, source_format, order, ids)
        choice.mask(run.topics, known=True)
        run = choice.of_run(run)
        if (order or run_format_of(opened, source_format).order) == "score":
            run = run.ranked_anew()
        if mark := _UNPLACED_MARKS.get(format) if run.kind != "elements" else None:
            one = f"result {'is not in the index' if index else 'has no offsets'}, written with {mark}"
            many = f"results {'are not in the index' if index else 'have no offsets'}, written with {mark}"
            opened.notices.add(one, many, int((~run.known).sum()), where=opened.name)
        if format in run_formats() and run_formats()[format].order == "score":
            one = "topic has scores that contradict its order; new descending scores are written"
            many = "topics have scores that contradict their order; new descending scores are written"
            opened.notices.add(one, many, score_documents(run).replaced, where=opened.name)
        texts = {"corpus": opened.corpus, "fingerprint": fingerprint}
        write_run(run, target, format, notices=gathered, **texts)


_LINKS = "links of Link-the-Wiki"
#: Root elements, in lower case, and the kinds of files that have them.
_ROOTS = {
    **dict.fromkeys(("inex_topic", "inex-topic", "inex-topic-file", "inex_topics"), "an INEX topic file"),
    **dict.fromkeys(("topics", "topic"), "a file of topics"),
    "top": "TREC topics",
    "parameters": "topics of Indri",
    "doc": "TREC documents",
    "article": "a document of a corpus",
    "html": "a web page",
    **dict.fromkeys(("inexltw-submission", "crosslink-submission", "ltwresultsettype"), _LINKS),
}
#: A line with an id, a tab, and text with a word of letters.
_TOPIC = re.compile(r"[^\t\s]+\t[^\t]*[^\W\d_]{2}[^\t]*")
_DECIMAL = re.compile(r"-?\d+(\.\d+)?")


def describe_unsupported(source: Source) -> str | None:
    """Return the name of a format that is detected but not supported; None if no such format is detected."""
    label = _root_label(source)
    if label:
        return f"root element <{short(root_name(source))}>, {label}"
    if is_entity_bomb(source):
        return "XML whose entities expand without limit (an entity bomb)"
    if source.starts_with(b"["):
        return "a JSON list instead of one object per line"
    if _are_topics(source):
        return "lines of id and words, a file of topics"
    other = _other_judgments(source)
    return None if other is None else other.label


def _are_topics(source: Source) -> bool:
    """Return whether each of the first lines has an id, a tab and some words."""
    lines = source.data[:HEAD_BYTES].decode("utf-8-sig", "replace").splitlines()
    lines = [line for line in lines[:HEAD_LINES] if line.strip()]
    return bool(lines) and all(map(_TOPIC.fullmatch, lines))


def advise_unsupported(source: Source) -> str:
    """Return advice for topics and for judgments in an unsupported format; empty if there is none."""
    label = _root_label(source)
    if source.starts_with(b"["):
        return "write each object of the list on its own line"
    if label == _LINKS:
        return "write a line for each link, and name the columns: columns:topic,document,start"
    if "topic" in label or (not label and _are_topics(source)):
        return "⟨command=topics⟩ reads and checks topics"
    other = _other_judgments(source)
    return "" if other is None else other.advice


def _root_label(source: Source) -> str:
    root = root_name(source).lower()
    links = root == "inex-submission" and b"<outgoing" in source.data[:HEAD_BYTES]
    return _LINKS if links else root and _ROOTS.get(root, "XML of another kind")


class _OtherJudgments(NamedTuple):
    """A format of judgments of other programs: its name, advice, and a test of a line."""

    label: str
    advice: str
    fits: Callable[[list[str]], bool]


def _other_judgments(source: Source) -> _OtherJudgments | None:
    rows = source.head
    formats = (one for one in _OTHER_JUDGMENTS if rows and 2 * sum(map(one.fits, rows)) > len(rows))
    return next(formats, None)


_OTHER_JUDGMENTS = (
    _OtherJudgments(
        "preference judgments of trec_eval (topic group subgroup document grade)",
        "only trec_eval itself reads them, as its format prefs",
        lambda row: len(row) == 5 and not row[3].isdecimal() and bool(_DECIMAL.fullmatch(row[4])),
    ),
    _OtherJudgments(
        "passages of TREC HARD (topic document offset length)",
        "name the columns: ⟨qrels_format=columns:topic,document,start,length⟩",
        is_passage,
    ),
)
