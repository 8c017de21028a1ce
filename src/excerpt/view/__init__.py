"""Evaluations as plain data for the report, the explorer and the terminal."""

from excerpt.view.world import World

__all__ = ["World"]
