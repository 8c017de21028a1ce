"""Can the measure be trusted? Functions from scores, or from runs and judgments, to rows and a record."""

from excerpt.experiments.outcome import Input, Outcome, Record

__all__ = ["Input", "Outcome", "Record"]
