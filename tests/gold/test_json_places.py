"""Lines of JSON values, against a JSON text that is written with them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from excerpt.gold.json_places import JsonPlaces, Path

VALUES = st.recursive(
    st.integers() | st.text(max_size=3) | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=12,
)


def paths(value: Any, path: Path = ()) -> list[Path]:
    """The paths of all values."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in paths(part, (*path, key)))]


@given(VALUES, st.sampled_from([None, 1]))
def test_values_stand_where_they_are_said_to_be(value: Any, indent: int | None) -> None:
    """What begins at the place of a path is the value of the path."""
    text = "\n " + json.dumps(value, indent=indent)
    places = JsonPlaces(text)
    for path in paths(value):
        wanted = value
        for key in path:
            wanted = wanted[key]
        assert json.JSONDecoder().raw_decode(text, places._place(path))[0] == wanted
        assert places.line(path) == text[: places._place(path)].count("\n") + 1


def test_what_is_not_there_is_where_it_should_be() -> None:
    """The line of a missing value is that of what should hold it."""
    assert JsonPlaces('[1,\n{"a": 2}]').line((1, "b")) == 2
