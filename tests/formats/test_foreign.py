"""Files that are not read here are called what they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt import read_judgments
from excerpt.errors import FormatError
from excerpt.formats.foreign import advise_foreign, describe_foreign
from excerpt.formats.registry import judgments_format_of
from excerpt.formats.source import Source
from excerpt.model import Span

Open = Callable[..., Source]
BOMB = (
    "<!DOCTYPE a ["
    f'<!ENTITY e0 "{"x" * 10_000}">'
    + "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 50}">' for n in range(3))
    + ']><a b="&e3;"/>'
)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("<inex_topic/>", "root element <inex_topic>, an INEX topic file"),
        ("<TOPICS/>", "root element <TOPICS>, a file of topics"),
        ("<thing/>", "root element <thing>, XML of another kind"),
        (BOMB, "XML whose entities expand without measure (an entity bomb)"),
        ("[1, 2]", "a JSON list instead of one object per line"),
        ("query-id\tcorpus-id\tscore\n1\tA\t1\n", None),
        ("1 A 1 1 1.0\n", "sampled judgments of statAP (topic document grade method probability)"),
        ("1 0 0 A 1\n", "preference judgments of trec_eval (topic group subgroup document grade)"),
        (
            "1 NYT1 120 300\n1 APW2 0 10\n2 APW2 5 400\n",
            "passages of TREC HARD (topic document offset length)",
        ),
        ("<inexltw-submission/>", "root element <inexltw-submission>, links of Link-the-Wiki"),
        ("<ltwResultsetType/>", "root element <ltwResultsetType>, links of Link-the-Wiki"),
        (
            "<inex-submission><topic><outgoing/></topic></inex-submission>",
            "root element <inex-submission>, links of Link-the-Wiki",
        ),
        ("1 Q0 A 0 20\n", None),
        ("1 Q0 A 1 1.5 r\n", None),
        ("hello\n", None),
    ],
)
def test_what_it_is(opened: Open, content: str, what: str | None) -> None:
    """The root element, or the columns, tell it; ours are none of these."""
    assert describe_foreign(opened(content)) == what


def test_what_to_do(opened: Open) -> None:
    """Judgments of other programs come with advice, others with none."""
    assert advise_foreign(opened("1 A 1 1 1.0\n")).startswith("for plain qrels write lines of topic, 0")
    assert advise_foreign(opened("1 0 0 A 1\n")) == "only trec_eval itself reads them, as its format prefs"
    assert advise_foreign(opened("<crosslink-submission/>")).startswith("write a line for each link")
    assert advise_foreign(opened("1 0 A 1\n")) == ""


def test_passages_are_no_grades(opened: Open) -> None:
    """Judgments of TREC HARD are named, not read as qrels, and columns that are named read them."""
    text = "1 NYT1 120 300\n1 APW2 0 10\n2 APW2 5 400\n"
    with pytest.raises(FormatError, match=r"passages of TREC HARD .*columns:topic,document,start,length"):
        judgments_format_of(opened(text))
    found = read_judgments(text.encode(), format="columns:topic,document,start,length")
    assert found.highlights("1") == [Span("NYT1", 120, 420), Span("APW2", 0, 10)]


@pytest.mark.parametrize("content", ["<topics/>", "<top>\n<num>1\n</top>", "<parameters/>", "<inex_topic/>"])
def test_topics_have_a_command(opened: Open, content: str) -> None:
    """Who gives topics as a run is told where they are read."""
    assert advise_foreign(opened(content)) == "⟨command=topics⟩ reads and checks topics"
    assert advise_foreign(opened("<article/>")) == ""
