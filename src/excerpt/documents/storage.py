"""Random access to documents: files of a folder, a zip or a tar by number; a changed one is an error."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import weakref
import zipfile
from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from excerpt.documents.archives import NOWHERE, IsWanted, guard, tar_members, zip_members
from excerpt.documents.cuts import HEAD
from excerpt.documents.entry import Stamp, pieces, unreadable
from excerpt.errors import ExcerptError
from excerpt.files import Compression, compression_of, describe, require_room, room_for

_MISSING = -1
#: Ways of packing that `zipfile` unpacks to as much as it is asked for, whatever the directory says. Of
#: others it unpacks all that it reads at once, so it is to read little.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LITTLE = 1 << 12
#: What `zipfile` must know of a file to read it.
_OF_INFO = ("header_offset", "compress_size", "file_size", "CRC", "compress_type", "flag_bits")


def _changed(name: str) -> ExcerptError:
    return ExcerptError("has changed since the corpus was opened", path=name, hint="open the corpus again")


def _check(name: str, stamp: Stamp) -> None:
    """An error where another file has the name now, or the file has changed."""
    try:
        now = Stamp.of(os.stat(name))  # noqa: PTH116  a Path costs more than this
    except OSError as error:
        raise unreadable(name, error) from None
    if now != stamp:
        raise _changed(name)


class StoredFile:
    """A file that stays open and is read anywhere; an error where it has changed since it was opened.

    A compressed one is unpacked once, into a temporary file that is gone however the process ends.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        try:
            # It is open as long as the corpus is used.
            self.file: IO[bytes] = Path(name).open("rb")  # noqa: SIM115
            weakref.finalize(self, self.file.close)
            stamp = Stamp.of(os.fstat(self.file.fileno()))
            compression = compression_of(self.file.read(HEAD))
        except OSError as error:
            raise unreadable(name, error) from None
        #: What it must still be; of one that is unpacked, nobody else has the bytes.
        self._stamp = stamp if compression is None else None
        if compression is not None:
            self._unpack(compression, room_for(stamp.size))

    def _unpack(self, compression: Compression, room: int) -> None:
        with self.file as packed, guard(self.name, compression.name):
            packed.seek(0)
            with self._disk():
                self.file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self.file.close)
            for piece in pieces(compression.reader(packed)):
                room -= len(piece)
                if room < 0:
                    raise ExcerptError(
                        "unpacks to more than a hundred times its size, expected less",
                        path=self.name,
                        hint="unpack it yourself, or set ⟨max_size=1T⟩ if you trust it",
                    )
                with self._disk():
                    self.file.write(piece)
            with self._disk():
                self.file.flush()

    @contextlib.contextmanager
    def _disk(self) -> Iterator[None]:
        """Says in one line that there is no room for a temporary file."""
        try:
            yield
        except OSError as error:
            raise ExcerptError(
                f"cannot be unpacked into a temporary file: {describe(error)}",
                path=self.name,
                hint="unpack it yourself, or set TMPDIR to another folder",
            ) from None

    def check(self) -> None:
        """An error where another file has the name now, or the file has changed."""
        if self._stamp is not None:
            _check(self.name, self._stamp)

    def read(self, offset: int, size: int) -> bytes:
        """Some bytes of it."""
        self.check()
        with self._lock:
            self.file.seek(offset)
            data = self.file.read(size)
        if len(data) != size:
            raise _changed(self.name)
        return data

    def head(self) -> bytes:
        """The first bytes, by which kinds of files are told apart."""
        self.file.seek(0)
        return self.file.read(HEAD)

    def lines(self) -> Iterator[bytes]:
        """All lines with their ends; nothing else may be read meanwhile."""
        self.file.seek(0)
        return self.file


class Files(ABC):
    """Files by number: their paths inside of a container, and their bytes."""

    paths: list[str]

    @abstractmethod
    def place(self, number: int) -> str:
        """Where a file is, for messages."""

    @abstractmethod
    def check(self, number: int) -> None:
        """An error where a file has changed."""

    @abstractmethod
    def read(self, number: int) -> bytes:
        """The bytes of a file."""


