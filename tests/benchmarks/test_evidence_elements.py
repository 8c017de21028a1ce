"""The script that makes simulated grades and runs of elements: its rule by hand, and its files again."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from evidence_elements import (
    RUNS,
    Amounts,
    exhaustivity,
    exhaustivity_and_specificity,
    make,
    relevance_and_coverage,
)

from excerpt import collection
from excerpt.model.elements import COVERAGE, TOO_SMALL


@pytest.mark.parametrize(
    ("size", "relevant", "of_2002", "of_2004", "of_2005"),
    [
        (500, 300, "3E", (3, 3), 2),  # all that any article of the topic has
        (401, 200, "3L", (3, 2), 2),  # two thirds of it, just less than half of the element
        (400, 199, "2L", (2, 2), 2),
        (300, 150, "2E", (2, 3), 2),
        (300, 149, "2L", (2, 2), 1),
        (401, 100, "2L", (2, 1), 1),
        (99, 99, "1E", (1, 3), 1),
        (100, 30, "1L", (1, 2), 1),
        (116, 29, "1L", (1, 2), 0),  # less than a tenth
        (50, 25, "1E", (1, 3), 0),
        (49, 49, "1S", (1, 3), TOO_SMALL),
        (49, 1, "1S", (1, 1), TOO_SMALL),
    ],
)
def test_the_rule_by_hand(
    size: int, relevant: int, of_2002: str, of_2004: tuple[int, int], of_2005: int
) -> None:
    """The article with the most relevant text of the topic has 300 such characters."""
    of = Amounts(size, relevant, 300)
    grade, letter = relevance_and_coverage(of)
    assert f"{grade}{COVERAGE[letter]}" == of_2002
    assert exhaustivity_and_specificity(of) == of_2004
    assert exhaustivity(of) == of_2005


@pytest.mark.parametrize("size", [10, 1000])
def test_elements_without_relevant_text(size: int) -> None:
    """Both grades are the lowest, whatever the size."""
    assert relevance_and_coverage(Amounts(size, 0, 300)) == (0, COVERAGE.index("N"))
    assert exhaustivity_and_specificity(Amounts(size, 0, 300)) == (0, 0)


def test_the_files_of_the_package_are_what_is_made(tmp_path: Path) -> None:
    """Byte for byte; runs are compared unpacked, since versions of zlib pack differently."""
    ships = collection.folder("articles")
    for name in ("docs.zip", "qrels.fol", "topics.xml"):
        shutil.copy(ships / name, tmp_path)
    make(tmp_path)
    for name in (*(f"assessments-{year}.xml" for year in (2002, 2004, 2005)), "runs-elements.tsv"):
        assert (tmp_path / name).read_bytes() == (ships / name).read_bytes(), name
    made = {file.name: file.read_bytes() for file in (tmp_path / "runs-elements").iterdir()}
    assert set(made) == {f"{name}.txt.gz" for name in RUNS}
    for name, packed in made.items():
        shipped = (ships / "runs-elements" / name).read_bytes()
        assert gzip.decompress(packed) == gzip.decompress(shipped), name
        assert packed[4:8] == shipped[4:8] == b"\0\0\0\0", "the time in the header is not 0"
