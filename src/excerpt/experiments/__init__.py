"""Experiments on scores, or on runs and judgments: significance, correlation, power, stability, gates."""

from __future__ import annotations

from excerpt._lazy import lazy
from excerpt.experiments.table import EXPERIMENTS, Experiment

TYPE_CHECKING = False  # as in typing, whose import would double the start-up time
if TYPE_CHECKING:
    from excerpt.experiments.outcome import InputFile, Outcome, Record
    from excerpt.experiments.stability import whole_study

__all__ = ["EXPERIMENTS", "Experiment", "InputFile", "Outcome", "Record", "whole_study"]

# Other names are loaded later, since help needs the table only.
_LATER = {"InputFile": "outcome", "Outcome": "outcome", "Record": "outcome", "whole_study": "stability"}
__getattr__, __dir__ = lazy(__name__, {"EXPERIMENTS": "table", "Experiment": "table", **_LATER})
