"""Fixtures of the tests of files: sources made of text, an index, and a way to see faults."""

from support.source_fixtures import index, opened, save

__all__ = ["index", "opened", "save"]
