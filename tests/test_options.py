"""The table of options: what they take, and what follows from it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from excerpt.options import SETTINGS, Unfit, paths_of


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("limit", "20", 20),
        ("limit", "none", None),
        ("unknown-length", "mean", "mean"),
        ("unknown-length", "18", 18),
        ("include-empty", "Yes", True),
        ("only-run-topics", "0", False),
        (
            "measures",
            "iP[0.01] MAgP(score=BEP, n=5),charP@5",
            ("iP[0.01]", "MAgP(score=BEP, n=5)", "charP@5"),
        ),
        ("runs", f"a*{os.pathsep}b c", ("a*", "b c")),
        ("order", "score", "score"),
    ],
)
def test_texts_of_variables(name: str, text: str, value: Any) -> None:
    """A variable says by its text what a file says by its types."""
    setting = SETTINGS[name]
    assert setting.kind.take(setting.kind.read(text)) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("limit", value) for value in (0, -1, True, 1.5, "many", 1 << 31, None)),
        *(("unknown-length", value) for value in ("none", False, 0)),
        *(("include-empty", value) for value in (1, "true", None)),
        *(("measures", value) for value in ([], [1], 3, [""], {"a": 1})),
        *(("index", value) for value in ("", " ", 3, ["a"])),
        *(("overlap", value) for value in ("last", 1, None, ["first"])),
    ],
)
def test_values_of_another_kind(name: str, value: Any) -> None:
    """What a setting does not take is refused with what it takes."""
    with pytest.raises(Unfit, match="expected "):
        SETTINGS[name].kind.take(value)


def test_defaults_are_those_of_the_policies() -> None:
    """What holds without a setting is what holds in Python."""
    from dataclasses import fields

    from excerpt import Policy

    for item in fields(Policy):
        if item.name == "limit_documents":  # which follows from whether a limit is set
            continue
        setting = SETTINGS[item.name.replace("_", "-")]
        assert setting.default == item.default
        assert setting.default is None or setting.kind.take(setting.default) == item.default
    assert paths_of("") == []
