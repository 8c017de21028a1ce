"""Tests of the procedures that grade elements, by examples from the papers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.judged_campaign import judged_campaign
from support.judgments_said import elements_said
from support.small_campaign import USEFUL, small_campaign
from support.small_campaign import do as record

from excerpt.assess.agreement import measure_agreement
from excerpt.assess.campaign import Campaign
from excerpt.assess.creation import import_judgments
from excerpt.assess.events import Event, History
from excerpt.assess.export import exported
from excerpt.assess.folder import InvalidEvent
from excerpt.assess.procedures import PROCEDURES, Procedure, procedure_of
from excerpt.assess.rules import RELATIONS, ElementTree, Rules
from excerpt.corpus import Element
from excerpt.errors import UnknownName
from excerpt.formats import read_judgments
from excerpt.model.elements import COVERAGE

#: An article with two sections: of 100 characters (paragraphs of 60 and 40), and of 100 (one of 60).
ARTICLE = [
    Element("article", 0, 0, 200),
    Element("sec", 1, 0, 100),
    Element("p", 2, 0, 60),
    Element("p", 2, 60, 100),
    Element("sec", 1, 100, 200),
    Element("p", 2, 100, 160),
    Element("fig", 2, 160, 160),
]
ROOT, SEC, P1, P2 = "/article[1]", "/article[1]/sec[1]", "/article[1]/sec[1]/p[1]", "/article[1]/sec[1]/p[2]"
SEC2, P3, FIG = "/article[1]/sec[2]", "/article[1]/sec[2]/p[1]", "/article[1]/sec[2]/fig[1]"


def history(name: str, version: int | None = None, **how: Any) -> History:
    """The history of the article without judgments."""
    return History(Rules(procedure_of(name, version), ElementTree(ARTICLE), **how))


def do(before: History, kind: str, *span: int, **body: Any) -> History:
    """The history with one more event."""
    fields = dict(zip(("start", "end"), span, strict=False)) | body
    return before.apply(Event("x", "7", "a", before.version, kind, fields))


def closed(*spans: tuple[int, int], least: int = 50) -> History:
    """The history of INEX 2005 with highlighted text, after its phase was closed."""
    rest = procedure_of("inex2005").rest
    assert rest is not None
    procedure = procedure_of("inex2005")._replace(rest=rest._replace(least=least))
    before = History(Rules(procedure, ElementTree(ARTICLE)))
    for span in spans:
        before = do(before, "highlight", *span)
    return do(before, "close-phase")


def grade(before: History, *grades: tuple[str, Any]) -> History:
    """The history with grades."""
    for path, given in grades:
        before = do(before, "grade", path=path, grade=given)
    return before


def test_2005_without_highlights_is_finished_at_once() -> None:
    """A document without relevant text needs no grades and no phases."""
    assert do(history("inex2005"), "done").state.done


@pytest.mark.parametrize(("name", "nothing"), [("inex2002", [0, "N"]), ("inex2004", [0, 0])])
def test_a_pool_of_documents_requires_the_article(name: str, nothing: list[Any]) -> None:
    """One grade finishes a document that is not relevant."""
    empty = history(name)
    assert (empty.state.owed, empty.state.problems) == ([ROOT], ["1 grade missing"])
    with pytest.raises(InvalidEvent, match="cannot be finished: 1 grade missing"):
        do(empty, "done")
    assert do(grade(empty, (ROOT, nothing)), "done").state.grades == {ROOT: nothing}


#: Pooled: a paragraph; the other section by a passage of it; characters of two paragraphs; a figure.
POOLED = [(0, 60), (150, 180), (50, 70), (160, 160)]


@pytest.mark.parametrize(("name", "nothing"), [("inex2002", [0, "N"]), ("inex2004", [0, 0])])
def test_a_pool_of_passages_requires_its_elements(name: str, nothing: list[Any]) -> None:
    """ "All elements forming the pool": until graded, or inside an element that is not relevant."""
    empty = history(name, pooled=POOLED)
    assert empty.state.owed == [SEC, P1, SEC2]  # elements without text are not graded
    one = grade(empty, (SEC, nothing))
    assert (one.state.owed, one.state.inferred) == ([SEC2], {P1: nothing})
    with pytest.raises(InvalidEvent, match="1 grade missing"):
        do(one, "done")
    assert do(grade(one, (SEC2, nothing)), "done").state.done
    all_ = do(grade(empty, (ROOT, nothing)), "done")
    assert (all_.state.done, all_.state.inferred) == (True, {SEC: nothing, P1: nothing, SEC2: nothing})
    assert do(all_, "undo").state.done is False


#: An article with what says of a journal which it is, and a title.
JOURNAL = [
    *(Element("article", 0, 0, 9), Element("front", 1, 0, 6), Element("journal-meta", 2, 0, 2)),
    *(Element("journal-id", 3, 0, 1), Element("issn", 3, 1, 2), Element("article-meta", 2, 2, 6)),
    *(Element("article-id", 3, 2, 4), Element("title-group", 3, 4, 6), Element("body", 1, 6, 9)),
]


def test_ids_of_a_journal_are_not_owed() -> None:
    """Of the relatives of a relevant article only those that are text of it; the pool may ask for more."""
    rules = Rules(procedure_of("inex2002"), ElementTree(JOURNAL))
    article = grade(History(rules), (ROOT, [2, "E"])).state
    assert [path.rpartition("/")[2] for path in article.owed] == [
        "front[1]",
        "article-meta[1]",
        "title-group[1]",
        "body[1]",
    ]
    pooled = Rules(procedure_of("inex2002"), ElementTree(JOURNAL), pooled=[(1, 2)])
    assert "/article[1]/front[1]/journal-meta[1]/issn[1]" in History(pooled).state.owed
    first = Rules(procedure_of("inex2002", 1), ElementTree(JOURNAL))
    assert len(grade(History(first), (ROOT, [2, "E"])).state.owed) == len(JOURNAL) - 1


def test_pooled_passages_are_elements_by_their_span() -> None:
    """The outermost of several with one span; else the smallest around the passage; else the root."""
    found = ElementTree([Element(*row) for row in (("a", 0, 0, 9), ("b", 1, 2, 6), ("c", 2, 2, 6))])
    assert [found.around(*span) for span in ((2, 6), (3, 4), (5, 8), (0, 99), (8, 9))] == [1, 1, 0, 0, 0]


@pytest.mark.parametrize("name", ["inex2002", "inex2004", "inex2005"])
def test_first_campaigns_finish_at_once(name: str) -> None:
    """Campaigns of version 1 require no grades of the pool."""
    assert history(name, 1, pooled=POOLED).state.owed == []
    assert do(history(name, 1, pooled=POOLED), "done").state.done


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("inex2002", [0, "E"]),
        ("inex2002", [2, "N"]),
        ("inex2002", [3, "S"]),  # "cannot be highly relevant" (Gövert et al., 4.2)
        ("inex2002", [4, "E"]),
        ("inex2002", "3S"),
        ("inex2002", "2EE"),
        ("inex2002", "E2"),
        ("inex2002", ""),
        ("inex2002", [2, 2]),
        ("inex2002", 2),
        ("inex2004", [0, 1]),
        ("inex2004", [1, 0]),
        ("inex2004", [3, 4]),
        ("inex2004", "?"),
        ("inex2004", [1, None]),
        ("inex2005", -1),
        ("inex2005", 3),
        ("inex2005", [2, 1]),
    ],
)
def test_grades_are_of_the_scale(name: str, given: Any) -> None:
    """Invalid grades and contradicting combinations are rejected."""
    before = closed((0, 9)) if name == "inex2005" else history(name)
    with pytest.raises(InvalidEvent, match="found the grade"):
        grade(before, (P1, given))


@pytest.mark.parametrize(
    ("name", "given", "kept"),
    [
        ("inex2002", [1, "S"], [1, "S"]),
        ("inex2002", ["2", "l"], [2, "L"]),
        ("inex2002", "2E", [2, "E"]),
        ("inex2002", "1s", [1, "S"]),
        ("inex2004", "23", [2, 3]),
        ("inex2002", [0, "N"], [0, "N"]),
        ("inex2004", [2, 3], [2, 3]),  # fairly exhaustive and highly specific (Ogilvie & Lalmas, 2.4)
        ("inex2004", ["0", "0"], [0, 0]),
        ("inex2005", "2", 2),
        ("inex2005", "0", 0),
        ("inex2005", "?", "?"),
    ],
)
def test_grades_are_kept_in_one_form(name: str, given: Any, kept: Any) -> None:
    """Grades have one stored form, and can be removed."""
    before = closed((0, 9), least=100) if name == "inex2005" else history(name)
    after = grade(before, ("/article/sec/p", given))
    assert after.state.grades == {P1: kept}
    assert grade(after, (P1, None)).state.grades == {}


def test_paths_are_of_elements() -> None:
    """Unknown paths are rejected."""
    with pytest.raises(InvalidEvent, match="expected an element of the document"):
        grade(history("inex2004"), ("/article[1]/sec[3]", [1, 1]))


def test_2004_owes_parent_children_and_siblings_of_what_is_relevant() -> None:
    """ "For any element assessed as relevant its parent, its children and its sibling" (Ogilvie & Lalmas)."""
    one = grade(history("inex2004", pooled=[(0, 60)]), (P1, [2, 3]))
    assert one.state.owed == [SEC, P2]
    assert one.state.problems == ["2 grades missing"]
    with pytest.raises(InvalidEvent, match="cannot be finished: 2 grades missing"):
        do(one, "done")
    assert one.state.inferred == {ROOT: [2, None], SEC: [2, None]}
    two = grade(one, (SEC, [2, 2]), (P2, [0, 0]))
    assert two.state.owed == [ROOT, SEC2]
    three = grade(two, (ROOT, [3, 1]), (SEC2, [0, 0]))
    assert (three.state.owed, three.state.inferred) == ([], {})
    assert do(three, "done").state.done


def test_2004_children_without_text_are_not_owed() -> None:
    """An element without text, such as a figure without a caption, needs no grade."""
    assert FIG not in grade(history("inex2004"), (SEC2, [1, 1])).state.owed


def test_2004_a_parent_is_at_least_as_exhaustive_as_its_child() -> None:
    """The order of grading does not matter."""
    one = grade(history("inex2004"), (P1, [2, 3]))
    with pytest.raises(InvalidEvent, match=r"found exhaustivity 1 for .*expected at least 2"):
        grade(one, (SEC, [1, 1]))
    two = grade(one, (SEC, [2, 2]))
    with pytest.raises(InvalidEvent, match=r"found exhaustivity 3 for .*expected at most 2"):
        grade(two, (P2, [3, 3]))
    assert grade(two, (SEC, [3, 2]), (P2, [3, 3])).state.grades == {SEC: [3, 2], P1: [2, 3], P2: [3, 3]}


def test_2002_owes_ancestors_and_descendants_of_what_is_relevant() -> None:
    """ "And their ascendant and descendant elements" (Gövert et al., 4.3)."""
    one = grade(history("inex2002"), (SEC, [2, "E"]))
    assert one.state.owed == [ROOT, P1, P2]
    two = grade(one, (ROOT, [2, "L"]))
    assert two.state.owed == [P1, P2, SEC2, P3]


def test_2002_parts_of_what_is_irrelevant_are_irrelevant() -> None:
    """Their grades are inferred; elements around relevant text are relevant (Gövert et al., 4.1)."""
    one = grade(history("inex2002"), (ROOT, [2, "L"]), (SEC2, [0, "N"]))
    assert one.state.owed == [SEC, P1, P2]
    assert one.state.inferred == {P3: [0, "N"]}
    with pytest.raises(InvalidEvent, match="expected at most 0"):
        grade(one, (P3, [1, "E"]))
    three = grade(one, (P1, [3, "E"]))
    assert three.state.grades[P1] == [3, "E"]  # more than the root has
    with pytest.raises(InvalidEvent, match=r"found relevance 0 for .* at least 1, since .* inside it has 3"):
        grade(three, (ROOT, [0, "N"]))
    assert grade(three, (ROOT, [1, "L"])).state.grades[ROOT] == [1, "L"]


def test_2005_owes_every_element_with_highlighted_text() -> None:
    """ "Those elements that intersected with any of the highlighted text fragments" (Ogilvie & Lalmas)."""
    marked = closed((55, 60))
    assert marked.state.owed == [ROOT, SEC, P1]
    with pytest.raises(InvalidEvent, match="expected an element with highlighted text"):
        grade(marked, (P2, 1))
    all_ = grade(marked, (ROOT, 2), (SEC, 1), (P1, 0))
    assert (all_.state.owed, all_.state.problems) == ([], [])
    assert do(all_, "done").state.done


def test_2005_has_two_phases() -> None:
    """Text is highlighted before, elements are graded after highlighting is closed; grades are kept."""
    marked = do(history("inex2005"), "highlight", 55, 60)
    assert (marked.state.owed, marked.state.closed) == ([], False)
    assert marked.state.problems == ["highlighting is not closed"]
    with pytest.raises(InvalidEvent, match="cannot be finished: highlighting is not closed"):
        do(marked, "done")
    with pytest.raises(InvalidEvent, match="elements are graded after highlighting is closed"):
        grade(marked, (ROOT, 1))
    with pytest.raises(InvalidEvent, match="highlighting is open already"):
        do(marked, "reopen-phase")
    done = do(grade(do(marked, "close-phase"), (ROOT, 1), (SEC, 1), (P1, 1)), "done")
    for kind in ("highlight", "unhighlight"):
        with pytest.raises(InvalidEvent, match="highlighting is closed; re-open it"):
            do(done, kind, 60, 61)
    with pytest.raises(InvalidEvent, match="highlighting is closed already"):
        do(done, "close-phase")
    again = do(done, "reopen-phase")
    assert (again.state.done, again.state.closed, again.state.grades) == (False, False, done.state.grades)
    more = do(do(again, "highlight", 60, 61), "close-phase")
    assert (more.state.owed, more.state.grades) == ([P2], done.state.grades)
    back = do(do(do(more, "undo"), "undo"), "undo")  # to the finished document
    assert (back.state.done, back.state.closed) == (True, True)
    assert do(do(back, "redo"), "redo").state.closed is False
    assert "closed" not in history("inex2007").state.to_json()


def test_2005_an_element_has_at_least_the_grade_of_each_inside() -> None:
    """2 inside 1, 0 or ? is refused, in either order, single or for all that is left; ? and 0 are equal."""
    marked = closed((50, 70), least=1000)
    for low in (1, 0, "?"):
        with pytest.raises(
            InvalidEvent, match=r"found exhaustivity 2 for .*expected at most .*, which contains it"
        ):
            grade(marked, (SEC, low), (P1, 2))
        with pytest.raises(InvalidEvent, match=r"expected at least 2, since .* inside it has 2"):
            grade(marked, (P1, 2), (SEC, low))
    for pair in ((0, "?"), ("?", 0), ("?", "?"), (1, "?"), (2, 0), (1, 1)):
        assert grade(marked, (SEC, pair[0]), (P1, pair[1])).state.grades == {SEC: pair[0], P1: pair[1]}
    with pytest.raises(InvalidEvent, match=r"found exhaustivity \? for .*expected at least 1"):
        do(grade(marked, (P1, 1)), "grade", path=ROOT, rest=True)
    assert do(grade(marked, (ROOT, 2), (SEC, 1), (P1, 1)), "grade", path=ROOT, rest=True).state.owed == []


def test_2005_long_elements_are_too_small_after_a_second_question() -> None:
    """From 50 characters on; the event says that the assessor was sure."""
    marked = closed((0, 5), (90, 95), least=60)
    with pytest.raises(InvalidEvent, match=r"p\[1\] has 60 characters: confirm that it is too small"):
        grade(marked, (P1, "?"))
    assert do(marked, "grade", path=P1, grade="?", sure=True).state.grades == {P1: "?"}
    assert grade(closed((0, 5), least=61), (P1, "?")).state.grades == {P1: "?"}
    assert grade(closed((90, 95)), (P2, "?")).state.grades == {P2: "?"}
    rest = procedure_of("inex2005").rest
    assert rest is not None
    assert rest.least == 50


def test_first_campaigns_of_2005_keep_their_rules() -> None:
    """Version 1 has no phases, no grade 0, no rule on containers, and asks for long elements in bulk only."""
    marked = do(history("inex2005", 1), "highlight", 55, 60)
    assert marked.state.owed == [ROOT, SEC, P1]
    assert grade(marked, (ROOT, "?"), (SEC, 1), (P1, 2)).state.owed == []
    with pytest.raises(InvalidEvent, match="found the grade 0"):
        grade(marked, (ROOT, 0))
    with pytest.raises(InvalidEvent, match="found the kind close-phase"):
        do(marked, "close-phase")
    assert "closed" not in marked.state.to_json()


def test_2005_grades_follow_the_highlights() -> None:
    """An element without highlighted text loses its grade, which is reported once."""
    graded = grade(closed((55, 60), (90, 95)), (ROOT, 2), (SEC, 2), (P1, 1), (P2, 1))
    graded = do(graded, "reopen-phase")
    cut = do(graded, "unhighlight", 50, 60)
    assert (cut.state.withdrawn, cut.state.grades) == ([P1], {ROOT: 2, SEC: 2, P2: 1})
    assert do(cut, "note", note="x").state.withdrawn == []
    back = do(cut, "undo")
    assert (back.state.grades, back.state.withdrawn) == (graded.state.grades, [])
    again = do(back, "redo")
    assert (again.state.grades, again.state.withdrawn) == (cut.state.grades, [P1])


def test_2005_all_that_is_left_is_too_small_only_if_it_is_small_or_sure() -> None:
    """Ungraded elements of 50 characters or more need a confirmation."""
    marked = closed((0, 5), (90, 95))
    small = do(marked, "grade", path=P2, rest=True)
    assert small.state.grades == {P2: "?"}
    with pytest.raises(InvalidEvent, match="2 of the 2 ungraded elements have 50 characters or more"):
        do(small, "grade", path=SEC, rest=True)
    sure = do(small, "grade", path=SEC, rest=True, sure=True)
    assert sure.state.grades == {SEC: "?", P1: "?", P2: "?"}
    assert sure.state.owed == [ROOT]
    with pytest.raises(InvalidEvent, match="contains no ungraded elements"):
        do(sure, "grade", path=SEC, rest=True)
    with pytest.raises(InvalidEvent, match="found 1 for all ungraded elements"):
        do(small, "grade", path=SEC, rest=True, grade=1)
    assert grade(sure, (SEC, 2)).state.grades == {SEC: 2, P1: "?", P2: "?"}
    assert do(sure, "undo").state.grades == {P2: "?"}


@pytest.mark.parametrize("name", ["inex2002", "inex2004"])
def test_there_is_no_rest_elsewhere(name: str) -> None:
    """Only inex2005 grades all remaining elements at once."""
    with pytest.raises(InvalidEvent, match="grades one element at a time"):
        do(history(name), "grade", path=P1, rest=True)


def test_procedures_are_known_by_name() -> None:
    """Every procedure has a description; those of INEX are in the order of their years."""
    ours = ["inex2002", "inex2004", "inex2005", "inex2006", "inex2007", "highlight", "evidence"]
    assert [name for name in PROCEDURES if name in ours] == ours
    assert all(procedure.description for procedure in PROCEDURES.values())
    with pytest.raises(UnknownName, match="did you mean 'inex2007'"):
        procedure_of("inex-2007")


#: Grades that judgments of each scale can have, by part.
HELD: dict[str, tuple[set[int | str], ...]] = {
    "highlights": (),
    "exhaustivity 0-2": ({2, 1, 0, "?"},),
    "exhaustivity and specificity": ({0, 1, 2, 3}, {0, 1, 2, 3}),
    "relevance and coverage": ({0, 1, 2, 3}, {*COVERAGE}),
}


@pytest.mark.parametrize("procedure", [*PROCEDURES.values(), USEFUL])
def test_procedures_are_made_of_known_parts(procedure: Procedure) -> None:
    """Grades fit the exported scale, keys are unambiguous, relations exist."""
    values = tuple({value for value, _ in part.values} for part in procedure.scale)
    assert all(given <= held for given, held in zip(values, HELD[procedure.exports], strict=True))
    assert len(procedure.scale) == (min(1, len(procedure.scale)) if procedure.marks else 2)
    assert set(procedure.around) <= set(RELATIONS)
    assert bool(procedure.around) == procedure.pooled == (not procedure.marks)
    assert procedure.marks or procedure.carried
    assert not procedure.phases or (procedure.marks and procedure.scale)
    assert bool(procedure.expected) == bool(procedure.scale)
    for part in procedure.scale:
        words = [word for _, word in part.values]
        assert len(set(words)) == len(words)
        assert all(len(word) == 1 for word in words)
    assert procedure.rest is None or procedure.rest.grade in values[0]
    assert json.loads(json.dumps(procedure.to_json()))["nothing"] == procedure.nothing


@pytest.fixture
def useful(monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a procedure to the table."""
    monkeypatch.setitem(PROCEDURES, USEFUL.name, USEFUL)
    return USEFUL.name