class FolderFiles(Files):
    """Files of a folder, by their paths inside of it; without a stamp, links that lead nowhere."""

    def __init__(self, folder: str, files: Iterable[tuple[str, Stamp | None]]) -> None:
        self._prefix = os.path.join(folder, "") if folder else ""  # noqa: PTH118  a Path per file is slow
        known = sorted(files)
        self.paths = [path for path, _ in known]
        self._sizes = array("q", [stamp.size if stamp else _MISSING for _, stamp in known])
        self._times = array("q", [stamp.time if stamp else _MISSING for _, stamp in known])

    def place(self, number: int) -> str:
        return self._prefix + self.paths[number]

    def check(self, number: int) -> None:
        _check(self.place(number), self._stamp(number))

    def _stamp(self, number: int) -> Stamp:
        return Stamp(self._sizes[number], self._times[number])

    def read(self, number: int, offset: int = 0, size: int = -1) -> bytes:
        """The bytes of a file, or some of them."""
        name, stamp = self.place(number), self._stamp(number)
        try:
            with open(name, "rb", buffering=0) as file:  # noqa: PTH123
                if Stamp.of(os.fstat(file.fileno())) != stamp:
                    raise _changed(name)
                file.seek(offset)
                data = file.read(size)
        except OSError as error:
            raise unreadable(name, error) from None
        if len(data) != (stamp.size if size < 0 else size):
            raise _changed(name)
        return data


class _ArchiveFiles(Files):
    def __init__(self, archive: StoredFile) -> None:
        self._archive = archive
        self.paths = []

    def place(self, number: int) -> str:
        return f"{self._archive.name}!{self.paths[number]}"

    def check(self, _number: int) -> None:
        self._archive.check()

    def _lost(self, number: int) -> ExcerptError:
        return ExcerptError(f"cannot be read: {NOWHERE}", path=self.place(number))


class TarFiles(_ArchiveFiles):
    """Files of a tar."""

    def __init__(self, archive: StoredFile, is_wanted: IsWanted) -> None:
        super().__init__(archive)
        self._offsets, self._sizes = array("q"), array("q")
        for path, part in tar_members(archive.file, archive.name, is_wanted):
            self.paths.append(path)
            self._offsets.append(_MISSING if part.missing else part.offset)
            self._sizes.append(part.size)

    def read(self, number: int) -> bytes:
        if self._offsets[number] == _MISSING:
            raise self._lost(number)
        return self._archive.read(self._offsets[number], self._sizes[number])


class ZipFiles(_ArchiveFiles):
    """Files of a zip; of its directory only numbers are kept, a fraction of what `zipfile` keeps."""

    def __init__(self, archive: StoredFile, is_wanted: IsWanted) -> None:
        super().__init__(archive)
        self._lock = threading.Lock()
        self._own_names: dict[int, str] = {}  # of files that links lead to, and odd ones
        self._numbers = array("q")
        with guard(archive.name, "zip"):
            self._zip = zipfile.ZipFile(archive.file)
            members = zip_members(self._zip, is_wanted)
        for path, info in members:
            if info is None or path != info.orig_filename:
                self._own_names[len(self.paths)] = "" if info is None else info.orig_filename
            self.paths.append(path)
            self._numbers.extend(0 if info is None else getattr(info, name) for name in _OF_INFO)
        # Files are described by the numbers above, one at a time.
        self._zip.filelist.clear()
        self._zip.NameToInfo.clear()

    def read(self, number: int) -> bytes:
        own_name = self._own_names.get(number, self.paths[number])
        if not own_name:
            raise self._lost(number)
        self._archive.check()
        info = zipfile.ZipInfo(own_name)
        info.orig_filename = own_name
        width = len(_OF_INFO)
        for name, value in zip(_OF_INFO, self._numbers[number * width : (number + 1) * width], strict=True):
            setattr(info, name, value)
        if info.compress_type != zipfile.ZIP_STORED:
            require_room(info.file_size, info.compress_size, "zip", self.place(number))
        # Readers of one archive count themselves, and threads would lose count.
        with self._lock, guard(self.place(number), "zip"), self._zip.open(info) as stream:
            if info.compress_type in _BOUNDED:
                return stream.read(info.file_size + 1)
            return b"".join(iter(lambda: stream.read(_LITTLE), b""))
