"""Runs of passages of TREC HARD 2003 and 2004: `topic Q0 document rank score tag offset length`, in bytes.

The columns are those of FOL runs, so the format must be named. With a corpus bytes become characters of its
documents; without one they stay bytes, as those of the judgments do.
"""

from __future__ import annotations

from dataclasses import replace

from excerpt.formats.byte_offsets import Spans, as_characters
from excerpt.formats.registry import Format, recognise_nothing, register_run
from excerpt.formats.runs import fol
from excerpt.formats.source import Source
from excerpt.model.run import Run


def read(source: Source) -> Run:
    """Read the eight columns of a FOL run, whose offsets and lengths are bytes."""
    run = fol.read(source)
    start, end = as_characters(source, run.documents, run.document, run.line, Spans(run.start, run.end))
    return replace(run, start=start, end=end)


register_run(
    Format(
        "trec-hard",
        "run",
        fol.LAYOUT,
        "passages in bytes (TREC HARD 2003, 2004)",
        read,
        recognise_nothing,
        example=fol.EXAMPLE,
        by_name=True,
    )
)
