"""excerpt assess: help of its commands, and unknown commands."""

from __future__ import annotations

import pytest

from excerpt.cli import CAMPAIGN, command_of, main

from .conftest import Excerpt


def test_every_command_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """In one list, and each by itself with an example."""
    with pytest.raises(SystemExit):
        main(["assess", "--help"])
    text = capsys.readouterr().out
    for name, told in CAMPAIGN.items():
        assert f"  {name:<10}  {told}" in text
        help_ = command_of(f"assess {name}").help()
        assert f"usage: excerpt assess {name} " in help_
        assert f"example:\n  excerpt assess {name}" in help_


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("nwe",), "unknown command of assess 'nwe'; did you mean 'new'? known: "),
        (("",), "unknown command of assess ''; known: "),
        ((), "the following arguments are required: COMMAND; try excerpt assess --help"),
    ],
)
def test_names_that_are_none(excerpt: Excerpt, given: tuple[str, ...], told: str) -> None:
    """One line that says which there are."""
    done = excerpt("assess", *given)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"excerpt: {told}")
    assert done.err.count("\n") == 1
