"""By which procedure differences were found to be significant, in words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from excerpt.errors import plural
from excerpt.stats import CORRECTIONS_IN_WORDS, FAMILIES_IN_WORDS

if TYPE_CHECKING:
    from excerpt.render.tables import Look


def in_words(procedure: Mapping[str, Any]) -> str:
    """Test, number of comparisons and their correction, alpha, topics.

    >>> in_words({"test": "t", "tests": 6, "correction": "holm", "alpha": 0.05, "topics": 18})
    't test, 6 comparisons corrected by Holm, alpha 0.05, 18 topics'
    >>> in_words({"test": "tukey", "tests": 6, "correction": "none", "alpha": 0.05, "topics": 18})
    'randomised Tukey HSD, alpha 0.05, 18 topics'
    """
    test, tests, correction = (procedure[name] for name in ("test", "tests", "correction"))
    alone = f"{test} test, {tests} comparisons {CORRECTIONS_IN_WORDS[correction]}"
    return (
        f"{FAMILIES_IN_WORDS.get(test, alone)}, "
        f"alpha {procedure['alpha']}, {plural(procedure['topics'], 'topic')}"
    )


def wrapped(text: str, look: Look) -> str:
    """A note below a table, in lines that fit the terminal."""
    return text if look.width is None else textwrap.fill(text, look.width)
