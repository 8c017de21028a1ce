"""Build of the pages: Markdown by MyST, the theme Furo, the reference pages from the code.

The pages ask for nothing from elsewhere: formulas are MathML, which browsers draw by themselves.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from myst_parser.parsers.sphinx_ import MystParser

from excerpt.render.reference import measures_page

sys.path.insert(0, str(Path(__file__).resolve().parent))
from reference_pages import api_pages, command_pages, formats_page

HERE = Path(__file__).resolve().parent
VERSION = re.compile(r'^__version__ = "([^"]+)"', re.MULTILINE)


def _version() -> str:
    found = VERSION.search((HERE.parent / "src" / "excerpt" / "__init__.py").read_text(encoding="utf-8"))
    assert found is not None, "src/excerpt/__init__.py must say __version__"
    return found[1]


def _indexed(page: str) -> str:
    """The page of measures with the names of means as entries of the index, where the search finds them."""
    heading = re.compile(r"^(## \S+\n\n.*Its mean over topics is `(\w+)`)", re.MULTILINE)
    return heading.sub(r"```{index} ! \2\n```\n\n\1", page)


def _write_reference() -> None:
    """Writes the pages that describe the code from the code, so that they cannot lag behind it."""
    pages = {
        "measures.md": _indexed(measures_page()),
        "formats.md": formats_page(),
        **api_pages(),
        **command_pages(),
    }
    for folder in (HERE / "commands", HERE / "api"):
        folder.mkdir(exist_ok=True)
        for old in {path.relative_to(HERE).as_posix() for path in folder.glob("*.md")} - pages.keys():
            (HERE / old).unlink()
    for name, text in pages.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # an equal page keeps its date
            path.write_text(text, encoding="utf-8")


_write_reference()

project = "excerpt"
author = "The excerpt authors"
copyright = "2026, The excerpt authors"  # noqa: A001 - the name Sphinx looks for
version = release = _version()
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
# What is copied of a session is what one types, without prompts and output.
copybutton_prompt_text = r"^(?:\$|>>>|\.\.\.) "
copybutton_prompt_is_regexp = True
myst_enable_extensions = ["deflist", "dollarmath"]
myst_heading_anchors = 3  # pages may link to each other's headings
suppress_warnings = ["myst.header"]  # headings of the tour are those of a section of the README
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"excerpt {release}"
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_js_files = ["pages.js"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_math_renderer = "mathml"
nitpicky = True
# Names of types in signatures lead nowhere but to our own classes.
nitpick_ignore_regex = [("py:.*", ".*")]
default_role = "code"  # as docstrings write names
autodoc_typehints = "none"
autodoc_member_order = "bysource"


def _formula(self: Any, node: nodes.math | nodes.math_block) -> None:
    """Put a formula into the page as MathML."""
    display = "block" if isinstance(node, nodes.math_block) else "inline"
    formula = convert(node.astext(), display=display)
    self.body.append(f'<div class="formula">{formula}</div>\n' if display == "block" else formula)
    raise nodes.SkipNode


class Notebook(MystParser):
    """Notebooks as pages: their text, their code and the output kept in them, which the tests compare."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Read the cells as one page of Markdown."""
        parts = []
        for cell in json.loads(inputstring)["cells"]:
            source = "".join(cell["source"])
            parts.append(source if cell["cell_type"] == "markdown" else _block("python", source))
            for output in cell.get("outputs", ()):
                shown = output.get("data", {"text/plain": output.get("text", "")})
                html = shown.get("text/html")
                wide = f'<div class="cell_output">{"".join(html)}</div>' if html else ""
                parts.append(_block("{raw} html", wide) if wide else _block("text", shown["text/plain"]))
        super().parse("\n\n".join(parts), document)


def _block(kind: str, lines: str | list[str]) -> str:
    return f"````{kind}\n{''.join(lines).rstrip()}\n````"


def _open_reports(_app: Any, _page: str, _template: str, context: dict[str, Any], _tree: Any) -> None:
    """Links to HTML files of these pages open them; Sphinx would download them."""
    link = re.compile(r'download internal" download="" (href="[^"]+\.html")')
    context["body"] = link.sub(r'internal" \1', context.get("body", ""))


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx how formulas are written, notebooks are read and reports are opened."""
    app.connect("html-page-context", _open_reports)
    app.add_html_math_renderer("mathml", (_formula, None), (_formula, None))
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(Notebook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
