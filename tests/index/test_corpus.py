"""Corpora: folders and archives of every kind hold the same documents; damaged archives say so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import zstandard

from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex, build
from excerpt.index.tar import TarReader, is_tar

Write = Callable[[Mapping[str, str | bytes]], Path]

NOISE = random.Random(1)
LONG = "d" * 120 + "/" + "e" * 150
DOCUMENTS = {
    "a.xml": b"<a>one</a>",
    "b/c.XML": b"<a>two<b/></a>",
    f"{LONG}.xml": b"<a>" + b"x" * 1500 + b"</a>",
    "notes.txt": b"not XML",
    "z/\xc3\xa9t\xc3\xa9.xml".encode("latin-1").decode(): b"<a>\xc3\xa9</a>",
}


def tar(documents: Mapping[str, bytes], *, form: int = tarfile.PAX_FORMAT) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=form) as archive:
        folder = tarfile.TarInfo("./b")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name, content in documents.items():
            member = tarfile.TarInfo(f"./{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("./link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "a.xml"
        archive.addfile(link)
    return stream.getvalue()


def zipped(documents: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("b")
        for name, content in documents.items():
            archive.writestr(name, content)
    return stream.getvalue()


KINDS: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "tar": tar,
    "gnu": lambda documents: tar(documents, form=tarfile.GNU_FORMAT),
    "tar.gz": lambda documents: gzip.compress(tar(documents)),
    "tar.bz2": lambda documents: bz2.compress(tar(documents)),
    "tar.xz": lambda documents: lzma.compress(tar(documents)),
    "tar.zst": lambda documents: zstandard.ZstdCompressor(write_checksum=True).compress(tar(documents)),
    "zip": zipped,
}


@pytest.mark.parametrize(
    ("kind", "workers"), [*((kind, 1) for kind in KINDS), *((kind, 2) for kind in ("tar", "tar.gz", "zip"))]
)
def test_archives(tmp_path: Path, write: Write, kind: str, workers: int) -> None:
    """Every kind of archive, known by its content, gives the index of the folder, fingerprint included."""
    build(write(DOCUMENTS), tmp_path / "folder", ids="path")
    archive = tmp_path / "corpus.data"
    archive.write_bytes(KINDS[kind](DOCUMENTS))
    calls: list[tuple[int, int]] = []
    build(archive, tmp_path / "index", ids="path", workers=workers, progress=lambda *call: calls.append(call))
    expected, found = (OffsetIndex.open(tmp_path / name) for name in ("folder", "index"))
    assert found.document_ids([0, 1, 2, 3]) == ["a", "b/c", LONG, "z/été"]
    assert found.document_sizes([0, 1, 2, 3]).tolist() == [3, 3, 1500, 1]
    assert found.fingerprint == expected.fingerprint
    assert found.statistics() == expected.statistics()
    assert 0 < calls[-1][0] <= calls[-1][1]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_large_members(tmp_path: Path, kind: str, workers: int) -> None:
    """Documents too large for a batch are streamed out of their archive, also between small ones."""
    body = b"<p>0123456</p>\n" * 300_000
    documents = {
        "a.xml": b"<a/>",
        "big.xml": b"<a>" + body + b"</a>",
        "c.xml": b"<a>x</a>",
        "cut.xml": b"<a>" + body,
    }
    archive = tmp_path / "corpus"
    archive.write_bytes(KINDS[kind](documents))
    report = build(archive, tmp_path / "index", workers=workers)
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_sizes([0, 1, 2]).tolist() == [0, 2_400_000, 1]
    assert [(document.document, document.line) for document in report.broken] == [("cut", 300_001)]
    assert report.broken[0].path.startswith(f"{archive}!")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.97])
@pytest.mark.parametrize("kind", KINDS)
def test_truncated_archives(tmp_path: Path, kind: str, share: float) -> None:
    """An archive that was cut is an error in one line, and nothing is left."""
    noise = {f"{number}.xml": b"<a>" + NOISE.randbytes(3000).hex().encode() + b"</a>" for number in range(40)}
    data = KINDS[kind](noise)
    archive = tmp_path / "corpus"
    if kind in ("tar", "gnu"):  # the padding at the end may go
        data = data.rstrip(b"\0")
    archive.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(FormatError, match="damaged or truncated") as error:
        build(archive, tmp_path / "index")
    assert "\n" not in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == ["corpus"]


@pytest.mark.parametrize("kind", ["tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip", "tar"])
def test_damaged_archives(tmp_path: Path, kind: str) -> None:
    """A changed byte in the middle never ends in a quiet, smaller index."""
    noise = {f"{number}.xml": b"<a>" + NOISE.randbytes(300).hex().encode() + b"</a>" for number in range(100)}
    data = bytearray(KINDS[kind](noise))
    headers = [at for at in range(0, len(data), 512) if data[at : at + 2] == b"./"]
    data[headers[50] + 3 if kind == "tar" else len(data) // 2] ^= 0x55
    (tmp_path / "corpus").write_bytes(data)
    with pytest.raises(FormatError, match="damaged or truncated"):
        build(tmp_path / "corpus", tmp_path / "index")


def test_large_sizes_and_old_headers() -> None:
    """Sizes in base 256 and headers without a magic are read as GNU tar and tar of 1979 wrote them."""
    header = bytearray(tarfile.TarInfo("old.xml").tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = b"\x80" + (4).to_bytes(11, "big")
    header[257:265] = bytes(8)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    reader = TarReader(io.BytesIO(bytes(header) + b"<a/>".ljust(512, b"\0") + bytes(1024)))
    found = [(member.name, b"".join(reader.content())) for member in reader]
    assert found == [("old.xml", b"<a/>")]
    assert is_tar(bytes(header))


def test_compressed_documents(tmp_path: Path, write: Write) -> None:
    """Documents compressed one by one are read in folders and by themselves; damaged ones are broken."""
    good = gzip.compress(b"<a>text</a>")
    folder = write({"a.xml.gz": good, "b.xml": "<a/>", "cut.xml.gz": good[:-6], "not.xml.gz": b"<a/>"})
    report = build(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_ids([0, 1]) == ["a", "b"]
    assert index.document_sizes([0, 1]).tolist() == [4, 0]
    assert [document.document for document in report.broken] == ["cut", "not"]
    build(folder / "a.xml.gz", tmp_path / "single")
    assert OffsetIndex.open(tmp_path / "single").document_ids([0]) == ["a"]
    with tarfile.open(tmp_path / "corpus.tar", "w") as archive:
        archive.add(folder / "a.xml.gz", "a.xml.gz")
    build(tmp_path / "corpus.tar", tmp_path / "packed")
    assert OffsetIndex.open(tmp_path / "packed").document_sizes([0]).tolist() == [4]


def test_a_single_document(tmp_path: Path) -> None:
    """One file is a corpus of one document."""
    file = tmp_path / "only.xml"
    file.write_text("<a>text</a>")
    assert build(file, tmp_path / "index").documents == 1
    assert OffsetIndex.open(tmp_path / "index").document_ids([0]) == ["only"]


def test_something_else(tmp_path: Path) -> None:
    """A file that is neither archive nor XML is an error with its name."""
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(600))
    with pytest.raises(ExcerptError, match=r"picture\.png:1: "):
        build(file, tmp_path / "index")


def test_links(tmp_path: Path, write: Write) -> None:
    """Linked directories are followed, each directory once, loops included."""
    folder = write({"real/a.xml": "<a/>", "real/deeper/b.xml": "<a/>"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.xml").write_text("<a/>")
    (folder / "aaa").symlink_to(folder / "real")
    (folder / "real" / "loop").symlink_to(folder)
    (folder / "more").symlink_to(outside)
    build(folder, tmp_path / "index", ids="path")
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_ids([0, 1, 2]) == ["more/c", "real/a", "real/deeper/b"]
    assert len(index) == 3


def test_fingerprints_tell_corpora_apart(tmp_path: Path, write: Write) -> None:
    """Another id, another byte or another broken document is another corpus."""
    prints = set()
    folder = write({"a.xml": "<a>x</a>"})
    for more in ({}, {"a.xml": "<a>y</a>"}, {"b.xml": "<a>y</a>"}, {"c.xml": "<a>"}):
        write(more)
        build(folder, tmp_path / "index")
        prints.add(OffsetIndex.open(tmp_path / "index").fingerprint)
    assert len(prints) == 4
