"""Designs of experiments: factors of runs and their levels, from a table or from names of runs."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from excerpt.errors import ExcerptError, UnknownName, plural, short, short_list
from excerpt.experiments.parameters import is_pattern
from excerpt.files import Input, display_name, read_bytes
from excerpt.model.spans import FloatArray
from excerpt.notices import Faults, Notices
from excerpt.records.rows import cells
from excerpt.scores.score_table import ScoreTable

#: Levels of runs: a mapping from each run to its level of every factor, a table in a file, or a pattern.
Factors: TypeAlias = Mapping[str, Mapping[str, str]] | Input
_SHOWN = 3
_HOLE = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Design:
    """Factors with their levels, and the places of the runs in the table with each combination of levels."""

    levels: dict[str, tuple[str, ...]]
    runs: Mapping[tuple[str, ...], list[int]]

    @classmethod
    def of(cls, factors: Factors, table: ScoreTable, notices: Notices) -> Design:
        """Read the factors of the runs of a table; runs without factors are left out, with a warning."""
        found = _by_run(factors, table, notices)
        left = [name for name in table.runs if name not in found]
        one, many = "run has no factors and is left out", "runs have no factors and are left out"
        for name in left:
            notices.add(one, many, where=f"run {name}")
        names = list(next(iter(found.values())))
        levels = {name: _in_order(found[run][name] for run in table.runs if run in found) for name in names}
        for name, own in levels.items():
            if len(own) < 2:
                message = f"factor {short(name)} has one level ({short(own[0])}), expected at least 2"
                hint = "leave out its column, or its part of the pattern, or add runs with other levels"
                raise ExcerptError(message, path=_path(factors), hint=hint)
        runs: dict[tuple[str, ...], list[int]] = {}
        for place, run in enumerate(table.runs):
            if run in found:
                runs.setdefault(tuple(found[run].values()), []).append(place)
        return cls(levels, runs)

    @property
    def missing(self) -> list[tuple[str, ...]]:
        """Combinations of levels that no run has."""
        return [each for each in itertools.product(*self.levels.values()) if each not in self.runs]

    @property
    def missing_in_words(self) -> str:
        """How many combinations have no run, and the first of them; empty if all have one."""
        missing = self.missing
        if not missing:
            return ""
        shown = short_list([" ".join(map(short, each)) for each in missing], _SHOWN)
        every = sum(1 for _ in itertools.product(*self.levels.values()))
        verb = "has" if len(missing) == 1 else "have"
        return f"{len(missing)} of {every} combinations of the factors {verb} no run ({shown})"

    def cells(self, values: FloatArray) -> FloatArray:
        """Scores by topic and by the level of every factor: means of the runs with these levels, else NaN."""
        shape = tuple(len(own) for own in self.levels.values())
        made = np.full((values.shape[1], math.prod(shape)), np.nan)
        for each, places in self.runs.items():
            at = [own.index(level) for own, level in zip(self.levels.values(), each, strict=True)]
            made[:, int(np.ravel_multi_index(at, shape))] = values[places].mean(axis=0)
        return made.reshape(-1, *shape)

    def baselines(self, given: str | None) -> dict[str, int]:
        """Baseline level of each factor that has one, from `LEVEL` or `FACTOR=LEVEL`, separated by commas."""
        found: dict[str, int] = {}
        for part in (given or "").split(",") if given is not None else ():
            name, equals, level = (text.strip() for text in part.partition("="))
            if not equals:
                name, level = self._factor_with(name), name
            if name not in self.levels:
                raise UnknownName("factor", name, self.levels)
            if level not in self.levels[name]:
                raise UnknownName(f"level of {name}", level, self.levels[name])
            found[name] = self.levels[name].index(level)
        return found

    def _factor_with(self, level: str) -> str:
        having = [name for name, own in self.levels.items() if level in own]
        if not having:
            raise UnknownName("level", level, itertools.chain.from_iterable(self.levels.values()))
        if len(having) > 1:
            message = f"found baseline {short(level)}, a level of {short_list(having, _SHOWN)}"
            raise ExcerptError(f"{message}, expected FACTOR=LEVEL", hint=f"try {having[0]}={level}")
        return having[0]


def _in_order(levels: Iterator[str]) -> tuple[str, ...]:
    """Distinct levels: numbers ascending, others by first occurrence."""
    distinct = list(dict.fromkeys(levels))
    try:
        return tuple(sorted(distinct, key=float))
    except ValueError:
        return tuple(distinct)


def _path(factors: Factors) -> str | None:
    if isinstance(factors, Mapping) or is_pattern(factors):
        return None
    return display_name(factors)


def _by_run(factors: Factors, table: ScoreTable, notices: Notices) -> dict[str, dict[str, str]]:
    """Levels of the runs of a table, by run and factor."""
    if is_pattern(factors):
        return _of_names(str(factors), table.runs)
    if isinstance(factors, Mapping):
        given = {run: {str(name): str(level) for name, level in own.items()} for run, own in factors.items()}
        several = {tuple(own) for own in given.values()}
        if len(several) != 1 or not next(iter(several)):
            raise ExcerptError("found runs with different factors, expected the same for each run")
    else:
        given = _of_file(factors)
    files = {name: run for run, name in zip(table.runs, table.files, strict=True)}
    found: dict[str, dict[str, str]] = {}
    for name, own in given.items():
        run = name if name in table.runs else files.get(name)
        if run is None:
            one, many = "row names no run that is compared", "rows name no runs that are compared"
            notices.add(one, many, where=f"{_path(factors) or 'factors'}, run {name}")
        else:
            found[run] = own
    if not found:
        raise ExcerptError(
            f"no run has factors: found rows of {short_list([*given], _SHOWN)}, expected {table.runs[0]}",
            path=_path(factors),
            hint="the column run has the names of the runs",
        )
    return found


def _of_file(given: Input) -> dict[str, dict[str, str]]:
    """Rows of a table whose columns are `run` and the factors; separated by tabs, commas or semicolons."""
    path = display_name(given)
    try:
        text = read_bytes(given).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise ExcerptError("is not text in UTF-8", path=path) from None
    faults, found = Faults(path), dict[str, dict[str, str]]()
    for line, row in cells(text, faults):
        own = {name: cell.strip() for name, cell in row.items()}
        run = own.pop("run", "")
        empty = next((name for name, level in own.items() if not level), None)
        if "run" not in row or not own:
            columns = short_list([*row], _SHOWN) or "none"
            hint = "the first line names the columns: run, and one for each factor"
            faults.add(line, f"found columns {columns}, expected run and the factors", hint)
        elif not run or empty is not None:
            faults.add(line, f"found no {empty if run else 'run'}, expected a value in every column")
        elif run in found:
            faults.add(line, f"found run {short(run)} again, expected it once")
        found[run] = own
        faults.settle()
    faults.settle()
    if not found:
        raise ExcerptError("found no rows, expected a header and a row for each run", path=path)
    return found


def _of_names(pattern: str, runs: Sequence[str]) -> dict[str, dict[str, str]]:
    """Parts of the names of runs that match a pattern.

    >>> _of_names("{chunker}-{size}", ["fixed-200", "recursive-400", "other"])["fixed-200"]
    {'chunker': 'fixed', 'size': '200'}
    """
    names = _HOLE.findall(pattern)
    for name in names:
        if not re.fullmatch(r"\w[\w ]*", name) or names.count(name) > 1:
            message = (
                f"found {{{name}}} in the pattern {short(pattern)}, expected a different name in each {{}}"
            )
            raise ExcerptError(message)
    if "}{" in pattern:
        raise ExcerptError(f"found }}{{ in the pattern {short(pattern)}, expected text between two factors")
    literals = list(map(re.escape, _HOLE.split(pattern)[::2]))
    least, most = (re.compile(f"({hole})".join(literals), re.DOTALL) for hole in (".+?", ".+"))
    found: dict[str, dict[str, str]] = {}
    for run in runs:
        match, other = least.fullmatch(run), most.fullmatch(run)
        if match is None or other is None:
            continue
        if match.groups() != other.groups():
            one, two = (" ".join(map(short, each.groups())) for each in (match, other))
            message = f"run {short(run)} matches the pattern {short(pattern)} as {one} and as {two}"
            raise ExcerptError(f"{message}, expected one way", hint="give a table: ⟨factors=FILE⟩")
        found[run] = dict(zip(names, match.groups(), strict=True))
    if not found:
        raise ExcerptError(
            f"the pattern {short(pattern)} matches no run (of {plural(len(runs), 'run')}, the first is "
            f"{short(runs[0])})",
            hint="write the text between the factors as in the names, or give a table: ⟨factors=FILE⟩",
        )
    return found
