"""Everything that is wrong or doubtful in a run or judgment file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from excerpt.errors import ExcerptError, FormatError, UnknownName, plural, short
from excerpt.files import Input
from excerpt.formats.ids import Ids, Segments
from excerpt.formats.reading import judgments_from, run_from
from excerpt.formats.registry import Kind, kind_of
from excerpt.formats.source import AnyCorpus, Index, Source
from excerpt.model.join import clashes
from excerpt.model.judgments import Judgments
from excerpt.model.run import Run
from excerpt.model.spans import IntArray, distinct

if TYPE_CHECKING:
    from excerpt.gold.file import Context
    from excerpt.index import OffsetIndex


@dataclass(frozen=True)
class Examination:
    """What a check found: faults by line, doubts, and what the file holds."""

    name: str
    summary: str
    #: The first faults, and how many there are in all.
    faults: tuple[ExcerptError, ...]
    count: int
    warnings: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether there are no faults."""
        return not self.count

    def __str__(self) -> str:
        return f"{self.name}: {self.summary}" if self else "\n".join(map(str, self.faults))


def check(
    source: Input,
    *,
    kind: Kind | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    index: Index | None = None,
    corpus: AnyCorpus | None = None,
    context: Context | None = None,
    id_pattern: str | re.Pattern[str] | None = None,
    segments: Segments | None = None,
    most: int = 100,
) -> Examination:
    """Check a run or judgments (a path, bytes or an open file); with an index also that all of it exists.

    Quotes of questions with evidence are compared with the `corpus` (see `read_gold`). Ids of passages become
    documents and offsets as in `read_run`. At most `most` faults are listed; all are counted.

    >>> print(check(b"1 Q0 A 1 0.5 mine 0 50"))
    <bytes>: a run of spans, mine: 1 result, 1 topic, 1 document; no faults
    """
    if run_format and qrels_format:
        raise ExcerptError("found a run format and a judgments format, expected one of them")
    if kind not in (None, *get_args(Kind)):
        raise UnknownName("kind", str(kind), get_args(Kind))
    if not isinstance(most, int) or most < 1:
        raise ExcerptError(f"found {short(repr(most))} as most, expected a whole number of at least 1")
    ids = Ids.of(id_pattern, segments)
    wanted: Kind | None = "run" if run_format else kind
    opened = Source.open(source, index=index, keep_faults=most, corpus=corpus, context=context, kind=wanted)
    summary = ""
    try:
        named: Kind | None = "run" if run_format else "judgments" if qrels_format else kind
        if kind_of(opened, kind=named) == "run":
            run = run_from(opened, run_format, ids=ids)
            summary = _describe_run(run)
            _check_run(run, opened)
        else:
            summary = _describe_judgments(judgments_from(opened, qrels_format, ids))
    except FormatError as fault:
        if not opened.faults:
            opened.faults.add(fault.line, fault.message, fault.hint)
    faults = opened.faults
    summary += "; " * bool(summary) + (plural(faults.count, "fault") if faults else "no faults")
    return Examination(opened.name, summary, tuple(faults.found), faults.count, tuple(opened.notices))


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
        text += (
            f"; {plural(len(elements), 'element')} of {plural(documents, 'document')} "
            f"assessed by {judgments.scale}"
        )
    if judgments.evidence:
        text += "; evidence: " + ", ".join(f"{count} {how}" for how, count in judgments.evidence.items())
    return f"judgments: {text}"


def _check_run(run: Run, source: Source) -> None:
    """Results that do not exist are faults; overlap depends on the task and is a doubt."""
    if run.kind == "elements":
        source.notices.add("paths were not looked up, since that needs an index", where=source.name)
        return
    if source.index is not None:
        _check_bounds(run, source, source.index)
    missing = np.flatnonzero(~run.known)

    def describe(number: int) -> str:
        result = run[int(missing[number])]
        if result.path:
            return f"found path {short(result.path)}, expected one that document {short(result.document)} has"
        if run.whole:
            return f"found document {short(result.document)}, expected one of the index"
        wanted = "offset" if run.kind == "entry points" else "offset and length"
        return f"found offset X or -1, a result that was not placed, expected {wanted}"

    _add(source, run, missing, describe)
    known = np.flatnonzero(run.known)
    group = distinct(run.topic * max(len(run.documents), 1) + run.document).codes[known]
    shared = np.flatnonzero(clashes(group, run.start[known], run.end[known]))
    if len(shared):
        source.notices.add(
            "topic's document has results that share text; focused and in-context measures refuse that",
            len(np.unique(group[shared])),
            where=run.place(int(known[shared[0]])),
        )


def _check_bounds(run: Run, source: Source, index: OffsetIndex) -> None:
    sizes = index.document_sizes(index.document_codes(run.documents))[run.document]
    beyond = np.flatnonzero(run.known & (run.end > sizes))

    def describe(number: int) -> str:
        row = int(beyond[number])
        document = short(run[row].document)
        if sizes[row] < 0:
            return f"found document {document}, expected a document of the index"
        return f"found the end {run.end[row]}, expected at most {sizes[row]}, the length of {document}"

    _add(source, run, beyond, describe)


def _add(source: Source, run: Run, rows: IntArray, describe: Callable[[int], str]) -> None:
    """Report rows of a run; in the order of the file, which need not be the run's."""
    order = np.argsort(run.line[rows], kind="stable")
    source.faults.add_all(run.line[rows][order], lambda number: describe(int(order[number])))
