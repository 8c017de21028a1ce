"""The map from tags to kinds of blocks."""

from __future__ import annotations

from excerpt.render.block_tags import BLOCK_TAGS, KINDS, UNDER, local_name, parents_that_tell


def test_every_tag_has_a_kind_and_is_written_as_it_is_looked_up() -> None:
    """Kinds are known ones, and tags are in lower case without prefix."""
    assert set(BLOCK_TAGS.values()) <= set(KINDS)
    assert [tag for tag in BLOCK_TAGS if tag != local_name(tag)] == []
    under = {kind for kinds in UNDER.values() for kind in kinds.values()}
    assert under <= set(KINDS)


def test_no_tag_stands_in_two_lists() -> None:
    """Each tag is listed once, so the order of the lists means nothing."""
    from excerpt.render import block_tags

    listed = [tag for tags in block_tags._TAGS.values() for tag in tags.split()]
    assert len(listed) == len(set(listed))


def test_what_the_user_says_of_a_tag_holds_under_every_parent() -> None:
    """A tag that the user has named is no longer told by its parent."""
    assert "name" in parents_that_tell([])
    assert "name" not in parents_that_tell(["name"])
