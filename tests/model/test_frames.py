"""Libraries that may be missing."""

import pytest

from excerpt.errors import ExcerptError
from excerpt.model.frames import frames


def test_a_missing_library_is_named() -> None:
    """The error says how to install it."""
    with pytest.raises(
        ExcerptError, match=r"no_such_frames is not installed; pip install 'excerpt\[frames\]'"
    ):
        frames("no_such_frames")
    assert frames("json").__name__ == "json"
