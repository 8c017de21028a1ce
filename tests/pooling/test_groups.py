"""Files of groups: lines of run and group."""

from __future__ import annotations

import pytest

from excerpt import ExcerptError
from excerpt.pooling.groups import read_groups


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\n\na\n", ":3: found 1 column, expected run and group"),
        (b"a g\n\nb g h\n", ":3: found 3 columns, expected run and group"),
        (b"a g\n\nb g\na h\n", ":4: found run a again, expected it once"),
    ],
)
def test_lines_that_are_wrong(text: bytes, message: str) -> None:
    """The message names the line as an editor counts it."""
    with pytest.raises(ExcerptError, match=message):
        read_groups(text)


def test_other_words_for_a_group() -> None:
    """A file of tasks speaks of tasks."""
    with pytest.raises(ExcerptError, match="found 1 column, expected run and task"):
        read_groups(b"a\n", "task")
