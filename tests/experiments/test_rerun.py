"""Records read back: what is one, whether its files changed, and where rows differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from excerpt.errors import ExcerptError, FormatError
from excerpt.experiments import Outcome, Record
from excerpt.experiments.rerun import Printed, first_difference, with_arguments

VALUES = (
    st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.booleans()
)
ROWS = st.lists(st.fixed_dictionaries({"a": VALUES, "b": VALUES}), max_size=4).map(tuple)


@given(ROWS, st.integers(0, 99), st.lists(st.text(), max_size=3))
def test_what_was_printed_is_read_back(
    rows: tuple[dict[str, Any], ...], seed: int, arguments: list[str]
) -> None:
    """Rows and record survive, to the last bit."""
    outcome = Outcome(rows, Record("agreement", seed, (), tuple(arguments)))
    read = Printed.parse(outcome.to_json())
    assert read.record == outcome.record
    assert first_difference(read.rows, rows) == ""


@given(ROWS, ROWS)
def test_a_difference_is_found_where_there_is_one(
    one: tuple[dict[str, Any], ...], two: tuple[dict[str, Any], ...]
) -> None:
    """No difference means the same text."""
    assert (first_difference(one, two) == "") == (json.dumps(one) == json.dumps(two))


def test_differences_in_words() -> None:
    """Number of rows, columns, values; a whole number is not a fraction, and long values are cut."""
    assert first_difference(({"a": 1},), ({"a": 1}, {"a": 2})) == "found 1 rows, expected 2"
    assert first_difference(({"a": 1},), ({"b": 1},)) == "row 1: found the columns a, expected b"
    assert first_difference(({"a": 1},), ({"a": 1.0},)) == "row 1: found a 1, expected 1.0"
    assert (
        first_difference(({"a": None},), ({"a": "x" * 99},)) == f'row 1: found a null, expected "{"x" * 58}…'
    )


def test_arguments_are_put_back() -> None:
    """Only the arguments of the record change."""
    outcome = Outcome(({"a": 0.1},), Record("agreement", 1, (), ("agreement", "-o", "tmp")))
    wanted = Outcome(outcome.rows, Record("agreement", 1, (), ("agreement", "é")))
    assert with_arguments(outcome.to_json().encode(), ("agreement", "é")) == wanted.to_json().encode()


def test_files_that_changed_or_are_gone(tmp_path: Path) -> None:
    """The error names the file and the record; the same content compressed is the same."""
    (tmp_path / "q").write_text("one")
    printed = Printed((), Record.made("agreement", [tmp_path / "q"]), "saved.json")
    printed.require_inputs()
    (tmp_path / "q").write_text("two")
    with pytest.raises(
        ExcerptError, match=r"q: found content of digest 3fc4ccfe7458…, expected .* saved\.json"
    ):
        printed.require_inputs()
    (tmp_path / "q").unlink()
    with pytest.raises(ExcerptError, match="q: cannot be read: no such file"):
        printed.require_inputs()


def test_a_record_from_python_is_a_record() -> None:
    """The helper of the next test makes what is read where nothing is wrong with it."""
    assert Printed.parse(_record()).record == Record("agreement", 1)


def test_standard_input_cannot_be_read_again() -> None:
    """A dash or a pipe among the files is refused, a dash after -o is not."""
    Printed((), Record("agreement", arguments=("agreement", "q", "r", "-o", "-")), "x").require_inputs()
    Printed((), Record("agreement", arguments=("agreement", "q", "--record", "-")), "x").require_inputs()
    for name in ("-", "/dev/fd/63", "--groups=/dev/fd/63"):
        with pytest.raises(ExcerptError, match="x: found an experiment on standard input or a pipe"):
            Printed((), Record("agreement", arguments=("agreement", name, "r")), "x").require_inputs()


def _record(**values: Any) -> str:
    """No rows, and a record with other values."""
    return json.dumps({"rows": [], "record": Record("agreement", 1).to_dict() | values})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("rows", "not JSON"),
        ("[" * 99999, "not JSON"),
        ("[]", "without the rows"),
        ("3", "without the rows"),
        ('{"rows": []}', "without the rows"),
        ('{"rows": [3], "record": {}}', "without the rows"),
        (_record(arguments=[7]), "without the rows"),
        (_record(seed="a"), "without the rows"),
        (_record(inputs=["q"]), "without the rows"),
        ('{"measures": ["MAiP"], "runs": [], "warnings": []}', "without the rows"),
    ],
)
def test_what_is_no_record(text: str, message: str) -> None:
    """Anything else is refused with the place and what was expected."""
    with pytest.raises(FormatError, match=f"a.json: found .*{message}.*expected what an experiment prints"):
        Printed.parse(text, "a.json")
