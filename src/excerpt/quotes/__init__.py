"""Quotes: search for a text in a document, literal or folded."""
