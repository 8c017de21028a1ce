"""Work shared out: the same results in the same order, and killed processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import engine_work
import pytest
from waiting import until

from excerpt import quantise
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import evaluate
from excerpt.model import GradedElement, Judgments, Result, Run
from excerpt.model.judgments import Scale

ENGINES = [Engine(1), Engine(2), Engine(5)]


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_results_come_in_order(engine: Engine) -> None:
    """Whoever computes them, and more items than may be on their way; none for no items."""
    with engine.map(Call(engine_work.scaled, 10), range(40)) as results:
        assert list(results) == list(range(0, 400, 10))
    with engine.map(Call(engine_work.scaled, 10), []) as results:
        assert list(results) == []


def until_the_error(engine: Engine, call: Call[Any, int, int], items: Iterable[int]) -> tuple[list[int], str]:
    """The results that come out, and the error after them; of a mistake, items below -8 stay here."""
    found: list[int] = []
    with engine.map(call, items, here=lambda item: item < -8) as results:
        try:
            found.extend(iter(results))
        except ExcerptError as error:
            return found, str(error)
    return found, ""


@pytest.mark.parametrize("engine", ENGINES, ids=str)
def test_errors_come_in_order(engine: Engine) -> None:
    """Results before a mistake come out, then the first mistake, with its place; whoever met it first."""
    message = "numbers:7: found -7, expected a number of at least 0"
    assert until_the_error(engine, Call(engine_work.scaled, 3), [1, 2, -7, -9, -8]) == ([3, 6], message)
    message = "numbers:9: found -9, expected a number of at least 0"
    assert until_the_error(engine, Call(engine_work.scaled, 3), [1, 2, -9, -7]) == ([3, 6], message)


@pytest.mark.parametrize("engine", ENGINES[:2], ids=str)
def test_an_error_of_the_items_comes_after_the_results(engine: Engine) -> None:
    """What the iterator raises waits until everything before it is out."""
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


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    """What was lost with a killed process is done again, and the results are the same."""
    call = Call(engine_work.dying, str(tmp_path / "died"))
    with Engine(2).map(call, range(10)) as results:
        assert list(results) == list(range(10))
    assert (tmp_path / "died").exists()


def test_work_that_kills_every_worker() -> None:
    """After some attempts it is an error in one line; what came before is out."""
    found, error = until_the_error(Engine(2), Call(engine_work.dying, ""), range(10))
    assert found == [0, 1, 2]
    assert error == "a worker process ended unexpectedly; try fewer --workers if memory is short"
    assert not multiprocessing.active_children()


def test_work_that_nobody_waits_for(tmp_path: Path) -> None:
    """Who leaves before the end does not wait for items that take long."""
    begin = time.monotonic()
    with Engine(2).map(Call(engine_work.patient, str(tmp_path)), range(4)) as results:
        assert next(results) == 0
    assert time.monotonic() - begin < 30
    assert not multiprocessing.active_children()


def test_answers_that_are_on_their_way() -> None:
    """Who leaves while workers are in the middle of large answers does not wait for ever."""
    for taken in range(3):
        with Engine(2).map(Call(engine_work.large, 1 << 26), range(6)) as results:
            assert [len(next(results)) for _ in range(taken)] == [1 << 26] * taken
    assert not multiprocessing.active_children()


def test_a_script_without_the_usual_line(tmp_path: Path) -> None:
    """Workers import the script again; where that starts workers the error says what is missing."""
    script = tmp_path / "script.py"
    script.write_text(
        "import engine_work\n"
        "from excerpt.engine import Call, Engine\n"
        "with Engine(2).map(Call(engine_work.scaled, 1), range(3)) as results:\n"
        "    print(list(results))\n"
    )
    done = _python(script)
    assert "worker processes could not start; a script needs `if __name__ == '__main__':`" in done.stderr
    assert done.returncode == 1


def _python(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(Path(engine_work.__file__).parent)}
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    """Killing the process that asked for the work leaves no worker behind."""
    code = (
        "import engine_work\n"
        "from excerpt.engine import Call, Engine\n"
        "if __name__ == '__main__':\n"
        f"    with Engine(2).map(Call(engine_work.waiting, {str(tmp_path)!r}), range(4)) as results:\n"
        "        list(results)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    environment = os.environ | {"PYTHONPATH": str(Path(engine_work.__file__).parent)}
    with subprocess.Popen([sys.executable, script], env=environment, stderr=subprocess.DEVNULL) as parent:
        until(lambda: len(_processes(tmp_path)) == 2)
        workers = _processes(tmp_path)
        parent.kill()
    until(lambda: not any(map(_is_alive, workers)))


def _processes(folder: Path) -> list[int]:
    return [int(path.name) for path in folder.iterdir() if path.name.isdigit()]


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return False
    return not state.startswith("Z")  # a zombie only waits for somebody to ask


def test_interrupts_are_for_the_parent() -> None:
    """Ctrl-C reaches all processes of a terminal; workers leave it to the parent, even while they start."""
    with Engine(2).map(Call(engine_work.interrupted, None), range(4)) as results:
        assert list(results) == [(item, True) for item in range(4)]


def test_what_cannot_travel() -> None:
    """A function of one's own that other processes cannot import is an error in one line."""
    with (
        pytest.raises(ExcerptError, match=r"cannot be sent to workers: .*; use one worker, or define"),
        Engine(2).map(Call(lambda factor, item: factor * item, 1), range(3)) as results,
    ):
        list(results)


@pytest.mark.parametrize(("kind", "what"), [("answer", "a function"), ("error", "_Odd(")])
def test_answers_that_cannot_travel(kind: str, what: str) -> None:
    """What a worker cannot send is said in one line, and no process dies of it."""
    _, error = until_the_error(Engine(2), Call(engine_work.unsendable, kind), range(3))
    assert error.startswith(f"a worker could not send {what}")
    assert error.endswith("use one worker")


def test_an_interrupt_does_not_wait_for_the_last_item() -> None:
    """Ctrl-C while the last item is under way ends its process at once."""
    begin = time.monotonic()
    with Engine(2).map(Call(engine_work.slow, 60.0), range(2)) as results:
        assert next(results) == 0
        threading.Timer(0.5, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            next(results)
    assert time.monotonic() - begin < 30


def test_mistakes() -> None:
    """Numbers of workers are checked; workers and a cluster exclude one another."""
    with pytest.raises(ExcerptError, match="found 0 workers, expected at least 1"):
        Engine(0)
    with pytest.raises(ExcerptError, match="found both workers and a cluster; give one of them"):
        Engine(2, "tcp://127.0.0.1:1")


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster needs an extra, which the error names."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    call = Call(engine_work.scaled, 1)
    _, error = until_the_error(Engine(cluster="tcp://127.0.0.1:1"), call, range(3))
    assert error == "--cluster needs Dask, which is not installed; try pip install 'excerpt[cluster]'"


def test_quantisations_of_ones_own_reach_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table from TOML is known in processes that never read it."""
    monkeypatch.setattr(quantise, "_registry", dict(quantise._registry))
    scale: Scale = "exhaustivity and specificity"
    quantise.read_table(f'[mine]\nscale = "{scale}"\nvalues = {{"33" = 1, "32" = 0.5}}', "own.toml")
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
