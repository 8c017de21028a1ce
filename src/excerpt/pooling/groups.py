"""Groups of runs: files with a run and its group, or its task, on each line; and which runs are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from excerpt.errors import ExcerptError, FormatError, UnknownName, listed, plural
from excerpt.files import Input, display_name, read_bytes


def read_groups(given: Input, what: str = "group") -> dict[str, str]:
    """The group of each run, or another `what`, from lines of two columns; blank lines are nothing.

    >>> read_groups(b"a one\\nb two")
    {'a': 'one', 'b': 'two'}
    """
    found: dict[str, str] = {}
    text = read_bytes(given).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), start=1):
        columns = line.split()
        if not columns:
            continue
        fault = ""
        if len(columns) != 2:
            fault = f"found {plural(len(columns), 'column')}, expected run and {what}"
        elif columns[0] in found:
            fault = f"found run {columns[0]} again, expected it once"
        if fault:
            raise FormatError(
                fault, path=display_name(given), line=number, hint=f"each line names a run and its {what}"
            )
        found[columns[0]] = columns[1]
    return found


@dataclass(frozen=True)
class Wanted:
    """The runs that count: those of some names, and of some tasks; all where nothing is named."""

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
    ) -> Wanted:
        """From what a caller gave; tasks may be a file."""
        if tasks is not None and task is None:
            raise ExcerptError(
                "found the tasks of runs, expected the name of one too", hint="try ⟨task=NAME⟩"
            )
        known = tasks if isinstance(tasks, Mapping) else {} if tasks is None else read_groups(tasks, "task")
        return cls(
            listed(only_runs or (), str, "only_runs", "names of runs"),
            listed(task or (), str, "task", "names of tasks"),
            known,
        )

    def keep(self, runs: Sequence[tuple[str, str]]) -> list[int]:
        """The places of the runs that count, given with the tasks that their files name.

        >>> Wanted(task=("focused",)).keep([("a", "Focused"), ("b", "thorough")])
        [0]
        """
        names = [name for name, _ in runs]
        own = [self.tasks.get(name, task) for name, task in runs]
        lowered = {task.lower() for task in own}
        for unknown in [name for name in self.only_runs if name not in names]:
            raise UnknownName("run", unknown, names)
        for unknown in [name for name in self.task if name.lower() not in lowered]:
            raise UnknownName("task", unknown, filter(None, own))
        asked = {task.lower() for task in self.task}
        found = [
            place
            for place, name in enumerate(names)
            if (not self.only_runs or name in self.only_runs) and (not asked or own[place].lower() in asked)
        ]
        if not found:
            raise ExcerptError("found no run of these names and tasks, expected at least one")
        return found
