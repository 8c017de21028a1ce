"""Probabilities in rows, in pools, in prels and in strata; what is wrong with them, in one line."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Pool
from excerpt.pooling.pools import PoolItem

ROWS: list[dict[str, Any]] = [
    {"topic": "1", "document": "A", "spans": [[0, 40]], "probability": 1},
    {"topic": "1", "document": "B", "spans": [[5, 9]], "probability": 0.09523809523809523},
    {"topic": "1", "document": "C", "spans": [], "probability": "1/30000001"},
]


def known(judgments: Judgments) -> dict[str, Fraction]:
    """Probability by document."""
    assert judgments.inclusion is not None
    codes = zip(judgments.pair_document.tolist(), judgments.inclusion.stratum.tolist(), strict=True)
    return {judgments.documents[document]: judgments.inclusion.probability[code] for document, code in codes}


EXPECTED = {"A": Fraction(1), "B": Fraction(2, 21), "C": Fraction(1, 30_000_001)}


def test_rows_have_exact_probabilities_and_keep_them(tmp_path: Path) -> None:
    """From Python, from JSON Lines, written and read again, of some topics and slices."""
    judgments = Judgments.of(ROWS)
    assert known(judgments) == EXPECTED
    path = tmp_path / "judgments.jsonl"
    judgments.save(path)
    read = excerpt.read_judgments(path)
    assert known(read) == EXPECTED
    assert json.loads(path.read_text().splitlines()[1])["probability"] == 2 / 21
    assert known(read[1:]) == {name: EXPECTED[name] for name in "BC"}
    assert known(excerpt.read_judgments(judgments.to_dicts())) == EXPECTED


def test_csv_and_grades_have_probabilities_too(tmp_path: Path) -> None:
    """A column, and rows that grade whole documents."""
    path = tmp_path / "judgments.csv"
    path.write_text("topic,document,relevance,probability\n1,A,1,1\n1,B,0,0.25\n")
    assert known(excerpt.read_judgments(path)) == {"A": Fraction(1), "B": Fraction(1, 4)}


def test_fol_has_no_room_and_says_so(tmp_path: Path) -> None:
    """A warning names the format that has."""
    notices = Notices()
    excerpt.write_judgments(Judgments.of(ROWS), tmp_path / "j.fol", notices=notices)
    assert [*notices] == ["format fol cannot store probabilities; they are left out (jsonl has room)"]
    assert excerpt.read_judgments(tmp_path / "j.fol").inclusion is None


@pytest.mark.parametrize("value", ["0", "1.5", "-0.5", '"most"', "true", "[1]"])
def test_impossible_probabilities_are_named_with_their_line(tmp_path: Path, value: str) -> None:
    """Zero, above 1, and what is no number."""
    path = tmp_path / "j.jsonl"
    path.write_text(
        '{"topic": "1", "document": "A", "spans": [], "probability": 1}\n'
        + json.dumps(ROWS[1]).replace("0.09523809523809523", value)
        + "\n"
    )
    with pytest.raises(
        ExcerptError, match=r"j.jsonl:2: found probability .*, expected a number above 0"
    ) as raised:
        excerpt.read_judgments(path)
    assert "\n" not in str(raised.value)


def test_all_rows_or_none_have_a_probability(tmp_path: Path) -> None:
    """The first row without one is named."""
    path = tmp_path / "j.jsonl"
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in [*ROWS, {"topic": "1", "document": "D", "spans": []}])
    )
    with pytest.raises(
        ExcerptError, match=r"j.jsonl:4: found a row without a probability among rows with one"
    ):
        excerpt.read_judgments(path)
    with pytest.raises(ExcerptError, match="1 of 4 judged documents without a probability"):
        Judgments.of(ROWS, irrelevant=[("1", "D")])


def test_a_document_has_one_probability() -> None:
    """Two rows of a document may not disagree."""
    rows = [{**ROWS[0], "start": 0, "end": 9}, {**ROWS[0], "start": 20, "end": 29, "probability": 0.5}]
    for row in rows:
        del row["spans"]
    with pytest.raises(ExcerptError, match="found document A again with probability 1/2, expected 1"):
        Judgments.of(rows)


def pool_of(*items: tuple[str, Fraction | None]) -> Pool:
    """A pool of topic 1."""
    return Pool.of(
        PoolItem("1", name, order, "depth" if chance == 1 else "sample", chance, (), ())
        for order, (name, chance) in enumerate(items, start=1)
    )


def test_the_pool_gives_the_probabilities_of_judgments_without_them(tmp_path: Path) -> None:
    """Documents of the pool that are not judged are counted."""
    judgments = Judgments.of([("1", "A", 0, 40)], irrelevant=[("1", "B")])
    pool = pool_of(("A", Fraction(1)), ("B", Fraction(2, 21)), ("C", Fraction(2, 21)))
    pool.write(tmp_path / "pool.tsv")
    run = excerpt.Run.of("r", [("1", "A", 0, 40)])
    notices = Notices()
    table = excerpt.evaluate(
        judgments, [run], "recallbase", probabilities=tmp_path / "pool.tsv", notices=notices
    )
    assert table.gaps["r"]["estimate"] == {"recallbase": 1}
    assert "1 document of the pool is not judged and counts as not drawn" in "".join(notices)


@pytest.mark.parametrize(
    ("pool", "message"),
    [
        (pool_of(("X", Fraction(1))), "no document of the pool is judged"),
        (pool_of(("A", Fraction(1))), "1 of 2 judged documents without a probability"),
        (pool_of(("A", None), ("B", Fraction(1))), "1 document of unknown probability"),
    ],
)
def test_the_pool_of_other_judgments_is_an_error(pool: Pool, message: str, tmp_path: Path) -> None:
    """One line that names the file."""
    pool.write(tmp_path / "pool.tsv")
    judgments = Judgments.of([("1", "A", 0, 40)], irrelevant=[("1", "B")])
    run = excerpt.Run.of("r", [("1", "A", 0, 40)])
    with pytest.raises(ExcerptError, match=message) as raised:
        excerpt.evaluate(judgments, [run], "charP", probabilities=tmp_path / "pool.tsv")
    assert str(raised.value).startswith(str(tmp_path / "pool.tsv"))


def test_prels_and_strata_are_recognised(tmp_path: Path) -> None:
    """By their columns; documents of method 0 among others were not drawn."""
    notices = Notices()
    prels = excerpt.read_judgments(b"1 A 1 1 1\n1 B 0 2 0.25\n1 C 1 0 1\n", notices=notices)
    assert known(prels) == {"A": Fraction(1), "B": Fraction(1, 4)}
    assert "1 document of method 0 was not drawn at random and is left out" in "".join(notices)
    assert known(excerpt.read_judgments(b"1 A 1 0 1\n1 B 0 0 0.25\n")) == {
        "A": Fraction(1),
        "B": Fraction(1, 4),
    }
    strata = excerpt.read_judgments(b"1 0 A 1 1\n1 0 B 2 -1\n1 0 C 2 0\n1 0 D 2 -1\n")
    assert known(strata) == {"A": Fraction(1)} | dict.fromkeys("BCD", Fraction(1, 3))


@pytest.mark.parametrize("value", ["0", "1.5", "-1", "0.0"])
def test_impossible_probabilities_of_prels(tmp_path: Path, value: str) -> None:
    """With file and line."""
    path = tmp_path / "prels"
    path.write_text(f"1 A 1 1 1\n1 B 0 1 {value}\n1 C 0 1 0.5\n")
    with pytest.raises(
        ExcerptError, match=rf"prels:2: found probability '{value}', expected a number above 0"
    ):
        excerpt.read_judgments(path)
