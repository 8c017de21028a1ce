"""Is a file a run or judgments? Where both fit, the format that fits more of the first lines decides."""

from __future__ import annotations

from typing import Literal

from excerpt.formats.registry import judgments_formats, run_formats, unrecognised
from excerpt.formats.source import Source


def kind_of(
    source: Source, *, kind: str | None = None, format_: str | None = None
) -> Literal["run", "judgments"]:
    """What a file holds, as the user says or as its content shows."""
    if kind:
        return "run" if kind == "run" else "judgments"
    runs, judgments = run_formats(), judgments_formats()
    if format_ and (format_ in runs) != (format_ in judgments):
        return "run" if format_ in runs else "judgments"
    fits_run = max(known.recognise(source) for name, known in runs.items() if format_ in {None, name})
    fits_judgments = max(
        known.recognise(source) for name, known in judgments.items() if format_ in {None, name}
    )
    if not fits_run and not fits_judgments:
        raise unrecognised(source, "a run or judgments", "excerpt formats lists them")
    return "run" if fits_run > fits_judgments else "judgments"
