"""Folded text and the way back."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from excerpt.placing.folding import Folded

TEXTS = st.text(alphabet="ab \n\u00a0\u2003\x1f", max_size=30)


@given(TEXTS)
def test_every_character_is_found_again(text: str) -> None:
    """A character of the folded text is the one at its place in the text, unless it is white space."""
    folded = Folded(text)
    for place, character in enumerate(folded.folded):
        if character != " ":
            solid = int(folded.solid(np.array([place]))[0])
            assert text[folded.places[solid]] == character
            assert folded.stands(character, solid)
    assert folded.size == sum(not character.isspace() for character in text)
