"""Printouts: output lines of an official tool, and the values in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from excerpt.errors import ExcerptError, one_line
from excerpt.files import Input, is_input

_LINES_AND_TABS = {ord("\n"): None, ord("\t"): None}


@dataclass(frozen=True, repr=False)
class Printout:
    """Output of the tool for one run; `fault` is the reason if the run was rejected."""

    run: str
    lines: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    fault: str = ""
    #: Values of a tool whose lines do not end in name, topic and value.
    scores: Mapping[tuple[str, str], float] | None = None

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        if text.isprintable() or text.translate(_LINES_AND_TABS).isprintable():
            return text
        return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in self.lines)

    def __repr__(self) -> str:
        return f"<Printout of {self.run!r}: {self.fault or f'{len(self.values)} values'}>"

    @cached_property
    def values(self) -> dict[tuple[str, str], float]:
        """Values by name and topic (`all` for the mean or the sum over topics); empty for a rejected run."""
        if self.scores is not None:
            return dict(self.scores)
        rows = (line.split("\t") for line in self.lines if line.count("\t") > 1)
        values = {} if self.fault else {(row[0].rstrip(), row[-2]): _number(row[-1]) for row in rows}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def figures(self) -> dict[tuple[str, str], float]:
        """The same as `values`."""
        return self.values


class Printouts(tuple[Printout, ...]):
    """Output of the tool for several runs."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def each_run(runs: Iterable[Input] | Input) -> list[Input]:
    """List one run or several; raise if there is none."""
    if is_input(runs):
        return [runs]
    if not isinstance(runs, Iterable):
        raise ExcerptError(f"found {type(runs).__name__}, expected a path, bytes or an open file, or several")
    several = cast("list[Input]", list(runs))
    if not several:
        raise ExcerptError("no run given")
    return several


def _number(text: str) -> float | None:
    """Parse a number; None for names and for strings of grades."""
    try:
        return float(text)
    except ValueError:
        return None
