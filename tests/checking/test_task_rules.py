"""Rules of the tasks of INEX, against sets and paths one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt import Result, Run
from excerpt.checking.task_rules import Task, breaches, task_of

TASKS: tuple[Task, ...] = ("thorough", "focused", "relevant-in-context", "best-in-context")
PATHS = ("/a[1]", "/a[1]/b[1]", "/a/b[1]", "/a[1]/b[1]/c[2]", "/a[1]/b[10]", "/a[1]/b[2]", "/a[1]/bb[1]")


def steps(path: str) -> list[str]:
    """The steps of a path, each with its position."""
    return [step if "[" in step else f"{step}[1]" for step in path.split("/")[1:]]


def nested(one: str, other: str) -> bool:
    """Whether one path leads to the other."""
    first, second = sorted((steps(one), steps(other)), key=len)
    return second[: len(first)] == first


def share(one: Result, other: Result) -> bool:
    """Whether two results have text in common: by characters, or by their paths."""
    if one.path and other.path:
        return nested(one.path, other.path)
    inside = [set() if result.path else set(range(result.start, result.end)) for result in (one, other)]
    return bool(inside[0] & inside[1])


def oracle(results: list[Result], task: str, most: int) -> list[int]:
    """The results that break a rule, one entry per rule, from the words of the rules."""
    found = []
    for row, result in enumerate(results):
        before = [other for other in results[:row] if other.topic == result.topic]
        same = [other for other in before if other.document == result.document]
        found += [row] * (len(before) == most)
        found += [row] * (task == "best-in-context" and bool(same))
        apart = bool(same) and before[-1].document != result.document
        found += [row] * (task == "relevant-in-context" and apart)
        overlap = any(share(result, other) for other in same)
        found += [row] * (task in {"focused", "relevant-in-context"} and overlap)
    return found


@st.composite
def some_results(draw: Any) -> list[Result]:
    """Results of two topics, one after the other, by offsets and by paths."""
    spans = st.builds(
        lambda document, start, length: (document, start, start + length, None, None),
        st.sampled_from("AB"),
        st.integers(0, 9),
        st.integers(0, 4),
    )
    paths = st.builds(
        lambda document, path: (document, -1, -1, None, path), st.sampled_from("AB"), st.sampled_from(PATHS)
    )
    return [
        Result(topic, *row)
        for topic in "12"
        for row in draw(st.lists(draw(st.sampled_from([spans, paths, spans | paths])), max_size=8))
    ]


@given(some_results(), st.sampled_from(TASKS))
def test_breaches_are_those_of_the_rules(results: list[Result], task: Task) -> None:
    """Every rule of every task, on spans and on paths."""
    run = Run.of("r", results, kind="elements") if results else Run.of("r", [])
    found = [int(row) for rows, _ in breaches(run, task) for row in rows]
    assert sorted(found) == oracle(results, task, 1500)
    for rows, describe in breaches(run, task):
        for row in rows.tolist():
            assert "expected" in describe(row)


@pytest.mark.parametrize(("year", "most"), [(2002, 100), (2003, 1500), (None, 1500)])
def test_most_results(year: int | None, most: int) -> None:
    """One breach per topic, at its first result too many."""
    rows = [
        Result(topic, f"d{n}", 0, 9) for topic, count in (("1", most + 2), ("2", most)) for n in range(count)
    ]
    ((found, describe),) = breaches(Run.of("r", rows), "thorough", year)
    assert found.tolist() == oracle(rows, "thorough", most) == [most]
    assert describe(most) == f"found {most + 2} results, expected at most {most}"


def test_messages() -> None:
    """The result, its document and the better-ranked result are named."""
    rows = [("/a[1]/b[1]", "A"), ("/a[1]", "B"), ("/a[1]", "A")]
    run = Run.of("r", [Result("7", document, -1, -1, path=path) for path, document in rows], kind="elements")
    run.line[:] = np.arange(11, 14)
    said = [describe(row) for rows, describe in breaches(run, "relevant-in-context") for row in rows.tolist()]
    assert said == [
        f"{found} in a relevant-in-context run"
        for found in (
            "found document A again after another one, expected the results of a document to be adjacent",
            "found /a[1] of document A overlapping /a[1]/b[1] of line 11, expected no common text",
        )
    ]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("CO.Thorough", "thorough"),
        ("COS.Thorough", "thorough"),
        ("CO+S.Focused", "focused"),
        (" focused", "focused"),
        ("AllInContext", "relevant-in-context"),
        ("RelevantInContext ", "relevant-in-context"),
        ("Relevant In Context", "relevant-in-context"),
        ("relevant-in-context", "relevant-in-context"),
        ("BestInContext", "best-in-context"),
        ("CO", None),
        ("adhoc", None),
        ("", None),
    ],
)
def test_names_of_tasks(name: str, task: str | None) -> None:
    """Names as real submissions have them; others are unknown."""
    assert task_of(name) == task
