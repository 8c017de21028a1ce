"""The text that an index keeps: read block by block, where it is asked for."""

from __future__ import annotations

import contextlib
import functools
from pathlib import Path

import numpy as np

from excerpt.errors import FormatError
from excerpt.index.build.store import TEXT, Stored, damage_error, guard_columns

_KEPT = 16  # blocks


class Texts:
    """The texts of the documents of an index, by their numbers; any number of threads may ask."""

    def __init__(self, stored: Stored) -> None:
        self._folder: Path = stored.path
        self._document = stored.columns["text_document"]
        self._size = stored.columns["document_size"]
        self._in_bytes = stored.description["unit"] == "byte"
        self._block = stored.columns["text_block"]
        self._packed = stored.columns["text_packed"]
        size = int(self._packed[-1])
        # The plain array: the class of maps costs several times as much.
        self._data = (
            np.asarray(np.memmap(stored.path / TEXT, np.uint8, "r")) if size else np.empty(0, np.uint8)
        )
        self._unpack = functools.lru_cache(_KEPT)(self._read)

    def encoded(self, number: int) -> bytes:
        """The text of a document in UTF-8."""
        with guard_columns(self._folder):
            begin, end = int(self._document[number]), int(self._document[number + 1])
            if begin == end:
                return b""
            first, last = np.searchsorted(self._block, [begin, end - 1], "right").tolist()
            start = int(self._block[first - 1])
            blocks = b"".join([self._unpack(block) for block in range(first - 1, last)])
            found = blocks[begin - start : end - start]
            if len(found) != end - begin:
                raise ValueError
            return found

    def text(self, number: int) -> str:
        """The text of a document."""
        encoded = self.encoded(number)
        try:
            text = encoded.decode()
        except UnicodeDecodeError:
            raise self._damage() from None
        if len(encoded if self._in_bytes else text) != self._size[number]:
            raise self._damage()
        return text

    def _damage(self) -> FormatError:
        return damage_error(self._folder, f"{TEXT} is not as it was written")

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
