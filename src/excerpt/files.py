"""Reading, decompressing and replacing files: the only place that touches the file system for data."""

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


#: The environment variable that says how much a file may unpack to.
LIMIT = "EXCERPT_MAX_SIZE"
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = r"(?ai)(\d{1,15}) ?([KMGT]?)i?B?"
_LARGEST = 1 << 62  # that the libraries can be told
_MOST = 2 << 30
_ALWAYS = 256 << 20  # a small file may unpack to so much, however small it is
_RATIO = 100  # text of runs and judgments packs to a tenth, of the most uniform ones to a fiftieth
_WINDOW = 1 << 20  # packed bytes handed over at once


class Compression(NamedTuple):
    """How one kind of compressed file is known, read and written."""

    name: str
    magic: bytes
    suffix: str
    #: A new decompressor for one stream of the file.
    start: Callable[[], Any]
    #: Packed bytes to hand over at once, where a decompressor cannot be told how much to unpack at most.
    window: int
    reader: Callable[[IO[bytes]], IO[bytes]]
    writer: Callable[[IO[bytes]], contextlib.AbstractContextManager[io.BufferedIOBase]]


def _module(name: str) -> Any:
    """A library, imported when it is needed."""
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

#: How the names of compressed files end.
SUFFIXES = frozenset(kind.suffix for kind in _COMPRESSIONS)


def compression_of(head: bytes) -> Compression | None:
    """The kind of compressed file that starts like this, if any."""
    return next((kind for kind in _COMPRESSIONS if head.startswith(kind.magic)), None)


def compressing(raw: io.BufferedWriter, suffix: str) -> contextlib.AbstractContextManager[io.BufferedIOBase]:
    """A stream that compresses as the suffix of a file says."""
    kind = next((kind for kind in _COMPRESSIONS if kind.suffix == suffix), None)
    return kind.writer(raw) if kind else contextlib.nullcontext(raw)


def parse_size(text: str) -> int:
    """A number of bytes such as `500M` or `4G`.

    >>> parse_size("500M"), parse_size("4 GiB")
    (524288000, 4294967296)
    """
    match = re.fullmatch(_SIZE, text.strip())
    if not match or not int(match[1]):
        raise ExcerptError(f"found the size {text[:20]!r}, expected one such as 500M or 4G")
    return min(int(match[1]) * _UNITS[match[2].upper()], _LARGEST)


def room_for(packed: int, most: int = _LARGEST) -> int:
    """How many bytes a file of a size may unpack to; on disk there is more room than in memory."""
    given = os.environ.get(LIMIT)
    return parse_size(given) if given else min(most, max(_ALWAYS, _RATIO * packed))


class _TooLargeError(Exception):
    """There is more to unpack than is allowed."""


def decompress(data: bytes, name: str) -> bytes:
    """`data` itself, or what it holds when it starts like a compressed file."""
    kind = compression_of(data)
    if kind is None:
        return data
    room = room_for(len(data), _MOST)
    try:
        return _unpack(data, kind, room)
    except _TooLargeError:
        raise _too_large(kind.name, room, len(data), name) from None
    except ExcerptError as error:
        raise ExcerptError(error.message, path=name, hint=error.hint) from None
    except MemoryError:  # the file may well be whole
        raise
    except Exception as error:  # noqa: BLE001 - each library has its own kinds of error
        raise FormatError(
            f"found damaged or truncated {kind.name} data ({error}), expected a complete file",
            path=name,
            hint="copy or download the file again",
        ) from None


def require_room(size: int, packed: int, kind: str, name: str) -> None:
    """An error where data of a size unpacks to more than it may in memory."""
    if size > (room := room_for(packed, _MOST)):
        raise _too_large(kind, room, packed, name)


def _too_large(kind: str, room: int, packed: int, name: str) -> ExcerptError:
    return ExcerptError(
        f"found {kind} data that unpacks to more than {_shown(room)} ({_shown(packed)} packed), "
        "expected less",
        path=name,
        hint=f"if you trust the file, set ⟨max_size={4 * room // (1 << 30) or 1}G⟩",
    )


