"""A file that stays open and is read anywhere: as it is, or unpacked once into a temporary file."""

from __future__ import annotations

import contextlib
import os
import tempfile
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from excerpt.documents.archives import guard
from excerpt.errors import ExcerptError
from excerpt.files import describe
from excerpt.files.compression import Compression, compression_of, room_for

_HEAD = 512
_CHUNK = 1 << 20


class Stamp(NamedTuple):
    """What tells that a file has changed: its size and the time of its last change."""

    size: int
    time: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """The stamp of a file."""
        return cls(status.st_size, status.st_mtime_ns)


def changed(name: str) -> ExcerptError:
    """The error for a file that is not as it was when the corpus was opened."""
    return ExcerptError("has changed since the corpus was opened", path=name, hint="open the corpus again")


class StoredFile:
    """The bytes of a file; an error where it has changed since it was opened.

    `path` is where they are, a temporary file where the file was compressed; messages call it `name`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        try:
            # It is open as long as the corpus is used.
            self._file: IO[bytes] = Path(name).open("rb")  # noqa: SIM115
            self._stamp: Stamp | None = Stamp.of(os.fstat(self._file.fileno()))
            weakref.finalize(self, self._file.close)
            compression = compression_of(self._file.read(_HEAD))
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
        self.path = name
        if compression is not None:
            try:
                self._unpack(compression)
            except BaseException:
                self.close()
                raise

    def _unpack(self, compression: Compression) -> None:
        packed = self._file
        self._file, self.path = self._create()
        stamp, self._stamp = self._stamp, None
        assert stamp is not None
        room = room_for(stamp.size)
        with packed, guard(self.name, compression.name):
            packed.seek(0)
            stream = compression.reader(packed)
            while piece := stream.read(_CHUNK):
                room -= len(piece)
                if room < 0:
                    raise ExcerptError(
                        "unpacks to more than a hundred times its size, expected less",
                        path=self.name,
                        hint="unpack it yourself, or set ⟨max_size=1T⟩ if you trust it",
                    )
                self._write(piece)
        self._file.flush()

    def _create(self) -> tuple[IO[bytes], str]:
        """A temporary file that goes with this one, or with the process."""
        try:
            handle, path = tempfile.mkstemp(prefix="excerpt-", suffix=".tmp")
        except OSError as error:
            raise self._no_room(error) from None
        file = os.fdopen(handle, "w+b")
        weakref.finalize(self, _remove, file, path)
        return file, path

    def _write(self, piece: bytes) -> None:
        try:
            _put(self._file, piece)
        except OSError as error:
            raise self._no_room(error) from None

    def _no_room(self, error: OSError) -> ExcerptError:
        return ExcerptError(
            f"cannot be unpacked into a temporary file: {describe(error)}",
            path=self.name,
            hint="unpack it yourself, or set TMPDIR to another folder",
        )

    def forget_path(self) -> None:
        """From now on only this object needs the file: a temporary one is gone however the process ends."""
        if self._stamp is None and os.name == "posix":
            Path(self.path).unlink(missing_ok=True)

    def check(self) -> None:
        """An error where another file has the name now, or the file has changed."""
        if self._stamp is None:  # unpacked: nobody else has it
            return
        try:
            now = Stamp.of(os.stat(self.name))  # noqa: PTH116  a Path costs more than this
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=self.name) from None
        if now != self._stamp:
            raise changed(self.name)

    def read(self, offset: int, size: int) -> bytes:
        """Some bytes of it."""
        self.check()
        with self._lock:
            self._file.seek(offset)
            data = self._file.read(size)
        if len(data) != size:
            raise changed(self.name)
        return data

    def head(self) -> bytes:
        """The first bytes, by which kinds of files are told apart."""
        with self._lock:
            self._file.seek(0)
            return self._file.read(_HEAD)

    def first_line(self) -> bytes:
        """The first line that is not blank."""
        with self._lock:
            self._file.seek(0)
            while (line := self._file.readline()).isspace():
                pass
            return line

    def whole(self) -> bytes:
        """All of it."""
        with self._lock:
            self._file.seek(0)
            return self._file.read()

    def lines(self) -> Iterator[bytes]:
        """All lines with their ends; nothing else may be read meanwhile."""
        with self._lock:
            self._file.seek(0)
            yield from self._file

    def close(self) -> None:
        """Let go of it; a temporary file is gone then."""
        if self._stamp is None:
            _remove(self._file, self.path)
        self._file.close()


def _put(file: IO[bytes], piece: bytes) -> None:
    file.write(piece)


def _remove(file: IO[bytes], path: str) -> None:
    with contextlib.suppress(OSError):  # what could not be written may not be flushed either
        file.close()
    with contextlib.suppress(OSError):
        Path(path).unlink()
