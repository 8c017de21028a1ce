"""Fixtures of the tests of indexes."""

from support.index_fixtures import _no_waiting_for_the_disk, indexed, write

__all__ = ["_no_waiting_for_the_disk", "indexed", "write"]
