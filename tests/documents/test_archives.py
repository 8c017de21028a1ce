"""Archives: links as in a folder, damage in one line, headers of old and new programs."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from support.index_facts import NOWHERE, facts, left_out

from excerpt.corpus import Corpus
from excerpt.documents.archives import Damaged, Member, is_tar, members
from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index

Write = Callable[[Mapping[str, str | bytes]], Path]

DEEP = "/".join(["folder" * 8] * 6)


def tarred(folder: Path, form: int = tarfile.PAX_FORMAT) -> bytes:
    """The folder as tar packs it: files with several names once, then hard links; symbolic links as such."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        for path in sorted(folder.rglob("*")):
            archive.add(path, f"./{path.relative_to(folder)}", recursive=False)
    return stream.getvalue()


def zipped(folder: Path) -> bytes:
    """The folder as `zip -y` packs it: symbolic links as such."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                info = zipfile.ZipInfo(name)
                info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
                archive.writestr(info, os.fsencode(path.readlink()))
            elif path.is_file():
                archive.write(path, name)
    return stream.getvalue()


KINDS: dict[str, Callable[[Path], bytes]] = {
    "tar": tarred,
    "gnu": lambda folder: tarred(folder, tarfile.GNU_FORMAT),
    "tar.gz": lambda folder: gzip.compress(tarred(folder)),
    "tar.xz": lambda folder: lzma.compress(tarred(folder)),
    "zip": zipped,
}


@pytest.mark.parametrize(
    ("kind", "workers"), [*((kind, 1) for kind in KINDS), *((kind, 2) for kind in ("tar", "tar.gz", "zip"))]
)
def test_links_are_documents(tmp_path: Path, write: Write, kind: str, workers: int) -> None:
    """Hard and symbolic links, chains, links through linked folders: all as in the folder."""
    folder = write(
        {
            "one.xml": "<a>1</a>",
            "data.bin": "<a>22</a>",
            "sub/two.xml.gz": gzip.compress(b"<a>333</a>"),
            f"{DEEP}/far.xml": "<a>4444</a>",
        }
    )
    (folder / "hard.xml").hardlink_to(folder / "one.xml")
    (folder / "deep-hard.xml").hardlink_to(folder / DEEP / "far.xml")
    (folder / "a-before.xml").symlink_to("one.xml")
    (folder / "chain.xml").symlink_to("./sub/../a-before.xml")
    (folder / "other-name.xml").symlink_to("data.bin")
    (folder / "sub" / "up.xml").symlink_to("../one.xml")
    (folder / "packed.xml.gz").symlink_to("sub/two.xml.gz")
    (folder / "deep.xml").symlink_to(f"{DEEP}/far.xml")
    (folder / "through").symlink_to("sub")
    (folder / "by-folder.xml").symlink_to("through/up.xml")
    build_index(folder, tmp_path / "folder", ids="path")
    expected = facts(tmp_path / "folder")
    assert len(expected) == 12
    (tmp_path / "archive").write_bytes(KINDS[kind](folder))
    calls: list[tuple[int, int]] = []
    report = build_index(
        tmp_path / "archive",
        tmp_path / "index",
        ids="path",
        workers=workers,
        progress=lambda *call: calls.append(call),
    )
    assert not report.broken
    assert facts(tmp_path / "index") == expected
    assert 0 < calls[-1][0] <= calls[-1][1]


@pytest.mark.parametrize("kind", KINDS)
def test_links_that_lead_nowhere(tmp_path: Path, write: Write, kind: str) -> None:
    """They are left out one by one, as in a folder; a member outside of the archive is never read."""
    folder = write({"one.xml": "<a>1</a>", "sub/two.xml": "<a>22</a>"})
    (tmp_path / "outside.xml").write_text("<a>secret</a>")
    for name, target in {
        "gone.xml": "nowhere.xml",
        "out.xml": "../outside.xml",
        "absolute.xml": str(tmp_path / "outside.xml"),
        "circle.xml": "circle-2.xml",
        "circle-2.xml": "sub/../circle.xml",
    }.items():
        (folder / name).symlink_to(target)
    (tmp_path / "archive").write_bytes(KINDS[kind](folder))
    report = build_index(tmp_path / "archive", tmp_path / "index")
    assert facts(tmp_path / "index") == {"one": 1, "two": 2}
    assert left_out(report) == dict.fromkeys(["gone", "out", "absolute", "circle", "circle-2"], NOWHERE)
    assert {document.path for document in report.broken} >= {
        f"{tmp_path}/archive!{'' if kind == 'zip' else './'}gone.xml"
    }


def test_names_outside_of_the_archive(tmp_path: Path) -> None:
    """Members named with `..`, as `tar -P` keeps them, are found by links as any other."""
    with tarfile.open(tmp_path / "archive", "w") as archive:
        for name, target in {"../d/one.xml": "", "../d/two.xml": "one.xml", "x.xml": "../one.xml"}.items():
            member = tarfile.TarInfo(name)
            member.size = 0 if target else 8
            member.type, member.linkname = tarfile.SYMTYPE if target else tarfile.REGTYPE, target
            archive.addfile(member, io.BytesIO(b"<a>1</a>"))
    report = build_index(tmp_path / "archive", tmp_path / "index")
    assert facts(tmp_path / "index") == {"one": 1, "two": 1}
    assert left_out(report) == {"x": NOWHERE}


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_links_to_a_large_document(tmp_path: Path, write: Write, kind: str, workers: int) -> None:
    """Several links to a document that is too large for a batch each give all of it."""
    body = b"<p>%b</p>\n" % (b"0123456" * 20) * 30_000
    folder = write({"big.xml": b"<a>" + body + b"</a>", "small.xml": "<a>1</a>"})
    for name in ("c.xml", "d.xml"):
        (folder / name).symlink_to("big.xml")
    (tmp_path / "archive").write_bytes(KINDS[kind](folder))
    build_index(tmp_path / "archive", tmp_path / "index", workers=workers)
    assert facts(tmp_path / "index") == {"big": 4_230_000, "c": 4_230_000, "d": 4_230_000, "small": 1}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_documents_in_whole_archives(tmp_path: Path, write: Write, kind: str, workers: int) -> None:
    """A compressed document that is damaged is left out with the words that a folder gives."""
    good = gzip.compress(b"<a>text</a>", mtime=0)
    folder = write(
        {
            "a.xml": "<a/>",
            "cut.xml.gz": good[:-6],
            "good.xml.gz": good,
            "not.xml.gz": b"<a/>",
            "wrong.xml.gz": good[:12] + b"\xff\xff" + good[14:],
        }
    )
    expected = left_out(build_index(folder, tmp_path / "folder"))
    assert sorted(expected) == ["cut", "not", "wrong"]
    (tmp_path / "archive").write_bytes(KINDS[kind](folder))
    assert left_out(build_index(tmp_path / "archive", tmp_path / "index", workers=workers)) == expected
    assert facts(tmp_path / "index") == {"a": 0, "good": 4}


@pytest.mark.parametrize("kind", ["folder", "tar", "tar.gz", "zip"])
@pytest.mark.parametrize("workers", [1, 2])
def test_damage_far_inside_of_a_document(tmp_path: Path, write: Write, kind: str, workers: int) -> None:
    """It is left out even where much of it was parsed before the damage; its neighbours are not touched."""
    body = b"".join(b"<p>%08x</p>" % (number * 2654435761 % 2**32) for number in range(120_000))
    packed = gzip.compress(b"<a>" + body + b"</a>", 1)
    documents = {"a.xml": b"<a>x</a>", "b.xml.gz": packed[: -len(packed) // 4], "c.xml": b"<a>xyz</a>"}
    corpus = write({**documents, "d.xml.gz": packed})
    if kind != "folder":
        (tmp_path / "packed").write_bytes(KINDS[kind](corpus))
        corpus = tmp_path / "packed"
    report = build_index(corpus, tmp_path / "index", workers=workers)
    assert facts(tmp_path / "index") == {"a": 1, "c": 3, "d": 960_000}
    assert [document.document for document in report.broken] == ["b"]
    assert report.broken[0].message.startswith("found damaged gzip data")
    (tmp_path / "others").mkdir()
    for name in ("a.xml", "c.xml", "d.xml.gz"):
        (tmp_path / "corpus" / name).rename(tmp_path / "others" / name)
    build_index(tmp_path / "others", tmp_path / "whole")
    indexes = [OffsetIndex.open(tmp_path / name) for name in ("index", "whole")]
    assert indexes[0].fingerprint == indexes[1].fingerprint


def test_links_of_a_zip_that_are_no_names(tmp_path: Path) -> None:
    """One that is too long leads nowhere, and costs nothing."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", "<a/>")
        info = zipfile.ZipInfo("b.xml")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "./" * 5000 + "a.xml", zipfile.ZIP_DEFLATED)
    report = build_index(tmp_path / "packed.zip", tmp_path / "index")
    assert (facts(tmp_path / "index"), left_out(report)) == ({"a": 0}, {"b": NOWHERE})


