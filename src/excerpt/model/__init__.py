"""What we are talking about: runs, judgments, their join and the scores; no files, no input or output."""

from excerpt.model.elements import GradedElement, GradedElements
from excerpt.model.joined import Articles, JoinedRun
from excerpt.model.judgments import Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Result, Run
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import KeyedSpans, Span

__all__ = [
    "Articles",
    "GradedElement",
    "GradedElements",
    "JoinedRun",
    "Judgments",
    "KeyedSpans",
    "Policy",
    "Result",
    "Run",
    "ScoreTable",
    "Span",
]
