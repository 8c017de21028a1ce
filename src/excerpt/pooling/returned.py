"""Results of several runs as columns, for pooling; groups and tasks of runs."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, FormatError, MissingData, UnknownName, listed, plural
from excerpt.evaluation.reading import AnyRun, Named, Reading
from excerpt.evaluation.scoring import unique_run_names
from excerpt.files import Content, Input, display_name, is_input, read_bytes
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, IntArray, distinct
from excerpt.notices import Notices
from excerpt.pooling.pools import PoolInput, Unit


def read_groups(given: Input, noun: str = "group", of: str = "run") -> dict[str, str]:
    """Read the group (or another `noun`) `of` each run from lines of two columns; blank lines are skipped.

    >>> read_groups(b"a one\\nb two")
    {'a': 'one', 'b': 'two'}
    """
    groups: dict[str, str] = {}
    text = read_bytes(given).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        columns = line.split()
        if not columns:
            continue
        fault = ""
        if len(columns) != 2:
            fault = f"found {plural(len(columns), 'column')}, expected {of} and {noun}"
        elif columns[0] in groups:
            fault = f"found {of} {columns[0]} again, expected it once"
        if fault:
            raise FormatError(
                fault, path=display_name(given), line=number, hint=f"each line names a {of} and its {noun}"
            )
        groups[columns[0]] = columns[1]
    return groups


@dataclass(frozen=True)
class RunFilter:
    """Choice of runs by name and by task; by default all runs."""

    only_runs: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    #: The task of each run, by its name.
    tasks: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        only_runs: str | Iterable[str] | None = None,
        task: str | Iterable[str] | None = None,
        tasks: Mapping[str, str] | Input | None = None,
    ) -> RunFilter:
        """Make a filter from the arguments of `pool`; `tasks` may be a file."""
        if tasks is not None and task is None:
            raise ExcerptError("tasks of runs need the task to keep", hint="try ⟨task=NAME⟩")
        task_of = tasks if isinstance(tasks, Mapping) else {} if tasks is None else read_groups(tasks, "task")
        return cls(
            listed(only_runs or (), str, "only_runs", "names of runs"),
            listed(task or (), str, "task", "names of tasks"),
            task_of,
        )

    def keep(self, runs: Sequence[tuple[str, str]]) -> list[int]:
        """Indices of the runs to keep, given by name and the task in their file.

        >>> RunFilter(task=("focused",)).keep([("a", "Focused"), ("b", "thorough")])
        [0]
        """
        names = [name for name, _ in runs]
        own = [self.tasks.get(name, task) for name, task in runs]
        lowered = {task.lower() for task in own}
        for unknown in [name for name in self.only_runs if name not in names]:
            raise UnknownName("run", unknown, names)
        for unknown in [name for name in self.task if name.lower() not in lowered]:
            raise UnknownName("task", unknown, filter(None, own))
        task_names = {task.lower() for task in self.task}
        kept = [
            index
            for index, name in enumerate(names)
            if (not self.only_runs or name in self.only_runs)
            and (not task_names or own[index].lower() in task_names)
        ]
        if not kept:
            raise ExcerptError("no run has these names and these tasks")
        return kept


class _Part(NamedTuple):
    """Results of one run, down to the requested depth, with its own codes of topics and documents."""

    name: str
    file: str
    task: str
    digest: str
    topics: tuple[str, ...]
    counts: IntArray
    documents: list[str]
    columns: dict[str, IntArray]


@dataclass(frozen=True, eq=False)
class Returned:
    """Results of all runs by topic, rank and run, each with its item: a document or passage of a topic."""

    inputs: tuple[PoolInput, ...]
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: Total number of results by topic and run.
    results: IntArray
    #: A row per result, in integers of any width; ranks are from 1 within a run's topic.
    topic: IntArray
    rank: IntArray
    run: IntArray
    document: IntArray
    start: IntArray
    end: IntArray
    #: First row of each item, and the item of each row.
    first: IntArray
    item: IntArray

    @cached_property
    def best(self) -> IntArray:
        """Best rank of each item."""
        return self.rank[self.first]

    @cached_property
    def topic_of(self) -> IntArray:
        """Topic of each item, ascending."""
        return self.topic[self.first]


def gather(
    runs: Sequence[AnyRun],
    reading: Reading,
    *,
    unit: Unit,
    top: int | None,
    run_filter: RunFilter,
    notices: Notices,
    progress: Callable[[int, int], None] | None = None,
) -> Returned:
    """Read the runs and keep the `top` results of those that the filter keeps."""
    parts, topics, choice = [], dict[str, None](), reading.choice
    reading = replace(reading, only=None, exclude=None)  # topics are chosen after all runs are read
    for number, given in enumerate(runs, 1):
        run, digest = _read(given, reading, notices)
        topics |= dict.fromkeys(run.topics)
        parts.append(_part(choice.of_run(run), digest, unit=unit, top=top, notices=notices))
        if progress is not None:
            progress(number, len(runs))
    choice.mask(tuple(topics), known=True)
    names = unique_run_names([(part.name, part.file) for part in parts])
    kept = run_filter.keep([(name, part.task) for name, part in zip(names, parts, strict=True)])
    _warn_strangers([parts[number] for number in kept], notices)
    inputs = [PoolInput(names[n], PurePath(parts[n].file).name, parts[n].digest) for n in kept]
    return _join([parts[number] for number in kept], tuple(inputs), unit)


def _warn_strangers(parts: Sequence[_Part], notices: Notices) -> None:
    """Warn about runs that share no topic with any other run."""
    runs = Counter(topic for part in parts for topic in part.topics)
    alone = [part for part in parts if part.topics and all(runs[topic] == 1 for topic in part.topics)]
    if len(parts) > 1 and alone:
        notices.add(
            "run has no topic in common with the other runs; do they number the topics alike?",
            "runs have no topic in common with the other runs; do they number the topics alike?",
            len(alone),
            where=alone[0].file or alone[0].name,
        )


def _read(given: AnyRun, reading: Reading, notices: Notices) -> tuple[Run, str]:
    """Read a run; also return the digest of its content."""
    named = given if isinstance(given, Named) else Named(None, given)
    if is_input(named.given):
        content = Content.of(named.given)
        run = reading.run(named._replace(given=content), notices)
        return run, hashlib.sha256(content.data).hexdigest()
    run = reading.run(given, notices)
    return run, _digest(given if isinstance(given, Run) else run)


def _part(run: Run, digest: str, *, unit: Unit, top: int | None, notices: Notices) -> _Part:
    _check_offsets(run, unit, notices)
    first = np.searchsorted(run.topic, np.arange(len(run.topics) + 1))
    size = np.diff(first) if top is None else np.minimum(np.diff(first), top)
    rank = np.arange(1, size.sum() + 1) - np.repeat(np.cumsum(size) - size, size)
    rows: Any = slice(None) if top is None else rank + np.repeat(first[:-1], size) - 1
    no_offsets = run.kind == "documents"  # of unknown length
    start, end = np.full((2, len(rank)), UNKNOWN) if no_offsets else (run.start[rows], run.end[rows])
    present = np.zeros(len(run.documents), np.bool_)
    present[run.document[rows]] = True
    document = (np.cumsum(present) - 1)[run.document[rows]]
    kept = {"topic": run.topic[rows], "rank": rank, "document": document, "start": start, "end": end}
    columns = {name: _small(column) for name, column in kept.items()}
    names = [run.documents[code] for code in np.flatnonzero(present).tolist()]
    return _Part(run.name, run.source, run.task, digest, run.topics, np.diff(first), names, columns)


def _check_offsets(run: Run, unit: Unit, notices: Notices) -> None:
    if run.kind != "elements":
        return
    if unit == "passage":
        raise MissingData(
            "found element paths, expected offsets, which identify passages",
            path=run.source or run.name,
            hint="give ⟨index⟩ (excerpt index builds it), or pool by ⟨unit=document⟩",
        )
    need = "element paths, which have no offsets in the pool without an index"
    notices.add(f"run has {need}", f"runs have {need}", where=run.source or run.name)


def _small(column: IntArray) -> IntArray:
    """The column in half the memory, if its values allow it: all results of all runs are kept."""
    return column.astype(np.int32) if column.max(initial=0) < 1 << 31 else column


def _digest(run: Run) -> str:
    """Digest of the names and columns of a run without a file."""
    digest = hashlib.sha256(repr((run.name, run.topics, run.documents)).encode("utf-8", "surrogatepass"))
    for column in (run.topic, run.document, run.start, run.end):
        digest.update(column.astype("<i8").tobytes())
    return digest.hexdigest()


def _join(parts: list[_Part], inputs: tuple[PoolInput, ...], unit: Unit) -> Returned:
    """Join the parts, in the order of a round robin through the runs."""
    topics: dict[str, int] = {}
    documents: defaultdict[str, int] = defaultdict(count().__next__)
    columns: dict[str, list[IntArray]] = {name: [] for name in parts[0].columns}
    results: dict[tuple[int, int], int] = {}
    for number, part in enumerate(parts):
        for name, size in zip(part.topics, part.counts.tolist(), strict=True):
            if size:
                results[topics.setdefault(name, len(topics)), number] = size
        own = {
            "topic": np.array([topics.get(name, -1) for name in part.topics], np.int64),
            "document": np.fromiter(map(documents.__getitem__, part.documents), np.int64),
        }
        for name, gathered in columns.items():  # frees the columns of the part
            column = part.columns.pop(name)
            gathered.append(_small(own[name])[column] if name in own else column)
    columns["run"] = [np.full(len(rows), number, np.int32) for number, rows in enumerate(columns["rank"])]
    joined = {name: np.concatenate(columns.pop(name)) for name in list(columns)}
    if not len(joined["rank"]):
        raise ExcerptError("the runs have no results to pool")
    order = np.argsort(_key(_key(joined["topic"], joined["rank"]), joined["run"]))
    joined = {name: joined.pop(name)[order] for name in list(joined)}
    keys = [_key(joined["topic"], joined["document"])]
    if unit == "passage":
        keys.append((joined["start"].astype(np.int64) << 32) + joined["end"])
    first, item = distinct(*keys)
    counts = np.zeros((len(topics), len(parts)), np.int64)
    counts[tuple(np.array(list(results)).T)] = list(results.values())
    return Returned(inputs, tuple(topics), tuple(documents), counts, **joined, first=first, item=item)


def _key(one: IntArray, other: IntArray) -> IntArray:
    """Key that sorts by the first number, then by the second."""
    return one.astype(np.int64) * (int(other.max(initial=0)) + 1) + other
