"""Results that print themselves: the one door from the model to what renders it, opened when it is used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any


class Showable(ABC):
    """A result that `print` shows as the command line does."""

    #: Doubts on the way; notebooks show them below the table.
    warnings: tuple[str, ...]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The object that the command line prints as JSON."""

    @abstractmethod
    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """The columns and rows that are shown."""

    def page(self, format_: str) -> str | None:  # noqa: ARG002 - of those who have one
        """The function that shows the result in a format, as `module:name`, where that is not its rows."""
        return None

    def notes(self) -> tuple[str, ...]:
        """What is said below the rows, a line each."""
        return ()

    def figure(self) -> str | None:
        """The function that draws the result into a figure, as `module:name`, where there is one."""
        return None

    def __str__(self) -> str:
        return self._rendered("table").removesuffix("\n")

    def to_markdown(self) -> str:
        """A pipe table."""
        return self._rendered("markdown")

    def to_latex(self) -> str:
        """A tabular environment."""
        return self._rendered("latex")

    def draw(self, format_: str = "svg") -> bytes:
        """The figure of the result as svg, pdf or png; needs matplotlib."""
        drawn: bytes = _renderer().draw_result(self, format_)
        return drawn

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self._rendered("html")

    def _rendered(self, format_: str) -> str:
        text: str = _renderer().show(self, format_)
        return text


def _renderer() -> Any:
    return import_module("excerpt.render.tables")  # a layer above: never imported with the model
