"""Parts made by the workers of a Dask cluster: those of one process, even if a worker is killed."""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from support import blind
from support.cluster_use import Killer, files_of, output
from support.loopback import Loopback
from support.waiting import until

from excerpt import collection
from excerpt.indexing import shares as parts
from excerpt.indexing.builder import build_index

pytest.importorskip("distributed", reason="the extra [cluster] is not installed")
# What Dask's own threads and sockets do at their end is not ours to judge.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Eight parts of documents, of which one is broken."""
    monkeypatch.setattr(parts, "BATCHES", 1)
    folder = tmp_path / "corpus"
    folder.mkdir()
    for number in range(2000):
        (folder / f"{number:04}.xml").write_text(f"<a><b>{number}</b>\u00e9</a>" if number != 7 else "<a>")
    return folder


def test_an_index_survives_a_killed_worker(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """Every byte of the index and the report are those of one process; the parts are removed."""
    expected = build_index(corpus, tmp_path / "plain")
    killer = Killer(cluster)
    assert build_index(corpus, tmp_path / "index", cluster=cluster.address, progress=killer) == expected
    assert killer.killed is not None
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")
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
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")
    assert replace(report, notices=()) == expected
    if workers == 2:  # the one that sees may have made all parts before the other was asked
        (warning,) = report.notices
        assert warning.startswith(
            "8 parts of the index were built by this process, because a worker could not"
        )
        assert warning.endswith(f"(first: {socket.gethostname()})")


def test_documents_that_nobody_can_read(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """The report is that of one process, and no worker is blamed."""
    (corpus / "0800.xml").unlink()
    (corpus / "0800.xml").symlink_to("nowhere")
    expected = build_index(corpus, tmp_path / "plain")
    assert build_index(corpus, tmp_path / "index", cluster=cluster.address) == expected
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")
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
    assert printed.startswith(
        "excerpt: warning: 4 parts of the index were built by this process, because a worker"
    )
    assert len(list((tmp_path / "index.parts").iterdir())) == 4
    build_index(corpus, tmp_path / "index")
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")


def test_a_killed_driver(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """Parts that were finished are taken by the next build; there is no index before."""
    document, gate = corpus / "9999.xml", tmp_path / "gate"
    document.write_text("<a>one</a>")
    code = (
        "import sys; from excerpt.index import build_index; from excerpt.indexing import shares as parts\n"
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
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")


def test_texts_of_a_cluster(cluster: Loopback, corpus: Path, tmp_path: Path) -> None:
    """An index with text has the same bytes on any worker."""
    build_index(corpus, tmp_path / "plain", keep_text=True)
    build_index(corpus, tmp_path / "index", keep_text=True, cluster=cluster.address)
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")
    assert "text.zst" in files_of(tmp_path / "index")


def test_compressed_archives_stay_here(cluster: Loopback, tmp_path: Path) -> None:
    """Documents that workers cannot read themselves are not sent; the index is the same, with a warning."""
    expected = build_index(collection.corpus(), tmp_path / "plain")
    report = build_index(collection.corpus(), tmp_path / "index", cluster=cluster.address)
    assert replace(report, notices=()) == replace(expected, notices=())
    assert "documents of an archive were indexed by this process alone" in report.notices[0]
    assert files_of(tmp_path / "index") == files_of(tmp_path / "plain")
