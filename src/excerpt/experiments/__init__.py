"""Can the measure be trusted? Functions from scores, or from runs and judgments, to rows and a record."""

from __future__ import annotations

from excerpt._lazy import lazy
from excerpt.experiments.table import EXPERIMENTS, Experiment

TYPE_CHECKING = False  # as typing has it, which is half of what a start without numpy loads
if TYPE_CHECKING:
    from excerpt.experiments.outcome import InputFile, Outcome, Record
    from excerpt.experiments.stability import whole_study

__all__ = ["EXPERIMENTS", "Experiment", "InputFile", "Outcome", "Record", "whole_study"]

# Help needs the table only.
_LATER = {"InputFile": "outcome", "Outcome": "outcome", "Record": "outcome", "whole_study": "stability"}
__getattr__, __dir__ = lazy(__name__, {"EXPERIMENTS": "table", "Experiment": "table", **_LATER})
