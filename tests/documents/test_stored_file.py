"""Files that stay open."""

from __future__ import annotations

import gzip
import os
import tempfile
import threading
from pathlib import Path

import pytest

from excerpt.documents import stored_file
from excerpt.documents.stored_file import StoredFile
from excerpt.errors import ExcerptError


def test_reading_anywhere_from_many_threads(tmp_path: Path) -> None:
    """Each gets its own bytes."""
    data = os.urandom(100_000)
    (tmp_path / "a").write_bytes(data)
    file = StoredFile(str(tmp_path / "a"))
    wrong: list[int] = []

    def read(first: int) -> None:
        wrong.extend(
            offset
            for offset in range(first, 90_000, 97)
            if file.read(offset, 500) != data[offset : offset + 500]
        )

    threads = [threading.Thread(target=read, args=(first,)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    file.close()


def test_a_file_that_changed_is_an_error(tmp_path: Path) -> None:
    """Its time, its size, another file under its name, none: one line each."""
    path = tmp_path / "a"
    path.write_bytes(b"0123456789")
    file = StoredFile(str(path))
    assert file.read(3, 2) == b"34"
    os.utime(path, ns=(1, 1))
    with pytest.raises(
        ExcerptError, match=r"a: has changed since the corpus was opened; open the corpus again"
    ):
        file.read(3, 2)
    path.unlink()
    with pytest.raises(ExcerptError, match=r"a: cannot be read: no such file"):
        file.read(3, 2)
    file.close()


def test_compressed_files_are_unpacked_once(tmp_path: Path) -> None:
    """The temporary file is gone with the corpus; what became of the packed file is all the same."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0123456789" * 10))
    file = StoredFile(str(path))
    path.unlink()
    assert file.head()[:3] == b"012"
    assert file.read(95, 5) == b"56789"
    assert list(file.lines()) == [b"0123456789" * 10]
    assert Path(file.path).exists()
    file.close()
    assert not Path(file.path).exists()


def test_temporary_files_do_not_outlive_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only the open file is needed, its name goes; else it goes with what uses it."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0123456789"))
    file = StoredFile(str(path))
    file.forget_path()
    assert not Path(file.path).exists()
    assert file.read(2, 3) == b"234"
    other = StoredFile(str(path))
    temporary = other.path
    del other
    assert not Path(temporary).exists()
    plain = tmp_path / "plain"
    plain.write_bytes(b"text")
    StoredFile(str(plain)).forget_path()
    assert plain.exists()


def test_bombs_and_damage_are_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What unpacks without measure, or not at all, leaves nothing behind."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(bytes(100_000)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "50K")
    with pytest.raises(ExcerptError, match=r"a.gz: unpacks to more than"):
        StoredFile(str(path))
    monkeypatch.delenv("EXCERPT_MAX_SIZE")
    path.write_bytes(gzip.compress(os.urandom(1000))[:-9])
    with pytest.raises(ExcerptError, match=r"a.gz: found damaged or truncated gzip data"):
        StoredFile(str(path))
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_full_disk_is_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where unpacking needs more room than there is, the message says where."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"text"))

    def full(_file: object, _piece: bytes) -> None:
        raise OSError(28, "No space left on device")

    def no_file(**_: str) -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(stored_file, "_put", full)
        with pytest.raises(ExcerptError, match=r"cannot be unpacked into a temporary file: no space left"):
            StoredFile(str(path))
    assert list((tmp_path / "temporary").iterdir()) == []
    monkeypatch.setattr(tempfile, "mkstemp", no_file)
    with pytest.raises(ExcerptError, match=r"cannot be unpacked into a temporary file: permission denied"):
        StoredFile(str(path))
