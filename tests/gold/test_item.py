"""Fields of objects: what is right comes back, all else is a fault with its line."""

from __future__ import annotations

import pytest
from gold_files import faults, gold_file

from excerpt.gold.item import Item, show


def item(**fields: object) -> Item:
    """An object of a file."""
    return gold_file(fields).object()


def test_what_is_right() -> None:
    """Texts, names, numbers, lists, objects."""
    one = item(t="a", n=7, w=3, each=[{"x": 1}], texts=["b"], inner={"y": "z"}, none=None)
    assert (one.text("t"), one.name("n"), one.whole("w"), one.texts("texts")) == ("a", "7", 3, ["b"])
    assert [part.value for part in one.each("each")] == [{"x": 1}]
    assert one.inner("inner").text("y") == "z"
    assert (one.text("absent", "t"), one.name("absent", missing="m"), one.whole("none", -1)) == ("a", "m", -1)
    assert (one.each("none", needed=False), one.texts("absent")) == ([], [])
    assert faults(one.file) == []
    one.know(frozenset({"t", "n", "w"}))
    assert one.file.unknown == {"each", "texts", "inner", "none"}


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ("text('n')", "f:1: found n 7, expected text"),
        ("text('absent')", "f:1: found no absent among n, s, half, list, empty, expected text"),
        ("text('half')", "f:1: found half a surrogate pair at character 1 of half, expected text"),
        ("name('list')", "f:1: found list a list, expected a name or a number"),
        ("name('empty')", 'f:1: found empty "", expected a name or a number'),
        ("whole('s')", 'f:1: found s "x", expected a whole number'),
        ("whole('n', least=8)", "f:1: found n 7, expected at least 8"),
        ("each('s')", 'f:1: found s "x", expected a list'),
        ("each('list')", "f:1: found 1 in list, expected objects"),
        ("texts('list')", "f:1: found 1 in list, expected texts"),
        ("inner('s')", 'f:1: found s "x", expected an object'),
    ],
)
def test_what_is_wrong(ask: str, message: str) -> None:
    """Each is one fault."""
    one = gold_file('{"n": 7, "s": "x", "half": "a\\ud800", "list": [1], "empty": ""}').object()
    eval(f"one.{ask}")
    assert faults(one.file) == [message]


def test_numbers_beyond_all_offsets() -> None:
    """Numbers that no text can have."""
    one = item(n=1 << 40)
    assert one.whole("n") == -1
    assert faults(one.file) == ["f:1: found n 1099511627776, expected a number up to 2147483647"]


def test_values_as_messages_show_them() -> None:
    """Long ones are cut."""
    assert (show({}), show([1]), show("é"), len(show("a" * 100))) == ("an object", "a list", '"é"', 60)
