"""excerpt demo: the embedded collection."""

from __future__ import annotations

from pathlib import Path

from .conftest import Excerpt


def test_path(excerpt: Excerpt) -> None:
    """The folder has judgments and runs."""
    folder = Path(excerpt("demo", "--path").out.strip())
    assert (folder / "qrels.fol").is_file()
    assert list((folder / "runs").iterdir())


def test_scores_and_warnings(excerpt: Excerpt) -> None:
    """Scores go to standard output, and what is doubtful to standard error, each once."""
    done = excerpt("demo", "--format", "csv")
    assert done.status == 0
    assert done.out.startswith("run,unit,MAiP,")
    assert done.err.count("no relevant text") == 1
