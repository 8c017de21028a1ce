"""Files that lie beside documents and are none: what excerpt wrote, and gold, runs and scores of any tool."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Final

from excerpt.documents.document_kinds import ending_of
from excerpt.errors import ExcerptError

#: Endings of files that may be gold, runs or scores by their content.
_RESULTS = {"json", "jsonl", "ndjson", "csv", "tsv", "run", "runs", "trec", "fol", "qrels", "res", "results"}
#: How files of the endings of documents begin that excerpt wrote: reports, verdicts, tables.
_BEGINNINGS: Final[Mapping[str, re.Pattern[bytes]]] = {
    "html": re.compile(rb'<!DOCTYPE html>\n<html lang="en" data-state="loading">\n'),
    "md": re.compile(
        rb"\*\*(?:passed|failed|cannot tell): [^\n]*\*\*\n\n\| measure \| before \|"
        rb"|\*\*No verdict\.\*\* "
        rb"|\| (?:run|measure|topic) \|[^\n]*\n\|(?: (?::--|--:) \|)+\n"
    ),
    "tex": re.compile(
        rb"(?:%[^\n]*\n)*(?:\\begin\{(?:table|longtable)\}[^\n]*\n(?:[^\n]*\n){0,4})?"
        rb"\\begin\{tabular\}[^\n]*\n\\toprule\n(?:run|measure|topic) &"
    ),
    "txt": re.compile(rb"\S+[ \t]+(?:[Qq]?0|\S+[ \t]+\d+[ \t])\S*[ \t]*\S+[ \t]+-?\d"),
}
_HEAD, _TAIL = 1 << 10, 1 << 12
#: The note in a figure that excerpt drew as PDF.
FIGURE: Final = "excerpt figure"


def is_output(name: str) -> bool:
    """Return whether a file that is named like a document is none: a report, a table, a run, judgments."""
    ending = ending_of(name)
    if ending in _RESULTS:
        return is_result(name)
    if ending == "pdf":
        return f"({FIGURE})".encode() in _part(name, _TAIL, from_end=True)
    begins = _BEGINNINGS.get(ending)
    if begins is None or not begins.match(_part(name, _HEAD)):
        return False
    return ending != "txt" or is_result(name)


def is_result(name: str) -> bool:
    """Return whether a file is gold, a run or scores by its content."""
    from excerpt.formats.registry import detect_kind
    from excerpt.formats.source import Source
    from excerpt.gold.quote_rows import kind_of as gold_kind_of
    from excerpt.score_files.score_rows import is_scores

    if name.endswith(".about.json") or is_scores(name):
        return True
    try:
        opened = Source.open(name)
        return detect_kind(opened) is not None or gold_kind_of(opened.gold_file) is not None
    except ExcerptError:
        return False


def _part(name: str, size: int, *, from_end: bool = False) -> bytes:
    """The first or last bytes of a file; empty if it cannot be read, which its reader will say."""
    try:
        file = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return b""
    try:
        if from_end:
            os.lseek(file, -min(size, os.fstat(file).st_size), os.SEEK_END)
        return os.read(file, size)
    except OSError:
        return b""
    finally:
        os.close(file)
