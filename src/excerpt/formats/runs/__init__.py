"""Formats of runs: every module here without a leading underscore registers some."""

#: Modules by the form of files, which are tried before the others are loaded.
MODULES = {
    "columns": (".lines",),
    "places": (".jsonl",),
    "records": (".jsonl", ".mappings"),
}
