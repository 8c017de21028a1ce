"""What is read is never written, also where a folder is read."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from excerpt.cli.inputs import keep_inputs
from excerpt.errors import ExcerptError


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus, an index and judgments in the working folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("c/a.txt", "c/d/b.xml.gz", "c/notes.html", "x/index.json", "x/text.zst", "q/1.fol", "t.tsv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text('{"format": "excerpt-index"}' if name == "x/index.json" else "text")
    Path("link").symlink_to("c")


@pytest.mark.parametrize(
    "given",
    [
        {"corpus": "c", "output": "c/a.txt"},
        {"corpus": "link", "output": "./c/d/b.xml.gz"},
        {"corpus": "c", "output": "link/a.txt"},
        {"corpus": "c/*.txt", "output": "c/a.txt"},
        {"corpus": "x", "output": "x/text.zst"},
        {"index": "x", "save": "x/index.json"},
        {"qrels": "q", "record": "q/1.fol"},
        {"runs": ["c/a.txt", "t.tsv"], "figure": "t.tsv"},
        {"topics": "t.tsv", "output": "t.tsv"},
        {"blocks": "t.tsv", "output": "t.tsv"},
        {"blocks": "gone.toml", "output": "gone.toml"},
    ],
)
def test_what_is_read_is_not_written(given: dict[str, str]) -> None:
    """A document of a folder is an input, however the folder is named."""
    with pytest.raises(ExcerptError, match="is an input, expected another name for the output"):
        keep_inputs(Namespace(**given))


@pytest.mark.parametrize(
    "given",
    [
        {"corpus": "c", "output": "c/new.html"},
        {"corpus": "c", "output": "c/notes.html"},
        {"corpus": "c/*.txt", "output": "c/d/b.xml.gz"},
        {"qrels": "q", "output": "scores.csv"},
        {"corpus": "c", "output": "q/1.fol"},
        {"corpus": "-", "output": "-"},
        {"corpus": "c", "output": "x"},
    ],
)
def test_other_files_are_written(given: dict[str, str]) -> None:
    """Also beside documents, where they are none."""
    keep_inputs(Namespace(**given))
