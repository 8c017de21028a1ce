"""Corpora: folders and archives of every kind hold the same documents; damaged archives say so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import socket
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard

from excerpt.corpus import Corpus
from excerpt.errors import ExcerptError, FormatError
from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index, build_share
from excerpt.notices import Notices

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
    build_index(write(DOCUMENTS), tmp_path / "folder", ids="path")
    archive = tmp_path / "corpus.data"
    archive.write_bytes(KINDS[kind](DOCUMENTS))
    calls: list[tuple[int, int]] = []
    build_index(
        archive, tmp_path / "index", ids="path", workers=workers, progress=lambda *call: calls.append(call)
    )
    expected, found = (OffsetIndex.open(tmp_path / name) for name in ("folder", "index"))
    assert found.document_ids([0, 1, 2, 3]) == ["a", "b/c", LONG, "z/été"]
    assert found.document_sizes([0, 1, 2, 3]).tolist() == [3, 3, 1500, 1]
    assert found.fingerprint == expected.fingerprint
    assert found.statistics() == expected.statistics()
    assert 0 < calls[-1][0] <= calls[-1][1]


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_large_members(tmp_path: Path, kind: str, workers: int) -> None:
    """Documents too large for a batch are streamed out of their archive, also between small ones."""
    body = b"<p>%b</p>\n" % (b"0123456" * 20) * 30_000
    documents = {
        "a.xml": b"<a/>",
        "big.xml": b"<a>" + body + b"</a>",
        "c.xml": b"<a>x</a>",
        "cut.xml": b"<a>" + body,
    }
    archive = tmp_path / "corpus"
    archive.write_bytes(KINDS[kind](documents))
    report = build_index(archive, tmp_path / "index", workers=workers)
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_sizes([0, 1, 2]).tolist() == [0, 4_230_000, 1]
    assert [(document.document, document.line) for document in report.broken] == [("cut", 30_001)]
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
        build_index(archive, tmp_path / "index")
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
        build_index(tmp_path / "corpus", tmp_path / "index")


def test_compressed_documents(tmp_path: Path, write: Write) -> None:
    """Documents compressed one by one are read in folders and by themselves; damaged ones are broken."""
    good = gzip.compress(b"<a>text</a>")
    folder = write({"a.xml.gz": good, "b.xml": "<a/>", "cut.xml.gz": good[:-6], "not.xml.gz": b"<a/>"})
    report = build_index(folder, tmp_path / "index")
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_ids([0, 1]) == ["a", "b"]
    assert index.document_sizes([0, 1]).tolist() == [4, 0]
    assert [document.document for document in report.broken] == ["cut", "not"]
    build_index(folder / "a.xml.gz", tmp_path / "single")
    assert OffsetIndex.open(tmp_path / "single").document_ids([0]) == ["a"]
    with tarfile.open(tmp_path / "corpus.tar", "w") as archive:
        archive.add(folder / "a.xml.gz", "a.xml.gz")
    build_index(tmp_path / "corpus.tar", tmp_path / "packed")
    assert OffsetIndex.open(tmp_path / "packed").document_sizes([0]).tolist() == [4]


def test_a_single_document(tmp_path: Path) -> None:
    """One file is a corpus of one document."""
    file = tmp_path / "only.xml"
    file.write_text("<a>text</a>")
    assert build_index(file, tmp_path / "index").documents == 1
    assert OffsetIndex.open(tmp_path / "index").document_ids([0]) == ["only"]


def test_something_else(tmp_path: Path) -> None:
    """A file that is neither archive nor XML is an error with its name."""
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(600))
    with pytest.raises(ExcerptError, match=r"picture\.png:1: "):
        build_index(file, tmp_path / "index")


def read_from(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "workers"), [*((kind, 1) for kind in KINDS if kind != "zip"), ("tar", 2), ("tar.gz", 2)]
)
def test_standard_input(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch, kind: str, workers: int
) -> None:
    """A tar on standard input, compressed or not, gives the index of the folder; large documents too."""
    body = b"<p>%b</p>\n" % (b"0123456" * 20) * 30_000
    documents = DOCUMENTS | {"zz.xml": b"<a>" + body + b"</a>"}
    build_index(write(documents), tmp_path / "folder", ids="path")
    read_from(monkeypatch, KINDS[kind](documents))
    calls: list[tuple[int, int]] = []
    build_index(
        "-", tmp_path / "index", ids="path", workers=workers, progress=lambda *call: calls.append(call)
    )
    expected, found = (OffsetIndex.open(tmp_path / name) for name in ("folder", "index"))
    assert found.fingerprint == expected.fingerprint
    assert calls[-1][0] > 0
    assert calls[-1][1] == 0  # nobody knows how much is to come


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress])
def test_a_document_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Callable[[bytes], bytes]
) -> None:
    """Standard input that is not an archive is one document."""
    read_from(monkeypatch, pack(b"<a>text</a>"))
    assert build_index("-", tmp_path / "index").characters == 4
    assert OffsetIndex.open(tmp_path / "index").document_ids([0]) == ["stdin"]


def test_standard_input_as_it_comes(tmp_path: Path) -> None:
    """A pipe that delivers few bytes at a time is read to its end, also with worker processes."""
    command = [sys.executable, "-m", "excerpt", "index", "-", "--ids", "path", "--workers", "2", "-o"]
    with subprocess.Popen(
        [*command, tmp_path / "index"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        data = gzip.compress(tar(DOCUMENTS))
        for at in range(0, len(data), 100):
            process.stdin.write(data[at : at + 100])
        process.stdin.close()
        assert b"documents       4" in process.stdout.read()
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"<stdin>:1: the only document could not be read"),
        (b"plain text", r"<stdin>:1: the only document could not be read"),
        (
            zipped(DOCUMENTS),
            r"<stdin>: found a zip archive, which cannot be read as a stream; give its file name",
        ),
        (tar({"a.txt": b""}), r"<stdin>: contains no XML document"),
        (tar(DOCUMENTS)[:2000], r"<stdin>: found damaged or truncated tar data"),
        (gzip.compress(tar(DOCUMENTS))[:-9], r"<stdin>: found damaged or truncated tar data"),
        (gzip.compress(b"<a>text</a>")[:-9], r"<stdin>: found damaged or truncated compressed data"),
        (b"\x1f\x8bx", r"<stdin>: found damaged or truncated compressed data"),
    ],
    ids=["nothing", "text", "zip", "no document", "cut tar", "cut tar.gz", "cut document", "no gzip"],
)
def test_mistakes_on_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
) -> None:
    """Whatever comes, the error is one line and nothing is left."""
    read_from(monkeypatch, data)
    with pytest.raises(ExcerptError, match=message):
        build_index("-", tmp_path / "index")
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("data", [tar({"stdin.xml": b"<a>text</a>"}), b"<a>text</a>"], ids=["tar", "one"])
def test_a_pipe(tmp_path: Path, data: bytes) -> None:
    """A pipe with a name is read as standard input is."""
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(data,))
    writer.start()
    assert build_index(tmp_path / "pipe", tmp_path / "index", workers=2).characters == 4
    writer.join()
    assert OffsetIndex.open(tmp_path / "index").document_ids([0]) == ["stdin"]


@pytest.mark.skipif(not hasattr(os, "set_blocking"), reason="no such pipes here")
def test_a_pipe_that_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some programs hand over such a pipe; it cannot be read while it is empty."""
    end, other = os.pipe()
    os.set_blocking(end, False)
    with os.fdopen(end, "rb", buffering=0) as raw, os.fdopen(other, "wb"):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=raw))
        with pytest.raises(ExcerptError, match="<stdin>: cannot be read: resource temporarily unavailable"):
            build_index("-", tmp_path / "index")


