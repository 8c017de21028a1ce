"""Documents by number: names, lengths, and what is read when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.small_world import small_world

from excerpt import Corpus, Judgments
from excerpt.model.judgments import Question
from excerpt.queries import Topic, Topics
from excerpt.view import library as shelf
from excerpt.view.library import Library, topic_of


def library(**how: object) -> Library:
    """Two documents, of which the judgments know the length of the first."""
    made = Library(["a", "b"], sizes=np.array([9, -1]), judged=np.array([5, 0]), returned=np.array([5, 0]))
    for name, value in how.items():
        setattr(made, name, value)
    return made


def test_lengths_come_from_judgments_then_from_the_corpus() -> None:
    """An unknown length is -1."""
    corpus = Corpus({"a": "0123456789", "b": "four"})
    both = np.array([0, 1])
    assert library(corpus=corpus).describe(both)["size"].tolist() == [9, 4]
    assert library().describe(both)["size"].tolist() == [9, -1]


@pytest.mark.parametrize("few", [1, 2])
def test_what_was_read_before_changes_no_list(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """A lazy list knows the first of many documents, whichever were read before; of few it knows all."""
    monkeypatch.setattr(shelf, "_FEW", few)
    monkeypatch.setattr(shelf, "_AT_ONCE", 1)
    made = library(corpus=Corpus([("a", "0123456789"), ("b", "four")]), lazy=True)
    made.sizes[:] = -1
    before = made.describe(np.array([0, 1]))
    assert before["size"].tolist() == [10, 4 if few == 2 else -1]
    assert made.document(1)["size"] == 4
    after = made.describe(np.array([0, 1]))
    assert after["size"].tolist() == before["size"].tolist()
    assert (after["title"], after["kind"]) == (before["title"], before["kind"])


def test_without_a_corpus_that_is_the_reason() -> None:
    """The page says why there is no text."""
    assert library().document(0)["why"] == "No corpus was given."


def test_blocks_are_made_from_the_document() -> None:
    """The caller that opens the library chooses how."""
    made = library(
        corpus=Corpus({"a": "0123456789"}), blocks=lambda document: [["text", 0, 0, len(document.text)]]
    )
    assert made.document(0)["blocks"] == [["text", 0, 0, 10]]


def test_two_names_of_one_document_mean_the_first() -> None:
    """Judgments and run may call a document differently; the page opens what the judgments have."""
    nothing = np.zeros(2, np.int64)
    made = Library(["a.txt", "b"], nothing, nothing, nothing, corpus=Corpus({"a.txt": "x"}))
    assert made.find("b") == 1
    assert made.find("a.txt") == 0


def test_reaches_are_the_farthest_ends() -> None:
    """Of relevant text, and of results over all runs; by name as in judgments, then as in runs."""
    made = small_world().library
    assert list(made.names) == ["a", "b", "c", "z"]
    assert made.judged.tolist() == [67, 20, 7, 0]
    assert made.returned.tolist() == [67, 99, 9, 9]
    assert made.sizes.tolist() == [135, 100, 60, -1]


def test_a_document_with_two_names_is_looked_at_once() -> None:
    """By the first of them; what the corpus lacks is left out."""
    nothing = np.zeros(3, np.int64)
    made = Library(["a", "b", "a.txt"], nothing, nothing, nothing)
    made.corpus = _Spelled({"a.txt": "x"})
    assert made.once([0, 1, 2]) == {"a.txt": 0}
    assert made.once([1, 2]) == {"a.txt": 2}


class _Spelled(Corpus):
    """A corpus that knows documents without their ending, too."""

    def resolve(self, identifier: str | int) -> str | None:
        return super().resolve(identifier) or super().resolve(f"{identifier}.txt")


def test_without_text_there_are_no_titles() -> None:
    """They are text of the documents."""
    corpus = Corpus([{"id": "a", "title": "Secret", "text": "0123456789"}])
    assert library(corpus=corpus).describe(np.array([0]))["title"] == ["Secret"]
    hidden = library(corpus=corpus, text=False)
    assert hidden.describe(np.array([0]))["title"] == [""]
    assert hidden.document(0)["title"] == ""


def test_doubts_name_three_documents() -> None:
    """Documents that could not be read; lengths are compared if they were not compared before."""
    corpus = Corpus({"a": "0123", "b": ""})
    assert list(library(corpus=corpus).text_warnings()) == []
    for lazy in (False, True):
        made = library(corpus=corpus, lazy=lazy)
        made.describe(np.array([0, 1]))
        assert len(made.text_warnings()) == (2 if lazy else 0)


JUDGMENTS = replace(
    Judgments.of([("1", "A", 0, 5), ("2", "A", 0, 5)]), questions={"1": Question("1", "Who?", "law")}
)


def test_topics_come_before_the_judgments() -> None:
    """But one that says nothing does not hide a question."""
    assert topic_of("1", JUDGMENTS).text == "Who?"
    assert topic_of("1", JUDGMENTS, Topics.of({"1": "What?"})).text == "What?"
    assert topic_of("1", JUDGMENTS, Topics.of({"1": Topic("1")})).text == "Who?"
    assert topic_of("2", JUDGMENTS, Topics.of({"1": "What?"})) == Topic("2")
