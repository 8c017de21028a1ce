"""Errors: one line, as Python or as options of the command line."""

from __future__ import annotations

import pickle

import pytest

from excerpt.errors import (
    ExcerptError,
    ExcerptWarning,
    FormatError,
    MissingData,
    PolicyError,
    UnknownName,
    in_python,
)
from excerpt.options import as_option

ERRORS = [
    ExcerptError("found x", hint="try ⟨overlap=first⟩, ⟨order=file⟩ or ⟨unknown_length=6000⟩"),
    FormatError("found x", path="a\nb.xml", line=3),
    PolicyError("found x", path="r"),
    MissingData("needs x", hint="give ⟨index⟩"),
    UnknownName("measure", "MAiPP", ["MAiP", "iP"]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_they_travel_and_stay_on_one_line(error: ExcerptError) -> None:
    """An error from a worker process is unchanged, and a line end in a name is escaped."""
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
    assert "\n" not in str(error)
    assert back.settings == error.settings


def test_settings_in_both_languages() -> None:
    """Python's users read keyword arguments, those of the command line options; numbers have no quotes."""
    error = ERRORS[0]
    assert str(error) == ('found x; try overlap="first", order="file" or unknown_length=6000')
    assert error.say(as_option) == "found x; try --overlap first, --order file or --unknown-length 6000"
    assert error.settings == ("overlap", "order", "unknown_length")
    assert in_python("index", "") == "index=OffsetIndex.open(…)"
    assert in_python("limit", "") == "limit=…"
    clash = ExcerptError("⟨floor⟩ needs ⟨take⟩")
    assert (str(clash), clash.say(as_option)) == ("floor needs take", "--floor needs --take")


def test_content_that_looks_like_a_setting() -> None:
    """A name from a file that has our brackets must not break the message."""
    assert str(UnknownName("topic", "1", ["⟨command=x⟩"])) == "unknown topic '1'; known: x"


def test_the_nearest_name_is_suggested() -> None:
    """A misspelt name gets the nearest one and the list."""
    assert str(ERRORS[-1]) == "unknown measure 'MAiPP'; did you mean 'MAiP'? known: MAiP, iP"


def test_warnings_can_be_filtered() -> None:
    """Our warnings are a kind of their own among those for users."""
    assert issubclass(ExcerptWarning, UserWarning)


def test_settings_with_digits() -> None:
    """A setting whose name has a digit is written as any other."""
    assert str(ExcerptError("found x", hint="give ⟨qrels2=a.fol⟩")) == 'found x; give qrels2="a.fol"'


def test_every_piece_of_a_message_is_cut() -> None:
    """Long names, messages, hints: what is said stays readable."""
    long = 3000 * "a"
    assert len(str(FormatError(long, path=long, line=3, hint=long))) < 1600
    assert len(str(UnknownName("measure", long, ["MAiP"]))) < 100


def test_settings_that_are_no_arguments() -> None:
    """Settings that are not arguments in Python are named as they are set there."""
    error = ExcerptError("found x", hint="set ⟨max_size=4G⟩ or ⟨output_format=json⟩")
    assert str(error) == "found x; set EXCERPT_MAX_SIZE=4G or outcome.to_json()"
    assert error.say(as_option) == "found x; set --max-size 4G or --format json"


def test_unknown_names_that_are_no_text() -> None:
    """A number in the place of a name is unknown as well."""
    assert str(UnknownName("topic", 3, ["1", "2"])) == "unknown topic '3'; known: 1, 2"  # type: ignore[arg-type]


def test_among_very_many_names_only_the_case_is_forgiven() -> None:
    """Looking for similar ones among a hundred thousand would take seconds."""
    names = [f"Doc{number}" for number in range(5001)]
    assert "did you mean" not in str(UnknownName("document", "Doc77x", names))
    assert "did you mean 'Doc77'?" in str(UnknownName("document", "Doc77x", names[:5000]))
    assert "did you mean 'Doc77'?" in str(UnknownName("document", "doc77", names))
