"""An option that would not count is refused."""

from __future__ import annotations

from pathlib import Path

from .conftest import Excerpt


def test_the_second_one(files: Path, excerpt: Excerpt) -> None:
    """Both values are named, and what may be meant."""
    done = excerpt("evaluate", "qrels", "run", "--corpus", "a", "--corpus", "b")
    assert done.err.startswith(
        "excerpt: found --corpus a and --corpus b, expected it once; a folder, or a pat"
    )
    assert done.status == 2
