"""Which parsers are safe."""

from __future__ import annotations

import pyexpat

import pytest

from excerpt.files.expat import stops_entity_bombs


@pytest.mark.parametrize(
    ("version", "safe"), [((2, 4, 0), False), ((2, 4, 1), True), ((1, 95, 8), False), ((2, 10, 0), True)]
)
def test_versions(monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int], safe: bool) -> None:
    """Entity bombs are stopped since expat 2.4.1."""
    monkeypatch.setattr(pyexpat, "version_info", version)
    assert stops_entity_bombs() == safe
