"""Reference pages: generated from the code."""

from __future__ import annotations

from excerpt.experiments import EXPERIMENTS
from excerpt.measures import parse
from excerpt.render.reference import commands_page, distinct_measures, formats_page, measures_page, spelling


def test_every_experiment_has_its_help() -> None:
    """Also those that are commands of stability."""
    page = commands_page()
    for name in EXPERIMENTS:
        assert f"\n## excerpt {name}\n" in page


def test_spellings_can_be_read() -> None:
    """How a measure is written is what `parse` takes, where all its parameters have defaults."""
    for measure in distinct_measures():
        text = spelling(measure)
        assert text.startswith(measure.name)
        if "…" not in text:
            assert isinstance(parse(text), measure)


def test_pages_are_markdown() -> None:
    """Pipes in layouts do not end a column."""
    rows = [line for line in formats_page().splitlines() if line.startswith("| `")]
    assert {line.replace("\\|", "").count("|") for line in rows} == {5}
    assert measures_page().count("\n## ") == len(distinct_measures())
