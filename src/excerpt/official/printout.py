"""Printouts: lines of an official tool and their figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from excerpt.errors import ExcerptError, one_line
from excerpt.files import Input, is_input


@dataclass(frozen=True, repr=False)
class Printout:
    """What the tool prints for one run; `fault` says why a run was rejected."""

    run: str
    lines: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    fault: str = ""

    def __str__(self) -> str:
        text = "\n".join(self.lines)
        if text.isprintable() or text.translate(_USUAL).isprintable():
            return text
        return "\n".join("\t".join(map(one_line, line.split("\t"))) for line in self.lines)

    def __repr__(self) -> str:
        return f"<Printout of {self.run!r}: {self.fault or f'{len(self.figures)} figures'}>"

    @cached_property
    def figures(self) -> dict[tuple[str, str], float]:
        """Every figure by name and topic (`all` for the mean or the sum over topics)."""
        rows = (line.split("\t") for line in self.lines if line.count("\t") > 1)
        found = {} if self.fault else {(row[0].rstrip(), row[-2]): _number(row[-1]) for row in rows}
        return {name: figure for name, figure in found.items() if figure is not None}


class Printouts(tuple[Printout, ...]):
    """What the tool prints for several runs."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def each_run(runs: Iterable[Input] | Input) -> list[Input]:
    """One run, or several, as a list; an error where there is none."""
    if is_input(runs):
        return [runs]
    if not isinstance(runs, Iterable):
        raise ExcerptError(f"found {type(runs).__name__}, expected a path, bytes or an open file, or several")
    found = cast("list[Input]", list(runs))
    if not found:
        raise ExcerptError("no run was given")
    return found


_USUAL = {ord("\n"): None, ord("\t"): None}


def _number(text: str) -> float | None:
    """A figure; None for names and for strings of grades."""
    try:
        return float(text)
    except ValueError:
        return None
