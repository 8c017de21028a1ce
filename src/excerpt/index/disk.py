"""Files of an index: columns of numbers in the narrowest type, description, texts."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe, require_path
from excerpt.model.spans import AnyArray, IntArray

FORMAT = "excerpt-index"
VERSION = 2
DESCRIPTION = "index.json"
HINT = "rebuild it from the corpus with excerpt index (build_index in Python)"
_BUILD = "build it from the corpus with excerpt index (build_index in Python)"

_RADIX_BYTES = 2  # widest numbers that numpy sorts by radix
CHECKED_AT_ONCE = 1 << 21  # bytes; larger files are checked by `verify`, so that opening stays instant

COLUMNS = (
    "document_id",  # UTF-8, padded with NUL
    "document_order",  # documents sorted by id
    "document_size",
    "document_elements",  # first element of each document, and the end
    "document_groups",  # first group of each document, and the end
    "group_path",  # tag path; ascending inside a document
    "group_first",  # first element, counted from the first of the document
    "group_count",
    "group_parent",  # row of the parent's group, counted from the first of the document; a root is its own
    "element_parent",  # rank of the parent inside its group
    "element_start",
    "element_end",
    "path_parent",  # -1: a root
    "path_tag",
    "path_count",
)

#: Columns of an index with text: starts of documents in the text, of blocks in the text, and of blocks in the
#: file, each followed by the end.
TEXT_COLUMNS = ("text_document", "text_block", "text_packed")

TAGS, BROKEN, TEXT = "tags.json", "broken.json", "text.zst"

_FILES = (*(f"{name}.npy" for name in COLUMNS), TAGS, BROKEN)
_TEXT_FILES = (*(f"{name}.npy" for name in TEXT_COLUMNS), TEXT)
_DTYPES = {"document_id": r"\|S[1-9][0-9]*", "path_parent": "<i4"}
_NUMBERS = {"version": 1, "documents": 1, "elements": 1, "characters": 0, "broken": 0}
_BLOCK = 1 << 20
_CHECKSUM = "crc32"  # of the description itself
#: Bytes of text in a block; a block may contain several documents, and a document may span several blocks.
BLOCK = 1 << 18
_CACHED_BLOCKS = 16


@dataclass(frozen=True)
class BrokenDocument:
    """A document that could not be indexed; `line` is None if its bytes could not be read."""

    document: str
    path: str
    line: int | None
    message: str


def encode_id(document: str) -> bytes:
    """Encode a document id for the index; file names that are not UTF-8 are preserved."""
    return document.encode("utf-8", "surrogateescape")


class Stored(NamedTuple):
    """An opened index: its description and its columns, memory-mapped."""

    path: Path
    description: Mapping[str, Any]
    columns: Mapping[str, AnyArray]


def open_store(path: str | os.PathLike[str]) -> Stored:
    """Open an index and map its columns; small files are fully checked, large files by size and header."""
    folder = Path(require_path(path, "index"))
    description = _description(folder)
    check_files(folder, description, CHECKED_AT_ONCE)
    names = (*COLUMNS, *TEXT_COLUMNS) if description.get("text") else COLUMNS
    stored = Stored(folder, description, {name: _map_column(folder, name) for name in names})
    if not _fits(description, stored.columns):
        raise damage_error(folder, "its columns do not fit together")
    return stored


def _files(description: Mapping[str, Any]) -> tuple[str, ...]:
    return (*_FILES, *_TEXT_FILES) if description.get("text") else _FILES


def damage_error(folder: Path, detail: str) -> FormatError:
    """Error for a damaged index."""
    return FormatError(f"is damaged: {detail}", path=str(folder), hint=HINT)


@contextlib.contextmanager
def guard_columns(folder: Path) -> Iterator[None]:
    """Turn the exceptions for row numbers out of range into a one-line error."""
    try:
        yield
    except (IndexError, KeyError, ValueError, OverflowError):
        raise damage_error(folder, "its columns contradict each other") from None


def read_json(stored: Stored, name: str) -> Any:
    """Read a small file of the index."""
    with _reading(stored.path, name):
        content = (stored.path / name).read_bytes()
        if zlib.crc32(content) != stored.description["files"][name]["crc32"]:
            raise damage_error(stored.path, f"{name} does not match its checksum")
        return json.loads(content)


@contextlib.contextmanager
def _reading(folder: Path, name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise damage_error(folder, f"{name}: {describe(error)}") from None
    except (ValueError, RecursionError):
        raise damage_error(folder, f"{name} cannot be read") from None


def check_files(folder: Path, description: Mapping[str, Any], most: float = math.inf) -> None:
    """Check the sizes of all files, and the checksums of files of up to `most` bytes."""
    for name in _files(description):
        expected = description["files"][name]
        with _reading(folder, name):
            if (folder / name).stat().st_size != expected["size"]:
                raise damage_error(folder, f"{name} has the wrong size")
            if expected["size"] <= most and _crc32(folder / name) != expected["crc32"]:
                raise damage_error(folder, f"{name} does not match its checksum")


def _crc32(file: Path) -> int:
    value = 0
    with file.open("rb") as stream:
        while block := stream.read(_BLOCK):
            value = zlib.crc32(block, value)
    return value


def _fits(description: Mapping[str, Any], columns: Mapping[str, AnyArray]) -> bool:
    """Check the lengths of the columns against the description and against each other."""
    documents, elements = description["documents"], description["elements"]
    ends = columns["document_elements"], columns["document_groups"]
    if any(len(column) != documents + 1 or column[0] for column in ends) or ends[0][-1] != elements:
        return False
    lengths = {
        "document": documents,
        "group": int(ends[1][-1]),
        "element": elements,
        "path": len(columns["path_tag"]),
    }
    others = {*COLUMNS} - {"document_elements", "document_groups"}
    return all(len(columns[name]) == lengths[name.partition("_")[0]] for name in others) and (
        "text_document" not in columns or _text_fits(description, columns)
    )


def _text_fits(description: Mapping[str, Any], columns: Mapping[str, AnyArray]) -> bool:
    document, block, packed = (columns[name] for name in TEXT_COLUMNS)
    return (
        len(document) == description["documents"] + 1
        and len(block) == len(packed) > 0
        and bool(document[-1] == block[-1])
        and bool(packed[-1] == description["files"][TEXT]["size"])
    )


def is_index(folder: Path) -> bool:
    """Check if a folder is an index of excerpt, of any version."""
    try:
        content = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def _map_column(folder: Path, name: str) -> AnyArray:
    file = folder / f"{name}.npy"
    try:
        column = np.load(file, mmap_mode="r", allow_pickle=False)
        is_complete = column.offset + column.nbytes == file.stat().st_size
    except OSError as error:
        raise damage_error(folder, f"{file.name}: {describe(error)}") from None
    except Exception:  # noqa: BLE001  a damaged header makes numpy raise nearly anything
        raise damage_error(folder, f"{file.name} is not a column") from None
    expected = _DTYPES.get(name, "<u[248]")
    if not is_complete or column.ndim != 1 or not re.fullmatch(expected, column.dtype.str):
        raise damage_error(folder, f"{file.name} is not a column")
    # The plain array: indexing the memmap class itself costs several times as much.
    return np.asarray(column)


def _description(folder: Path) -> dict[str, Any]:
    if not is_index(folder):
        _raise_no_index(folder)
    with _reading(folder, DESCRIPTION):
        content: dict[str, Any] = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    version = content.get("version")
    if version != VERSION:
        raise FormatError(
            f"is an index of format version {version}, expected {VERSION}", path=str(folder), hint=HINT
        )
    if not _is_valid(content):
        raise damage_error(folder, f"{DESCRIPTION} does not match its checksum")
    return content


def _is_valid(description: dict[str, Any]) -> bool:
    content = {name: value for name, value in description.items() if name != _CHECKSUM}
    if description.get(_CHECKSUM) != _description_crc32(content):
        return False
    files = content.get("files")
    return (
        content.get("unit") in ("char", "byte")
        and all(_is_number(content.get(name), least) for name, least in _NUMBERS.items())
        and isinstance(content.get("fingerprint"), str)
        and isinstance(files, dict)
        and all(isinstance(files.get(name), dict) for name in _files(content))
        and all(_is_number(files[name].get(key), 0) for name in _files(content) for key in ("size", "crc32"))
    )


def _is_number(value: object, least: int) -> bool:
    return isinstance(value, int) and value >= least


def _description_crc32(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())


def write_description(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the description of an index; all its other files must have been written."""
    paths = {name: folder / name for name in _files(content)}
    files = {name: {"size": path.stat().st_size, "crc32": _crc32(path)} for name, path in paths.items()}
    content = {"format": FORMAT, "version": VERSION, **content, "files": files}
    write_json(folder, DESCRIPTION, content | {_CHECKSUM: _description_crc32(content)})


