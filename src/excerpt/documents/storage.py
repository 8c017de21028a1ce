"""Random access to the files of a folder, a zip or a tar, by number; a changed file is an error."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import weakref
import zipfile
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, TypeAlias

from excerpt.documents.archives import DANGLING, IsWanted, guard, tar_members, zip_members
from excerpt.documents.cuts import HEAD
from excerpt.documents.entry import pieces, unreadable
from excerpt.errors import ExcerptError
from excerpt.files import Compression, Stamp, compression_of, describe, require_room, room_for

_MISSING = -1
#: Compression methods for which `zipfile` unpacks no more than requested, whatever the directory says. With
#: others it unpacks all that it reads at once, so only little is read at a time.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LITTLE = 1 << 12
#: Fields of `ZipInfo` that `zipfile` needs to read a file.
_INFO_FIELDS = ("header_offset", "compress_size", "file_size", "CRC", "compress_type", "flag_bits")


def _changed(name: str) -> ExcerptError:
    return ExcerptError("has changed since the corpus was opened", path=name, hint="open the corpus again")


def _check(name: str, stamp: Stamp) -> None:
    """Raise an error if a file has changed or has been replaced."""
    try:
        current = Stamp.of(os.stat(name))  # noqa: PTH116  a Path costs more than this
    except OSError as error:
        raise unreadable(name, error) from None
    if current != stamp:
        raise _changed(name)


class StoredFile:
    """Open file with random access; it is an error if it has changed since it was opened.

    A compressed file is unpacked once, into a temporary file that is deleted however the process ends.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        try:
            # The file stays open as long as the corpus is used.
            self.file: IO[bytes] = Path(name).open("rb")  # noqa: SIM115
            weakref.finalize(self, self.file.close)
            stamp = Stamp.of(os.fstat(self.file.fileno()))
            compression = compression_of(self.file.read(HEAD))
        except OSError as error:
            raise unreadable(name, error) from None
        #: The stamp that it must still have; an unpacked copy cannot change.
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
                    message = "unpacks to more than a hundred times its size, expected less"
                    hint = "unpack it yourself, or set ⟨max_size=1T⟩ if you trust it"
                    raise ExcerptError(message, path=self.name, hint=hint)
                with self._disk():
                    self.file.write(piece)
            with self._disk():
                self.file.flush()

    @contextlib.contextmanager
    def _disk(self) -> Iterator[None]:
        """Turn a failure to write the temporary file into a one-line error."""
        try:
            yield
        except OSError as error:
            message = f"cannot be unpacked into a temporary file: {describe(error)}"
            hint = "unpack it yourself, or set TMPDIR to another folder"
            raise ExcerptError(message, path=self.name, hint=hint) from None

    def check(self) -> None:
        if self._stamp is not None:
            _check(self.name, self._stamp)

    def read(self, offset: int, size: int) -> bytes:
        """Read `size` bytes from `offset`; call `check` before the first of several reads."""
        with self._lock:
            self.file.seek(offset)
            data = self.file.read(size)
        if len(data) != size:
            raise _changed(self.name)
        return data

    def head(self) -> bytes:
        """The first bytes, by which the kind of a file is detected."""
        self.file.seek(0)
        return self.file.read(HEAD)

    def lines(self) -> Iterator[bytes]:
        """All lines with their ends; do not use other methods during the iteration."""
        self.file.seek(0)
        return self.file


class FolderFiles:
    """Files of a folder, by their paths in it; dangling links have no stamp."""

    def __init__(self, folder: str, files: Iterable[tuple[str, Stamp | None]]) -> None:
        self._prefix = os.path.join(folder, "") if folder else ""  # noqa: PTH118  a Path per file is slow
        by_path = sorted(files)
        self.paths = [path for path, _ in by_path]
        self._sizes = array("q", [stamp.size if stamp else _MISSING for _, stamp in by_path])
        self._times = array("q", [stamp.time if stamp else _MISSING for _, stamp in by_path])

    def location(self, number: int) -> str:
        """Location of a file, for messages."""
        return self._prefix + self.paths[number]

    def check(self, number: int) -> None:
        """Raise an error if a file has changed."""
        _check(self.location(number), self._stamp(number))

    def _stamp(self, number: int) -> Stamp:
        return Stamp(self._sizes[number], self._times[number])

    def read(self, number: int, offset: int = 0, size: int = -1) -> bytes:
        """Read the bytes of a file, or `size` of them from `offset`."""
        name, stamp = self.location(number), self._stamp(number)
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


class _ArchiveFiles:
    def __init__(self, archive: StoredFile) -> None:
        self._archive = archive
        self.paths: list[str] = []

    def location(self, number: int) -> str:
        return f"{self._archive.name}!{self.paths[number]}"

    def check(self, _number: int) -> None:
        self._archive.check()

    def _dangling(self, number: int) -> ExcerptError:
        return ExcerptError(f"cannot be read: {DANGLING}", path=self.location(number))


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
            raise self._dangling(number)
        self._archive.check()
        return self._archive.read(self._offsets[number], self._sizes[number])


class ZipFiles(_ArchiveFiles):
    """Files of a zip; only the numbers of its directory are kept, a fraction of what `zipfile` keeps."""

    def __init__(self, archive: StoredFile, is_wanted: IsWanted) -> None:
        super().__init__(archive)
        self._lock = threading.Lock()
        self._own_names: dict[int, str] = {}  # of files whose name in the archive differs from their path
        self._numbers = array("q")
        with guard(archive.name, "zip"):
            self._zip = zipfile.ZipFile(archive.file)
            members = zip_members(self._zip, is_wanted)
        for path, info in members:
            if info is None or path != info.orig_filename:
                self._own_names[len(self.paths)] = "" if info is None else info.orig_filename
            self.paths.append(path)
            self._numbers.extend(0 if info is None else getattr(info, name) for name in _INFO_FIELDS)
        # To save memory, `read` makes the ZipInfo of one file at a time from the numbers above.
        self._zip.filelist.clear()
        self._zip.NameToInfo.clear()

    def read(self, number: int) -> bytes:
        own_name = self._own_names.get(number, self.paths[number])
        if not own_name:
            raise self._dangling(number)
        self._archive.check()
        info = zipfile.ZipInfo(own_name)
        info.orig_filename = own_name
        width = len(_INFO_FIELDS)
        values = self._numbers[number * width : (number + 1) * width]
        for name, value in zip(_INFO_FIELDS, values, strict=True):
            setattr(info, name, value)
        if info.compress_type != zipfile.ZIP_STORED:
            require_room(info.file_size, info.compress_size, "zip", self.location(number))
        # ZipFile counts its open readers, and that is not thread-safe.
        with self._lock, guard(self.location(number), "zip"), self._zip.open(info) as stream:
            if info.compress_type in _BOUNDED:
                return stream.read(info.file_size + 1)
            return b"".join(iter(lambda: stream.read(_LITTLE), b""))


#: Files of a container by number: their paths in it, and their bytes.
Files: TypeAlias = FolderFiles | TarFiles | ZipFiles
