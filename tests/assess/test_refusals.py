"""Refusals are errors of the user's, and travel."""

from __future__ import annotations

import pickle

from excerpt.assess.refusals import NoRoom, NotAllowed, NotFound, Stale, Unfit
from excerpt.errors import ExcerptError


def test_a_stale_event_brings_the_current_state() -> None:
    """Also after a journey."""
    refusal = pickle.loads(pickle.dumps(Stale(3, {"version": 5, "done": True})))
    assert (refusal.version, refusal.state, refusal.base) == (5, {"version": 5, "done": True}, 3)
    assert str(refusal).startswith("found an event made on version 3, expected version 5")


def test_refusals_are_told_apart() -> None:
    """None is a kind of another."""
    kinds = (NoRoom, NotAllowed, NotFound, Stale, Unfit)
    assert all(issubclass(kind, ExcerptError) for kind in kinds)
    assert not any(issubclass(one, other) for one in kinds for other in kinds if one is not other)
