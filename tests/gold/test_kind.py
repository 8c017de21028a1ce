"""How formats are known."""

from __future__ import annotations

from gold_files import gold_file

from excerpt.gold import squad
from excerpt.gold.kind import first_has, list_in


def test_a_broken_file_is_known_by_its_keys() -> None:
    """A file that ends too early is still one of its format, so that its reader says what is wrong."""
    assert squad.KIND.recognise(gold_file('{"data": [{"title": "A", "paragraphs": [{"con'))
    assert not squad.KIND.recognise(gold_file('{"data": [{"title": "A"'))


def test_lists_in_values() -> None:
    """Empty lists fit: the reader says that there is nothing in them."""
    assert list_in({"a": [1]}, "a") == [1]
    assert list_in({"a": 1}, "a") is None
    assert list_in([], "a") is None
    assert first_has([], "a")
    assert first_has([{"a": 1}], "a", "b")
    assert not first_has([{"a": 1}], "b")
    assert not first_has([1], "b")
    assert not first_has(None, "b")