def _unpack(data: bytes, kind: Compression, room: int) -> bytes:
    pieces: list[bytes] = []
    view, place = memoryview(data), 0
    padding = re.compile(rb"\0*")  # between streams, as tapes have it
    while place < len(data):
        stream = kind.start()
        while not stream.eof:
            window = view[place : place + kind.window]
            if not window:
                raise EOFError("the last frame is not complete")
            # One byte more than allowed shows that there is more.
            limits = () if kind.window < _WINDOW else (room + 1,)
            pieces.append(stream.decompress(window, *limits))
            room -= len(pieces[-1])
            if room < 0:
                raise _TooLargeError
            place += len(window)
        place = padding.match(data, place - len(stream.unused_data)).end()  # type: ignore[union-attr]
    return b"".join(pieces)


def _shown(size: int) -> str:
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


STDIN = "-"
LIST = "@"
#: What ids of ir_datasets may begin with.
DATASET = "irds:"
_DESCRIPTORS = ("/dev/stdin", "/dev/fd/", "/proc/")  # mean another file in another process
_BYTES = bytes | bytearray | memoryview
_LONGEST = 4096  # characters of a name; longer text is content


class Readable(Protocol):
    """An open file or stream, binary or text."""

    def read(self) -> bytes | str:
        """All that is left in it."""
        ...


#: Whatever can be read: the path of a file (`-` is standard input), its content, or an open file.
Input: TypeAlias = str | os.PathLike[str] | bytes | Readable
Given = TypeVar("Given")


def is_input(given: object) -> TypeGuard[Input]:
    """Whether something is one thing to read.

    >>> is_input("a.fol"), is_input(b"1 Q0 A 0 10"), is_input(["a.fol", "b.fol"])
    (True, True, False)
    """
    read = getattr(given, "read", None)
    opened = callable(read) and not isinstance(getattr(read, "__self__", None), type)  # classes have others
    return isinstance(given, str | os.PathLike | _BYTES) or opened


def require_path(given: object, what: str) -> str:
    """A path as text; an error for anything else.

    >>> require_path("a.index", "index")
    'a.index'
    """
    if not isinstance(given, str | os.PathLike):
        raise ExcerptError(f"found {short(repr(given))} as {what}, expected a path")
    return os.fspath(given)


def read_once(given: Input) -> bool:
    """Whether something can be read in this process only, and only once: `-`, a pipe, an open file."""
    if isinstance(given, _BYTES):
        return False
    if not isinstance(given, str | os.PathLike):
        return True
    name = os.fspath(given)
    if name == STDIN:
        return True
    descriptor = name.startswith(_DESCRIPTORS)
    try:
        mode = os.stat(name).st_mode  # noqa: PTH116 - pathlib is not loaded for it
    except (OSError, ValueError):
        return descriptor  # whoever opens it says what is wrong
    return not stat.S_ISDIR(mode) and (descriptor or not stat.S_ISREG(mode))


def is_folder(given: Input) -> bool:
    """Whether something is the path of a folder."""
    return isinstance(given, str | os.PathLike) and os.fspath(given) != STDIN and os.path.isdir(given)  # noqa: PTH112 - long names are no error here


def display_name(given: Input) -> str:
    """What is read, as messages call it.

    >>> display_name("-"), display_name("a.fol"), display_name(b"1 Q0 A 0 10")
    ('<stdin>', 'a.fol', '<bytes>')
    """
    if isinstance(given, _BYTES):
        return "<bytes>"
    if isinstance(given, str | os.PathLike):
        name = os.fspath(given)
        if len(name) > _LONGEST or ("\n" in name and not os.path.lexists(name)):
            raise ExcerptError(
                f"found text of {len(name)} characters, expected the name of a file",
                hint="give content as bytes",
            )
        return "<stdin>" if name == STDIN else name
    named = getattr(given, "name", None)
    return named if isinstance(named, str) and named else "<stream>"


def describe(error: OSError) -> str:
    """What went wrong with a file, in words."""
    return (error.strerror or str(error)).lower()


