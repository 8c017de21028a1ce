"""Bytes as numbers: where they are, in as few bits as will do."""

from __future__ import annotations

import numpy as np
import pytest

from excerpt.formats.text import codes


@pytest.mark.parametrize("size", [0, 1, 1 << 18, (1 << 18) + 1, (1 << 19) + 3])
def test_blocks_make_no_difference(size: int) -> None:
    """Bytes are found wherever the blocks end."""
    text = np.frombuffer(b"ab" * (size // 2 + 1), np.uint8)[:size]
    assert codes.find(text, lambda block: codes.is_among(block, b"bx")).tolist() == list(range(1, size, 2))


def test_places_are_short_where_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very long texts need 64 bits, all others 32."""
    text = np.frombuffer(b"aba", np.uint8)
    assert codes.find(text, lambda block: block == ord("a")).dtype == np.int32
    monkeypatch.setattr(codes, "_SMALL", 3)
    assert codes.find(text, lambda block: block == ord("a")).dtype == np.int64
