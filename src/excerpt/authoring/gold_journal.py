"""The journal of a gold file that is being written: events first, then the file, which is always whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from excerpt.assess.folder import NoRoom, stamp
from excerpt.authoring.question import GoldContent, KeptQuestion, text_of
from excerpt.errors import ExcerptError
from excerpt.files import describe, lock, sync_folder, write_bytes

ENDING = ".journal"
#: Endings of compressed files, which cannot be whole at every moment.
_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def digest_of(data: bytes) -> str:
    """Return the SHA-256 of the bytes of a file."""
    return hashlib.sha256(data).hexdigest()


class GoldJournal:
    """A gold file and its journal, locked for one server; the system ends the lock with the process.

    An event is on disk in the journal before the file is replaced, and both are on disk before it is
    confirmed. A file that was changed by another program is gone on with as it is.
    """

    def __init__(self, path: str | os.PathLike[str], clock: Callable[[], float] = time.time) -> None:
        self.path = Path(os.path.realpath(path))
        if self.path.suffix.lower() in _PACKED:
            hint = "compress it when you are done"
            raise ExcerptError("is a compressed file, expected JSON Lines", path=str(path), hint=hint)
        self.journal = self.path.with_name(self.path.name + ENDING)
        self.content = GoldContent()
        #: Questions before the last change; digest of the bytes of a file that was taken over since.
        self._before: dict[str, KeptQuestion] = {}
        self._adopted = ""
        #: What was repaired, in words.
        self.said: list[str] = []
        self._clock = clock
        self._fresh = not self.journal.exists()
        try:
            self._handle = os.open(self.journal, _FLAGS, 0o644)
        except OSError as error:
            raise ExcerptError(f"cannot be written: {describe(error)}", path=str(self.journal)) from None
        if not lock(self._handle):
            os.close(self._handle)
            hint = "close the other server first, or choose another file"
            raise ExcerptError("is being written by another server", path=str(path), hint=hint)
        try:
            self._size = self._read()
        except BaseException:
            os.close(self._handle)
            raise

    def _read(self) -> int:
        """Read the journal; return the size of its whole lines. A line cut short was never confirmed."""
        with self.journal.open("rb") as stream:
            data = stream.read()
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].split(b"\n")[:-1], 1):
            try:
                self._apply(json.loads(line))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
                hint = f"move it away: {self.path.name} has all questions, and a new journal begins"
                message = "this line of the journal cannot be read"
                raise ExcerptError(message, path=str(self.journal), line=number, hint=hint) from None
        if whole < len(data):
            self.said.append(f"{self.journal.name}: 1 line cut short was left out")
        return whole

    def _apply(self, entry: Mapping[str, Any]) -> None:
        """Apply an entry; remember the questions before the last change, and what was taken over."""
        before = dict(self.content.questions)
        self.content.apply(entry)
        if entry["kind"] == "open":
            self._adopted = entry["sha256"]
        elif self.content.questions != before:
            self._before, self._adopted = before, ""

    def close(self, *, forget: bool = False) -> None:
        """End the lock; `forget` removes a journal that this has created and that says nothing."""
        os.close(self._handle)
        if forget and self._fresh and not self._size:
            with contextlib.suppress(OSError):
                self.journal.unlink()

    def found(self) -> bytes | None:
        """Return the bytes of the gold file if it is not what the journal says; None if it is, or is missing.

        A server that ended between journal and file is made up for.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return None if self._size else b""
        except IsADirectoryError:
            message = "is a directory, expected the name of a file to write"
            raise ExcerptError(message, path=str(self.path)) from None
        except OSError as error:
            raise ExcerptError(f"cannot be read: {describe(error)}", path=str(self.path)) from None
        texts = (self.content.questions, self._before) if self._size else ()
        known = {digest_of(text_of(questions).encode()) for questions in texts}
        return None if digest_of(data) in {*known, self._adopted} else data

    def begin(self, port: int) -> None:
        """Write the port to use the next time, if it is another one."""
        if port != self.content.port:
            self._append({"kind": "begin", "at": stamp(self._clock()), "port": port})

    def adopt(self, data: bytes, questions: Mapping[str, list[str]]) -> None:
        """Take over a file that the journal does not know: its lines by the key of their question."""
        entry = {"kind": "open", "at": stamp(self._clock()), "sha256": digest_of(data)}
        self._append({**entry, "questions": [[key, lines] for key, lines in questions.items()]})

    def settle(self) -> None:
        """Write the file that the journal says, unless it is there."""
        known = {digest_of(text_of(self.content.questions).encode()), self._adopted}
        if not self.path.exists() or digest_of(self.path.read_bytes()) not in known:
            self._write_file()

    def record(self, entry: Mapping[str, Any]) -> None:
        """Store an event: in the journal, then in the file; it is on disk when this returns."""
        size = self._size
        before = dict(self.content.questions)
        self._append({"at": stamp(self._clock()), **entry})
        if self.content.questions == before:
            return
        try:
            self._write_file()
        except ExcerptError as error:
            self._undo(size)
            hint = "nothing was changed; it is sent again"
            raise NoRoom(error.message, path=error.path, hint=hint) from None

    def _undo(self, size: int) -> None:
        """Take back the last line, since its event is not confirmed."""
        os.ftruncate(self._handle, size)
        os.fsync(self._handle)
        self.content = GoldContent()
        self._size = self._read()

    def _append(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        try:
            os.ftruncate(self._handle, self._size)  # a line cut short
            os.lseek(self._handle, self._size, os.SEEK_SET)
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._handle, rest) :]
            os.fsync(self._handle)
            if not self._size:
                sync_folder(self.journal.parent)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise NoRoom(f"cannot be written: {describe(error)}", path=str(self.journal)) from None
        self._size += len(line)
        self._apply(entry)

    def _write_file(self) -> None:
        write_bytes(self.path, text_of(self.content.questions).encode())
        sync_folder(self.path.parent)
