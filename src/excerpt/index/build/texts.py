"""The text of documents, kept in blocks of zstandard: packed by whoever reads a batch, written in order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from excerpt.index.build.store import TEXT, TEXT_COLUMNS
from excerpt.model.spans import IntArray
from excerpt.parse.tree import sync, write_column

#: Bytes of text in a block; documents may share one, and a long document has several.
BLOCK = 1 << 18


class PackedTexts(NamedTuple):
    """The texts of a batch: bytes of each in UTF-8, of each block, of each block packed, and the blocks."""

    size: IntArray
    block: IntArray
    packed: IntArray
    data: npt.NDArray[np.uint8]


def pack(texts: Sequence[str]) -> PackedTexts:
    """Pack the texts of a batch; the same bytes whoever does it."""
    import zstandard  # few builds need it

    compressor = zstandard.ZstdCompressor(level=3, write_checksum=True)
    encoded = [text.encode() for text in texts]
    whole = b"".join(encoded)
    blocks = [whole[begin : begin + BLOCK] for begin in range(0, len(whole), BLOCK)]
    packed = [compressor.compress(block) for block in blocks]
    return PackedTexts(
        _lengths(encoded), _lengths(blocks), _lengths(packed), np.frombuffer(b"".join(packed), np.uint8)
    )


def _lengths(pieces: Sequence[bytes]) -> IntArray:
    return np.array([len(piece) for piece in pieces], np.int64)


class TextWriter:
    """Takes the texts of batches in order and writes them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = (folder / TEXT).open("wb")
        self._lengths: list[list[IntArray]] = [[], [], []]

    def add(self, texts: PackedTexts) -> None:
        """Append the texts of a batch."""
        for column, more in zip(self._lengths, texts[:3], strict=True):
            column.append(more)
        self._file.write(texts.data.tobytes())

    def finish(self) -> None:
        """Write where each document begins in the text, and each block in the text and in the file."""
        sync(self._file)
        self.close()
        for name, lengths in zip(TEXT_COLUMNS, self._lengths, strict=True):
            ends = np.cumsum(np.concatenate(([0], *lengths)))
            write_column(self._folder, name, ends)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
