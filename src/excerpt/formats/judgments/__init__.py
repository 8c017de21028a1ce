"""Formats of judgments: every module here without a leading underscore registers some."""

#: Modules by the form of files, which are tried before the others are loaded.
MODULES = {"columns": ("qrels",), "records": ("spans_jsonl", "gold_files", "qrels")}
