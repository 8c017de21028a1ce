"""Real collections, where they are at hand: paths of runs resolve to the offsets of the same runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from excerpt.index import OffsetIndex, build_index

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.mark.slow
@pytest.mark.parametrize("collection", ["cuad", "evidence"])
def test_runs_with_paths_are_runs_with_offsets(tmp_path: Path, collection: str) -> None:
    """Every line of every run given by paths has the offset and length of the same line given by offsets."""
    folder = DATA / collection
    if not folder.is_dir():
        pytest.skip(f"no {collection} collection beside the checkout")
    report = build_index(folder / "docs.tar.gz", tmp_path / "index")
    assert report.broken == ()
    index = OffsetIndex.open(tmp_path / "index")
    runs = sorted((folder / "runs-xpath").glob("*.txt.gz"))
    assert runs
    for run in runs:
        by_path = _rows(run)
        by_offset = _rows(folder / "runs" / run.name.replace(".txt.gz", ".fol.gz"))
        found = index.resolve(index.document_codes([row[2] for row in by_path]), [row[6] for row in by_path])
        assert [row[:4] for row in by_path] == [row[:4] for row in by_offset]
        assert found.start.tolist() == [int(row[6]) for row in by_offset]
        assert (found.end - found.start).tolist() == [int(row[7]) for row in by_offset]


def _rows(file: Path) -> list[list[str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [line.split() for line in lines]
