"""Mistakes of users: one short line each, in the language of whoever shows it."""

from __future__ import annotations

import pickle

from excerpt.errors import ExcerptError, FormatError, UnknownName, shorten


def test_messages_are_one_line() -> None:
    """Whatever a name contains, it is shown and not obeyed."""
    error = FormatError("found \x1b[31m\n", path="a\nb", line=3, hint="try\u2028this")
    assert str(error) == r"a\nb:3: found \x1b[31m\n; try\u2028this"


def test_messages_are_short() -> None:
    """Of a long one the middle is left out: its end says what was expected."""
    error = ExcerptError("found " + "9" * 5000 + ", expected a number", path="run")
    assert len(str(error)) < 420
    assert str(error).startswith("run: found 999")
    assert str(error).endswith("9, expected a number")
    assert shorten("a" * 400) == "a" * 400


def test_settings_are_written_by_who_shows_them() -> None:
    """Python's words by default, others by a function."""
    error = ExcerptError("found overlap", hint="try ⟨overlap=first⟩ or ⟨order=file⟩")
    assert str(error) == 'found overlap; try policy=Policy(overlap="first") or order="file"'
    assert error.say(lambda setting, value: f"--{setting} {value}").endswith(
        "try --overlap first or --order file"
    )
    assert error.settings == ("overlap", "order")


def test_errors_travel_between_processes() -> None:
    """All of it arrives, of every kind of error."""
    for error in (FormatError("found", path="p", line=2, hint="h"), UnknownName("measure", "x", ["y"])):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert (str(copy), copy.path, copy.line, copy.hint) == (
            str(error),
            error.path,
            error.line,
            error.hint,
        )