def test_closed_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may be started without one."""
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(ExcerptError, match="<stdin>: cannot be read: it is closed"):
        build_index("-", tmp_path / "index")


def test_standard_input_is_for_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No cluster, no shares; and parts of another build are not taken for its documents."""
    for call in (
        lambda: build_index("-", tmp_path / "index", cluster="tcp://127.0.0.1:1"),
        lambda: build_share("-", tmp_path / "index", 1, 2),
    ):
        with pytest.raises(ExcerptError, match="<stdin>: found a stream, which only one process can read"):
            call()
    assert not list(tmp_path.iterdir())
    (tmp_path / "corpus.tar").write_bytes(tar({"a.xml": b"<a>old</a>"}))
    build_share(tmp_path / "corpus.tar", tmp_path / "index", 1, 1)
    read_from(monkeypatch, tar({"a.xml": b"<a>newer</a>"}))
    assert build_index("-", tmp_path / "index").characters == 5


def test_links_on_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream cannot be read again for its links: each is left out and says what to do."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as archive:
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.LNKTYPE, "./a.xml"
        archive.addfile(link)
    read_from(monkeypatch, tar({"a.xml": b"<a/>"})[: 512 * 3] + stream.getvalue())
    report = build_index("-", tmp_path / "index")
    assert [(document.path, document.message) for document in report.broken] == [
        (
            "<stdin>!link.xml",
            "cannot be read: a link, which cannot be followed in a stream; give the name of the archive",
        )
    ]


