"""The door from results to the modules that print and draw them."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any

from excerpt.files import write_bytes


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

    def to_latex(self, **options: Any) -> str:
        """A table for a paper (needs the package booktabs).

        Options: `caption` and `label`, which make it a `table` environment, and `siunitx`; for scores also
        `baseline`, `test`, `correction` and `alpha` of the marks of significance, and `marks=False`.
        """
        text: str = _renderer().show_latex(self, options)
        return text

    def draw(
        self, format_: str = "svg", *, data: str | os.PathLike[str] | None = None, **options: Any
    ) -> bytes:
        """The figure of the result as svg, pdf or png, which a notebook shows; needs matplotlib.

        Options are those of the command line: `width` and `height` ("3.3in", "84mm", or inches), `grey`,
        `font_size`, `title`, `style` (a file), `top` and `highlight`. `data` names a CSV file that gets the
        numbers that were drawn, a row per mark.
        """
        drawn = _renderer().draw_result(self, format_, options)
        if data is not None:
            write_bytes(os.fspath(data), drawn.data().encode(errors="backslashreplace"))
        picture: bytes = drawn.picture
        return picture

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self._rendered("html")

    def _rendered(self, format_: str) -> str:
        text: str = _renderer().show(self, format_)
        return text


def _renderer() -> Any:
    return import_module("excerpt.render.tables")  # a layer above: never imported with the model
