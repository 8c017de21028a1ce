"""Fixtures of the tests of corpora."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Write = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files into a folder and returns it."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "docs"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write
