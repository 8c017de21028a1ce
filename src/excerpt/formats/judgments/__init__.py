"""Formats of judgments: every module here without a leading underscore registers some."""

#: Modules of formats in columns, which are tried before the others are loaded.
COLUMNS = ("qrels",)
