"""Builds that are killed in the middle: never half an index, and starting again works.

A named pipe among the documents holds a build up at that place for as long as a test wants.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from waiting import until

from excerpt.errors import ExcerptError
from excerpt.index import OffsetIndex, build_index

Write = Callable[[Mapping[str, str | bytes]], Path]

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def corpus(write: Write) -> Path:
    """Three batches of documents; the last one waits for somebody to write into a pipe."""
    folder = write({f"{number:03}.xml": f"<a>{number}<b/></a>" for number in range(600)})
    os.mkfifo(folder / "999.xml")
    return folder


def _complete(corpus: Path) -> None:
    (corpus / "999.xml").unlink()
    (corpus / "999.xml").write_text("<a/>")


@contextmanager
def building(corpus: Path, index: Path, *options: str) -> Iterator[subprocess.Popen[str]]:
    """A build in a process group of its own, which has merged some documents and now hangs at the pipe."""
    command = [sys.executable, "-m", "excerpt", "index", str(corpus), "-o", str(index), *options]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as process:
        try:
            until(lambda: _is_under_way(index.parent))
            assert process.poll() is None
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def _is_under_way(folder: Path) -> bool:
    # The third batch is on its way when those before it are on disk, or soon will be.
    return any(folder.glob(".index.*.tmp/element_start.raw"))


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("everything", [False, True])
def test_a_killed_build_leaves_no_index(corpus: Path, tmp_path: Path, workers: str, everything: bool) -> None:
    """Whether one process or all; the next build starts clean and removes what is left."""
    with building(corpus, tmp_path / "index", "--workers", workers) as process:
        if everything:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
    with pytest.raises(ExcerptError, match="found nothing, expected the folder of an index"):
        OffsetIndex.open(tmp_path / "index")
    assert any(name.endswith(".tmp") for name in names(tmp_path))
    for left in tmp_path.glob(".index.*"):
        with pytest.raises(ExcerptError):
            OffsetIndex.open(left)
    _complete(corpus)
    assert build_index(corpus, tmp_path / "index").documents == 601
    assert names(tmp_path) == ["corpus", "index"]
    assert len(OffsetIndex.open(tmp_path / "index")) == 601


def test_a_killed_build_leaves_the_older_index(corpus: Path, tmp_path: Path) -> None:
    """What was there before is there after."""
    (tmp_path / "one.xml").write_text("<a>text</a>")
    build_index(tmp_path / "one.xml", tmp_path / "index")
    with building(corpus, tmp_path / "index") as process:
        process.kill()
        process.wait()
    assert len(OffsetIndex.open(tmp_path / "index")) == 1


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interrupt_cleans_up(corpus: Path, tmp_path: Path, workers: str) -> None:
    """Ctrl-C, which reaches all processes, leaves nothing, even while a worker waits for a file."""
    with building(corpus, tmp_path / "index", "--workers", workers) as process:
        os.killpg(process.pid, signal.SIGINT)
        _, printed = process.communicate(timeout=30)
    assert (process.returncode, printed) == (-signal.SIGINT, "excerpt: interrupted\n")
    assert names(tmp_path) == ["corpus"]


def test_two_builds_of_one_index(corpus: Path, tmp_path: Path) -> None:
    """The second one is refused and disturbs nothing; when the first one is dead there is no obstacle."""
    (tmp_path / "one.xml").write_text("<a>text</a>")
    with building(corpus, tmp_path / "index") as process:
        before = names(tmp_path)
        with pytest.raises(ExcerptError, match=r"index: another build of this index is under way; wait for"):
            build_index(tmp_path / "one.xml", tmp_path / "index")
        assert names(tmp_path) == before
        build_index(tmp_path / "one.xml", tmp_path / "other")
        process.kill()
        process.wait()
    build_index(tmp_path / "one.xml", tmp_path / "index")
    assert names(tmp_path) == ["corpus", "index", "one.xml", "other"]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can tell whether another build lives, its folder is not touched."""
    import fcntl

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
