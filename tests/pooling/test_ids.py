"""Runs and judgments of a pool that name one document by several ids."""

from __future__ import annotations

from pathlib import Path

import pytest

from excerpt import ExcerptError, pool
from excerpt.cli import main

LINE = "1 Q0 {} {} {} r\n"


def written(folder: Path, name: str, *documents: str) -> str:
    """Write a run of documents."""
    lines = (LINE.format(document, rank, 10 - rank) for rank, document in enumerate(documents, 1))
    (folder / name).write_text("".join(lines))
    return str(folder / name)


@pytest.mark.parametrize("other", ["D01.txt", "d01", "D01#p2", "D01.xml.gz"])
def test_two_runs_with_two_ids(tmp_path: Path, other: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They would be judged twice: an error, nothing is written; exact keeps both."""
    one, two = written(tmp_path, "one", "D02", "D01"), written(tmp_path, "two", "D03", other)
    target = tmp_path / "pool.tsv"
    command = ["pool", one, two, "-o", str(target)]
    assert main(command) == 2
    assert capsys.readouterr().err == (
        f"excerpt: {two}: found document {other}, which seems to be D01 of {one}, expected one id of each "
        "document in all runs; rename the documents of one of the runs, or keep them apart with --ids exact\n"
    )
    assert not target.exists()
    assert main([*command, "--ids", "exact", "--quiet"]) == 0
    assert len(pool([one, two], ids="exact")) == 4


def test_two_documents_of_similar_ids(tmp_path: Path) -> None:
    """A run that has both says that they are two; folders are parts of ids."""
    runs = [written(tmp_path, "one", "Apple", "apple"), written(tmp_path, "two", "apple")]
    assert len(pool(runs)) == 2
    runs = [written(tmp_path, "one", "index.md", "a/b.md"), written(tmp_path, "two", "a/index.md", "c.md")]
    assert len(pool(runs)) == 4


def test_a_run_with_folders_in_front_of_all_ids(tmp_path: Path) -> None:
    """They are no part of its ids if no other run has them."""
    one, two = written(tmp_path, "one", "D1", "D2"), written(tmp_path, "two", "docs/D2.txt", "docs/D3.txt")
    with pytest.raises(ExcerptError, match=r"two: found document docs/D2.txt, which seems to be D2 of"):
        pool([one, two])
    assert len(pool([one, two, written(tmp_path, "three", "docs/D2.txt", "D2")])) == 4


def test_judged_documents_of_other_ids(tmp_path: Path) -> None:
    """They would not be left out."""
    run = written(tmp_path, "one", "D01.txt", "D02.txt")
    (tmp_path / "qrels").write_text("1 0 D01 1\n1 0 D02 0\n")
    with pytest.raises(
        ExcerptError, match=r"found 2 documents of runs .* without the ending \(D01.txt as D01"
    ):
        pool([run], judged=str(tmp_path / "qrels"))
