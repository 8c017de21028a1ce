"""The reference page of the public names."""

from __future__ import annotations

import excerpt
from excerpt.render.api import GROUPS, api_page, groups


def test_every_public_name_is_on_the_page_once() -> None:
    """Names that no group knows come last, none twice; none that is not public."""
    names = [name for group in groups() for name in group.names]
    assert sorted(names) == sorted(excerpt.__all__)
    assert all(f":: excerpt.{name}\n" in api_page() for name in excerpt.__all__)


def test_groups_have_distinct_names() -> None:
    """A name stands in one group."""
    named = [name for group in GROUPS for name in group.names]
    assert len(named) == len(set(named))


def test_classes_are_shown_with_their_methods() -> None:
    """Sphinx is told what each name is."""
    page = api_page()
    assert ".. autoclass:: excerpt.Run\n   :members:" in page
    assert ".. autofunction:: excerpt.evaluate\n```" in page
