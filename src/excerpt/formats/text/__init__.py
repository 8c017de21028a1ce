"""Parsers of text in columns, XML and JSON Lines, with the line of each fault."""
