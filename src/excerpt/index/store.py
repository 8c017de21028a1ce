"""The index on disk: a directory of columns and a description, complete or not there at all."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from excerpt.errors import ExcerptError, FormatError
from excerpt.files import describe

FORMAT = "excerpt-index"
VERSION = 1
DESCRIPTION = "index.json"
HINT = "make it again: excerpt index CORPUS -o INDEX"

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

AnyArray = npt.NDArray[Any]


class Stored(NamedTuple):
    """An opened index: its description and its columns, memory-mapped."""

    path: Path
    description: Mapping[str, Any]
    columns: Mapping[str, AnyArray]


def open_store(path: str | os.PathLike[str]) -> Stored:
    """Map the columns; the files are checked for their sizes, not read."""
    folder = Path(path)
    description = _description(folder)
    try:
        for name, size in description["files"].items():
            if (folder / name).stat().st_size != size:
                raise FormatError(f"is damaged: {name} has the wrong size", path=str(folder), hint=HINT)
        columns = {name: _mapped(folder / f"{name}.npy") for name in COLUMNS}
    except OSError as error:
        name = Path(error.filename or "").name
        raise FormatError(f"is damaged: {name}: {describe(error)}", path=str(folder), hint=HINT) from None
    except (KeyError, AttributeError, ValueError, EOFError):
        raise FormatError("is damaged: its files are not columns", path=str(folder), hint=HINT) from None
    return Stored(folder, description, columns)


def read_json(folder: Path, name: str) -> Any:
    """A small file of the index."""
    try:
        return json.loads((folder / name).read_text("utf-8"))
    except (OSError, ValueError):
        raise FormatError(f"is damaged: {name} cannot be read", path=str(folder), hint=HINT) from None


def is_index(folder: Path) -> bool:
    """Whether there is an index of ours, of any version."""
    try:
        content = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT


def _mapped(file: Path) -> AnyArray:
    # The plain array: indexing the memmap class itself costs several times as much.
    return np.asarray(np.load(file, mmap_mode="r", allow_pickle=False))


def _description(folder: Path) -> dict[str, Any]:
    if not is_index(folder):
        _no_index(folder)
    content: dict[str, Any] = read_json(folder, DESCRIPTION)
    version = content.get("version")
    if version != VERSION:
        raise FormatError(
            f"is an index of format version {version}, expected {VERSION}", path=str(folder), hint=HINT
        )
    return content


def _no_index(folder: Path) -> NoReturn:
    try:
        found = "there is nothing" if not folder.exists() else "found a file" if folder.is_file() else ""
    except ValueError:  # a NUL character in the name
        found = "is not a file name"
    message = f"{found or 'found another directory'}, expected an index"
    raise ExcerptError(message, path=str(folder), hint=HINT)


class Spool:
    """A column while it grows, on disk as 32-bit numbers; `finish` makes it as narrow as its values allow."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._folder = folder
        self._raw = (folder / f"{name}.raw").open("w+b")
        self._largest = 0

    def append(self, values: AnyArray) -> None:
        """Add rows."""
        if len(values):
            self._largest = max(self._largest, int(values.max()))
            self._raw.write(values.astype("<u4").tobytes())

    def finish(self) -> None:
        """Write the column and remove the spool."""
        dtype = np.dtype("<u2") if self._largest < 1 << 16 else np.dtype("<u4")
        count = self._raw.tell() // 4
        self._raw.seek(0)
        with (self._folder / f"{self.name}.npy").open("wb") as file:
            _header(file, dtype, count)
            while block := self._raw.read(1 << 22):
                file.write(np.frombuffer(block, "<u4").astype(dtype).tobytes())
            _sync(file)
        self.close()
        (self._folder / f"{self.name}.raw").unlink()

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()


def write_column(folder: Path, name: str, values: AnyArray) -> None:
    """Write a whole column; unsigned numbers as narrow as they fit."""
    if values.dtype.kind in "iu" and values.min() >= 0:
        values = values.astype(_narrowest(int(values.max())))
    with (folder / f"{name}.npy").open("wb") as file:
        _header(file, values.dtype, len(values))
        file.write(values.tobytes())
        _sync(file)


def write_json(folder: Path, name: str, content: Any) -> None:
    """Write a small file."""
    with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
        json.dump(content, file, ensure_ascii=True, indent=1)
        _sync(file)


def _narrowest(largest: int) -> str:
    return "<u2" if largest < 1 << 16 else "<u4" if largest < 1 << 32 else "<u8"


def _header(file: Any, dtype: np.dtype[Any], count: int) -> None:
    shape = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, shape)


def _sync(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def check_output(output: Path) -> None:
    """Refuse to write over anything that is not an index."""
    if not output.exists() or is_index(output):
        return
    if output.is_dir() and not any(output.iterdir()):
        return
    raise ExcerptError(
        "exists and is not an index; it was left as it is", path=str(output), hint="give another name with -o"
    )


def publish(temporary: Path, output: Path) -> None:
    """Give the finished directory its name; an older index there is removed when the new one is in place."""
    old = temporary.with_name(temporary.name.replace(".tmp", ".old.tmp"))
    if output.exists():
        output.rename(old)
    try:
        temporary.rename(output)
    except BaseException:
        if old.exists():
            old.rename(output)
        raise
    shutil.rmtree(old, ignore_errors=True)
