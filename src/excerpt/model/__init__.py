"""Data model: runs, judgments, their join and policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from excerpt._lazy import lazy

if TYPE_CHECKING:
    from excerpt.model.elements import GradedElement as GradedElement
    from excerpt.model.elements import GradedElements as GradedElements
    from excerpt.model.join import Articles as Articles
    from excerpt.model.join import Joined as Joined
    from excerpt.model.join import Placed as Placed
    from excerpt.model.judgments import Judgment as Judgment
    from excerpt.model.judgments import Judgments as Judgments
    from excerpt.model.policy import Policy as Policy
    from excerpt.model.run import Result as Result
    from excerpt.model.run import Run as Run
    from excerpt.model.spans import KeyedSpans as KeyedSpans
    from excerpt.model.spans import Span as Span

_PUBLIC = {
    **dict.fromkeys(("Articles", "Joined", "Placed"), "join"),
    **dict.fromkeys(("GradedElement", "GradedElements"), "elements"),
    **dict.fromkeys(("KeyedSpans", "Span"), "spans"),
    **dict.fromkeys(("Result", "Run"), "run"),
    **dict.fromkeys(("Judgment", "Judgments"), "judgments"),
    "Policy": "policy",
}
__all__ = list(_PUBLIC)
__getattr__, __dir__ = lazy(__name__, _PUBLIC)
