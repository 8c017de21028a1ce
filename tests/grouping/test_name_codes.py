"""Codes of names: those of a dictionary, whatever the hashes."""

from __future__ import annotations

import random
from collections.abc import Hashable

from hypothesis import given
from hypothesis import strategies as st

from excerpt.grouping.name_codes import NameCodes

#: Python gives -1 and -2 one hash, and 2**61 - 1 that of 0.
NAMES: st.SearchStrategy[Hashable] = st.one_of(st.text(max_size=2), st.sampled_from([-1, -2, 0, 2**61 - 1]))


@given(st.lists(NAMES, unique=True), st.lists(NAMES))
def test_codes_are_those_of_a_dictionary(names: list[Hashable], wanted: list[Hashable]) -> None:
    """Names with the same hash are told apart; others have no code."""
    known = {name: code for code, name in enumerate(names)}
    assert NameCodes(names).of(wanted).tolist() == [known.get(name, -1) for name in wanted]


def test_many_names_have_their_own_codes() -> None:
    """In any order."""
    names = [f"d{number}" for number in range(5000)]
    wanted = random.Random(1).sample(names, 3000)
    assert NameCodes(names).of(wanted).tolist() == [int(name[1:]) for name in wanted]
