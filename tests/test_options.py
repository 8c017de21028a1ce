"""The table of options: what they take, and what follows from it."""

from __future__ import annotations

import os
import shlex
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from excerpt import options
from excerpt.cli import parser as parsers
from excerpt.errors import ExcerptError
from excerpt.options import SETTINGS, Option, OptionKind, paths_of


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
    assert SETTINGS[name].of_variable(text) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("limit", value) for value in (0, -1, True, 1.5, "many", 10**18, None)),
        *(("unknown-length", value) for value in ("none", False, 0, 1 << 31)),
        *(("include-empty", value) for value in (1, "si", None)),
        *(("measures", value) for value in ([], [1], 3, [""], {"a": 1})),
        *(("index", value) for value in ("", " ", 3, ["a"])),
        *(("overlap", value) for value in ("last", 1, None, ["first"])),
    ],
)
def test_values_of_another_kind(name: str, value: Any) -> None:
    """Values of the wrong type are rejected, with the expected type."""
    with pytest.raises(ValueError, match=r"^found .*, expected "):
        SETTINGS[name].of_toml(value)


_NAMED = {name: kind for name, kind in vars(options).items() if isinstance(kind, OptionKind)}
#: Every kind of the table, under its own name or that of an option with it.
KINDS = {
    **_NAMED,
    "words": options.choice("a", "b"),
    **{
        option.name: option.kind
        for option in (*options.TABLE.values(), *options.TERMINAL)
        if option.kind not in _NAMED.values() and not option.kind.choices
    },
}
#: Values of every type of TOML.
TOML = [
    *(
        '"a"',
        '"7"',
        '"0.5"',
        '"true"',
        '"none"',
        '"a, b"',
        '""',
        '" "',
        "7",
        "0",
        "1",
        "-1",
        "0.5",
        "1.0",
        "19.5",
    ),
    *(
        "nan",
        "-inf",
        "true",
        "false",
        "2020-01-01",
        "2020-01-01T00:00:00Z",
        "10:00:00",
        "9223372036854775807",
    ),
    *("[]", '["a", "b"]', "[7, 8]", "[0.5]", "[[7]]", "{ a = 1 }", '"""a\nb"""'),
]


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """The value that a parser gives to an option, or the error, by words, value of TOML, or variable."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EXCERPT_CONFIG", raising=False)

    def value(option: Option, *words: str, toml: str = "", variable: str = "") -> Any:
        (tmp_path / "excerpt.toml").write_text(f"\nmin-score = {toml}\n" if toml else "")
        monkeypatch.setitem(SETTINGS, option.name, option)
        monkeypatch.setitem(parsers._RANKS, option.name, 0)
        monkeypatch.setenv(option.variable, variable)
        try:
            return parsers.Parser("evaluate", option, example="").parse([*words]).min_score
        except ExcerptError as error:
            return str(error)

    return value


def setting(kind: OptionKind, **more: Any) -> Option:
    """A new setting, as CONTRIBUTING shows one."""
    return Option("min-score", "least score", kind=kind, metavar="X", setting="", **more)


@pytest.mark.parametrize("toml", TOML)
@pytest.mark.parametrize("name", KINDS)
def test_kinds_convert_alike(given: Callable[..., Any], name: str, toml: str) -> None:
    """Text of an option and of a variable, and a value of TOML, are the same value or one located line."""
    option, value = setting(KINDS[name]), tomllib.loads(f"x = {toml}")["x"]
    shown, by_toml = options.in_error(value), given(option, toml=toml)
    prefix = f"excerpt.toml:2: found min-score = {shown}, expected "
    is_fault = isinstance(by_toml, str) and by_toml.startswith(prefix)
    found = f"found {shown}, expected {by_toml.removeprefix(prefix)}" if is_fault else ""
    assert "\n" not in found
    if isinstance(value, str) and value.strip():
        assert given(option, variable=value) == (f"EXCERPT_MIN_SCORE: {found}" if is_fault else by_toml)
    if not isinstance(value, str) and is_fault:
        return
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    if option.kind is not options.FLAG and text.strip():
        on_line = given(option, "--min-score", text)
        hint = "; try excerpt evaluate --help"
        assert on_line == (f"argument --min-score: {found}{hint}" if is_fault else by_toml)


@pytest.mark.parametrize(
    ("kind", "toml", "value"),
    [
        (options.NUMBER, "19.5", 19.5),
        (options.NUMBER, "-3", -3.0),
        (options.NUMBER_FROM_ZERO, '"0"', 0.0),
        (options.COUNT, "7", 7),
        (options.COUNT_FROM_ZERO, "0", 0),
        (options.LEVEL, "0.95", 0.95),
        (options.SHARE, "1", 1.0),
        (options.NAMES, '["p", "sec"]', ("p", "sec")),
        (options.NAMES, '"p, sec"', ("p", "sec")),
        (options.FLAG, "true", True),
        (options.FLAG, '"no"', False),
        (options.LIMITED, '"all"', None),
        (options.LIMITED, "20", 20),
        (options.choice("a", "b"), '"b"', "b"),
        (options.NUMBER, "true", "excerpt.toml:2: found min-score = true, expected a number"),
        (options.NUMBER, '"a"', "excerpt.toml:2: found min-score = 'a', expected a number"),
        (options.NUMBER, "nan", "excerpt.toml:2: found min-score = nan, expected a number"),
        (options.NUMBER, "[1]", "excerpt.toml:2: found min-score = [1], expected a number"),
        (
            options.NUMBER_FROM_ZERO,
            "-1",
            "excerpt.toml:2: found min-score = -1, expected a number of at least 0",
        ),
        (options.SHARE, "true", "excerpt.toml:2: found min-score = true, expected a number from 0 to 1"),
        (options.NAMES, "3", "excerpt.toml:2: found min-score = 3, expected names separated by commas"),
        (options.FLAG, "1", "excerpt.toml:2: found min-score = 1, expected true or false"),
        (options.TEXT, "1979-05-27", "excerpt.toml:2: found min-score = 1979-05-27, expected a text"),
        (options.choice("a", "b"), "1", "excerpt.toml:2: found min-score = 1, expected one of: a, b"),
    ],
)
def test_values_of_toml(given: Callable[..., Any], kind: OptionKind, toml: str, value: Any) -> None:
    """Each kind has values of its own type, and one line for all others."""
    found = given(setting(kind), toml=toml)
    assert (found, type(found)) == (value, type(value))


def test_settings_that_may_be_repeated(given: Callable[..., Any]) -> None:
    """A list of TOML, a variable with commas and a repeated option are the same list."""
    option = setting(options.NUMBER, many=True)
    expected = [1.0, 2.5]
    assert given(option, "--min-score", "1", "--min-score", "2.5") == expected
    assert given(option, variable="1, 2.5") == given(option, toml="[1, 2.5]") == expected
    assert given(option, toml="1") == [1.0]
    assert given(option, toml='[1, "a"]') == "excerpt.toml:2: found min-score = 'a', expected a number"
    assert given(option, variable="1,a") == "EXCERPT_MIN_SCORE: found 'a', expected a number"
    assert given(option, toml="[]").startswith("excerpt.toml:2: found min-score = [], expected ")


def test_a_setting_in_the_command_of_a_report(given: Callable[..., Any], tmp_path: Path) -> None:
    """Names are one word, a repeated option is one word each, and all mean the same again."""
    for kind, more, words in (
        (options.NAMES, {}, "--min-score 'p, sec'"),
        (options.TEXT, {"many": True}, "--min-score p --min-score sec"),
        (options.NUMBER, {}, "--min-score 19.5"),
    ):
        option = setting(kind, **more)
        value = given(option, toml="19.5" if kind is options.NUMBER else '["p", "sec"]')
        parser = parsers.Parser("evaluate", option, example="")
        assert parser.parse([]).min_score == value
        assert parser.command() == f"excerpt evaluate {words}"
        (tmp_path / "excerpt.toml").write_text("")
        assert given(option, *shlex.split(words)) == value


def test_defaults_are_those_of_the_policies() -> None:
    """Defaults of the command line are those of Python."""
    from dataclasses import fields

    from excerpt import Policy

    for item in fields(Policy):
        if item.name == "limit_documents":  # which follows from whether a limit is set
            continue
        setting = SETTINGS[item.name.replace("_", "-")]
        assert setting.default == item.default
        assert setting.default is None or setting.of_toml(setting.default) == item.default
    assert paths_of("") == []


def test_reading_has_the_options_of_the_table() -> None:
    """The arguments of Python, the table of options and the help have the same names."""
    from dataclasses import fields

    from excerpt import evaluate
    from excerpt.evaluation import CorpusOptions, Reading

    table = {option.dest for option in options.READING} - {option.dest for option in options.OPENING}
    assert set(CorpusOptions.__annotations__) == table
    assert table <= {item.name for item in fields(Reading) if item.init}
    assert [name for name in table if f"`{name}`" not in str(evaluate.__doc__)] == []


def test_policies_have_the_options_of_the_table() -> None:
    """Each field of a policy is an option; whether a limit is for whole documents follows from it."""
    from dataclasses import fields

    from excerpt import Policy
    from excerpt.model.policy import PolicyOptions

    names = [item.name for item in fields(Policy)]
    assert names == [*(option.dest for option in options.POLICY), "limit_documents"]
    assert list(PolicyOptions.__annotations__) == names


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
    paths = {name for name, option in SETTINGS.items() if option.role == "reads"}
    assert paths >= {"qrels", "runs", "index", "corpus", "topics"}
    assert paths.isdisjoint({"measures", *(option.name for option in options.POLICY)})
    assert not any(option.decides for option in options.TABLE.values() if option.role == "writes")
