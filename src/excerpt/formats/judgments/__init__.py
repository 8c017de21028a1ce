"""Formats of judgments: every module here without a leading underscore registers some."""

#: Modules by the form of files, which are tried before the others are loaded.
MODULES = {
    "columns": (".qrels",),
    "places": (".spans_jsonl",),
    "quotes": (".gold_files",),
    "records": (".spans_jsonl", ".gold_files", ".qrels", "..runs.mappings"),
}
