"""Base class of results that can be printed, drawn and shown in notebooks."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import Any

from excerpt._lazy import offered
from excerpt.files import write_bytes


class InNotebook:
    """A value that notebooks show as its `repr` with a table."""

    def _repr_html_(self) -> str | None:
        renderer = _renderer()
        return None if renderer is None else str(renderer.value_html(self))


class Showable(ABC):
    """A result that `print` shows as the command line does."""

    #: Warnings about the input; notebooks show them below the table.
    warnings: tuple[str, ...]

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the object that the command line prints as JSON."""

    @abstractmethod
    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Column names and rows of the table."""

    def recorded(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Column names and rows for programs: those of the table, but for rows that sum others up."""
        return self.listed()

    def shown_as(self) -> tuple[str, ...]:
        """Names under which a renderer may know tables of such a result, the most special first."""
        return (type(self).__name__,)

    def drawn_as(self) -> str:
        """Name under which a renderer may know its figure."""
        return type(self).__name__

    def notes(self) -> tuple[str, ...]:
        """Lines below the table."""
        return ()

    def __str__(self) -> str:
        return repr(self) if _renderer() is None else self._rendered("table").removesuffix("\n")

    def to_markdown(self) -> str:
        """Table in Markdown."""
        return self._rendered("markdown")

    def to_latex(self, **options: Any) -> str:
        """Table in LaTeX for a paper (needs the package booktabs).

        Options: `caption` and `label`, which make it a `table` environment, `wide` (`table*`), `siunitx` and
        `labels` (a mapping from runs, or a file); for scores also `baseline`, `test`, `correction` and
        `alpha` of the significance markers, and `marks=False`.
        """
        text: str = _renderer().show_latex(self, options)
        return text

    def draw(
        self, format_: str = "svg", *, data: str | os.PathLike[str] | None = None, **options: Any
    ) -> bytes:
        """Draw the result as svg, pdf or png; needs matplotlib.

        Options are those of the command line: `width` and `height` ("3.3in", "84mm", or inches), `grey`,
        `font_size`, `title`, `style` (a file), `top`, `highlight` and `labels` (a mapping from runs, or a
        file). `data` names a CSV file to which the drawn values are written, a row per mark.
        """
        drawn = _renderer().draw_result(self, format_, options)
        if data is not None:
            write_bytes(os.fspath(data), drawn.data().encode(errors="backslashreplace"))
        picture: bytes = drawn.picture
        return picture

    def _repr_html_(self) -> str:
        return self._rendered("html")

    def _rendered(self, format_: str) -> str:
        text: str = _renderer().show(self, format_)
        return text


def _renderer() -> Any:
    """Return the app that renders results; None if the core is alone."""
    return offered("renderer")
