"""Files that are read anywhere: of folders, zips and tars, and those that stay open."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
import threading
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from corpus.conftest import Write

from excerpt.documents.storage import Files, FolderFiles, StoredFile, TarFiles, ZipFiles
from excerpt.documents.walk import list_folder
from excerpt.errors import ExcerptError, FormatError

FILES = {"b/x.txt": b"in b", "a.xml": b"<a/>", "b/c/y.md": b"", "z.bin": b"\0"}


def contents(files: Files) -> dict[str, bytes]:
    """All files with their bytes."""
    return {path: files.read(number) for number, path in enumerate(files.paths)}


def is_document(path: str) -> bool:
    """Filter of these tests."""
    return not path.endswith(".bin")


WANTED = {path: data for path, data in FILES.items() if is_document(path)}


def make_tar(path: Path, mode: str = "w") -> str:
    """A tar of the files, with a link to one and a link to none."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, data in FILES.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for name, target in (("l.txt", "b/x.txt"), ("lost.txt", "nowhere.txt")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return str(path)


def test_a_folder_has_its_files_by_name(write: Write) -> None:
    """Sorted, with those of folders inside of it; others are not looked at."""
    folder = str(write(FILES))
    listing = list_folder(folder, is_document)
    files = FolderFiles(folder, listing.documents)
    assert files.paths == ["a.xml", "b/c/y.md", "b/x.txt"]
    assert contents(files) == WANTED
    assert (listing.special, listing.others) == ([], {".bin": 1})


def test_a_file_of_a_folder_may_change_or_go(write: Write) -> None:
    """Each is an error of that file alone; a link to nothing is one when it is read."""
    folder = write({"a.txt": "old", "b.txt": "old", "c.txt": "old"})
    (folder / "d.txt").symlink_to("nowhere")
    os.mkfifo(folder / "pipe.txt")
    listing = list_folder(str(folder), is_document)
    files = FolderFiles(str(folder), listing.documents)
    assert listing.special == ["pipe.txt"]
    (folder / "a.txt").write_text("newer")
    (folder / "b.txt").unlink()
    with pytest.raises(ExcerptError, match=r"a.txt: has changed since the corpus was opened"):
        files.read(0)
    with pytest.raises(ExcerptError, match=r"b.txt: cannot be read: no such file"):
        files.read(1)
    assert files.read(2) == b"old"
    with pytest.raises(ExcerptError, match=r"d.txt: cannot be read"):
        files.read(3)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_tar_has_its_files_and_links(tmp_path: Path, mode: str) -> None:
    """Links to files of the archive have their bytes, others are an error when they are read."""
    files = TarFiles(StoredFile(make_tar(tmp_path / "a.tar", mode)), is_document)
    lost = files.paths.index("lost.txt")
    assert [(path, files.read(number)) for number, path in enumerate(files.paths) if number != lost] == [
        *WANTED.items(),
        ("l.txt", b"in b"),
    ]
    with pytest.raises(ExcerptError, match=r"a.tar!lost.txt: cannot be read: a link to a file that is not"):
        files.read(lost)


