"""A small evaluation with texts, for tests of what is shown of it."""

from __future__ import annotations

from typing import Any

from excerpt import Corpus, Judgments, Notices, Run, Span
from excerpt.view import World

SENTENCE = "The tenant shall pay the rent on the first day of every month."
TEXTS = {
    "a": f"One. {SENTENCE} Two. {SENTENCE}",
    "b": f"Three. {SENTENCE} " + "x" * 30,
    "c": "Nothing of interest, but long enough to be read by somebody.",
}
JUDGMENTS = Judgments.of(
    [("1", Span("a", 5, 67)), ("2", Span("b", 0, 20)), ("2", Span("c", 0, 7))],
    irrelevant=[("1", "c"), ("3", "a")],
    sizes={name: len(text) for name, text in TEXTS.items()},
)
RUNS = [
    Run.of("one", [("1", "a", 0, 40), ("1", "a", 30, 67), ("2", "c", 0, 9), ("3", "a", 0, 5)]),
    Run.of("two", [("1", "b", 0, 20), ("1", "b", 10, 50), ("2", "b", 0, 99), ("1", "z", 3, 9)]),
]


def small_world(**how: Any) -> World:
    """The evaluation; `z` is in no corpus."""
    from excerpt import Policy

    given = {"corpus": Corpus(TEXTS), "policy": Policy(overlap="first"), "notices": Notices(), **how}
    return World.of(JUDGMENTS, RUNS, ["charP", "MAiP"], **given)
