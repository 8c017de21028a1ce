"""The registry: every format of the two rooms, by name, with an example."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from excerpt.errors import UnknownName
from excerpt.formats import judgments_formats, run_formats
from excerpt.formats.checking import check
from excerpt.formats.registry import AnyFormat, find_judgments_format, find_run_format
from excerpt.formats.source import Source
from excerpt.index import OffsetIndex, build_index

Open = Callable[..., Source]
FORMATS: list[AnyFormat] = [*run_formats().values(), *judgments_formats().values()]


def test_all_formats_are_here() -> None:
    """Every module of a room that is no helper holds a format, and nothing else does."""
    assert set(run_formats()) == {"fol", "path", "range", "bep", "trec", "inex", "jsonl"}
    assert set(judgments_formats()) == {"fol", "trec", "inex", "inex-graded", "jsonl"}


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: f"{format_.kind} {format_.name}")
def test_the_example_is_in_that_format_only(opened: Open, format_: AnyFormat) -> None:
    """Every other format of its kind says 0, and the right one reads it without faults."""
    known = run_formats() if format_.kind == "run" else judgments_formats()
    fits = {name: other.recognise(opened(format_.example)) for name, other in known.items()}
    assert {name for name, fit in fits.items() if fit} == {format_.name}


@pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: f"{format_.kind} {format_.name}")
def test_the_example_has_no_faults(format_: AnyFormat, example_index: OffsetIndex) -> None:
    """What is shown to users is what `check` accepts."""
    found = check(format_.example.encode(), index=example_index)
    assert found, found
    assert ("a run" if format_.kind == "run" else "judgments") in found.summary


@pytest.fixture(scope="module")
def example_index(tmp_path_factory: pytest.TempPathFactory) -> OffsetIndex:
    """An index of documents A and B that have what the examples name."""
    folder: Path = tmp_path_factory.mktemp("examples")
    (folder / "corpus").mkdir()
    for name in "AB":
        paragraphs = f"<p>{'x' * 500}</p>" * 4
        (folder / "corpus" / f"{name}.xml").write_text(f"<article>{paragraphs}</article>")
    build_index(folder / "corpus", folder / "index")
    return OffsetIndex.open(folder / "index")


def test_unknown_names() -> None:
    """A format that nobody registered."""
    with pytest.raises(UnknownName, match=r"^unknown run format 'trek'; did you mean 'trec'"):
        find_run_format("trek")
    with pytest.raises(UnknownName, match=r"^unknown judgments format 'bep'"):
        find_judgments_format("bep")
