"""Distributed work: the same results in the same order, on any worker."""

from __future__ import annotations

import os
import sys

import pytest
from support import engine_work
from support.engine_work import until_the_error

from excerpt import quantise
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import evaluate
from excerpt.model import GradedElement, Judgments, Result, Run
from excerpt.model.judgments import Scale

ENGINES = [pytest.param(Engine(workers), id=f"{workers} workers") for workers in (1, 2, 5)]


@pytest.mark.parametrize("engine", ENGINES)
def test_results_come_in_order(engine: Engine) -> None:
    """By any worker, and for more items than may be under way; none for no items."""
    with engine.map(Call(engine_work.scaled, 10), range(40)) as results:
        assert list(results) == list(range(0, 400, 10))
    with engine.map(Call(engine_work.scaled, 10), []) as results:
        assert list(results) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_errors_come_in_order(engine: Engine) -> None:
    """Results before an error come first, then the first error, with its place, on any worker."""
    message = "numbers:7: found -7, expected a number of at least 0"
    assert until_the_error(engine, Call(engine_work.scaled, 3), [1, 2, -7, -9, -8]) == ([3, 6], message)
    message = "numbers:9: found -9, expected a number of at least 0"
    assert until_the_error(engine, Call(engine_work.scaled, 3), [1, 2, -9, -7]) == ([3, 6], message)


@pytest.mark.parametrize("engine", ENGINES[:2])
def test_an_error_of_the_items_comes_after_the_results(engine: Engine) -> None:
    """An error of the iterator is raised after all results before it."""
    call = Call(engine_work.scaled, 1)
    assert until_the_error(engine, call, engine_work.numbers()) == ([0, 1, 2], "found no fourth number")


def test_some_items_stay_here() -> None:
    """Items that cannot travel are done in this process, in their turn."""
    here = os.getpid()
    call = Call(engine_work.process, None)
    with Engine(2).map(call, range(6), here=lambda item: item == 4) as results:
        assert [(number, process == here) for number, process in results] == [
            (number, number == 4) for number in range(6)
        ]


def test_mistakes() -> None:
    """Numbers of workers are checked; workers and a cluster exclude one another."""
    with pytest.raises(ExcerptError, match="found 0 workers, expected at least 1"):
        Engine(0)
    with pytest.raises(ExcerptError, match="workers and cluster cannot be combined"):
        Engine(2, "tcp://127.0.0.1:1")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster needs an extra, which the error names."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    call = Call(engine_work.scaled, 1)
    _, error = until_the_error(Engine(cluster="tcp://127.0.0.1:1"), call, range(3))
    assert error == "a cluster needs Dask, which is not installed; try pip install 'excerpt[cluster]'"


def test_quantisations_of_ones_own_reach_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes know registrations of a script that they never ran."""
    monkeypatch.setattr(quantise, "_registry", dict(quantise._registry))
    scale: Scale = "exhaustivity and specificity"
    quantise.register("mine", scale, "of a script")(engine_work.halves)
    judgments = Judgments.graded(
        [GradedElement("1", "A", "/a[1]", 3, 2), GradedElement("1", "A", "/a[1]/b[1]", 3, 3)], scale=scale
    )
    runs = [
        Run.of(f"r{number}", [Result("1", "A", -1, -1, 1.0, path)], kind="elements")
        for number, path in enumerate(("/a[1]", "/a[1]/b[1]"))
    ]
    tables = [evaluate(judgments, runs, "nxCG(quantisation=mine)[1]", workers=workers) for workers in (1, 2)]
    assert tables[0].means().tolist() == tables[1].means().tolist() == [[0.5], [1.0]]
    adopted = quantise.registered_here()
    monkeypatch.setattr(quantise, "_registry", {})
    quantise.adopt(adopted)
    assert quantise.registered_here() == adopted
    assert [one.name for one in adopted] == ["mine"]
