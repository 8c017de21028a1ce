"""What we are talking about: runs, judgments, their join and the scores; no files, no input or output."""

from excerpt.model.joined import Articles, JoinedRun
from excerpt.model.judgments import GradedElements, Judgments
from excerpt.model.policy import Policy
from excerpt.model.run import Result, Run
from excerpt.model.scores import ScoreTable
from excerpt.model.spans import KeyedSpans, Span

__all__ = [
    "Articles",
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
