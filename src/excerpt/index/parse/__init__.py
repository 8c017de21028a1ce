"""A document's bytes to its elements."""
