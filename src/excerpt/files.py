"""Files: reading, decompressing and atomic writing."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import pyexpat
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeGuard, TypeVar, cast

from excerpt.errors import ExcerptError, FormatError, short

if TYPE_CHECKING:
    from pathlib import Path

#: Environment variable with the limit of unpacked files.
LIMIT = "EXCERPT_MAX_SIZE"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = r"(?ai)(\d{1,15}) ?([KMGT]?)i?B?"
_LARGEST = 1 << 62  # for the libraries
_MOST = 2 << 30
_ALWAYS = 256 << 20  # allowed even for the smallest file
_RATIO = 100  # runs and judgments are compressed to a tenth, very uniform ones to a fiftieth
_WINDOW = 1 << 20  # packed bytes per call of a decompressor


class Stamp(NamedTuple):
    """Size and modification time of a file, to detect changes."""

    size: int
    time: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        return cls(status.st_size, status.st_mtime_ns)


class Compression(NamedTuple):
    """A compression: its magic bytes, suffix, reader and writer."""

    name: str
    magic: bytes
    suffix: str
    #: A new decompressor for one stream of the file.
    start: Callable[[], Any]
    #: Packed bytes per call; small if the decompressor has no limit of output.
    window: int
    reader: Callable[[IO[bytes]], IO[bytes]]
    writer: Callable[[IO[bytes]], contextlib.AbstractContextManager[io.BufferedIOBase]]


def _module(name: str) -> Any:
    """Import a library when it is needed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ExcerptError(f"zstandard files need the library {name}", hint=f"pip install {name}") from None


_COMPRESSIONS = (
    Compression(
        "gzip",
        b"\x1f\x8b",
        ".gz",
        lambda: _module("zlib").decompressobj(31),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("gzip").GzipFile(fileobj=raw)),
        # No time stamp: the same content gives the same bytes.
        lambda raw: _module("gzip").GzipFile(fileobj=raw, mode="wb", filename="", mtime=0),
    ),
    Compression(
        "bzip2",
        b"BZh",
        ".bz2",
        lambda: _module("bz2").BZ2Decompressor(),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("bz2").BZ2File(raw)),
        lambda raw: _module("bz2").BZ2File(raw, "wb"),
    ),
    Compression(
        "xz",
        b"\xfd7zXZ\x00",
        ".xz",
        lambda: _module("lzma").LZMADecompressor(),
        _WINDOW,
        lambda raw: cast("IO[bytes]", _module("lzma").LZMAFile(raw)),
        lambda raw: _module("lzma").LZMAFile(raw, "wb"),
    ),
    Compression(
        "zstandard",
        b"\x28\xb5\x2f\xfd",
        ".zst",
        lambda: _module("zstandard").ZstdDecompressor().decompressobj(),
        1 << 10,
        lambda raw: _module("zstandard").ZstdDecompressor().stream_reader(raw, read_across_frames=True),
        lambda raw: io.BufferedWriter(
            _module("zstandard").ZstdCompressor().stream_writer(raw, closefd=False)
        ),
    ),
)

#: Suffixes of compressed files.
SUFFIXES = frozenset(kind.suffix for kind in _COMPRESSIONS)


def compression_of(head: bytes) -> Compression | None:
    """Return the compression of a file that starts with `head`, or None."""
    return next((kind for kind in _COMPRESSIONS if head.startswith(kind.magic)), None)


def compressing(raw: io.BufferedWriter, suffix: str) -> contextlib.AbstractContextManager[io.BufferedIOBase]:
    """Return a stream with the compression of a suffix."""
    kind = next((kind for kind in _COMPRESSIONS if kind.suffix == suffix), None)
    return kind.writer(raw) if kind else contextlib.nullcontext(raw)


def parse_size(text: str) -> int:
    """Return a number of bytes from text such as `500M` or `4G`.

    >>> parse_size("500M"), parse_size("4 GiB")
    (524288000, 4294967296)
    """
    match = re.fullmatch(_SIZE, text.strip())
    if not match or not int(match[1]):
        raise ExcerptError(f"found size {text[:20]!r}, expected a size such as 500M or 4G")
    return min(int(match[1]) * _UNITS[match[2].upper()], _LARGEST)


