"""Runs and judgments as dictionaries: what goes out comes back, in Python and in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.strategies import Case, cases

import excerpt
from excerpt import ExcerptError, Judgments, Notices, Run, Span
from excerpt.model.elements import GradedElement
from excerpt.model.judgments import Judgment

IDS = st.sampled_from(("1", "2", "é", 'a "b"', "x" * 40))
SCORES = st.one_of(st.none(), st.integers(-3, 3), st.floats(allow_nan=False))
_IN_FILES = settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])


@st.composite
def rows(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Rows of one run: spans, elements or whole documents, with costs of all and further keys of some."""
    kind = draw(st.sampled_from(("spans", "elements", "documents", "texts")))
    costs = draw(st.lists(st.sampled_from(("tokens", "words", "characters", "lead")), unique=True))
    name = draw(st.sampled_from(({}, {"run": "mine"})))
    made = []
    for _ in range(draw(st.integers(0, 8))):
        row: dict[str, Any] = {"topic": draw(IDS), "document": draw(IDS)}
        start = draw(st.integers(0, 50))
        if kind == "spans" or (kind == "elements" and draw(st.booleans())):
            row |= {"start": start, "end": start + draw(st.integers(0, 9))}
        if kind == "elements" and "start" not in row:
            row["path"] = draw(st.sampled_from(("/a[1]", "/a[1]/b[2]")))
        if kind == "texts":
            row["text"] = draw(st.sampled_from(("one two", 'a "quote"\n', "é")))
        if kind == "spans" and draw(st.booleans()):
            row |= draw(st.sampled_from(({"path": "/a[1]"}, {"text": "some"})))
        if kind == "spans" and draw(st.integers(0, 3)) == 0:
            row |= {"start": -1, "end": -1, "lost": draw(st.integers(1, 9))}
        if (score := draw(SCORES)) is not None:
            row["score"] = score
        if draw(st.booleans()):
            row["rank"] = draw(st.integers(0, 9))
        made.append(row | {cost: draw(st.integers(1, 20)) for cost in costs} | name)
    return made


@settings(max_examples=200)
@given(rows())
def test_a_run_comes_back_from_its_dictionaries(given_rows: list[dict[str, Any]]) -> None:
    """Every value of a result, and the name of the run, is in the dictionaries; nothing else is."""
    run = Run.of(given_rows, notices=Notices())
    again = Run.of(run.to_dicts(), notices=Notices())
    assert again.equals(run)
    assert run.equals(again)
    assert (again.name, again.kind, list(again)) == (run.name, run.kind, list(run))
    topics = list(dict.fromkeys(row["topic"] for row in given_rows))
    expected = [row for topic in topics for row in given_rows if row["topic"] == topic]
    for found, row in zip(run.to_dicts(), expected, strict=True):
        known = {key: value for key, value in found.items() if key != "run"}
        assert known == {key: value for key, value in row.items() if key != "run"}


@_IN_FILES
@given(given_rows=rows())
def test_the_dictionaries_are_the_lines_of_json(tmp_path: Path, given_rows: list[dict[str, Any]]) -> None:
    """A file of JSON Lines has them, and read again it is the same run, unless its texts are to be found."""
    run, path = Run.of("mine", given_rows, notices=Notices()), tmp_path / "run.jsonl"
    run.save(path, notices=Notices())
    lines = path.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == run.to_dicts()
    if given_rows and not any("text" in row for row in given_rows):
        assert excerpt.read_run(path, notices=Notices()).equals(run)


def test_runs_that_are_not_equal() -> None:
    """Name, order, place, score, path, cost, text, kind: each makes another run."""
    row = {"topic": "1", "document": "A", "start": 0, "end": 9, "score": 1.0, "tokens": 3}
    run = Run.of("r", [row, row | {"document": "B"}])
    assert run.equals(Run.of("r", run.to_dicts()))
    assert not run.equals(run.to_dicts())
    assert not Run.of("r", [{"topic": "1", "document": "A"}]).equals(Run.of("r", [("1", "A", 0, 1)]))
    for other in (
        Run.of("s", run.to_dicts()),
        Run.of("r", run.to_dicts()[::-1]),
        Run.of("r", run.to_dicts()[:1]),
        *(Run.of("r", [row | change, row | {"document": "B"}]) for change in ({"end": 8}, {"score": 2.0})),
        *(
            Run.of("r", [row | change, row | {"document": "B"}])
            for change in ({"rank": 1}, {"path": "/a[1]"})
        ),
        Run.of("r", [row | {"tokens": 4}, row | {"document": "B"}]),
    ):
        assert not run.equals(other)


def test_a_run_without_a_name_has_that_of_its_rows() -> None:
    """Else it is called run; a name that is given counts; rows of two runs are no run."""
    row = {"topic": "1", "document": "A", "start": 0, "end": 9}
    assert Run.of([row | {"run": "bm25"}]).name == "bm25"
    assert Run.of([row]).name == "run"
    assert Run.of("mine", [row | {"run": "bm25"}]).name == "mine"
    assert excerpt.evaluate([row], [row | {"run": "bm25"}], ["charP"]).runs == ("bm25",)
    with pytest.raises(ExcerptError, match="found rows of the runs a, b, expected rows of one run"):
        Run.of([row | {"run": "a"}, row | {"run": "b"}])
    with pytest.raises(ExcerptError, match=r"no results for the run 'x.jsonl'; give .* read_run\(path\)"):
        Run.of("x.jsonl")


