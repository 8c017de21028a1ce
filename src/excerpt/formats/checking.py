"""Everything that is wrong or doubtful in a run or judgment file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from excerpt.errors import FormatError
from excerpt.files import Input
from excerpt.formats.registry import judgments_from, run_from
from excerpt.formats.sniff import kind_of
from excerpt.formats.source import Source
from excerpt.model.distinct import distinct
from excerpt.model.judgments import Judgments
from excerpt.model.overlap import clashes
from excerpt.model.run import Run

if TYPE_CHECKING:
    from excerpt.index import OffsetIndex


@dataclass(frozen=True)
class Examination:
    """What a check found: faults by line, doubts, and what the file holds."""

    summary: str
    faults: tuple[FormatError, ...]
    warnings: tuple[str, ...]


def examine(
    given: Input,
    *,
    kind: str | None = None,
    format: str | None = None,  # noqa: A002 - the users' word
    index: OffsetIndex | None = None,
) -> Examination:
    """Check a file; with an index also that every document and path exists."""
    source = Source.open(given, index=index, keep_faults=True)
    summary = ""
    try:
        if kind_of(source, kind=kind, format_=format) == "run":
            run = run_from(source, format)
            summary = _describe_run(run)
            _check_run(run, source)
        else:
            judgments = judgments_from(source, format)
            summary = _describe_judgments(judgments)
    except FormatError as fault:
        if not source.faults.found:
            source.faults.found.append(fault)
    source.faults.settle()
    return Examination(f"{source.name}: {summary}", tuple(source.faults.found), tuple(source.notices))


def _describe_run(run: Run) -> str:
    return (
        f"a run of {run.kind}, {run.name}: {len(run)} results, {len(run.topics)} topics, "
        f"{len(run.documents)} documents; no faults"
    )


def _describe_judgments(judgments: Judgments) -> str:
    elements = judgments.elements
    if elements is None or len(judgments.spans):
        text = (
            f"{len(judgments.topics)} topics, {int(judgments.has_relevant.sum())} with relevant text; "
            f"{len(judgments)} judged documents, {int((judgments.relevant_by_pair > 0).sum())} with "
            f"{len(judgments.spans)} relevant passages"
        )
    else:
        text = f"{len(judgments.topics)} topics; {len(judgments)} judged documents"
    if elements is not None:
        documents = len(np.unique(elements.pair))
        text += f"; {len(elements)} elements of {documents} documents assessed by {judgments.scale}"
    return f"judgments: {text}; no faults"


def _check_run(run: Run, source: Source) -> None:
    """Results that do not exist are faults; overlap depends on the task and is a doubt."""
    if run.kind == "elements":
        source.notices.add("paths were not looked up; give --index INDEX", where=source.name)
        return
    for row in np.flatnonzero(~run.known).tolist():
        what = f"found {run[row].path or 'a result'} in document {run[row].document}"
        source.faults.add(int(run.line[row]) or None, f"{what}, expected something that exists")
    if source.index is not None:
        _check_bounds(run, source, source.index)
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
    codes = index.document_codes(run.documents)
    sizes = np.where(codes >= 0, index.document_sizes(np.maximum(codes, 0)), -1)[run.document]
    for row in np.flatnonzero(run.known & (run.end > sizes)).tolist():
        document = run[row].document
        expected = f"at most {sizes[row]}, the length of document {document}"
        if sizes[row] < 0:
            expected = f"a document of the index, {document} is not"
        source.faults.add(int(run.line[row]) or None, f"found the end {run.end[row]}, expected {expected}")
