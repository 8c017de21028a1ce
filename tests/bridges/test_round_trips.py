"""Judgments of any texts, to each tool and back: the same table, but for what the tool cannot hold."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.span_sets import PIECES, tidy

import excerpt
from excerpt.bridges.judged_rows import JudgedRow, judgments_of_rows
from excerpt.bridges.tools import TOOLS
from excerpt.notices import Notices

TEXT = st.lists(st.sampled_from([*PIECES, "one ", "two ", "three."]), min_size=1, max_size=20).map("".join)
FOLDERS = {"brat", "uima"}
TIME = "2026-11-19T10:00:00Z"


class World(NamedTuple):
    """Texts, and what people judged in them."""

    texts: dict[str, str]
    rows: list[JudgedRow]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Two documents with any signs, two topics, two people; some judgments have grades and times."""
    texts = {"A": draw(TEXT), "doc b/2": draw(TEXT) + "."}
    rows = []
    for topic in ("7", "rent & more"):
        for document, text in texts.items():
            for name in draw(st.sets(st.sampled_from(["ann", "bob o'neil"]))):
                places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
                spans = tidy(draw(st.lists(places, max_size=3)))
                grade = draw(st.sampled_from([None, 0, 1, 3] if not spans else [None, 1, 2]))
                time = draw(st.sampled_from(["", TIME]))
                rows.append(JudgedRow(topic, document, spans, grade, (name,), time, len(text)))
    return World(texts, rows)


def there_and_back(world: World, tool: str) -> tuple[set[JudgedRow], Notices]:
    """Write judgments in a format and read them again."""
    notices = Notices()
    corpus = world.texts
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / ("out" if tool in FOLDERS else "out.data")
        judgments = judgments_of_rows(world.rows)
        excerpt.write_judgments(judgments, target, tool, corpus=corpus, notices=notices)
        found = excerpt.read_judgments(target, format=tool, corpus=corpus, notices=Notices())
    return {row._replace(spans=tidy([list(span) for span in row.spans])) for row in found.rows}, notices


@pytest.mark.parametrize("tool", ["doccano", "label-studio", "uima", "web-annotation"])
@given(worlds())
def test_these_tools_hold_everything(tool: str, world: World) -> None:
    """Topic, document, highlights, grade, assessors, time and length."""
    if world.rows:
        found, notices = there_and_back(world, tool)
        assert found == set(world.rows)
        assert not list(notices) or (
            tool == "uima" and any("\uffff" in text for text in world.texts.values())
        )


@given(worlds())
def test_fira_lacks_the_difference_of_no_grade(world: World) -> None:
    """Grades are given, and a judgment has ranges, a person, a time."""
    if world.rows:
        found, notices = there_and_back(world, "fira")
        assert found == {row._replace(grade=row.level) for row in world.rows}
        lost = sum(row.grade is None for row in world.rows)
        assert bool(lost) == any("no grade" in notice for notice in notices)


@given(worlds())
def test_brat_lacks_judgments_without_highlights(world: World) -> None:
    """And times, and ends of lines inside of highlights; all are said."""
    if any(row.spans for row in world.rows):
        found, notices = there_and_back(world, "brat")
        blank = {
            name: {at for at, sign in enumerate(text) if sign in "\r\n"} for name, text in world.texts.items()
        }
        for row in world.rows:
            own = [one for one in found if one[:2] == row[:2] and one.assessors == row.assessors]
            marked = {at for start, end in row.spans for at in range(start, end)}
            assert marked - blank[row.document] <= {
                at for one in own for s, e in one.spans for at in range(s, e)
            }
            assert {one.grade for one in own} <= {row.grade}
        lost = any(not row.spans for row in world.rows), any(row.time for row in world.rows)
        said = [any(what in notice for notice in notices) for what in ("no highlight", "a time")]
        assert said == list(lost)


@pytest.mark.parametrize("tool", ["doccano", "label-studio", "uima", "web-annotation", "fira"])
def test_grades_of_documents_survive(tool: str, tmp_path: Path) -> None:
    """TREC's, through a tool and JSON Lines, agree with themselves."""
    texts = {"A": "One.", "B": "Two."}
    qrels = b"1 0 A 3\n1 0 B 0\n2 0 A 1\n"
    target = tmp_path / ("out" if tool in FOLDERS else "out.json")
    excerpt.convert(qrels, target, tool, corpus=texts)
    excerpt.convert(target, tmp_path / "back.jsonl", "jsonl", source_format=tool, corpus=texts)
    found = excerpt.judges({"trec": qrels, "back": tmp_path / "back.jsonl"}).to_dict()
    assert found["pairs"][0]["documents"] == 3
    assert found["alpha"] == {"nominal": 1.0, "ordinal": 1.0}


@pytest.mark.parametrize("tool", ["brat", "doccano", "uima"])
def test_no_judgments_are_no_files(tool: str, tmp_path: Path) -> None:
    """An empty folder, with the type system of UIMA."""
    excerpt.write_judgments(
        judgments_of_rows([]), tmp_path / "out", tool, corpus={"A": "x"}, notices=Notices()
    )
    files = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert files == (["TypeSystem.xml"] if tool == "uima" else [])


@pytest.mark.parametrize("tool", TOOLS)
def test_the_example_is_read(tool: str) -> None:
    """And recognised without its name."""
    corpus = {"A": "The rent is due in May."}
    example = TOOLS[tool].example.encode()
    found = excerpt.read_judgments(example, corpus=corpus, topic="t", notices=Notices())
    assert found.rows
    assert any(row.spans for row in found.rows)
    again = excerpt.read_judgments(example, format=tool, corpus=corpus, topic="t", notices=Notices())
    assert again.rows == found.rows


@pytest.mark.parametrize("tool", TOOLS)
def test_texts_are_needed(tool: str, tmp_path: Path) -> None:
    """One line if a tool contains texts that nobody gave; nothing is written."""
    rows = [JudgedRow("1", "A", ((0, 3),))]
    target = tmp_path / ("out" if tool in FOLDERS else "out.json")
    if tool == "fira":
        excerpt.write_judgments(judgments_of_rows(rows), target, tool, notices=Notices())
        return
    with pytest.raises(excerpt.ExcerptError, match="contains the texts of documents"):
        excerpt.write_judgments(judgments_of_rows(rows), target, tool, notices=Notices())
    assert not list(tmp_path.iterdir())
