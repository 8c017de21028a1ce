"""The folder of a campaign: files, locks, errors, timestamps."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from excerpt.errors import ExcerptError, short
from excerpt.files import describe, lock

if sys.platform != "win32":
    import fcntl

SETTINGS, DATABASE, JOURNAL, BACKUPS = "campaign.toml", "judgments.sqlite", "journal.jsonl", "backups"
#: Hint for a lost or damaged database; `{}` is the folder of the campaign.
REBUILD_HINT = "excerpt assess rebuild {} restores it from the journal"
#: Hint for a damaged journal.
CERTAIN_HINT = (
    "excerpt assess rebuild {} ⟨as_far_as_possible⟩ rebuilds what is certain and lists what is lost"
)
#: Hint for damaged settings.
SETTINGS_HINT = "restore the file, or excerpt assess rebuild {} ⟨as_far_as_possible⟩ writes it again"
_SERVED = "serve.lock"
_MOUNTS = Path("/proc/mounts")
#: Network file systems: SQLite's log needs memory that all writers share.
_NETWORK = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "lustre", "gpfs", "beegfs", "coda"}
_NETWORK |= {"glusterfs", "orangefs", "pvfs2", "gfs2", "ocfs2", "ncpfs", "davfs", "vboxsf", "prl_fs"}
_FUSE = "sshfs glusterfs s3fs rclone gcsfuse goofys davfs2 davfs juicefs mfs cephfs curlftpfs vmhgfs-fuse"
_FUSE += " seaweedfs blobfuse blobfuse2 smbnetfs gvfsd-fuse"
_NETWORK |= {f"fuse.{name}" for name in _FUSE.split()}


def folder_of(path: object, *, without_settings: bool = False) -> Path:
    """Return the folder of a campaign, on a local disk and made private; without settings it is an error."""
    if not isinstance(path, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(path))} as folder, expected the path of a campaign")
    folder = Path(path)
    try:
        has_settings, has_journal = ((folder / name).is_file() for name in (SETTINGS, JOURNAL))
    except (OSError, ValueError):
        has_settings = has_journal = False
    if has_settings or (has_journal and without_settings):
        check_local(folder)
        make_private(folder)
        return folder
    if has_journal:
        raise ExcerptError("is missing", path=str(folder / SETTINGS), hint=SETTINGS_HINT.format(folder))
    raise ExcerptError(f"not a campaign folder: {SETTINGS} is missing", path=str(path))


def make_private(folder: Path) -> None:
    """Take all permissions of other users from a campaign: folders and files that this user owns."""
    if os.name != "posix":
        return
    for path in (folder, *folder.iterdir(), *folder.glob(f"{BACKUPS}/*")):
        with contextlib.suppress(OSError):  # removed by another process
            found = path.lstat()
            others = stat.S_IMODE(found.st_mode) & (stat.S_IRWXG | stat.S_IRWXO)
            if others and found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode):
                path.chmod(stat.S_IMODE(found.st_mode) & ~others)


def check_local(folder: Path, mounts: str | None = None) -> None:
    """Raise an error if a folder is on a network file system; `mounts` is text as in /proc/mounts."""
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:  # this system has no such file
            return
    kind = file_system(Path(os.path.realpath(folder)), mounts)
    if kind in _NETWORK:
        why = "over a network, confirmed writes can be lost, and two writers can corrupt the database"
        message = f"is on a network file system ({kind}), expected a local disk: {why}"
        raise ExcerptError(message, path=str(folder))


def file_system(path: Path, mounts: str) -> str:
    r"""Return the type of the file system of a path: that of the last mount at the longest parent path.

    >>> file_system(Path("/data/my campaign/x"), "/dev/a / ext4 rw\nsrv:/x /data/my\\040campaign nfs4 rw\n")
    'nfs4'
    """
    best, kind = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        mount = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[1])
        if path.is_relative_to(mount) and len(mount) >= best:
            best, kind = len(mount), fields[2]
    return kind


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[None]:
    """Lock a campaign for one server; the system ends the lock with the process."""
    try:
        handle = os.open(folder / _SERVED, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=str(folder)) from None
    try:
        if not lock(handle):
            number = os.read(handle, 20).decode("ascii", "replace").strip()
            raise ExcerptError(f"is served already (process {number or 'unknown'})", path=str(folder))
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, str(os.getpid()).encode())
        yield
    finally:
        os.close(handle)


class WriteLock:
    """Lock on the folder: one process writes at a time."""

    def __init__(self, folder: Path) -> None:
        self._handle = -1 if sys.platform == "win32" else os.open(folder, os.O_RDONLY)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Wait for other processes, then exclude them."""
        lock(self._handle, wait=True)
        try:
            yield
        finally:
            if sys.platform != "win32":
                fcntl.flock(self._handle, fcntl.LOCK_UN)


class InvalidEvent(ExcerptError):
    """Error for an invalid event: an unknown kind, a wrong quote, a broken rule of the procedure."""


class NotAllowed(ExcerptError):
    """Error for a document of another assessor, or data that is not shown yet."""


class NotFound(ExcerptError):
    """Error for a topic or a document that the campaign does not have."""


class TooNew(ExcerptError):
    """Error for a file written by a newer version of excerpt; nothing was changed."""


class NoRoom(ExcerptError):
    """Error for a failed write, such as on a full disk; the data is not in both database and journal."""


class Busy(NoRoom):
    """Error for a database that another program has locked; nothing was stored, and it can be sent again."""


class MergeRequired(ExcerptError):
    """Error for documents with several assessors, without a rule that merges their judgments."""


class Overtaken(ExcerptError):
    """Error for an event on something that was changed elsewhere; nothing was overwritten."""


class Stale(Overtaken):
    """Error for an event based on another version than the current one; `state` is the current state."""

    def __init__(self, base: int, state: dict[str, Any]) -> None:
        super().__init__(
            f"found an event based on version {short(str(base))}, expected version {state['version']}",
            hint="the document was changed elsewhere; nothing was overwritten",
        )
        self.base = base
        self.state = state

    def __reduce__(self) -> tuple[object, ...]:
        return (Stale, (self.base, self.state))


def stamp(seconds: float) -> str:
    """Format a time in seconds as an ISO 8601 timestamp.

    >>> stamp(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    moment = datetime.fromtimestamp(seconds, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(moment: str) -> float:
    """Parse a timestamp of `stamp` into seconds.

    >>> seconds_of("1970-01-01T00:00:00.250Z")
    0.25
    """
    return datetime.fromisoformat(moment).timestamp()
