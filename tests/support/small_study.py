"""Judgments and runs of a few passages, whose pools can be counted by hand."""

from __future__ import annotations

from excerpt import Judgments, Result, Run, Span


def small_study() -> tuple[Judgments, tuple[Run, ...], tuple[str, ...]]:
    """Two topics; run `a` finds all passages, `b` one of them, `c` only the document of another."""
    highlights = [
        ("1", Span("x", 0, 10)),
        ("1", Span("x", 20, 30)),
        ("1", Span("y", 0, 10)),
        ("2", Span("z", 5, 9)),
    ]
    judgments = Judgments.of(highlights, sizes=dict.fromkeys("xyz", 100))
    runs = (
        Run.of(
            "a",
            [
                Result("1", "x", 0, 10),
                Result("1", "x", 15, 35),
                Result("1", "y", 5, 6),
                Result("2", "z", 0, 9),
            ],
        ),
        Run.of("b", [Result("1", "y", 50, 60), Result("1", "y", 0, 10)]),
        Run.of("c", [Result("2", "z", 50, 60)]),
    )
    return judgments, runs, ("charR",)
