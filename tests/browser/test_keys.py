"""Keys: the table is the help, and keys are off where they would be in the way."""

from __future__ import annotations

from typing import Any

import pytest
from support.browsing import Modules

PLAIN: dict[str, Any] = {"ctrlKey": False, "altKey": False, "metaKey": False}


@pytest.mark.parametrize(
    ("key", "asked"),
    [
        *(("j", ["next", 0]), ("k", ["previous", 0]), ("[", ["previousTopic", 0]), ("]", ["nextTopic", 0])),
        *(
            ("n", ["nextDocument", 0]),
            ("p", ["previousDocument", 0]),
            ("g", ["relevant", 0]),
            ("/", ["find", 0]),
        ),
        *(("?", ["help", 0]), ("Escape", ["escape", 0]), ("1", ["run", 1]), ("9", ["run", 9])),
        *((key, None) for key in ("0", "x", "X", "Enter", "Tab", "10", "toString")),
    ],
)
def test_what_a_key_asks_for(js: Modules, key: str, asked: list[Any] | None) -> None:
    """Letters are small; digits carry their number."""
    assert js("state", "actionOf", [[PLAIN | {"key": key}]]) == [asked]


@pytest.mark.parametrize("change", [{"ctrlKey": True}, {"altKey": True}, {"metaKey": True}, {}])
def test_keys_are_off_in_fields_and_with_others(js: Modules, change: dict[str, bool]) -> None:
    """Ctrl+J and typing belong to the browser and the user."""
    field = not change
    asked = js("state", "actionOf", [[PLAIN | change | {"key": key}, field] for key in ("j", "/", "1")])
    assert asked == [None] * 3


def test_a_third_level_key_is_no_alt(js: Modules) -> None:
    """On many keyboards `[` is typed with AltGr, which browsers call Ctrl and Alt."""
    typed = PLAIN | {"key": "[", "ctrlKey": True, "altKey": True}
    assert js("state", "actionOf", [[typed, False, True], [typed, True, True]]) == [
        ["previousTopic", 0],
        None,
    ]
