"""Readers of lines in columns, of XML and of JSON Lines, which tell where each fault stands."""