class Content:
    """What came out of a file or stream, under its name."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name, self.data = name, data

    @classmethod
    def of(cls, given: Input) -> Content:
        """Everything that can be read, decompressed."""
        return cls(display_name(given), read_bytes(given))

    def read(self) -> bytes:
        """The same, however often it is asked for."""
        return self.data


def keep_content(given: Given) -> Given | Readable:
    """What can be read only once, as something that work can read twice; all else as it is."""
    if not is_input(given) or not read_once(given):
        return given
    return Content.of(given)


def stdin() -> IO[bytes]:
    """Standard input as bytes."""
    if sys.stdin is None:
        raise ExcerptError("cannot be read: it is closed", path=display_name(STDIN))
    return sys.stdin.buffer


def read_bytes(given: Input) -> bytes:
    """The content, decompressed by what it starts with (not by a suffix)."""
    name = display_name(given)
    try:
        data = _content(given)
    except IsADirectoryError:
        raise ExcerptError(
            "found a directory, expected a file", path=name, hint="give the files in it one by one"
        ) from None
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=name) from None
    except UnicodeDecodeError as error:
        raise ExcerptError(
            f"cannot be read as text: {error.reason}", path=name, hint="open it as a binary file"
        ) from None
    except ValueError as error:  # a NUL character in the name, a file that was closed
        what = "is not a file name" if isinstance(given, str | os.PathLike) else "cannot be read"
        raise ExcerptError(f"{what}: {error}", path=name) from None
    return decompress(data, name)


def read_beginning(given: Input, most: int = 1 << 16) -> bytes:
    """The first bytes of what can be read again, decompressed; nothing where it cannot be read.

    >>> read_beginning(b"1 Q0 A 0 10", 4)
    b'1 Q0'
    """
    if isinstance(given, str | os.PathLike):
        try:
            with open(given, "rb") as file:  # noqa: PTH123 - as above
                head = file.read(most)
        except (OSError, ValueError):
            return b""  # whoever reads it says why
        if compression_of(head) is None:
            return head
    return read_bytes(given)[:most]


def is_scores(source: Input) -> bool:
    r"""Whether a file, or bytes, begins as saved scores do; what can be read only once is not looked at.

    >>> is_scores(b"run,topic,measure,score\n"), is_scores(b"1 Q0 A 0 10")
    (True, False)
    """
    if not is_input(source) or (isinstance(source, str) and source.startswith(DATASET)):
        return False
    if read_once(source) or is_folder(source):
        return False
    head = read_beginning(source)
    if head.startswith(b"PAR1") or head.partition(b"\n")[0].rstrip(b"\r") == b"run,topic,measure,score":
        return True
    if not head.lstrip().startswith(b"{"):
        return False
    printed = rb'\s*\{\s*"measures"\s*:\s*\['  # as JSON
    return b'"excerpt scores"' in head or re.match(printed, head) is not None


def _content(given: Any) -> bytes:
    if isinstance(given, _BYTES):
        return bytes(given)
    if isinstance(given, str | os.PathLike):
        if os.fspath(given) == STDIN:
            return stdin().read()
        with open(given, "rb") as file:  # noqa: PTH123 - as above
            return file.read()
    if not is_input(given):
        raise ExcerptError(f"found {type(given).__name__}, expected a path, bytes or an open file")
    data: object = given.read()  # type: ignore[union-attr] # paths and bytes were before
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if not isinstance(data, _BYTES):
        raise ExcerptError(
            f"gave {type(data).__name__}, expected bytes or text from its read()", path=display_name(given)
        )
    return bytes(data)


def expand(paths: Iterable[str]) -> list[str]:
    """Names of files: a folder stands for the files in it, `@FILE` for the names listed in a file.

    The lines of a list count as if they stood in the place of `@FILE`; blank ones and those that
    begin with a `#` are skipped.
    """
    found: list[str] = []
    for path in paths:
        if path.startswith(LIST):
            lines = read_bytes(path[1:]).decode("utf-8", "surrogateescape").splitlines()
            listed = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
            if not listed:
                raise ExcerptError("found an empty list, expected names of files", path=path[1:])
            found += [file for name in listed for file in _files(name)]
        else:
            found += _files(path)
    return found


def _files(path: str) -> list[str]:
    """The files of a folder by name, hidden ones left out; a file is its own."""
    if not is_folder(path):
        return [path]
    try:
        from pathlib import Path

        inside = sorted(Path(path).iterdir())
    except OSError as error:
        raise ExcerptError(f"cannot be read: {describe(error)}", path=path) from None
    files = [str(file) for file in inside if file.is_file() and not file.name.startswith(".")]
    if not files:
        raise ExcerptError("found a folder without files, expected at least one", path=path)
    return files


if sys.platform == "win32":
    fcntl = None
else:
    import fcntl


_LEFTOVER = r"\.excerpt-[0-9a-f]{16}\.tmp"
_NEW_FILE = 0o666  # the system takes away what the user's mask forbids
_OPEN = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextlib.contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[io.BufferedIOBase]:
    """A binary file that appears under its name only when everything was written; `-` is stdout.

    Names ending in `.gz`, `.bz2`, `.xz` or `.zst` are compressed.
    When anything fails the name is left as it was; a file that is replaced keeps its mode.
    Links are followed; devices and pipes are written to, not replaced.
    """
    name = require_path(path, "name of a file to write")
    if name == STDIN:
        with _standard_output() as stream:
            yield stream
        return
    from pathlib import Path  # few commands write a file

    try:
        # The name as given: pipes behind /dev/fd have no other one.
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
                temporary.replace(target)  # before the lock is gone
        if fcntl is None:  # other systems do not rename open files
            temporary.replace(target)
    except OSError as error:
        raise ExcerptError(
            f"cannot be written: {describe(error)}", path=name, hint="nothing was left behind"
        ) from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def _standard_output() -> Iterator[io.BufferedIOBase]:
    """Standard output as bytes; where it takes text only, as in a notebook, what was written as text."""
    sys.stdout.flush()
    binary = getattr(sys.stdout, "buffer", None)
    if binary is not None:
        yield binary
        binary.flush()
        return
    whole = io.BytesIO()
    yield whole
    sys.stdout.write(whole.getvalue().decode("utf-8", "replace"))


def _create(target: Path) -> tuple[int, Path]:
    """A new file beside the target, locked, with the mode that the target has or would get."""
    _remove_leftovers(target.parent)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    # Until it has its mode nobody else may read what replaces a private file.
    first = _NEW_FILE if mode is None else mode & stat.S_IRWXU
    while True:
        temporary = target.with_name(f".excerpt-{os.urandom(8).hex()}.tmp")
        handle = os.open(temporary, _OPEN, first)
        if (
            _lock(handle, wait=True) and not os.fstat(handle).st_nlink
        ):  # taken for a leftover before it was locked
            os.close(handle)
            continue
        if mode is not None and os.name == "posix":
            os.fchmod(handle, mode)
        return handle, temporary


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed commands left in a folder: files of ours that nobody has locked."""
    with contextlib.suppress(OSError):  # a folder that may be written but not listed
        for file in folder.iterdir():
            if fcntl is not None and re.fullmatch(_LEFTOVER, file.name):
                with contextlib.suppress(OSError):  # another user's, or no file
                    handle = os.open(file, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
                    try:
                        if stat.S_ISREG(os.fstat(handle).st_mode) and _lock(handle):
                            file.unlink()
                    finally:
                        os.close(handle)


def _lock(handle: int, *, wait: bool = False) -> bool:
    """Lock a file until it is closed, also by the end of its process; False where that cannot be."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
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
    """Write a whole file, or nothing (see `writing`)."""
    with writing(path) as stream:
        stream.write(data)


@contextlib.contextmanager
def replacing_folder(target: Path) -> Iterator[Path]:
    """A folder to fill, which then takes the name, and the place of what had it; none is left on failure."""
    beside = target.with_name(f".excerpt-{os.urandom(8).hex()}")
    new, old = beside.with_suffix(".new"), beside.with_suffix(".old")
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
        import shutil

        for folder in (new, old):
            shutil.rmtree(folder, ignore_errors=True)


def stops_entity_bombs() -> bool:
    """Whether expat gives up on entities that multiply, as it does since version 2.4.1."""
    return pyexpat.version_info >= (2, 4, 1)
