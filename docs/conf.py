"""How the pages are built: Markdown by MyST, the theme Furo, the reference pages from the code."""

from __future__ import annotations

import re
from pathlib import Path

from excerpt.render import reference

HERE = Path(__file__).resolve().parent
VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)


def _version() -> str:
    found = VERSION.search((HERE.parent / "src" / "excerpt" / "__init__.py").read_text(encoding="utf-8"))
    assert found is not None, "src/excerpt/__init__.py must say __version__"
    return found[1]


def _write_reference() -> None:
    """Writes the pages that describe the code from the code, so that they cannot lag behind it."""
    pages = {
        "measures.md": reference.measures_page,
        "formats.md": reference.formats_page,
        "commands.md": reference.commands_page,
    }
    for name, page in pages.items():
        path, text = HERE / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # an equal page keeps its date
            path.write_text(text, encoding="utf-8")


_write_reference()

project = "excerpt"
author = "The excerpt authors"
copyright = "2026, The excerpt authors"  # noqa: A001 - the name Sphinx looks for
version = release = _version()
extensions = ["myst_parser"]
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3  # pages may link to each other's headings
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"excerpt {release}"
html_copy_source = False
nitpicky = True
