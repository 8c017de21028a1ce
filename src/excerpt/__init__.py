"""excerpt: measure focused retrieval."""

__version__ = "0.1.0"
