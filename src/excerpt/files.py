"""Opening, decompressing and replacing files: the only place that touches the file system for data."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from excerpt.errors import ExcerptError, FormatError

STDIN = "-"
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/")  # mean another file in another process

_GZIP, _BZIP2, _XZ, _ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd"


def _unzstd(data: bytes) -> bytes:
    import zstandard

    texts = []
    while data:  # one frame after the other: only so does each say whether it was complete
        frame = zstandard.ZstdDecompressor().decompressobj()
        texts.append(frame.decompress(data))
        if not frame.eof:
            raise EOFError("the last frame is not complete")
        data = frame.unused_data
    return b"".join(texts)


def _with(module: str) -> Callable[[bytes], bytes]:
    def unpack(data: bytes) -> bytes:
        import importlib

        unpacked: bytes = importlib.import_module(module).decompress(data)
        return unpacked

    return unpack


_DECOMPRESS: dict[bytes, tuple[str, Callable[[bytes], bytes]]] = {
    _GZIP: ("gzip", _with("gzip")),
    _BZIP2: ("bzip2", _with("bz2")),
    _XZ: ("xz", _with("lzma")),
    _ZSTD: ("zstandard", _unzstd),
}


def read_once(path: str | os.PathLike[str]) -> bool:
    """Whether a file can be read in this process only, and only once: `-`, a pipe, a device, /dev/fd/3."""
    name = os.fspath(path)
    if name == STDIN:
        return True
    descriptor = name.startswith(_DESCRIPTORS)
    try:
        mode = Path(name).stat().st_mode
    except (OSError, ValueError):
        return descriptor  # whoever opens it says what is wrong
    return not stat.S_ISDIR(mode) and (descriptor or not stat.S_ISREG(mode))


def display_name(path: str | os.PathLike[str]) -> str:
    """The name of a file as messages show it."""
    name = os.fspath(path)
    return "<stdin>" if name == STDIN else name


def describe(error: OSError) -> str:
    """What went wrong with a file, in words."""
    return (error.strerror or str(error)).lower()


def require_files(*paths: str | os.PathLike[str]) -> None:
    """Refuse what can be read once only, for work that reads twice."""
    for path in filter(read_once, paths):
        name = "standard input" if os.fspath(path) == STDIN else os.fspath(path)
        raise ExcerptError(f"found {name}, which can be read once only, expected files")


def stdin() -> IO[bytes]:
    """Standard input as bytes."""
    if sys.stdin is None:
        raise ExcerptError("cannot be read: it is closed", path=display_name(STDIN))
    return sys.stdin.buffer


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file, decompressed by what it starts with (not by its suffix); `-` is stdin."""
    name = display_name(path)
    try:
        data = stdin().read() if os.fspath(path) == STDIN else Path(path).read_bytes()
    except IsADirectoryError:
        raise ExcerptError(
            "found a directory, expected a file", path=name, hint="give the files in it one by one"
        ) from None
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    return decompress(data, name)


def decompress(data: bytes, name: str) -> bytes:
    """`data` itself, or what it holds when it starts like a compressed file."""
    for magic, (kind, unpack) in _DECOMPRESS.items():
        if data.startswith(magic):
            try:
                return unpack(data)
            except ImportError:
                raise ExcerptError(
                    "is compressed with zstandard", path=name, hint="pip install zstandard"
                ) from None
            except Exception as error:  # noqa: BLE001 - each library has its own kinds of error
                raise FormatError(
                    f"found damaged or truncated {kind} data ({error}), expected a complete file",
                    path=name,
                    hint="copy or download the file again",
                ) from None
    return data


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[io.BufferedIOBase]:
    """A binary file that appears under its name only when everything was written; `-` is stdout.

    Names ending in `.gz`, `.bz2`, `.xz` or `.zst` are compressed.
    When anything fails the name is left as it was.
    Links are followed; devices and pipes are written to, not replaced.
    """
    if os.fspath(path) == STDIN:
        whole = io.BytesIO()  # so that nothing is printed where writing fails half-way
        yield whole
        _write_output(whole.getvalue())
        return
    import tempfile

    name = os.fspath(path)
    try:
        # The name as given: pipes behind /dev/fd have no other one.
        special = Path(name).exists() and read_once(name)
        target = Path(name if special else os.path.realpath(name))
        if target.is_dir():
            raise ExcerptError("is a directory, expected the name of a file to write", path=name)
        handle, temporary = (-1, "") if special else tempfile.mkstemp(".tmp", ".excerpt-", target.parent)
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None
    except ValueError as error:  # a NUL character in the name
        raise ExcerptError(f"is not a file name: {error}", path=name) from None
    if special:
        with _through(target, name) as stream:
            yield stream
        return
    try:
        with os.fdopen(handle, "wb") as raw:
            with _compressing(raw, target.suffix) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(target)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=name, hint="nothing was left behind"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()


def _write_output(data: bytes) -> None:
    """Write to standard output, whatever a caller has put in its place."""
    if sys.stdout is None:
        raise ExcerptError("cannot be written: it is closed", path="<stdout>")
    sys.stdout.flush()
    stream = getattr(sys.stdout, "buffer", None)
    if stream is None:  # a stream of text, such as StringIO
        sys.stdout.write(data.decode(errors="backslashreplace"))
    else:
        stream.write(data)
    sys.stdout.flush()


@contextlib.contextmanager
def _through(device: Path, name: str) -> Iterator[io.BufferedIOBase]:
    try:
        with device.open("wb") as raw, _compressing(raw, device.suffix) as stream:
            yield stream
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a whole file, or nothing (see `writing`)."""
    with writing(path) as stream:
        stream.write(data)


def _compressing(raw: io.BufferedWriter, suffix: str) -> contextlib.AbstractContextManager[io.BufferedIOBase]:
    if suffix == ".gz":
        import gzip

        # No time stamp: the same content gives the same bytes.
        return gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0)
    if suffix == ".bz2":
        import bz2

        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        import lzma

        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        import zstandard

        # Its writer is one by behaviour, not by type.
        return cast("io.BufferedIOBase", zstandard.ZstdCompressor().stream_writer(raw, closefd=False))
    return contextlib.nullcontext(raw)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