def _raise_no_index(folder: Path) -> NoReturn:
    try:
        if folder.exists():
            reason = "found a file" if folder.is_file() else "found a folder of another kind"
        else:
            reason = "does not exist"
    except ValueError:  # a NUL character in the name
        reason = "is not a file name"
    raise ExcerptError(f"{reason}, expected the folder of an index", path=str(folder), hint=_BUILD)


class PackedTexts(NamedTuple):
    """Texts of a batch: the sizes of texts in UTF-8, of blocks, of packed blocks, and the packed blocks."""

    size: IntArray
    block: IntArray
    packed: IntArray
    data: npt.NDArray[np.uint8]


def pack(texts: Sequence[bytes]) -> PackedTexts:
    """Pack the texts of a batch, in UTF-8; the bytes are the same on every machine."""
    import zstandard  # few builds need it

    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    joined = b"".join(texts)
    blocks = [joined[begin : begin + BLOCK] for begin in range(0, len(joined), BLOCK)]
    packed = [compressor.compress(block) for block in blocks]
    lengths = (np.array([len(piece) for piece in pieces], np.int64) for pieces in (texts, blocks, packed))
    of_texts, of_blocks, of_packed = lengths
    return PackedTexts(of_texts, of_blocks, of_packed, np.frombuffer(b"".join(packed), np.uint8))


