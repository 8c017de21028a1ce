"""The folder of a campaign, its errors and times."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError, short
from excerpt.files import describe

if sys.platform != "win32":
    import fcntl

SETTINGS, DATABASE, JOURNAL, BACKUPS = "campaign.toml", "judgments.sqlite", "journal.jsonl", "backups"
#: What to do about a database that is lost or damaged, with the folder of its campaign.
AGAIN = "excerpt assess rebuild {} makes it again from the journal"
_SERVED = "serve.lock"
_MOUNTS = Path("/proc/mounts")
#: File systems of other machines: SQLite's log needs memory that all writers share.
_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "coda"}
_NETWORK |= {"glusterfs", "orangefs", "pvfs2", "gfs2", "ocfs2", "ncpfs", "davfs", "vboxsf", "prl_fs"}
_FUSE = "sshfs glusterfs s3fs rclone gcsfuse goofys davfs2 davfs juicefs mfs cephfs curlftpfs vmhgfs-fuse"
_FUSE += " seaweedfs blobfuse blobfuse2 smbnetfs gvfsd-fuse"
_NETWORK |= {f"fuse.{name}" for name in _FUSE.split()}


def folder_of(given: object) -> Path:
    """The folder that was named; an error where there is no campaign in it."""
    if not isinstance(given, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(given))} as folder, expected the path of a campaign")
    folder = Path(given)
    try:
        there = (folder / SETTINGS).is_file()
    except (OSError, ValueError):
        there = False
    if not there:
        raise ExcerptError(f"found no campaign there, expected a folder with {SETTINGS}", path=str(given))
    return folder


def check_local(folder: Path, mounts: str | None = None) -> None:
    """An error where a folder is on another machine; `mounts` is what the system says, as in /proc/mounts."""
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:  # no such thing on this system
            return
    kind = file_system(Path(os.path.realpath(folder)), mounts)
    if kind in _NETWORK:
        raise ExcerptError(
            f"is on a network file system ({kind}), expected a local disk: there a write that was confirmed "
            "can be lost, and two writers can spoil the database",
            path=str(folder),
        )


def file_system(path: Path, mounts: str) -> str:
    r"""The kind of file system that a path is on: that of the last mount of the longest place above it.

    >>> file_system(Path("/data/my campaign/x"), "/dev/a / ext4 rw\nsrv:/x /data/my\\040campaign nfs4 rw\n")
    'nfs4'
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        place = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[1])
        if path.is_relative_to(place) and len(place) >= best:
            best, kind = len(place), fields[2]
    return kind


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Be the only server of a campaign; it ends with the process, however that ends."""
    try:
        handle = os.open(folder / _SERVED, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    try:
        if not _lock(handle, wait=False):
            number = os.read(handle, 20).decode("ascii", "replace").strip()
            raise ExcerptError(f"is served already (process {number or 'unknown'})", path=str(folder))
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)


class WriteLock:
    """One writer at a time among processes: the folder itself is locked."""

    def __init__(self, folder: Path) -> None:
        self._handle = -1 if sys.platform == "win32" else os.open(folder, os.O_RDONLY)

    def close(self) -> None:
        """Give it up for good."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Wait for the others, and keep them waiting."""
        _lock(self._handle, wait=True)
        try:
            yield
        finally:
            if sys.platform != "win32":
                fcntl.flock(self._handle, fcntl.LOCK_UN)


def _lock(handle: int, *, wait: bool) -> bool:
    """Lock a file; False where somebody else has it."""
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on disk, where the system can."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class InvalidEvent(ExcerptError):
    """Something that cannot be so: an unknown kind, another quote than the text, a rule of the procedure."""


class NotAllowed(ExcerptError):
    """Somebody else's document, or something that is not shown yet."""


class NotFound(ExcerptError):
    """A topic or a document that the campaign does not have."""


class TooNew(ExcerptError):
    """Something that a newer excerpt has written; nothing was changed."""


class NoRoom(ExcerptError):
    """Nothing more can be written; what was sent is not kept, or not in both places yet."""


class Busy(NoRoom):
    """Another program keeps the database to itself; what was sent is not kept, and can be sent again."""


class MergeRequired(ExcerptError):
    """Pairs that several assessors judged, and nothing that says how these become one."""


class Stale(ExcerptError):
    """An event that was made on another version than the current one; `state` is the current state."""

    def __init__(self, base: int, state: dict[str, Any]) -> None:
        super().__init__(
            f"found an event made on version {short(str(base))}, expected version {state['version']}",
            hint="the document was changed elsewhere; nothing was overwritten",
        )
        self.base = base
        self.state = state

    def __reduce__(self) -> tuple[object, ...]:
        return (Stale, (self.base, self.state))


def stamp(seconds: float) -> str:
    """A moment of the system's clock.

    >>> stamp(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(moment: str) -> float:
    """The other way round.

    >>> seconds_of("1970-01-01T00:00:00.250Z")
    0.25
    """
    return datetime.fromisoformat(moment).timestamp()
