"""Saved scores read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt.errors import ExcerptError
from excerpt.formats.scores import load_scores, save_scores
from excerpt.model import ScoreTable

TABLE = {("r", "1", "MAiP"): 0.1, ("r", "2", "MAiP"): 1 / 3, ("s", "1", "MAiP"): 0.0, ("s", "2", "MAiP"): 1.0}


@pytest.mark.parametrize("suffix", [".json", ".csv", ".parquet"])
def test_scores_read_back(tmp_path: Path, suffix: str) -> None:
    """Every score is the same number."""
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    file = tmp_path / f"scores{suffix}"
    save_scores(ScoreTable.from_scores(TABLE), file)
    assert load_scores(file).to_csv() == ScoreTable.from_scores(TABLE).to_csv()


def test_unknown_suffix(tmp_path: Path) -> None:
    """The known ones are listed and no file appears."""
    with pytest.raises(ExcerptError, match=r"cannot save scores as \.xls; known suffixes: \.json"):
        save_scores(ScoreTable.from_scores(TABLE), tmp_path / "scores.xls")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content", [b"{", b"hello\nworld\n", b"\xff\xfe", b"{}", b"[]", b'{"a": [1]}', b"PAR1x"]
)
def test_other_files(tmp_path: Path, content: bytes) -> None:
    """What excerpt did not save is an error that names the file."""
    if content.startswith(b"PAR1"):
        pytest.importorskip("pyarrow")
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(ExcerptError) as caught:
        load_scores(file)
    assert str(caught.value).startswith(f"{file}:")
