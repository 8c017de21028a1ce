"""excerpt.show: what it takes, and how the result shows itself."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import excerpt
from excerpt import ExcerptError, Judgments, Policy, Run
from excerpt.collection import corpus, folder, qrels

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
    """By any name that the corpus accepts, with nothing left out; also one that nobody returned."""
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
    assert "the corpus does not have it" in more._repr_html_()


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
            "found no corpus, expected the text that offsets count in; give corpus=Corpus.read(…)",
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
    assert next(iter(notices)) == "judged topic has neither title nor question (topic 1 is not in topics)"


def test_a_topic_may_be_a_number() -> None:
    """Also where topics have titles."""
    for topics in (None, {"1": "How far?"}):
        shown = excerpt.show(JUDGMENTS, RUN, 1, corpus=TEXTS, topics=topics)  # type: ignore[arg-type]
        assert str(shown).splitlines()[0] == "1"


def test_a_corpus_may_be_all_that_makes_one() -> None:
    """As for a report."""
    corpora: list[Any] = [TEXTS, excerpt.Corpus(TEXTS), [{"id": id_, "text": TEXTS[id_]} for id_ in TEXTS]]
    assert len({str(excerpt.show(JUDGMENTS, RUN, "1", corpus=given)) for given in corpora}) == 1
