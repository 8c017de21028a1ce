"""Files in every form that are carried to another version of the documents."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from excerpt import Corpus, ExcerptError, Run, align, pool, read_pool, read_run, write_judgments, write_run
from excerpt.formats import read_judgments

OLD = {"a": "One two three. Four five six. Seven eight.", "b": "Nine ten.", "c": "Long gone."}
NEW = {"a": "Zero. One two three. Four 5 six. Seven eight.", "new-b": "Nine ten."}


def at(document: str, text: str) -> tuple[str, int, int]:
    """A place in the old version."""
    start = OLD[document].index(text)
    return document, start, start + len(text)


def table(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """The rows of a table."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


PLACES = [at("a", "One two three."), at("a", "Four five six."), at("b", "Nine"), at("c", "Long")]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs on the old version; the second has the first two results."""
    for name, count in (("one", 4), ("two", 2)):
        run = Run.of(name, [("1", *place) for place in PLACES[:count]])
        write_run(run, tmp_path / f"{name}.jsonl", corpus=OLD)
    return [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]


@pytest.mark.parametrize("unit", ["passage", "document"])
def test_a_pool(runs: list[Path], tmp_path: Path, unit: Any) -> None:
    """Its passages have their places now; what is gone is left out, what was renamed keeps its runs."""
    made = pool(runs, unit=unit, depth=9)
    made.write(tmp_path / "pool.tsv")
    found = align(tmp_path / "pool.tsv", OLD, NEW, tmp_path / "out.tsv")
    assert found.counts == {"kept": 1, "moved": 1, "changed": 1, "gone": 1}
    carried = read_pool(tmp_path / "out.tsv")
    assert carried.unit == unit
    items = [(item.document, item.runs, item.passages) for item in carried.items]
    one, two, nine = (1, 6, 20), (2, 21, 32), (3, 0, 4)
    if unit == "passage":
        assert items == [
            ("a", ("one", "two"), ((one,), (one,))),
            ("a", ("one", "two"), ((two,), (two,))),
            ("new-b", ("one",), ((nine,),)),
        ]
    else:
        assert items == [("a", ("one", "two"), ((one, two), (one, two))), ("new-b", ("one",), ((nine,),))]
    about = json.loads((tmp_path / "out.tsv.about.json").read_text(encoding="utf-8"))
    assert about["documents"] == {name: Corpus(NEW).hash(name)[:16] for name in NEW}
    assert made.results is not None
    assert carried.results is not None
    assert carried.results.tolist() == made.results.tolist() == [[4, 2]]


def test_a_pool_of_another_version(runs: list[Path], tmp_path: Path) -> None:
    """The file beside it is compared; without fingerprints none is written."""
    made = pool(runs, unit="passage", depth=9)
    made.write(tmp_path / "pool.tsv")
    align(tmp_path / "pool.tsv", OLD, NEW, tmp_path / "out.tsv")
    with pytest.raises(ExcerptError, match=r"out.tsv was made on another version of 1 of the 2 documents"):
        align(tmp_path / "out.tsv", {**OLD, "new-b": "Nine ten."}, NEW, tmp_path / "none.tsv")
    assert not (tmp_path / "none.tsv").exists()
    align(tmp_path / "pool.tsv", OLD, NEW, tmp_path / "out.tsv", fingerprint=False)
    assert not (tmp_path / "out.tsv.about.json").exists()


def test_a_pool_without_a_head(tmp_path: Path) -> None:
    """Its columns tell; a result whose place is not known stays."""
    path = tmp_path / "pool.tsv"
    path.write_text("topic\tdocument\truns\tpassages\n1\ta\tr\t1:0-14;2:\n1\tc\t-\t-\n", encoding="utf-8")
    align(path, OLD, NEW, tmp_path / "out.tsv")
    assert [(item.document, item.passages) for item in read_pool(tmp_path / "out.tsv").items] == [
        ("a", (((1, 6, 20), (2, -1, -1)),))
    ]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
def test_a_table_of_results(tmp_path: Path, delimiter: str) -> None:
    """The same columns, and cells that did not change as they are."""
    path, out = tmp_path / "run.csv", tmp_path / "out.csv"
    rows = [["topic", "document", "start", "end", "score"]]
    rows += [["1", *map(str, place), "1.50"] for place in PLACES]
    path.write_text("".join(f"{delimiter.join(row)}\n" for row in rows), encoding="utf-8")
    align(path, OLD, NEW, out)
    found = table(out, delimiter)
    assert list(found[0]) == [*rows[0], "fingerprint"]
    assert [(row["document"], row["start"], row["end"], row["score"]) for row in found] == [
        ("a", "6", "20", "1.50"),
        ("a", "21", "32", "1.50"),
        ("new-b", "0", "4", "1.50"),
    ]
    assert len(read_run(out, corpus=NEW)) == 3
    with pytest.raises(ExcerptError, match=r"out.csv was made on another version of 1 of the 2 documents"):
        read_run(out, corpus={**NEW, "a": "Other."})
    align(path, OLD, NEW, out, fingerprint=False)
    assert list(table(out, delimiter)[0]) == rows[0]


def test_a_table_of_quotes(tmp_path: Path) -> None:
    """A changed quote has the text of now, and the old one beside it."""
    path, out = tmp_path / "gold.csv", tmp_path / "out.csv"
    path.write_text(
        'question,document,quote\n"What, then?",a,One two\nHow?,a,Four five six\nWho?,c,Long\n',
        encoding="utf-8",
    )
    align(path, OLD, NEW, out, fingerprint=False)
    assert table(out) == [
        {"question": "What, then?", "document": "a", "quote": "One two", "was": ""},
        {"question": "How?", "document": "a", "quote": "Four 5 six", "was": "Four five six"},
    ]


def test_judgments_in_columns(tmp_path: Path) -> None:
    """FOL has the fingerprints beside it."""
    path, out = tmp_path / "qrels.fol", tmp_path / "out.fol"
    write_judgments(read_judgments([("1", *PLACES[0])]), path, corpus=OLD)
    align(path, OLD, NEW, out)
    now = read_judgments(out, corpus=NEW)
    assert [(span.start, span.end) for span in now.highlights("1")] == [(6, 20)]
    with pytest.raises(ExcerptError, match=r"out.fol was made on another version"):
        read_judgments(out, corpus=OLD)


def test_nothing_to_carry(tmp_path: Path) -> None:
    """Texts without offsets are for place."""
    path = tmp_path / "run.csv"
    path.write_text("topic,document,text\n1,a,One two\n", encoding="utf-8")
    with pytest.raises(ExcerptError, match=r"run.csv: no row has offsets or a quote"):
        align(path, OLD, NEW, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