def room_for(packed: int, most: int = _LARGEST) -> int:
    """Return the limit of bytes that a file of `packed` bytes may unpack to, at most `most` by default."""
    limit = os.environ.get(LIMIT)
    return parse_size(limit) if limit else min(most, max(_ALWAYS, _RATIO * packed))


class _TooLargeError(Exception):
    """Data unpacks to more than is allowed."""


#: About how much smaller lines are when they are compressed.
_PACKED = 4


class Openings:
    """The files that a command has looked into: each stays open until it is read, so that it is opened once.

    Outside of a command nothing stays open.
    """

    #: Most files that stay open; of more, the others are opened again.
    MOST = 128

    def __init__(self) -> None:
        self._begin(process=0)

    def _begin(self, process: int) -> None:
        self._process = process  # a copy of the process has files and digests of its own
        self._open: dict[str, IO[bytes]] = {}
        self._digests: dict[str, tuple[str, str]] | None = None

    @property
    def _is_command(self) -> bool:
        return self._process == os.getpid()

    @contextlib.contextmanager
    def of_command(self) -> Iterator[None]:
        """Keep files open until they are read, or until the command ends."""
        if self._is_command:  # a command inside of a command
            yield
            return
        self._begin(os.getpid())
        try:
            yield
        finally:
            for file in self._open.values():
                file.close()
            self._begin(process=0)

    def open(self, name: str) -> IO[bytes]:
        """Open a file, or return the open one if the name still means it."""
        kept = self._open.pop(name, None) if self._is_command else None
        if kept is not None:
            with contextlib.suppress(OSError, ValueError):
                if os.path.samestat(os.fstat(kept.fileno()), os.stat(name)):  # noqa: PTH116 - pathlib costs 3 ms
                    kept.seek(0)
                    return kept
            kept.close()
        return open(name, "rb")  # noqa: PTH123 - pathlib costs 3 ms; closed by those who read

    @contextlib.contextmanager
    def look(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file for a look at its beginning."""
        file = self.open(name)
        try:
            yield file
        finally:
            if self._is_command and len(self._open) < self.MOST and file.seekable():
                self._open[name] = file
            else:
                file.close()

    def note_digests(self) -> None:
        """Note the digests of all files that the command reads from now on."""
        if self._is_command:
            self._digests = {}

    def note(self, name: str, packed: bytes, content: bytes) -> None:
        """Note the digests of a file that was read, if the command asked for them."""
        if self._digests is not None and self._is_command:
            import hashlib

            raw = hashlib.sha256(packed).hexdigest()
            self._digests[name] = raw, raw if content is packed else hashlib.sha256(content).hexdigest()

    def digest(self, name: str, *, unpacked: bool) -> str | None:
        """Return the digest of a file as it was read, or of its content; None if it was not read."""
        noted = self._digests.get(name) if self._digests and self._is_command else None
        return noted and noted[unpacked]


OPENINGS = Openings()


def is_packed(path: str) -> bool:
    """Return whether a file is compressed."""
    with OPENINGS.look(path) as file:
        return compression_of(file.read(16)) is not None


def content_size(given: object) -> int:
    """Return about how many bytes a regular file has unpacked; 0 for other inputs."""
    if not isinstance(given, str | os.PathLike):
        return 0
    try:
        status = os.stat(given)  # noqa: PTH116 - pathlib costs 3 ms
        if not stat.S_ISREG(status.st_mode):
            return 0
        return status.st_size * (_PACKED if is_packed(os.fspath(given)) else 1)
    except (OSError, ValueError):
        return 0  # the error is reported when the file is read


def decompress(data: bytes, name: str) -> bytes:
    """Return decompressed data; data that is not compressed is returned as it is."""
    kind = compression_of(data)
    if kind is None:
        return data
    with _unpacking(kind, len(data), name) as room:
        return b"".join(_unpack(io.BytesIO(data), kind, room))


@contextlib.contextmanager
def _unpacking(kind: Compression, packed: int, name: str) -> Iterator[int]:
    """Give the limit of what so many bytes may unpack to; errors of unpacking name the file."""
    room = room_for(packed, _MOST)
    try:
        yield room
    except _TooLargeError:
        raise _too_large(kind.name, room, packed, name) from None
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, hint=error.hint) from None
    except MemoryError:  # the file may be intact
        raise
    except Exception as error:  # noqa: BLE001 - each library has its own types of error
        message = f"found damaged or truncated {kind.name} data ({error}), expected a complete file"
        raise FormatError(message, path=name, hint="copy or download the file again") from None


def require_room(size: int, packed: int, kind: str, name: str) -> None:
    """Raise an error for data that unpacks to more than is allowed in memory."""
    if size > (room := room_for(packed, _MOST)):
        raise _too_large(kind, room, packed, name)


def _too_large(kind: str, room: int, packed: int, name: str) -> ExcerptError:
    return ExcerptError(
        f"{kind} data unpacks to more than {_shown(room)} ({_shown(packed)} packed)",
        path=name,
        hint=f"if you trust the file, set ⟨max_size={4 * room // (1 << 30) or 1}G⟩",
    )


def _unpack(raw: IO[bytes], kind: Compression, room: int) -> Iterator[bytes]:
    """Yield the content of all streams of packed data; zeros may stand between them, as on tapes."""
    window = raw.read(kind.window)
    while window:
        stream = kind.start()
        while not stream.eof:
            if not window:
                raise EOFError("the last frame is not complete")
            # One byte more than allowed shows that the limit is exceeded.
            limits = () if kind.window < _WINDOW else (room + 1,)
            part = stream.decompress(window, *limits)
            room -= len(part)
            if room < 0:
                raise _TooLargeError
            yield part
            window = b"" if stream.eof else raw.read(kind.window)
        window = stream.unused_data.lstrip(b"\0")
        while not window and (more := raw.read(kind.window)):
            window = more.lstrip(b"\0")


def pieces(path: str, size: int) -> Iterator[bytes]:
    """Yield the content of a file, unpacked, in pieces of about `size` bytes."""
    with OPENINGS.open(path) as file:
        kind = compression_of(file.read(16))
        file.seek(0)
        if kind is None:
            while piece := file.read(size):
                yield piece
            return
        with _unpacking(kind, os.fstat(file.fileno()).st_size, path) as room:
            parts = _unpack(file, kind, room)
            while part := b"".join(_up_to(size, parts)):
                yield part


def _up_to(size: int, parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the next parts that have about `size` bytes together."""
    for part in parts:
        yield part
        size -= len(part)
        if size <= 0:
            return


def _shown(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


STDIN = "-"
LIST = "@"
#: Prefix of ids of ir_datasets.
DATASET = "irds:"
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/")  # different files in different processes
_BYTES = bytes | bytearray | memoryview
_LONGEST = 4096  # characters of a file name; longer text must be content


class Readable(Protocol):
    """An open file or stream, binary or text."""

    def read(self) -> bytes | str:
        """Return the rest of the content."""
        ...


#: An input: the path of a file (`-` is standard input), its content as bytes, or an open file.
Input: TypeAlias = str | os.PathLike[str] | bytes | Readable
Given = TypeVar("Given")


def is_input(given: object) -> TypeGuard[Input]:
    """Return whether an argument is a single input.

    >>> is_input("a.fol"), is_input(b"1 Q0 A 0 10"), is_input(["a.fol", "b.fol"])
    (True, True, False)
    """
    read = getattr(given, "read", None)
    opened = callable(read) and not isinstance(getattr(read, "__self__", None), type)  # not a class
    return isinstance(given, str | os.PathLike | _BYTES) or opened


def require_path(given: object, what: str) -> str:
    """Return a path as text; raise an error for other types.

    >>> require_path("a.index", "index")
    'a.index'
    """
    if not isinstance(given, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(given))} as {what}, expected a path")
    return os.fspath(given)


def split_parser(path: str) -> tuple[str, str]:
    """Split the path of a corpus at its last @ into documents and parser; a path that exists is taken whole.

    >>> split_parser("no/such@pypdfium2"), split_parser(".@pypdfium2")
    (('no/such@pypdfium2', ''), ('.', 'pypdfium2'))
    """
    documents, at, parser = path.rpartition("@")
    if not at or not documents or not parser or os.path.lexists(path):
        return path, ""
    if os.path.lexists(documents) or any(mark in documents for mark in "*?["):
        return documents, parser
    return path, ""


def read_once(given: Input) -> bool:
    """Return whether an input can be read only once, in this process: `-`, a pipe, an open file."""
    if isinstance(given, _BYTES):
        return False
    if not isinstance(given, str | os.PathLike):
        return True
    name = os.fspath(given)
    if name == STDIN:
        return True
    descriptor = name.startswith(_DESCRIPTORS)
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - pathlib costs 3 ms
    except (OSError, ValueError):
        return descriptor  # the error is reported when the file is opened
    return not stat.S_ISDIR(mode) and (descriptor or not stat.S_ISREG(mode))


def same_content(one: object, other: object) -> bool:
    """Return whether two inputs are the same bytes; those that can be read only once are not compared."""
    if isinstance(one, _BYTES) and isinstance(other, _BYTES):
        return bytes(one) == bytes(other)
    if not (isinstance(one, str | os.PathLike) and isinstance(other, str | os.PathLike)):
        return False
    try:
        both = [os.stat(name) for name in (one, other)]  # noqa: PTH116 - pathlib costs 3 ms
    except (OSError, ValueError):
        return False
    if not all(stat.S_ISREG(each.st_mode) for each in both) or both[0].st_size != both[1].st_size:
        return False
    return os.path.samestat(*both) or read_bytes(one) == read_bytes(other)


def is_folder(given: Input) -> bool:
    """Return whether an input is the path of a folder."""
    return isinstance(given, str | os.PathLike) and os.fspath(given) != STDIN and os.path.isdir(given)  # noqa: PTH112 - pathlib raises errors for long names


def is_root(folder: str) -> bool:
    """Return whether a folder is the root of the file system, whose files nobody means as documents.

    >>> is_root("/"), is_root(".")
    (True, False)
    """
    path = os.path.realpath(folder)
    return os.path.dirname(path) == path  # noqa: PTH120


def display_name(given: Input) -> str:
    """Return the name of an input in messages.

    >>> display_name("-"), display_name("a.fol"), display_name(b"1 Q0 A 0 10")
    ('<stdin>', 'a.fol', '<bytes>')
    """
    if isinstance(given, _BYTES):
        return "<bytes>"
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        if len(name) > _LONGEST or ("\n" in name and not os.path.lexists(name)):
            message = f"found text of {len(name)} characters, expected the name of a file"
            raise ExcerptError(message, hint="give content as bytes")
        return "<stdin>" if name == STDIN else name
    named = getattr(given, "name", None)
    return named if isinstance(named, str) and named else "<stream>"


def describe(error: OSError) -> str:
    """Return the reason of an operating-system error in lower case."""
    return (error.strerror or str(error)).lower()


class FileContent:
    """Content of a file or stream, with its name."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data

    @classmethod
    def of(cls, given: Input) -> FileContent:
        return cls(display_name(given), read_bytes(given))

    def read(self) -> bytes:
        """Return the content, as often as needed."""
        return self.data


def keep_content(given: Given) -> Given | Readable:
    """Return the content of an input that can be read only once; other inputs unchanged."""
    if not is_input(given) or not read_once(given):
        return given
    return FileContent.of(given)


def stdin() -> IO[bytes]:
    """Return standard input as a binary stream."""
    if sys.stdin is None:
        raise ExcerptError("cannot be read: it is closed", path=display_name(STDIN))
    return sys.stdin.buffer


def read_bytes(given: Input) -> bytes:
    """Return the content of an input; compression is detected by magic bytes, not by suffix."""
    name = display_name(given)
    try:
        data = _content(given)
    except IsADirectoryError:
        hint = "give the files in it one by one"
        raise ExcerptError("found a directory, expected a file", path=name, hint=hint) from None
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except UnicodeDecodeError as error:
        hint = "open it as a binary file"
        raise ExcerptError(f"cannot be read as text: {error.reason}", path=name, hint=hint) from None
    except ValueError as error:  # a NUL character in the name, a file that was closed
        problem = "is not a file name" if isinstance(given, str | os.PathLike) else "cannot be read"
        raise ExcerptError(f"{problem}: {error}", path=name) from None
    content = decompress(data, name)
    if isinstance(given, str | os.PathLike):
        OPENINGS.note(os.fspath(given), data, content)
    return content


def read_beginning(given: Input, most: int = 1 << 16) -> bytes:
    """Return the first bytes of an input that can be read again, decompressed; empty if it cannot be read.

    >>> read_beginning(b"1 Q0 A 0 10", 4)
    b'1 Q0'
    """
    if isinstance(given, str | os.PathLike):
        try:
            with OPENINGS.look(os.fspath(given)) as file:
                head = file.read(most)
                kind = compression_of(head)
                if kind is None:
                    return head
                file.seek(0)
                little = kind._replace(window=min(kind.window, most))
                with _unpacking(kind, os.fstat(file.fileno()).st_size, "") as room:
                    return b"".join(_up_to(most, _unpack(file, little, room)))[:most]
        except (OSError, ValueError, ExcerptError):
            return b""  # the error is reported when the file is read
    return read_bytes(given)[:most]


def _content(given: Any) -> bytes:
    if isinstance(given, _BYTES):
        return bytes(given)
    if isinstance(given, str | os.PathLike):
        if os.fspath(given) == STDIN:
            return stdin().read()
        with OPENINGS.open(os.fspath(given)) as file:
            return file.read()
    if not is_input(given):
        raise ExcerptError(f"found {type(given).__name__}, expected a path, bytes or an open file")
    data: object = given.read()  # type: ignore[union-attr] # neither path nor bytes
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if not isinstance(data, _BYTES):
        message = f"read() returned {type(data).__name__}, expected bytes or text"
        raise ExcerptError(message, path=display_name(given))
    return bytes(data)


#: The file that makes a folder a campaign.
_CAMPAIGN = "campaign.toml"


def expand(paths: Iterable[str]) -> list[str]:
    """Return file names, with folders replaced by their files and `@FILE` by the names listed in FILE.

    Empty lines of a list, and lines that begin with a `#`, are skipped.
    """
    files: list[str] = []
    for path in paths:
        if path.startswith(LIST):
            files += [file for name in _listed(path[1:]) for file in _files(name)]
        else:
            files += _files(path)
    return files


def _listed(path: str) -> list[str]:
    """Return the names in a list of files."""
    lines = read_bytes(path).decode("utf-8", "surrogateescape").splitlines()
    names = {number: line.strip() for number, line in enumerate(lines, 1)}
    names = {number: name for number, name in names.items() if name and not name.startswith("#")}
    if not names:
        raise ExcerptError("found an empty list, expected names of files", path=path)
    for number, name in names.items():
        if "\0" in name:
            hint = "save the list as UTF-8, one name per line"
            message = f"found a NUL character in {short(name)!r}, expected the name of a file"
            raise ExcerptError(message, path=path, line=number, hint=hint)
    return [*names.values()]


def _files(path: str) -> list[str]:
    """Return the files of a folder in order, without hidden ones; for a file, the file itself."""
    if not is_folder(path):
        return [path]
    try:
        from pathlib import Path

        inside = sorted(Path(path).iterdir())
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=path) from None
    if any(file.name == _CAMPAIGN for file in inside):
        return [path]
    files = [
        str(file)
        for file in inside
        if file.is_file() and not file.name.startswith(".") and not _is_beside(file)
    ]
    if not files:
        raise ExcerptError("the folder contains no files", path=path)
    return files


def _is_beside(file: Path) -> bool:
    """Return whether a file says where the one beside it comes from, or is its journal."""
    endings = (end for end in (".about.json", ".journal") if file.name.endswith(end))
    return any(file.with_name(file.name.removesuffix(end)).exists() for end in endings)


if sys.platform == "win32":
    fcntl = None
else:
    import fcntl

_LEFTOVER = r"\.excerpt-[0-9a-f]{16}\.tmp"
_NEW_FILE = 0o666  # the system applies the user's mask
_OPEN = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[io.BufferedIOBase]:
    """Open a binary file that gets its name only when all content is written; `-` is standard output.

    Files named `.gz`, `.bz2`, `.xz` or `.zst` are compressed.
    After an error an existing file is unchanged; a file that is replaced keeps its mode.
    Links are followed; devices and pipes are written to, not replaced.
    """
    name = require_path(path, "name of a file to write")
    if name == STDIN:
        with _standard_output() as stream:
            yield stream
        return
    from pathlib import Path  # imported here, since few commands write a file

    try:
        # The name as given, since pipes in /dev/fd have no real path.
        special = Path(name).exists() and read_once(name)
        target = Path(name if special else os.path.realpath(name))
        if target.is_dir():
            raise ExcerptError("is a directory, expected the name of a file to write", path=name)
        handle, temporary = (-1, Path()) if special else _create(target)
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
            with compressing(raw, target.suffix) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
            if fcntl is not None:
                temporary.replace(target)  # while it is locked
        if fcntl is None:  # other systems cannot rename open files
            temporary.replace(target)
    except OSError as error:
        hint = "nothing was left behind"
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name, hint=hint) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def _standard_output() -> Iterator[io.BufferedIOBase]:
    """Open standard output as a binary stream; in a notebook, where it is text, decode the bytes."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is not None:
        yield binary
        binary.flush()
        return
    buffer = io.BytesIO()
    yield buffer
    sys.stdout.write(buffer.getvalue().decode("utf-8", "replace"))


def _create(target: Path) -> tuple[int, Path]:
    """Create a locked temporary file next to the target, with the mode of the target."""
    _remove_leftovers(target.parent)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # A file that replaces a private one must be private from the start.
    first = _NEW_FILE if mode is None else mode & stat.S_IRWXU
    while True:
        temporary = target.with_name(f".excerpt-{os.urandom(8).hex()}.tmp")
        handle = os.open(temporary, _OPEN, first)
        locked = False
        with contextlib.suppress(OSError):  # a file system without locks
            locked = fcntl is not None and lock(handle, wait=True)
        if locked and not os.fstat(handle).st_nlink:
            os.close(handle)  # another process removed it as a leftover before it was locked
            continue
        if mode is not None and os.name == "posix":
            os.fchmod(handle, mode)
        return handle, temporary


def _remove_leftovers(folder: Path) -> None:
    """Remove temporary files of killed commands from a folder: those that are not locked."""
    with contextlib.suppress(OSError):  # a folder that may be written but not listed
        for file in folder.iterdir():
            if fcntl is not None and re.fullmatch(_LEFTOVER, file.name):
                with contextlib.suppress(OSError):  # another user's, or not a file
                    handle = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                    try:
                        if stat.S_ISREG(os.fstat(handle).st_mode) and lock(handle):
                            file.unlink()
                    finally:
                        os.close(handle)


def lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed; return False if another process has locked it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def _through(device: Path, name: str) -> Iterator[io.BufferedIOBase]:
    try:
        with device.open("wb") as raw, compressing(raw, device.suffix) as stream:
            yield stream
    except OSError as error:
        raise ExcerptError(f"cannot be written: {describe(error)}", path=name) from None


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a complete file, or nothing (see `writing`)."""
    with writing(path) as stream:
        stream.write(data)


@contextlib.contextmanager
def replacing_folder(target: Path, temporary: Path | None = None) -> Iterator[Path]:
    """Create a folder that replaces the target when it is filled; after an error the target is unchanged."""
    new = temporary or target.with_name(f".excerpt-{os.urandom(8).hex()}.tmp")
    old = new.with_name(new.name.replace(".tmp", ".old.tmp"))
    try:
        new.mkdir()
        yield new
        if target.exists():
            target.rename(old)
        new.rename(target)
    except BaseException:
        if old.exists() and not target.exists():
            old.rename(target)
        raise
    finally:
        for folder in (new, old):
            if folder.exists():
                remove_tree(folder)


def remove_tree(folder: Path) -> None:
    """Remove a folder as far as possible."""
    import shutil  # imports half a dozen modules and is seldom needed

    shutil.rmtree(folder, ignore_errors=True)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk, if the system can."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def stops_entity_bombs() -> bool:
    """Return whether expat rejects exponential entity expansion, as it does since version 2.4.1."""
    return pyexpat.version_info >= (2, 4, 1)
