"""Is a file a run or judgments? Where both fit, the format that fits more of the first lines decides."""

from __future__ import annotations

from typing import Literal

from excerpt.errors import FormatError
from excerpt.formats.registry import judgments_formats, run_formats
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
        head = source.data[:60].decode("utf-8", "replace").split("\n")[0].strip()
        raise FormatError(
            f"found {head!r}, expected a run or judgments in a known format",
            path=source.name,
            line=1,
            hint="excerpt formats lists them",
        )
    return "run" if fits_run > fits_judgments else "judgments"
