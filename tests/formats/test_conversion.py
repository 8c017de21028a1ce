"""Converting in Python: from anywhere, into any format that is written."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import excerpt
from excerpt.errors import ExcerptError, MissingData, UnknownName
from excerpt.index import OffsetIndex

RUN = b"1 Q0 A 1 0.5 mine 0 50\n"


def test_from_a_stream(tmp_path: Path) -> None:
    """An open file becomes a file of another format."""
    excerpt.convert(io.BytesIO(RUN), tmp_path / "run.jsonl", "jsonl")
    assert (tmp_path / "run.jsonl").read_text() == (
        '{"topic": "1", "document": "A", "start": 0, "end": 50, "score": 0.5, "rank": 1, "run": "mine"}\n'
    )


def test_results_that_do_not_exist(tmp_path: Path) -> None:
    """They stay what they are, and are counted."""
    notices = excerpt.Notices()
    excerpt.convert(b"1 Q0 A 1 0.5 mine X 0\n", tmp_path / "x", "bep", notices=notices)
    assert (tmp_path / "x").read_text() == "1 Q0 A 1 0.5 mine X\n"
    assert list(notices) == ["result has no place in the text, written with offset X (<bytes>)"]


def test_mistakes(tmp_path: Path) -> None:
    """Unknown formats, and formats of the other kind, are named; hints are in Python's words."""
    with pytest.raises(UnknownName, match="unknown format 'nosuch'"):
        excerpt.convert(RUN, tmp_path / "x", "fol", source_format="nosuch")
    with pytest.raises(UnknownName, match="unknown run format to write 'inex-graded'"):
        excerpt.convert(RUN, tmp_path / "x", "inex-graded")
    with pytest.raises(ExcerptError, match=r'found results without an element path.*; try format="fol"'):
        excerpt.convert(RUN, tmp_path / "x", "path")
    assert list(tmp_path.iterdir()) == []


def test_scores_that_do_not_keep_the_order(tmp_path: Path) -> None:
    """Where scores decide the order and would change it, others are written, which is said."""
    run = b"1 Q0 A 1 0.5 mine 0 50\n1 Q0 B 2 0.5 mine 0 50\n2 Q0 B 1 0.5 mine 0 50\n"
    notices = excerpt.Notices()
    excerpt.convert(run, tmp_path / "x", "trec", notices=notices)
    assert (tmp_path / "x").read_text() == "1 Q0 A 1 2 mine\n1 Q0 B 2 1 mine\n2 Q0 B 1 0.5 mine\n"
    assert list(notices) == [
        "topic's scores do not give its order and were replaced by descending numbers (<bytes>)"
    ]


def test_what_a_format_cannot_hold_is_located(tmp_path: Path) -> None:
    """A name that XML cannot contain is said of the file that it comes from."""
    source = tmp_path / "run"
    source.write_text(
        '{"topic": "1", "document": "\\u001b", "start": 0, "end": 5, "score": 1, "run": "mine"}\n'
    )
    with pytest.raises(ExcerptError) as caught:
        excerpt.convert(source, tmp_path / "x", "inex")
    assert str(caught.value).startswith(f"{source}: found the name ")


def test_judgments_of_whole_documents_have_no_text(tmp_path: Path) -> None:
    """No passage is made up for them."""
    for name in ("fol", "jsonl"):
        with pytest.raises(
            MissingData, match=f"format {name} needs text, the judgments are of whole documents"
        ):
            excerpt.convert(b"1 0 A 1\n1 0 B 0\n", tmp_path / "x", name)
    assert list(tmp_path.iterdir()) == []


def test_an_index_of_other_documents(tmp_path: Path) -> None:
    """A run none of whose documents the index has is refused, here as by a check."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "B.xml").write_text("<a>some text</a>")
    excerpt.build_index(tmp_path / "docs", tmp_path / "index")
    index = excerpt.OffsetIndex.open(tmp_path / "index")
    message = r"found none of its documents in the index \(such as A\), expected the same corpus"
    with pytest.raises(ExcerptError, match=message):
        excerpt.convert(b"1 Q0 A 1 0.5 mine\n", tmp_path / "x", "fol", index=index)
    assert [str(fault).partition("found")[1] for fault in excerpt.check(RUN, index=index).faults] == ["found"]


def test_ranks_follow_the_order(tmp_path: Path) -> None:
    """A run that is ordered by score gets the ranks of that order, unless its own fit."""
    for ranks, written in (((1, 2, 3), (1, 2, 3)), ((5, 7, 6), (5, 6, 7))):
        scores = zip("ABC", ranks, (3.0, 1.0, 2.0) if ranks[0] == 5 else (1.0, 2.0, 3.0), strict=True)
        run = "".join(f"1 Q0 {name} {rank} {score} r\n" for name, rank, score in scores)
        excerpt.convert(run.encode(), tmp_path / "x", "jsonl")
        found = [json.loads(line)["rank"] for line in (tmp_path / "x").read_text().splitlines()]
        assert tuple(found) == written


def test_doubts_are_python_warnings(tmp_path: Path) -> None:
    """Who gives no notices is warned by Python, as by other readers."""
    with pytest.warns(excerpt.ExcerptWarning, match="written with"):
        excerpt.convert(b"1 Q0 A 1 0.5 mine X 0\n", tmp_path / "x", "bep")


def test_highlights_become_assessments_and_come_back(tmp_path: Path, index: OffsetIndex) -> None:
    """FOL to XML, whose pointers count text nodes, and back: without the index, too."""
    qrels = b"1 Q0 A 12 22 15 3:5 15:7\n1 Q0 B 0 4\n2 Q0 B 1 4 0 0:1\n"
    with pytest.raises(MissingData, match="format inex needs the elements of every document; give index="):
        excerpt.convert(qrels, tmp_path / "x.xml", "inex")
    assert list(tmp_path.iterdir()) == []
    excerpt.convert(qrels, tmp_path / "x.xml", "inex", index=index)
    assert 'end="/article[1]/bdy[1]/p[2]/text()[1].1"' in (tmp_path / "x.xml").read_text()
    for known in (index, None):
        excerpt.convert(tmp_path / "x.xml", tmp_path / "y.fol", "fol", index=known)
        assert (tmp_path / "y.fol").read_bytes() == qrels


def test_grades_of_elements_stay_grades(tmp_path: Path) -> None:
    """From XML to lines and back; as text alone they cannot be written."""
    one, two, again = tmp_path / "one.xml", tmp_path / "two.jsonl", tmp_path / "again.xml"
    one.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<assessments topic="1">\n<file file="A">\n'
        '<path path="/a[1]" exhaustiveness="3" specificity="1"/>\n</file>\n</assessments>\n'
    )
    excerpt.convert(one, two, "jsonl")
    excerpt.convert(two, again, "inex-graded")
    assert again.read_bytes() == one.read_bytes()
    for name in ("fol", "trec"):
        with pytest.raises(MissingData, match=f"format {name} needs highlighted text"):
            excerpt.convert(one, tmp_path / "no", name)
