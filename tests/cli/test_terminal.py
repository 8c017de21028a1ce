"""Widths and colours as they are asked for."""

from __future__ import annotations

import argparse

import pytest

from excerpt.cli.terminal import add_terminal, chosen_colours, chosen_width


def parsed(*given: str) -> argparse.Namespace:
    """The options of a command without others."""
    parser = argparse.ArgumentParser()
    add_terminal(parser)
    return parser.parse_args(given)


def test_a_pipe_has_eighty_columns_and_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless somebody asks; a file has none even where there is a terminal."""
    assert (chosen_width(parsed()), chosen_colours(parsed())) == (80, False)
    assert chosen_width(parsed("--width", "100")) == 100
    assert chosen_colours(parsed("--color", "always"))
    monkeypatch.setattr("excerpt.cli.terminal.shows_colours", lambda _: True)
    assert chosen_colours(parsed())
    assert not chosen_colours(parsed("--color", "never"))
    assert not chosen_colours(argparse.Namespace(color="auto", output="why.txt"))
