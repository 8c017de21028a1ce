"""Results of several runs as columns, for pooling; groups and tasks of runs."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, count, pairwise
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from excerpt.errors import ExcerptError, MissingData, UnknownName, listed, short
from excerpt.evaluation.reading import AnyRun, Named, Reading, Runs, list_runs
from excerpt.evaluation.scoring import unique_run_names
from excerpt.files import FileContent, Input, is_input
from excerpt.model.ids import common_folders, fold_all
from excerpt.model.run import Run
from excerpt.model.spans import UNKNOWN, IntArray, distinct
from excerpt.notices import Notices
from excerpt.pooling.pools import PoolInput, PoolUnit
from excerpt.run_labels import read_pairs


def read_groups(given: Input, noun: str = "group", of: str = "run") -> dict[str, str]:
    """Read the group (or another `noun`) `of` each run from lines of two columns; blank lines are skipped.

    >>> read_groups(b"a one\\nb two")
    {'a': 'one', 'b': 'two'}
    """
    return {run: group for _, run, group in read_pairs(given, noun, of)}


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


class _RunPart(NamedTuple):
    """A run, and by its topics the number of results, the number of those kept, and the row of the first."""

    name: str
    file: str
    task: str
    digest: str
    topics: tuple[str, ...]
    counts: IntArray
    size: IntArray
    begin: IntArray


#: Fewest results of a block of topics, unless it is the last.
_BLOCK = 1 << 16


@dataclass(frozen=True, eq=False)
class Gathered:
    """Results of all runs by run, topic and rank, as columns of small integers."""

    inputs: tuple[PoolInput, ...]
    unit: PoolUnit
    topics: tuple[str, ...]
    documents: tuple[str, ...]
    #: Document, start and end of each result.
    columns: list[IntArray]
    #: By topic and run: number of results, number of those kept, and the row of the first.
    results: IntArray
    size: IntArray
    begin: IntArray
    #: Fingerprints of the documents' texts to which the passages belong, as far as the runs know them.
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> Returned:
        """Results of all topics, which need much memory."""
        blocks = list(self.blocks())
        sizes = np.array([(len(block.topics), len(block.rank), len(block.first)) for block in blocks])
        before = dict(zip(("topic", "first", "item"), (np.cumsum(sizes, axis=0) - sizes).T, strict=True))
        columns: dict[str, list[IntArray]] = defaultdict(list)
        for number, block in enumerate(blocks):
            for name in ("topic", "rank", "run", "document", "start", "end", "first", "item"):
                columns[name].append(getattr(block, name) + (before[name][number] if name in before else 0))
        joined = {name: np.concatenate(parts) for name, parts in columns.items()}
        return Returned(self.inputs, self.topics, self.documents, self.results, **joined)

    def blocks(self) -> Iterator[Returned]:
        """Results of some topics after the other."""
        size = self.size.sum(axis=1)
        cuts = np.flatnonzero(np.diff((np.cumsum(size) - size) // _BLOCK)) + 1
        return (self._block(slice(*cut)) for cut in pairwise([0, *cuts.tolist(), len(size)]))

    def _block(self, topics: slice) -> Returned:
        """Results of some topics, in the order of a round robin through the runs."""
        size = self.size[topics].ravel()
        pair = np.repeat(np.arange(len(size), dtype="i4"), size)  # topic and run
        before = np.cumsum(size) - size
        rank = np.arange(1, len(pair) + 1, dtype="i4") - before.astype("i4")[pair]
        topic, run = np.divmod(pair, np.int32(len(self.inputs)))
        order = np.argsort(topic.astype(np.int64) * (size.max() + 1) + rank, kind="stable")
        rows = order + (self.begin[topics].ravel() - before)[pair[order]]
        document, start, end = (column[rows] for column in self.columns)
        keys = [topic[order].astype(np.int64) * len(self.documents) + document]
        if self.unit == "passage":
            keys.append((start.astype(np.int64) << 32) + end)
        names = (self.inputs, self.topics[topics], self.documents, self.results[topics])
        found = (topic[order], rank[order], run[order], document, start, end)
        return Returned(*names, *found, *distinct(*keys))


@dataclass(frozen=True, eq=False)
class Returned:
    """Results of some topics by topic, rank and run, each with its item: a document or passage of a topic."""

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
    given: Runs,
    reading: Reading,
    run_filter: RunFilter,
    unit: PoolUnit,
    top: int | None,
    *,
    notices: Notices,
    progress: Callable[[int, int], None] | None = None,
) -> Gathered:
    """Read the runs and keep the `top` results of those that the filter keeps."""
    parts, seen, choice = [], dict[str, None](), reading.choice
    columns = [np.zeros(0, "i4") for _ in ("document", "start", "end")]
    documents: defaultdict[str, int] = defaultdict(count().__next__)
    versions: list[tuple[str, Mapping[str, str]]] = []
    reading = replace(reading, only=None, exclude=None)  # topics are chosen after all runs are read
    runs = list_runs(given)
    for number, one in enumerate(runs, 1):
        run, digest = _read(one, reading, notices)
        seen |= dict.fromkeys(run.topics)
        _check_offsets(run, unit, notices)
        versions += [(run.source or run.name, run.fingerprints)] if run.kind == "spans" else []
        parts.append(_part(choice.of_run(run), digest, documents, top, columns))
        del run  # before the next one is read
        if progress is not None:
            progress(number, len(runs))
    fingerprints = _one_version(versions, notices)
    choice.mask(tuple(seen), known=True)
    names = unique_run_names([(part.name, part.file) for part in parts])
    kept = run_filter.keep([(name, part.task) for name, part in zip(names, parts, strict=True)])
    inputs = [PoolInput(names[n], PurePath(parts[n].file).name, parts[n].digest) for n in kept]
    parts = [parts[number] for number in kept]
    _warn_strangers(parts, notices)
    if reading.ids is None:
        _reject_double_ids(parts, list(documents), columns[0])
    found = [topic for part in parts for topic, size in zip(part.topics, part.counts, strict=True) if size]
    topics = {topic: code for code, topic in enumerate(dict.fromkeys(found))}
    if not topics:
        raise ExcerptError("the runs have no results to pool")
    table = np.zeros((3, len(topics), len(parts)), np.int64)
    for number, part in enumerate(parts):
        rows = np.flatnonzero(part.counts)
        codes = [topics[part.topics[row]] for row in rows.tolist()]
        table[:, codes, number] = np.stack((part.counts, part.size, part.begin))[:, rows]
    gathered = Gathered(tuple(inputs), unit, tuple(topics), tuple(documents), columns, *table)
    return replace(gathered, fingerprints=fingerprints)


def _one_version(versions: Sequence[tuple[str, Mapping[str, str]]], notices: Notices) -> Mapping[str, str]:
    """Return the fingerprints of all runs; raise if passages of two runs belong to different texts."""
    if not any(known for _, known in versions):
        return {}
    from excerpt.evaluation.matching import check_versions

    check_versions(versions, notices)
    return {name: one for _, known in versions for name, one in known.items()}


def _warn_strangers(parts: Sequence[_RunPart], notices: Notices) -> None:
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


def _reject_double_ids(parts: Sequence[_RunPart], documents: Sequence[str], column: IntArray) -> None:
    """Raise if two runs name a document by two ids, unless a run has both: then they are two documents."""
    keys = fold_all(documents) if documents else []
    ranges = [
        (int(part.begin[0]), int(part.begin[-1] + part.size[-1])) if len(part.begin) else (0, 0)
        for part in parts
    ]
    folders = _folders(keys, column, ranges)
    by_key: dict[str, list[int]] = {}
    for code, key in enumerate(keys):
        by_key.setdefault(key.removeprefix(folders.get(code, "")), []).append(code)
    several = [codes for codes in by_key.values() if len(codes) > 1]
    runs: dict[int, set[int]] = {code: set() for codes in several for code in codes}
    for number, rows in enumerate(ranges if several else ()):
        for code in np.intersect1d(column[slice(*rows)], list(runs)).tolist():
            runs[code].add(number)
    for one, other in (pair for codes in several for pair in combinations(codes, 2)):
        if runs[one] and runs[other] and not runs[one] & runs[other]:
            first, second = parts[min(runs[one])], parts[min(runs[other])]
            raise ExcerptError(
                f"found document {short(documents[other])}, which seems to be {short(documents[one])} of "
                f"{first.file or first.name}, expected one id of each document in all runs",
                path=second.file or second.name,
                hint="rename the documents of one of the runs, or keep them apart with ⟨ids=exact⟩",
            )


def _folders(keys: Sequence[str], column: IntArray, ranges: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Folders in front of all documents of a run, by document, if no other run has such documents."""
    if not any("/" in key for key in keys):
        return {}
    by_run = [np.unique(column[slice(*rows)]) for rows in ranges]
    runs = np.bincount(np.concatenate(by_run), minlength=len(keys))
    found: dict[int, str] = {}
    for codes in (some.tolist() for some in by_run):
        mine = [keys[code] for code in codes]
        if len({key.partition("/")[0] for key in mine}) != 1:
            continue
        elsewhere = runs.copy()
        elsewhere[codes] -= 1
        others = {keys[code] for code in np.flatnonzero(elsewhere).tolist()}
        prefix = common_folders(mine, others)
        if prefix and not any(key.startswith(prefix) for key in others):
            found |= dict.fromkeys(codes, prefix)
    return found


