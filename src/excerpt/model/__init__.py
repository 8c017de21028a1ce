"""What we are talking about: runs, judgments, their join and the scores; no files, no input or output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from excerpt.model.elements import GradedElement, GradedElements
    from excerpt.model.joined import Joined
    from excerpt.model.judgments import Judgments
    from excerpt.model.placed import Articles, Placed
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

_PLACES = {
    "Articles": "placed",
    "GradedElement": "elements",
    "GradedElements": "elements",
    "Joined": "joined",
    "Judgments": "judgments",
    "KeyedSpans": "spans",
    "Placed": "placed",
    "Policy": "policy",
    "Result": "run",
    "Run": "run",
    "ScoreTable": "scores",
    "Span": "spans",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: an index is built without any run or judgment."""
    if name not in _PLACES:
        raise AttributeError(f"module 'excerpt.model' has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f"excerpt.model.{_PLACES[name]}"), name)
    globals()[name] = value
    return value