def test_a_procedure_of_known_parts_is_one_entry(useful: str, tmp_path: Path) -> None:
    """Events, states, page, export, import and agreement follow from the table."""
    with judged_campaign(tmp_path / "c", useful) as campaign:
        pool = campaign.pool_for("ann")
        assert (pool["procedure"], pool["asks"]["entry"], pool["asks"]["owed"]) == (useful, True, "grade")
        assert json.loads(json.dumps(pool["asks"]["scale"])) == [
            ["Usefulness", "", [[2, "3"], [1, "2"], ["?", "1"]]]
        ]
        marked = record(campaign, "bob", "highlight", 0, 9, document="b")
        assert len(marked["problems"]) == 2  # grades, and an entry point
        with pytest.raises(InvalidEvent, match="found the grade 3, expected 2, 1"):
            record(campaign, "bob", "grade", document="b", path="/article", grade=3)
        with pytest.raises(InvalidEvent, match="procedure useful grades one element at a time"):
            record(campaign, "bob", "grade", document="b", path="/article", rest=True)
        with pytest.raises(InvalidEvent, match="the procedure is useful"):
            record(campaign, "bob", "label", 0, 9, document="b", label="supports")
        levels = [row["level"] for row in measure_agreement(campaign).rows]
        assert levels == ["character", "passage", "document", "element: usefulness"]
        export = exported(campaign, merge="union")
        assert (export.format, export.judgments.scale) == ("inex", "exhaustivity 0-2")
        made = [exported(campaign, to=name, merge="union").data for name in ("fol", "jsonl", "trec")]
        assert all(made)
    found = read_judgments(export.data)
    assert elements_said(found) == elements_said(export.judgments) != []
    with small_campaign(tmp_path / "other", procedure=useful) as other:
        assert import_judgments(other, read_judgments(made[1]), "old") == 3
        again = exported(other)
    assert elements_said(again.judgments) == elements_said(export.judgments)
    with Campaign.open(tmp_path / "c") as campaign:  # by its name in campaign.toml
        assert campaign.procedure is USEFUL


def test_all_parts_go_together() -> None:
    """Grades, entry point and labels can be required together."""
    everything = USEFUL._replace(labels=True)
    before = History(Rules(everything, ElementTree(ARTICLE), labels=("yes",)))
    marked = do(before, "highlight", 60, 70)
    assert marked.state.problems == [
        "3 grades missing",
        "best entry point missing",
        "1 label missing",
    ]
    labelled = do(do(marked, "bep", 60), "label", 60, 70, label="yes")
    assert do(grade(labelled, (ROOT, 2), (SEC, 1), (P2, "?")), "done").state.done
