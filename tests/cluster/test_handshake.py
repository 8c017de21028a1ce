"""A worker that has not the excerpt of the sender is named in one line, and lives on."""

from __future__ import annotations

import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from support import engine_work
from support.cluster_use import demo_files, error_of, output
from support.loopback import Loopback

import excerpt
from excerpt import collection
from excerpt.cluster import dask_cluster as own
from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError
from excerpt.evaluation import evaluate

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            {"excerpt": "excerpt 0.0"},
            r"the worker tcp://\S+ has excerpt \S+ on Python \S+, expected excerpt 0\.0",
        ),
        (
            {"code": ""},
            r"has excerpt \S+ on Python \S+ with different code, expected .*; install the expected",
        ),
        (
            {"folder": "/nowhere"},
            r"/nowhere: the worker \S+ cannot open this folder: no such file.*same file system",
        ),
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
            Path(excerpt.__file__).parent, package, ignore=shutil.ignore_patterns("data", "__pycache__")
        )
        text = (package / "cluster" / "dask_cluster.py").read_text()
        (package / "cluster" / "dask_cluster.py").write_text(
            text.replace("def work_on(", "def work_on(other, ")
        )
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
        "changed": f"excerpt {excerpt.__version__} {python} with different code",
    }
    try:
        error = error_of(Engine(cluster=cluster.address), Call(engine_work.slow, 0.05), items())
        worker = added[0]
        assert error == (
            f"the worker {worker.address} has {found[kind]}, "
            f"expected excerpt {excerpt.__version__} {python}; "
            "install the expected version there, and restart the worker"
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
