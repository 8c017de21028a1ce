"""The table of options: what they take, and what follows from it."""

from __future__ import annotations

import os
from typing import Any

import pytest

from excerpt import options
from excerpt.options import SETTINGS, InvalidSetting, paths_of


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
    """Values of the wrong type are rejected, with the expected type."""
    with pytest.raises(InvalidSetting, match="expected "):
        SETTINGS[name].kind.take(value)


def test_defaults_are_those_of_the_policies() -> None:
    """Defaults of the command line are those of Python."""
    from dataclasses import fields

    from excerpt import Policy

    for item in fields(Policy):
        if item.name == "limit_documents":  # which follows from whether a limit is set
            continue
        setting = SETTINGS[item.name.replace("_", "-")]
        assert setting.default == item.default
        assert setting.default is None or setting.kind.take(setting.default) == item.default
    assert paths_of("") == []


def test_reading_has_the_options_of_the_table() -> None:
    """The arguments of Python, the table of options and the help have the same names."""
    from dataclasses import fields

    from excerpt import evaluate
    from excerpt.evaluation import CorpusOptions, Reading

    table = {option.dest for option in options.READING} - {option.dest for option in options.CUTTING}
    assert set(CorpusOptions.__annotations__) == table
    assert table <= {item.name for item in fields(Reading) if item.init}
    assert [name for name in table if f"`{name}`" not in str(evaluate.__doc__)] == []


def test_policies_have_the_options_of_the_table() -> None:
    """Each field of a policy is an option; whether a limit is for whole documents follows from it."""
    from dataclasses import fields

    from excerpt import Policy

    names = [item.name for item in fields(Policy)]
    assert names == [*(option.dest for option in options.POLICY), "limit_documents"]


def test_the_order_of_records() -> None:
    """Keys of records stay where they were in 0.2.0; what is new comes later."""
    names = (
        "index corpus document_tag id_from run_format qrels_format context order quantisations id_pattern "
    )
    names += "segments topics only exclude target drop_tags"
    assert [option.dest for option in options.READING][:16] == names.split()


def test_the_table_says_what_is_a_path() -> None:
    """An option with a file reads or writes it; only files of the table are relative to excerpt.toml."""
    for option in options.TABLE.values():
        assert (option.role == "plain") == (
            option.metavar not in {"FILE", "QRELS", "RUN", "INDEX", "CORPUS", "FOLDER"}
        )
    assert {name for name, option in SETTINGS.items() if option.role == "reads"} == {
        *("qrels", "runs", "index", "corpus", "topics")
    }
    assert not any(option.decides for option in options.TABLE.values() if option.role == "writes")
