"""Data model: runs, judgments, their join, policies and score tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.model.elements import GradedElement, GradedElements
    from excerpt.model.join import Articles, Joined, Placed
    from excerpt.model.judgments import Judgments
    from excerpt.model.policy import Policy
    from excerpt.model.run import Result, Run
    from excerpt.model.scores import ScoreTable
    from excerpt.model.spans import KeyedSpans, Span

__all__ = [
    "Articles",
    "GradedElement",
    "GradedElements",
    "Joined",
    "Judgments",
    "KeyedSpans",
    "Placed",
    "Policy",
    "Result",
    "Run",
    "ScoreTable",
    "Span",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "Articles": "join",
        "GradedElement": "elements",
        "GradedElements": "elements",
        "Joined": "join",
        "Judgments": "judgments",
        "KeyedSpans": "spans",
        "Placed": "join",
        "Policy": "policy",
        "Result": "run",
        "Run": "run",
        "ScoreTable": "scores",
        "Span": "spans",
    },
)
