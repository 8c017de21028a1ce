"""An evaluation as plain data: what report, explorer and terminal show, before anything is drawn."""

from excerpt.view.world import World

__all__ = ["World"]
