"""Headers of tar archives: what old and new programs write is read, nonsense is damage."""

from __future__ import annotations

import io
import tarfile

import pytest

from excerpt.documents.archives import Damaged
from excerpt.documents.tars import Member, is_tar, members


def opened(data: bytes) -> tarfile.TarFile:
    """An archive as the index opens it."""
    return tarfile.TarFile(fileobj=io.BytesIO(data), tarinfo=Member)


def test_large_sizes_and_old_headers() -> None:
    """Sizes in base 256 and headers without a magic are read as GNU tar and tar of 1979 wrote them."""
    header = bytearray(tarfile.TarInfo("old.xml").tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = b"\x80" + (4).to_bytes(11, "big")
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    archive = opened(bytes(header) + b"<a/>".ljust(512, b"\0") + bytes(1024))
    found = [(member.name, member.size, member.offset_data) for member in members(archive)]
    assert found == [("old.xml", 4, 512)]
    assert is_tar(bytes(header))


@pytest.mark.parametrize("size", [b"-0000000001", b"-0000001000", b"1_0", b"0x10", b"00000000008"])
def test_sizes_that_are_none(size: bytes) -> None:
    """A header whose check sum is right may still say nonsense."""
    header = bytearray(tarfile.TarInfo("a.xml").tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = size.ljust(12, b"\0")
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    with pytest.raises(Damaged, match="a header is not readable"):
        list(members(opened(bytes(header) + bytes(1024))))


def test_an_endless_size() -> None:
    """Python refuses to make a number of very many digits."""
    info = tarfile.TarInfo("a.xml")
    info.pax_headers = {"size": "1" * 5000}
    with pytest.raises(Damaged, match="the size of a member is not a number"):
        list(members(opened(info.tobuf(tarfile.PAX_FORMAT) + bytes(1024))))


def _header(field: slice, value: bytes) -> bytes:
    """The header of a file of four bytes, with another value somewhere and the right check sum."""
    info = tarfile.TarInfo("a.xml")
    info.size = 4
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[field] = value
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def test_times_are_not_names() -> None:
    """GNU tar keeps times where other programs keep the beginning of a long name."""
    header = _header(slice(345, 357), b"14567123456\0")
    archive = opened(header + b"<a/>".ljust(512, b"\0") + bytes(1024))
    assert [member.name for member in members(archive)] == ["a.xml"]


def test_a_header_that_goes_on_and_on() -> None:
    """A long name is not longer than a megabyte; nobody reads gigabytes to find that out."""
    header = _header(slice(124, 136), b"\x80" + (1 << 40).to_bytes(11, "big"))
    long = bytearray(header)
    long[156:157] = tarfile.GNUTYPE_LONGNAME
    long[148:156] = b" " * 8
    long[148:156] = b"%06o\0 " % sum(long)
    with pytest.raises(Damaged, match="a header is not readable: it is too long"):
        list(members(opened(bytes(long) + bytes(1024))))


@pytest.mark.parametrize("cut", [0, 100, 512, 600, 1024, 1100])
def test_an_archive_that_ends_too_early(cut: int) -> None:
    """Wherever it was cut, before the mark at its end, that is damage."""
    data = (_header(slice(0, 0), b"") + b"<a/>".ljust(512, b"\0")) * 2 + bytes(1024)
    with pytest.raises((Damaged, tarfile.ReadError)):
        list(members(opened(data[: 1024 + cut] if cut else b"")))


def test_members_are_not_kept() -> None:
    """The archive of a large corpus does not fill the memory."""
    data = (_header(slice(0, 0), b"") + b"<a/>".ljust(512, b"\0")) * 50 + bytes(1024)
    archive = opened(data)
    assert len(list(members(archive))) == 50
    assert len(archive.getmembers()) <= 1
