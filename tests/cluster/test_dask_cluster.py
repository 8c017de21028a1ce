"""A Dask cluster on loopback gives what one process gives, also when a worker is killed in the middle."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest
from support import engine_work
from support.cluster_use import Killer, demo_files, error_of, output
from support.loopback import Loopback

from excerpt import quantise
from excerpt.cli.console import ProgressBar
from excerpt.cluster import dask_cluster as client
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import evaluate
from excerpt.measures import base, parse
from excerpt.model import GradedElement, Judgments, Result, Run
from excerpt.model.judgments import Scale

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    "options",
    [
        ("evaluate", *demo_files(), "--overlap", "first", "--per-topic", "--format", "json"),
        ("stability", "pool", *demo_files(), "--overlap", "first", "--samples", "3", "--format", "json"),
    ],
    ids=["evaluate", "stability"],
)
def test_scores_survive_a_killed_worker(
    cluster: Loopback,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
) -> None:
    """The output and the warnings are those of one process, byte by byte."""
    expected = output(capsys, *options)
    killer = Killer(cluster)
    monkeypatch.setattr(ProgressBar, "__call__", killer)
    assert output(capsys, *options, "--cluster", cluster.address) == expected
    assert expected[0] == 0
    assert killer.killed is not None


def test_mistakes_are_told_as_here(
    cluster: Loopback, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bad line, a file that is not there: the same line as without a cluster, with the names as given."""
    monkeypatch.chdir(tmp_path)
    Path("q").write_text("1 Q0 A 60 200 10 10:40 100:20\n")
    Path("good").write_text("1 Q0 A 1 9 good 0 50\n")
    Path("bad").write_text("1 Q0 A 1 9 bad 0 50\n1 Q0 A 1 9 bad 0\n")
    for runs in (["good", "bad", "nowhere"], ["good", "nowhere"]):
        command = ["evaluate", "q", *runs, "--run-format", "fol"]
        expected = output(capsys, *command)
        assert expected[0] == 2
        assert output(capsys, *command, "--cluster", cluster.address) == expected
    command = ["evaluate", "q", "good", "--workers", "2", "--cluster", cluster.address]
    assert "--cluster and --workers cannot be combined" in output(capsys, *command)[2]


def test_standard_input_stays_here(cluster: Loopback) -> None:
    """By its name, a worker would read a standard input of its own."""
    command = [sys.executable, "-m", "excerpt", "evaluate", *demo_files()[:3], "--overlap", "first"]
    expected = subprocess.run(command, capture_output=True, check=True)
    command[command.index(demo_files()[1])] = "/dev/stdin"
    with Path(demo_files()[1]).open("rb") as run:
        done = subprocess.run(
            [*command, "--cluster", cluster.address], stdin=run, capture_output=True, check=True
        )
    assert (done.stdout, done.stderr) == (expected.stdout, expected.stderr)


def test_quantisations_and_measures_of_ones_own(cluster: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers know definitions of a script or of another package that they never ran."""
    monkeypatch.setattr(quantise, "_registry", dict(quantise._registry))
    monkeypatch.setattr(base, "_measures", base.registry())
    from support.own_measure import Half

    scale: Scale = "exhaustivity and specificity"
    quantise.register("mine", scale, "of a script")(engine_work.halves)
    graded = [GradedElement("1", "A", "/a[1]", 3, 2), GradedElement("1", "A", "/a[1]/b[1]", 3, 3)]
    judgments = Judgments.graded(graded, scale=scale)
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]")], kind="elements")
    measures = [parse("nxCG(quantisation=mine)[1]"), Half()]
    assert evaluate(judgments, [run], measures, cluster=cluster.address).means().tolist() == [[0.5, 0.5]]


def test_the_context_travels_once(cluster: Loopback, tmp_path: Path) -> None:
    """A worker unpacks it with its first item, and not again; results are in order."""
    call = Call(engine_work.scaled, 10, partial(engine_work.sign, str(tmp_path)))
    with Engine(cluster=cluster.address).map(call, range(50)) as results:
        assert list(results) == list(range(0, 500, 10))
    assert 1 <= len(list(tmp_path.iterdir())) <= 2


@pytest.mark.slow
def test_a_cluster_that_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No workers, work that kills them, no scheduler any more: each is an error in one line."""
    monkeypatch.setattr(client, "WORKER_TIMEOUT", 1)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    cluster = Loopback(tmp_path)
    engine = Engine(cluster=cluster.address)
    try:
        error = error_of(engine, Call(engine_work.scaled, 1))
        assert error == f"the cluster at {cluster.address} has no workers; try dask worker {cluster.address}"
        cluster.set_workers(1)
        error = error_of(engine, Call(engine_work.dying, ""), [3])
        assert error.startswith("workers of the cluster keep dying on the same work")
        cluster.forget()
        cluster.set_workers(1)
        begin = time.monotonic()
        error = error_of(engine, Call(engine_work.scaled, 1), _stopping(cluster.scheduler))
        os.kill(cluster.scheduler, signal.SIGCONT)
        assert error.startswith(f"lost the connection to the cluster at {cluster.address}")
        assert time.monotonic() - begin < 20
        error = error_of(engine, Call(engine_work.killing, cluster.scheduler))
        assert error.startswith(f"lost the connection to the cluster at {cluster.address}")
        begin = time.monotonic()
        error = error_of(engine, Call(engine_work.scaled, 1))
        assert error.startswith(f"cannot connect to a Dask scheduler at {cluster.address}")
        assert time.monotonic() - begin < 15
    finally:
        cluster.close()


def _stopping(process: int) -> Iterator[int]:
    yield 1
    os.kill(process, signal.SIGSTOP)
    yield from range(100)


@pytest.mark.slow
def test_a_deleted_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker needs no folder of its own; the command does, and says so."""
    folder = tmp_path / "deleted"
    folder.mkdir()
    command = ["evaluate", *demo_files()[:3], "--overlap", "first"]
    expected = output(capsys, *command)
    assert expected[0] == 0
    cluster = Loopback(tmp_path)
    try:
        cluster.add_worker(folder=folder)
        folder.rmdir()
        for _ in range(2):
            assert output(capsys, *command, "--cluster", cluster.address) == expected
        folder.mkdir()
        monkeypatch.chdir(folder)
        folder.rmdir()
        message = (
            "the current folder was deleted, but workers need it to find files; change to another folder"
        )
        error = (2, "", f"excerpt: {message}\n")
        assert output(capsys, *command, "--cluster", cluster.address) == error
    finally:
        cluster.close()


def test_a_module_that_workers_lack(cluster: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that is not installed everywhere is named."""
    module = ModuleType("only_here")
    exec("def work(context, item): return item", vars(module))
    monkeypatch.setitem(sys.modules, "only_here", module)
    with (
        pytest.raises(ExcerptError, match=r"worker \S+ lacks a module or function: .*'only_here'; install"),
        Engine(cluster=cluster.address).map(Call(module.work, None), [1]) as results,
    ):
        list(results)
