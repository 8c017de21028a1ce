"""Tests of the folder of a campaign: file systems, locks, errors."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.small_campaign import small_campaign

from excerpt.assess.folder import (
    InvalidEvent,
    NoRoom,
    NotAllowed,
    NotFound,
    Stale,
    WriteLock,
    check_local,
    file_system,
    folder_of,
    seconds_of,
    serving,
    stamp,
)
from excerpt.errors import ExcerptError

MOUNTS = """\
/dev/vda1 / ext4 rw 0 0
server:/x /shared nfs4 rw 0 0
/dev/vdb1 /shared/local ext4 rw 0 0
//nas/share /mnt/my\\040share cifs rw 0 0
me@host: /mnt/host fuse.sshfs rw 0 0
tmpfs /mnt/host/memory tmpfs rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/data/x", "ext4"),
        ("/shared/ann/x", "nfs4"),
        ("/shared-not/x", "ext4"),
        ("/shared/local/x", "ext4"),
        ("/mnt/my share/x", "cifs"),
        ("/mnt/host", "fuse.sshfs"),
        ("/mnt/host/memory/x", "tmpfs"),
    ],
)
def test_a_folder_is_on_the_file_system_of_the_nearest_mount(path: str, kind: str) -> None:
    """Mount points that share only a prefix of the name do not count."""
    assert file_system(Path(path), MOUNTS) == kind


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "fuse.s3fs"])
def test_network_file_systems_are_refused_with_the_reason(kind: str, tmp_path: Path) -> None:
    """Network file systems are rejected before anything is written."""
    with pytest.raises(ExcerptError, match=rf"network file system \({kind}\), expected a local disk"):
        check_local(tmp_path, f"x / {kind} rw 0 0\n")
    check_local(tmp_path, "x / ext4 rw 0 0\n")
    check_local(tmp_path, "")


def test_a_campaign_on_a_network_is_neither_made_nor_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Creating and opening fail, and no folder is left."""
    from excerpt.assess import folder
    from excerpt.assess.campaign import Campaign

    small_campaign(tmp_path / "c").close()
    mounts = tmp_path / "mounts"
    mounts.write_text("server:/x / nfs rw 0 0\n")
    monkeypatch.setattr(folder, "_MOUNTS", mounts)
    with pytest.raises(ExcerptError, match="network file system"):
        Campaign.open(tmp_path / "c")
    with pytest.raises(ExcerptError, match="network file system"):
        small_campaign(tmp_path / "d")
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("name", ["none", "file", "bad\0name"])
def test_other_folders_are_no_campaigns(name: str, tmp_path: Path) -> None:
    """Other folders, files and invalid names are errors."""
    (tmp_path / "file").touch()
    with pytest.raises(ExcerptError, match=r"not a campaign folder: campaign\.toml is missing"):
        folder_of(f"{tmp_path}/{name}")
    with pytest.raises(ExcerptError, match="expected the path of a campaign"):
        folder_of(7)


def test_a_second_server_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    """The lock names the process and ends with it."""
    code = (
        "import sys, pathlib; from excerpt.assess.folder import serving\n"
        "with serving(pathlib.Path(sys.argv[1])): print('here', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"here\n"
        with (
            pytest.raises(ExcerptError, match=rf"is served already \(process {other.pid}\)"),
            serving(tmp_path),
        ):
            pass
        other.kill()
        other.wait()
        with serving(tmp_path):
            pass


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    """A second writer waits for the first."""
    one, two = WriteLock(tmp_path), WriteLock(tmp_path)
    order = []

    def write() -> None:
        with two.locked():
            order.append("second")

    with one.locked():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join(0.1)
        order.append("first")
    thread.join()
    one.close()
    two.close()
    assert order == ["first", "second"]


def test_a_stale_event_brings_the_current_state() -> None:
    """The state survives pickling."""
    refusal = pickle.loads(pickle.dumps(Stale(3, {"version": 5, "done": True})))
    assert (refusal.state, refusal.base) == ({"version": 5, "done": True}, 3)
    assert str(refusal).startswith("found an event based on version 3, expected version 5")


def test_refusals_are_told_apart() -> None:
    """No error class is a subclass of another."""
    kinds = (NoRoom, NotAllowed, NotFound, Stale, InvalidEvent)
    assert all(issubclass(kind, ExcerptError) for kind in kinds)
    assert not any(issubclass(one, other) for one in kinds for other in kinds if one is not other)


@given(st.integers(0, 4_000_000_000_000))
def test_a_moment_survives_to_the_millisecond(milliseconds: int) -> None:
    """Timestamps are exact to the millisecond and sort by time."""
    assert round(seconds_of(stamp(milliseconds / 1000)) * 1000) == milliseconds
    assert stamp(milliseconds / 1000) < stamp(milliseconds / 1000 + 1)