def test_a_damaged_tar_is_called_by_its_own_name(tmp_path: Path) -> None:
    """Not by that of the temporary file that it was unpacked into."""
    import gzip

    plain = Path(make_tar(tmp_path / "a.tar")).read_bytes()
    (tmp_path / "a.tar.gz").write_bytes(gzip.compress(plain[:700]))
    with pytest.raises(FormatError, match=r"a.tar.gz: found damaged or truncated tar data"):
        TarFiles(StoredFile(str(tmp_path / "a.tar.gz")), is_document)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_zip_has_its_files_and_links(tmp_path: Path, method: int) -> None:
    """Whatever the way of packing; links as in a tar."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("b/", "")
        for name, data in FILES.items():
            archive.writestr(name, data)
        for name, target in (("l.txt", "b/x.txt"), ("lost.txt", "nowhere.txt")):
            info = zipfile.ZipInfo(name)
            info.external_attr = 0o120777 << 16
            archive.writestr(info, target)
    files = ZipFiles(StoredFile(str(path)), is_document)
    lost = files.paths.index("lost.txt")
    assert [(path, files.read(number)) for number, path in enumerate(files.paths) if number != lost] == [
        *WANTED.items(),
        ("l.txt", b"in b"),
    ]
    with pytest.raises(ExcerptError, match=r"a.zip!lost.txt: cannot be read: a link to a file that is not"):
        files.read(lost)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_file_of_a_zip_that_unpacks_to_too_much(
    tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before it is unpacked; its neighbours are not."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.txt", "x" * (1 << 20))
        archive.writestr("b.txt", "x" * (1 << 20) + "y")
    files = ZipFiles(StoredFile(str(tmp_path / "a.zip")), is_document)
    monkeypatch.setenv("EXCERPT_MAX_SIZE", "1M")
    assert files.read(0) == b"x" * (1 << 20)
    with pytest.raises(ExcerptError, match=r"a.zip!b.txt: zip data unpacks to more than 1 MiB \("):
        files.read(1)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_zip_whose_directory_lies_is_read_in_small_pieces(tmp_path: Path, method: int) -> None:
    """A member that unpacks to more than the directory says is damaged, and is not unpacked as a whole."""
    size = 64 << 20
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr("a.txt", bytes(size))
    data = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(data.replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little")))
    files = ZipFiles(StoredFile(str(tmp_path / "a.zip")), is_document)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"a.zip!a.txt: found damaged or truncated zip data"):
        files.read(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.2 * size  # of twice the size at least, where it is unpacked at once and put together


def test_a_zip_that_changed_or_is_damaged(tmp_path: Path) -> None:
    """One line each; damage of one file leaves the others readable."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "aaaa")
        archive.writestr("b.txt", "bbbb")
    data = path.read_bytes()
    path.write_bytes(data.replace(b"aaaa", b"aaxa"))
    files = ZipFiles(StoredFile(str(path)), is_document)
    with pytest.raises(FormatError, match=r"a.zip!a.txt: found damaged or truncated zip data"):
        files.read(0)
    assert files.read(1) == b"bbbb"
    path.write_bytes(data + b"x")
    with pytest.raises(ExcerptError, match=r"a.zip: has changed since the corpus was opened"):
        files.read(1)


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
        file.check()
    path.unlink()
    with pytest.raises(ExcerptError, match=r"a: cannot be read: no such file"):
        file.check()


def test_compressed_files_are_unpacked_once(tmp_path: Path) -> None:
    """The packed file may be deleted afterwards."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0123456789" * 10))
    file = StoredFile(str(path))
    path.unlink()
    assert file.head()[:3] == b"012"
    assert file.read(95, 5) == b"56789"
    assert list(file.lines()) == [b"0123456789" * 10]


def test_temporary_files_do_not_outlive_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They have no name, and are closed with what uses them."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"0123456789"))
    stored = StoredFile(str(path))
    assert stored.read(2, 3) == b"234"
    assert list((tmp_path / "temporary").iterdir()) == []
    file = stored.file
    del stored
    assert file.closed


def test_bombs_and_damage_are_told_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data that unpacks without limit, or not at all, leaves nothing behind."""
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
    """Unpacking onto a full disk gives a message that names the folder."""
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"text"))

    class Full(io.BytesIO):
        def write(self, _piece: object) -> int:
            raise OSError(28, "No space left on device")

    def no_file() -> None:
        raise OSError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", Full)
    with pytest.raises(ExcerptError, match=r"cannot be unpacked into a temporary file: no space left"):
        StoredFile(str(path))
    monkeypatch.setattr(tempfile, "TemporaryFile", no_file)
    with pytest.raises(ExcerptError, match=r"cannot be unpacked into a temporary file: permission denied"):
        StoredFile(str(path))
