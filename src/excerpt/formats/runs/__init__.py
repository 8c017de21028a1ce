"""Run formats: every module here without a leading underscore registers some."""

#: Formats of text in columns, which need no parser: they are tried first, before the others are loaded.
COLUMNS = ("lines",)
