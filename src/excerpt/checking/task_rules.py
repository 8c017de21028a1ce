"""Tasks of INEX: their names in submissions, and the results of a run that break the rules of its task."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

import numpy as np

from excerpt.errors import short
from excerpt.model.elements import canonical
from excerpt.model.join import overlapped_by, repeats
from excerpt.model.policy import DEFAULT_LIMIT
from excerpt.model.run import Run
from excerpt.model.spans import IntArray, distinct

Task: TypeAlias = Literal["thorough", "focused", "relevant-in-context", "best-in-context"]
#: Names of tasks in submissions, in lower case and letters only, without the kind of topics (CO.Focused).
_SPELLINGS: dict[str, Task] = {
    "thorough": "thorough",
    "focused": "focused",
    "focussed": "focused",
    "relevantincontext": "relevant-in-context",
    "allincontext": "relevant-in-context",  # its name in 2006
    "bestincontext": "best-in-context",
}
YEARS = range(2002, 2015)
#: Most results per topic, in the years with another limit than `DEFAULT_LIMIT`.
_LIMITS = {2002: 100}

#: Results that break a rule, and the message for one of them.
Breaches: TypeAlias = tuple[IntArray, Callable[[int], str]]


def task_of(name: str) -> Task | None:
    """Task that a submission names; None if the name is unknown.

    >>> task_of("CO.Focused"), task_of("Relevant in Context "), task_of("adhoc")
    ('focused', 'relevant-in-context', None)
    """
    return _SPELLINGS.get(re.sub(r"[^a-z]", "", name.lower().rpartition(".")[2]))


def breaches(run: Run, task: Task | None, year: int | None = None) -> Iterator[Breaches]:
    """Yield the results that break each rule of a task and of a year of INEX.

    Results of the focused and the in-context tasks do not overlap; with relevant in context the results of a
    document are adjacent, with best in context there is one. A topic has at most 1500 results, 100 in 2002.
    Paths without offsets overlap if one is inside the other; ranges of paths are not compared.
    """
    results = np.bincount(run.topic_code, minlength=len(run.topics))
    most = _LIMITS.get(year or 0, int(DEFAULT_LIMIT))
    long = np.flatnonzero(results > most)
    yield (
        (np.cumsum(results) - results)[long] + most,
        lambda row: f"found {results[run.topic_code[row]]} results, expected at most {most}",
    )
    pair = distinct(run.topic_code, run.document_code)
    if task == "best-in-context":
        yield (
            np.delete(np.arange(len(run)), pair.rows),
            lambda row: f"found a second result of {_document(run, row)}, expected one in a {task} run",
        )
    if task == "relevant-in-context":
        yield (
            np.setdiff1d(np.flatnonzero(np.diff(pair.codes, prepend=-1)), pair.rows),
            lambda row: (
                f"found {_document(run, row)} again after another one, "
                f"expected the results of a document to be adjacent in a {task} run"
            ),
        )
    if task in {"focused", "relevant-in-context"}:
        group = distinct(run.topic_code, run.document_code, run.known.astype(np.int64)).codes
        start, end = _extents(run)

        def overlap(row: int) -> str:
            earlier = overlapped_by(group, start, end, row)
            return (
                f"found {_result(run, row)} of {_document(run, row)} overlapping {_result(run, earlier)} "
                f"of line {run.line[earlier]}, expected no common text in a {task} run"
            )

        yield repeats(group, start, end), overlap


def _document(run: Run, row: int) -> str:
    return f"document {short(run.documents[run.document_code[row]])}"


def _result(run: Run, row: int) -> str:
    """Return the offsets of a result, else its path, for messages."""
    if run.kind == "documents":
        return "all"
    return f"[{run.start[row]}, {run.end[row]})" if run.known[row] else short(run.paths[run.element[row]])


def _extents(run: Run) -> tuple[IntArray, IntArray]:
    """Start and end of each result; of paths without offsets the places among all paths, sorted."""
    paths = [canonical(path) for path in run.paths]
    ordered = sorted({path for path in paths if " " not in path})
    # The paths inside an element come right after its own; the character after the slash is 0.
    place = {path: (number, bisect_left(ordered, f"{path}0")) for number, path in enumerate(ordered)}
    by_path = np.array([*(place.get(path, (0, 0)) for path in paths), (0, 0)], np.int64)[run.element]
    return np.where(run.known, run.start, by_path[:, 0]), np.where(run.known, run.end, by_path[:, 1])
