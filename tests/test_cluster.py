"""A Dask cluster on loopback gives what one process gives, also when a worker is killed in the middle."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import blind
import engine_work
import pytest
from loopback import Loopback
from waiting import until

import excerpt
from excerpt import cluster as own
from excerpt import collection, quantise
from excerpt.cli import main
from excerpt.cli.progress import Progress
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import evaluate
from excerpt.index import build_index
from excerpt.index.parts import folder as parts
from excerpt.measures import parse
from excerpt.model import GradedElement, Judgments, Result, Run
from excerpt.model.judgments import Scale

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loopback]:
    """One scheduler for all tests of this file."""
    cluster = Loopback(tmp_path_factory.mktemp("cluster"))
    try:
        yield cluster
    finally:
        cluster.close()


@pytest.fixture
def cluster(started: Loopback) -> Loopback:
    """A cluster of two workers."""
    started.set_workers(2)
    return started


class Killer:
    """Kills a worker at the first sign of progress, once; used as the progress bar of commands."""

    def __init__(self, cluster: Loopback) -> None:
        self.cluster = cluster
        self.killed: str | None = None

    def __call__(self, *_: object) -> None:
        if self.killed is None:
            self.killed = self.cluster.kill_a_busy_worker()


def output(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """What a command prints."""
    status = main([str(argument) for argument in arguments])
    return status, *capsys.readouterr()


def demo_files() -> list[str]:
    """Judgments and runs of the collection that comes with the package."""
    return [str(collection.qrels()), *(str(run.path) for run in collection.runs())]


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
    monkeypatch.setattr(Progress, "__call__", killer)
    assert output(capsys, *options, "--cluster", cluster.address) == expected
    assert expected[0] == 0
    assert killer.killed is not None


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight parts of documents, of which one is broken."""
    monkeypatch.setattr(parts, "BATCHES", 1)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(2000):
        (folder / f"{number:04}.xml").write_text(f"<a><b>{number}</b>\u00e9</a>" if number != 7 else "<a>")
    return folder


