"""Files of documents by number: of a folder, a zip or a tar; one that changed meanwhile is an error."""

from __future__ import annotations

import os
import stat
import threading
import zipfile
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from excerpt.documents.archives import NOWHERE, guard, zip_members
from excerpt.documents.stored_file import Stamp, StoredFile, changed
from excerpt.documents.tars import tar_members
from excerpt.documents.walk import walk_files
from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.files.compression import require_room

IsWanted = Callable[[str], bool]
_MISSING = -1


class Files(Protocol):
    """Files by number: their paths inside of a container, and their bytes."""

    @property
    def paths(self) -> Sequence[str]:
        """The path of each file."""
        ...

    def place(self, number: int) -> str:
        """Where a file is, for messages."""
        ...

    def check(self, number: int) -> None:
        """An error where a file has changed."""
        ...

    def read(self, number: int) -> bytes:
        """The bytes of a file."""
        ...


class FolderFiles:
    """Files of a folder, by their paths inside of it."""

    def __init__(self, folder: str, files: Iterable[tuple[str, Stamp | None]]) -> None:
        self._prefix = os.path.join(folder, "") if folder else ""  # noqa: PTH118  a Path per file is slow
        known = sorted(files)
        self.paths = [path for path, _ in known]
        self._sizes = array("q", [stamp.size if stamp else _MISSING for _, stamp in known])
        self._times = array("q", [stamp.time if stamp else _MISSING for _, stamp in known])

    def place(self, number: int) -> str:
        """The path of a file."""
        return self._prefix + self.paths[number]

    def check(self, number: int) -> None:
        """An error where a file has changed."""
        name = self.place(number)
        try:
            now = Stamp.of(os.stat(name))  # noqa: PTH116  a Path costs more than this
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        if now != Stamp(self._sizes[number], self._times[number]):
            raise changed(name)

    def read(self, number: int) -> bytes:
        """The bytes of a file."""
        name = self.place(number)
        stamp = Stamp(self._sizes[number], self._times[number])
        try:
            with open(name, "rb", buffering=0) as file:  # noqa: PTH123
                if Stamp.of(os.fstat(file.fileno())) != stamp:
                    raise changed(name)
                data = file.read()
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        if len(data) != stamp.size:
            raise changed(name)
        return data


def open_folder(folder: str, is_wanted: IsWanted) -> tuple[FolderFiles, int]:
    """The wanted files of a folder, and how many pipes, devices and sockets are named like them."""
    found: list[tuple[str, Stamp | None]] = []
    left_out = 0
    for path, item in walk_files(folder, is_wanted):
        try:
            status = item.stat()
        except OSError:  # a dangling link: an error when it is read
            found.append((path, None))
            continue
        if stat.S_ISREG(status.st_mode):
            found.append((path, Stamp.of(status)))
        else:
            left_out += 1
    return FolderFiles(folder, found), left_out


class TarFiles:
    """Files of a tar; a compressed one was unpacked into a temporary file."""

    def __init__(self, archive: StoredFile, is_wanted: IsWanted) -> None:
        self._archive = archive
        self.paths: list[str] = []
        self._offsets, self._sizes = array("q"), array("q")
        try:
            for path, part in tar_members(archive.path, is_wanted):
                self.paths.append(path)
                self._offsets.append(_MISSING if part.missing else part.offset)
                self._sizes.append(part.size)
        except ExcerptError as error:
            error.path = archive.name  # not that of a temporary file
            raise

    def place(self, number: int) -> str:
        """The archive and the path of a file in it."""
        return f"{self._archive.name}!{self.paths[number]}"

    def check(self, _number: int) -> None:
        """An error where the archive has changed."""
        self._archive.check()

    def read(self, number: int) -> bytes:
        """The bytes of a file."""
        if self._offsets[number] == _MISSING:
            raise ExcerptError(f"cannot be read: {NOWHERE}", path=self.place(number))
        return self._archive.read(self._offsets[number], self._sizes[number])


class ZipFiles:
    """Files of a zip; of its directory only numbers are kept, a fraction of what `zipfile` keeps."""

    def __init__(self, archive: StoredFile, is_wanted: IsWanted) -> None:
        self._archive = archive
        self._lock = threading.Lock()
        self.paths: list[str] = []
        self._own_names: dict[int, str] = {}  # of files that links lead to, and odd ones
        self._numbers = array("q")
        with guard(archive.name, "zip"):
            self._zip = zipfile.ZipFile(archive.path)
            members = zip_members(self._zip, is_wanted)
        for path, info in members:
            if info is None or path != info.orig_filename:
                self._own_names[len(self.paths)] = "" if info is None else info.orig_filename
            self.paths.append(path)
            values = [0] * len(_OF_INFO) if info is None else [getattr(info, name) for name in _OF_INFO]
            self._numbers.extend(values)
        # Files are described by the numbers above, one at a time.
        self._zip.filelist.clear()
        self._zip.NameToInfo.clear()

    def place(self, number: int) -> str:
        """The archive and the path of a file in it."""
        return f"{self._archive.name}!{self.paths[number]}"

    def check(self, _number: int) -> None:
        """An error where the archive has changed."""
        self._archive.check()

    def read(self, number: int) -> bytes:
        """The bytes of a file."""
        own_name = self._own_names.get(number, self.paths[number])
        if not own_name:
            raise ExcerptError(f"cannot be read: {NOWHERE}", path=self.place(number))
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


#: Ways of packing that `zipfile` unpacks to as much as it is asked for, whatever the directory says. Of
#: others it unpacks all that it reads at once, so it is to read little.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_LITTLE = 1 << 12
#: What `zipfile` must know of a file to read it.
_OF_INFO = ("header_offset", "compress_size", "file_size", "CRC", "compress_type", "flag_bits")
