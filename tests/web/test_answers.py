"""Answers as JSON: what is computed once, what is refused, and one at a time."""

from __future__ import annotations

import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from excerpt import Judgments, Result, Run, Span
from excerpt.render.report import open_world
from excerpt.web.answers import Answering, Answers, Refusal, parse_spans


def test_answers_are_the_data(world: Answering) -> None:
    """Everything arrives as it is, characters of every plane and line ends included."""
    answers = Answers(world)
    assert json.loads(answers.overview()) == world.overview()
    assert json.loads(answers.topic("ä/?&")) == {"number": 1}
    assert json.loads(answers.document("A"))["text"] == "a😀b\r\n</script>"
    assert json.loads(answers.texts("A", "0-2,1-2,3-3")) == {"texts": ["a😀", "😀", ""]}
    assert json.loads(answers.texts("A", "")) == {"texts": []}


def test_large_answers_are_made_once(world: Any) -> None:
    """Every page asks for them."""
    answers = Answers(world)
    for _ in range(3):
        answers.overview()
        answers.passages()
    assert sorted(world.asked) == ["overview", "passages"]


@pytest.mark.parametrize(
    ("kind", "name", "status", "sentence"),
    [
        ("topic", "9", 404, "There is no topic “9” here."),
        ("document", "B", 404, "unknown document 'B'; known: A"),
        ("document", "changed", 409, "docs/changed.txt: has changed since the corpus was opened"),
    ],
)
def test_refusals_are_sentences(world: Answering, kind: str, name: str, status: int, sentence: str) -> None:
    """What is not there, and what is not there any more."""
    with pytest.raises(Refusal, match=sentence) as refused:
        getattr(Answers(world), kind)(name)
    assert refused.value.status == status


@pytest.mark.parametrize(
    "given", ["1", "-1-2", "1-2,", "a-b", "1-2-3", "1 - 2", "٣-٤", "1-99999999999", "1-2;3-4"]
)
def test_spans_that_are_none(given: str) -> None:
    """Anything but pairs of positions is refused."""
    with pytest.raises(Refusal, match="expected start-end,start-end"):
        parse_spans(given)


def test_many_spans_are_refused() -> None:
    """One request cannot ask for any number of copies."""
    with pytest.raises(Refusal, match="found 5001 spans, expected at most 5000"):
        parse_spans(",".join(["0-1"] * 5001))
    with pytest.raises(Refusal, match="expected at most 10000000"):
        parse_spans("0-9000000,1-9000000")


def test_threads_ask_one_at_a_time(world: Any) -> None:
    """The data behind the answers need not know of threads."""
    inside, most = 0, 0

    def slowly(number: int) -> dict[str, Any]:
        nonlocal inside, most
        inside += 1
        most = max(most, inside)
        time.sleep(0.005)
        inside -= 1
        return {}

    world.topic = slowly
    answers = Answers(world)
    threads = [threading.Thread(target=answers.topic, args=("1",)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_million_characters_are_answered(tmp_path: Path) -> None:
    """All of a large document in one answer, of XML as of plain text."""
    paragraph = "<p>some words <i>of</i> a paragraph</p>"
    text = re.sub("<[^>]+>", "", paragraph) * 41_000
    (tmp_path / "A.xml").write_text(f"<article>{paragraph * 41_000}</article>", encoding="utf-8")
    (tmp_path / "B.txt").write_text(text, encoding="utf-8")
    judgments = Judgments.of([("1", Span(name, 0, 40)) for name in "AB"])
    run = Run.of("run", [Result("1", name, 20, 60) for name in "AB"])
    answers = Answers(open_world(judgments, [run], ["charP"], corpus=tmp_path, lazy=True))
    for name in "AB":
        assert json.loads(answers.document(name))["text"] == text
        assert len(text) > 1_000_000