def test_links(tmp_path: Path, write: Write) -> None:
    """Linked directories are followed, each directory once, loops included."""
    folder = write({"real/a.xml": "<a/>", "real/deeper/b.xml": "<a/>"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "c.xml").write_text("<a/>")
    (folder / "aaa").symlink_to(folder / "real")
    (folder / "real" / "loop").symlink_to(folder)
    (folder / "more").symlink_to(outside)
    build_index(folder, tmp_path / "index", ids="path")
    index = OffsetIndex.open(tmp_path / "index")
    assert index.document_ids([0, 1, 2]) == ["more/c", "real/a", "real/deeper/b"]
    assert len(index) == 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "link to a device", "socket"])
def test_what_is_no_file_is_left_out(
    tmp_path: Path, write: Write, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe, device or socket with the name of a document is never opened; a notice says so."""
    folder = write({"a.xml": "<a>text</a>", "sub/b.xml": "<a/>"})
    odd = folder / "sub" / "odd.xml"
    if kind == "pipe":
        os.mkfifo(odd)
    elif kind == "link to a pipe":
        os.mkfifo(tmp_path / "pipe")
        odd.symlink_to(tmp_path / "pipe")
    elif kind == "link to a device":
        odd.symlink_to("/dev/zero")
    else:
        with socket.socket(socket.AF_UNIX) as bound:
            monkeypatch.chdir(odd.parent)  # the names of sockets are short
            bound.bind("odd.xml")
    report = build_index(folder, tmp_path / "index")
    assert (report.documents, report.broken) == (2, ())
    message = "1 pipe, device or socket is named like a document and is left out"
    assert report.notices == (f"{message} ({odd})",)
    notices = Notices()
    build_share(folder, tmp_path / "other", 1, 1, notices=notices)
    assert tuple(notices) == report.notices


def test_fingerprints_tell_corpora_apart(tmp_path: Path, write: Write) -> None:
    """Another id, another byte or another broken document is another corpus."""
    prints = set()
    folder = write({"a.xml": "<a>x</a>"})
    for more in ({}, {"a.xml": "<a>y</a>"}, {"b.xml": "<a>y</a>"}, {"c.xml": "<a>"}):
        write(more)
        build_index(folder, tmp_path / "index")
        prints.add(OffsetIndex.open(tmp_path / "index").fingerprint)
    assert len(prints) == 4


def test_devices_are_refused(tmp_path: Path) -> None:
    """A device would never end; what is no path at all is named."""
    for name in ("/dev/zero", "/dev/null"):
        with pytest.raises(ExcerptError, match=f"{name}: found a device or a socket, expected a folder"):
            build_index(name, tmp_path / "i")
    with pytest.raises(ExcerptError, match="found b'<a/>' as corpus, expected a path"):
        build_index(b"<a/>", tmp_path / "i")  # type: ignore[arg-type]
    with pytest.raises(ExcerptError, match="found 3 as index, expected a path"):
        OffsetIndex.open(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("cut", [{}, {"document_tag": "page"}])
def test_the_root_of_the_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: Any) -> None:
    """Refused before any folder is listed, by a corpus as by an index."""
    monkeypatch.setattr(os, "scandir", lambda _: pytest.fail("listed"))
    root = tmp_path.anchor
    said = f"{root}: found the root of the file system, expected a folder of documents"
    with pytest.raises(ExcerptError) as caught:
        Corpus.read(root, **cut)
    assert str(caught.value) == said
    with pytest.raises(ExcerptError) as caught:
        build_index(root, tmp_path / "index", **cut)
    assert str(caught.value) == said
