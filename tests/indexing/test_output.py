"""Builds that are killed in the middle: never half an index, and starting again works.

The documents come out of a pipe, which holds a build up for as long as a test wants.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tarfile
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.waiting import until

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index

Write = Callable[[Mapping[str, str | bytes]], Path]

fcntl = pytest.importorskip("fcntl", reason="no such pipes here")
termios = pytest.importorskip("termios", reason="no such pipes here")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def corpus(write: Write) -> Path:
    """Three batches of documents."""
    return write({f"{number:03}.xml": f"<a>{number}<b/></a>" for number in range(600)})


def _without_end(corpus: Path) -> bytes:
    """The documents as a tar that goes on."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        archive.add(corpus, "corpus")
        return stream.getvalue()


@contextmanager
def building(corpus: Path, index: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A build in a process group of its own, which has merged some documents and now waits for more."""
    command = [sys.executable, "-m", "excerpt", "index", "-", "-o", str(index), *options]
    with subprocess.Popen(
        command, start_new_session=True, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stdin is not None
            process.stdin.write(_without_end(corpus))
            process.stdin.flush()
            until(lambda: _is_waiting(process.stdin))
            assert process.poll() is None
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _is_waiting(pipe: Any) -> bool:
    """Return whether everything that was written into a pipe was read."""
    unread = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, unread)
    return not unread[0]


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("everything", [False, True])
def test_a_killed_build_leaves_no_index(corpus: Path, tmp_path: Path, workers: str, everything: bool) -> None:
    """One process or all are killed; the next build starts clean and removes the remains."""
    with building(corpus, tmp_path / "index", "--workers", workers) as process:
        if everything:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
    with pytest.raises(ExcerptError, match="does not exist, expected the folder of an index"):
        OffsetIndex.open(tmp_path / "index")
    assert any(name.endswith(".tmp") for name in names(tmp_path))
    for left in tmp_path.glob(".index.*"):
        with pytest.raises(ExcerptError):
            OffsetIndex.open(left)
    assert build_index(corpus, tmp_path / "index").documents == 600
    assert names(tmp_path) == ["corpus", "index"]
    assert len(OffsetIndex.open(tmp_path / "index")) == 600


def test_a_killed_build_leaves_the_older_index(corpus: Path, tmp_path: Path) -> None:
    """The index that existed before exists afterwards."""
    (tmp_path / "one.xml").write_text("<a>text</a>")
    build_index(tmp_path / "one.xml", tmp_path / "index")
    with building(corpus, tmp_path / "index") as process:
        process.kill()
        process.wait()
    assert len(OffsetIndex.open(tmp_path / "index")) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_cleans_up(corpus: Path, tmp_path: Path, workers: str) -> None:
    """Ctrl-C, which reaches all processes, leaves nothing, even while the build waits for documents."""
    with building(corpus, tmp_path / "index", "--workers", workers) as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        printed = process.stderr.read()
        assert process.wait(timeout=30) == -signal.SIGINT
    assert printed == b"excerpt: interrupted\n"
    assert names(tmp_path) == ["corpus"]


def test_two_builds_of_one_index(corpus: Path, tmp_path: Path) -> None:
    """The second one is refused and disturbs nothing; when the first one is dead there is no obstacle."""
    (tmp_path / "one.xml").write_text("<a>text</a>")
    with building(corpus, tmp_path / "index") as process:
        before = names(tmp_path)
        with pytest.raises(
            ExcerptError, match=r"index: another build of this index is in progress; wait until"
        ):
            build_index(tmp_path / "one.xml", tmp_path / "index")
        assert names(tmp_path) == before
        build_index(tmp_path / "one.xml", tmp_path / "other")
        process.kill()
        process.wait()
    build_index(tmp_path / "one.xml", tmp_path / "index")
    assert names(tmp_path) == ["corpus", "index", "one.xml", "other"]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without locks another build may be alive, so its folder is not touched."""

    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", refuse)
    (tmp_path / "one.xml").write_text("<a>text</a>")
    other = tmp_path / ".index.01234567.tmp"
    other.mkdir()
    build_index(tmp_path / "one.xml", tmp_path / "index")
    assert names(tmp_path) == [".index.01234567.tmp", "index", "one.xml"]
    assert len(OffsetIndex.open(tmp_path / "index")) == 1


def test_an_index_that_was_being_replaced(tmp_path: Path) -> None:
    """Killed between the two renames, the older index comes back if the next build fails."""
    (tmp_path / "one.xml").write_text("<a>text</a>")
    build_index(tmp_path / "one.xml", tmp_path / "index")
    (tmp_path / "index").rename(tmp_path / ".index.01234567.old.tmp")
    (tmp_path / "bad.xml").write_text("<a>")
    with pytest.raises(ExcerptError, match="no element found"):
        build_index(tmp_path / "bad.xml", tmp_path / "index")
    assert len(OffsetIndex.open(tmp_path / "index")) == 1
    assert names(tmp_path) == ["bad.xml", "index", "one.xml"]
