"""Which measures are meant: those that were named, or a set that the judgments ask for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from excerpt.errors import ExcerptError, listed
from excerpt.measures import SETS, Measure, alias_of, check_names, expand, parse

if TYPE_CHECKING:
    from excerpt.model.judgments import Judgments

#: What INEX reported for the focused task.
DEFAULT_MEASURES = SETS["inex"]


class Choice(NamedTuple):
    """A set of measures that was taken since nobody asked for any, and why."""

    name: str
    why: str

    def __str__(self) -> str:
        return f"measures: {self.name}, since {self.why}"

    @property
    def measures(self) -> dict[str, Measure]:
        """The measures by name."""
        return {name: parse(name, documents=self.name == "trec") for name in SETS[self.name]}


def choose(judgments: Judgments) -> Choice:
    """The set that judgments ask for, whatever the runs are like."""
    if judgments.scale == "documents":
        return Choice("trec", "whole documents were judged")
    return Choice("inex", "none was asked for")


def read_names(measures: Iterable[Measure | str] | Measure | str) -> list[Measure | str]:
    """Measures and names of measures, those of a set in its place; an error for what is none."""
    given = expand(listed(measures, Measure | str, "measure", "a measure or the name of one"))
    if not given:
        raise ExcerptError("found no measure, expected at least one", hint="⟨command=measures⟩ lists them")
    check_names(given)
    return given


def aliases_of(measures: dict[str, Measure]) -> dict[str, str]:
    """What everyday names among those of measures stand for."""
    found = {name: alias_of(name, measure) for name, measure in measures.items()}
    return {name: alias for name, alias in found.items() if alias is not None}