def _read(given: AnyRun, reading: Reading, notices: Notices) -> tuple[Run, str]:
    """Read a run; also return the digest of its content."""
    named = given if isinstance(given, Named) else Named(None, given)
    if is_input(named.given):
        content = FileContent.of(named.given)
        run = reading.run(named._replace(given=content), notices)
        return run, hashlib.sha256(content.data).hexdigest()
    run = reading.run(given, notices)
    return run, _digest(given if isinstance(given, Run) else run)


def _part(
    run: Run, digest: str, codes: Mapping[str, int], top: int | None, columns: list[IntArray]
) -> _RunPart:
    """Add the results of a run to the columns; `codes` numbers the documents of all runs."""
    first = np.searchsorted(run.topic_code, np.arange(len(run.topics) + 1))
    counts = np.diff(first)
    size = counts if top is None else np.minimum(counts, top)
    before = np.cumsum(size) - size
    rows: Any = slice(None) if top is None else np.arange(size.sum()) + np.repeat(first[:-1] - before, size)
    present = np.zeros(len(run.documents), np.int64)
    present[run.document_code[rows]] = 1
    names = (run.documents[code] for code in np.flatnonzero(present).tolist())
    present[present > 0] = np.fromiter(map(codes.__getitem__, names), np.int64)
    begin = before + len(columns[0])
    offsets = [UNKNOWN, UNKNOWN] if run.kind == "documents" else [run.start[rows], run.end[rows]]
    for place, added in enumerate((present[run.document_code[rows]], *offsets)):
        columns[place] = _extended(columns[place], np.broadcast_to(added, size.sum()))
    return _RunPart(run.name, run.source, run.task, digest, run.topics, counts, size, begin)


def _extended(column: IntArray, added: IntArray) -> IntArray:
    """Column with further values, in 32 bits if they allow it: all results of all runs are kept."""
    if added.max(initial=0) >> 31:
        column = column.astype(np.int64)
    column.resize(len(column) + len(added), refcheck=False)
    column[len(column) - len(added) :] = added
    return column


def _check_offsets(run: Run, unit: PoolUnit, notices: Notices) -> None:
    if run.kind != "elements":
        return
    if unit == "passage":
        message = "found element paths, expected offsets, which identify passages"
        hint = "give ⟨index⟩ (excerpt index builds it), or pool by ⟨unit=document⟩"
        raise MissingData(message, path=run.source or run.name, hint=hint)
    need = "element paths, which have no offsets in the pool without an index"
    notices.add(f"run has {need}", f"runs have {need}", where=run.source or run.name)


def _digest(run: Run) -> str:
    """Digest of the names and columns of a run without a file."""
    digest = hashlib.sha256(repr((run.name, run.topics, run.documents)).encode("utf-8", "surrogatepass"))
    for column in (run.topic_code, run.document_code, run.start, run.end):
        digest.update(column.astype("<i8").tobytes())
    return digest.hexdigest()