def test_a_member_that_is_encrypted(tmp_path: Path) -> None:
    """Without a password: a one-line error."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("a.xml", "<a/>")
    data = bytearray((tmp_path / "packed.zip").read_bytes())
    data[6] |= 1  # in the header of the member
    data[data.index(b"PK\1\2") + 8] |= 1  # and in the directory
    (tmp_path / "packed.zip").write_bytes(data)
    with pytest.raises(FormatError, match=r"damaged or truncated zip data .*encrypted"):
        build_index(tmp_path / "packed.zip", tmp_path / "index")


def test_a_member_without_a_name(tmp_path: Path) -> None:
    """It is no document; the others are read."""
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("a.xml", "<a/>")
        archive.writestr("b.xml", "<b/>")
    data = (tmp_path / "packed.zip").read_bytes().replace(b"b.xml", b"\0.xml")  # a name ends at a zero byte
    (tmp_path / "packed.zip").write_bytes(data)
    build_index(tmp_path / "packed.zip", tmp_path / "index")
    assert facts(tmp_path / "index") == {"a": 0}


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
    """A long name has at most a megabyte; finding that out does not read gigabytes."""
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


def test_a_name_that_is_no_text_is_damage(tmp_path: Path) -> None:
    """The header of a member may claim UTF-8 and have other bytes."""
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("d\u00e9.xml", "<a>text</a>")
    path.write_bytes(path.read_bytes().replace("\u00e9".encode(), b"\xff\xff", 1))
    with pytest.raises(ExcerptError, match="found damaged or truncated zip data"):
        Corpus.read(path)["d\u00e9"]
