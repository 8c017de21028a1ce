"""Files that are not read here are called what they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from excerpt.formats.foreign import advise_foreign, describe_foreign
from excerpt.formats.source import Source

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
    assert advise_foreign(opened("1 0 A 1\n")) == ""


@pytest.mark.parametrize("content", ["<topics/>", "<top>\n<num>1\n</top>", "<parameters/>", "<inex_topic/>"])
def test_topics_have_a_command(opened: Open, content: str) -> None:
    """Who gives topics as a run is told where they are read."""
    assert advise_foreign(opened(content)) == "⟨command=topics⟩ reads and checks topics"
    assert advise_foreign(opened("<article/>")) == ""
