"""Plug-in of pytest: the fixture `excerpt_gate`, which compares a run with the baseline of a project.

A project says in `excerpt.toml` what is compared with what:

    [gate]
    gold = "gold.jsonl"
    corpus = "docs"
    baseline = "baseline.json"
    measures = ["recall(budget=4000)"]

Further settings of the table are arguments of `excerpt.gate`: `min`, `must`, `max_drop`, `if_unsure`, …
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from excerpt.experiments.gate import Gate

_LINES = pytest.StashKey[list[str]]()
_PATHS = ("gold", "corpus", "baseline")
_FURTHER = {
    *("measures", "min", "must", "max_drop", "alpha", "test", "tie", "max_missing", "if_unsure"),
    *("baseline_name", "questions", "unplaced", "copies", "samples", "seed"),
}
_NOT = {True: "", False: "not "}


def pytest_configure(config: pytest.Config) -> None:
    """Begin without lines."""
    config.stash[_LINES] = []


@pytest.fixture
def excerpt_gate(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Compare a run (a file, a `Run`, or results by question) with the baseline of `[gate]` in excerpt.toml.

    The call raises an AssertionError if the run has failed, or if the gate cannot tell; it prints the
    questions that lost, and returns the verdict. Keyword arguments override settings.
    """

    def check(run: Any, **settings: Any) -> Gate:
        from excerpt.experiments.gate import PASSED, UNSURE, gate

        how = {**_settings(), **settings}
        baseline, measures = how.pop("baseline"), how.pop("measures", None)
        verdict = gate(baseline, run, measures, qrels=how.pop("gold"), **how)
        request.config.stash[_LINES] += [f"{request.node.nodeid}: {line}" for line in _lines(verdict)]
        print(verdict)
        if verdict.verdict != PASSED:
            said = f"{UNSURE}: " if verdict.verdict == UNSURE else ""
            raise AssertionError(f"{said}{verdict.summary}\n\n{verdict}")
        return verdict

    return check


def _settings() -> dict[str, Any]:
    """The table [gate], with paths as seen from the working folder."""
    from excerpt.errors import ExcerptError, UnknownName
    from excerpt.project import gate_settings

    found, folder = gate_settings()
    settings = {name.replace("-", "_"): value for name, value in found.items()}
    for name in settings:
        if name not in {*_PATHS, *_FURTHER}:
            raise UnknownName("setting of [gate]", name, (*_PATHS, *sorted(_FURTHER)), path="excerpt.toml")
    missing = [name for name in ("gold", "baseline") if not isinstance(settings.get(name), str)]
    if missing:
        message = f"[gate] has no {' and no '.join(missing)}, expected the path of a file"
        raise ExcerptError(message, path="excerpt.toml", hint='write gold = "gold.jsonl" below [gate]')
    paths = {
        name: os.path.join(folder, settings[name])  # noqa: PTH118 - perhaps with a parser
        for name in _PATHS
        if isinstance(settings.get(name), str)
    }
    return {**settings, **paths}


def _lines(verdict: Gate) -> list[str]:
    """One line per measure."""
    lines = [
        f"{one.measure} {one.before:.4f} -> {one.after:.4f} ({one.difference.value:+.4f}), {one.said}, "
        f"{len(one.lost)} lost, {len(one.won)} gained"
        for one in verdict.verdicts
    ]
    known = {one.measure for one in verdict.verdicts}
    lines += [
        f"{floor.measure} {floor.after:.4f}, {_NOT[floor.below]}below the minimum {floor.least:g}"
        for floor in verdict.floors
        if floor.measure not in known or floor.below
    ]
    return lines


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print a line per measure of every gate."""
    lines = config.stash.get(_LINES, [])
    if lines:
        terminalreporter.section("excerpt gate")
        for line in lines:
            terminalreporter.line(line)
