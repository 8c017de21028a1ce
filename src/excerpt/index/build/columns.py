"""Columns and small files of an index while it is written."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from excerpt.index.build.tree import narrow, narrowest
from excerpt.model.spans import AnyArray


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
        dtype = narrowest(self._largest)
        count = self._raw.tell() // 4
        self._raw.seek(0)
        with (self._folder / f"{self.name}.npy").open("wb") as file:
            _header(file, dtype, count)
            while block := self._raw.read(1 << 22):
                file.write(np.frombuffer(block, "<u4").astype(dtype).tobytes())
            sync(file)
        self.close()
        (self._folder / f"{self.name}.raw").unlink()

    def close(self) -> None:
        """Let go of the file."""
        self._raw.close()


def write_column(folder: Path, name: str, values: AnyArray) -> None:
    """Write a whole column; unsigned numbers as narrow as they fit."""
    if values.dtype.kind in "iu" and values.min() >= 0:
        values = narrow(values, least=2)
    with (folder / f"{name}.npy").open("wb") as file:
        _header(file, values.dtype, len(values))
        file.write(values.tobytes())
        sync(file)


def write_json(folder: Path, name: str, content: Any) -> None:
    """Write a small file."""
    with (folder / name).open("w", encoding="utf-8", newline="\n") as file:
        json.dump(content, file, ensure_ascii=True, indent=1)
        sync(file)


def _header(file: Any, dtype: np.dtype[Any], count: int) -> None:
    shape = {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, shape)


def sync(file: Any) -> None:
    """Wait until everything that was written is on the disk."""
    file.flush()
    os.fsync(file.fileno())
