"""The side panel and the list of topics, used mostly by keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.browsing import Tabs, painted
from support.panel_desk import ARTICLE, SidePanel, article, campaign, plain, sideways

Open = Callable[..., SidePanel]
HOSTILE = "\"><img src=x onerror=alert(1)>\u202e{{7*7}}'"
BODY = "/article[1]/body[1]"
FIRST, SECOND = f"{BODY}/sec[1]", f"{BODY}/sec[2]"
DOC = article()
TEXT = DOC["text"]


def span(words: str) -> list[int]:
    """The span of words in the article."""
    return [TEXT.index(words), TEXT.index(words) + len(words)]


@pytest.fixture
def open_panel(tabs: Tabs) -> Iterator[Open]:
    """`open_panel(pool, doc, state=…)`: a panel, or without a document the list of topics."""
    panels: list[SidePanel] = []

    def show(*given: Any, **how: Any) -> SidePanel:
        panels.append(SidePanel(tabs, *given, **how))
        return panels[-1]

    yield show
    for one in panels:
        one.close()


def pool(procedure: str, title: str = "pain") -> dict[str, Any]:
    """A campaign with one topic."""
    return campaign(("EI", title, ["open"]), procedure=procedure)


def test_topics_show_progress_and_the_next_document(open_panel: Open) -> None:
    """One primary button; a row for each topic."""
    states = ["done"] * 18 + ["open!", "open"] + ["todo"] * 20
    page = open_panel(
        campaign(("CU03", "Agreement Date", ["done"] * 2), ("CU04", "Effective Date", states))
    ).page
    assert page.get_by_role("heading", level=1).inner_text() == "20 of 42 documents are finished"
    go_on = page.locator(".primary")
    assert go_on.inner_text().split("\n")[0] == "Go on with CU04, document 19"
    assert go_on.get_attribute("href") == "#topic=CU04&doc=C0018"
    rows = [
        [cell.strip() for cell in row.split("\t")]
        for row in page.locator(".topics tbody tr").all_inner_texts()
    ]
    assert rows == [
        ["Agreement Date CU03", "", "2 / 2", "0", "0", "3.0", "complete"],
        ["Effective Date CU04", "", "18 / 40", "2", "20", "3.0", "1 entry point"],
    ]


def test_topics_are_one_tab_stop(open_panel: Open) -> None:
    """Arrow keys move between them; a complete topic links to its first document."""
    shown = open_panel(campaign(("A", "a", ["done"]), ("B", "b", ["done", "todo"]), ("C", "c", [])))
    shown.press("Tab", "Tab")
    assert shown.focused == "topic A"
    shown.press("ArrowDown")
    assert shown.focused == "topic B"
    hrefs = shown.page.locator(".topics a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
    assert hrefs == ["#topic=A&doc=C0000", "#topic=B&doc=C0001"]


def test_an_assessor_without_documents(open_panel: Open) -> None:
    """No table and no button."""
    page = open_panel(campaign()).page
    assert page.get_by_role("heading", level=1).inner_text() == "No documents are assigned to you yet"
    assert page.locator("a, table").count() == 0


HIGHLIGHTED = {
    "highlights": [span("The average score"), span("Doses of morphine"), span("Pain is what")],
    "closed": True,
}


def test_grades_are_given_by_keys_alone(open_panel: Open) -> None:
    """Each key grades the current row; then the next row without a grade is current, and the cursor follows.

    Where nothing is missing a key counts only for a row that has the focus.
    """
    shown = open_panel(pool("inex2005"), DOC, state=HIGHLIGHTED)
    assert shown.page.locator(".grading h2").inner_text() == "Exhaustivity missing: 7 of 7"
    shown.press("2", "1")
    assert shown.acts == [
        {"kind": "grade", "path": "/article[1]", "grade": 2},
        {"kind": "grade", "path": BODY, "grade": 1},
    ]
    assert shown.cursor == DOC["elements"][2][1:3]
    assert shown.page.locator(".grades [aria-current]").inner_text().startswith("Results\nspecificity ")
    assert shown.announced == ["article: 2. Next: body", "body: 1. Next: Results"]
    shown.press("1", "0", "1", "1", "1")
    assert shown.page.locator(".grading h2").inner_text() == "Exhaustivity: complete"
    shown.press("x", "3", "?")
    assert len(shown.acts) == 7
    shown.page.locator(f'[data-key="grade {BODY}"]').click()
    shown.press("2")
    assert shown.acts[7:] == [{"kind": "grade", "path": BODY, "grade": 2}]


def test_the_focus_follows_the_grades(open_panel: Open) -> None:
    """From row to row, also after the button that leads to missing grades."""
    shown = open_panel(pool("inex2005"), DOC, state=HIGHLIGHTED)
    shown.page.evaluate("() => modules.grades.goToUngraded(context)")
    assert shown.focused == "grade /article[1]"
    shown.press("2", "2", "1")
    assert [act["path"] for act in shown.acts] == ["/article[1]", BODY, FIRST]
    assert shown.focused == f"grade {FIRST}/p[1]"


def test_rows_are_one_tab_stop_and_show_their_element(open_panel: Open) -> None:
    """Up and down choose a row, right and left reach its grades; pressing a grade again removes it."""
    shown = open_panel(pool("inex2005"), DOC, state=HIGHLIGHTED)
    shown.press("Tab")
    assert shown.focused == "grade /article[1]"
    shown.press("ArrowDown", "ArrowDown", "ArrowDown")
    assert shown.focused == f"grade {FIRST}/p[1]"
    assert shown.cursor == DOC["elements"][4][1:3]
    shown.press("ArrowRight", "ArrowRight", "Enter")
    assert shown.acts == [{"kind": "grade", "path": f"{FIRST}/p[1]", "grade": 1}]
    assert shown.focused == f"grade {FIRST}/p[1]  1"
    shown.press("Enter")
    assert shown.acts[-1] == {"kind": "grade", "path": f"{FIRST}/p[1]", "grade": None}
    shown.press("End")
    assert shown.focused == f"grade {SECOND}/p[1]"


def test_the_rest_is_too_small_only_after_a_second_question(open_panel: Open) -> None:
    """Per subtree; the question says how many are longer than fifty characters."""
    shown = open_panel(pool("inex2005"), DOC, state=HIGHLIGHTED)
    shown.page.locator(f'[data-key="grade {FIRST}"]').click()
    shown.page.get_by_role("button", name="Rest of “Results” too small…").click()
    question = shown.page.get_by_role("group", name="Rest too small")
    assert question.locator("p").inner_text().startswith("3 of 3 ungraded elements in “Results” have 50 char")
    assert shown.acts == []
    question.get_by_role("button", name="Leave them").click()
    assert shown.acts == []
    shown.page.get_by_role("button", name="Rest of “Results” too small…").click()
    shown.press("Tab", "Enter")
    assert shown.acts == [{"kind": "grade", "path": FIRST, "rest": True, "sure": True}]
    assert shown.page.locator(".grading h2").inner_text() == "Exhaustivity missing: 4 of 7"


def test_short_rests_need_no_question(open_panel: Open) -> None:
    """Nothing in the subtree is longer than fifty characters."""
    doc = article(((0, "article", ""), (1, "sec", ""), (2, "p", "short"), (2, "p", "text")))
    shown = open_panel(
        pool("inex2005"), doc, state={"highlights": [[0, 9]], "grades": {"/article[1]": 1}, "closed": True}
    )
    shown.page.get_by_role("button", name="Rest of “sec” too small").click()
    assert shown.acts == [{"kind": "grade", "path": "/article[1]/sec[1]", "rest": True}]


def test_withdrawn_grades_are_named(open_panel: Open) -> None:
    """By distinct names."""
    state = HIGHLIGHTED | {"withdrawn": [f"{FIRST}/p[2]", "/gone[1]"]}
    said = open_panel(pool("inex2005"), DOC, state=state).page.locator(".withdrawn").inner_text()
    assert said == "2 grades withdrawn, since no highlighted text is left in p 2 of Results, /gone[1]."


def test_two_keys_are_a_grade_of_two_parts(open_panel: Open) -> None:
    """Exhaustivity, then specificity; 0 is both; missing and inferred grades are shown."""
    state = {"owed": [FIRST, SECOND], "inferred": {BODY: [2, None], "/article[1]": [0, 0]}}
    shown = open_panel(pool("inex2004"), DOC, state=state)
    rows = shown.page.locator(".grades li")
    assert rows.locator("small").all_inner_texts() == ["follows: E 0 · S 0", "at least E 2", "", "missing"]
    shown.press("2")
    assert shown.acts == []
    assert shown.announced == ["Results: E 2 · S …"]
    shown.press("3")
    assert shown.acts == [{"kind": "grade", "path": FIRST, "grade": [2, 3]}]
    shown.press("0")
    assert shown.acts[-1] == {"kind": "grade", "path": SECOND, "grade": [0, 0]}


def test_relevance_is_a_digit_and_coverage_a_letter(open_panel: Open) -> None:
    """INEX 2002: of the row that looks current; 0 implies n, which may be typed and has no other effect."""
    shown = open_panel(pool("inex2002"), DOC, state={"owed": ["/article[1]", FIRST, SECOND]})
    shown.press("2", "l", "0", "n", "n", "3", "1", "e")
    assert shown.acts == [
        {"kind": "grade", "path": "/article[1]", "grade": [2, "L"]},
        {"kind": "grade", "path": FIRST, "grade": [0, "N"]},
        {"kind": "grade", "path": SECOND, "grade": [1, "E"]},
    ]
    assert shown.page.locator(".grades [aria-current] b").inner_text().startswith("Discussion")
    shown.press("l", "3", "e")
    assert [act["grade"] for act in shown.acts[3:]] == [[1, "L"], [3, "E"]]


@pytest.mark.parametrize("procedure", ["inex2002", "inex2004"])
def test_digits_grade_what_looks_current(open_panel: Open, procedure: str) -> None:
    """Also if no grade is missing and no row was chosen."""
    shown = open_panel(pool(procedure), DOC)
    assert shown.page.locator(".grades [aria-current] b").inner_text() == "article"
    shown.press("0")
    assert [act["path"] for act in shown.acts] == ["/article[1]"]


def test_any_element_can_be_reached_and_graded(open_panel: Open) -> None:
    """By unfolding with arrows, and by the cursor in the text; the mouse chooses parts in any order."""
    shown = open_panel(pool("inex2002"), DOC)
    assert shown.page.locator(".grades .name b").all_inner_texts() == ["article", "body"]
    shown.page.locator('[data-key="grade /article[1]/body[1]"]').focus()
    shown.press("ArrowDown", "ArrowRight", "ArrowDown", "ArrowRight", "ArrowDown", "ArrowDown")
    assert shown.focused == f"grade {FIRST}/p[1]"
    shown.press("ArrowLeft")
    assert shown.focused == f"grade {FIRST}"
    shown.page.evaluate("at => { context.cursor = at; context.redraw(); }", TEXT.index("It was"))
    current = shown.page.locator(".grades [aria-current]")
    assert current.locator("b").inner_text() == "p 2"
    current.get_by_role("group", name="Coverage").get_by_role("button", name="E").click()
    assert shown.acts == []
    current.get_by_role("group", name="Relevance").get_by_role("button", name="3").click()
    assert shown.acts == [{"kind": "grade", "path": f"{SECOND}/p[2]", "grade": [3, "E"]}]


def test_many_elements_are_drawn_in_parts(open_panel: Open) -> None:
    """The rows around the current one; the others are one step away."""
    parts = [(0, "article", ""), *((1, "p", f"text {number}") for number in range(500))]
    doc = article(parts)
    shown = open_panel(pool("inex2005"), doc, state={"highlights": [[0, doc["length"]]], "closed": True})
    assert shown.page.locator(".grades .owed").count() == 80
    shown.page.get_by_role("button", name="421 after").click()
    assert shown.focused == "grade /article[1]/p[80]"
    assert shown.page.get_by_role("button", name="40 before").is_visible()


def test_plain_text_has_nothing_to_grade(open_panel: Open) -> None:
    """Other procedures have no grades at all."""
    assert "plain text" in open_panel(pool("inex2005"), plain("text")).page.locator(".grading").inner_text()
    assert open_panel(pool("highlight"), DOC).page.locator(".grading").count() == 0


def test_evidence_is_labelled_by_digits(open_panel: Open) -> None:
    """The passage at the cursor, then the next without a label; notes are optional."""
    passages = [span("The average score"), span("Pain is what")]
    shown = open_panel(pool("evidence"), DOC, state={"highlights": passages})
    assert shown.page.locator(".labels h2").inner_text() == "Labels missing: 2 of 2"
    shown.press("1", "2", "9")
    assert shown.acts == [
        {"kind": "label", "start": start, "end": end, "label": label}
        for (start, end), label in zip(passages, ["supports", "contradicts"], strict=True)
    ]
    assert shown.page.locator(".labels h2").inner_text() == "Labels: complete"
    shown.page.get_by_label("Note on this passage").fill("says it directly")
    shown.press("Enter")
    assert shown.acts[-1]["note"] == "says it directly"
    assert shown.acts[-1]["label"] == "contradicts"
    shown.page.locator(".labels li").first.get_by_role("button").first.click()
    shown.page.get_by_role("button", name="contradicts 2").click()
    start, end = passages[0]
    assert shown.acts[-1] == {"kind": "label", "start": start, "end": end, "label": "contradicts"}


def test_every_input_in_a_note_is_stored(open_panel: Open) -> None:
    """At once, so that no character is only in the field; leaving the field adds no event."""
    shown = open_panel(pool("inex2007"), DOC, state={"note": "old"})
    field = shown.page.get_by_label("Note on this document")
    assert field.input_value() == "old"
    field.fill("odd table 😀")
    field.press("End")
    shown.page.keyboard.type("!")
    field.blur()
    assert shown.acts == [{"kind": "note", "note": note} for note in ("odd table 😀", "odd table 😀!")]


def test_terms_are_painted_and_stored_for_the_topic(open_panel: Open) -> None:
    """By keys: a slash opens the field, Enter adds and goes on; several colours; a button goes on, too."""
    shown = open_panel(pool("inex2007"), DOC)
    for term in ("doses", "PAIN"):
        shown.press("/")
        assert shown.focused == "term-field"
        shown.page.keyboard.type(term)
        shown.press("Enter")
        assert shown.focused == "term-field"
        shown.press("Escape")
    assert shown.page.evaluate("() => [...store]") == [["excerpt:c1:anna:terms:EI", '["doses","PAIN"]']]
    found = {name: [TEXT[start:end] for start, end in spans] for name, spans in painted(shown.page).items()}
    assert found == {"term-1": ["Doses", "Doses"], "term-2": ["pain", "Pain"]}
    step = shown.page.get_by_role("button", name="doses, 2 times: go to the next")
    step.click()
    assert shown.announced[-1] == "doses: 1 of 2"
    step.click()
    assert shown.cursor == [TEXT.rindex("Doses"), TEXT.rindex("Doses") + 5]
    assert shown.announced[-1] == "doses: 2 of 2"
    shown.page.get_by_role("button", name="Remove doses").click()
    assert list(painted(shown.page)) == ["term-1"]


def test_the_field_of_a_term_can_be_left(open_panel: Open) -> None:
    """By Escape, or with spaces only; the selected text is proposed; no term is added twice."""
    shown = open_panel(pool("inex2007"), DOC, stored={"excerpt:c1:anna:terms:EI": '["pain"]'})
    shown.press("/", "Escape")
    assert shown.focused != "term-field"
    shown.press("/", "Space", "Enter")
    shown.page.evaluate("() => getSelection().selectAllChildren(document.querySelector('#text h3'))")
    shown.press("/")
    assert shown.page.get_by_label("Term to find").input_value() == "Results"
    shown.page.keyboard.type("Pain")
    shown.press("Enter")
    assert shown.page.locator(".term").all_inner_texts() == ["pain\n2"]


SUGGESTIONS: list[list[Any]] = [
    [4, *span("Doses of morphine"), None],
    [7, *span("It was short."), "supports"],
]


def test_suggestions_need_a_finished_document(open_panel: Open) -> None:
    """Nothing is shown before the document is finished, or if there are no suggestions."""
    offered = DOC | {"second": {"count": 2}}
    assert open_panel(pool("highlight"), offered).page.locator(".second").count() == 0
    assert open_panel(pool("highlight"), DOC, state={"done": True}).page.locator(".second").count() == 0


def test_suggestions_are_answered_one_by_one(open_panel: Open) -> None:
    """Shown on demand; confirmed with its number, rejected, or passed over; never all at once."""
    shown = open_panel(
        pool("highlight"),
        DOC | {"second": {"count": 2}},
        state={"done": True, "highlights": [span("Doses")]},
        suggestions=SUGGESTIONS,
    )
    assert "suggested" not in painted(shown.page)
    shown.page.get_by_role("button", name="Show one at a time").click()
    shown.page.locator(".second blockquote").wait_for()
    assert painted(shown.page)["suggested"] == [tuple(SUGGESTIONS[0][1:3])]
    assert "You highlighted 29\u00a0% of it." in shown.page.locator(".second").inner_text()
    shown.page.get_by_role("button", name="Next").click()
    assert shown.page.locator(".second blockquote").inner_text() == "It was short."
    shown.page.get_by_role("button", name="Reject").click()
    shown.page.get_by_role("button", name="Confirm").click()
    start, end = SUGGESTIONS[0][1:3]
    assert shown.acts == [
        {"kind": "show suggestions"},
        {"kind": "reject", "suggestion": 7},
        {"kind": "highlight", "start": start, "end": end, "suggestion": 4},
    ]
    assert "All 2 suggestions answered." in shown.page.locator(".second").inner_text()
    assert "suggested" not in painted(shown.page)


def test_the_grade_of_a_document_is_no_passage(open_panel: Open) -> None:
    """It is said, and answered; nothing can be confirmed, and nothing is painted."""
    shown = open_panel(
        pool("highlight"),
        DOC | {"second": {"count": 1}},
        state={"done": True, "highlights": [span("Doses")]},
        suggestions=[[3, 0, 0, None, 2]],
    )
    shown.page.get_by_role("button", name="Show one at a time").click()
    said = shown.page.locator(".second")
    said.get_by_role("button", name="Keep my judgment").wait_for()
    assert "The machine gives the whole document the grade 2. You highlighted 1 passage." in said.inner_text()
    assert "suggested" not in painted(shown.page)
    assert said.get_by_role("button", name="Confirm").count() == 0
    said.get_by_role("button", name="Keep my judgment").click()
    assert shown.acts[1:] == [{"kind": "reject", "suggestion": 3}]
    assert "All 1 suggestion answered." in said.inner_text()


@pytest.mark.parametrize("procedure", ["inex2005", "evidence"])
def test_names_and_text_are_only_text(open_panel: Open, procedure: str) -> None:
    """In headings, passages, labels, notes, terms and suggestions."""
    parts = [(depth, tag, HOSTILE if tag == "title" else words) for depth, tag, words in ARTICLE]
    doc = article(parts) | {"second": {"count": 1}}
    at = [0, len(HOSTILE)]
    given = pool(procedure, HOSTILE) | {"labels": [HOSTILE]}
    state = {"done": True, "highlights": [at], "labels": [[*at, HOSTILE, HOSTILE]], "note": HOSTILE}
    shown = open_panel(given, doc, state=state, suggestions=[[1, *at, HOSTILE]], width=390)
    shown.press("/")
    shown.page.keyboard.insert_text(HOSTILE)
    shown.press("Enter")
    shown.page.get_by_role("button", name="Show one at a time").click()
    shown.page.locator(".second blockquote").wait_for()
    assert shown.page.locator("img, i").count() == 0
    assert shown.page.locator(".term bdi").inner_text() == HOSTILE
    assert sideways(shown.page) <= 0


def test_hostile_topics_are_only_text(open_panel: Open) -> None:
    """Ids and titles, in the table and on the button."""
    page = open_panel(campaign((HOSTILE, HOSTILE, ["open"])), width=320).page
    assert page.locator("img:not([role])").count() == 0
    assert page.locator(".primary bdi").get_attribute("title") == HOSTILE
    assert sideways(page) <= 0


@pytest.mark.parametrize("procedure", ["inex2002", "inex2004", "inex2005", "evidence"])
def test_panels_fit_their_window(open_panel: Open, procedure: str) -> None:
    """Without scrolling sideways, also within the panel."""
    state = HIGHLIGHTED | {"grades": {BODY: [2, 1]}, "owed": [FIRST]} if "4" in procedure else HIGHLIGHTED
    page = open_panel(pool(procedure), DOC, state=state, width=320, theme="dark").page
    for width in (320, 390, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        assert sideways(page) <= 0, width
        wide = "node => node.scrollWidth - node.clientWidth"
        assert page.locator(".inspector").evaluate(wide) <= 0, width
