"""Fixtures that the tests of document files share with those of the index."""

from support.index_fixtures import _no_waiting_for_the_disk, indexed, write

__all__ = ["_no_waiting_for_the_disk", "indexed", "write"]
