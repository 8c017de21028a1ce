"""excerpt.show: what it takes, and how the result shows itself."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.shown_text import expected, read_marks, views

import excerpt
from excerpt import ExcerptError, Judgments, Policy, Run
from excerpt.collection import corpus, folder, qrels
from excerpt.corpus import Document, Element
from excerpt.queries import Topic
from excerpt.render.layout import columns_of
from excerpt.render.terminal import (
    MARGIN,
    TerminalPage,
    lines_of,
    lines_on,
    marks_between,
    paint,
    style_of,
    tokens_of,
    windows,
)
from excerpt.view.topic_view import DocumentView, OneTopic, TextPiece

JUDGMENTS = Judgments.of([("1", "A", 4, 9), ("1", "B", 0, 2), ("3", "A", 0, 3)])
RUN = Run.of("mine", [("1", "A", 0, 7), ("1", "C", 0, 4), ("2", "A", 0, 3)])
TEXTS = {"A": "One small step.", "B": "<b>Two</b>", "C": "Three."}


def test_a_topic_shows_itself() -> None:
    """Relevant and retrieved text are marked; documents come best rank first, missed ones last."""
    shown = excerpt.show(JUDGMENTS, RUN, "1", corpus=TEXTS, topics={"1": "How far?"})
    assert str(shown).splitlines()[:2] == ["1", "How far?"]
    texts = [line for line in str(shown).splitlines() if line.startswith("       ")]
    assert texts == [
        "       #1 ┆ \u2039One [[sma\u203all]] step.",
        "       #2 : \u2039Thre\u203ae.",
        "          ┆ [[<b]]>Two</b>",
    ]
    assert repr(shown) == "<'mine' on topic '1': 3 documents>"


def test_one_document_is_shown_whole() -> None:
    """By any name that the corpus accepts, with nothing left out; also one that no run returned."""
    text = "word " * 500
    judgments = Judgments.of([("1", "A", 0, 4)])
    shown = excerpt.show(judgments, RUN, "1", "A", corpus={"A": text, "Z": "other"})
    assert str(shown).count("rd") == 500
    assert "…" not in str(shown)
    assert "not retrieved" in str(excerpt.show(judgments, RUN, "1", "Z", corpus={"A": text, "Z": "other"}))


def test_the_embedded_collection(tmp_path: Path) -> None:
    """Files by their names; the scores are those of evaluate."""
    run = folder() / "runs" / "sent-bm25.fol.gz"
    shown = excerpt.show(qrels(), run, "CU17", corpus=corpus(), topics=folder() / "topics.xml")
    table = excerpt.evaluate(qrels(), [run], ["AiP", "charP", "charR"])
    scores = table.values[0, table.topics.index("CU17")].tolist()
    assert list(shown.to_dict()["scores"].values()) == scores
    assert "Right of First Refusal" in str(shown).splitlines()[0]
    assert json.loads(shown.to_json()) == shown.to_dict()


def test_pieces_come_with_their_text() -> None:
    """In JSON."""
    (document, *_) = excerpt.show(JUDGMENTS, RUN, "1", corpus=TEXTS).to_dict()["documents"]
    assert [(piece["state"], piece["ranks"], piece["text"]) for piece in document["pieces"]] == [
        ("vain", [1], "One "),
        ("hit", [1], "sma"),
        ("missed", [], "ll"),
    ]


def test_names_and_text_are_only_text_in_a_notebook() -> None:
    """Markup of documents, topics and runs is escaped."""
    run = Run.of("<i>", [("1", "B", 0, 4)])
    shown = excerpt.show(JUDGMENTS, run, "1", corpus=TEXTS, topics={"1": "<script>"})
    page = shown._repr_html_()
    assert "<script>" not in page
    assert "<i>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    assert 'color:#1c1b19">&lt;b</span>' in page
    # The same for what is left out, entry points and documents without text.
    more = excerpt.show(
        JUDGMENTS, Run.of("r", [("1", "A", 2, 2)], kind="entry points"), "1", corpus={"A": "a" * 900}
    )
    assert "<sup>#1</sup>" in more._repr_html_()
    assert re.search(r"<p>… 7\d\d characters …</p>", more._repr_html_())
    assert "the corpus does not contain it" in more._repr_html_()


def test_blocks_of_further_tags(tmp_path: Path) -> None:
    """As a mapping or in a file."""
    (tmp_path / "A.xml").write_text("<x><clause>One</clause><clause>Two</clause></x>")
    (tmp_path / "blocks.toml").write_text('[blocks]\nclause = "item"\n')
    judgments = Judgments.of([("1", "A", 0, 3)])
    run = Run.of("r", [("1", "A", 0, 3)])
    for blocks, last in (
        (None, "[[\u2039One\u203a]]Two"),
        ({"clause": "item"}, "Two"),
        (tmp_path / "blocks.toml", "Two"),
    ):
        shown = excerpt.show(judgments, run, "1", corpus=tmp_path / "A.xml", blocks=blocks)
        assert str(shown).splitlines()[-1].split()[-1] == last


def test_a_policy_that_refuses_the_run_leaves_its_text() -> None:
    """The score is not there, and a warning says why."""
    run = Run.of("mine", [("1", "A", 0, 7), ("1", "A", 3, 9)])
    notices = excerpt.Notices()
    shown = excerpt.show(JUDGMENTS, run, "1", corpus=TEXTS, notices=notices)
    assert shown.to_dict()["scores"]["AiP"] is None
    assert any(warning.startswith("no AiP: topic 1, document A: found result [3, 9)") for warning in notices)
    assert "«" in str(shown)
    again = excerpt.show(JUDGMENTS, run, "1", corpus=TEXTS, policy=Policy(overlap="first"), notices=notices)
    assert again.to_dict()["scores"]["AiP"] is not None


@pytest.mark.parametrize(
    ("topic", "document", "texts", "message"),
    [
        ("9", None, TEXTS, "unknown topic '9'; known: 1, 2, 3"),
        ("1", "AA", TEXTS, "unknown document 'AA'; did you mean 'A'? known: A, B, C"),
        (
            "1",
            None,
            None,
            "no corpus given, so there is no text to show; give corpus=Corpus.read(…)",
        ),
        ("1", None, 7, "found 7 of type int, expected a mapping of ids to texts, a data frame, or documents"),
    ],
)
def test_mistakes_are_one_line(topic: str, document: str | None, texts: object, message: str) -> None:
    """With the nearest guess."""
    with pytest.raises(ExcerptError) as caught:
        excerpt.show(JUDGMENTS, RUN, topic, document, corpus=texts)
    assert str(caught.value) == message


def test_topics_of_other_judgments_are_refused() -> None:
    """None of them is judged; where only this one has no title, that is said."""
    with pytest.raises(ExcerptError, match="found topics X and judgments of 1, 3"):
        excerpt.show(JUDGMENTS, RUN, "1", corpus=TEXTS, topics={"X": "x"})
    notices = excerpt.Notices()
    excerpt.show(JUDGMENTS, RUN, "1", corpus=TEXTS, topics={"3": "x"}, notices=notices)
    message = (
        "1 judged topic has neither title nor question and is shown by its id (topic 1 is not in topics)"
    )
    assert next(iter(notices)) == message


def test_a_topic_may_be_a_number() -> None:
    """Also where topics have titles."""
    for topics in (None, {"1": "How far?"}):
        shown = excerpt.show(JUDGMENTS, RUN, 1, corpus=TEXTS, topics=topics)  # type: ignore[arg-type]
        assert str(shown).splitlines()[0] == "1"


def test_a_corpus_may_be_all_that_makes_one() -> None:
    """As for a report."""
    corpora: list[Any] = [TEXTS, excerpt.Corpus(TEXTS), [{"id": id_, "text": TEXTS[id_]} for id_ in TEXTS]]
    assert len({str(excerpt.show(JUDGMENTS, RUN, "1", corpus=given)) for given in corpora}) == 1


TOPIC = OneTopic(
    topic=Topic("7", "A title", "What is it?"),
    run="mine",
    judged=True,
    scores={"AiP": 0.25, "charP": None},
    documents=[
        DocumentView(
            "A", judged=True, relevant=[(0, 9)], results=[(5, 30, 2)], why="the corpus does not contain it"
        ),
        DocumentView(
            "B", judged=True, relevant=[], results=[(0, 4, rank) for rank in range(3, 10)], why="nor this"
        ),
        DocumentView("C", judged=False, relevant=[], results=[(0, 4, 1)], why="nor this"),
    ],
    results=1203,
    nowhere=(4, 6),
    left=3,
)


def test_page_without_text() -> None:
    """Title, question, scores, legend; offsets where there is no text; what is not shown."""
    assert "\n".join(lines_on(TOPIC, TerminalPage(width=100))) == (
        "7 · A title\n"
        "What is it?\n"
        "\n"
        "mine · AiP 0.2500 · charP \u2013\n"
        "1\u202f203 results; 9 relevant characters in 1 document, 4 of them found\n"
        "\n"
        "[[relevant]]  \u2039retrieved\u203a  «retrieved again»  ┆ missed  ┃ found  : unjudged  "
        "· not relevant\n"
        "\n"
        "A\n"
        "1 relevant passage · 4 of 9 characters found · rank 2\n"
        "            no text: the corpus does not contain it\n"
        "            ┆ 0-5 missed\n"
        "            ┃ 5-9 found #2\n"
        "            · 9-30 not relevant #2\n"
        "\n"
        "B\n"
        "judged, not relevant · ranks 3, 4, 5, 6, 7 and 2 more\n"
        "            no text: nor this\n"
        "            · 0-4 not relevant #3 #4 #5 #6 #7\n"
        "\n"
        "C\n"
        "unjudged · rank 1\n"
        "            no text: nor this\n"
        "            : 0-4 unjudged #1\n"
        "\n"
        "3 other documents without relevant text, judged or retrieved\n"
        "\n"
        "results without a location in the corpus: ranks 4, 6"
    )


def test_narrow_pages_fit() -> None:
    """Whatever the names."""
    long = OneTopic(
        Topic("7", "t" * 90), "r" * 90, judged=False, scores={"AiP": None}, documents=[], results=1
    )
    lines = list(lines_on(long, TerminalPage(width=40)))
    assert all(columns_of(line) <= 40 for line in lines)
    assert "1 result; this topic has no judgments" in lines
    assert lines[-1] == "no relevant text, no results"


def test_colours_explain_themselves() -> None:
    """The legend is painted, and there are no marks."""
    shown = "\n".join(lines_on(TOPIC, TerminalPage(colours=True)))
    assert "\x1b[4;38;5;231;48;5;25mfound\x1b[0m" in shown
    assert "[[" not in shown


SGR = re.compile("\x1b\\[([0-9;]*)m")


def lines(
    view: DocumentView, width: int, *, colours: bool = False, whole: bool = True, context: int = 5
) -> list[str]:
    """The lines of a document."""
    tokens = tokens_of(view, TerminalPage(context=context, top=10), whole=whole)
    return list(lines_of(tokens, width, colours=colours))


@given(views(), st.integers(MARGIN + 2, MARGIN + 40))
def test_marks_agree_with_sets_of_characters(view: DocumentView, width: int) -> None:
    """Every character is there, in order, between the marks that sets of characters give it; lines fit."""
    shown = lines(view, width)
    assert read_marks(shown) == expected(view)
    assert all(columns_of(line) <= width for line in shown)


@given(views(), st.integers(MARGIN + 2, MARGIN + 40))
def test_colours_agree_with_sets_of_characters(view: DocumentView, width: int) -> None:
    """The same in colours: a style is what it says it is."""
    state_of = {
        SGR.match(paint("x", style))[1]: style  # type: ignore[index]
        for base in ("hit", "missed", "vain", "unjudged")
        for style in (base, f"{base} again")
    }
    found = []
    for line in lines(view, width, colours=True):
        style = ""
        for number, part in enumerate(SGR.split(line)):
            if number % 2:
                style = part
            elif style in state_of and not part.strip().startswith("#"):
                found += [(character, state_of[style]) for character in part if not character.isspace()]
    dim = state_of[SGR.match(paint("x", "vain"))[1]]  # type: ignore[index] # also the margin's style
    wanted = [
        (character, ("hit" if relevant else "vain" if view.judged else "unjudged") + " again" * again)
        if retrieved
        else (character, "missed")
        for character, relevant, retrieved, again in expected(view)
        if relevant or retrieved
    ]
    signs = set("┆┃:·")
    assert [entry for entry in found if not (entry[1] == dim and entry[0] in signs)] == wanted


def test_ranks_stand_at_the_line_where_a_result_begins() -> None:
    """With as many as there is room for."""
    text = "one two three four five six"
    results = [(0, 3, 12), (0, 7, 345), (4, 7, 6789), (8, 13, 7), (8, 13, 1234), (8, 13, 5678)]
    shown = lines(
        DocumentView("A", judged=True, relevant=[], results=results, document=Document("A", text)), MARGIN + 9
    )
    assert [line[: MARGIN - 3].strip() for line in shown] == ["#12 #345", "#6789", "#7 +2", "", ""]


def test_signs_say_the_strongest_state_of_a_line() -> None:
    """Missed text is what one views for."""
    view = DocumentView(
        "A", judged=True, relevant=[(0, 2)], results=[(1, 4, 1)], document=Document("A", "ab c d")
    )
    assert [line[MARGIN - 2] for line in lines(view, 60)] == ["┆"]
    unjudged = DocumentView("A", judged=False, relevant=[], results=[(0, 1, 1)], document=Document("A", "ab"))
    assert [line[MARGIN - 2] for line in lines(unjudged, 60)] == [":"]


def test_control_characters_are_made_visible() -> None:
    """Control characters of a document never reach the terminal."""
    text = "a\x1b[31mb\x07\u202ec\x9b"
    shown = "".join(
        lines(DocumentView("A", judged=False, relevant=[], results=[], document=Document("A", text)), 60)
    )
    assert shown.strip() == r"a\x1b[31mb\x07\u202ec\x9b"


def test_cells_have_bars_between_them_and_points_are_marked() -> None:
    """Tables stay readable, and an entry point is drawn at its position."""
    from excerpt.corpus import Element

    elements = [
        Element("table", 0, 0, 4),
        Element("tr", 1, 0, 4),
        Element("td", 2, 0, 2),
        Element("td", 2, 2, 4),
    ]
    document = Document("A", "abcd", elements=elements)
    view = DocumentView("A", judged=True, relevant=[(0, 4)], results=[(2, 2, 5)], document=document)
    assert lines(view, 60) == ["          ┆ [[ab │ ▸#5 cd]]"]


def test_what_is_left_out_is_counted() -> None:
    """With how much of it was retrieved."""
    text = "a" * 5 + " " + "b " * 1000
    view = DocumentView(
        "A", judged=True, relevant=[(0, 5)], results=[(500, 600, 99)], document=Document("A", text)
    )
    shown = lines(view, 70, whole=False)
    assert shown[-1].strip() == f"… 1\u202f{len(text) - 1000 - 11} characters, 100 of them retrieved …"


def test_marks_between_pieces() -> None:
    """Adjacent results are separated; a result that continues is not closed."""
    hit, again = TextPiece(0, 2, "hit", (1,)), TextPiece(2, 4, "hit", (1, 2))
    other = TextPiece(4, 5, "hit", (3,))
    assert marks_between(None, hit) == ("", "[[\u2039")
    assert marks_between(hit, again) == ("", "«")
    assert marks_between(again, None) == ("»\u203a]]", "")
    assert marks_between(hit, other) == ("\u203a", "\u2039")
    assert style_of(again) == "hit again"


@given(views(), st.integers(1, 30), st.integers(1, 4))
def test_text_and_gaps_are_the_whole_document(view: DocumentView, context: int, top: int) -> None:
    """Shown and omitted text add up to the document, and all short relevant text is shown."""
    assert view.document is not None
    text = view.document.text
    found = windows(view, context=context, top=top)
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(one[1] < other[0] for one, other in pairwise(found))
    shown = {place for start, end in found for place in range(start, end)}
    for start, end in view.relevant:
        assert set(range(start, end)) <= shown
    tokens = list(tokens_of(view, TerminalPage(context=context, top=top), whole=False))
    left = sum(token.numbers[0] for token in tokens if token.kind == "gap")
    assert left == len(text) - len(shown)
    words = "".join(token.text for token in tokens if token.kind == "text").split()
    assert "".join(words) == "".join("".join(text[start:end] for start, end in found).split())


@given(views())
def test_every_rank_is_told_once(view: DocumentView) -> None:
    """At the first text of its result."""
    assert view.document is not None
    told = [
        rank
        for token in tokens_of(view, TerminalPage(context=5, top=9), whole=True)
        if token.kind == "rank"
        for rank in token.numbers
    ]
    there = {rank for start, _, rank in view.results if start < len(view.document.text)}
    assert sorted(told) == sorted(there)


def test_long_text_is_shown_at_both_ends() -> None:
    """Of relevant text more than of other retrieved text; later results are no reason."""
    text = "word " * 2000
    view = DocumentView(
        "A",
        judged=True,
        relevant=[(0, 2000)],
        results=[(4000, 6000, 1), (9000, 9010, 11)],
        document=Document("A", text),
    )
    assert windows(view, context=50, top=10) == [(0, 204), (1800, 2054), (3950, 4054), (5950, 6054)]


def test_blocks_break_lines() -> None:
    """Paragraphs by an empty line, items by a new line, cells by a bar; blocks in cells not at all."""
    elements = [
        Element("article", 0, 0, 9),
        Element("p", 1, 0, 1),
        Element("p", 1, 1, 2),
        Element("list", 1, 2, 4),
        Element("item", 2, 2, 3),
        Element("p", 3, 2, 3),
        Element("item", 2, 3, 4),
        Element("table", 1, 4, 9),
        Element("tr", 2, 4, 7),
        Element("td", 3, 4, 5),
        Element("td", 3, 5, 7),
        Element("p", 4, 5, 6),
        Element("p", 4, 6, 7),
        Element("tr", 2, 7, 9),
        Element("td", 3, 7, 9),
    ]
    view = DocumentView(
        "A", judged=True, relevant=[], results=[], document=Document("A", "abcdefghi", elements=elements)
    )
    tokens = tokens_of(view, TerminalPage(context=5, top=9), whole=True)
    assert [token.text or token.kind for token in tokens] == [
        *("a", "blank", "b", "blank", "c", "line", "d", "blank"),
        *("e", "cell", "fg", "line", "hi"),
    ]


def test_lines_of_plain_text_and_of_code_stay() -> None:
    """Other whitespace of XML is folded when it is drawn."""
    plain = DocumentView("A", judged=True, relevant=[], results=[], document=Document("A", "a\nb\n \nc"))
    assert [
        token.text or token.kind for token in tokens_of(plain, TerminalPage(context=5, top=9), whole=True)
    ] == [
        *("a", "line", "b", "blank", "c"),
    ]
    elements = [Element("x", 0, 0, 6), Element("pre", 1, 3, 6)]
    code = DocumentView(
        "A", judged=True, relevant=[], results=[], document=Document("A", "a\nbc\nd", elements=elements)
    )
    assert [
        token.text or token.kind for token in tokens_of(code, TerminalPage(context=5, top=9), whole=True)
    ] == [
        *("a\nb", "blank", "c", "line", "d"),
    ]


def test_without_text_there_are_no_bits() -> None:
    """The page shows offsets instead."""
    assert (
        list(
            tokens_of(
                DocumentView("A", judged=True, relevant=[], results=[]),
                TerminalPage(context=5, top=9),
                whole=True,
            )
        )
        == []
    )
