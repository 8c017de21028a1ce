"""Fixtures of the tests of the index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from excerpt.index import OffsetIndex
from excerpt.indexing.builder import build_index


@pytest.fixture(scope="package", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Hundreds of small indexes need not survive a power cut; waiting for that would take most time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _handle: None)
        yield


Indexed = Callable[..., OffsetIndex]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """Writes documents into a folder and returns it."""

    def write(documents: Mapping[str, str | bytes]) -> Path:
        folder = tmp_path / "corpus"
        for name, content in documents.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return folder

    return write


@pytest.fixture
def indexed(tmp_path: Path, write: Callable[[Mapping[str, str | bytes]], Path]) -> Indexed:
    """Indexes documents given as `name=content`; options go to `build`."""

    def indexed(documents: Mapping[str, str | bytes], **options: object) -> OffsetIndex:
        build_index(write(documents), tmp_path / "index", **options)  # type: ignore[arg-type]
        return OffsetIndex.open(tmp_path / "index")

    return indexed
