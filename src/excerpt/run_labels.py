"""Labels that replace the names of runs in tables, figures and reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

from excerpt.errors import ExcerptError, FormatError, plural, short
from excerpt.files import Input, display_name, read_bytes

Labels: TypeAlias = Mapping[str, str] | Input
_Value = TypeVar("_Value")
#: Fields with the name of a run, next to a field of `_RUNS`; and fields that have no names of runs.
_NAMES, _RUNS = {"run", "other", "baseline", "group"}, {"run", "runs"}
_LISTS = {"runs", "baselines"}
_LEFT = {"corpus", "record", "warnings"}


def read_labels(given: Labels) -> dict[str, str]:
    r"""Labels by run, from lines of a run, a tab and its label; a mapping is returned as it is.

    >>> read_labels(b"p-bm25\tPassages, BM25\nsec-bm25\tSections, BM25")
    {'p-bm25': 'Passages, BM25', 'sec-bm25': 'Sections, BM25'}
    """
    if isinstance(given, Mapping):
        return {str(run): str(label) for run, label in given.items()}
    labels: dict[str, str] = {}
    for line, run, label in read_pairs(given, "label", separator="\t"):
        if label in labels.values():
            fault = f"found label {short(label)} again, expected a different label for each run"
            raise FormatError(fault, path=display_name(given), line=line, hint="name each run differently")
        labels[run] = label
    return labels


def read_pairs(
    given: Input, noun: str, of: str = "run", separator: str | None = None
) -> Iterator[tuple[int, str, str]]:
    """Lines of two columns, a run (or another `of`) and its `noun`, with their numbers; not blank lines."""
    names: set[str] = set()
    try:
        lines = read_bytes(given).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise ExcerptError("is not text in UTF-8", path=display_name(given)) from None
    between = "a tab" if separator else "white space"
    for number, line in enumerate(lines, start=1):
        columns = [column.strip() for column in line.split(separator)]
        if not any(columns):
            continue
        fault = ""
        if len(columns) != 2 or not all(columns):
            fault = f"found {plural(len([*filter(None, columns)]), 'column')}, expected {of} and {noun}"
        elif columns[0] in names:
            fault = f"found {of} {short(columns[0])} again, expected it once"
        if fault:
            hint = f"each line names a {of} and, after {between}, its {noun}"
            raise FormatError(fault, path=display_name(given), line=number, hint=hint)
        names.add(columns[0])
        yield number, columns[0], columns[1]


def with_labels(value: _Value, labels: Mapping[str, str]) -> _Value:
    """Return a result with labels instead of the names of its runs, inside all of its parts.

    >>> with_labels(({"run": "a", "other": "b", "measure": "P"},), {"a": "A", "P": "x"})
    ({'run': 'A', 'other': 'b', 'measure': 'P'},)
    """
    made: Any = value
    if hasattr(value, "_asdict"):
        made = made._replace(**_changes(made._asdict(), labels))
    elif isinstance(value, list | tuple):
        made = type(value)(with_labels(item, labels) for item in value)
    elif isinstance(value, Mapping):
        made = {**value, **_changes(value, labels)}
    elif is_dataclass(value):
        parts = _changes({item.name: getattr(value, item.name) for item in fields(value)}, labels)
        made = replace(made, **parts) if parts else value
    return cast("_Value", made)


def _changes(parts: Mapping[str, Any], labels: Mapping[str, str]) -> dict[str, Any]:
    """Parts of a record that labels change."""
    changed: dict[str, Any] = {}
    for name, part in parts.items():
        if name in _NAMES and isinstance(part, str) and not _RUNS.isdisjoint(parts):
            changed[name] = labels.get(part, part)
        elif name in _LISTS and isinstance(part, tuple):
            changed[name] = runs = tuple(labels.get(run, run) for run in part)
            if len(set(runs)) < len(runs):
                twice = next(run for run in runs if runs.count(run) > 1)
                raise ExcerptError(f"found the label {short(twice)} for two runs, expected different labels")
        elif name not in _LEFT and (isinstance(part, tuple | list | Mapping) or is_dataclass(part)):
            changed[name] = with_labels(part, labels)
    return {name: part for name, part in changed.items() if part is not parts[name]}