class IndexTexts:
    """Texts of the documents of an index, by number; safe to use from several threads."""

    def __init__(self, stored: Stored) -> None:
        self._folder: Path = stored.path
        self._document = stored.columns["text_document"]
        self._size = stored.columns["document_size"]
        self._in_bytes = stored.description["unit"] == "byte"
        self._block = stored.columns["text_block"]
        self._packed = stored.columns["text_packed"]
        size = int(self._packed[-1])
        # The plain array: the memmap class costs several times as much. An empty file cannot be mapped.
        mapped = np.memmap(stored.path / TEXT, np.uint8, "r") if size else np.empty(0, np.uint8)
        self._data = np.asarray(mapped)
        self._unpack = functools.lru_cache(_CACHED_BLOCKS)(self._read)

    def encoded(self, number: int) -> bytes:
        """Return the text of a document in UTF-8."""
        with guard_columns(self._folder):
            begin, end = int(self._document[number]), int(self._document[number + 1])
            if begin == end:
                return b""
            first, last = np.searchsorted(self._block, [begin, end - 1], "right").tolist()
            start = int(self._block[first - 1])
            blocks = b"".join([self._unpack(block) for block in range(first - 1, last)])
            text = blocks[begin - start : end - start]
            if len(text) != end - begin:
                raise ValueError
            return text

    def text(self, number: int) -> str:
        encoded = self.encoded(number)
        try:
            text = encoded.decode()
        except UnicodeDecodeError:
            raise self._damage() from None
        if len(encoded if self._in_bytes else text) != self._size[number]:
            raise self._damage()
        return text

    def _damage(self) -> FormatError:
        return damage_error(self._folder, f"{TEXT} does not match the columns")

    def _read(self, block: int) -> bytes:
        import zstandard

        packed = self._data[int(self._packed[block]) : int(self._packed[block + 1])].tobytes()
        size = int(self._block[block + 1]) - int(self._block[block])
        text = b""
        with contextlib.suppress(zstandard.ZstdError):
            if zstandard.frame_content_size(packed) == size:
                text = zstandard.ZstdDecompressor().decompress(packed)
        if len(text) != size:
            raise self._damage()
        return text


def narrowest(largest: int, *, least: int = 2) -> np.dtype[Any]:
    """The narrowest unsigned type, of at least `least` bytes, for numbers up to `largest`.

    >>> narrowest(65_535), narrowest(65_536), narrowest(255, least=1)
    (dtype('uint16'), dtype('uint32'), dtype('uint8'))
    """
    width = least
    while largest >> 8 * width:
        width *= 2
    return np.dtype(f"<u{width}")


def narrow(values: npt.NDArray[Any], *, least: int = 1) -> npt.NDArray[Any]:
    """Convert numbers to the narrowest unsigned type of at least `least` bytes."""
    return values.astype(narrowest(int(values.max(initial=0)), least=least), copy=False)


def stable_order(values: npt.NDArray[Any]) -> IntArray:
    """Sort rows stably by unsigned numbers, in linear time up to 32 bits."""
    low = narrow(values)
    if low.dtype.itemsize <= _RADIX_BYTES or low.dtype.itemsize > 2 * _RADIX_BYTES:
        return np.argsort(low, kind="stable")
    order = np.argsort(low.astype(np.uint16), kind="stable")  # the lower half
    return order[np.argsort((low >> 16).astype(np.uint16)[order], kind="stable")]


def write_column(folder: Path, name: str, values: AnyArray) -> None:
    """Write a complete column, unsigned numbers in the narrowest type."""
    if values.dtype.kind in "iu" and values.min() >= 0:
        values = narrow(values, least=2)
    with (folder / f"{name}.npy").open("wb") as file:
        write_header(file, values.dtype, len(values))
        file.write(values.tobytes())
        sync(file)


def write_json(folder: Path, name: str, content: Any) -> None:
    """Write a small file."""
    with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
        json.dump(content, file, ensure_ascii=True, indent=1)
        sync(file)


def write_header(file: Any, dtype: np.dtype[Any], count: int) -> None:
    """Write the header of a column of numbers."""
    shape = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, shape)


def sync(file: Any) -> None:
    """Flush a file to disk."""
    file.flush()
    os.fsync(file.fileno())
