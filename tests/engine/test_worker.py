"""What a worker of a cluster needs: a folder of the sender's, and its packages."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from cluster_use import demo_files, output
from loopback import Loopback

from excerpt.engine import Call, Engine
from excerpt.errors import ExcerptError

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


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
