"""Which measure of a table is meant, however it is spelt."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping

from excerpt.errors import ExcerptError


def find_measure(
    name: str, measures: Iterable[str], aliases: Mapping[str, str], asked: Mapping[str, str] | None = None
) -> str | None:
    """What a table with these measures and aliases calls a measure; None where it has none such.

    `asked` says what everyday names stand for where the name comes from, if that is another table.

    >>> find_measure("iP@0.01", ["MAiP", "iP[0.01]"], {})
    'iP[0.01]'
    """
    said = aliases if asked is None else asked
    own = {other: _meaning(aliases.get(other, other)) for other in measures}
    first = _of_documents(aliases)
    # What a table calls its own measure without an alias is no everyday name, or one of text.
    for documents in [False] if name in said or asked is not None else [first, not first]:
        meant = _meaning(said.get(name, name), documents=documents)
        for other, meaning in own.items():
            if meant == meaning:
                return other
            if name == other:
                raise ExcerptError(f"found {name} for two measures, {meant} and {meaning}, expected one")
    return None


def _meaning(name: str, *, documents: bool = False) -> object:
    """The measure, or its name where it is none that is known here."""
    return value_of(name, documents=documents) or name


def _of_documents(aliases: Mapping[str, str]) -> bool:
    """Whether everyday names stand for measures of documents, as they do beside TREC qrels."""
    return any(value_of(name) != value_of(meant) for name, meant in aliases.items())


def value_of(measure: str, *, documents: bool = False) -> object:
    """The measure that a text spells, None where it is no measure that is known here."""
    parse = importlib.import_module("excerpt.measures").parse  # a layer above, so not imported with this one
    try:
        return parse(measure, documents=documents)
    except ExcerptError:
        return None
