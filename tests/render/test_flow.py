"""Marked text as lines: what is read back from them is what was marked."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from shown_text import expected, looks, read_marks

from excerpt.corpus import Document
from excerpt.render.columns import columns_of
from excerpt.render.flow import MARGIN, lines_of, marks_between, paint, style_of
from excerpt.render.stretches import bits_of
from excerpt.view.topic_view import Look, Piece

SGR = re.compile("\x1b\\[([0-9;]*)m")


def lines(
    look: Look, width: int, *, colours: bool = False, whole: bool = True, context: int = 5
) -> list[str]:
    """The lines of a document."""
    bits = bits_of(look, context=context, top=10, whole=whole)
    return list(lines_of(bits, width, colours=colours))


@given(looks(), st.integers(MARGIN + 2, MARGIN + 40))
def test_marks_agree_with_sets_of_characters(look: Look, width: int) -> None:
    """Every character is there, in order, between the marks that sets of characters give it; lines fit."""
    shown = lines(look, width)
    assert read_marks(shown) == expected(look)
    assert all(columns_of(line) <= width for line in shown)


@given(looks(), st.integers(MARGIN + 2, MARGIN + 40))
def test_colours_agree_with_sets_of_characters(look: Look, width: int) -> None:
    """The same in colours: a style is what it says it is."""
    state_of = {
        SGR.match(paint("x", style))[1]: style  # type: ignore[index]
        for base in ("hit", "missed", "vain", "unjudged")
        for style in (base, f"{base} again")
    }
    found = []
    for line in lines(look, width, colours=True):
        style = ""
        for number, part in enumerate(SGR.split(line)):
            if number % 2:
                style = part
            elif style in state_of and not part.strip().startswith("#"):
                found += [(character, state_of[style]) for character in part if not character.isspace()]
    dim = state_of[SGR.match(paint("x", "vain"))[1]]  # type: ignore[index] # also the margin's style
    wanted = [
        (character, ("hit" if relevant else "vain" if look.judged else "unjudged") + " again" * again)
        if retrieved
        else (character, "missed")
        for character, relevant, retrieved, again in expected(look)
        if relevant or retrieved
    ]
    signs = set("┆┃:·")
    assert [entry for entry in found if not (entry[1] == dim and entry[0] in signs)] == wanted


def test_ranks_stand_at_the_line_where_a_result_begins() -> None:
    """With as many as there is room for."""
    text = "one two three four five six"
    results = [(0, 3, 12), (0, 7, 345), (4, 7, 6789), (8, 13, 7), (8, 13, 1234), (8, 13, 5678)]
    shown = lines(
        Look("A", judged=True, relevant=[], results=results, document=Document("A", text)), MARGIN + 9
    )
    assert [line[: MARGIN - 3].strip() for line in shown] == ["#12 #345", "#6789", "#7 +2", "", ""]


def test_signs_say_the_strongest_state_of_a_line() -> None:
    """Missed text is what one looks for."""
    look = Look("A", judged=True, relevant=[(0, 2)], results=[(1, 4, 1)], document=Document("A", "ab c d"))
    assert [line[MARGIN - 2] for line in lines(look, 60)] == ["┆"]
    unjudged = Look("A", judged=False, relevant=[], results=[(0, 1, 1)], document=Document("A", "ab"))
    assert [line[MARGIN - 2] for line in lines(unjudged, 60)] == [":"]


def test_control_characters_are_made_visible() -> None:
    """What a document holds never reaches the terminal as a command."""
    text = "a\x1b[31mb\x07\u202ec\x9b"
    shown = "".join(lines(Look("A", judged=False, relevant=[], results=[], document=Document("A", text)), 60))
    assert shown.strip() == r"a\x1b[31mb\x07\u202ec\x9b"


def test_cells_have_bars_between_them_and_points_are_marked() -> None:
    """Tables stay readable, and an entry point stands where it points to."""
    from excerpt.corpus import Element

    elements = [
        Element("table", 0, 0, 4),
        Element("tr", 1, 0, 4),
        Element("td", 2, 0, 2),
        Element("td", 2, 2, 4),
    ]
    document = Document("A", "abcd", elements=elements)
    look = Look("A", judged=True, relevant=[(0, 4)], results=[(2, 2, 5)], document=document)
    assert lines(look, 60) == ["          ┆ [[ab │ ▸#5 cd]]"]


def test_what_is_left_out_is_counted() -> None:
    """With how much of it was retrieved."""
    text = "a" * 5 + " " + "b " * 1000
    look = Look("A", judged=True, relevant=[(0, 5)], results=[(500, 600, 99)], document=Document("A", text))
    shown = lines(look, 70, whole=False)
    assert shown[-1].strip() == f"… 1\u202f{len(text) - 1000 - 11} characters, 100 of them retrieved …"


def test_marks_between_pieces() -> None:
    """Results that follow each other are told apart; what goes on is not closed."""
    hit, again = Piece(0, 2, "hit", (1,)), Piece(2, 4, "hit", (1, 2))
    other = Piece(4, 5, "hit", (3,))
    assert marks_between(None, hit) == ("", "[[\u2039")
    assert marks_between(hit, again) == ("", "«")
    assert marks_between(again, None) == ("»\u203a]]", "")
    assert marks_between(hit, other) == ("\u203a", "\u2039")
    assert style_of(again) == "hit again"
