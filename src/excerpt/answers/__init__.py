"""Answers with citations: what a system cited, and whether it stands in the documents."""
