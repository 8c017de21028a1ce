"""Reference pages generated from the code."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import excerpt
from excerpt.cli import COMMANDS, FURTHER, command_of
from excerpt.formats import judgments_formats, run_formats
from excerpt.formats.registry import AnyFormat
from excerpt.render.reference import distinct_measures, listing, measures_page, spelling

_PAGES = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "reference_pages.py"))
GROUPS, groups = _PAGES["GROUPS"], _PAGES["groups"]
api_pages, formats_page, command_pages = (
    _PAGES[name] for name in ("api_pages", "formats_page", "command_pages")
)


def test_reference_pages_are_complete() -> None:
    """Every measure, format and command has its place in the generated pages."""
    measures = measures_page()
    for measure in distinct_measures():
        assert f"\n## {measure.name}\n" in measures
        assert measure.reference in measures
    for name in (*run_formats(), *judgments_formats()):
        assert f"| `{name}` |" in formats_page()
    formats: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]
    for format_ in formats:
        shown = f"### {format_.name} ({format_.kind})\n\n"
        assert formats_page().split(shown)[1].split("```")[1] == f"text\n{format_.example.rstrip()}\n"
    pages = command_pages()
    for command in (*COMMANDS, *FURTHER):
        file = f"commands/{command.replace(' ', '-')}.md"
        assert f"[`excerpt {command}`]({file})" in pages["commands.md"]
        assert pages[file].startswith(f"# excerpt {command}\n")


def test_every_option_has_an_anchor_and_is_explained_once() -> None:
    """On the page of its command, or on that of shared options, to which the command's page links."""
    pages = command_pages()
    compare = pages["commands/compare.md"]
    assert compare.index("```sh\nexcerpt compare ") < compare.index(".. option:: --sides 1|2\n")
    for command in (*COMMANDS, *FURTHER):
        parser = command_of(command).parser
        page = pages[f"commands/{command.replace(' ', '-')}.md"]
        for option in parser().shown if parser else ():
            if not option.written:
                continue
            name = option.written[-1].lstrip("-")
            anchor = f'<a id="cmdoption-excerpt-{command.replace(" ", "-")}-{name}" '
            written = rf"^\.\. option:: (?:-[^,]*, )?{option.written[-1]}(?: .*)?$"
            own = len(re.findall(written, page, re.MULTILINE))
            assert own + page.count(anchor) == 1, (command, name)
            if not own:
                shared = pages["commands/shared.md"]
                assert re.search(rf"^\.\. option:: .*--{name}(?: |$)", shared, re.MULTILINE), name


def test_spelling_shows_parameters_and_an_example_of_the_cutoff() -> None:
    """As a user would write it, with every default."""
    spelled = {measure.name: spelling(measure) for measure in distinct_measures()}
    assert spelled["AiP"] == "AiP"
    assert spelled["charP"] == "charP(budget=…, cost=characters, overlap=exact, alpha=1)[10]"
    assert spelled["iP"] == "iP[0.01]"


def test_listing_fits_the_width() -> None:
    """Long paragraphs are wrapped; control characters are visible."""
    text = listing([("fol", ["word " * 30]), ("bad\x1b[0m", ["x"])], 40)
    assert all(len(line) <= 40 for line in text.splitlines())
    assert text.count("word") == 30
    assert "\x1b" not in text
    assert text.split("\n\n")[1] == "bad\\x1b[0m\n    x\n"


def test_every_public_name_is_on_the_page_once() -> None:
    """Names that no group knows come last, none twice; none that is not public."""
    names = [name for group in groups() for name in group.names]
    assert sorted(names) == sorted(excerpt.__all__)
    pages = api_pages()
    assert all(f":: excerpt.{name}\n" in pages[f"api/{name}.md"] for name in excerpt.__all__)
    assert all(f"(api/{name}.md)" in pages["api.md"] for name in excerpt.__all__)


def test_groups_have_distinct_names() -> None:
    """A name is in one group."""
    named = [name for group in GROUPS for name in group.names]
    assert len(named) == len(set(named))


def test_classes_are_shown_with_their_methods() -> None:
    """Sphinx gets the kind of each name."""
    pages = api_pages()
    assert ".. autoclass:: excerpt.Run\n   :members:" in pages["api/Run.md"]
    assert ".. autofunction:: excerpt.evaluate\n```" in pages["api/evaluate.md"]
