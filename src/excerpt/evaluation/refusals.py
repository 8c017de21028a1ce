"""What is given as a run, or as judgments, and is neither."""

from __future__ import annotations

from excerpt.errors import ExcerptError

#: What can be mistaken for a run, or for judgments, and what to do with it.
_OURS = {"Chunks": "chunks.run(results) makes a run", "Corpus": "give it as ⟨corpus⟩"}


def refuse_ours(given: object) -> None:
    """An error for values of ours that are neither runs nor judgments."""
    kind = type(given)
    if kind.__name__ in _OURS and kind.__module__.startswith("excerpt."):
        raise ExcerptError(f"found {kind.__name__}, expected a run or judgments", hint=_OURS[kind.__name__])


def unreadable(given: object, expected: str) -> ExcerptError:
    """The error for what is nothing to read."""
    return ExcerptError(
        f"found a value of type {type(given).__name__}, expected {expected}, the name of a file, its bytes "
        "or an open file",
        hint=f"{expected.removeprefix('a ')}.of(…) makes one from values",
    )
