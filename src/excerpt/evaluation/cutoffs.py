"""The cut-offs of a curve: the measure whose cut-off is still open, and which values it takes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from excerpt.errors import ExcerptError, listed
from excerpt.measures import Measure, kind_of, parameters, parse, registry

#: Cut-offs: numbers, or text such as `1,2,5`, `1:100` or `0:1:0.1`.
Points: TypeAlias = int | float | Fraction | str | Iterable[int | float | Fraction | str]

_RANKS = "1:50"
_LEVELS = "0:1:0.01"
_MOST = 10_000
#: Short enough that no number takes long to read; 1/0 is none.
_NUMBER = re.compile(r"(\d{1,18}(\.\d{0,18})?|\.\d{1,18})(/0*[1-9]\d{0,17})?")


@dataclass(frozen=True)
class Family:
    """A measure whose cut-off is still open."""

    name: str
    #: Whether cut-offs are ranks; else they are shares, such as recall levels.
    by_rank: bool

    @classmethod
    def of(cls, name: str) -> Family:
        """The family that a measure without its cut-off stands for."""
        name = name.strip()
        bare = re.sub(r"\s*(\[[^\[\]]*\]|@\S+)$", "", name)
        word = re.match(r"\w*", name)
        measure = kind_of(word[0] if word and word[0] else name)
        if not any(kind.cutoff for _, kind in parameters(measure)):
            raise ExcerptError(
                f"found {measure.name}, which has no cut-off, expected a measure that has one",
                hint="try one of " + ", ".join(_with_cutoff(registry())),
            )
        if bare != name:
            raise ExcerptError(
                f"found {name!r}, expected a measure without its cut-off",
                hint=f"try {bare} with ⟨points⟩",
            )
        # Which cut-offs fit may depend on parameters, so the measure itself is asked.
        return cls(name, by_rank=not cls(name, by_rank=False).fits(Fraction(1, 2)))

    def at(self, cutoff: Fraction) -> Measure:
        """The measure at one cut-off; an everyday name is that of text."""
        return parse(self.name_at(cutoff))

    def name_at(self, cutoff: Fraction) -> str:
        """The name of the measure at one cut-off."""
        return f"{self.name}[{int(cutoff) if cutoff.denominator == 1 else cutoff}]"

    def cutoffs(self, points: Points | None) -> list[Fraction]:
        """The cut-offs, in increasing order and each once; every one is known to fit the measure."""
        if points is not None:
            found = sorted(set(_numbers(points, by_rank=self.by_rank)))
        elif self.by_rank:
            found = list(_range(_RANKS))
        else:
            found = list(_range(_LEVELS))
            found = found if self.fits(found[0]) else found[1:]
        if not found:
            raise ExcerptError("found no points, expected at least one", hint="such as 1,2,5,10")
        for cutoff in found:
            self.at(cutoff)
        return found

    def fits(self, cutoff: Fraction) -> bool:
        """Whether the measure takes a cut-off."""
        try:
            self.at(cutoff)
        except ExcerptError:
            return False
        return True


def _with_cutoff(known: dict[str, type[Measure]]) -> list[str]:
    """The names of the measures that have a cut-off."""
    return [
        name
        for name, measure in known.items()
        if name == measure.name and any(kind.cutoff for _, kind in parameters(measure))
    ]


def _numbers(points: Points, *, by_rank: bool) -> list[Fraction]:
    """The points as numbers; a single rank stands for all ranks up to it."""
    if isinstance(points, int | float | Fraction):
        points = str(points)
    if isinstance(points, str):
        single = by_rank and re.fullmatch(r"\s*[1-9]\d{0,17}\s*", points)
        parts: list[object] = list((f"1:{points}" if single else points).split(","))
    else:
        parts = list(listed(points, int | float | Fraction | str, "points", "numbers or text such as 1:100"))
    found: list[Fraction] = []
    for part in parts:
        found += _range(str(part))
        if len(found) > _MOST:
            raise ExcerptError(f"found more than {_MOST} points, expected at most {_MOST}")
    return found


def _range(text: str) -> list[Fraction]:
    """One number, or those from a first to a last one (`first:last` or `first:last:step`)."""
    parts = [part.strip() for part in text.split(":")]
    if len(parts) == 1:
        parts *= 2
    good = len(parts) in {2, 3} and all(map(_NUMBER.fullmatch, parts))
    first, last, step = (Fraction(part) for part in (*parts, "1")[:3]) if good else (Fraction(0),) * 3
    if step <= 0 or last < first:
        raise ExcerptError(
            f"found {text.strip()!r} as points, expected numbers or ranges such as 1,2,5 or 1:100 or 0:1:0.1"
        )
    count = min(int((last - first) / step), _MOST)
    return [first + step * i for i in range(count + 1)]