@settings(max_examples=150)
@given(cases())
def test_judgments_come_back(case: Case) -> None:
    """As dictionaries, and as passages but for lengths and entry points."""
    judgments = case.judgments()
    again = Judgments.of(judgments.to_dicts())
    assert again.equals(judgments)
    assert judgments.equals(again)
    bare = Judgments.of(
        [(topic, Span(name, start, end)) for topic, name, start, end in case.highlights],
        irrelevant=case.irrelevant,
    )
    assert Judgments.of(list(judgments)).equals(bare)
    assert Judgments.of(judgment for judgment in judgments).equals(bare)
    assert {row[:2] for row in judgments} == {row[:2] for row in case.highlights} | set(case.irrelevant)


@_IN_FILES
@given(case=cases())
def test_judgments_come_back_from_a_file(tmp_path: Path, case: Case) -> None:
    """JSON Lines has all that the dictionaries say."""
    judgments, path = case.judgments(), tmp_path / "gold.jsonl"
    judgments.save(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == judgments.to_dicts()
    if lines:
        assert excerpt.read_judgments(path, notices=Notices()).equals(judgments)


GRADES = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1), min_size=1)


@_IN_FILES
@given(grades=GRADES)
def test_grades_of_documents_come_back(tmp_path: Path, grades: dict[str, dict[str, int]]) -> None:
    """Whole documents have grades, and no place; every way out keeps them."""
    judgments, path = Judgments.of(grades), tmp_path / "qrels.jsonl"
    listed = {(topic, name): grade for topic, row in grades.items() for name, grade in row.items()}
    assert {row[:2]: row.grade for row in judgments} == listed
    assert all((row.start, row.end) == (-1, -1) for row in judgments)
    judgments.save(path)
    for again in (
        Judgments.of(judgments.to_dicts()),
        Judgments.of(list(judgments)),
        excerpt.read_judgments(path),
    ):
        assert (again.equals(judgments), again.scale) == (True, "documents")
        assert [*map(again.relevant_by_topic.__getitem__, map(again.topics.index, judgments.topics))] == [
            *judgments.relevant_by_topic
        ]


def test_a_file_of_grades_is_one_of_trec(tmp_path: Path) -> None:
    """Whole documents, judged or returned, go into columns of TREC unless a format is named."""
    Judgments.of({"1": {"A": 2, "B": 0}}).save(tmp_path / "qrels")
    assert (tmp_path / "qrels").read_bytes() == b"1 0 A 2\n1 0 B 0\n"
    Run.of("r", {"1": {"A": 0.5, "B": 0.25}}).save(tmp_path / "run")
    assert (tmp_path / "run").read_bytes() == b"1 Q0 A 1 0.5 r\n1 Q0 B 2 0.25 r\n"
    Run.of("r", [("1", "A", 0, 9, 0.5)]).save(tmp_path / "spans")
    assert (tmp_path / "spans").read_bytes() == b"1 Q0 A 1 0.5 r 0 9\n"


def test_questions_alternatives_and_elements_come_back() -> None:
    """Rows with a question and a group, with alternatives, and with assessed elements."""
    rows: list[dict[str, Any]] = [
        {"topic": "1", "document": "A", "spans": [[0, 5]], "question": "Who?", "group": "law"},
        {
            "topic": "1",
            "any_of": [{"document": "B", "start": 0, "end": 9}, {"document": "C", "start": 2, "end": 8}],
        },
        {"topic": "2", "question": "Nobody knows?"},
    ]
    judgments = Judgments.of(rows)
    assert Judgments.of(judgments.to_dicts()).equals(judgments)
    assert judgments.to_dicts()[-1] == rows[-1]
    assert not Judgments.of(rows[:2]).equals(judgments)
    assert not Judgments.of([rows[0] | {"group": "news"}, *rows[1:]]).equals(judgments)
    elements = [GradedElement("1", "A", "/a[1]/b[1]", 2, 3), GradedElement("1", "A", "/a[1]", 1, 1)]
    graded = Judgments.graded(elements, scale="exhaustivity and specificity")
    assert excerpt.read_judgments(graded.to_dicts()).equals(graded)
    assert list(graded) == [Judgment("1", "A", -1, -1)]
    with pytest.raises(ExcerptError, match=r"read_judgments\(rows\) reads assessed elements"):
        Judgments.of(graded.to_dicts())


def test_judgments_are_no_run_and_a_run_is_no_judgments() -> None:
    """Both are rows with topic, document, start and end, but never taken for one another."""
    gold, run = Judgments.of([("1", "A", 0, 9)]), Run.of("r", [("1", "A", 0, 9)])
    for wrong in (gold, [gold], {"r": gold}):
        with pytest.raises(
            ExcerptError, match="found judgments, expected a run; are judgments and run swapped"
        ):
            excerpt.evaluate(gold, wrong, ["charP"])
    with pytest.raises(
        ExcerptError, match="found judgments, expected results; are judgments and run swapped"
    ):
        Run.of("r", gold)
    with pytest.raises(ExcerptError, match=r"found Judgment.* as a result"):
        Run.of("r", list(gold))
    with pytest.raises(ExcerptError, match=r"found Result.* as relevant text"):
        Judgments.of(list(run))
    with pytest.raises(ExcerptError, match="found a run, expected judgments"):
        excerpt.evaluate(run, run, ["charP"])
