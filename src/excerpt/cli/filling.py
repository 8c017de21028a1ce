"""What a project's file and variables say where the command line does not: files, measures, policies."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from excerpt.project.holding import Held


def fill(
    parser: argparse.ArgumentParser,
    arguments: argparse.Namespace,
    given: Collection[str],
    *,
    own: Collection[str],
    needed: Collection[str],
) -> dict[str, Held]:
    """Fill in what is set elsewhere, but for options `given` and what a command calls by its `own` names.

    Of what is `needed` an error comes later, where nobody has set it.
    """
    from excerpt.project.holding import Holding
    from excerpt.project.settings import SETTINGS

    known = {setting.dest: setting.name for setting in SETTINGS.values()}
    wanted = [
        action.dest
        for action in parser._actions  # noqa: SLF001 - argparse has no door for that
        if action.dest in known and action.dest not in own and _is_open(action, arguments, given)
    ]
    if not wanted:
        return {}
    holding = Holding.here()
    named = [dest for dest in wanted if holding.names(known[dest])]
    held = {dest: holding.value(known[dest]) for dest in _fitting(named, arguments, needed)}
    for dest, each in held.items():
        setattr(arguments, dest, _argument(dest, each.value))
    return held


def _is_open(action: argparse.Action, arguments: argparse.Namespace, given: Collection[str]) -> bool:
    """Whether an argument may be set elsewhere: an option that was not given; judgments, runs."""
    if action.option_strings:
        return action.dest not in given
    named = action.dest in {"qrels", "runs"} and action.nargs in {"?", "*"}
    return named and not getattr(arguments, action.dest)


def _fitting(named: list[str], arguments: argparse.Namespace, needed: Collection[str]) -> list[str]:
    """What is set and of use: saved scores were made by settings of their own, and have their measures."""
    if not named:
        return []
    from excerpt.files import is_scores

    saved = {dest for dest in ("qrels", "baseline") if is_scores(getattr(arguments, dest, None) or b"")}
    if "qrels" in saved:
        return [dest for dest in named if dest == "measures" and dest in needed]
    return [dest for dest in named if dest != "measures" or not saved]


def _argument(dest: str, value: Any) -> Any:
    """A value as the command line gives it."""
    if dest == "runs":
        from excerpt.files import expand

        return expand(value)
    return list(value) if isinstance(value, tuple) else value


def told(held: Mapping[str, Held]) -> str:
    """Who has set what: `excerpt.toml: qrels, runs, overlap first; EXCERPT_LIMIT: limit 100`."""
    by: dict[str, list[str]] = {}
    for each in held.values():
        place = each.origin.rpartition(":")[0] or each.origin
        named = each.setting.paths or isinstance(each.value, tuple)
        by.setdefault(place, []).append(each.setting.name if named else f"{each.setting.name} {each.told}")
    return "; ".join(f"{place}: {', '.join(names)}" for place, names in by.items())


def as_given(held: Mapping[str, Held]) -> tuple[list[str], list[str]]:
    """What was filled in as it would have been given: judgments and runs, and options."""
    files = [name for dest in ("qrels", "runs") if dest in held for name in _names(held[dest].value)]
    return files, [
        word for dest, each in held.items() if dest not in {"qrels", "runs"} for word in _option(each)
    ]


def _names(value: Any) -> list[str]:
    return list(value) if isinstance(value, tuple) else [value]


def _option(held: Held) -> Iterator[str]:
    if held.setting.name == "measures":
        for name in held.value:
            yield from ("-m", name)
    elif held.value is not False:
        yield f"--{held.setting.name}"
        if held.value is not True:
            yield held.told
