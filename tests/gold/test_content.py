"""Gathering questions, evidence and documents."""

from __future__ import annotations

from support.gold_files import faults, gold_file

from excerpt.datasets import squad
from excerpt.gold.file import Gold, Titles, has_record, lists
from excerpt.model.judgments import Question


def test_ids_are_there_once() -> None:
    """A question or a document that comes again is a fault; the same text again is none."""
    file = gold_file({"a": 1})
    one, gold = file.object(), Gold(file)
    assert gold.add_question(one, "7", "Who?", "g") == "7"
    gold.add_question(one, "7", "When?")
    gold.add_question(one, "", "a fault was reported before")
    gold.add_document(one, "d", "text")
    gold.add_document(one, "d", "text")
    gold.add_document(one, "d", "other")
    gold.add_evidence(one, "7", "", 0, 1)
    assert gold.questions == {"7": Question("7", "Who?", "g")}
    assert (gold.documents, gold.evidence) == ({"d": "text"}, [])
    assert faults(file) == [
        "f:1: found question 7 again (first in line 1), expected each id once",
        "f:1: found document d again with another text, expected each id once",
    ]


def test_questions_without_ids() -> None:
    """They are numbered; the same words again, in the same group, are remembered."""
    file = gold_file({"a": 1})
    one, gold = file.object(), Gold(file)
    asked = [("Who?", "a"), ("Who?", "b"), ("Who?", "a")]
    assert [gold.add_numbered(one, text, group) for text, group in asked] == ["1", "2", "3"]
    assert gold.repeated == [("3", "1")]


def test_texts_of_one_title_are_numbered() -> None:
    """In the order of their first occurrence, for any question."""
    titles = Titles([("a", "x"), ("b", "x"), ("a", "y"), ("a", "x")])
    assert [titles.name("a", "x"), titles.name("a", "y"), titles.name("b", "x")] == ["a#1", "a#2", "b"]


def test_a_broken_file_is_known_by_its_keys() -> None:
    """A file that ends too early is still one of its format, so that its reader says what is wrong."""
    assert squad.KIND.recognise(gold_file('{"data": [{"title": "A", "paragraphs": [{"con'))
    assert not squad.KIND.recognise(gold_file('{"data": [{"title": "A"'))


def test_lists_in_values() -> None:
    """Empty lists fit: the reader says that there is nothing in them."""
    assert lists({"data": []}, "data", "a", "b")
    assert lists({"data": [{"a": 1}]}, "data", "a", "b")
    others: tuple[object, ...] = ({"data": [{"c": 1}]}, {"data": [1]}, {"data": 1}, {}, [], None)
    assert not any(lists(value, "data", "a", "b") for value in others)
    assert has_record({"a": 1, "b": None, "c": 1}, "a", "b")
    assert has_record([{"a": 1, "b": 2}, 1], "a", "b")
    others = ({"a": 1}, [{"a": 1}], [], [1], None)
    assert not any(has_record(value, "a", "b") for value in others)
