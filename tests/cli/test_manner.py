"""How commands speak, one after the other."""

from __future__ import annotations

from excerpt.cli.manner import MANNER, Manner
from excerpt.cli.telling import status_of, warn


def test_a_command_knows_nothing_of_the_one_before() -> None:
    """What was set, and what was warned of, ends with the command."""
    MANNER.strict = MANNER.quiet = MANNER.plain = True
    warn("mind the gap")
    assert (status_of(0), status_of(2)) == (3, 2)
    MANNER.begin()
    assert Manner() == MANNER
    assert status_of(0) == 0
