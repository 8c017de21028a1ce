"""Results that print themselves: the door opens when it is used."""

from __future__ import annotations

from typing import Any

from excerpt.model.display import Showable


class Small(Showable):
    """A result of one number."""

    warnings = ("a doubt",)

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"x": 0.5}

    def listed(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """One row."""
        return ("name", "x"), [("a|b", 0.5)]


def test_every_form() -> None:
    """A table, Markdown, LaTeX and HTML with the warnings below it."""
    assert str(Small()) == "name       x\n------------\na|b   0.5000"
    assert Small().to_markdown().splitlines()[2] == "| a\\|b | 0.5000 |"
    assert r"a\textbar{}b & 0.5000 \\" in Small().to_latex()
    assert Small()._repr_html_().endswith("</table>\n<p>warning: a doubt</p>\n")