def files(folder: Path) -> dict[str, bytes]:
    """Everything in an index."""
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_an_index_survives_a_killed_worker(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """Every byte of the index and the report are those of one process; the parts are removed."""
    expected = build_index(corpus, tmp_path / "plain")
    killer = Killer(cluster)
    assert build_index(corpus, tmp_path / "index", cluster=cluster.address, progress=killer) == expected
    assert killer.killed is not None
    assert files(tmp_path / "index") == files(tmp_path / "plain")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus", "index", "plain"]


@contextlib.contextmanager
def blinded(cluster: Loopback, folder: Path, *, to_names: bool, workers: int) -> Iterator[None]:
    """Some workers do not see a folder."""
    with cluster.client() as client:
        addresses = list(client.nthreads())[:workers]
        client.run(blind.blind, str(folder), to_names=to_names, workers=addresses)
        try:
            yield
        finally:
            client.run(blind.see, workers=addresses)


@pytest.mark.parametrize("to_names", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_workers_that_do_not_see_the_corpus(
    cluster: Loopback, corpus: Path, tmp_path: Path, to_names: bool, workers: int
) -> None:
    """They make no parts of documents that they cannot read; the command does, and says so once."""
    expected = build_index(corpus, tmp_path / "plain")
    with blinded(cluster, corpus, to_names=to_names, workers=workers):
        report = build_index(corpus, tmp_path / "index", cluster=cluster.address)
    assert files(tmp_path / "index") == files(tmp_path / "plain")
    assert replace(report, notices=()) == expected
    if workers == 2:  # the one that sees may have made all parts before the other was asked
        (warning,) = report.notices
        assert warning.startswith("part of the index was left to this process by a worker that cannot read")
        assert warning.endswith(f"(8 times, first: {socket.gethostname()})")


def test_documents_that_nobody_can_read(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """The report is that of one process, and no worker is blamed."""
    (corpus / "0800.xml").unlink()
    (corpus / "0800.xml").symlink_to("nowhere")
    expected = build_index(corpus, tmp_path / "plain")
    assert build_index(corpus, tmp_path / "index", cluster=cluster.address) == expected
    assert files(tmp_path / "index") == files(tmp_path / "plain")
    assert [document.line for document in expected.broken] == [1, None]


def test_a_share_by_workers_that_do_not_see_the_corpus(
    cluster: Loopback, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command makes the share itself, and says so."""
    build_index(corpus, tmp_path / "plain")
    command = ("index", corpus, "-o", tmp_path / "index", "--share", "1/2", "--cluster", cluster.address)
    with blinded(cluster, corpus, to_names=True, workers=2):
        status, _, printed = output(capsys, *command)
    assert status == 0
    assert printed.startswith("excerpt: warning: part of the index was left to this process by a worker")
    assert len(list((tmp_path / "index.parts").iterdir())) == 4
    build_index(corpus, tmp_path / "index")
    assert files(tmp_path / "index") == files(tmp_path / "plain")


def test_a_killed_driver(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """Parts that were finished are taken by the next build; there is no index before."""
    document, gate = corpus / "9999.xml", tmp_path / "gate"
    document.write_text("<a>one</a>")
    code = (
        "import sys; from excerpt.index import build_index; from excerpt.index.parts import folder as parts\n"
        "parts.BATCHES = 1; build_index(sys.argv[1], sys.argv[2], cluster=sys.argv[3])"
    )
    command = [sys.executable, "-c", code, str(corpus), str(tmp_path / "index"), str(cluster.file)]
    with cluster.client() as client:
        client.run(blind.hold, str(document), str(gate))  # its part is not finished before the gate opens
        try:
            with subprocess.Popen(command) as driver:
                try:
                    until((tmp_path / "gate.waiting").exists)
                    # Not all of them: some may wait behind the gate, in the queue of the same worker.
                    until(lambda: len(list((tmp_path / "index.parts").glob("0*.npz"))) >= 3)
                finally:
                    driver.kill()
        finally:
            gate.touch()
            client.run(blind.see)
    document.write_text("<a>another</a>")
    assert not (tmp_path / "index").exists()
    times = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "index.parts").glob("0*.npz")}
    seen = {}

    def look(*_: int) -> None:
        for path in (tmp_path / "index.parts").glob("0*.npz"):
            seen[path.name] = path.stat().st_mtime_ns

    build_index(corpus, tmp_path / "index", cluster=cluster.address, progress=look)
    assert len(seen) == 8
    times.pop("00000007.npz", None)  # with the document that is another one now
    assert len(times) >= 3
    assert times.items() <= seen.items()
    build_index(corpus, tmp_path / "plain")
    assert files(tmp_path / "index") == files(tmp_path / "plain")


@pytest.mark.parametrize("content", [b"{}", b"{", b"\xff"])
def test_files_that_are_no_schedulers(tmp_path: Path, content: bytes) -> None:
    """Whatever is in a file that should tell the address, the error is one line."""
    file = tmp_path / "scheduler.json"
    file.write_bytes(content)
    error = _error(Engine(cluster=str(file)), Call(engine_work.scaled, 1))
    assert error.startswith(f"found no Dask scheduler at {file} (")


def test_something_else_answers() -> None:
    """A server of another kind at the address is told as no scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_refuse, args=(server,), daemon=True).start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        error = _error(Engine(cluster=address), Call(engine_work.scaled, 1))
    assert error.startswith(f"found no Dask scheduler at {address} (")


def test_a_server_that_never_answers() -> None:
    """It is no scheduler after a while; nothing of the attempt keeps the command from its end."""
    code = (
        "import sys, threading; from excerpt import cli, cluster\n"
        "cluster._GREETING = 1; status = cli.main(sys.argv[1:])\n"
        "print(status, [thread.name for thread in threading.enumerate()])"
    )
    with socket.create_server(("127.0.0.1", 0)) as server:  # the system accepts, nobody reads
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        command = [sys.executable, "-c", code, "evaluate", *demo_files()[:2], "--cluster", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout == "2 ['MainThread']\n"
    assert done.stderr == (
        f"excerpt: found no Dask scheduler at {address} (no answer within 1 seconds); is it running? "
        "expected an address such as tcp://host:8786, or the scheduler's file (.json)\n"
    )


def _refuse(server: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_compressed_archives_stay_here(cluster: Loopback, tmp_path: Path) -> None:
    """Documents that workers cannot read themselves are not sent; the index is the same, with a warning."""
    expected = build_index(collection.corpus(), tmp_path / "plain")
    report = build_index(collection.corpus(), tmp_path / "index", cluster=cluster.address)
    assert replace(report, notices=()) == replace(expected, notices=())
    assert report.notices[0].startswith("document of an archive was indexed by this process alone")
    assert files(tmp_path / "index") == files(tmp_path / "plain")


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
    assert "argument --cluster: not allowed with argument --workers" in output(capsys, *command)[2]


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
    """What a table or another package defines is known to workers that never read it."""
    monkeypatch.setattr(quantise, "_registry", dict(quantise._registry))
    scale: Scale = "exhaustivity and specificity"
    quantise.read_table(f'[mine]\nscale = "{scale}"\nvalues = {{"33" = 1, "32" = 0.5}}', "own.toml")
    graded = [GradedElement("1", "A", "/a[1]", 3, 2), GradedElement("1", "A", "/a[1]/b[1]", 3, 3)]
    judgments = Judgments.graded(graded, scale=scale)
    run = Run.of("r", [Result("1", "A", -1, -1, 1.0, "/a[1]")], kind="elements")
    measures = [parse("nxCG(quantisation=mine)[1]"), engine_work.Half()]
    assert evaluate(judgments, [run], measures, cluster=cluster.address).means().tolist() == [[0.5, 0.5]]


def test_the_context_travels_once(cluster: Loopback, tmp_path: Path) -> None:
    """A worker unpacks it with its first item, and not again; results are in order."""
    call = Call(engine_work.scaled, 10, partial(engine_work.sign, str(tmp_path)))
    with Engine(cluster=cluster.address).map(call, range(50)) as results:
        assert list(results) == list(range(0, 500, 10))
    assert 1 <= len(list(tmp_path.iterdir())) <= 2


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            {"excerpt": "excerpt 0.0"},
            r"the worker tcp://\S+ has excerpt \S+ on Python \S+, expected excerpt 0\.0",
        ),
        ({"code": ""}, r"has excerpt \S+ on Python \S+ with other code, expected .*; install the same there"),
        ({"folder": "/nowhere"}, r"/nowhere: the worker \S+ cannot open it: no such file.*same file system"),
    ],
)
def test_workers_that_differ(
    cluster: Loopback, monkeypatch: pytest.MonkeyPatch, other: dict[str, str], message: str
) -> None:
    """Another version or another file system is an error in one line."""
    sender = own.Sender.here(b"")._replace(**other)
    monkeypatch.setattr(own.Sender, "here", lambda _payload: sender)
    with pytest.raises(ExcerptError, match=message):
        evaluate(collection.qrels(), collection.runs()[0].path, cluster=cluster.address)


def _package(folder: Path, kind: str) -> Path:
    """A folder with another excerpt, for workers to find first."""
    package = folder / "excerpt"
    about = folder / "lz4-0.0.1.dist-info"  # which Dask, at each connection, would show in a table
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: lz4\nVersion: 0.0.1\n")
    if kind == "no":
        package.mkdir()
        text = "raise ModuleNotFoundError('No module named excerpt', name='excerpt')\n"
        (package / "__init__.py").write_text(text)
    elif kind == "broken":
        package.mkdir()
        (package / "__init__.py").write_text("def f(:\n")
    elif kind == "old":
        package.mkdir()
        (package / "__init__.py").write_text("__version__ = '0.0.1'\n")
    else:
        shutil.copytree(
            Path(own.__file__).parent, package, ignore=shutil.ignore_patterns("data", "__pycache__")
        )
        text = (package / "cluster.py").read_text()
        (package / "cluster.py").write_text(text.replace("def work_on(", "def work_on(other, "))
    return folder


@pytest.mark.parametrize("kind", ["no", "broken", "old", "changed"])
def test_a_worker_with_another_excerpt(
    cluster: Loopback, tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that comes while others work, or is there from the start, is named in one line, and lives on."""
    package = _package(tmp_path, kind)
    added = []

    def items() -> Iterator[int]:
        yield from range(3)
        added.append(cluster.add_worker(package))
        yield from range(1, 1000)

    python = "on Python {}.{}".format(*sys.version_info[:2])
    found = {
        "no": f"no excerpt {python}",
        "broken": f"an excerpt {python} that cannot be imported (SyntaxError)",
        "old": f"excerpt 0.0.1 {python}",
        "changed": f"excerpt {excerpt.__version__} {python} with other code",
    }
    try:
        error = _error(Engine(cluster=cluster.address), Call(engine_work.slow, 0.05), items())
        worker = added[0]
        assert error == (
            f"the worker {worker.address} has {found[kind]}, "
            f"expected excerpt {excerpt.__version__} {python}; install the same there, and start it again"
        )
        command = ["evaluate", *demo_files()[:2], "--overlap", "first", "--cluster", cluster.address]
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            assert output(capsys, *command) == (2, "", f"excerpt: {error}\n")
        assert not [warning for warning in warned if "versions" in str(warning.message)]
        with cluster.client() as client:
            assert worker.address in client.nthreads()
        assert worker.process.poll() is None
    finally:
        for worker in added:
            cluster.remove(worker)


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
            "the current folder was deleted, in which workers would look for files; change to another one"
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
        pytest.raises(ExcerptError, match=r"worker \S+ lacks something: .*'only_here'; install the same"),
        Engine(cluster=cluster.address).map(Call(module.work, None), [1]) as results,
    ):
        list(results)


def test_a_cluster_that_goes_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No workers, work that kills them, no scheduler any more: each is an error in one line."""
    monkeypatch.setattr(own, "_PATIENCE", 1)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "0")
    cluster = Loopback(tmp_path)
    engine = Engine(cluster=cluster.address)
    try:
        error = _error(engine, Call(engine_work.scaled, 1))
        assert error == f"the cluster at {cluster.address} has no workers; try dask worker {cluster.address}"
        cluster.set_workers(1)
        error = _error(engine, Call(engine_work.dying, ""), [3])
        assert error.startswith("the workers of the cluster die of the same work")
        cluster.forget()
        cluster.set_workers(1)
        begin = time.monotonic()
        error = _error(engine, Call(engine_work.scaled, 1), _stopping(cluster.scheduler))
        os.kill(cluster.scheduler, signal.SIGCONT)
        assert error.startswith(f"lost the connection to the cluster at {cluster.address}")
        assert time.monotonic() - begin < 20
        error = _error(engine, Call(engine_work.killing, cluster.scheduler))
        assert error.startswith(f"lost the connection to the cluster at {cluster.address}")
        begin = time.monotonic()
        error = _error(engine, Call(engine_work.scaled, 1))
        assert error.startswith(f"found no Dask scheduler at {cluster.address}")
        assert time.monotonic() - begin < 15
    finally:
        cluster.close()


def _stopping(process: int) -> Iterator[int]:
    yield 1
    os.kill(process, signal.SIGSTOP)
    yield from range(100)


def _error(engine: Engine, call: Call[Any, int, Any], items: Iterable[int] = range(5)) -> str:
    with pytest.raises(ExcerptError) as caught, engine.map(call, items) as results:
        list(results)
    return str(caught.value)
